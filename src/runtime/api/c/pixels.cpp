// The C interface: launches of fragment programs (warpjit/pixels.h).
#include "warpjit/pixels.h"

#include "runtime/api/c/boundary.h"

namespace warpjit::c_api {
namespace {

static_assert(same(PixelFormat::rgba8, WARPJIT_PIXELS_RGBA8) &&
              same(PixelFormat::rgba32i, WARPJIT_PIXELS_RGBA32I) &&
              same(PixelFormat::d32f, WARPJIT_PIXELS_D32F) &&
              same(PixelFormat::r11g11b10f, WARPJIT_PIXELS_R11G11B10F) &&
              same(kLastPixelFormat, WARPJIT_PIXELS_RGB10A2UI));
static_assert(same(Compare::less, WARPJIT_COMPARE_LESS) && same(Compare::always, WARPJIT_COMPARE_ALWAYS));
static_assert(same(StencilOp::invert, WARPJIT_STENCIL_INVERT) &&
              same(StencilOp::decrement_wrap, WARPJIT_STENCIL_DECREMENT_WRAP));
static_assert(same(BlendFactor::target_color, WARPJIT_BLEND_TARGET_COLOR) &&
              same(BlendFactor::target_alpha_saturate, WARPJIT_BLEND_TARGET_ALPHA_SATURATE));
static_assert(same(BlendOp::max, WARPJIT_BLEND_MAX));
static_assert(same(BlendMix::Add::target, WARPJIT_MIX_ADD_TARGET) &&
              same(BlendMix::Multiply::source, WARPJIT_MIX_SOURCE) &&
              same(BlendMix::Multiply::target, WARPJIT_MIX_TARGET) &&
              same(BlendMix::By::source_alpha, WARPJIT_MIX_BY_SOURCE_ALPHA) &&
              same(BlendMix::By::constant, WARPJIT_MIX_BY_CONSTANT));
static_assert(same(Topology::triangles, WARPJIT_TRIANGLES) &&
              same(Topology::triangle_fan, WARPJIT_TRIANGLE_FAN));
static_assert(kMaxColorTargets == WARPJIT_MAX_COLOR_TARGETS && kMaxTargetExtent == WARPJIT_MAX_TARGET_EXTENT);

// A number from outside that has to be at most `last`.
template <class To>
Status take(std::uint32_t number, std::uint32_t last, const char* what, To& to) {
  if (number > last) return bad("there is no such value: " + std::to_string(number), what);
  to = static_cast<To>(number);
  return {};
}
template <class Enum>
Status take(std::int32_t number, Enum last, const char* what, Enum& to) {
  WARPJIT_TRY(to, enumerator(number, last, what));
  return {};
}

Status read_face(const warpjit_stencil_face& from, StencilFace& face) {
  WARPJIT_CHECK(take(from.compare, Compare::always, "stencil", face.compare));
  WARPJIT_CHECK(take(from.fail, StencilOp::decrement_wrap, "stencil", face.fail));
  WARPJIT_CHECK(take(from.depth_fail, StencilOp::decrement_wrap, "stencil", face.depth_fail));
  WARPJIT_CHECK(take(from.pass, StencilOp::decrement_wrap, "stencil", face.pass));
  WARPJIT_CHECK(take(from.reference, 255, "stencil", face.reference));
  WARPJIT_CHECK(take(from.read_mask, 255, "stencil", face.read_mask));
  return take(from.write_mask, 255, "stencil", face.write_mask);
}
warpjit_stencil_face face_of(const StencilFace& face) {
  return {static_cast<std::int32_t>(face.compare),
          static_cast<std::int32_t>(face.fail),
          static_cast<std::int32_t>(face.depth_fail),
          static_cast<std::int32_t>(face.pass),
          face.reference,
          face.read_mask,
          face.write_mask};
}

Status read_mix(const warpjit_blend_mix& from, BlendMix& mix) {
  mix.negate_add = from.negate_add != 0;
  mix.negate_multiply = from.negate_multiply != 0;
  mix.invert_by = from.invert_by != 0;
  WARPJIT_CHECK(take(from.add, BlendMix::Add::target, "blend", mix.add));
  WARPJIT_CHECK(take(from.multiply, BlendMix::Multiply::target, "blend", mix.multiply));
  return take(from.by, BlendMix::By::constant, "blend", mix.by);
}
warpjit_blend_mix mix_of(const BlendMix& mix) {
  return {static_cast<std::int32_t>(mix.add),      mix.negate_add ? 1U : 0U,
          static_cast<std::int32_t>(mix.multiply), mix.negate_multiply ? 1U : 0U,
          static_cast<std::int32_t>(mix.by),       mix.invert_by ? 1U : 0U};
}

Status read_blend(const warpjit_blend_state& from, BlendState& blend) {
  constexpr BlendFactor kLast = BlendFactor::target_alpha_saturate;
  blend.enabled = from.enabled != 0;
  WARPJIT_CHECK(take(from.source, kLast, "blend", blend.source));
  WARPJIT_CHECK(take(from.target, kLast, "blend", blend.target));
  WARPJIT_CHECK(take(from.source_alpha, kLast, "blend", blend.source_alpha));
  WARPJIT_CHECK(take(from.target_alpha, kLast, "blend", blend.target_alpha));
  WARPJIT_CHECK(take(from.op, BlendOp::max, "blend", blend.op));
  WARPJIT_CHECK(take(from.op_alpha, BlendOp::max, "blend", blend.op_alpha));
  blend.mixed = from.mixed != 0;
  WARPJIT_CHECK(read_mix(from.mix, blend.mix));
  WARPJIT_CHECK(read_mix(from.mix_alpha, blend.mix_alpha));
  blend.bytes = from.bytes != 0;
  return take(from.write_mask, 15, "blend", blend.write_mask);
}
warpjit_blend_state blend_of(const BlendState& blend) {
  return {blend.enabled ? 1U : 0U,
          static_cast<std::int32_t>(blend.source),
          static_cast<std::int32_t>(blend.target),
          static_cast<std::int32_t>(blend.source_alpha),
          static_cast<std::int32_t>(blend.target_alpha),
          static_cast<std::int32_t>(blend.op),
          static_cast<std::int32_t>(blend.op_alpha),
          blend.write_mask,
          blend.mixed ? 1U : 0U,
          mix_of(blend.mix),
          mix_of(blend.mix_alpha),
          blend.bytes ? 1U : 0U};
}

Result<OutputState> output_state(const warpjit_output_state& from) {
  OutputState state;
  state.depth.test = from.depth_test != 0;
  state.depth.write = from.depth_write != 0;
  WARPJIT_CHECK(take(from.depth_compare, Compare::always, "depth_compare", state.depth.compare));
  state.stencil.test = from.stencil_test != 0;
  WARPJIT_CHECK(read_face(from.front, state.stencil.front));
  WARPJIT_CHECK(read_face(from.back, state.stencil.back));
  for (unsigned n = 0; n < kMaxColorTargets; ++n) WARPJIT_CHECK(read_blend(from.blend[n], state.blend[n]));
  state.alpha_test = from.alpha_test != 0;
  WARPJIT_CHECK(take(from.alpha_compare, Compare::always, "alpha_compare", state.alpha_compare));
  state.alpha_reference = from.alpha_reference;
  std::copy(std::begin(from.blend_constant), std::end(from.blend_constant), state.blend_constant.begin());
  state.early_tests = from.early_tests != 0;
  state.count_passed = from.count_passed != 0;
  return state;
}
warpjit_output_state output_of(const OutputState& state) {
  warpjit_output_state to{};
  to.depth_test = state.depth.test ? 1 : 0;
  to.depth_write = state.depth.write ? 1 : 0;
  to.depth_compare = static_cast<std::int32_t>(state.depth.compare);
  to.stencil_test = state.stencil.test ? 1 : 0;
  to.front = face_of(state.stencil.front);
  to.back = face_of(state.stencil.back);
  for (unsigned n = 0; n < kMaxColorTargets; ++n) to.blend[n] = blend_of(state.blend[n]);
  to.alpha_test = state.alpha_test ? 1 : 0;
  to.alpha_compare = static_cast<std::int32_t>(state.alpha_compare);
  to.alpha_reference = state.alpha_reference;
  std::copy(state.blend_constant.begin(), state.blend_constant.end(), to.blend_constant);
  to.early_tests = state.early_tests ? 1 : 0;
  to.count_passed = state.count_passed ? 1 : 0;
  return to;
}

// Members that are flags, in both structs.
struct RasterFlag {
  std::uint32_t warpjit_raster_state::*from;
  bool RasterState::*to;
};
constexpr RasterFlag kRasterFlags[] = {
    {&warpjit_raster_state::depth_zero_to_one, &RasterState::depth_zero_to_one},
    {&warpjit_raster_state::clip_near, &RasterState::clip_near},
    {&warpjit_raster_state::clip_far, &RasterState::clip_far},
    {&warpjit_raster_state::positive_is_front, &RasterState::positive_is_front},
    {&warpjit_raster_state::cull_front, &RasterState::cull_front},
    {&warpjit_raster_state::cull_back, &RasterState::cull_back},
    {&warpjit_raster_state::provoking_last, &RasterState::provoking_last},
    {&warpjit_raster_state::window_positions, &RasterState::window_positions}};

Result<RasterState> raster_state(const warpjit_raster_state& from) {
  RasterState state;
  WARPJIT_CHECK(take(from.topology, Topology::triangle_fan, "topology", state.topology));
  WARPJIT_CHECK(take(from.shade, ShadeModel::flat, "shade", state.shade));
  std::copy(std::begin(from.viewport_scale), std::end(from.viewport_scale), state.viewport_scale.begin());
  std::copy(std::begin(from.viewport_translate), std::end(from.viewport_translate),
            state.viewport_translate.begin());
  state.scissor = {from.scissor_x, from.scissor_y, from.scissor_width, from.scissor_height};
  for (const RasterFlag& flag : kRasterFlags) state.*flag.to = from.*flag.from != 0;
  state.point_size = from.point_size;
  state.line_width = from.line_width;
  WARPJIT_CHECK(take(from.point_size_slot, 255, "point_size_slot", state.point_size_slot));
  WARPJIT_CHECK(take(from.distance_first, 255, "distance_first", state.distances.first));
  WARPJIT_CHECK(take(from.distance_count, 255, "distance_count", state.distances.count));
  WARPJIT_CHECK(take(from.distance_clip, 255, "distance_clip", state.distances.clip));
  WARPJIT_CHECK(take(from.distance_cull, 255, "distance_cull", state.distances.cull));
  state.depth_bias = {from.depth_bias_units, from.depth_bias_slope, from.depth_bias_clamp};
  state.depth_bounds = {from.depth_bounds[0], from.depth_bounds[1]};
  state.clip_bounds = {from.clip_bounds[0], from.clip_bounds[1]};
  WARPJIT_CHECK(take(from.sample_x, 255, "sample_x", state.sample_point[0]));
  WARPJIT_CHECK(take(from.sample_y, 255, "sample_y", state.sample_point[1]));
  return state;
}
warpjit_raster_state raster_of(const RasterState& state) {
  warpjit_raster_state to{};
  to.topology = static_cast<std::int32_t>(state.topology);
  to.shade = static_cast<std::int32_t>(state.shade);
  std::copy(state.viewport_scale.begin(), state.viewport_scale.end(), to.viewport_scale);
  std::copy(state.viewport_translate.begin(), state.viewport_translate.end(), to.viewport_translate);
  to.scissor_x = state.scissor.x;
  to.scissor_y = state.scissor.y;
  to.scissor_width = state.scissor.width;
  to.scissor_height = state.scissor.height;
  for (const RasterFlag& flag : kRasterFlags) to.*flag.from = state.*flag.to ? 1 : 0;
  to.point_size = state.point_size;
  to.line_width = state.line_width;
  to.point_size_slot = state.point_size_slot;
  to.distance_first = state.distances.first;
  to.distance_count = state.distances.count;
  to.distance_clip = state.distances.clip;
  to.distance_cull = state.distances.cull;
  to.depth_bias_units = state.depth_bias.units;
  to.depth_bias_slope = state.depth_bias.slope;
  to.depth_bias_clamp = state.depth_bias.clamp;
  std::copy(state.depth_bounds.begin(), state.depth_bounds.end(), to.depth_bounds);
  std::copy(state.clip_bounds.begin(), state.clip_bounds.end(), to.clip_bounds);
  to.sample_x = state.sample_point[0];
  to.sample_y = state.sample_point[1];
  return to;
}

Result<TargetBuffer> target_buffer(const warpjit_target_buffer* from) {
  TargetBuffer target;
  if (from == nullptr) return target;
  WARPJIT_TRY(const warpjit_target_buffer wanted, read(from, "target"));
  WARPJIT_CHECK(given(wanted.data, "data"));
  WARPJIT_TRY(target.format, enumerator(wanted.format, kLastPixelFormat, "format"));
  target.data = wanted.data;
  target.size = wanted.byte_count;
  target.pitch = wanted.pitch;
  return target;
}

bool is_format(std::int32_t format) {
  return format >= 0 && format <= static_cast<std::int32_t>(kLastPixelFormat);
}

}  // namespace
}  // namespace warpjit::c_api

