#include "backend/lower/callouts.h"

namespace warpjit::backend {

using ir::Type;
using ir::Value;
using lir::InstRef;
using lir::Reg;
using lir::RegClass;
using lir::Regs;

// Where the operands and results of calls stand, one after the other: whole vectors,
// for all lanes of a group.
std::int32_t CalloutLowering::words() {
  if (words_ < 0) words_ = reserve_frame(kMostWords * parts_ * host_.vector_bytes);
  return words_;
}

std::int64_t CalloutLowering::call_site(ir::Inst i) {
  const ir::InstData& data = f_.inst(i);
  const std::uint32_t lanes = parts_ * host_.lanes;
  role_.call_sites.push_back({data.opcode, data.guest_address, state_.has_idle_lanes ? f_.group_lanes : lanes,
                              lanes, data.immediate});
  return static_cast<std::int64_t>(role_.call_sites.size() - 1);
}

void CalloutLowering::make_call(std::span<const ir::Inst> together, const ir::LaneShape* address) {
  const ir::Inst i = together[0];
  const std::int32_t first = words();
  const std::int64_t site = call_site(i);
  for (std::size_t n = 1; n < together.size(); ++n) {
    call_site(together[n]);
    role_.call_sites.back().further = static_cast<std::uint32_t>(4 * n) +
                                      ir::MemoryAccess::unpack(f_.inst(i).immediate).offset -
                                      ir::MemoryAccess::unpack(f_.inst(together[n]).immediate).offset;
  }
  role_.call_sites[static_cast<std::size_t>(site)].followers =
      static_cast<std::uint32_t>(together.size() - 1);
  const bool memory = ir::info(f_.inst(i).opcode).family == ir::Family::memory;
  std::int32_t place = first - static_cast<std::int32_t>(parts_ * host_.vector_bytes);
  for (std::uint32_t k = 0; k < f_.inst(i).operand_count; ++k) {
    const Value v = operand(i, k);
    if (ir::info(f_.inst(i).opcode).is_mask(k)) continue;  // not read
    place += static_cast<std::int32_t>(parts_ * host_.vector_bytes);
    CallSite& made = role_.call_sites[static_cast<std::size_t>(site)];
    if (memory && k == 0 && is_constant(v) && constant(v) == 1) {
      made.unguarded = true;
      continue;
    }
    if (memory && k == 0) {
      if (const ir::LaneSet* lanes = state_.lane_sets.find(v); lanes != nullptr) {
        made.guard = *lanes;
        continue;
      }
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
        base = lane_addresses_.sum_of_bases(address->base, lane_addresses_.factors_of(*address, 0));
        if (base == lir::kNoReg)
          base = scalar_imm(address->offset);
        else if (address->offset != 0)
          base = scalar_op_imm(Op::SAddImm, base, static_cast<std::int32_t>(address->offset));
      }
      store(Op::SStoreWord, base, frame(place));
      continue;
    }
    store_words(v, memory && k != 0 ? operand(i, 0) : Value{}, place);
  }
  if (f_.inst(i).opcode == ir::Opcode::StoreMemory)
    for (std::size_t n = 1; n < together.size(); ++n) {
      place += static_cast<std::int32_t>(parts_ * host_.vector_bytes);
      store_words(operand(together[n], 2), operand(i, 0), place);
    }
  const InstRef inst = add(Op::Call);
  inst->imm = site;
  inst->mem = frame(first);
}

// Stores the words of all lanes. If there is a `guard`, parts in which no lane has it
// are left out: nobody reads those.
void CalloutLowering::store_words(Value v, Value guard, std::int32_t place) {
  for (std::uint32_t p = 0; p < parts_; ++p) {
    if (guard.valid() && lanes_of(guard, p) == PartLanes::none) continue;
    Reg r = f_.value(v).type == Type::i1 ? vector_of_mask(v, p) : vector(v, p);
    store(Op::StoreFull, r, frame(place + static_cast<std::int32_t>(p * host_.vector_bytes)));
  }
}

Reg CalloutLowering::vector_of_mask(Value v, std::uint32_t p) {
  const PartLanes lanes = lanes_of(v, p);
  if (lanes == PartLanes::none || lanes == PartLanes::all)
    return constant_vector(lanes == PartLanes::all ? ~0u : 0);
  return masks_.vector_from_mask(mask(v, p));
}

void CalloutLowering::count_fuel(ir::Inst i) {
  const Value lanes = operand(i, 0);
  const std::int32_t first = words();
  const std::int64_t site = call_site(i);
  CallSite& made = role_.call_sites[static_cast<std::size_t>(site)];
  made.immediate = f_.block_groups == 0 ? 0 : f_.inner_groups;
  made.unguarded = is_constant(lanes) && constant(lanes) == 1;
  const bool all = made.unguarded;
  for (std::uint32_t p = 0; p < parts_ && !all; ++p)
    store(Op::StoreFull, vector_of_mask(lanes, p),
          frame(first + static_cast<std::int32_t>(p * host_.vector_bytes)));
  const InstRef inst = add(Op::CountFuel);
  inst->imm = site;
  inst->mem = frame(first);
}

Reg CalloutLowering::load_result(ir::Inst i, std::uint32_t k, std::uint32_t p, Op op, RegClass cls) {
  const std::uint32_t vector = (f_.inst(i).operand_count + k) * parts_ + p;
  return load(op, cls, frame(words() + static_cast<std::int32_t>(vector * host_.vector_bytes)));
}

Regs CalloutLowering::call_for_record(std::span<const ir::Inst> accesses, const ir::LaneShape* address) {
  make_call(accesses, address);
  const ir::Inst i = accesses[0];
  Regs made;
  if (f_.inst(i).opcode == ir::Opcode::LoadMemory)
    for (std::uint32_t n = 0; n < accesses.size(); ++n)
      for (std::uint32_t p = 0; p < parts_; ++p)
        made.push_back(lanes_of(operand(i, 0), p) == PartLanes::none
                           ? constant_vector(0)
                           : load_result(i, n, p, Op::LoadFull, RegClass::vector));
  return made;
}

void CalloutLowering::call(ir::Inst i) {
  make_call(i);
  for (std::uint32_t k = 0; k < f_.inst(i).result_count; ++k) {
    Value result = f_.result(i, k);
    const bool truth = f_.value(result).type == Type::i1;
    if (!varying(result) && f_.value(result).type != Type::f32) {
      Reg r = load_result(i, k, 0, Op::SLoad, RegClass::scalar);
      define(result, 0, truth ? scalar_op_imm(Op::SAndImm, r, 1) : r);
      continue;
    }
    for (std::uint32_t p = 0; p < parts_of(result); ++p) {
      Reg r = load_result(i, k, p, Op::LoadFull, RegClass::vector);
      define(result, p, truth ? masks_.mask_from_vector(r) : r);
    }
  }
}

}  // namespace warpjit::backend
