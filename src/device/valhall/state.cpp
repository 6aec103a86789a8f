#include "device/valhall/state.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "device/valhall/pixel_format.h"
#include "device/valhall/tile.h"
#include "frontend/valhall/container/format_names.h"

namespace warpjit::valhall {
namespace {

StencilFace stencil_face(const StencilSide& side) {
  constexpr StencilOp kOps[] = {StencilOp::keep,
                                StencilOp::replace,
                                StencilOp::zero,
                                StencilOp::invert,
                                StencilOp::increment_wrap,
                                StencilOp::decrement_wrap,
                                StencilOp::increment_clamp,
                                StencilOp::decrement_clamp};
  return {.compare = static_cast<Compare>(side.function),
          .fail = kOps[side.fail],
          .depth_fail = kOps[side.depth_fail],
          .pass = kOps[side.depth_pass],
          .reference = side.reference,
          .read_mask = side.value_mask,
          .write_mask = side.write_mask};
}

std::optional<BlendMix> blend_mix(const BlendFunction& f) {
  // 0 is no operand.
  if (f.a == 0 || f.c == 0) return std::nullopt;
  constexpr BlendMix::By kBy[] = {BlendMix::By::zero,         BlendMix::By::zero,
                                  BlendMix::By::source,       BlendMix::By::target,
                                  BlendMix::By::twice_source, BlendMix::By::source_alpha,
                                  BlendMix::By::target_alpha, BlendMix::By::constant};
  return BlendMix{.add = static_cast<BlendMix::Add>(f.a - 1),
                  .negate_add = f.negate_a,
                  .multiply = static_cast<BlendMix::Multiply>(f.b),
                  .negate_multiply = f.negate_b,
                  .by = kBy[f.c],
                  .invert_by = f.invert_c};
}

// True if the result is the source and does not depend on the target.
bool replaces(const BlendMix& mix) {
  return mix.add == BlendMix::Add::source && !mix.negate_add && mix.by == BlendMix::By::zero &&
         !mix.invert_by;
}

class DrawReader {
 public:
  DrawReader(const Image& image, const DrawDescriptor& draw, const Framebuffer& framebuffer,
             DrawState state = {})
      : image_(image), draw_(draw), framebuffer_(framebuffer), state_(std::move(state)) {}

  Result<DrawState> read(const DrawArea& area, unsigned sample) {
    sample_ = sample;
    WARPJIT_CHECK(read_raster(area));
    WARPJIT_CHECK(read_depth_stencil());
    state_.fragment.points_from_bottom = framebuffer_.points_from_bottom;
    state_.fragment.blend_targets.fill(FragmentSetup::kNoTarget);
    for (BlendState& blend : state_.output.blend) blend.write_mask = 0;
    for (std::size_t n = 0; n < draw_.blend.size(); ++n) WARPJIT_CHECK(read_blend(n));
    return state_;
  }

  // A blend shader may have several BLENDs of one target.
  Result<DrawState> with_shader_target(std::size_t n, unsigned target, std::uint32_t format) {
    const BlendDescriptor& d = draw_.blend[n];
    if (state_.fragment.blend_targets[n] == target) {
      if (state_.output.colors[target] != find_target_format(format, d.srgb).format)
        return fail(d.place, "the blend shader writes target " + std::to_string(target) + " in two formats");
      return state_;
    }
    if (state_.fragment.blend_targets[n] != FragmentSetup::kNoTarget)
      return fail(d.place, "the blend shader writes two targets");
    WARPJIT_TRY(const PixelFormat bound, bind_target(n, target, format));
    if (bound != PixelFormat::none) state_.output.blend[target].write_mask = 0xf;
    return state_;
  }

 private:
  Error fail(const std::string& place, const std::string& what,
             ErrorCode code = ErrorCode::unsupported) const {
    return {code, place + ": " + what, image_.name()};
  }

