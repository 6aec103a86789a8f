// The spans of a run: which addresses its accesses have in common, and the checks before it.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "backend/lower/memory_runs.h"
#include "ir/analysis/range.h"

namespace warpjit::backend {

using ir::LaneShape;
using ir::MemoryAccess;
using ir::Space;
using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

namespace {

// From the first byte of a span to the last.
constexpr std::int64_t kMostSpan = 0x8000;

}  // namespace

// The span that part p of access n lies in: one of those there are, or a new one. Where it is known which
// lanes take part, the span has what these access, and nothing if no lane does; but all of the part in
// spaces other than shared memory, which have no margins that the other lanes may load from.
RunLowering::Placed RunLowering::place(std::vector<Span>& spans, const Run& run, std::size_t n,
                                       std::uint32_t p) const {
  const ir::Inst i = run.accesses[n];
  const Value guard = run.guards[n];
  const MemoryAccess access = MemoryAccess::unpack(f_.inst(i).immediate);
  const LaneShape& shape = shapes_[operand(i, 1)];
  const bool wrapped = shape.kind == LaneShape::Kind::wrapped16;
  const Factors factors = lane_addresses_.factors_of(shape, p);
  const std::int64_t offset = static_cast<std::int32_t>(shape.offset);
  const std::uint32_t lane_of_part = p * host_.lanes;
  std::uint32_t first_lane = lane_of_part, last_lane = first_lane + host_.lanes - 1;
  const auto at_lane = [&](std::uint32_t lane) {
    return offset + lane_addresses_.constant_distance(shape, lane);
  };
  const std::int64_t begin = at_lane(lane_of_part);
  // check_narrowed counts from the first lane of the group to its last: all parts lie in one span.
  if (guard.valid()) first_lane = 0, last_lane = parts_ * host_.lanes - 1;
  if (const ir::LaneSet* lanes = run.lanes[n]; lanes != nullptr) {
    if (lanes_of(operand(i, 0), p) == PartLanes::none) {
      for (std::size_t k = 0; k < spans.size(); ++k)
        if (spans[k].base == shape.base && spans[k].wrapped == wrapped && spans[k].factors == factors &&
            spans[k].window == run.windows[n])
          return {k, begin};
      return {kNoSpan, begin};
    }
    if (access.space == Space::shared) {
      while (!(*lanes)[first_lane]) ++first_lane;
      while (!(*lanes)[last_lane]) --last_lane;
    }
  }
  const std::int64_t first = at_lane(first_lane), last = at_lane(last_lane);
  // The alignment of the base and of the factors' coefficients; what the factors are is not looked at.
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
        span.factors != factors || span.window != run.windows[n] || high - low > kMostSpan ||
        (first - span.low) % both != 0)
      continue;
    span.low = low, span.high = high, span.alignment = both;
    return {k, begin};
  }
  spans.push_back(
      {shape.base, factors, wrapped, first, last + access.extent, alignment, guard, run.windows[n]});
  return {spans.size() - 1, begin};
}

// Makes span.start, the offset in the window of the least address, and branches where the span is not inside
// the window, whose address (none: 0) and size these are.
void RunLowering::check_span(Span& span, Reg begin, Reg size, lir::Edges& ways_out) {
  if (span.guard.valid()) return check_narrowed(span, size, ways_out);
  const auto low = static_cast<std::int32_t>(span.low);
  Reg start = lane_addresses_.sum_of_bases(span.base, span.factors);
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
  if (span.alignment != 1) branch_out_if_bits(start, span.alignment - 1, ways_out);
  if (begin != lir::kNoReg) start = scalar_op(Op::SSub, start, begin);
  const InstRef sum = add(Op::SAddress, RegClass::scalar);
  use(sum, start);
  sum->mem = {MemBase::reg, 0, 0xff, 0, false, static_cast<std::int32_t>(span.high - span.low)};
  branch_out_if(Op::BranchCompare64, Condition::less_u, size, sum->def, ways_out);
  span.start = start;
}

// The same of what lanes access that have the guard. The start is still that of lane 0, which may be before
// the window: lanes without guard load from the margins, if anything.
void RunLowering::check_narrowed(Span& span, Reg size, lir::Edges& ways_out) {
  const LaneBound bound = *LaneGuards::bound(f_, span.guard);
  Reg bytes = scalar_op_imm(Op::SShlImm, lane_guards_.clamped(bound), 2);
  const auto length = static_cast<std::int32_t>(span.high - span.low);
  Reg start = lane_addresses_.sum_of_bases(span.base, span.factors);
  const auto low = static_cast<std::int32_t>(span.low);
  start = start == lir::kNoReg ? scalar_imm(static_cast<std::uint32_t>(low))
                               : scalar_op_imm(Op::SAddImm, start, low);
  if (bound.at_least) start = scalar_op(Op::SAdd, start, bytes);
  if (span.wrapped) start = scalar_op_imm(Op::SAndImm, start, 0xffff);
  if (span.alignment != 1) branch_out_if_bits(start, span.alignment - 1, ways_out);
  Reg rest = bound.at_least ? scalar_op(Op::SSub, scalar_imm(static_cast<std::uint32_t>(length)), bytes)
                            : scalar_op_imm(Op::SAddImm, bytes,
                                            length - static_cast<std::int32_t>(4 * parts_ * host_.lanes));
  branch_out_if(Op::BranchCompare64, Condition::less_u, size, address(start, rest, 0), ways_out);
  span.start = start;
  if (!bound.at_least) return;
  Reg first = scalar_op(Op::SSub, start, bytes);
  span.start = sign_extend(first);
}

}  // namespace warpjit::backend
