// How i32 values change from lane to lane of a group: base + the strides of those bits that are set in the
// lane's number, modulo 2^32, where base and strides are the same for the group. So the places of threads in
// tiles are seen as consecutive, or equal, over some of the lanes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/function.h"

namespace warpjit::ir {

struct LaneShape {
  static constexpr std::uint32_t kBits = std::bit_width(kMaxGroupLanes) - 1;
  enum class Kind : std::uint8_t {
    unknown,
    modulo16,   // as below only modulo 2^16
    wrapped16,  // the same, and the value is below 2^16
    exact,
  };
  // What a bit of the lane's number adds: coefficient * factor. No factor: the coefficient.
  struct Stride {
    std::uint32_t coefficient = 0;
    Value factor;
    bool operator==(const Stride&) const = default;
  };

  Kind kind = Kind::unknown;
  std::array<Stride, kBits> strides{};
  // The base is a value of the function (none: 0) plus an offset, if it is told.
  bool told = false;
  Value base;
  std::uint32_t offset = 0;
  // An upper bound of the base, below 2^32, and how many of its lowest bits are 0 at least.
  std::uint64_t most = 0xffffffffu;
  std::uint32_t zeros = 0;

  bool operator==(const LaneShape&) const = default;
  bool known() const { return kind != Kind::unknown; }
  // No stride has a factor. The strides then, of `bits` bits, for lane `lane`.
  bool constant_strides() const;
  std::uint32_t at(std::uint32_t lane) const;
  // True if it is known that `& mask` changes neither the value nor its base.
  bool fits(std::uint32_t mask) const;
};

class LaneShapes {
 public:
  // Shapes (analysis/uniformity) must be set. At most five passes: gives up phis that do not settle by then;
  // in thread form, where lanes may come to them different ways, all. What a frame keeps is as a phi.
  explicit LaneShapes(const Function& f);
  const LaneShape& operator[](Value v) const { return shapes_[v.id]; }

 private:
  LaneShape of(Inst i) const;
  LaneShape leaf(Value v) const;
  LaneShape of_any(Value result, std::span<const Value> values) const;
  bool uniform(Value v) const { return f_.value(v).uniformity != Uniformity::varying; }

  const Function& f_;
  std::vector<LaneShape> shapes_;
  std::vector<std::vector<Value>> stored_;  // by slot of the frame
  std::vector<char> visited_;               // by value
  bool phis_are_unknown_ = false;
};

}  // namespace warpjit::ir
