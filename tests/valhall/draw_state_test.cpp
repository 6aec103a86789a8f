// Descriptors of draws in the terms that all GPUs share.
#include <cmath>
#include <cstring>
#include <limits>

#include "valhall/page_change.h"

namespace warpjit::valhall {
namespace {

using namespace in_draw;

Result<DrawState> state_of(const PageChange& change) {
  ImagePage page = draw_page();
  change(page);
  const auto image = page.image();
  WARPJIT_TRY(const Job vertices, read_job(*image, page.address(kVertexJob)));
  WARPJIT_TRY(const Job fragments, read_job(*image, page.address(kFragmentJob)));
  WARPJIT_TRY(const DrawDescriptor draw, read_draw(*image, vertices));
  WARPJIT_TRY(const Framebuffer framebuffer, read_framebuffer(*image, fragments));
  return convert_draw(*image, draw, framebuffer,
                      area_of(framebuffer, std::get<FragmentPayload>(fragments.payload)));
}
DrawState good_state(const PageChange& change) {
  const auto state = state_of(change);
  if (state) return *state;
  ADD_FAILURE() << to_string(state.error());
  return {};
}
std::string bad_state(const PageChange& change) {
  const auto state = state_of(change);
  return state ? "is converted" : std::string(name(state.error().code)) + ", " + state.error().message;
}

TEST(ValhallDrawState, Defaults) {
  const DrawState state = good_state([](ImagePage&) {});
  EXPECT_FALSE(state.nothing);
  const RasterState& raster = state.raster;
  EXPECT_TRUE(raster.window_positions);
  EXPECT_TRUE(raster.clip_near && raster.clip_far);
  EXPECT_EQ(raster.scissor, (RasterState::Rectangle{0, 0, 32, 32}));
  EXPECT_TRUE(raster.positive_is_front);
  EXPECT_FALSE(raster.cull_front || raster.cull_back);
  EXPECT_TRUE(raster.provoking_last);
  EXPECT_EQ(raster.depth_bounds, (std::array<float, 2>{0, 1}));
  EXPECT_EQ(raster.depth_bias, RasterState::DepthBias{});
  EXPECT_FALSE(state.output.depth.test || state.output.stencil.test);
  EXPECT_EQ(state.output.depth_format, PixelFormat::none);
  EXPECT_TRUE(state.output.early_tests);
  EXPECT_EQ(state.output.colors[0], PixelFormat::rgba8);
  for (unsigned n = 1; n < 8; ++n) EXPECT_EQ(state.output.colors[n], PixelFormat::none);
  EXPECT_FALSE(state.output.blend[0].enabled);
  EXPECT_EQ(state.output.blend[0].write_mask, 0xf);
  EXPECT_EQ(state.fragment.blend_targets[0], 0);
  for (unsigned n = 1; n < 8; ++n) EXPECT_EQ(state.fragment.blend_targets[n], FragmentSetup::kNoTarget);
}

TEST(ValhallDrawState, Area) {
  // Scissor, bounds and tiles: the innermost of each side.
  const DrawState state = good_state([](ImagePage& page) {
    page.u32(kVertexJob + 104, 3 << 16 | 2);
    page.u32(kVertexJob + 108, 29 << 16 | 40);
    page.u32(kFramebuffer + 36, 1 << 16 | 5);
    page.u32(kFramebuffer + 40, 20 << 16 | 30);
    page.u32(kFragmentJob + 32, 0);
    page.u32(kFragmentJob + 36, 1 << 16 | 0);
  });
  EXPECT_EQ(state.raster.scissor, (RasterState::Rectangle{5, 3, 11, 18}));
  EXPECT_TRUE(good_state(word(kVertexJob + 104, 32)).nothing);
  EXPECT_TRUE(good_state(word(kFragmentJob + 32, 2)).nothing);
  EXPECT_TRUE(good_state(word(kDraw + 4, 0xfffe | 1 << 16)).nothing);
}

TEST(ValhallDrawState, Raster) {
  RasterState raster = good_state(word(kDraw, 1 << 16 | 1 << 17)).raster;
  EXPECT_FALSE(raster.positive_is_front);
  EXPECT_TRUE(raster.cull_front);
  raster = good_state([](ImagePage& page) {
             page.u32(kDraw, 1 << 18);
             page.u32(kFramebuffer + 44, 1 << 14);
             put_floats(page, kVertexJob + 112, {3.5F});
             put_floats(page, kDraw + 24, {0.25F, 0.75F});
           }).raster;
  EXPECT_TRUE(raster.cull_back);
  EXPECT_FALSE(raster.provoking_last);
  EXPECT_EQ(raster.point_size, 3.5F);
  EXPECT_EQ(raster.line_width, 4);
  EXPECT_EQ(raster.clip_bounds, (std::array<float, 2>{0.25F, 0.75F}));
  EXPECT_EQ(raster.depth_bounds, (std::array<float, 2>{0, 1}));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  raster = good_state([](ImagePage& page) { put_floats(page, kDraw + 24, {-kInfinity, kInfinity}); }).raster;
  EXPECT_FALSE(raster.clip_near || raster.clip_far);
  EXPECT_EQ(raster.depth_bounds, (std::array<float, 2>{0, 1}));
  EXPECT_EQ(
      good_state([](ImagePage& page) { put_floats(page, kVertexJob + 112, {0.25F}); }).raster.line_width, 1);
  const std::string draw = "malloc vertex job at 0x200001000, draw";
  raster = good_state([](ImagePage& page) { put_floats(page, kDraw + 24, {-1, 1}); }).raster;
  EXPECT_TRUE(raster.clip_near && raster.clip_far);
  EXPECT_EQ(raster.clip_bounds, (std::array<float, 2>{-1, 1}));
  EXPECT_EQ(raster.depth_bounds, (std::array<float, 2>{0, 1}));
  raster = good_state([](ImagePage& page) { put_floats(page, kDraw + 24, {-kInfinity, -2}); }).raster;
  EXPECT_FALSE(raster.clip_near);
  EXPECT_EQ(raster.clip_bounds, (std::array<float, 2>{-2, -2}));
  raster = good_state([](ImagePage& page) { put_floats(page, kDraw + 24, {2, kInfinity}); }).raster;
  EXPECT_FALSE(raster.clip_far);
  EXPECT_EQ(raster.clip_bounds, (std::array<float, 2>{2, 2}));
  // Depth clamp: no clipping, and depth is limited to the draw's bounds or to 0 and 1.
  for (const bool to_bounds : {false, true}) {
    raster = good_state([&](ImagePage& page) {
               put_floats(page, kDraw + 24, {-0.5F, 0.75F});
               page.u32(kDepthStencil + 16, (to_bounds ? 2U : 1U) << 23 | 2U << 25 | 7U << 29);
             }).raster;
    EXPECT_FALSE(raster.clip_near || raster.clip_far);
    EXPECT_EQ(raster.clip_bounds, (std::array<float, 2>{0, 1}));
    EXPECT_EQ(raster.depth_bounds, (std::array<float, 2>{0, to_bounds ? 0.75F : 1.0F}));
  }
  EXPECT_EQ(bad_state([](ImagePage& page) {
              put_floats(page, kDraw + 24, {0.5F, 0.25F});
            }),
            "bad input, " + draw + ": minimum Z and maximum Z are no range");
  EXPECT_EQ(bad_state([](ImagePage& page) {
              put_floats(page, kDraw + 24, {0, NAN});
            }),
            "bad input, " + draw + ": minimum Z and maximum Z are no range");
  EXPECT_EQ(bad_state(word(kDraw, 1 << 22)), "not supported, " + draw + ": alpha-to-coverage is set");
  EXPECT_EQ(bad_state(word(kDraw, 2 << 14)), "bad input, " + draw + ": occlusion query: there is no 2");
  EXPECT_EQ(
      bad_state(word(kDraw, 1 << 19)),
      "not supported, " + draw +
          ": multisample enable is set, and fragment job at 0x200001180, framebuffer 0x200001400 has one "
          "sample: smooth lines, points and polygons need coverage of 16");
  EXPECT_EQ(bad_state(word(kVertexJob + 32, 8 | 1 << 21)),
            "not supported, malloc vertex job at 0x200001000: primitive: scissor array is set");
}

TEST(ValhallDrawState, DepthAndStencil) {
  // Front: equal, replace, zero, invert; back: less, wraps and the clamping ones.
  const DrawState state = good_state([](ImagePage& page) {
    page.u32(kDraw, 3 << 2);
    page.u32(kDepthStencil,
             7 | 2 << 4 | 1 << 7 | 2 << 10 | 3 << 13 | 1 << 16 | 4 << 19 | 6 << 22 | 7 << 25 | 1U << 31);
    page.u32(kDepthStencil + 4, 0x44332211);
    page.u32(kDepthStencil + 8, 0x6655);
    page.u32(kDepthStencil + 16, 1 << 23 | 2 << 25 | 1 << 27 | 1 << 28 | 6U << 29);
    put_floats(page, kDepthStencil + 20, {4, 1.5F, -0.25F});
  });
  EXPECT_EQ(state.output.depth, (DepthState{true, true, Compare::greater_equal}));
  EXPECT_EQ(state.output.depth_format, PixelFormat::d24s8);
  EXPECT_FALSE(state.output.early_tests);
  EXPECT_TRUE(state.output.stencil.test);
  EXPECT_EQ(state.output.stencil.front, (StencilFace{Compare::equal, StencilOp::replace, StencilOp::zero,
                                                     StencilOp::invert, 0x55, 0x33, 0x11}));
  EXPECT_EQ(state.output.stencil.back,
            (StencilFace{Compare::less, StencilOp::increment_wrap, StencilOp::increment_clamp,
                         StencilOp::decrement_clamp, 0x66, 0x44, 0x22}));
  EXPECT_EQ(state.raster.depth_bias, (RasterState::DepthBias{2, 1.5F, -0.25F}));
  EXPECT_FALSE(good_state(word(kDraw, 3 << 4)).output.early_tests);
  EXPECT_TRUE(good_state(word(kDraw, 2 << 2 | 1 << 4)).output.early_tests);
  // Always without writes needs no depth; with them it does.
  constexpr std::uint32_t kFixed = 1 << 22 | 1 << 23 | 2 << 25;
  EXPECT_TRUE(good_state(word(kDepthStencil + 16, kFixed | 1 << 27 | 7U << 29)).output.depth.test);
  const std::string place = "malloc vertex job at 0x200001000, draw, depth/stencil 0x200001700";
  EXPECT_EQ(bad_state(word(kDepthStencil, 6)), "bad input, " + place + ": type is 6, not 7");
  EXPECT_EQ(bad_state(word(kDepthStencil + 16, 2 << 25 | 7U << 29)),
            "bad input, " + place + ": depth clamp mode: there is no 0");
  EXPECT_EQ(bad_state(word(kDepthStencil + 16, 1 << 23 | 7U << 29)),
            "not supported, " + place + ": depth source is 0");
  EXPECT_TRUE(good_state(word(kDepthStencil, 7 | 1U << 30 | 1U << 31)).output.stencil.test);
  EXPECT_EQ(bad_state([](ImagePage& page) {
              page.u32(kDepthStencil, 7 | 1U << 31);
              page.u32(kFramebuffer + 48, 2 << 16 | 1 << 21);
            }),
            "not supported, " + place + ": stencil test enable is set, and the tile's depth format is D32");
  EXPECT_EQ(bad_state([](ImagePage& page) {
              page.u32(kDepthStencil + 16, kFixed | 1 << 28 | 7U << 29);
              put_floats(page, kDepthStencil + 20, {1, NAN, 0});
            }),
            "bad input, " + place + ": depth units, factor or bias clamp is no finite number");
  EXPECT_EQ(bad_state([](ImagePage& page) { page.point(kDraw + 40, kDepthStencil + 4); }),
            "bad input, malloc vertex job at 0x200001000, draw, depth/stencil 0x200001704: its address is "
            "no multiple of 32");
}

TEST(ValhallDrawState, Blend) {
  constexpr std::uint32_t kFixedFunction = 2 | 3 << 3;
  const auto blend = [&](std::uint32_t color, std::uint32_t alpha) {
    return good_state([=](ImagePage& page) {
             page.u32(kBlend + 4, 0xfU << 28 | alpha << 12 | color);
             page.u32(kBlend + 8, kFixedFunction);
           })
        .output;
  };
  // Replacing needs no blending.
  EXPECT_FALSE(blend(0x122, 0x122).blend[0].enabled);
  // Target + (source - target) * source alpha; -source + -target * (1 - twice the source).
  BlendState state = blend(0x503, 0xcaa).blend[0];
  EXPECT_TRUE(state.enabled && state.mixed);
  EXPECT_EQ(state.mix, (BlendMix{BlendMix::Add::target, false, BlendMix::Multiply::source_minus_target, false,
                                 BlendMix::By::source_alpha, false}));
  EXPECT_EQ(state.mix_alpha, (BlendMix{BlendMix::Add::source, true, BlendMix::Multiply::source, true,
                                       BlendMix::By::twice_source, true}));
  const BlendMix::By wanted[] = {BlendMix::By::zero,         BlendMix::By::source,
                                 BlendMix::By::target,       BlendMix::By::twice_source,
                                 BlendMix::By::source_alpha, BlendMix::By::target_alpha,
                                 BlendMix::By::constant};
  for (std::uint32_t c = 1; c < 8; ++c)
    for (std::uint32_t b = 0; b < 4; ++b) {
      state = blend(0x801 | c << 8 | b << 4, 0x122).blend[0];
      EXPECT_EQ(state.mix.by, wanted[c - 1]);
      EXPECT_EQ(static_cast<unsigned>(state.mix.multiply), b);
      EXPECT_EQ(state.mix.add, BlendMix::Add::zero);
      EXPECT_TRUE(state.mix.invert_by);
    }
  // The upper bits of the constant are those of the channel.
  const auto constant = [&](std::uint32_t tile, std::uint32_t format, std::uint32_t bits) {
    return good_state([=](ImagePage& page) {
             page.u32(kTargets, tile << 26);
             page.u32(kBlend, 1 << 9 | bits << 16);
             page.u32(kBlend + 4, 0xf << 28 | 0x122 << 12 | 0x722);
             page.u32(kBlend + 8, kFixedFunction);
             page.u32(kBlend + 12, format << 12);
           })
        .output.blend_constant;
  };
  EXPECT_EQ(constant(1, 237, 0x80ff),
            (std::array<float, 4>{128 / 255.F, 128 / 255.F, 128 / 255.F, 128 / 255.F}));
  EXPECT_EQ(constant(2, 238, 0xffc0), (std::array<float, 4>{1, 1, 1, 1}));
  EXPECT_EQ(constant(5, 227, 0x8400), (std::array<float, 4>{16 / 31.F, 33 / 63.F, 16 / 31.F, 16 / 31.F}));
}

TEST(ValhallDrawState, Targets) {
  const auto format = [&](std::uint32_t tile, std::uint32_t code, bool srgb = false) {
    const auto state = state_of([=](ImagePage& page) {
      page.u32(kTargets, tile << 26);
      page.u32(kBlend, 1 << 9 | (srgb ? 1 << 10 : 0));
      page.u32(kBlend + 12, code);
    });
    return state ? state->output.colors[0] : PixelFormat::none;
  };
  struct Row {
    std::uint32_t tile, code;
    PixelFormat format;
  };
  const Row rows[] = {{1, 237, PixelFormat::rgba8},         {2, 238, PixelFormat::rgb10a2},
                      {4, 232, PixelFormat::rgba4},         {4, 233, PixelFormat::rgba4},
                      {5, 226, PixelFormat::rgb565},        {5, 227, PixelFormat::rgb565},
                      {6, 224, PixelFormat::rgb5a1},        {6, 225, PixelFormat::rgb5a1},
                      {35, 223, PixelFormat::rgba16f},      {36, 191, PixelFormat::rgba32f},
                      {34, 167, PixelFormat::r32f},         {36, 221, PixelFormat::rgba32i},
                      {36, 157, PixelFormat::rgba32ui},     {34, 197, PixelFormat::r32i},
                      {34, 133, PixelFormat::r32ui},        {34, 219, PixelFormat::rgba8i},
                      {34, 155, PixelFormat::rgba8ui},      {32, 163, PixelFormat::r8},
                      {33, 171, PixelFormat::rg8},          {34, 187, PixelFormat::rgba8},
                      {33, 164, PixelFormat::r16},          {34, 172, PixelFormat::rg16},
                      {35, 188, PixelFormat::rgba16},       {32, 99, PixelFormat::r8_snorm},
                      {33, 107, PixelFormat::rg8_snorm},    {34, 123, PixelFormat::rgba8_snorm},
                      {33, 100, PixelFormat::r16_snorm},    {34, 108, PixelFormat::rg16_snorm},
                      {35, 124, PixelFormat::rgba16_snorm}, {32, 131, PixelFormat::r8ui},
                      {33, 139, PixelFormat::rg8ui},        {32, 195, PixelFormat::r8i},
                      {33, 203, PixelFormat::rg8i},         {33, 132, PixelFormat::r16ui},
                      {34, 140, PixelFormat::rg16ui},       {35, 156, PixelFormat::rgba16ui},
                      {33, 196, PixelFormat::r16i},         {34, 204, PixelFormat::rg16i},
                      {35, 220, PixelFormat::rgba16i},      {35, 141, PixelFormat::rg32ui},
                      {35, 205, PixelFormat::rg32i},        {33, 199, PixelFormat::r16f},
                      {34, 207, PixelFormat::rg16f},        {35, 175, PixelFormat::rg32f},
                      {33, 64, PixelFormat::rgb565},        {33, 65, PixelFormat::rgb5a1},
                      {33, 186, PixelFormat::rgba4},        {34, 67, PixelFormat::rgb10a2},
                      {34, 71, PixelFormat::rgb10a2ui},     {34, 89, PixelFormat::r11g11b10f}};
  for (const Row& row : rows) {
    EXPECT_EQ(format(row.tile, row.code << 12), row.format) << row.code;
    EXPECT_EQ(format(row.tile == 1 ? 2 : 1, row.code << 12), PixelFormat::none) << row.code;
    EXPECT_EQ(format(row.tile, row.code << 12 | 4), PixelFormat::none) << row.code;
    EXPECT_EQ(format(row.tile, row.code << 12, true),
              row.code == 237 || row.code == 187 ? PixelFormat::srgb8 : PixelFormat::none);
  }
  // Without alpha RGB1 is RGBA.
  EXPECT_EQ(format(34, 89 << 12 | 16), PixelFormat::r11g11b10f);
  EXPECT_EQ(format(33, 139 << 12 | 16), PixelFormat::rg8ui);
  EXPECT_EQ(format(35, 220 << 12 | 16), PixelFormat::none);
  // The target comes from the internal word.
  const DrawState state = good_state([](ImagePage& page) {
    page.u32(kFramebuffer + 44, 2 << 19);
    for (std::uint32_t n = 1; n < 3; ++n) page.u32(kTargets + 64 * n, 1 << 26);
    page.u32(kDraw + 4, 0xffff | 7 << 16);
    page.point(kDraw + 48, kBlend, 2);
    page.u32(kBlend + 8, 1 | 3 << 3 | 2 << 16);
    for (std::uint32_t k = 0; k < 4; ++k)
      page.u32(kBlend + 16 + 4 * k, static_cast<std::uint32_t>(page.get(kBlend + 4 * k, 4)));
    page.u32(kBlend + 16 + 4, 0x5U << 28 | 0x122 << 12 | 0x122);
    page.u32(kBlend + 16 + 8, 1 | 3 << 3 | 1 << 16);
  });
  EXPECT_EQ(state.fragment.blend_targets[0], 2);
  EXPECT_EQ(state.fragment.blend_targets[1], 1);
  EXPECT_EQ(state.output.colors[0], PixelFormat::none);
  EXPECT_EQ(state.output.blend[1].write_mask, 5);
  EXPECT_EQ(state.output.blend[2].write_mask, 15);
  // Off, not enabled, no component, not in the mask: not written.
  for (const PageChange& change : {word(kBlend + 8, 3), word(kBlend, 0), word(kBlend + 4, 0x122122),
                                   word(kDraw + 4, 0xffff | 2 << 16)}) {
    const DrawState none = good_state(change);
    EXPECT_EQ(none.output.colors[0], PixelFormat::none);
    EXPECT_EQ(none.fragment.blend_targets[0], FragmentSetup::kNoTarget);
  }
}

TEST(ValhallDrawState, BlendRefused) {
  const std::string place = "malloc vertex job at 0x200001000, draw, blend 0 at 0x200001720";
  EXPECT_EQ(bad_state(word(kBlend, 1 << 8 | 1 << 9)), "not supported, " + place + ": alpha to one is set");
  EXPECT_EQ(bad_state(word(kBlend + 8, 1 | 8 << 16)), "bad input, " + place + ": target is 8, above 7");
  EXPECT_EQ(bad_state(word(kBlend + 8, 1 | 1 << 16)), "bad input, " + place + ": target is 1 of 1");
  EXPECT_EQ(bad_state(word(kBlend + 12, 241 << 12)),
            "not supported, " + place + ": format is 0xf1000 (tile rgb8a2)");
  EXPECT_EQ(bad_state(word(kBlend + 12, 238 << 12)),
            "not supported, " + place +
                ": format 0xee000 (tile rgb10a2) is not that of fragment job at 0x200001180, framebuffer "
                "0x200001400, "
                "target 0, internal format 1 (rgba8)");
  EXPECT_EQ(bad_state([](ImagePage& page) {
              page.u32(kBlend + 4, 0xf << 28 | 0x122 << 12 | 0x022);
              page.u32(kBlend + 8, 2);
            }),
            "bad input, " + place + ": equation: operand A or C is 0");
  EXPECT_EQ(bad_state([](ImagePage& page) {
              page.u32(kTargets, 34 << 26);
              page.u32(kBlend + 8, 2);
              page.u32(kBlend + 12, 133 << 12);
            }),
            "not supported, " + place + ": blending of an integer format");
  EXPECT_EQ(bad_state([](ImagePage& page) { page.point(kDraw + 48, kBlend, 9); }),
            "bad input, malloc vertex job at 0x200001000, draw: blend count is 9, above 8");
  EXPECT_EQ(bad_state([](ImagePage& page) { page.u64(kDraw + 48, 0x500000001); }),
            "bad input, malloc vertex job at 0x200001000, draw, blend 0 at 0x500000000: its 16 bytes at "
            "0x500000000 are outside of the image");
}

TEST(ValhallDrawState, Primitives) {
  const auto assembled = [](std::uint32_t mode, std::vector<std::uint32_t> indices, bool first,
                            bool restart = false) {
    ImagePage page = draw_page();
    page.u32(kVertexJob + 32, mode | 2 << 8 | (restart ? 1 << 19 : 0));
    page.u32(kVertexJob + 44, static_cast<std::uint32_t>(indices.size()));
    for (std::uint32_t k = 0; k < indices.size(); ++k) page.set(kIndices + 2 * k, indices[k], 2);
    const auto image = page.image();
    const auto job = read_job(*image, page.address(kVertexJob));
    const auto primitives = assemble_primitives(*image, *job, first);
    EXPECT_TRUE(primitives.ok());
    return *primitives;
  };
  using List = std::vector<std::uint32_t>;
  constexpr std::uint32_t kStop = 0xffff;
  // As they are, while nothing restarts.
  EXPECT_EQ(assembled(10, {5, 6, 7, 8}, false).topology, Topology::triangle_strip);
  EXPECT_EQ(assembled(10, {5, 6, kStop, 8}, false).indices, (List{5, 6, kStop, 8}));
  EXPECT_EQ(assembled(13, {5, 6, 7, 8}, false, true).topology, Topology::triangle_fan);
  // Parity begins again.
  const List strips = {0, 1, 2, 3, kStop, 4, 5, kStop, kStop, 6, 7, 8, 9};
  EXPECT_EQ(assembled(10, strips, false, true).indices, (List{0, 1, 2, 2, 1, 3, 6, 7, 8, 8, 7, 9}));
  EXPECT_EQ(assembled(10, strips, true, true).indices, (List{0, 1, 2, 1, 3, 2, 6, 7, 8, 7, 9, 8}));
  EXPECT_EQ(assembled(10, strips, true, true).topology, Topology::triangles);
  EXPECT_EQ(assembled(12, {9, 1, 2, 3, kStop, 4, 5, 6}, false, true).indices,
            (List{9, 1, 2, 9, 2, 3, 4, 5, 6}));
  EXPECT_EQ(assembled(12, {9, 1, 2, 3, kStop, 4, 5, 6}, true, true).indices,
            (List{1, 2, 9, 2, 3, 9, 5, 6, 4}));
  EXPECT_EQ(assembled(8, {0, 1, 2, 3, kStop, 4, 5, 6}, false, true).indices, (List{0, 1, 2, 4, 5, 6}));
  EXPECT_EQ(assembled(2, {0, 1, 2, kStop, 4, 5}, false, true).indices, (List{0, 1, 4, 5}));
  EXPECT_EQ(assembled(4, {0, 1, 2, kStop, 4, 5}, false, true).indices, (List{0, 1, 1, 2, 4, 5}));
  EXPECT_EQ(assembled(6, {0, 1, 2, kStop, 4}, false, true).indices, (List{0, 1, 1, 2, 2, 0}));
  EXPECT_EQ(assembled(6, {0, 1, 2}, false).topology, Topology::lines);
  EXPECT_EQ(assembled(1, {0, kStop, 2}, false, true).indices, (List{0, 2}));
  EXPECT_EQ(assembled(14, {0, 1, 2, 3, 4, 5, 6, 7, 8}, false).indices,
            (List{0, 1, 3, 1, 2, 3, 4, 5, 7, 5, 6, 7}));
  EXPECT_EQ(assembled(14, {0, 1, 2, 3}, true).indices, (List{0, 1, 2, 0, 2, 3}));
}

}  // namespace
}  // namespace warpjit::valhall
