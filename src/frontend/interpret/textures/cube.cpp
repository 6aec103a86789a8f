#include "frontend/interpret/textures/cube.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "base/bits.h"
#include "frontend/interpret/pixels/arithmetic.h"
#include "frontend/interpret/textures/sample.h"

namespace warpjit::interpret {

namespace {

// An axis of the direction and the sign it is taken with.
struct SignedAxis {
  unsigned axis;
  int sign;
};
// What the s, the t and the way out of the cube of a face are.
struct FaceAxes {
  SignedAxis s, t, out;
};
constexpr std::array<FaceAxes, 6> kFaces{{
    {{2, -1}, {1, -1}, {0, 1}},
    {{2, 1}, {1, -1}, {0, -1}},
    {{0, 1}, {2, 1}, {1, 1}},
    {{0, 1}, {2, -1}, {1, -1}},
    {{0, 1}, {1, -1}, {2, 1}},
    {{0, -1}, {1, -1}, {2, -1}},
}};

}  // namespace

FacePlace find_face(const std::array<std::uint32_t, 3>& direction) {
  std::array<std::uint32_t, 3> d{};
  std::array<float, 3> magnitude{};
  for (unsigned axis = 0; axis < 3; ++axis) {
    d[axis] = f32::flushed(direction[axis]);
    magnitude[axis] = to_float(d[axis] & ~f32::kSign);
  }
  unsigned major = 0;
  if (magnitude[2] >= magnitude[0] && magnitude[2] >= magnitude[1])
    major = 2;
  else if (magnitude[1] >= magnitude[0])
    major = 1;
  const FaceAxes& face = kFaces[2 * major + (to_float(d[major]) < 0 ? 1 : 0)];
  const auto place = [&](const SignedAxis& from) {
    const f32::Word number = from.sign < 0 ? f32::negated(d[from.axis]) : d[from.axis];
    constexpr f32::Word kHalf = 0x3f000000;
    return f32::add(f32::mul(number, kHalf), kHalf);
  };
  return {static_cast<std::uint32_t>(&face - kFaces.data()), place(face.s), place(face.t)};
}

std::array<std::uint32_t, 3> point_of_cube(const FacePlace& place) {
  const FaceAxes& face = kFaces[place.face];
  const auto from_middle = [](f32::Word x) { return f32::sub(f32::mul(to_bits(2.0F), x), to_bits(1.0F)); };
  std::array<std::uint32_t, 3> point{};
  const auto set = [&](const SignedAxis& to, f32::Word number) {
    point[to.axis] = to.sign < 0 ? f32::negated(number) : number;
  };
  set(face.s, from_middle(place.s));
  set(face.t, from_middle(place.t));
  set(face.out, to_bits(1.0F));
  return point;
}

std::array<std::uint32_t, 3> seen_on_face(const std::array<std::uint32_t, 3>& point, const FacePlace& on) {
  const SignedAxis& out = kFaces[on.face].out;
  const float length = std::fabs(to_float(point[out.axis]));
  std::array<std::uint32_t, 3> seen{};
  for (unsigned axis = 0; axis < 3; ++axis) seen[axis] = to_bits(to_float(point[axis]) / length);
  seen[out.axis] = to_bits(static_cast<float>(out.sign));
  return seen;
}

std::optional<CubeTexel> cube_texel(std::uint32_t face, std::int32_t x, std::int32_t y, std::int32_t size) {
  const bool beyond_x = x < 0 || x >= size, beyond_y = y < 0 || y >= size;
  if (beyond_x && beyond_y) return std::nullopt;
  if (!beyond_x && !beyond_y)
    return CubeTexel{face, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)};
  // The direction through the texel's centre, in half texels.
  std::array<std::int64_t, 3> direction{};
  const FaceAxes& from = kFaces[face];
  direction[from.s.axis] = from.s.sign * (2 * std::int64_t{x} + 1 - size);
  direction[from.t.axis] = from.t.sign * (2 * std::int64_t{y} + 1 - size);
  direction[from.out.axis] = from.out.sign * std::int64_t{size};
  // The component along the axis beyond the edge is the largest one.
  const unsigned major = beyond_x ? from.s.axis : from.t.axis;
  const std::uint32_t other = 2 * major + (direction[major] < 0 ? 1 : 0);
  const std::int64_t length = std::abs(direction[major]);
  const auto index = [&](const SignedAxis& axis) {
    const std::int64_t along = axis.sign * direction[axis.axis];
    // floor(((along / length) + 1) / 2 * size)
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>((along + length) * size / (2 * length), 0, size - 1));
  };
  return CubeTexel{other, index(kFaces[other].s), index(kFaces[other].t)};
}

}  // namespace warpjit::interpret
