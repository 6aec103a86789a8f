// Lowering of runs of loads and stores whose addresses the lanes of a vector share, or have side by side
// (ir/analysis/lane_shape). Before a run each base that its addresses have is looked at once, as a scalar:
// do all bytes from the least address of any lane to the greatest lie in the window? Then the accesses are
// plain loads and stores of words and vectors. If not, the run is made in the general way, out of line.
#include <algorithm>
#include <cstddef>

#include "backend/lower/lower.h"
#include "ir/analysis/lane_comparison.h"
#include "ir/analysis/range.h"

namespace warpjit::backend {

using ir::Element;
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

namespace {

// From the first byte of a span to the last.
constexpr std::int64_t kMostSpan = 0x8000;

}  // namespace

// The strides that a part's first lane has besides constants.
Lowering::Factors Lowering::factors_of(const LaneShape& shape, std::uint32_t p) const {
  Factors factors{};
  for (std::uint32_t k = 0; k < LaneShape::kBits; ++k)
    if ((p * host_.lanes >> k & 1) != 0 && shape.strides[k].factor.valid()) factors[k] = shape.strides[k];
  return factors;
}

// The constant strides of a lane, as a signed number.
std::int64_t Lowering::constant_distance(const LaneShape& shape, std::uint32_t lane) const {
  std::int64_t sum = 0;
  for (std::uint32_t k = 0; k < LaneShape::kBits; ++k)
    if ((lane >> k & 1) != 0 && !shape.strides[k].factor.valid())
      sum += static_cast<std::int32_t>(shape.strides[k].coefficient);
  return sum;
}

// How the lanes of each vector have their addresses, if that is known and simple.
Lowering::Arranged Lowering::arranged(ir::Inst i) const {
  const ir::InstData& data = f_.inst(i);
  if (!shapes_.has_value()) return Arranged::no;
  const bool load = data.opcode == Opcode::LoadMemory;
  if (!load && data.opcode != Opcode::StoreMemory) return Arranged::no;
  const MemoryAccess access = MemoryAccess::unpack(data.immediate);
  const LaneShape& shape = (*shapes_)[operand(i, 1)];
  const Value guard = operand(i, 0);
  if (access.element != Element::word || access.space == Space::local || access.alignment < 4 ||
      access.offset % 4 != 0 || !shape.told || (is_constant(guard) && constant(guard) == 0))
    return Arranged::no;
  if (shape.kind != LaneShape::Kind::exact &&
      (shape.kind != LaneShape::Kind::wrapped16 || access.space != Space::shared))
    return Arranged::no;
  const std::uint32_t step = shape.strides[0].coefficient;
  for (std::uint32_t k = 0; 1u << k < host_.lanes; ++k)
    if (shape.strides[k].factor.valid() || shape.strides[k].coefficient != step << k) return Arranged::no;
  if (step == 4 && access.alignment == 4) return Arranged::consecutive;
  if (step != 0 || !load) return Arranged::no;
  for (const LaneShape::Stride& stride : shape.strides)  // all lanes are aligned if the base is
    if (stride.coefficient % access.alignment != 0) return Arranged::no;
  return Arranged::equal;
}

std::optional<Lowering::LaneBound> Lowering::lane_bound(Value guard) const {
  const std::optional<ir::LaneComparison> found = ir::lane_comparison(f_, guard);
  if (!found || found->opcode == Opcode::IEq32 || found->opcode == Opcode::INe32) return std::nullopt;
  const bool is_unsigned = found->opcode == Opcode::ILtU32 || found->opcode == Opcode::ILeU32;
  const bool strict = found->opcode == Opcode::ILtS32 || found->opcode == Opcode::ILtU32;
  // lane < n, lane <= n: below n, n + 1. n < lane, n <= lane: at least n + 1, n.
  return LaneBound{found->number, found->lane_first == found->negated, found->lane_first != strict,
                   is_unsigned};
}

// All lanes of the group have words side by side in shared memory, with such a guard.
bool Lowering::can_narrow(ir::Inst i) const {
  const MemoryAccess access = MemoryAccess::unpack(f_.inst(i).immediate);
  const Value guard = operand(i, 0);
  if (access.space != Space::shared || access.extent != 4 || is_constant(guard) || !varying(guard) ||
      arranged(i) != Arranged::consecutive || !lane_bound(guard))
    return false;
  const LaneShape& shape = (*shapes_)[operand(i, 1)];
  for (std::uint32_t k = 0; 1u << k < parts_ * host_.lanes; ++k)
    if (shape.strides[k].factor.valid() || shape.strides[k].coefficient != 4u << k) return false;
  return true;
}

// The number of the first lane, or behind the last one: from 0 to the lanes there are.
Reg Lowering::clamped(const LaneBound& bound) {
  const std::int32_t more = bound.plus_one ? 1 : 0;
  const auto extreme = [&](Op op, Reg a, std::int32_t b) {
    Reg limit = scalar_imm(static_cast<std::uint32_t>(b));
    const InstRef inst = add(op, RegClass::scalar);
    if (host_.two_operand_scalars) inst->flags |= lir::kTied;
    use(inst, a);
    use(inst, limit);
    inst->imm = pack_condition(bound.is_unsigned ? Condition::less_u : Condition::less_s);
    return inst->def;
  };
  Reg n = extreme(Op::SMin, scalar(bound.number), static_cast<std::int32_t>(parts_ * host_.lanes) - more);
  if (!bound.is_unsigned) n = extreme(Op::SMax, n, -more);
  return more != 0 ? scalar_op_imm(Op::SAddImm, n, more) : n;
}

// From the access `first` on to the last one that is like it, with nothing but arithmetic between; and a bit
// behind, where loads may become operands.
Lowering::Run Lowering::run_from(ir::Inst first) {
  Run run{first, first, {}, {}, {}};
  constexpr std::size_t kMostAccesses = 64, kMostBetween = 48;  // all of it is lowered twice
  const auto space_of = [&](ir::Inst i) {
    const MemoryAccess access = MemoryAccess::unpack(f_.inst(i).immediate);
    return MemoryWindows::number(access.space, access.index);
  };
  const std::uint32_t stamp = ++run_stamp_;
  std::size_t before = 0;
  const auto ready = [&](Value v) { return !v.valid() || defined_in_run_[f_.definition(v).id] != stamp; };
  std::size_t between = 0;
  for (ir::Inst i = first; run.accesses.size() < kMostAccesses && between <= kMostBetween;
       i = f_.inst(i).next, ++between) {
    const ir::InstData& data = f_.inst(i);
    const ir::OpcodeInfo& row = ir::info(data.opcode);
    if (arranged(i) != Arranged::no && space_of(i) == space_of(first)) {
      const LaneShape& shape = (*shapes_)[operand(i, 1)];
      if (!ready(shape.base) || !std::all_of(shape.strides.begin(), shape.strides.end(),
                                             [&](const LaneShape::Stride& s) { return ready(s.factor); }))
        break;
      run.accesses.push_back(i);
      const bool narrowed = can_narrow(i) && ready(lane_bound(operand(i, 0))->number);
      run.guards.push_back(narrowed ? operand(i, 0) : Value{});
      run.last = i;
      before = run.before.size();
      between = 0;
    } else if (!row.pure || row.callout || row.terminator || data.opcode == Opcode::LoadInput) {
      break;
    }
    const auto operands = f_.operands(i);
    if (data.opcode >= Opcode::IAdd32 && data.opcode <= Opcode::IShrS32 && !varying(data.first_result) &&
        std::all_of(operands.begin(), operands.end(), ready))
      run.before.push_back(i);
    else
      defined_in_run_[i.id] = stamp;
  }
  run.before.resize(before);
  constexpr int kBehind = 4;
  for (int n = 0; n < kBehind; ++n) {
    const ir::Inst next = f_.inst(run.last).next;
    const ir::OpcodeInfo& row = ir::info(f_.inst(next).opcode);
    if (!row.pure || row.callout || row.terminator || f_.inst(next).opcode == Opcode::LoadInput) break;
    run.last = next;
  }
  return run;
}

// The span that part p of the access lies in: one of those there are, or a new one.
Lowering::Placed Lowering::place(std::vector<Span>& spans, ir::Inst i, std::uint32_t p, Value guard) const {
  const MemoryAccess access = MemoryAccess::unpack(f_.inst(i).immediate);
  const LaneShape& shape = (*shapes_)[operand(i, 1)];
  const bool wrapped = shape.kind == LaneShape::Kind::wrapped16;
  const Factors factors = factors_of(shape, p);
  const std::int64_t offset = static_cast<std::int32_t>(shape.offset);
  const std::int64_t first = offset + constant_distance(shape, p * host_.lanes),
                     last = offset + constant_distance(shape, (p + 1) * host_.lanes - 1);
  // Is the base of a factor's product aligned? Its multiples are not looked at.
  std::uint32_t zeros = shape.base.valid() ? ir::trailing_zeros(f_, shape.base) : 32;
  for (const LaneShape::Stride& stride : factors)
    zeros = std::min(zeros, stride.coefficient == 0
                                ? 32u
                                : static_cast<std::uint32_t>(std::countr_zero(stride.coefficient)));
  const bool aligned = zeros >= 4 || (std::uint32_t{1} << zeros) >= access.alignment;
  const std::uint32_t alignment = aligned && first % access.alignment == 0 ? 1 : access.alignment;
  for (std::size_t k = 0; k < spans.size(); ++k) {
    Span& span = spans[k];
    const std::int64_t low = std::min(span.low, first), high = std::max(span.high, last + access.extent);
    const std::uint32_t both = std::max(span.alignment, alignment);
    if (span.base != shape.base || span.wrapped != wrapped || span.guard != guard ||
        span.factors != factors || high - low > kMostSpan || (first - span.low) % both != 0)
      continue;
    span.low = low, span.high = high, span.alignment = both;
    return {k, first};
  }
  spans.push_back({shape.base, factors, wrapped, first, last + access.extent, alignment, guard});
  return {spans.size() - 1, first};
}

// Base and factors of a span; none: 0.
Reg Lowering::sum_of_bases(Value base, const Factors& factors) {
  Reg sum = base.valid() ? scalar(base) : lir::kNoReg;
  for (const LaneShape::Stride& stride : factors) {
    if (stride.coefficient == 0) continue;
    Reg term = scalar(stride.factor);
    if (!std::has_single_bit(stride.coefficient))
      term = scalar_op(Op::SMul, term, scalar_imm(stride.coefficient));
    else if (stride.coefficient != 1)
      term = scalar_op_imm(Op::SShlImm, term, std::countr_zero(stride.coefficient));
    sum = sum == lir::kNoReg ? term : scalar_op(Op::SAdd, sum, term);
  }
  return sum;
}

// Ends the block with a branch that was just made, to where `way_out` leads if it holds.
void Lowering::branch_out(lir::Edges& ways_out) {
  const std::uint32_t at = last_block();
  end_block(at);
  begin_edge(at);
  ways_out.push_back(at);
}

void Lowering::branch_if_unaligned(Reg start, std::uint32_t alignment, lir::Edges& ways_out) {
  if (alignment == 1) return;
  const InstRef branch = add(Op::BranchBits);
  use(branch, start);
  branch->imm = alignment - 1;
  branch_out(ways_out);
}

// Of a window of this size; 64 bits.
void Lowering::branch_if_behind(Reg end, Reg size, lir::Edges& ways_out) {
  const InstRef branch = add(Op::BranchCompare64);
  use(branch, size);
  use(branch, end);
  branch->imm = pack_condition(Condition::less_u);
  branch_out(ways_out);
}

// Makes span.start, the offset in the window of the least address, and branches where the span is not inside
// the window, whose address (none: 0) and size these are.
void Lowering::check_span(Span& span, Reg begin, Reg size, lir::Edges& ways_out) {
  if (span.guard.valid()) return check_narrowed(span, size, ways_out);
  const auto low = static_cast<std::int32_t>(span.low);
  Reg start = sum_of_bases(span.base, span.factors);
  if (start == lir::kNoReg && begin == lir::kNoReg && span.alignment == 1 && span.low >= 0 &&
      span.high <= 0xffff) {
    const InstRef branch = add(Op::BranchCompare);
    use(branch, size);
    branch->imm = pack_condition(Condition::less_u, static_cast<std::int32_t>(span.high));
    branch_out(ways_out);
    span.low = 0;  // all is in the displacements
    return;
  }
  if (start == lir::kNoReg) {
    start = scalar_imm(static_cast<std::uint32_t>(low) & (span.wrapped ? 0xffffu : ~0u));
  } else {
    if (low != 0) start = scalar_op_imm(Op::SAddImm, start, low);
    if (span.wrapped) start = scalar_op_imm(Op::SAndImm, start, 0xffff);
  }
  branch_if_unaligned(start, span.alignment, ways_out);
  if (begin != lir::kNoReg) start = scalar_op(Op::SSub, start, begin);
  const InstRef sum = add(Op::SAddress, RegClass::scalar);
  use(sum, start);
  sum->mem = {MemBase::reg, 0, 0xff, 0, false, static_cast<std::int32_t>(span.high - span.low)};
  branch_if_behind(sum->def, size, ways_out);
  span.start = start;
}

// The same of what lanes access that have the guard. The start is still that of lane 0, which may be before
// the window: lanes without guard load from the margins, if anything.
void Lowering::check_narrowed(Span& span, Reg size, lir::Edges& ways_out) {
  const LaneBound bound = *lane_bound(span.guard);
  Reg bytes = scalar_op_imm(Op::SShlImm, clamped(bound), 2);
  const auto length = static_cast<std::int32_t>(span.high - span.low);
  Reg start = sum_of_bases(span.base, span.factors);
  const auto low = static_cast<std::int32_t>(span.low);
  start = start == lir::kNoReg ? scalar_imm(static_cast<std::uint32_t>(low))
                               : scalar_op_imm(Op::SAddImm, start, low);
  if (bound.at_least) start = scalar_op(Op::SAdd, start, bytes);
  if (span.wrapped) start = scalar_op_imm(Op::SAndImm, start, 0xffff);
  branch_if_unaligned(start, span.alignment, ways_out);
  Reg rest = bound.at_least ? scalar_op(Op::SSub, scalar_imm(static_cast<std::uint32_t>(length)), bytes)
                            : scalar_op_imm(Op::SAddImm, bytes,
                                            length - static_cast<std::int32_t>(4 * parts_ * host_.lanes));
  const InstRef sum = add(Op::SAddress, RegClass::scalar);
  use(sum, start);
  use(sum, rest);
  sum->mem = {MemBase::reg, 0, 1, 0, false, 0};
  branch_if_behind(sum->def, size, ways_out);
  span.start = start;
  if (!bound.at_least) return;
  Reg first = scalar_op(Op::SSub, start, bytes);
  const InstRef extend = add(Op::SSignExtend, RegClass::scalar);
  use(extend, first);
  span.start = extend->def;
}

// The address of each lane of a part.
Reg Lowering::addresses_of(const LaneShape& shape, std::uint32_t p) {
  std::array<std::uint32_t, 16> lanes{};
  for (std::uint32_t n = 0; n < host_.lanes; ++n)
    lanes[n] = shape.offset + static_cast<std::uint32_t>(constant_distance(shape, p * host_.lanes + n));
  Reg sum = vector_of({lanes.data(), host_.lanes});
  if (Reg base = sum_of_bases(shape.base, factors_of(shape, p)); base != lir::kNoReg) {
    const InstRef spread = add(Op::BroadcastScalar, RegClass::vector);
    use(spread, base);
    sum = vvv(Op::IAdd, spread->def, sum);
  }
  return shape.kind == LaneShape::Kind::wrapped16 ? vvv(Op::And, sum, constant_vector(0xffff)) : sum;
}

// An access whose spans are all inside.
void Lowering::access_inside(ir::Inst i, const std::vector<Span>& spans, const Placed* placed, Reg bytes) {
  const ir::InstData& data = f_.inst(i);
  const MemoryAccess access = MemoryAccess::unpack(data.immediate);
  if (access.space == Space::shared && arranged(i) == Arranged::consecutive)
    ++phases_[static_cast<std::uint64_t>(placed[0].first + access.offset) / 16 % phases_.size()];
  const auto at = [&](InstRef inst, std::uint32_t p) {
    const Span& span = spans[placed[p].span];
    const bool indexed = span.start != lir::kNoReg;
    inst->mem = {MemBase::reg,
                 inst->use_count,
                 indexed ? static_cast<std::uint8_t>(inst->use_count + 1) : std::uint8_t{0xff},
                 0,
                 false,
                 static_cast<std::int32_t>(placed[p].first - span.low) + access.offset};
    use(inst, bytes);
    if (indexed) use(inst, span.start);
  };
  if (data.opcode == Opcode::StoreMemory) {
    const Value guard = operand(i, 0);
    for (std::uint32_t p = 0; p < parts_; ++p) {
      Reg r = vector(operand(i, 2), p);
      Reg where = is_constant(guard) ? lir::kNoReg : mask(guard, p);
      const InstRef store = add(where == lir::kNoReg ? Op::StoreFull : Op::StoreFullMasked);
      use(store, r);
      if (where != lir::kNoReg) use(store, where);
      at(store, p);
    }
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
    vector_cache_[result.id] = {load(Op::Broadcast, RegClass::vector, 0), current_block_};
    return;
  }
  for (std::uint32_t p = 0; p < parts_; ++p) {
    std::uint32_t same = 0;  // a part before that reads the same words
    while (same < p && (placed[same].span != placed[p].span || placed[same].first != placed[p].first)) ++same;
    define(result, p,
           same < p ? slot(result, same) : load(equal ? Op::Broadcast : Op::LoadFull, RegClass::vector, p));
  }
}

// An access that may be anywhere; if it was narrowed, some lane's that counts is outside.
void Lowering::access_anywhere(ir::Inst i, bool narrowed) {
  const bool load = f_.inst(i).opcode == Opcode::LoadMemory;
  if (load && !varying(f_.result(i))) {
    const Value result = f_.result(i);
    make_call(i);
    define(result, 0, load_called(i, 0, 0, Op::SLoad, RegClass::scalar));
    vector_cache_[result.id] = {load_called(i, 0, 0, Op::LoadFull, RegClass::vector), current_block_};
    return;
  }
  const Regs made = narrowed || is_constant(operand(i, 0)) ? call_with_addresses(i) : access_guarded(i);
  for (std::uint32_t p = 0; p < made.size(); ++p) define(f_.result(i), p, made[p]);
}

// By a call. The vectors of addresses are made here, so that no one needs them elsewhere.
Regs Lowering::call_with_addresses(ir::Inst i) {
  const Value address = operand(i, 1);
  if (varying(address) && (*shapes_)[address].constant_strides())
    return load_called_parts(i, &(*shapes_)[address]);
  Regs kept;
  if (varying(address))
    for (std::uint32_t p = 0; p < parts_; ++p) {
      kept.push_back(slot(address, p));
      slot(address, p) = addresses_of((*shapes_)[address], p);
    }
  Regs made = load_called_parts(i);
  for (std::uint32_t p = 0; p < kept.size(); ++p) slot(address, p) = kept[p];
  return made;
}

// Lanes without guard may be outside.
Regs Lowering::access_guarded(ir::Inst i) {
  const bool load = f_.inst(i).opcode == Opcode::LoadMemory, equal = arranged(i) == Arranged::equal;
  const Window window = window_of(MemoryAccess::unpack(f_.inst(i).immediate));
  const LaneShape& shape = (*shapes_)[operand(i, 1)];
  const Value guard = operand(i, 0);
  Reg wrong = lir::kNoReg;
  Regs first, offsets;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    const Factors factors = factors_of(shape, p);
    const std::uint32_t distance =
        shape.offset + static_cast<std::uint32_t>(constant_distance(shape, p * host_.lanes));
    Reg start = sum_of_bases(shape.base, factors);
    start = start == lir::kNoReg ? scalar_imm(distance)
                                 : scalar_op_imm(Op::SAddImm, start, static_cast<std::int32_t>(distance));
    if (shape.kind == LaneShape::Kind::wrapped16) {
      // So near below 2^16 that only lanes behind the wrap are in the window: seen as below 0.
      constexpr std::int32_t kNear = 0x10000 - kMostSharedSeen;
      start = scalar_op_imm(Op::SAndImm, scalar_op_imm(Op::SAddImm, start, kNear), 0xffff);
      start = scalar_op_imm(Op::SAddImm, start, -kNear);
    }
    if (window.shifted)
      start = scalar_op(Op::SSub, start, load_field(Op::SLoad, window, offsetof(MemoryWindow, address)));
    std::array<std::uint32_t, 16> lanes{};
    for (std::uint32_t n = 0; n < host_.lanes; ++n) lanes[n] = equal ? 0 : 4 * n;
    const InstRef spread = add(Op::BroadcastScalar, RegClass::vector);
    use(spread, start);
    Reg offset = spread->def;
    if (!equal) offset = vvv(Op::IAdd, offset, vector_of({lanes.data(), host_.lanes}));
    const auto also_wrong = [&](Reg m) { wrong = wrong == lir::kNoReg ? m : mask_op(MaskOp::or_, wrong, m); };
    also_wrong(lanes_from(offset, window.table, window.limit, mask(guard, p)));
    if (window.access.alignment > kWindowAlignment)
      also_wrong(lanes_with_bits(addresses_of(shape, p), window.access.alignment - 1u, mask(guard, p)));
    else if (window.access.alignment > 1)
      also_wrong(lanes_with_bits(offset, window.access.alignment - 1u, mask(guard, p)));
    const InstRef extend = add(Op::SSignExtend, RegClass::scalar);
    use(extend, start);
    first.push_back(extend->def);
    offsets.push_back(offset);
  }
  Reg base = load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes));
  branch_if_any(wrong);
  const auto inside = [&] {
    Regs made;
    for (std::uint32_t p = 0; p < parts_; ++p) {
      Reg where = mask(guard, p);
      if (!load)
        store_together(vector(operand(i, 2), p), where, base, first[p], window.access.offset);
      else if (!equal)
        made.push_back(load_together(where, base, first[p], window.access.offset));
      else if (loads_same_guarded())
        made.push_back(load_same(where, base, first[p], window.access.offset));
      else
        made.push_back(load_lanes(Element::word, offsets[p], base, window.access.offset, where));
    }
    return made;
  };
  return hot_or_cold(inside, [&] { return call_with_addresses(i); });
}

