// Lowering of what code does not do itself, and of what there is of a block around a group: its number, its
// lanes, frames. Operands of a call go through the frame as words; the emitter's call changes no register.
#include <array>
#include <cstddef>
#include <numeric>

#include "backend/lower/lower.h"

namespace warpjit::backend {

using ir::Opcode;
using ir::Type;
using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

// Where the operands and results of calls stand, one after the other: whole vectors, for all lanes of the
// group.
std::int32_t Lowering::call_words() {
  constexpr std::uint32_t kMostWords = 8;  // operands and results of F64Operation, AtomicMemory64
  if (call_words_ < 0) call_words_ = reserve_frame(kMostWords * parts_ * host_.vector_bytes);
  return call_words_;
}

std::int64_t Lowering::call_site(ir::Inst i, std::uint32_t first_part, std::uint32_t parts) {
  const ir::InstData& data = f_.inst(i);
  role_.call_sites->push_back(
      {data.opcode, data.guest_address, first_part * host_.lanes, parts * host_.lanes, data.immediate});
  return static_cast<std::int64_t>(role_.call_sites->size() - 1);
}

void Lowering::make_call(ir::Inst i, const ir::LaneShape* address) {
  const std::int32_t words = call_words();
  const std::int64_t site = call_site(i, 0, parts_);
  const bool memory = !ir::info(f_.inst(i).opcode).pure;
  std::int32_t place = words - static_cast<std::int32_t>(parts_ * host_.vector_bytes);
  for (std::uint32_t k = 0; k < f_.inst(i).operand_count; ++k) {
    const Value v = operand(i, k);
    if (ir::info(f_.inst(i).opcode).is_mask(k)) continue;  // not read
    place += static_cast<std::int32_t>(parts_ * host_.vector_bytes);
    CallSite& made = (*role_.call_sites)[static_cast<std::size_t>(site)];
    if (memory && k == 0 && is_constant(v) && constant(v) == 1) {
      made.unguarded = true;
      continue;
    }
    if (memory && k == 1 && (address != nullptr || !varying(v))) {
      made.strided = true;
      Reg base;
      if (!varying(v)) {
        base = scalar(v);
      } else {
        made.wraps16 = address->kind == ir::LaneShape::Kind::wrapped16;
        for (std::size_t bit = 0; bit < made.strides.size(); ++bit)
          made.strides[bit] = address->strides[bit].coefficient;
        base = sum_of_bases(address->base, factors_of(*address, 0));
        base = base == lir::kNoReg
                   ? scalar_imm(address->offset)
                   : scalar_op_imm(Op::SAddImm, base, static_cast<std::int32_t>(address->offset));
      }
      const InstRef inst = add(Op::SStoreWord);
      use(inst, base);
      inst->mem = frame(place);
      continue;
    }
    for (std::uint32_t p = 0; p < parts_; ++p) {
      Reg r = f_.value(v).type == Type::i1 ? vector_from_mask(mask(v, p)) : vector(v, p);
      const InstRef inst = add(Op::StoreFull);
      use(inst, r);
      inst->mem = frame(place + static_cast<std::int32_t>(p * host_.vector_bytes));
    }
  }
  const InstRef inst = add(Op::Call);
  inst->imm = site;
  inst->mem = frame(words);
}

// Part p of result k of the call that was just made, by a load.
Reg Lowering::load_called(ir::Inst i, std::uint32_t k, std::uint32_t p, Op op, RegClass cls) {
  const std::uint32_t vector = (f_.inst(i).operand_count + k) * parts_ + p;
  const InstRef load = add(op, cls);
  load->mem = frame(call_words() + static_cast<std::int32_t>(vector * host_.vector_bytes));
  return load->def;
}

void Lowering::call(ir::Inst i) {
  make_call(i);
  for (std::uint32_t k = 0; k < f_.inst(i).result_count; ++k) {
    Value result = f_.result(i, k);
    const bool truth = f_.value(result).type == Type::i1;
    if (!varying(result) && f_.value(result).type != Type::f32) {
      Reg r = load_called(i, k, 0, Op::SLoad, RegClass::scalar);
      define(result, 0, truth ? scalar_op_imm(Op::SAndImm, r, 1) : r);
      continue;
    }
    for (std::uint32_t p = 0; p < parts_of(result); ++p) {
      Reg r = load_called(i, k, p, Op::LoadFull, RegClass::vector);
      define(result, p, truth ? mask_from_vector(r) : r);
    }
  }
}

void Lowering::lower_SpecialFunction32(ir::Inst i) { call(i); }
void Lowering::lower_F32ToF16(ir::Inst i) { call(i); }
void Lowering::lower_F16ToF32(ir::Inst i) { call(i); }
void Lowering::lower_IntToF32(ir::Inst i) { call(i); }
void Lowering::lower_IntToF16(ir::Inst i) { call(i); }
void Lowering::lower_IMulHi24(ir::Inst i) { call(i); }
void Lowering::lower_F64Operation(ir::Inst i) { call(i); }
void Lowering::lower_AtomicMemory(ir::Inst i) { call(i); }
void Lowering::lower_AtomicMemory64(ir::Inst i) { call(i); }
void Lowering::lower_LockMemory(ir::Inst i) { call(i); }
void Lowering::lower_UnlockMemory(ir::Inst i) { call(i); }

// ---- groups and their lanes

void Lowering::lower_LaneIndex(ir::Inst) {}  // a constant where it is read

lir::Mem Lowering::numbers_of_lanes(std::uint32_t part) {
  std::array<std::uint32_t, 16> lanes{};
  std::iota(lanes.begin(), lanes.end(), part * host_.lanes);
  return pool_mem({lanes.data(), host_.lanes});
}

Reg Lowering::lane_numbers(std::uint32_t part) {
  Cached& cached = lane_numbers_[part];
  if (cached.block != current_block_) cached = {load_constant(numbers_of_lanes(part)), current_block_};
  return cached.reg;
}

lir::Mem Lowering::pool_mem(std::span<const std::uint32_t> lanes) {
  lir::Mem mem;
  mem.base = MemBase::pool;
  mem.displacement = pool_.offset(lanes);
  return mem;
}

Reg Lowering::load_constant(const lir::Mem& mem) {
  const InstRef inst = add(Op::LoadConstant, RegClass::vector);
  inst->mem = mem;
  inst->flags |= lir::kRemat;
  return inst->def;
}

Reg Lowering::vector_of(std::span<const std::uint32_t> lanes) { return load_constant(pool_mem(lanes)); }

void Lowering::lower_GroupIndex(ir::Inst i) {
  const InstRef inst = add(Op::SLoad, RegClass::scalar);
  inst->mem.base = MemBase::args;
  inst->mem.displacement = static_cast<std::int32_t>(offsetof(KernelArgs, group_index));
  define(f_.result(i), 0, inst->def);
}

void Lowering::lower_BlockIndex(ir::Inst i) {
  const InstRef inst = add(Op::SLoad, RegClass::scalar);
  inst->mem.base = MemBase::args;
  inst->mem.displacement = static_cast<std::int32_t>(offsetof(KernelArgs, block) + 4 * f_.inst(i).immediate);
  define(f_.result(i), 0, inst->def);
}

// compile() refuses functions that still have one: place_threads takes them out.
void Lowering::lower_ThreadIndex(ir::Inst) {}

void Lowering::lower_SetGroup(ir::Inst i) {
  Reg group = scalar(operand(i, 0));
  const InstRef inst = add(Op::SStoreWord);
  use(inst, group);
  inst->mem.base = MemBase::args;
  inst->mem.displacement = static_cast<std::int32_t>(offsetof(KernelArgs, group_index));
  if (f_.frame_slots == 0) return;
  group_ = operand(i, 0);
  group_frame_ = make_frame_base(group_);
}

void Lowering::lower_Stop(ir::Inst i) {
  Value guard = operand(i, 0);
  if (is_constant(guard) && constant(guard) == 0) return;
  stop_if_any(any_part(guard), static_cast<std::int64_t>(f_.inst(i).immediate));
}

// compile() refuses functions that still have one: schedule_groups takes them out.
void Lowering::lower_Barrier(ir::Inst) {}

void Lowering::lower_QuadSwizzle32(ir::Inst i) {
  Value a = operand(i, 0), result = f_.result(i);
  if (!varying(result)) return define(result, 0, scalar(a));
  for (std::uint32_t p = 0; p < parts_; ++p)
    define(result, p, varying(a) ? swizzle_quads(vector(a, p), f_.inst(i).immediate) : vector(a, p));
}

// ---- words that groups keep

Reg Lowering::make_frame_base(Value group) {
  Reg number = scalar(group), size = scalar_imm(f_.frame_slots * parts_ * host_.vector_bytes);
  return address(load_binding(offsetof(KernelArgs, frame)), scalar_op(Op::SMul, size, number), 0);
}

// The words of slot `immediate` of the group that `group` numbers; of rows, of the first one.
lir::Mem Lowering::frame_slot(ir::Inst i, Reg& base) {
  const std::uint32_t slot_bytes = parts_ * host_.vector_bytes;
  if (group_ == operand(i, 0)) {  // SetGroup comes before all that the group does
    base = group_frame_;
  } else {
    if (frame_group_ != operand(i, 0) || frame_base_.block != current_block_) {
      frame_group_ = operand(i, 0);
      frame_base_ = {make_frame_base(frame_group_), current_block_};
    }
    base = frame_base_.reg;
  }
  const std::uint64_t immediate = f_.inst(i).immediate;
  if (const std::uint64_t rows = immediate >> 32; rows != 0) {
    Reg row = scalar_op_imm(Op::SAndImm, scalar(operand(i, 1)), static_cast<std::int64_t>(rows - 1));
    base = address(base, scalar_op(Op::SMul, row, scalar_imm(slot_bytes)), 0);
  }
  lir::Mem mem;
  mem.base = MemBase::reg;
  mem.base_use = 0;
  mem.displacement = static_cast<std::int32_t>((immediate & 0xffffffff) * slot_bytes);
  return mem;
}

void Lowering::load_frame(ir::Inst i) {
  Reg base;
  lir::Mem mem = frame_slot(i, base);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    const InstRef inst = add(Op::LoadFull, RegClass::vector);
    use(inst, base);
    inst->mem = mem;
    mem.displacement += static_cast<std::int32_t>(host_.vector_bytes);
    define(f_.result(i), p, inst->def);
  }
}