using namespace warpjit;
using namespace warpjit::c_api;

size_t warpjit_pixel_size(int32_t format) {
  return is_format(format) ? pixel_size(static_cast<PixelFormat>(format)) : 0;
}
uint32_t warpjit_pixels_are_depth(int32_t format) {
  return is_format(format) && is_depth(static_cast<PixelFormat>(format)) ? 1 : 0;
}
uint32_t warpjit_pixels_are_integers(int32_t format) {
  return is_format(format) && is_integer(static_cast<PixelFormat>(format)) ? 1 : 0;
}

warpjit_status warpjit_default_output_state(warpjit_output_state* state, warpjit_error* error) {
  return fill(state, "state", error, {},
              []() -> Result<warpjit_output_state> { return output_of(OutputState{}); });
}
warpjit_status warpjit_default_raster_state(warpjit_raster_state* state, warpjit_error* error) {
  return fill(state, "state", error, {},
              []() -> Result<warpjit_raster_state> { return raster_of(RasterState{}); });
}

warpjit_status warpjit_launch_set_raster_state(warpjit_launch* launch, const warpjit_raster_state* state,
                                               warpjit_error* error) {
  return call(error, {{launch, "launch"}, {state, "state"}}, [&]() -> Status {
    WARPJIT_TRY(const warpjit_raster_state wanted, read(state, "state"));
    WARPJIT_TRY(const RasterState made, raster_state(wanted));
    return launch->launch.set_raster_state(made);
  });
}
warpjit_status warpjit_launch_set_output_state(warpjit_launch* launch, const warpjit_output_state* state,
                                               warpjit_error* error) {
  return call(error, {{launch, "launch"}, {state, "state"}}, [&]() -> Status {
    WARPJIT_TRY(const warpjit_output_state wanted, read(state, "state"));
    WARPJIT_TRY(const OutputState made, output_state(wanted));
    return launch->launch.set_output_state(made);
  });
}
warpjit_status warpjit_launch_set_target_size(warpjit_launch* launch, uint32_t width, uint32_t height,
                                              warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&] { return launch->launch.set_target_size(width, height); });
}
warpjit_status warpjit_launch_bind_color(warpjit_launch* launch, uint32_t number,
                                         const warpjit_target_buffer* target, warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&]() -> Status {
    WARPJIT_TRY(const TargetBuffer made, target_buffer(target));
    return launch->launch.bind_color(number, made);
  });
}
warpjit_status warpjit_launch_bind_depth(warpjit_launch* launch, const warpjit_target_buffer* target,
                                         warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&]() -> Status {
    WARPJIT_TRY(const TargetBuffer made, target_buffer(target));
    return launch->launch.bind_depth(made);
  });
}
warpjit_status warpjit_launch_bind_pass_counts(warpjit_launch* launch, const warpjit_target_buffer* target,
                                               warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&]() -> Status {
    WARPJIT_TRY(const TargetBuffer made, target_buffer(target));
    return launch->launch.bind_pass_counts(made);
  });
}
warpjit_status warpjit_launch_bind_vertices(warpjit_launch* launch, const warpjit_vertex_buffer* vertices,
                                            warpjit_error* error) {
  return call(error, {{launch, "launch"}, {vertices, "vertices"}}, [&]() -> Status {
    WARPJIT_TRY(const warpjit_vertex_buffer wanted, read(vertices, "vertices"));
    return launch->launch.bind_vertices({wanted.data, wanted.byte_count, wanted.stride, wanted.slots});
  });
}
warpjit_status warpjit_launch_set_indices(warpjit_launch* launch, const uint32_t* indices, size_t count,
                                          warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&]() -> Status {
    WARPJIT_TRY(const auto list, array(indices, count, "indices"));
    return launch->launch.set_indices(list);
  });
}
warpjit_status warpjit_launch_unset_indices(warpjit_launch* launch) {
  if (launch == nullptr) return WARPJIT_BAD_INPUT;
  launch->launch.unset_indices();
  return WARPJIT_OK;
}
warpjit_status warpjit_launch_set_geometry_stage(warpjit_launch* launch, const warpjit_launch* geometry,
                                                 warpjit_error* error) {
  return call(error, {{launch, "launch"}}, [&]() -> Status {
    if (geometry != nullptr) return launch->launch.set_geometry_stage(geometry->launch);
    launch->launch.unset_geometry_stage();
    return {};
  });
}
