#include "frontend/pica200/interpret/fragment/watch.h"

#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "frontend/pica200/interpret/fragment/raster.h"

namespace warpjit::pica200::fragment {
namespace {

using interpret::FragmentEnd;
using interpret::Miss;
using interpret::SeenPixel;

std::uint32_t share(std::uint32_t value, float of) { return to_bits(static_cast<float>(value) / of); }

void load(const std::byte* from, std::size_t bytes, SeenPixel& pixel) {
  for (std::size_t n = 0; n < bytes; ++n) pixel.bits[0] |= std::to_integer<std::uint32_t>(from[n]) << 8 * n;
}

Compare neutral(Comparison op) {
  constexpr std::array kCompares = {Compare::never,     Compare::always,       Compare::equal,
                                    Compare::not_equal, Compare::less,         Compare::less_equal,
                                    Compare::greater,   Compare::greater_equal};
  return kCompares[static_cast<std::size_t>(op)];
}

float most_depth(DepthFormat format) { return format == DepthFormat::d16 ? 65535.0F : 16777215.0F; }

constexpr float kMostShadow = 16777215.0F;
std::uint32_t shadow_depth(const std::byte* place) {
  const auto byte = [&](std::size_t n) { return std::to_integer<std::uint32_t>(place[n]); };
  return byte(0) << 16 | byte(1) << 8 | byte(2);
}

}  // namespace

SeenFragment::SeenFragment(const FragmentSetup& setup, const Targets& targets, std::size_t pixel)
    : setup_(setup), targets_(targets), pixel_(pixel) {
  record_.ran = true;
  record_.color_before = color();
  record_.depth_before = depth();
}

SeenPixel SeenFragment::color() const {
  const OutputState& state = setup_.state.output;
  SeenPixel seen;
  if (!state.touches_color()) return seen;
  const ColorFormat format = state.shadow ? ColorFormat::rgba8 : state.color_format;
  const std::byte* const place = targets_.color + pixel_ * pixel_bytes(format);
  load(place, pixel_bytes(format), seen);
  const Bytes4 color = read_pixel(format, place);
  for (std::size_t n = 0; n < 4; ++n) seen.values[n] = share(color[n], 255.0F);
  return seen;
}

SeenPixel SeenFragment::depth() const {
  const OutputState& state = setup_.state.output;
  SeenPixel seen;
  if (!state.touches_depth()) return seen;
  const std::byte* const place = targets_.depth + pixel_ * pixel_bytes(state.depth_format);
  load(place, pixel_bytes(state.depth_format), seen);
  seen.values[0] = share(read_depth(state.depth_format, place), most_depth(state.depth_format));
  if (state.depth_format == DepthFormat::d24s8) seen.values[1] = seen.bits[0] >> 24;
  return seen;
}

void SeenFragment::compare(const Bytes4& color, float depth) {
  const OutputState& state = setup_.state.output;
  const FragmentValues& values = setup_.values;
  if (state.shadow) {
    const auto incoming = static_cast<std::uint32_t>(depth * kMostShadow);
    record_.depth = {true, Compare::less, share(incoming, kMostShadow),
                     share(shadow_depth(targets_.color + pixel_ * 4), kMostShadow)};
    return;
  }
  if (state.alpha_test != Comparison::always)
    record_.alpha = {true, neutral(state.alpha_test), share(color[3], 255.0F),
                     share(values.alpha_reference, 255.0F)};
  if (!state.touches_depth()) return;
  if (state.stencil) {
    const std::uint32_t mask = values.stencil_input_mask;
    record_.stencil = {true, neutral(state.stencil_test), values.stencil_reference & mask,
                       record_.depth_before.values[1] & mask};
  }
  const float most = most_depth(state.depth_format);
  if (state.depth_test != Comparison::always || state.depth_writes)
    record_.depth = {true, neutral(state.depth_test), share(depth_number(state.depth_format, depth), most),
                     record_.depth_before.values[0]};
}

void SeenFragment::end(FragmentEnd end, const Bytes4& color) {
  const OutputState& state = setup_.state.output;
  record_.end = end;
  record_.gives_color = true;
  for (std::size_t n = 0; n < 4; ++n) record_.color[n] = share(color[n], 255.0F);
  if (end == FragmentEnd::alpha) record_.stencil = record_.depth = {};
  if (end == FragmentEnd::stencil) record_.depth = {};
  record_.color_after = this->color();
  record_.depth_after = depth();
  if (end != FragmentEnd::passed) return;
  constexpr std::uint8_t kCopy = 3;  // the logic operation that the pixel does not count in
  const unsigned there =
      state.color_format == ColorFormat::rgb8 || state.color_format == ColorFormat::rgb565 ? 7 : 15;
  record_.writes_color = state.touches_color();
  record_.whole_color = !state.shadow && (state.color_mask & there) == there;
  record_.blends = state.shadow || state.blends || state.logic_op != kCopy;
  record_.writes_depth = state.touches_depth() && state.depth_writes;
}

std::optional<Miss> why_missed(const RasterSetup& raster, const std::array<Vertex, 3>& triangle,
                               std::int32_t column, std::int32_t row) {
  for (const Vertex& vertex : triangle)
    if (!std::ranges::all_of(vertex.position, [](float x) { return std::isfinite(x); }))
      return Miss::not_finite;
  RasterSetup both = raster;
  both.cull = 0;
  // What is left of it, both sides drawn.
  const std::vector<RasterVertex> polygon = clip_triangle(both, triangle);
  for (std::size_t n = 1; n + 1 < polygon.size(); ++n) {
    RasterTriangle part;
    if (part.set_up(both, polygon[0], polygon[n], polygon[n + 1])) {
      if (part.covers(column, row)) return Miss::culled;
    } else if (part.area() == 0 && part.left() - 1 <= column && column <= part.right() + 1 &&
               part.bottom() - 1 <= row && row <= part.top() + 1) {
      return Miss::degenerate;
    }
  }
  // Where the pixel's ray meets its plane, in coordinates of its vertices.
  const std::array<double, 3> ray{(column + 0.5 - raster.x - raster.half_width) / raster.half_width,
                                  (row + 0.5 - raster.y - raster.half_height) / raster.half_height, 1};
  std::array<std::array<double, 3>, 3> corners{};
  for (std::size_t n = 0; n < 3; ++n)
    corners[n] = {triangle[n].position[0], triangle[n].position[1], triangle[n].position[3]};
  const auto determinant = [](const auto& a, const auto& b, const auto& c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) +
           c[0] * (a[1] * b[2] - a[2] * b[1]);
  };
  const double whole = determinant(corners[0], corners[1], corners[2]);
  const bool covers = determinant(ray, corners[1], corners[2]) / whole > 0 &&
                      determinant(corners[0], ray, corners[2]) / whole > 0 &&
                      determinant(corners[0], corners[1], ray) / whole > 0;
  if (!covers) return std::nullopt;
  // Rounded corners of a triangle that is whole may leave the pixel out.
  const bool is_whole =
      polygon.size() == 3 &&
      std::ranges::equal(polygon, triangle, {}, &RasterVertex::position, [](const Vertex& vertex) {
        std::array<float, 4> position{};
        std::copy_n(vertex.position, 4, position.begin());
        return position;
      });
  return is_whole ? std::nullopt : std::optional(Miss::clipped);
}

}  // namespace warpjit::pica200::fragment
