#include "frontend/pica200/interpret/fragment/draw.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/fuel.h"
#include "frontend/interpret/pixels.h"
#include "frontend/pica200/facts/fragment_memory.h"
#include "frontend/pica200/facts/fragment_words.h"
#include "frontend/pica200/interpret/fragment/number.h"
#include "frontend/pica200/interpret/fragment/units.h"
#include "frontend/pica200/interpret/fragment/watch.h"

namespace warpjit::pica200::fragment {

namespace {

Bytes4& slot(CombinerInputs& inputs, CombinerSource source) {
  return inputs[static_cast<std::size_t>(source)];
}

}  // namespace

Drawing::Drawing(const FragmentSetup& setup, const PhysicalMemory& memory)
    : setup_(&setup),
      units_{TextureUnit(setup.state.textures[0], setup.values.textures[0], memory),
             TextureUnit(setup.state.textures[1], setup.values.textures[1], memory),
             TextureUnit(setup.state.textures[2], setup.values.textures[2], memory)},
      reads_color_(reads(setup.state, CombinerSource::primary)) {}

Result<Drawing> Drawing::make(const FragmentSetup& setup, const PhysicalMemory& memory,
                              const std::atomic<std::uint32_t>* cancel, interpret::PixelObserver* observer) {
  Drawing drawing(setup, memory);
  drawing.cancel_ = cancel;
  drawing.pixel_observer_ = observer;
  WARPJIT_TRY(const FoundTargets targets, find_targets(setup, memory));
  targets.reach(memory);
  drawing.targets_ = {targets.color, targets.depth};
  return drawing;
}

Status Drawing::draw(const std::array<Vertex, 3>& triangle) {
  const std::vector<RasterVertex> polygon = clip_triangle(setup_->raster, triangle);
  ++primitives_;
  meets_ = false;
  for (std::size_t n = 1; n + 1 < polygon.size(); ++n) {
    RasterTriangle part;
    part_ = static_cast<std::uint32_t>(n - 1);
    if (part.set_up(setup_->raster, polygon[0], polygon[n], polygon[n + 1]))
      WARPJIT_CHECK(pixel_observer_ == nullptr ? draw_triangle(part, triangle[2])
                                               : draw_watched(part, triangle[2]));
  }
  if (pixel_observer_ != nullptr && !meets_) tell_miss(triangle);
  return {};
}

Status Drawing::draw_watched(const RasterTriangle& triangle, const Vertex& last) {
  const std::int32_t x = pixel_observer_->x, y = pixel_observer_->y;
  if (!triangle.covers(x, y)) return {};
  meets_ = true;
  if (!is_drawn(x, y)) {
    pixel_observer_->missed(primitives_ - 1, interpret::Miss::scissor);
    return {};
  }
  ++fragments_;
  return draw_pixel(triangle, last, quad_of(triangle, x & ~1, y & ~1), x, y, nullptr);
}

void Drawing::tell_miss(const std::array<Vertex, 3>& triangle) const {
  if (const auto why = why_missed(setup_->raster, triangle, pixel_observer_->x, pixel_observer_->y))
    pixel_observer_->missed(primitives_ - 1, *why);
}

bool Drawing::is_drawn(std::int32_t column, std::int32_t row) const {
  const RasterSetup& raster = setup_->raster;
  if (raster.scissor == RasterSetup::Scissor::off) return true;
  const bool inside =
      column >= raster.left && column <= raster.right && row >= raster.bottom && row <= raster.top;
  return inside == (raster.scissor == RasterSetup::Scissor::inside);
}

Status Drawing::draw_triangle(const RasterTriangle& triangle, const Vertex& last) {
  const TargetSetup& target = setup_->target;
  if (!setup_->state.output.touches_color() && !setup_->state.output.touches_depth()) return {};
  const auto limit = [](std::int64_t first, std::int64_t end) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(first, -1, end));
  };
  std::int32_t left = std::max(limit(triangle.left(), target.width), 0),
               right = limit(triangle.right(), std::int64_t{target.width} - 1),
               bottom = std::max(limit(triangle.bottom(), target.height), 0),
               top = limit(triangle.top(), std::int64_t{target.height} - 1);
  if (step_observer_ != nullptr) {
    left = std::max(left, limit(within_.x, target.width));
    right = std::min(right, limit(std::int64_t{within_.x} + within_.width - 1, target.width));
    bottom = std::max(bottom, limit(within_.y, target.height));
    top = std::min(top, limit(std::int64_t{within_.y} + within_.height - 1, target.height));
  }
  for (std::int32_t y = bottom & ~1; y <= top; y += 2) {
    if (cancel_ != nullptr && cancel_->load(std::memory_order_relaxed) != 0)
      return Error{ErrorCode::cancelled, "the run was cancelled", ""};
    for (std::int32_t x = left & ~1; x <= right; x += 2) {
      std::optional<Quad> quad;
      for (std::int32_t n = 0; n < 4; ++n) {
        const std::int32_t column = x + (n & 1), row = y + (n >> 1);
        if (column < left || column > right || row < bottom || row > top || !is_drawn(column, row) ||
            !triangle.covers(column, row))
          continue;
        if (!quad) quad = quad_of(triangle, x, y);
        ++fragments_;
        WARPJIT_CHECK(step_observer_ == nullptr ? draw_pixel(triangle, last, *quad, column, row, nullptr)
                                                : draw_observed(triangle, last, *quad, column, row));
      }
    }
  }
  return {};
}

