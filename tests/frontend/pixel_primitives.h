// What the primitives of a scene are, and what they are worth at its pixels.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontend/pixel_scene.h"

namespace warpjit::interpret {

using Plane = pixels::SlotUse::Plane;
using Rows = std::vector<std::string>;
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Every primitive as "number: flat words of slot 4, facing, pixels".
struct Seen {
  std::uint32_t flat;
  bool front;
  friend bool operator==(const Seen&, const Seen&) = default;
};
inline std::map<std::uint32_t, Seen> primitives(Scene& scene) {
  std::map<std::uint32_t, Seen> seen;
  const Status status = scene.draw([&](const Lane& lane, Fragment&) {
    seen[lane.primitive.number()] = {lane.primitive.flat(0), lane.primitive.front_facing()};
  });
  EXPECT_TRUE(status.ok());
  return seen;
}

struct Values {
  std::uint32_t inverse_w, depth, first;
};
// At each pixel that runs, covered or not.
inline std::map<std::pair<int, int>, Values> values(Scene& scene) {
  std::map<std::pair<int, int>, Values> result;
  const Status status = scene.draw([&](const Lane& lane, Fragment&) {
    result[{lane.x, lane.y}] = {lane.primitive.inverse_w(lane.x, lane.y),
                                lane.primitive.depth(lane.x, lane.y),
                                lane.primitive.value(0, lane.x, lane.y)};
  });
  EXPECT_TRUE(status.ok());
  return result;
}

}  // namespace warpjit::interpret
