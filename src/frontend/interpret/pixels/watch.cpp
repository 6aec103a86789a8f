#include "frontend/interpret/pixels/watch.h"

#include <algorithm>

#include "base/bits.h"
#include "frontend/interpret/pixels/arithmetic.h"
#include "frontend/interpret/pixels/format.h"

namespace warpjit::interpret {
namespace {

SeenPixel seen(const PixelTarget& target, PixelFormat kind, std::int32_t x, std::int32_t y) {
  const FormatInfo& format = format_info(kind);
  SeenPixel pixel;
  if (target.data == nullptr || format.bytes == 0) return pixel;
  pixel.bits = load_pixel(target.data + target.pitch * y + static_cast<std::ptrdiff_t>(format.bytes) * x,
                          format.bytes);
  for (std::size_t n = 0; n < 4; ++n)
    if (format.components[n].encoding != Encoding::none)
      pixel.values[n] = decode(format.components[n], extract(format.components[n], pixel.bits));
  return pixel;
}

}  // namespace

SeenPixel PixelWatch::color() const {
  const unsigned target = observer_.target;
  SeenPixel pixel = seen(work_.colors[target], work_.output.colors[target], x(), y());
  // As blending sees it.
  if (work_.colors[target].data != nullptr) pixel.values = WorkTargets(work_).color(target, x(), y());
  return pixel;
}

SeenPixel PixelWatch::depth() const {
  SeenPixel pixel = seen(work_.depth, work_.output.depth_format, x(), y());
  const Component& stencil = format_info(work_.output.depth_format).components[1];
  pixel.values[1] = stencil.encoding == Encoding::none ? 0 : extract(stencil, pixel.bits);
  return pixel;
}

void PixelWatch::begin(const RasterPrimitive& primitive, std::uint32_t part) {
  fragment_ = {};
  begun_ = true;
  fragment_.primitive = primitive.number();
  fragment_.part = part;
  fragment_.front_facing = primitive.front_facing();
  fragment_.color_before = color();
  fragment_.depth_before = depth();
}

void PixelWatch::compare(std::uint32_t depth, std::optional<std::uint8_t> given) {
  const FormatInfo& format = format_info(work_.output.depth_format);
  if (work_.depth.data == nullptr || format.bytes == 0) return;
  const SeenPixel stored = this->depth();
  const StencilState& stencil = work_.output.stencil;
  if (stencil.test && format.components[1].encoding != Encoding::none) {
    const StencilFace& face = fragment_.front_facing ? stencil.front : stencil.back;
    const std::uint32_t reference = given.value_or(face.reference);
    fragment_.stencil = {true, face.compare, reference & face.read_mask, stored.values[1] & face.read_mask};
  }
  if (work_.output.depth.test) {
    const auto [least, most] = work_.raster.depth_bounds;
    const Component& bits = format.components[0];
    const std::uint32_t value = decode(bits, encode(bits, f32::limited(depth, least, most)));
    fragment_.depth = {true, work_.output.depth.compare, value, stored.values[0]};
  }
}

void PixelWatch::tested(TestResult result, bool early) {
  switch (result) {
    case TestResult::passes:
      fragment_.end = FragmentEnd::passed;
      return;
    case TestResult::fails_alpha:
      fragment_.end = FragmentEnd::alpha;
      if (!work_.output.early_tests) fragment_.stencil = fragment_.depth = {};
      return;
    case TestResult::fails_stencil:
      fragment_.end = early ? FragmentEnd::early_stencil : FragmentEnd::stencil;
      fragment_.depth = {};
      return;
    case TestResult::fails_depth:
      fragment_.end = early ? FragmentEnd::early_depth : FragmentEnd::depth;
  }
}

void PixelWatch::ran(const Fragment& fragment) {
  fragment_.ran = true;
  fragment_.instructions = fragment.instructions;
  const unsigned target = observer_.target;
  fragment_.gives_color = fragment.live && (fragment.written >> target & 1) != 0;
  if (fragment_.gives_color) fragment_.color = fragment.colors[target];
  const FormatInfo& format = format_info(work_.output.colors[target]);
  const BlendState& blend = work_.output.blend[target];
  const bool replaced = (fragment.replaced >> target & 1) != 0;
  if (fragment_.gives_color && work_.colors[target].data != nullptr && format.bytes != 0) {
    fragment_.whole_color = true;
    for (std::size_t n = 0; n < 4; ++n) {
      if (format.components[n].encoding == Encoding::none) continue;
      const bool written = replaced || (blend.write_mask >> n & 1) != 0;
      fragment_.writes_color = fragment_.writes_color || written;
      fragment_.whole_color = fragment_.whole_color && written;
    }
    fragment_.blends = blend.enabled && !replaced && format.kind != Kind::integer;
  }
  const OutputState& output = work_.output;
  if (output.alpha_test && (fragment.written & 1) != 0 && format_info(output.colors[0]).kind != Kind::integer)
    fragment_.alpha = {true, output.alpha_compare, fragment.colors[0][3], to_bits(output.alpha_reference)};
}

void PixelWatch::end(FragmentEnd end) { fragment_.end = end; }

void PixelWatch::report() {
  begun_ = false;
  const bool passed = fragment_.end == FragmentEnd::passed;
  if (!passed && fragment_.end != FragmentEnd::alpha && fragment_.end != FragmentEnd::stencil &&
      fragment_.end != FragmentEnd::depth)
    fragment_.alpha = {};  // it did not come so far
  if (!passed) fragment_.writes_color = fragment_.whole_color = fragment_.blends = false;
  // Early tests write before the program ends the fragment.
  const bool tested = passed || (work_.output.early_tests && fragment_.end != FragmentEnd::early_stencil &&
                                 fragment_.end != FragmentEnd::early_depth);
  fragment_.writes_depth = tested && fragment_.depth.on && work_.output.depth.write;
  fragment_.color_after = color();
  fragment_.depth_after = depth();
  observer_.met(fragment_);
}

// ---- Primitives without a fragment

std::vector<Vertex> PixelWatch::load(std::span<const std::uint64_t> vertices) const {
  std::vector<Vertex> loaded(vertices.size());
  for (std::size_t n = 0; n < vertices.size(); ++n) load_vertex(work_, vertices[n], loaded[n]);
  return loaded;
}

// Where the pixel's ray meets the plane of a triangle, in coordinates of its vertices: all positive if it is inside
// and before the eye. Some vertices may be behind the eye, so that they have no place in the window.
bool PixelWatch::is_met_by_ray(std::span<const Vertex> v) const {
  const RasterState& raster = work_.raster;
  std::array<double, 2> at{};
  const std::array<double, 2> pixel{x() + raster.sample_point[0] / 256.0,
                                    y() + raster.sample_point[1] / 256.0};
  for (std::size_t n = 0; n < 2; ++n)
    at[n] = raster.window_positions
                ? pixel[n]
                : (pixel[n] - double{raster.viewport_translate[n]}) / double{raster.viewport_scale[n]};
  const auto determinant = [](const std::array<double, 3>& a, const std::array<double, 3>& b,
                              const std::array<double, 3>& c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) +
           c[0] * (a[1] * b[2] - a[2] * b[1]);
  };
  const std::array<double, 3> ray{at[0], at[1], 1};
  std::array<std::array<double, 3>, 3> corners{};
  for (std::size_t n = 0; n < 3; ++n) corners[n] = {v[n].position[0], v[n].position[1], v[n].position[3]};
  const double whole = determinant(corners[0], corners[1], corners[2]);
  return determinant(ray, corners[1], corners[2]) / whole > 0 &&
         determinant(corners[0], ray, corners[2]) / whole > 0 &&
         determinant(corners[0], corners[1], ray) / whole > 0;
}