  Status read_raster(const DrawArea& area) {
    RasterState& raster = state_.raster;
    raster.window_positions = true;
    raster.depth_zero_to_one = true;
    std::array<std::uint32_t, 2> first{}, last{};
    for (unsigned k = 0; k < 2; ++k) {
      first[k] = std::max<std::uint32_t>(draw_.scissor_first[k], area.first[k]);
      last[k] = std::min<std::uint32_t>(draw_.scissor_last[k], area.last[k]);
      if (first[k] > last[k]) state_.nothing = true;
    }
    if (area.empty || (draw_.sample_mask >> sample_ & 1) == 0) state_.nothing = true;
    if (!state_.nothing)
      raster.scissor = {first[0], first[1], last[0] - first[0] + 1, last[1] - first[1] + 1};
    raster.positive_is_front = !draw_.front_counterclockwise;
    raster.cull_front = draw_.cull_front;
    raster.cull_back = draw_.cull_back;
    raster.provoking_last = !framebuffer_.first_provoking;
    raster.point_size = draw_.size;
    raster.line_width = draw_.size > 1 ? std::min(std::nearbyint(draw_.size), 16384.0F) : 1;
    set_depth_limits();
    set_sample();
    if (draw_.multisample && framebuffer_.samples == 1)
      return fail(draw_.place, "multisample enable is set, and " + framebuffer_.place +
                                   " has one sample: smooth lines, points and polygons need coverage of 16");
    return {};
  }

  // Without multisample enable all samples lie in the centre, as far as the draw goes.
  void set_sample() {
    FragmentSetup& setup = state_.fragment;
    setup.samples = static_cast<std::uint8_t>(framebuffer_.samples);
    setup.sample = static_cast<std::uint8_t>(sample_);
    if (draw_.multisample) setup.sample_points = framebuffer_.sample_points;
    state_.raster.sample_point = setup.sample_points[sample_];
  }

  // Where primitives are clipped, and what depth is limited to: never beyond 0 and 1, as no depth is.
  void set_depth_limits() {
    RasterState& raster = state_.raster;
    const float bounds[] = {draw_.minimum_depth, draw_.maximum_depth};
    const bool culls = draw_.depth_stencil.depth_cull;
    raster.clip_near = culls && std::isfinite(bounds[0]);
    raster.clip_far = culls && std::isfinite(bounds[1]);
    if (raster.clip_near) raster.clip_bounds = {bounds[0], std::max(bounds[0], 1.0F)};
    if (raster.clip_far) raster.clip_bounds = {std::min(raster.clip_bounds[0], bounds[1]), bounds[1]};
    if (draw_.depth_stencil.clamp_to_bounds)
      for (unsigned k = 0; k < 2; ++k) raster.depth_bounds[k] = std::clamp(bounds[k], 0.0F, 1.0F);
  }

  Status read_depth_stencil() {
    const DepthStencilDescriptor& d = draw_.depth_stencil;
    OutputState& output = state_.output;
    if (d.depth_source == DepthSource::minimum || d.depth_source == DepthSource::maximum)
      return fail(d.place, "depth source is " + std::to_string(static_cast<unsigned>(d.depth_source)));
    const auto compare = static_cast<Compare>(d.depth_function);
    output.depth = {
        .test = compare != Compare::always || d.depth_write, .write = d.depth_write, .compare = compare};
    output.stencil = {.test = d.stencil_test, .front = stencil_face(d.front), .back = stencil_face(d.back)};
    if (d.stencil_test && framebuffer_.depth_format != DepthFormat::d24)
      return fail(d.place, "stencil test enable is set, and the tile's depth format is " +
                               std::string(name(framebuffer_.depth_format)));
    if (output.depth.test || d.stencil_test) output.depth_format = depth_pixels(framebuffer_.depth_format);
    output.early_tests =
        draw_.pixel_kill != TestTime::force_late && draw_.depth_update != TestTime::force_late;
    // Drivers write twice the units of their interface.
    if (d.depth_bias)
      state_.raster.depth_bias = {.units = d.units / 2, .slope = d.factor, .clamp = d.bias_clamp};
    return {};
  }

  Status read_blend(std::size_t n) {
    const BlendDescriptor& d = draw_.blend[n];
    // What blend shaders write, these say themselves.
    if (d.mode == BlendMode::off || d.mode == BlendMode::shader || !d.enable || d.mask == 0) return {};
    if (d.alpha_to_one) return fail(d.place, "alpha to one is set");
    WARPJIT_TRY(const PixelFormat format, bind_target(n, d.target, d.format));
    if (format == PixelFormat::none) return {};
    BlendState& blend = state_.output.blend[d.target];
    blend.write_mask = d.mask;
    if (d.mode == BlendMode::opaque) return {};
    const auto color = blend_mix(d.color), alpha = blend_mix(d.alpha);
    if (!color || !alpha) return fail(d.place, "equation: operand A or C is 0", ErrorCode::bad_input);
    if (is_integer(format)) return fail(d.place, "blending of an integer format");
    const bool limited = channel_bits(format)[0] != 0;
    if (limited && replaces(*color) && replaces(*alpha)) return {};
    blend.enabled = true;
    blend.mixed = true;
    blend.mix = *color;
    blend.mix_alpha = *alpha;
    if (color->by == BlendMix::By::constant || alpha->by == BlendMix::By::constant)
      return read_constant(d, format);
    return {};
  }

