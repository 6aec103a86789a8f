// What depth bias and bounds make of depth, places of samples, counts (docs/pixels.md 7 and 9), on every
// engine. Expected numbers are worked out by hand.
#include <cmath>
#include <tuple>

#include "runtime/neutral_shader.h"

namespace warpjit::test {
namespace {

using interpret::Fragment;
using interpret::Quad;
using NeutralFrame = frontend::FragmentFrame;
using NeutralResults = NeutralFragment::Results;

// --- Depth -------------------------------------------------------------------------------------------------

NeutralFragment nothing() {
  NeutralFragment program;
  program.compiled = [](ir::Builder&, NeutralFrame&, NeutralResults&) {};
  program.interpreted = [](const Quad&, std::int32_t, std::int32_t, Fragment&) {};
  return program;
}

struct Biased {
  PixelFormat format = PixelFormat::d32f;
  RasterState::DepthBias bias{};
  std::array<float, 3> z{};  // at (0, 0), (8, 0), (0, 8)
  Topology topology = Topology::triangles;
};
// The depth of pixel (0, 0), and of the pixel below it.
std::array<std::uint32_t, 2> biased_depth(const Engine& engine, const Biased& c) {
  NeutralDraw draw(nothing(), 2, 2);
  draw.depth(c.format);
  draw.raster.topology = c.topology;
  draw.raster.depth_bias = c.bias;
  draw.raster.line_width = draw.raster.point_size = 8;
  draw.output.depth.test = true;
  draw.output.depth.compare = Compare::always;
  if (c.topology == Topology::points) {
    draw.vertex(0, 0, c.z[0], 1);
  } else {
    draw.vertex(0, 0, c.z[0], 1);
    draw.vertex(8, 0, c.z[1], 1);
    if (c.topology == Topology::triangles) draw.vertex(0, 8, c.z[2], 1);
  }
  const auto words = draw.run_everywhere(engine);
  if (c.format == PixelFormat::d16) return {words[0] & 0xffff, words[1] & 0xffff};
  return {words[0], words[2]};
}

TEST(PixelStates, DepthBias) {
  const Engine engine;
  const auto depth = [&](const Biased& c) { return biased_depth(engine, c); };
  using Pair = std::array<std::uint32_t, 2>;
  const auto floats = [](float upper, float lower) { return Pair{to_bits(upper), to_bits(lower)}; };
  const std::array<float, 3> level{0.5F, 0.5F, 0.5F}, slope{0.25F, 0.25F + 1.0F / 8, 0.25F - 1.0F / 4};
  // Units: of d32f by the largest depth, which is 2^-1.
  EXPECT_EQ(depth({PixelFormat::d32f, {4, 0, 0}, level}), floats(0.5F + 0x1p-22F, 0.5F + 0x1p-22F));
  EXPECT_EQ(depth({PixelFormat::d32f, {-4, 0, 0}, level}), floats(0.5F - 0x1p-22F, 0.5F - 0x1p-22F));
  EXPECT_EQ(depth({PixelFormat::d32f, {0x1p20F, 0, 0}, {0, 0, 0}}), floats(0, 0));  // 2^-129
  EXPECT_EQ(depth({PixelFormat::d32f, {0x1p30F, 0, 0}, {0, 0, 0}}), floats(0x1p-119F, 0x1p-119F));
  EXPECT_EQ(depth({PixelFormat::d32f, {0x1p20F, 0, 0}, {0.125F, 0.125F, 0.1875F}}),
            depth({PixelFormat::d32f, {0, 0, 0}, {0.140625F, 0.140625F, 0.203125F}}));
  EXPECT_EQ(depth({PixelFormat::d24s8, {4, 0, 0}, level}),
            (Pair{0x800003, 0x800003}));  // of 8388611.49999976
  EXPECT_EQ(depth({PixelFormat::d24s8, {-4, 0, 0}, level}), (Pair{0x7ffffc, 0x7ffffc}));
  EXPECT_EQ(depth({PixelFormat::d16, {4, 0, 0}, level}), (Pair{0x8004, 0x8004}));
  // Slope: the larger change, 1/32 from row to row; depth falls there and rises 1/64 from column to column.
  const float first = 0.25F + 1.0F / 128 - 1.0F / 64;
  EXPECT_EQ(depth({PixelFormat::d32f, {0, 0, 0}, slope}), floats(first, first - 1.0F / 32));
  EXPECT_EQ(depth({PixelFormat::d32f, {0, 1, 0}, slope}), floats(first + 1.0F / 32, first));
  EXPECT_EQ(depth({PixelFormat::d32f, {0, -2, 0}, slope}), floats(first - 1.0F / 16, first - 3.0F / 32));
  // Both, and clamps.
  EXPECT_EQ(depth({PixelFormat::d32f, {1024, 1, 0}, slope})[0], to_bits(first + 1.0F / 32 + 0x1p-15F));
  EXPECT_EQ(depth({PixelFormat::d32f, {0, 1, 1.0F / 64}, slope})[0], to_bits(first + 1.0F / 64));
  EXPECT_EQ(depth({PixelFormat::d32f, {0, 1, -1.0F / 64}, slope})[0], to_bits(first + 1.0F / 32));
  EXPECT_EQ(depth({PixelFormat::d32f, {0, -1, -1.0F / 64}, slope})[0], to_bits(first - 1.0F / 64));
  EXPECT_EQ(depth({PixelFormat::d32f, {0, -1, 1.0F / 64}, slope})[0], to_bits(first - 1.0F / 32));
  EXPECT_EQ(depth({PixelFormat::d32f, {NAN, 0, 0}, level}), floats(0.5F, 0.5F));
  EXPECT_EQ(depth({PixelFormat::d32f, {0, INFINITY, 0}, level}), floats(0.5F, 0.5F));  // infinity * 0
  EXPECT_EQ(depth({PixelFormat::d32f, {INFINITY, 0, 0.25F}, level}), floats(0.75F, 0.75F));
  // It is limited as all depth is.
  EXPECT_EQ(depth({PixelFormat::d32f, {0, 100, 0}, slope}), floats(1, 1));
  EXPECT_EQ(depth({PixelFormat::d24s8, {-0x1p24F, 0, 0}, level}), (Pair{0, 0}));
  // Only of triangles.
  for (const Topology topology : {Topology::points, Topology::lines})
    EXPECT_EQ(depth({PixelFormat::d32f, {0x1p20F, 1, 0}, level, topology})[0], to_bits(0.5F));
}

TEST(PixelStates, DepthBounds) {
  const Engine engine;
  const auto depth = [&](float z, bool clips, bool exports, const std::array<float, 2>& bounds) {
    NeutralFragment program = nothing();
    program.facts.exports_depth = exports;
    if (exports) {
      program.compiled = [=](ir::Builder& b, NeutralFrame&, NeutralResults& results) {
        results.depth = b.BitcastF32ToI32(b.constant(z));
      };
      program.interpreted = [=](const Quad&, std::int32_t, std::int32_t, Fragment& fragment) {
        fragment.depth = to_bits(z);
      };
    }
    NeutralDraw draw(program, 1, 1);
    draw.depth(PixelFormat::d32f, 0x12345678);
    draw.raster.clip_near = draw.raster.clip_far = clips;
    draw.raster.depth_bounds = draw.raster.clip_bounds = bounds;
    draw.output.depth.test = true;
    draw.output.depth.compare = Compare::always;
    draw.cover(exports ? 0.5F : z);
    return to_float(draw.run_everywhere(engine)[0]);
  };
  const float untouched = to_float(0x12345678);
  const std::array<float, 2> bounds{0.25F, 0.75F};
  for (const bool clips : {false, true})
    for (const float z : {0.25F, 0.5F, 0.75F}) EXPECT_EQ(depth(z, clips, false, bounds), z);
  EXPECT_EQ(depth(0.2F, true, false, bounds), untouched);
  EXPECT_EQ(depth(0.8F, true, false, bounds), untouched);
  EXPECT_EQ(depth(0.2F, false, false, bounds), 0.25F);
  EXPECT_EQ(depth(-3, false, false, bounds), 0.25F);
  EXPECT_EQ(depth(0.8F, false, false, bounds), 0.75F);
  EXPECT_EQ(depth(3, false, false, bounds), 0.75F);
  for (const float z : {-INFINITY, -1.0F, 0.2F, NAN}) EXPECT_EQ(depth(z, true, true, bounds), 0.25F);
  for (const float z : {0.8F, 1.0F, INFINITY}) EXPECT_EQ(depth(z, true, true, bounds), 0.75F);
  EXPECT_EQ(depth(0.5F, true, true, bounds), 0.5F);
  EXPECT_EQ(depth(0.7F, true, true, {0.5F, 0.5F}), 0.5F);
  EXPECT_EQ(depth(2, false, false, {0, 1}), 1);
}

TEST(PixelStates, StatesAreChecked) {
  NeutralDraw draw(nothing(), 1, 1);
  const auto refused = [&](const auto& change) {
    RasterState state;
    change(state);
    return !draw.launch.set_raster_state(state);
  };
  for (const std::array<float, 2>& bounds :
       {std::array{-0.5F, 1.0F}, {0.0F, 1.5F}, {0.6F, 0.5F}, {NAN, 1.0F}, {0.0F, NAN}})
    EXPECT_TRUE(refused([&](RasterState& state) { state.depth_bounds = bounds; }));
  EXPECT_FALSE(refused([](RasterState& state) { state.depth_bounds = {0.5F, 0.5F}; }));
  OutputState output;
  output.blend[1].mix_alpha.by = static_cast<BlendMix::By>(7);
  EXPECT_FALSE(draw.launch.set_output_state(output));
  output.blend[1].mix_alpha.by = BlendMix::By::constant;
  EXPECT_TRUE(draw.launch.set_output_state(output));
  output.blend[7].mix.add = static_cast<BlendMix::Add>(3);
  EXPECT_FALSE(draw.launch.set_output_state(output));
  output.blend[7].mix.add = BlendMix::Add::target;
  output.blend[7].mix.multiply = static_cast<BlendMix::Multiply>(4);
  EXPECT_FALSE(draw.launch.set_output_state(output));
}

// The near plane is behind the eye's depth 0, as blitters of drivers have it: nothing is cut, depth is
// limited.
TEST(PixelStates, ClipBounds) {
  const Engine engine;
  const auto depth = [&](float z, const std::array<float, 2>& bounds) {
    NeutralDraw draw(nothing(), 1, 1);
    draw.depth(PixelFormat::d32f, 0x12345678);
    draw.raster.clip_bounds = bounds;
    draw.output.depth.test = true;
    draw.output.depth.compare = Compare::always;
    draw.cover(z);
    return to_float(draw.run_everywhere(engine)[0]);
  };
  const float untouched = to_float(0x12345678);
  EXPECT_EQ(depth(-0.5F, {-1, 1}), 0);
  EXPECT_EQ(depth(-1.5F, {-1, 1}), untouched);
  EXPECT_EQ(depth(2, {-1, 3}), 1);
  EXPECT_EQ(depth(4, {-1, 3}), untouched);
  NeutralDraw draw(nothing(), 1, 1);
  RasterState state;
  state.clip_bounds = {1, 0.5F};
  EXPECT_FALSE(draw.launch.set_raster_state(state));
  state.clip_bounds = {NAN, 1};
  EXPECT_FALSE(draw.launch.set_raster_state(state));
}

// --- Samples and counts ------------------------------------------------------------------------------------

// What is interpolated, as the colour.
NeutralFragment first_slot() {
  NeutralFragment program;
  program.uses = {{.slot = 4, .plane = pixels::SlotUse::Plane::linear}};
  program.compiled = [](ir::Builder& b, NeutralFrame& frame, NeutralResults& results) {
    const ir::I32 value = b.BitcastF32ToI32(frame.value(0));
    results.colors = {{value, value, value, value}};
  };
  program.interpreted = [](const Quad& quad, std::int32_t x, std::int32_t y, Fragment& fragment) {
    fragment.colors[0].fill(quad.primitive->value(0, x, y));
  };
  return program;
}

// A triangle over the left half of a pixel: samples there are covered. Depth is that of the sample, the slot
// that of the centre. Both grow by 1/8 from column to column.
TEST(PixelStates, SamplePoint) {
  const Engine engine;
  for (const auto& [x, y, covered] : {std::tuple(64, 128, true),
                                      {192, 128, false},
                                      {96, 32, true},
                                      {127, 255, true},
                                      {129, 0, false},
                                      {128, 128, false}}) {
    SCOPED_TRACE(testing::Message() << x << ", " << y);
    NeutralDraw draw(first_slot(), 1, 1);
    draw.color(0, PixelFormat::r32f);
    draw.depth(PixelFormat::d32f);
    draw.raster.sample_point = {static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y)};
    draw.output.depth.test = true;
    draw.output.depth.compare = Compare::always;
    draw.vertex(0.5F, -4, 0.0625F, 1, {to_bits(0.0625F)});
    draw.vertex(0.5F, 4, 0.0625F, 1, {to_bits(0.0625F)});
    draw.vertex(-7.5F, 0, 0.0625F + 1, 1, {to_bits(0.0625F + 1)});
    draw.raster.depth_bounds = {0, 1};
    const auto words = draw.run_everywhere(engine);
    const float depth = 0.0625F - (static_cast<float>(x) / 256 - 0.5F) / 8;
    EXPECT_EQ(words[0], covered ? to_bits(0.0625F) : 0);
    EXPECT_EQ(words[1], covered ? to_bits(depth) : 0);
  }
}

// Points and lines have samples, too: where they end, and the coordinate of a sprite at the centre.
TEST(PixelStates, SamplePointOfPointsAndLines) {
  const Engine engine;
  for (const Topology topology : {Topology::points, Topology::lines}) {
    NeutralFragment program = first_slot();
    if (topology == Topology::points) program.uses[0].sprite = pixels::SlotUse::Sprite::from_left;
    for (const bool covered : {true, false}) {
      NeutralDraw draw(program, 2, 1);
      draw.color(0, PixelFormat::r32f);
      draw.raster.topology = topology;
      draw.raster.point_size = draw.raster.line_width = 1;
      draw.raster.sample_point = {static_cast<std::uint8_t>(covered ? 32 : 224), 128};
      draw.vertex(0.25F, 0.5F, 0, 1, {0});  // points: columns -0.25 to 0.75
      if (topology == Topology::lines) draw.vertex(0.75F, 0.5F, 0, 1, {to_bits(1.0F)});
      const auto words = draw.run_everywhere(engine);
      const bool of_point = topology == Topology::points;
      const bool drawn = of_point ? covered : false;
      EXPECT_EQ(words[0], drawn ? to_bits(0.75F) : 0) << covered;
    }
  }
}

// Passes are added to what is there; tests and discards take pixels away.
TEST(PixelStates, PassCounts) {
  const Engine engine;
  NeutralDraw draw(nothing(), 3, 2);
  draw.count_passed(5);
  draw.cover();
  draw.cover();
  for (const std::uint32_t count : draw.run_everywhere(engine)) EXPECT_EQ(count, 7U);
  // Depth less: the second time nothing passes.
  draw.depth(PixelFormat::d32f, to_bits(1.0F));
  draw.output.depth.test = true;
  std::vector<std::uint32_t> words = draw.run_everywhere(engine);
  for (std::size_t n = 6; n < 12; ++n) EXPECT_EQ(words[n], 6U);
  NeutralFragment program = nothing();
  program.facts.discards = true;
  program.compiled = [](ir::Builder& b, NeutralFrame& frame, NeutralResults& results) {
    results.live = b.And1(results.live, b.FLt32(frame.column(), b.constant(1.0F)));
  };
  program.interpreted = [](const Quad&, std::int32_t x, std::int32_t, Fragment& fragment) {
    fragment.live = x < 1;
  };
  for (const bool early : {false, true}) {
    NeutralDraw other(program, 3, 2);
    other.count_passed();
    other.output.early_tests = early;
    other.cover();
    EXPECT_EQ(other.run_everywhere(engine), (std::vector<std::uint32_t>{1, 0, 0, 1, 0, 0}));
  }
}

TEST(PixelStates, PassCountsAreChecked) {
  NeutralDraw draw(nothing(), 2, 2);
  draw.cover();
  std::array<std::uint32_t, 4> words{};
  const TargetBuffer other{words.data(), sizeof words, 8, PixelFormat::r32i};
  EXPECT_EQ(draw.launch.bind_pass_counts(other).error().message,
            "r32i is not the format of counts: r32ui is");
  draw.output.count_passed = true;
  ASSERT_TRUE(draw.launch.set_raster_state(draw.raster) && draw.launch.set_output_state(draw.output));
  const Engine engine;
  EXPECT_EQ(engine.run(draw.launch).error().message, "count_passed is set, and no counts are bound");
  ASSERT_TRUE(draw.launch.bind_pass_counts({words.data(), 12, 8, PixelFormat::r32ui}).ok());
  EXPECT_EQ(engine.run(draw.launch).error().message, "the target needs 16 bytes and has 12");
}

// A launch runs again with other bounds: the kernel reads them, and one without bounds is another.
TEST(PixelStates, BoundsMayChange) {
  const Engine engine;
  NeutralDraw draw(nothing(), 1, 1);
  draw.depth(PixelFormat::d32f);
  draw.raster.clip_near = draw.raster.clip_far = false;
  draw.output.depth.test = true;
  draw.output.depth.compare = Compare::always;
  draw.cover(2);
  for (const float most : {0.75F, 0.5F, 1.0F, 0.25F}) {
    draw.raster.depth_bounds = {0, most};
    EXPECT_EQ(to_float(draw.run_everywhere(engine)[0]), most);
  }
}

}  // namespace
}  // namespace warpjit::test
