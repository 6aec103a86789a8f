#include "backend/lower/lane_addresses.h"

#include <bit>

namespace warpjit::backend {

using ir::LaneShape;
using ir::Value;
using lir::Reg;

LaneAddresses::Factors LaneAddresses::factors_of(const LaneShape& shape, std::uint32_t p) const {
  Factors factors{};
  for (std::uint32_t k = 0; k < LaneShape::kBits; ++k)
    if ((p * host_.lanes >> k & 1) != 0 && shape.strides[k].factor.valid()) factors[k] = shape.strides[k];
  return factors;
}

std::int64_t LaneAddresses::constant_distance(const LaneShape& shape, std::uint32_t lane) const {
  std::int64_t sum = 0;
  for (std::uint32_t k = 0; k < LaneShape::kBits; ++k)
    if ((lane >> k & 1) != 0 && !shape.strides[k].factor.valid())
      sum += static_cast<std::int32_t>(shape.strides[k].coefficient);
  return sum;
}

Reg LaneAddresses::sum_of_bases(Value base, const Factors& factors) {
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

Reg LaneAddresses::addresses_of(const LaneShape& shape, std::uint32_t p) {
  std::array<std::uint32_t, kMostHostLanes> lanes{};
  for (std::uint32_t n = 0; n < host_.lanes; ++n)
    lanes[n] = shape.offset + static_cast<std::uint32_t>(constant_distance(shape, p * host_.lanes + n));
  Reg sum = vector_of({lanes.data(), host_.lanes});
  if (Reg base = sum_of_bases(shape.base, factors_of(shape, p)); base != lir::kNoReg)
    sum = vvv(Op::IAdd, spread(base), sum);
  return shape.kind == LaneShape::Kind::wrapped16 ? vvv(Op::And, sum, constant_vector(0xffff)) : sum;
}

}  // namespace warpjit::backend