  // The format of a target that descriptor n writes; none: the draw does not write it.
  Result<PixelFormat> bind_target(std::size_t n, unsigned number, std::uint32_t code) {
    const BlendDescriptor& d = draw_.blend[n];
    if (number >= framebuffer_.targets.size())
      return fail(
          d.place,
          "target is " + std::to_string(number) + " of " + std::to_string(framebuffer_.targets.size()),
          ErrorCode::bad_input);
    if ((draw_.target_mask >> number & 1) == 0) return PixelFormat::none;
    PixelFormat& bound = state_.output.colors[number];
    if (bound != PixelFormat::none)
      return fail(d.place, "target " + std::to_string(number) + " is that of another descriptor, too");
    const RenderTarget& target = framebuffer_.targets[number];
    if (target.is_off()) return PixelFormat::none;
    const TargetFormat found = find_target_format(code, d.srgb);
    if (found.format == PixelFormat::none)
      return fail(d.place, "format is " + pixel_format_text(code) + (d.srgb ? " in sRGB" : ""));
    if (!tile_has(target.tile_format, found))
      return fail(d.place, "format " + pixel_format_text(code) + " is not that of " + target.place +
                               ", internal format " + tile_format_text(target.tile_format));
    state_.fragment.blend_targets[n] = static_cast<std::uint8_t>(number);
    bound = found.format;
    return bound;
  }

  // One for all targets.
  Status read_constant(const BlendDescriptor& d, PixelFormat format) {
    const auto bits = channel_bits(format);
    if (bits[0] == 0) return fail(d.place, "constant of a format that is not unorm");
    std::array<float, 4> constant{};
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned n = bits[k] == 0 ? bits[0] : bits[k];
      constant[k] = static_cast<float>(d.constant >> (16 - n)) / static_cast<float>((1U << n) - 1);
    }
    if (constant_ && constant != *constant_)
      return fail(d.place, "constant is not that of the other targets");
    constant_ = constant;
    state_.output.blend_constant = constant;
    return {};
  }

  const Image& image_;
  const DrawDescriptor& draw_;
  const Framebuffer& framebuffer_;
  std::optional<std::array<float, 4>> constant_;
  unsigned sample_ = 0;
  DrawState state_;
};

}  // namespace

PixelFormat depth_pixels(DepthFormat format) {
  constexpr PixelFormat kFormats[] = {PixelFormat::d16, PixelFormat::d24s8, PixelFormat::d32f};
  return kFormats[static_cast<std::size_t>(format)];
}

DrawArea area_of(const Framebuffer& framebuffer, const FragmentPayload& payload) {
  const std::uint32_t extent[] = {framebuffer.width, framebuffer.height};
  DrawArea area;
  for (unsigned k = 0; k < 2; ++k) {
    area.first[k] = std::max<std::uint32_t>(framebuffer.first[k], payload.first[k] * 16U);
    area.last[k] = std::min({framebuffer.last[k], payload.last[k] * 16U + 15, extent[k] - 1});
    if (area.first[k] > area.last[k]) area.empty = true;
  }
  return area;
}

Result<DrawState> convert_draw(const Image& image, const DrawDescriptor& draw, const Framebuffer& framebuffer,
                               const DrawArea& area, unsigned sample) {
  return DrawReader(image, draw, framebuffer).read(area, sample);
}

Status bind_shader_target(const Image& image, const DrawDescriptor& draw, const Framebuffer& framebuffer,
                          std::size_t n, unsigned target, std::uint32_t format, DrawState& state) {
  WARPJIT_TRY(state, DrawReader(image, draw, framebuffer, state).with_shader_target(n, target, format));
  return {};
}

}  // namespace warpjit::valhall
