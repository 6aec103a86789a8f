#include "frontend/valhall/container/draw.h"

#include <cmath>

#include "frontend/valhall/container/descriptor.h"

namespace warpjit::valhall {
namespace {

constexpr std::uint32_t kBlendBytes = 16, kTilerBytes = 192;
// Words of the job where its parts begin.
constexpr std::size_t kPrimitive = 8, kScissor = 26, kSize = 28, kDraw = 32;
constexpr std::uint32_t kFragmentEnvironment = 64;  // bytes from the draw

std::uint8_t small(std::uint32_t value) { return static_cast<std::uint8_t>(value); }

Result<DepthStencilDescriptor> read_depth_stencil(const Image& image, const std::string& place,
                                                  std::uint64_t address) {
  WARPJIT_TRY(const Descriptor d, Descriptor::read(image, place + ", depth/stencil " + hex_text(address),
                                                   address, kDescriptorBytes));
  if (address % kDescriptorBytes != 0) return d.error("its address is no multiple of 32");
  if (const std::uint32_t type = d.bits(0, 0, 4); type != 7)
    return d.error("type is " + std::to_string(type) + ", not 7");
  const auto side = [&](unsigned low, unsigned n) {
    return StencilSide{.function = small(d.bits(0, low, 3)),
                       .fail = small(d.bits(0, low + 3, 3)),
                       .depth_fail = small(d.bits(0, low + 6, 3)),
                       .depth_pass = small(d.bits(0, low + 9, 3)),
                       .write_mask = small(d.bits(1, 8 * n, 8)),
                       .value_mask = small(d.bits(1, 16 + 8 * n, 8)),
                       .reference = small(d.bits(2, 8 * n, 8))};
  };
  DepthStencilDescriptor state{.address = address,
                               .place = d.place(),
                               .stencil_test = d.bit(0, 31),
                               .stencil_from_shader = d.bit(0, 30),
                               .front = side(4, 0),
                               .back = side(16, 1),
                               .depth_cull = d.bit(4, 22),
                               .depth_source = static_cast<DepthSource>(d.bits(4, 25, 2)),
                               .depth_write = d.bit(4, 27),
                               .depth_bias = d.bit(4, 28),
                               .depth_function = small(d.bits(4, 29, 3)),
                               .units = d.number(5),
                               .factor = d.number(6),
                               .bias_clamp = d.number(7)};
  const std::uint32_t clamp = d.bits(4, 23, 2);
  if (clamp != 1 && clamp != 2) return d.error("depth clamp mode: there is no " + std::to_string(clamp));
  state.clamp_to_bounds = clamp == 2;
  if (state.depth_bias &&
      !(std::isfinite(state.units) && std::isfinite(state.factor) && !std::isnan(state.bias_clamp)))
    return d.error("depth units, factor or bias clamp is no finite number");
  return state;
}

BlendFunction blend_function(const Descriptor& d, unsigned low) {
  return {.a = small(d.bits(1, low, 2)),
          .b = small(d.bits(1, low + 4, 2)),
          .c = small(d.bits(1, low + 8, 3)),
          .negate_a = d.bit(1, low + 3),
          .negate_b = d.bit(1, low + 7),
          .invert_c = d.bit(1, low + 11)};
}

Result<BlendDescriptor> read_blend(const Image& image, std::string place, std::uint64_t address) {
  WARPJIT_TRY(const Descriptor d, Descriptor::read(image, std::move(place), address, kBlendBytes));
  BlendDescriptor blend{.address = address,
                        .place = d.place(),
                        .alpha_to_one = d.bit(0, 8),
                        .enable = d.bit(0, 9),
                        .srgb = d.bit(0, 10),
                        .constant = static_cast<std::uint16_t>(d.bits(0, 16, 16)),
                        .color = blend_function(d, 0),
                        .alpha = blend_function(d, 12),
                        .mask = small(d.bits(1, 28, 4)),
                        .mode = static_cast<BlendMode>(d.bits(2, 0, 2))};
  if (blend.mode == BlendMode::shader) blend.shader = d.bits(3, 4, 28) << 4;
  if (blend.mode == BlendMode::shader || blend.mode == BlendMode::off) return blend;
  blend.components = small(d.bits(2, 3, 2) + 1);
  blend.target = small(d.bits(2, 16, 4));
  blend.format = d.bits(3, 0, 22);
  blend.raw = d.bit(3, 22);
  if (blend.target > 7) return d.error("target is " + std::to_string(blend.target) + ", above 7");
  return blend;
}

}  // namespace

Result<DrawDescriptor> read_draw(const Image& image, const Job& job) {
  if (job.kind != JobKind::malloc_vertex)
    return Error{ErrorCode::bad_input, job.place() + ": it is no malloc vertex job", image.name()};
  WARPJIT_TRY(const Descriptor whole, Descriptor::read(image, job.place(), job.address, job.bytes()));
  if (whole.bit(kPrimitive, 20)) return whole.refuse("primitive: layer index is set");
  if (whole.bit(kPrimitive, 21)) return whole.refuse("primitive: scissor array is set");
  WARPJIT_TRY(DrawDescriptor draw, read_draw_at(image, job.place() + ", draw", job.address + 4 * kDraw));
  const std::uint32_t sizes = whole.bits(kPrimitive, 11, 2);
  if (sizes == 1) return whole.error("primitive, point size array format: there is no 1");
  draw.point_size_bits = sizes == 0 ? 0 : sizes == 2 ? 16 : 32;
  for (unsigned k = 0; k < 2; ++k) {
    draw.scissor_first[k] = static_cast<std::uint16_t>(whole.bits(kScissor, 16 * k, 16));
    draw.scissor_last[k] = static_cast<std::uint16_t>(whole.bits(kScissor + 1, 16 * k, 16));
  }
  draw.size = whole.number(kSize);
  return draw;
}

Result<DrawDescriptor> read_draw_at(const Image& image, std::string place, std::uint64_t address) {
  WARPJIT_TRY(const Descriptor d, Descriptor::read(image, std::move(place), address, kDrawBytes));
  DrawDescriptor draw{.address = address, .place = d.place()};
  draw.scissor_last = {0xffff, 0xffff};
  draw.pixel_kill = static_cast<TestTime>(d.bits(0, 2, 2));
  draw.depth_update = static_cast<TestTime>(d.bits(0, 4, 2));
  const std::uint32_t query = d.bits(0, 14, 2);
  if (query == 2) return d.error("occlusion query: there is no 2");
  draw.query = static_cast<OcclusionQuery>(query);
  draw.query_result = d.address(14);
  draw.front_counterclockwise = d.bit(0, 16);
  draw.cull_front = d.bit(0, 17);
  draw.cull_back = d.bit(0, 18);
  draw.multisample = d.bit(0, 19);
  draw.per_sample = d.bit(0, 11);
  if (d.bit(0, 22)) return d.refuse("alpha-to-coverage is set");
  draw.sample_mask = static_cast<std::uint16_t>(d.bits(1, 0, 16));
  draw.target_mask = small(d.bits(1, 16, 8));
  draw.minimum_depth = d.number(6);
  draw.maximum_depth = d.number(7);
  if (std::isnan(draw.minimum_depth) || std::isnan(draw.maximum_depth) ||
      draw.minimum_depth > draw.maximum_depth)
    return d.error("minimum Z and maximum Z are no range");
  WARPJIT_TRY(draw.depth_stencil, read_depth_stencil(image, d.place(), d.address(10)));
  const std::uint64_t count = d.bits(12, 0, 4), at = d.address(12) & ~std::uint64_t{15};
  if (count > 8) return d.error("blend count is " + std::to_string(count) + ", above 8");
  for (std::uint64_t n = 0; n < count; ++n) {
    const std::uint64_t address = at + kBlendBytes * n;
    WARPJIT_TRY(
        BlendDescriptor blend,
        read_blend(image, d.place() + ", blend " + std::to_string(n) + " at " + hex_text(address), address));
    draw.blend.push_back(std::move(blend));
  }
  WARPJIT_TRY(draw.fragment,
              read_environment(image, d.place() + ", fragment environment", address + kFragmentEnvironment));
  return draw;
}

Result<TilerContext> read_tiler(const Image& image, const std::string& place, std::uint64_t address) {
  WARPJIT_TRY(const Descriptor d,
              Descriptor::read(image, place + ", tiler " + hex_text(address), address, kTilerBytes));
  if (address % 64 != 0) return d.error("its address is no multiple of 64");
  if (const std::uint32_t layers = d.bits(4, 0, 8) + 1; layers != 1)
    return d.refuse("layer count is " + std::to_string(layers));
  return TilerContext{.address = address,
                      .first_provoking = d.bit(2, 18),
                      .width = d.bits(3, 0, 16) + 1,
                      .height = d.bits(3, 16, 16) + 1};
}

}  // namespace warpjit::valhall
