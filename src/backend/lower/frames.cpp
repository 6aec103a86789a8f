#include "backend/lower/frames.h"

#include <cstddef>

namespace warpjit::backend {

using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

FrameLowering::FrameLowering(State& state, HostMasks& masks, HostRows& rows)
    : ValueForms(state), masks_(masks), rows_(rows) {
  if (f_.slot_count != 0) slots_ = reserve_frame(f_.slot_count * parts_ * host_.vector_bytes);
}

// ---- groups

void FrameLowering::argument_word(ir::Inst i, std::size_t member) {
  define(f_.result(i), 0, load_argument_word(member));
}

void FrameLowering::set_group(ir::Inst i) {
  store(Op::SStoreWord, scalar(operand(i, 0)), argument(offsetof(KernelArgs, group_index)));
  if (f_.frame_slots == 0) return;
  group_ = operand(i, 0);
  group_frame_ = make_frame_base(group_);
}

void FrameLowering::stop(ir::Inst i) {
  Value guard = operand(i, 0);
  if (is_constant(guard) && constant(guard) == 0) return;
  Reg tested = masks_.to_test(any_part(guard));
  const InstRef inst = add(Op::StopIfAny);
  use(inst, tested);
  inst->imm = static_cast<std::int64_t>(f_.inst(i).immediate);
}

// ---- local slots: what the dispatcher keeps between blocks, per lane

lir::Mem FrameLowering::slot_part(ir::Inst i, std::uint32_t p) const {
  const auto number = static_cast<std::uint32_t>(f_.inst(i).immediate);
  return frame(slots_ + static_cast<std::int32_t>((number * parts_ + p) * host_.vector_bytes));
}

void FrameLowering::load_slot(ir::Inst i) {
  for (std::uint32_t p = 0; p < parts_; ++p)
    define(f_.result(i), p, load(Op::LoadFull, RegClass::vector, slot_part(i, p)));
}

void FrameLowering::store_slot(ir::Inst i) {
  Value guard = operand(i, 0);
  const bool always = is_constant(guard) && constant(guard) != 0;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg r = vector(operand(i, 1), p);
    if (always)
      store(Op::StoreFull, r, slot_part(i, p));
    else
      rows_.store_where(r, mask(guard, p), slot_part(i, p));
  }
}

// ---- words that groups keep

Reg FrameLowering::make_frame_base(Value group) {
  Reg number = scalar(group), size = scalar_imm(f_.frame_slots * slot_bytes());
  Reg frames = load_argument(offsetof(KernelArgs, frame));
  return address(frames, scalar_op(Op::SMul, size, number), 0);
}

lir::Mem FrameLowering::frame_slot(ir::Inst i, Reg& base) {
  if (group_ == operand(i, 0)) {  // SetGroup comes before all that the group does
    base = group_frame_;
  } else {
    if (frame_group_ != operand(i, 0) || frame_base_.block != current_block()) {
      frame_group_ = operand(i, 0);
      frame_base_ = {make_frame_base(frame_group_), current_block()};
    }
    base = frame_base_.reg;
  }
  const std::uint64_t immediate = f_.inst(i).immediate;
  if (const std::uint64_t rows = immediate >> 32; rows != 0) {
    Reg row = scalar_op_imm(Op::SAndImm, scalar(operand(i, 1)), static_cast<std::int64_t>(rows - 1));
    base = address(base, scalar_op(Op::SMul, row, scalar_imm(slot_bytes())), 0);
  }
  lir::Mem mem;
  mem.base = MemBase::reg;
  mem.base_use = 0;
  mem.displacement = static_cast<std::int32_t>((immediate & 0xffffffff) * slot_bytes());
  return mem;
}

void FrameLowering::load_frame(ir::Inst i) {
  Reg base;
  lir::Mem mem = frame_slot(i, base);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    define(f_.result(i), p, load(Op::LoadFull, RegClass::vector, mem, base));
    mem.displacement += static_cast<std::int32_t>(host_.vector_bytes);
  }
}

// Slots are as wide as the group.
void FrameLowering::store_slot_part(Reg r, lir::Mem mem, Reg base) {
  if (!state_.has_idle_lanes) return store(Op::StoreFull, r, mem, base);
  mem.base_use = 2;
  rows_.store_where(r, live_lanes(), mem, base);
}

void FrameLowering::store_frame(ir::Inst i, std::uint32_t value) {
  Reg base;
  lir::Mem mem = frame_slot(i, base);
  mem.base_use = 1;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    store_slot_part(vector(operand(i, value), p), mem, base);
    mem.displacement += static_cast<std::int32_t>(host_.vector_bytes);
  }
}

void FrameLowering::load_frame_uniform(ir::Inst i) {
  Reg base;
  const lir::Mem mem = frame_slot(i, base);
  define(f_.result(i), 0, load(Op::SLoad, RegClass::scalar, mem, base));
}

void FrameLowering::store_frame_uniform(ir::Inst i) {
  Reg base;
  lir::Mem mem = frame_slot(i, base);
  mem.base_use = 1;
  store(Op::SStoreWord, scalar(operand(i, 1)), mem, base);
}

}  // namespace warpjit::backend