void Lowering::store_frame(ir::Inst i, ir::Value value) {
  Reg base;
  lir::Mem mem = frame_slot(i, base);
  mem.base_use = 1;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg r = vector(value, p);
    const InstRef inst = add(Op::StoreFull);
    use(inst, r);
    use(inst, base);
    inst->mem = mem;
    mem.displacement += static_cast<std::int32_t>(host_.vector_bytes);
  }
}

void Lowering::lower_LoadFrame(ir::Inst i) { load_frame(i); }
void Lowering::lower_StoreFrame(ir::Inst i) { store_frame(i, operand(i, 1)); }
void Lowering::lower_LoadFrameRow(ir::Inst i) { load_frame(i); }
void Lowering::lower_StoreFrameRow(ir::Inst i) { store_frame(i, operand(i, 2)); }

void Lowering::lower_LoadFrameUniform(ir::Inst i) {
  Reg base;
  const lir::Mem mem = frame_slot(i, base);
  const InstRef inst = add(Op::SLoad, RegClass::scalar);
  use(inst, base);
  inst->mem = mem;
  define(f_.result(i), 0, inst->def);
}

void Lowering::lower_StoreFrameUniform(ir::Inst i) {
  Reg base;
  lir::Mem mem = frame_slot(i, base);
  mem.base_use = 1;
  Reg r = scalar(operand(i, 1));
  const InstRef inst = add(Op::SStoreWord);
  use(inst, r);
  use(inst, base);
  inst->mem = mem;
}

}  // namespace warpjit::backend
