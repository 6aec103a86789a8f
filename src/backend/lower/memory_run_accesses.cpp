// The accesses of a run: inside their spans, or anywhere.
#include <cstddef>

#include "backend/lower/memory_runs.h"

namespace warpjit::backend {

using ir::LaneShape;
using ir::MemoryAccess;
using ir::Opcode;
using ir::Space;
using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;
using lir::Regs;

// True if the vectors of all parts lie one after the other.
bool RunLowering::is_contiguous(const Placed* placed) const {
  if (placed[0].span == kNoSpan) return false;
  for (std::uint32_t p = 1; p < parts_; ++p)
    if (placed[p].span != placed[0].span ||
        placed[p].first != placed[0].first + p * std::int64_t{host_.vector_bytes})
      return false;
  return true;
}

StoredWords::Access RunLowering::stored_access(ir::Inst i, const Placed* placed) const {
  const MemoryAccess access = MemoryAccess::unpack(f_.inst(i).immediate);
  using Kind = StoredWords::Access::Kind;
  if (access.space != Space::shared) return {};
  const bool load = f_.inst(i).opcode == Opcode::LoadMemory;
  const std::int64_t first = placed[0].first + access.offset;
  if (load && !varying(operand(i, 1))) return {Kind::load_of_one, placed[0].span, first, 4};
  if (arranged(i) != Arranged::consecutive || !is_contiguous(placed)) return {};
  return {load ? Kind::load : Kind::store, placed[0].span, first, std::int64_t{host_.vector_bytes} * parts_,
          operand(i, 0)};
}

void RunLowering::access_inside(std::size_t n, ir::Inst i, const std::vector<Span>& spans,
                                const Placed* placed) {
  const ir::InstData& data = f_.inst(i);
  const MemoryAccess access = MemoryAccess::unpack(data.immediate);
  if (access.space == Space::shared && arranged(i) == Arranged::consecutive)
    ++phases_[static_cast<std::uint64_t>(placed[0].first + access.offset) / 16 % phases_.size()];
  const auto at_byte = [&](InstRef inst, std::uint32_t p, std::int64_t byte) {
    const Span& span = spans[placed[p].span];
    const bool indexed = span.start != lir::kNoReg;
    inst->mem = {MemBase::reg,
                 inst->use_count,
                 indexed ? static_cast<std::uint8_t>(inst->use_count + 1) : std::uint8_t{0xff},
                 0,
                 false,
                 static_cast<std::int32_t>(byte - span.low)};
    use(inst, span.bytes);
    if (indexed) use(inst, span.start);
  };
  const auto at = [&](InstRef inst, std::uint32_t p) { at_byte(inst, p, placed[p].first + access.offset); };
  const auto load_byte = [&](std::int64_t byte) {
    const InstRef inst = add(Op::LoadFull, RegClass::vector);
    at_byte(inst, 0, byte);
    return inst->def;
  };
  if (data.opcode == Opcode::StoreMemory) {
    const Value guard = operand(i, 0);
    Regs values;
    for (std::uint32_t p = 0; p < parts_; ++p) values.push_back(vector(operand(i, 2), p));
    const auto store = [&](bool all) {
      for (std::uint32_t p = 0; p < parts_; ++p) {
        const PartLanes lanes = all ? PartLanes::all : lanes_of(guard, p);
        if (lanes == PartLanes::none) continue;
        const bool full = lanes == PartLanes::all;
        Reg where = full ? lir::kNoReg : mask(guard, p);
        const InstRef inst = add(full ? Op::StoreFull : Op::StoreFullMasked);
        use(inst, values[p]);
        if (!full) use(inst, where);
        at(inst, p);
      }
      return Regs{};
    };
    stored_.store(n, values, load_byte);
    if (stored_.is_needless(n)) return;
    if (is_constant(guard))
      store(true);
    else if (access.space == Space::global && lanes_of(guard, 0) == PartLanes::unknown &&
             lane_guards_.branch_unless_all(guard))  // in shared memory often only some have it
      hot_or_cold([&] { return store(true); }, [&] { return store(false); });
    else
      store(false);
    return;
  }
  const Value result = f_.result(i);
  const bool equal = arranged(i) == Arranged::equal;
  const auto load = [&](Op op, RegClass cls, std::uint32_t p) {
    const InstRef inst = add(op, cls);
    at(inst, p);
    inst->mem.broadcast = op == Op::Broadcast;
    return inst->def;
  };
  if (!varying(result)) {  // as a scalar and as a vector; what is not used goes away
    define(result, 0, load(Op::SLoad, RegClass::scalar, 0));
    define_vector_form(result, load(Op::Broadcast, RegClass::vector, 0));
    return;
  }
  if (const Regs known = stored_.loaded(n, load_byte); !known.empty()) {
    for (std::uint32_t p = 0; p < parts_; ++p)
      define(result, p, lanes_of(operand(i, 0), p) == PartLanes::none ? constant_vector(0) : known[p]);
    return;
  }
  // Blocks of a grid mostly read one after the other, and have less in flight than memory could deliver.
  const bool ahead = host_.loads_ahead && role_.tuning.bytes_ahead != 0 && access.space == Space::global &&
                     !equal && is_contiguous(placed);
  const auto nobody = [&](std::uint32_t p) { return lanes_of(operand(i, 0), p) == PartLanes::none; };
  for (std::uint32_t p = 0; p < parts_; ++p) {
    if (nobody(p)) {
      define(result, p, constant_vector(0));
      continue;
    }
    std::uint32_t same = 0;  // a part before that reads the same words
    while (same < p &&
           (nobody(same) || placed[same].span != placed[p].span || placed[same].first != placed[p].first))
      ++same;
    if (same < p) {
      define(result, p, slot(result, same));
      continue;
    }
    const bool new_line = ahead && p * host_.vector_bytes % kCacheLine == 0;
    define(result, p,
           load(equal      ? Op::Broadcast
                : new_line ? Op::LoadFullAhead
                           : Op::LoadFull,
                RegClass::vector, p));
    if (new_line) code_.insts.back().imm = role_.tuning.bytes_ahead;
  }
}

// An access that may be anywhere; if it was narrowed, some lane's that counts is outside. Lanes without guard
// are often beyond shared memory, which is small, and hardly ever beyond other memory.
void RunLowering::access_anywhere(ir::Inst i, bool narrowed) {
  const bool load = f_.inst(i).opcode == Opcode::LoadMemory;
  if (load && !varying(f_.result(i))) {
    const Value result = f_.result(i);
    callouts_.make_call(i);
    define(result, 0, callouts_.load_result(i, 0, 0, Op::SLoad, RegClass::scalar));
    define_vector_form(result, callouts_.load_result(i, 0, 0, Op::LoadFull, RegClass::vector));
    return;
  }
  const bool shared = MemoryAccess::unpack(f_.inst(i).immediate).space == Space::shared;
  const bool by_call = narrowed || is_constant(operand(i, 0)) || !shared;
  const Regs made = by_call ? call_with_addresses(i) : access_guarded(i);
  for (std::uint32_t p = 0; p < made.size(); ++p) define(f_.result(i), p, made[p]);
}

// By a call. The vectors of addresses are made here, so that no one needs them elsewhere.
Regs RunLowering::call_with_addresses(ir::Inst i) {
  const Value address = operand(i, 1);
  if (varying(address) && shapes_[address].constant_strides())
    return callouts_.call_for_parts(i, &shapes_[address]);
  Regs kept;
  if (varying(address))
    for (std::uint32_t p = 0; p < parts_; ++p) {
      kept.push_back(slot(address, p));
      slot(address, p) = lane_addresses_.addresses_of(shapes_[address], p);
    }
  Regs made = callouts_.call_for_parts(i);
  for (std::uint32_t p = 0; p < kept.size(); ++p) slot(address, p) = kept[p];
  return made;
}

// For shared memory: lanes without guard may be outside.
Regs RunLowering::access_guarded(ir::Inst i) {
  const bool load = f_.inst(i).opcode == Opcode::LoadMemory, equal = arranged(i) == Arranged::equal;
  const WindowFields::Window window =
      windows_.window_of(MemoryAccess::unpack(f_.inst(i).immediate), operand(i, 1));
  const LaneShape& shape = shapes_[operand(i, 1)];
  const Value guard = operand(i, 0);
  Reg wrong = lir::kNoReg;
  Regs first, offsets;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    const Factors factors = lane_addresses_.factors_of(shape, p);
    const std::uint32_t distance =
        shape.offset + static_cast<std::uint32_t>(lane_addresses_.constant_distance(shape, p * host_.lanes));
    Reg start = lane_addresses_.sum_of_bases(shape.base, factors);
    if (start == lir::kNoReg)
      start = scalar_imm(distance);
    else if (distance != 0)
      start = scalar_op_imm(Op::SAddImm, start, static_cast<std::int32_t>(distance));
    if (shape.kind == LaneShape::Kind::wrapped16) {
      // So near below 2^16 that only lanes after the wrap are in the window: seen as below 0.
      constexpr std::int32_t kNear = 0x10000 - kMostSharedSeen;
      start = scalar_op_imm(Op::SAndImm, scalar_op_imm(Op::SAddImm, start, kNear), 0xffff);
      start = scalar_op_imm(Op::SAddImm, start, -kNear);
    }
    std::array<std::uint32_t, kMostHostLanes> lanes{};
    for (std::uint32_t n = 0; n < host_.lanes; ++n) lanes[n] = equal ? 0 : 4 * n;
    Reg offset = spread(start);
    if (!equal) offset = vvv(Op::IAdd, offset, vector_of({lanes.data(), host_.lanes}));
    const auto also_wrong = [&](Reg m) {
      wrong = wrong == lir::kNoReg ? m : masks_.mask_op(MaskOp::or_, wrong, m);
    };
    also_wrong(memory_.lanes_from(offset, window.table, window.limit, mask(guard, p)));
    if (window.access.alignment > 1)
      also_wrong(memory_.lanes_with_bits(offset, window.access.alignment - 1u, mask(guard, p)));
    first.push_back(sign_extend(start));
    offsets.push_back(offset);
  }
  Reg base = windows_.load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes));
  branch_if_any(wrong);
  const auto inside = [&] {
    Regs made;
    for (std::uint32_t p = 0; p < parts_; ++p) {
      Reg where = mask(guard, p);
      if (!load)
        memory_.store_together(vector(operand(i, 2), p), where, base, first[p], window.access.offset);
      else if (!equal)
        made.push_back(memory_.load_together(where, base, first[p], window.access.offset));
      else if (host_.guarded_broadcasts)
        made.push_back(memory_.load_same(where, base, first[p], window.access.offset));
      else
        made.push_back(memory_.load_lanes(offsets[p], base, window.access.offset, where));
    }
    return made;
  };
  return hot_or_cold(inside, [&] { return call_with_addresses(i); });
}

}  // namespace warpjit::backend
