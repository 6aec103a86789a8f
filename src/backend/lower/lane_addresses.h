// Addresses that lanes have by a known rule (ir/analysis/lane_shape), as sums of scalars.
#pragma once

#include <array>

#include "backend/lower/value_forms.h"
#include "ir/analysis/lane_shape.h"

namespace warpjit::backend {

class LaneAddresses : protected ValueForms {
 public:
  explicit LaneAddresses(State& state) : ValueForms(state) {}

  using Factors = std::array<ir::LaneShape::Stride, ir::LaneShape::kBits>;
  // The strides that a part's first lane has besides constants.
  Factors factors_of(const ir::LaneShape& shape, std::uint32_t p) const;
  // The constant strides of a lane, as a signed number.
  std::int64_t constant_distance(const ir::LaneShape& shape, std::uint32_t lane) const;
  // Base and factors; none: kNoReg, which means 0.
  Reg sum_of_bases(Value base, const Factors& factors);
  // The address of each lane of a part.
  Reg addresses_of(const ir::LaneShape& shape, std::uint32_t p);
};

}  // namespace warpjit::backend
