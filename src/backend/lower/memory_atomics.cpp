// Atomics and locks of threads' memory: a loop over the lanes that take part, in their order, with one word
// at a time. Operands and results of the lanes are in the frame, where a call would have them.
#include <algorithm>

#include "backend/lower/memory.h"

namespace warpjit::backend {

using ir::MemoryAccess;
using ir::Opcode;
using ir::Space;
using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;
using lir::Regs;

namespace {

// Words of a lane in the frame. Results replace operands.
constexpr std::uint32_t kOffset = 0, kB = 1, kC = 2, kResult = 0, kGotLock = 1;

}  // namespace

// Word k of the lane whose number is that use.
lir::Mem MemoryLowering::lane_word(std::uint32_t k, std::uint8_t lane_use) {
  lir::Mem mem = frame(callouts_.words() + static_cast<std::int32_t>(k * parts_ * host_.vector_bytes));
  mem.index_use = lane_use;
  mem.scale_log2 = 2;
  return mem;
}

Reg MemoryLowering::load_lane_word(std::uint32_t k, Reg lane) {
  return load(Op::SLoad, RegClass::scalar, lane_word(k, 0), lane);
}

void MemoryLowering::store_lane_word(std::uint32_t k, Reg lane, Reg word) {
  store(Op::SStoreWord, word, lane_word(k, 1), lane);
}

// The bits of some parts' lanes, those of the first part lowest.
Reg MemoryLowering::lanes_to_visit(const Regs& guards, std::uint32_t first_part, std::uint32_t parts) {
  const std::uint32_t lanes = parts * host_.lanes;
  if (guards[first_part] == lir::kNoReg)
    return scalar_imm(lanes == kLanesOfWord ? ~0u : (std::uint32_t{1} << lanes) - 1);
  Reg all = lir::kNoReg;
  for (std::uint32_t p = 0; p < parts; ++p) {
    Reg bits = atomics_->lane_bits(guards[first_part + p]);
    if (p != 0) bits = scalar_op_imm(Op::SShlImm, bits, p * host_.lanes);
    all = p == 0 ? bits : scalar_op(Op::SOr, all, bits);
  }
  return all;
}

template <class Visit>
void MemoryLowering::for_each_bit(Reg bits, Visit visit) {
  const CacheState at_parting = cache_state();
  use(add(Op::BranchScalar), bits);
  const std::uint32_t at = last_block();
  end_block(at);
  const std::uint32_t entry = begin_edge(at);
  end_edge(entry, {bits});
  const std::uint32_t header = begin_edge(entry);
  Reg rest = code_.new_reg(RegClass::scalar);
  code_.blocks[header].params.push_back(rest);
  visit(atomics_->lowest_bit(rest));
  Reg without_lowest = scalar_op(Op::SAnd, scalar_op_imm(Op::SAddImm, rest, -1), rest);
  use(add(Op::BranchScalar), without_lowest);
  const std::uint32_t end = last_block();
  end_block(end);
  const std::uint32_t again = begin_edge(end);
  end_edge(again, {without_lowest});
  code_.blocks[again].successors.push_back(header);
  const std::uint32_t done = begin_edge(end);
  end_edge(done, {});
  const std::uint32_t none = begin_edge(at);
  end_edge(none, {});
  restore(at_parting);
  join_edges(done, none);
}

// One lane; `base` is the window's first byte, `locks` the first lock.
void MemoryLowering::access_lane(ir::Inst i, const MemoryAccess& access, Reg lane, Reg base, Reg locks) {
  const Opcode opcode = f_.inst(i).opcode;
  Reg offset = load_lane_word(kOffset, lane);
  if (opcode == Opcode::AtomicMemory) {
    const bool has_c = access.function == ir::AtomicFunction::compare_exchange;
    Reg b = load_lane_word(kB, lane), c = has_c ? load_lane_word(kC, lane) : lir::kNoReg;
    Reg old =
        atomics_->atomic({access.function, access.space == Space::global}, base, offset, access.offset, b, c);
    if (use_count(f_.result(i)) != 0) store_lane_word(kResult, lane, old);
    return;
  }
  const lir::Mem word = {MemBase::reg, 0, 1, 0, false, access.offset};
  Reg lock = scalar_op_imm(Op::SShrUImm, offset, 2);
  const auto set_lock = [&](Reg taken) {
    const InstRef inst = add(Op::SStoreByte);
    use(inst, taken);
    use(inst, locks);
    use(inst, lock);
    inst->mem = {MemBase::reg, 1, 2, 0, false, 0};
  };
  if (opcode == Opcode::UnlockMemory) {
    Reg value = load_lane_word(kB, lane);
    const InstRef inst = add(Op::SStoreWord);
    use(inst, value);
    use(inst, base);
    use(inst, offset);
    inst->mem = word;
    inst->mem.base_use = 1, inst->mem.index_use = 2;
    return set_lock(scalar_imm(0));
  }
  const auto load_at = [&](Op op, Reg from, Reg index, const lir::Mem& mem) {
    const InstRef inst = add(op, RegClass::scalar);
    use(inst, from);
    use(inst, index);
    inst->mem = mem;
    return inst->def;
  };
  Reg value = load_at(Op::SLoad, base, offset, word);
  Reg taken = load_at(Op::SLoadU8, locks, lock, {MemBase::reg, 0, 1, 0, false, 0});
  set_lock(scalar_imm(1));
  store_lane_word(kResult, lane, value);
  store_lane_word(kGotLock, lane, scalar_op_imm(Op::SAddImm, taken, -1));  // 0 or all ones
}

// Makes the access without a call if the host can.
bool MemoryLowering::access_one_by_one(ir::Inst i) {
  const ir::InstData& data = f_.inst(i);
  const MemoryAccess access = MemoryAccess::unpack(data.immediate);
  Value guard = operand(i, 0);
  const bool atomic = data.opcode == Opcode::AtomicMemory;
  if (!has_windows(access.space) || atomics_ == nullptr || access.element != ir::Element::word ||
      access.extent != 4 || access.alignment != 4 ||
      !(access.space == Space::shared || (atomic && access.space == Space::global)) ||
      (is_constant(guard) && constant(guard) == 0))
    return false;
  const WindowFields::Window window = windows_.window_of(access, operand(i, 1));
  const LanePlaces places = lane_places(i, window);
  Reg base = windows_.load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes));
  Reg locks = atomic ? lir::kNoReg : windows_.locks();
  branch_if_any(places.wrong);
  const std::uint32_t operands = access.function == ir::AtomicFunction::compare_exchange ? 2
                                 : data.operand_count > 2                                ? 1
                                                                                         : 0;
  const auto hot = [&] {
    for (std::uint32_t p = 0; p < parts_; ++p) {
      const auto keep = [&](std::uint32_t k, Reg r) {
        store(Op::StoreFull, r,
              frame(callouts_.words() + static_cast<std::int32_t>((k * parts_ + p) * host_.vector_bytes)));
      };
      keep(kOffset, places.offsets[p]);
      for (std::uint32_t k = 0; k < operands; ++k) keep(kB + k, vector(operand(i, 2 + k), p));
      // A mask is 0 or all ones in every lane: false in those that the loop leaves out.
      if (data.opcode == Opcode::LockMemory && places.guards[p] != lir::kNoReg)
        keep(kGotLock, constant_vector(0));
    }
    for_lanes_together([&](std::uint32_t first, std::uint32_t parts) {
      for_each_bit(lanes_to_visit(places.guards, first, parts),
                   [&](Reg bit) { access_lane(i, access, lane_of_bit(first, bit), base, locks); });
    });
    Regs made;
    for (std::uint32_t k = 0; k < data.result_count; ++k)
      for (std::uint32_t p = 0; p < parts_; ++p)
        made.push_back(load(
            Op::LoadFull, RegClass::vector,
            frame(callouts_.words() + static_cast<std::int32_t>((k * parts_ + p) * host_.vector_bytes))));
    return made;
  };
  const auto cold = [&] {
    callouts_.make_call(i);
    Regs made;
    for (std::uint32_t k = 0; k < data.result_count; ++k)
      for (std::uint32_t p = 0; p < parts_; ++p)
        made.push_back(callouts_.load_result(i, k, p, Op::LoadFull, RegClass::vector));
    return made;
  };
  const Regs made = hot_or_cold(hot, cold);
  for (std::uint32_t k = 0; k < data.result_count; ++k)
    for (std::uint32_t p = 0; p < parts_; ++p) {
      Reg r = made[k * parts_ + p];
      define(f_.result(i, k), p,
             f_.value(f_.result(i, k)).type == ir::Type::i1 ? masks_.mask_from_vector(r) : r);
    }
  return true;
}

}  // namespace warpjit::backend