bool PixelWatch::would_cover(std::span<const Vertex> vertices, std::uint64_t last) const {
  RasterState raster = work_.raster;
  raster.cull_front = raster.cull_back = false;
  const Source source{0,
                      work_.vertices.subspan(static_cast<std::size_t>(last) * work_.stride, work_.slots),
                      {},
                      raster.depth_bounds,
                      work_.output.depth_format,
                      from_sample(raster)};
  std::array<WindowVertex, 3> window;
  bool all = true;
  for (std::size_t n = 0; n < vertices.size() && all; ++n) {
    const auto place = is_drawable(vertices[n]) ? to_window(raster, vertices[n]) : std::nullopt;
    all = place.has_value();
    if (all) window[n] = *place;
  }
  if (!all) return vertices.size() == 3 && is_met_by_ray(vertices);
  Ending ending = nullptr;
  const auto is_covered = [&](const std::unique_ptr<RasterPrimitive>& part) { return part && covers(*part); };
  if (vertices.size() == 1) return is_covered(make_point(raster, source, window[0], ending));
  if (vertices.size() == 3) return is_covered(make_triangle(raster, source, window, ending));
  return std::ranges::any_of(make_line(raster, source, {window[0], window[1]}, ending), is_covered);
}

bool PixelWatch::lies_around(std::span<const Vertex> vertices) const {
  std::int64_t left = INT64_MAX, right = INT64_MIN, top = INT64_MAX, bottom = INT64_MIN;
  for (const Vertex& vertex : vertices) {
    const auto place = is_drawable(vertex) ? to_window(work_.raster, vertex) : std::nullopt;
    if (!place) return false;
    left = std::min(left, place->x >> 8);
    right = std::max(right, place->x >> 8);
    top = std::min(top, place->y >> 8);
    bottom = std::max(bottom, place->y >> 8);
  }
  return left <= x() && x() <= right && top <= y() && y() <= bottom;
}

void PixelWatch::miss(std::uint32_t primitive, std::span<const std::uint64_t> vertices, Ending ending) {
  if (ending == &DrawCounts::outside) return miss_clipped(primitive, vertices);
  if (ending == &DrawCounts::culled && would_cover(load(vertices), vertices.back()))
    miss(primitive, Miss::culled);
  if (ending == &DrawCounts::empty && lies_around(load(vertices))) miss(primitive, Miss::degenerate);
}

void PixelWatch::miss_clipped(std::uint32_t primitive, std::span<const std::uint64_t> vertices) {
  if (would_cover(load(vertices), vertices.back())) miss(primitive, Miss::clipped);
}

}  // namespace warpjit::interpret