std::array<float, 2> Drawing::coordinates(const RasterTriangle& triangle, unsigned number,
                                          std::int32_t column, std::int32_t row, float w) const {
  const unsigned first = kCoordinates0 + 2 * number;
  return {triangle.value(first, column, row, w), triangle.value(first + 1, column, row, w)};
}

TexturePlace Drawing::place(const RasterTriangle& triangle, unsigned unit, std::int32_t column,
                            std::int32_t row, float w) const {
  const unsigned number = unit == 2 && setup_->state.unit2_uses_coordinates1 ? 1 : unit;
  const auto [u, v] = coordinates(triangle, number, column, row, w);
  return units_[unit].place(u, v, unit == 0 ? triangle.value(kCoordinatesW, column, row, w) : 0.0f);
}

Drawing::Quad Drawing::quad_of(const RasterTriangle& triangle, std::int32_t column, std::int32_t row) const {
  Quad quad;
  const std::array<std::array<std::int32_t, 2>, 3> pixels = {
      {{column, row}, {column + 1, row}, {column, row + 1}}};
  std::array<float, 3> w{};
  for (std::size_t n = 0; n < 3; ++n) w[n] = triangle.w(pixels[n][0], pixels[n][1]);
  for (unsigned unit = 0; unit < 3; ++unit) {
    if (!units_[unit].on()) continue;
    std::array<TexturePlace, 3> places;
    for (std::size_t n = 0; n < 3; ++n) places[n] = place(triangle, unit, pixels[n][0], pixels[n][1], w[n]);
    quad.levels[unit] = units_[unit].level_of_detail(places);
  }
  const ProceduralState& procedural = setup_->state.procedural;
  if (procedural.on)
    for (std::size_t n = 0; n < 3; ++n)
      quad.procedural[n] = coordinates(triangle, procedural.coordinates, pixels[n][0], pixels[n][1], w[n]);
  return quad;
}

float Drawing::depth_of(const RasterTriangle& triangle, std::int32_t column, std::int32_t row,
                        float w) const {
  Number depth =
      Number(triangle.depth(column, row)) * setup_->values.depth_scale + setup_->values.depth_offset;
  if (setup_->state.w_buffer) depth = depth * w;
  return limited(depth, 0.0f, 1.0f).value;
}

