#include "device/usse/state.h"

#include <cmath>
#include <string>

#include "frontend/usse/facts/color.h"
#include "frontend/usse/facts/slots.h"

namespace warpjit::usse {
namespace {

Result<BlendFactor> factor(const char* field, std::uint8_t number) {
  constexpr std::array<BlendFactor, 12> kFactors{BlendFactor::zero,
                                                 BlendFactor::one,
                                                 BlendFactor::source_color,
                                                 BlendFactor::one_minus_source_color,
                                                 BlendFactor::source_alpha,
                                                 BlendFactor::one_minus_source_alpha,
                                                 BlendFactor::target_color,
                                                 BlendFactor::one_minus_target_color,
                                                 BlendFactor::target_alpha,
                                                 BlendFactor::one_minus_target_alpha,
                                                 BlendFactor::source_alpha_saturate,
                                                 BlendFactor::target_alpha_saturate};
  if (number < kFactors.size()) return kFactors[number];
  return Error{ErrorCode::bad_input,
               std::string("blend ") + field + " " + std::to_string(number) +
                   " is not defined; factors are 0 (zero) to 11 (saturated target alpha)",
               {}};
}
Result<BlendOp> function(const char* field, std::uint8_t number) {
  constexpr std::array<BlendOp, 6> kFunctions{
      BlendOp::add, BlendOp::add, BlendOp::subtract, BlendOp::reverse_subtract, BlendOp::min, BlendOp::max};
  if (number < kFunctions.size()) return kFunctions[number];
  return Error{ErrorCode::bad_input,
               std::string("blend ") + field + " " + std::to_string(number) +
                   " is not defined; functions are 0 (none) to 5 (max)",
               {}};
}

// Blending is of bytes, of halves and of one float.
Status check_blending(const Blend& blend, PixelFormat color) {
  if (!is_integer(color) && color != PixelFormat::rgba32f) return {};
  const bool of_color = blend.color_function != 0;
  return Error{ErrorCode::unsupported,
               std::string("blend ") + (of_color ? "color" : "alpha") + " function " +
                   std::to_string(of_color ? blend.color_function : blend.alpha_function) +
                   " is not supported for a target of " + name(color),
               {}};
}

StencilFace face(const StencilFunction& function) {
  return {.compare = function.compare,
          .fail = function.fail,
          .depth_fail = function.depth_fail,
          .pass = function.pass,
          .reference = function.reference,
          .read_mask = function.compare_mask,
          .write_mask = function.write_mask};
}

}  // namespace

Result<RasterState> convert_raster(const Draw& draw, const Program& vertex) {
  RasterState raster;
  constexpr std::array<Topology, 4> kTopologies{Topology::triangles, Topology::triangle_strip,
                                                Topology::triangle_fan, Topology::points};
  if (static_cast<std::size_t>(draw.primitive) >= kTopologies.size())
    return Error{
        ErrorCode::bad_input,
        "primitive: there is no such number, " + std::to_string(static_cast<unsigned>(draw.primitive)),
        {}};
  raster.topology = kTopologies[static_cast<std::size_t>(draw.primitive)];
  const Viewport& viewport = draw.viewport;
  for (const float value : {viewport.x_offset, viewport.x_scale, viewport.y_offset, viewport.y_scale,
                            viewport.z_offset, viewport.z_scale})
    if (!std::isfinite(value)) return Error{ErrorCode::bad_input, "viewport is no finite number", {}};
  raster.viewport_scale = {viewport.x_scale, viewport.y_scale, viewport.z_scale};
  raster.viewport_translate = {viewport.x_offset, viewport.y_offset, viewport.z_offset};
  raster.clip_near = raster.clip_far = false;
  // Rows grow downward, so a positive area is clockwise.
  raster.positive_is_front = false;
  raster.cull_back = draw.cull == Cull::clockwise;
  raster.cull_front = draw.cull == Cull::counter_clockwise;
  if (raster.topology == Topology::points) raster.point_size_slot = kPointSizeSlot;
  if (vertex.vertex.clip_distances != 0)
    raster.distances = {.first = kClipDistanceSlot, .count = 8, .clip = vertex.vertex.clip_distances};
  if (draw.region) {
    const auto [left, top, right, bottom] = *draw.region;
    const auto length = [](std::uint32_t first, std::uint32_t last) {
      return last < first ? 0 : last - first == ~0U ? ~0U : last - first + 1;
    };
    raster.scissor = {left, top, length(left, right), length(top, bottom)};
  }
  return raster;
}

Result<OutputState> convert_output(const Draw& draw, PixelFormat color, PixelFormat depth, bool native) {
  OutputState output;
  BlendState& blend = output.blend[0];
  if (draw.blend) {
    const Blend& given = *draw.blend;
    const unsigned mask = given.color_mask;
    if (mask > 15)
      return Error{ErrorCode::bad_input,
                   "blend color mask " + std::to_string(mask) +
                       " is not defined; it is a sum of 1 (alpha), 2 (red), 4 (green) and 8 (blue)",
                   {}};
    blend.write_mask = static_cast<std::uint8_t>((mask >> 1 & 7) | (mask & 1) << 3);
    if (!native && (given.color_function != 0 || given.alpha_function != 0)) {
      WARPJIT_CHECK(check_blending(given, color));
      blend.enabled = blend.bytes = true;
      WARPJIT_TRY(blend.op, function("color function", given.color_function));
      WARPJIT_TRY(blend.op_alpha, function("alpha function", given.alpha_function));
      // Minima and maxima have no factors.
      const auto has_factors = [](std::uint8_t number) { return number >= 1 && number <= 3; };
      if (has_factors(given.color_function)) {
        WARPJIT_TRY(blend.source, factor("color source", given.color_source));
        WARPJIT_TRY(blend.target, factor("color target", given.color_target));
      }
      if (has_factors(given.alpha_function)) {
        WARPJIT_TRY(blend.source_alpha, factor("alpha source", given.alpha_source));
        WARPJIT_TRY(blend.target_alpha, factor("alpha target", given.alpha_target));
      }
    }
  }
  const DepthStencil& state = draw.depth_stencil;
  if (state.depth_compare > Compare::always)
    return Error{ErrorCode::bad_input,
                 "depth compare: there is no such number, " +
                     std::to_string(static_cast<unsigned>(state.depth_compare)),
                 {}};
  if (depth == PixelFormat::none) {
    if (state.stencil || state.depth_write || state.depth_compare != Compare::always)
      return Error{ErrorCode::bad_input, "depth or stencil is used, but the scene has no depth surface", {}};
    return output;
  }
  output.depth = {.test = true, .write = state.depth_write, .compare = state.depth_compare};
  if (state.stencil && depth != PixelFormat::d24s8)
    return Error{ErrorCode::bad_input, "stencil is used, but the scene's depth surface has none", {}};
  output.stencil = {.test = state.stencil,
                    .front = face(state.front),
                    .back = face(state.two_sided ? state.back : state.front)};
  return output;
}

}  // namespace warpjit::usse