void Lowering::lower_run(const Run& run) {
  for (ir::Inst i : run.before) lower(i);
  guest_address_ = f_.inst(run.first).guest_address;
  const Window window = window_of(MemoryAccess::unpack(f_.inst(run.first).immediate));
  std::vector<Span> spans;
  std::vector<Placed> placed;  // by access and part
  placed.reserve(run.accesses.size() * parts_);
  for (std::size_t n = 0; n < run.accesses.size(); ++n)
    for (std::uint32_t p = 0; p < parts_; ++p)
      placed.push_back(place(spans, run.accesses[n], p, run.guards[n]));

  // What the run makes; what nobody needs goes away later.
  SmallVector<Value, 16> made;
  const ir::Inst behind = f_.inst(run.last).next;
  SmallVector<ir::Inst, 16> insts;
  std::size_t before = 0;
  for (ir::Inst i = run.first; i != behind; i = f_.inst(i).next) {
    if (before < run.before.size() && run.before[before] == i) {
      ++before;
      continue;
    }
    insts.push_back(i);
    for (std::uint32_t k = 0; k < f_.inst(i).result_count; ++k) made.push_back(f_.result(i, k));
  }

  const auto is_vector_too = [&](Value v) {
    return !varying(v) && f_.definition_of(v).opcode == Opcode::LoadMemory;
  };
  const auto results = [&] {
    Regs registers;
    for (Value v : made) {
      for (std::uint32_t p = 0; p < parts_of(v); ++p)
        if (slot(v, p) != lir::kNoReg) registers.push_back(slot(v, p));
      if (is_vector_too(v)) registers.push_back(vector_cache_[v.id].reg);
    }
    return registers;
  };
  const auto lower_all = [&](auto lower_access) {
    std::size_t n = 0;
    for (ir::Inst i : insts) {
      guest_address_ = f_.inst(i).guest_address;
      if (n < run.accesses.size() && run.accesses[n] == i)
        lower_access(i, n++);
      else
        lower(i);
    }
    return results();
  };

  const CacheState at_parting = cache_state();
  lir::Edges ways_out;
  const Reg begin =
      window.shifted ? load_field(Op::SLoad, window, offsetof(MemoryWindow, address)) : lir::kNoReg;
  const Reg size = load_field(Op::SLoad, window, offsetof(MemoryWindow, limits));  // for single bytes
  const Reg bytes = load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes));
  for (Span& span : spans) check_span(span, begin, size, ways_out);
  const Regs from_hot = lower_all(
      [&](ir::Inst i, std::size_t n) { access_inside(i, spans, placed.data() + n * parts_, bytes); });
  const std::uint32_t hot_end = last_block();
  end_edge(hot_end, from_hot);

  lir::Edges edges;
  for (std::uint32_t at : ways_out) {
    edges.push_back(begin_edge(at));
    code_.blocks.back().cold = true;
    end_edge(edges.back(), {});
    std::swap(code_.blocks[at].successors[0], code_.blocks[at].successors[1]);
  }
  const std::uint32_t cold = begin_block();
  for (std::uint32_t edge : edges) code_.blocks[edge].successors.push_back(cold);
  current_block_ = 0x40000000u + cold;
  const Regs from_cold =
      lower_all([&](ir::Inst i, std::size_t n) { access_anywhere(i, run.guards[n].valid()); });
  const std::uint32_t cold_end = last_block();
  end_edge(cold_end, from_cold);
  for (std::uint32_t b = cold; b <= cold_end; ++b) code_.blocks[b].cold = true;

  restore(at_parting);
  const Regs joined = join_edges(hot_end, cold_end);
  std::size_t next = 0;
  for (Value v : made) {
    for (std::uint32_t p = 0; p < parts_of(v); ++p)
      if (slot(v, p) != lir::kNoReg) slot(v, p) = joined[next++];
    if (is_vector_too(v)) vector_cache_[v.id] = {joined[next++], current_block_};
  }
}

}  // namespace warpjit::backend