Status Drawing::draw_observed(const RasterTriangle& triangle, const Vertex& last, const Quad& quad,
                              std::int32_t column, std::int32_t row) {
  const unsigned lane = static_cast<unsigned>(column & 1) | static_cast<unsigned>(row & 1) << 1;
  interpret::Quad seen;
  seen.x = column & ~1;
  seen.y = row & ~1;
  seen.coverage = static_cast<std::uint8_t>(1U << lane);
  if (!step_observer_->observes({.kind = interpret::ObservedGroup::Kind::quads,
                                 .lanes = 1U << lane,
                                 .first = primitives_ - 1,
                                 .quads = std::span(&seen, 1)}))
    return draw_pixel(triangle, last, quad, column, row, nullptr);
  FragmentSteps steps(*step_observer_, *setup_, column, row);
  const Status status = draw_pixel(triangle, last, quad, column, row, &steps);
  steps.happened(status.ok() ? interpret::kEnded : interpret::kFaulted);
  steps.end();
  if (status.ok() && !steps.goes_on()) return Error{ErrorCode::cancelled, kCancelledMessage, ""};
  return status;
}

void Drawing::show_begin(FragmentSteps& steps, const RasterTriangle& triangle, std::int32_t column,
                         std::int32_t row, float w) const {
  steps.begin(FragmentStep::kDepth);
  steps.read(FragmentFile::kPixel, 2);
  steps.varying(FragmentFile::kZ, triangle.depth(column, row));
  if (setup_->state.w_buffer) steps.varying(FragmentFile::kW, w);
  steps.write(FragmentFile::kDepth, depth_of(triangle, column, row, w));
}

void Drawing::show_coordinates(FragmentSteps& steps, const RasterTriangle& triangle, unsigned number,
                               std::int32_t column, std::int32_t row, float w) const {
  const auto [u, v] = coordinates(triangle, number, column, row, w);
  steps.varying(FragmentFile::kCoordinates + 3 * number, u);
  steps.varying(FragmentFile::kCoordinates + 3 * number + 1, v);
}

Status Drawing::draw_pixel(const RasterTriangle& triangle, const Vertex& last, const Quad& quad,
                           std::int32_t column, std::int32_t row, FragmentSteps* steps) {
  using F = FragmentFile;
  const FragmentState& state = setup_->state;
  const FragmentValues& values = setup_->values;
  const float w = triangle.w(column, row);
  CombinerInputs inputs{};
  if (steps != nullptr) [[unlikely]]
    show_begin(*steps, triangle, column, row, w);
  if (reads_color_) {
    if (steps != nullptr) [[unlikely]]
      steps->begin(FragmentStep::kPrimary);
    for (unsigned n = 0; n < 4; ++n) {
      const Number c = state.flat_color ? last.color[n] : triangle.value(kColor + n, column, row, w);
      if (steps != nullptr) [[unlikely]]
        steps->varying(F::kColor + n, c.value);
      slot(inputs, CombinerSource::primary)[n] =
          static_cast<std::uint8_t>(integer(floor(limited(c, 0.0f, 1.0f) * 255.0f + 0.5f)));
    }
    if (steps != nullptr) [[unlikely]]
      steps->write(F::kPrimary, slot(inputs, CombinerSource::primary));
  }
  std::array<Bytes4, 4> texels{};
  for (unsigned unit = 0; unit < 3; ++unit) {
    if (!units_[unit].on()) continue;
    if (steps != nullptr) [[unlikely]] {
      steps->begin(FragmentStep::kTexture + unit);
      const unsigned number = unit == 2 && state.unit2_uses_coordinates1 ? 1 : unit;
      show_coordinates(*steps, triangle, number, column, row, w);
      if (state.textures[unit].reads_w())
        steps->varying(F::kCoordinates + 2, triangle.value(kCoordinatesW, column, row, w));
      if (state.textures[unit].needs_detail())
        steps->write(F::kLod + unit, static_cast<std::uint32_t>(quad.levels[unit]));
      steps->happened(interpret::kSampled);
    }
    std::optional<interpret::SeenTexels> seen;
    if (steps != nullptr) [[unlikely]]
      seen.emplace(steps->texels(unit));
    WARPJIT_TRY(texels[unit], units_[unit].sample(place(triangle, unit, column, row, w), quad.levels[unit],
                                                  seen ? &*seen : nullptr));
    if (steps != nullptr) [[unlikely]]
      steps->write(F::kTexture + 4 * unit, texels[unit]);
  }
  if (state.procedural.on) {
    const auto [u, v] = coordinates(triangle, state.procedural.coordinates, column, row, w);
    texels[3] = sample_procedural(state.procedural, values.procedural, *values.tables, u, v, quad.procedural);
    if (steps != nullptr) [[unlikely]] {
      steps->begin(FragmentStep::kProcedural);
      show_coordinates(*steps, triangle, state.procedural.coordinates, column, row, w);
      steps->write(F::kProcedural, texels[3]);
    }
  }
  for (std::size_t n = 0; n < 4; ++n)
    inputs[static_cast<std::size_t>(CombinerSource::texture0) + n] = texels[n];
  if (state.lighting.on) {
    LightingInputs lights;
    for (unsigned n = 0; n < 4; ++n) lights.quaternion[n] = triangle.value(kQuaternion + n, column, row, w);
    for (unsigned n = 0; n < 3; ++n) lights.view[n] = triangle.value(kView + n, column, row, w);
    lights.bump = texels[state.lighting.bump_unit];
    lights.shadow = texels[state.lighting.shadow_unit];
    const LightColors colors = light(state.lighting, values, lights);
    slot(inputs, CombinerSource::light_primary) = colors.primary;
    slot(inputs, CombinerSource::light_secondary) = colors.secondary;
    if (steps != nullptr) [[unlikely]] {
      steps->begin(FragmentStep::kLighting);
      for (unsigned n = 0; n < 4; ++n) steps->varying(F::kQuaternion + n, lights.quaternion[n]);
      for (unsigned n = 0; n < 3; ++n) steps->varying(F::kView + n, lights.view[n]);
      if (state.lighting.bump != BumpMode::none) steps->read(F::kTexture + 4U * state.lighting.bump_unit, 3);
      if (state.lighting.shadow) steps->read(F::kTexture + 4U * state.lighting.shadow_unit, 4);
      steps->write(F::kLightPrimary, colors.primary);
      steps->write(F::kLightSecondary, colors.secondary);
    }
  }
  Bytes4 color = combine(state, values, inputs, steps);
  const float depth = depth_of(triangle, column, row, w);
  const std::size_t pixel =
      pixel_number(setup_->target, static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(row));
  if (pixel_observer_ == nullptr) {
    put_out(pixel, color, depth, steps);
    return {};
  }
  SeenFragment seen(*setup_, targets_, pixel);
  seen.compare(color, depth);
  const interpret::FragmentEnd end = put_out(pixel, color, depth, steps);
  seen.end(end, color);
  seen.record().primitive = primitives_ - 1;
  seen.record().part = part_;
  seen.record().front_facing = triangle.area() > 0;
  pixel_observer_->met(seen.record());
  return {};
}

interpret::FragmentEnd Drawing::put_out(std::size_t pixel, Bytes4& color, float depth, FragmentSteps* steps) {
  using F = FragmentFile;
  using interpret::FragmentEnd;
  const FragmentState& state = setup_->state;
  const FragmentValues& values = setup_->values;
  const auto ended = [](TestResult result) {
    return result == TestResult::passes          ? FragmentEnd::passed
           : result == TestResult::fails_stencil ? FragmentEnd::stencil
                                                 : FragmentEnd::depth;
  };
  if (state.output.shadow) return ended(output_shadow(values, targets_, pixel, color, depth, steps));
  const bool passes = compare(state.output.alpha_test, color[3], values.alpha_reference);
  if (steps != nullptr && state.output.alpha_test != Comparison::always) [[unlikely]] {
    steps->begin(FragmentStep::kAlphaTest);
    steps->read(F::kCombined + 3);
    steps->read(F::kAlphaReference);
    if (!passes) steps->happened(interpret::kDiscarded);
  }
  if (!passes) return FragmentEnd::alpha;
  if (state.fog) {
    float factor = 0;
    color = apply_fog(state, values, color, depth, &factor);
    if (steps != nullptr) [[unlikely]] {
      steps->begin(FragmentStep::kFog);
      steps->read(F::kDepth);
      steps->read(F::kCombined, 3);
      steps->read(F::kFogColor, 3);
      steps->write(F::kFog, factor);
      steps->write(F::kCombined, color, 3);
    }
  }
  return ended(output(state.output, values, targets_, pixel, color, depth, steps));
}

}  // namespace warpjit::pica200::fragment
