// Fragment programs by compiled code and by the IR (docs/guests/valhall.md 10).
#include <bit>
#include <limits>
#include <tuple>

#include "valhall/valhall_test.h"
#include "warpjit/pixels.hpp"

namespace warpjit::valhall {
namespace {

constexpr std::uint32_t kFragmentWidth = 70,
                        kFragmentHeight = 66;  // of several tiles

// One triangle over the whole target, in window positions; words of varyings of
// its three vertices.
struct FragmentDraw {
  std::vector<std::vector<std::uint32_t>> varyings{{}, {}, {}};
  std::vector<PixelFormat> colors{PixelFormat::rgba32f};
  PixelFormat depth = PixelFormat::none;
  OutputState output{};
  RasterState raster{};
  std::array<float, 3> w{1, 1, 1};
  FragmentSetup setup{};
  std::vector<std::uint32_t> uniforms{};
  std::uint32_t clear = 0;  // each byte of the targets
};

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

struct FragmentPicture {
  std::vector<std::vector<std::uint32_t>> targets;  // colours in order, then depth
  std::string failure;                              // empty: none
  // Word k of a pixel of colour target 0 of four words.
  std::uint32_t at(std::uint32_t x, std::uint32_t y, unsigned k) const {
    return targets.empty() ? 0 : targets[0][(y * kFragmentWidth + x) * 4 + k];
  }
  float f(std::uint32_t x, std::uint32_t y, unsigned k) const { return std::bit_cast<float>(at(x, y, k)); }
};

// The three corners in window positions: (0, 0), (256, 0), (0, 256).
std::vector<std::uint32_t> vertex_words(const FragmentDraw& draw) {
  std::vector<std::uint32_t> words;
  for (unsigned n = 0; n < 3; ++n) {
    for (const float x : {n == 1 ? 256.0F : 0.0F, n == 2 ? 256.0F : 0.0F, 0.25F, 1 / draw.w[n]})
      words.push_back(bits(x));
    words.insert(words.end(), draw.varyings[n].begin(), draw.varyings[n].end());
  }
  return words;
}

FragmentPicture picture_of(const std::string& source, const FragmentDraw& draw, const RunOptions& options) {
  FragmentPicture picture;
  const auto failed = [&](const Error& error) {
    picture.failure = to_string(error);
    return picture;
  };
  auto assembled = assemble(".stage fragment\n" + source, "test");
  if (!assembled) return failed(assembled.error());
  const auto program =
      load_words({.code = assembled->code, .stage = Stage::fragment, .fragment = draw.setup});
  if (!program) return failed(program.error());
  Launch launch(*program);
  const std::vector<std::uint32_t> words = vertex_words(draw);
  const auto slots = static_cast<std::uint32_t>(words.size() / 3);
  Status status = launch.bind_vertices({words.data(), words.size() * 4, slots * std::size_t{4}, slots});
  const auto keep = [&](const Status& next) {
    if (status && !next) status = next;
  };
  RasterState raster = draw.raster;
  raster.window_positions = true;
  keep(launch.set_raster_state(raster));
  keep(launch.set_output_state(draw.output));
  keep(launch.set_target_size(kFragmentWidth, kFragmentHeight));
  const auto target = [&](PixelFormat format) {
    const std::size_t pitch = kFragmentWidth * pixel_size(format);
    std::vector<std::uint32_t>& made =
        picture.targets.emplace_back((pitch * kFragmentHeight + 3) / 4, draw.clear * 0x01010101U);
    return TargetBuffer{made.data(), made.size() * 4, pitch, format};
  };
  picture.targets.reserve(draw.colors.size() + 1);
  for (unsigned k = 0; k < draw.colors.size(); ++k)
    if (draw.colors[k] != PixelFormat::none) keep(launch.bind_color(k, target(draw.colors[k])));
  if (draw.depth != PixelFormat::none) keep(launch.bind_depth(target(draw.depth)));
  EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(draw.uniforms))));
  EXPECT_TRUE(launch.set_count(3));
  if (!status) return failed(status.error());
  const Engine engine;
  const auto report = engine.run(launch, options);
  if (!report) return failed(report.error());
  return picture;
}

// The same on all targets and in the IR interpreter.
FragmentPicture draw_all(const std::string& source, const FragmentDraw& draw = {}) {
  FragmentPicture wanted;
  RunOptions options;
  options.engine = EngineKind::ir;
  wanted = picture_of(source, draw, options);
  EXPECT_EQ(wanted.failure, "") << source;
  options.engine = EngineKind::jit;
  for (const Target target : kTargets) {
    options.target = target;
    const FragmentPicture got = picture_of(source, draw, options);
    if (got.failure.find("does not run code") != std::string::npos) continue;
    EXPECT_EQ(got.failure, "") << source;
    EXPECT_EQ(got.targets, wanted.targets) << source;
  }
  return wanted;
}

const std::string kLoadPair =
    "LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.center."
    "store.wait0 @r0:r1, r61, index:0x0\n";
const std::string kBlend0 =
    "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, "
    "blend_descriptor_0.w0, r60, target:0x0\n";
const std::string kOpaque = "MOV.i32 r3, 0x3F800000\n" + kBlend0;

TEST(ValhallFragment, OneVarying) {
  FragmentDraw draw;
  draw.varyings = {{bits(0), bits(1)}, {bits(256), bits(1)}, {bits(0), bits(513)}};
  const FragmentPicture picture = draw_all(kLoadPair + kOpaque, draw);
  ASSERT_EQ(picture.targets.size(), 1U);
  EXPECT_EQ(picture.f(0, 0, 0), 0.5F);
  EXPECT_EQ(picture.f(69, 3, 0), 69.5F);
  EXPECT_EQ(picture.f(69, 3, 1), 8.0F);
  EXPECT_EQ(picture.f(69, 65, 3), 1.0F);
}

// v / w over 1 / w, each a plane.
TEST(ValhallFragment, Perspective) {
  FragmentDraw draw;
  draw.varyings = {{bits(2), bits(0)}, {bits(8), bits(0)}, {bits(2), bits(0)}};
  draw.w = {1, 4, 1};
  const FragmentPicture picture = draw_all(kLoadPair + kOpaque, draw);
  // At x = 64: 1/w = 1 - 3/4 / 4, v/w = 2.
  EXPECT_NEAR(picture.f(63, 0, 0), 2 / (1 - 0.75F * 63.5F / 256), 1e-5);
  EXPECT_EQ(picture.at(63, 0, 0), picture.at(63, 60, 0));
}

// A division by 0 and of 0 by 0.
TEST(ValhallFragment, NoPerspectiveAtZero) {
  FragmentDraw draw;
  draw.varyings = {{bits(1), bits(0)}, {bits(1), bits(0)}, {bits(1), bits(0)}};
  const float infinity = std::numeric_limits<float>::infinity();
  draw.w = {infinity, infinity, infinity};
  for (const auto& picture : {draw_all(kLoadPair + kOpaque, draw)}) EXPECT_EQ(picture.at(5, 5, 1), 0U);
}

TEST(ValhallFragment, Halves) {
  FragmentDraw draw;
  // Halves 1, 2 and 4, -1 at vertex 0; twice that at vertex 1.
  draw.varyings = {{0x40003c00, 0xbc004400}, {0x44004000, 0xc0004800}, {0x40003c00, 0xbc004400}};
  const FragmentPicture wide = draw_all(
      "LD_VAR_BUF_IMM.f32.slot0.v4.src_f16.center.store.wait0 "
      "@r0:r1:r2:r3, r61, index:0x0\n" +
          kBlend0,
      draw);
  const float at = 1 + 10.5F / 256;
  EXPECT_EQ(wide.f(10, 0, 0), at);
  EXPECT_EQ(wide.f(10, 0, 1), 2 * at);
  EXPECT_EQ(wide.f(10, 0, 2), 4 * at);
  EXPECT_EQ(wide.f(10, 0, 3), -at);
  const FragmentPicture narrow = draw_all(
      "LD_VAR_BUF_IMM.f16.slot0.v3.src_f16.center.store.wait0 @r0:r1, "
      "r61, index:0x2\n"
      "BLEND.slot0.v4.u32.end @r0:r1:r2:r3, blend_descriptor_0.w0, "
      "r60, target:0x0\n",
      {.varyings = draw.varyings, .colors = {PixelFormat::rgba32ui}});
  EXPECT_EQ(narrow.at(0, 0, 0),
            0x44024002U);  // 2 + 1/256 and 4 + 2/256, rounded
  EXPECT_EQ(narrow.at(0, 0, 1), 0x0000bc02U);
}

TEST(ValhallFragment, FlatWordsAndHalves) {
  FragmentDraw draw;
  draw.colors = {PixelFormat::rgba32ui};
  draw.varyings = {{1, 2}, {3, 4}, {0x7fa12345, 0xfedc8001}};
  const std::string end =
      "BLEND.slot0.v4.u32.end @r0:r1:r2:r3, "
      "blend_descriptor_0.w0, r60, target:0x0\n";
  const FragmentPicture last = draw_all(
      "LD_VAR_BUF_IMM.f32.slot0.v2.src_flat32.center.store @r0:r1, "
      "r61, index:0x0\n"
      "LD_VAR_BUF_IMM.f32.slot0.v2.src_flat16.center.store @r2:r3, "
      "r61, index:0x4\n" +
          end,
      draw);
  EXPECT_EQ(last.at(7, 9, 0), 0x7fa12345U);
  EXPECT_EQ(last.at(7, 9, 1), 0xfedc8001U);
  EXPECT_EQ(last.at(7, 9, 2), 0x8001U);
  EXPECT_EQ(last.at(7, 9, 3), 0xfedcU);
  draw.raster.provoking_last = false;
  const FragmentPicture first = draw_all(
      "LD_VAR_BUF_IMM.f32.slot0.src_flat32.center.store @r0, r61, index:0x4\n"
      "LD_VAR_BUF_IMM.f16.slot0.v3.src_flat16.center.store @r2:r3, r61, "
      "index:0x0\n" +
          end,
      draw);
  EXPECT_EQ(first.at(7, 9, 0), 2U);
  EXPECT_EQ(first.at(7, 9, 2), 1U);
  EXPECT_EQ(first.at(7, 9, 3), 2U);
}

// Places in units of 1/256 from the upper left corner; also outside of the
// pixel.
TEST(ValhallFragment, ExplicitPlaces) {
  FragmentDraw draw;
  draw.varyings = {{bits(0), bits(0)}, {bits(256), bits(0)}, {bits(0), bits(512)}};
  for (const auto& [place, x, y] :
       {std::tuple{0x00800080U, 0.5F, 1.0F}, {0U, 0.0F, 0.0F}, {0x0100ff80U, -0.5F, 2.0F}}) {
    draw.uniforms = {place};
    const FragmentPicture picture = draw_all(
        "LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.explicit.store.wait0 "
        "@r0:r1, u0, index:0x0\n" +
            kOpaque,
        draw);
    EXPECT_EQ(picture.f(20, 30, 0), 20 + x) << std::hex << place;
    EXPECT_EQ(picture.f(20, 30, 1), 60 + y) << std::hex << place;
  }
}

TEST(ValhallFragment, StartValues) {
  FragmentDraw draw;
  draw.colors = {PixelFormat::rgba32ui};
  const std::string end =
      "BLEND.slot0.v4.u32.end @r0:r1:r2:r3, "
      "blend_descriptor_0.w0, r60, target:0x0\n";
  const FragmentPicture picture =
      draw_all("MOV.i32 r0, r59\nMOV.i32 r1, r60\nMOV.i32 r2, r58\nMOV.i32 r3, r57\n" + end, draw);
  EXPECT_EQ(picture.at(69, 65, 0), 65U << 16 | 69);
  EXPECT_EQ(picture.at(69, 65, 1), 1U);
  EXPECT_EQ(picture.at(69, 65, 2), 1U);  // clockwise, if rows grow downwards
  EXPECT_EQ(picture.at(69, 65, 3), 0U);
  draw.raster.positive_is_front = !draw.raster.positive_is_front;
  const FragmentPicture other = draw_all(
      "MOV.i32 r0, framebuffer_size.w0\nMOV.i32 r1, "
      "framebuffer_size.w1\nMOV.i32 r2, r58\n"
      "MOV.i32 r3, r61\n" +
          end,
      draw);
  EXPECT_EQ(other.at(1, 1, 0), kFragmentHeight << 16 | kFragmentWidth);
  EXPECT_EQ(other.at(1, 1, 1), 0U);
  EXPECT_EQ(other.at(1, 1, 2), 0U);
  EXPECT_EQ(other.at(1, 1, 3), 1U);
}

TEST(ValhallFragment, SpecialValues) {
  FragmentDraw draw;
  draw.w = {1, 2, 1};
  const FragmentPicture picture = draw_all(
      "LD_VAR_SPECIAL.f32.center.store.slot0 @r0, r61, index:0x2\n"
      "LD_VAR_SPECIAL.center.store.slot0.auto @r1, r61, index:0x3\n"
      "LD_VAR_SPECIAL.v2.f32.center.store.slot0 @r2:r3, r61, index:0x0\n" +
          kBlend0,
      draw);
  EXPECT_EQ(picture.f(63, 3, 0), 1 - 0.5F * 63.5F / 256);
  EXPECT_EQ(picture.f(63, 3, 1), 0.25F);
  EXPECT_EQ(picture.f(63, 3, 2),
            63.5F);  // no point: the plane of x of the window
  EXPECT_EQ(picture.f(63, 3, 3), 3.5F);
}

TEST(ValhallFragment, DiscardedLanesLeaveNothing) {
  FragmentDraw draw;
  draw.varyings = {{bits(0), bits(1)}, {bits(256), bits(1)}, {bits(0), bits(513)}};
  draw.clear = 0x11;
  for (const std::string flow : {"", ".discard"}) {
    const FragmentPicture picture =
        draw_all(kLoadPair + "DISCARD.f32.ge" + flow + " r0, u0\n" + kOpaque,
                 {.varyings = draw.varyings, .uniforms = {bits(31.5F)}, .clear = 0x11});
    EXPECT_EQ(picture.f(30, 2, 0), 30.5F);
    EXPECT_EQ(picture.at(31, 2, 0), 0x11111111U);
    EXPECT_EQ(picture.at(69, 65, 3), 0x11111111U);
  }
  // A NaN compares as nothing but unequal.
  const std::vector<std::uint32_t> nan{0x7fc00000};
  EXPECT_EQ(draw_all(kLoadPair + "DISCARD.f32.lt u0, u0\n" + kOpaque,
                     {.varyings = draw.varyings, .uniforms = nan, .clear = 0x11})
                .f(0, 0, 0),
            0.5F);
  EXPECT_EQ(draw_all(kLoadPair + "DISCARD.f32.ne u0, u0\n" + kOpaque,
                     {.varyings = draw.varyings, .uniforms = nan, .clear = 0x11})
                .at(0, 0, 0),
            0x11111111U);
}

// Discarded lanes are read by their neighbours until a flow ends them.
TEST(ValhallFragment, NeighboursOfDiscardedLanes) {
  FragmentDraw draw;
  draw.varyings = {{bits(0), bits(0)}, {bits(256), bits(0)}, {bits(0), bits(256)}};
  draw.colors = {PixelFormat::rgba32ui};
  // Odd columns are discarded, then all lanes read their neighbour's column.
  const auto source = [](const std::string& flow) {
    return "LSHIFT_AND.i32 r4, r59, 0x0.b00, u0\nS32_TO_F32 r4, "
           "r4\nDISCARD.f32.ne r4, 0x0\n"
           "MOV.i32" +
           flow +
           " r5, r59\n"
           "CLPER.i32.subgroup4.xor.umax r0, r5, 0x1000000.b3\n"
           "WMASK.subgroup4 r1, r60\n"
           "MOV.i32 r2, lane_id.w0\n"
           "BLEND.slot0.v3.u32.end @r0:r1:r2, blend_descriptor_0.w0, r60, "
           "target:0x0\n";
  };
  draw.uniforms = {1};
  const FragmentPicture there = draw_all(source(""), draw);
  EXPECT_EQ(there.at(20, 30, 0), 30U << 16 | 21);
  EXPECT_EQ(there.at(20, 30, 1), 15U);
  EXPECT_EQ(there.at(20, 31, 2), 2U);
  EXPECT_EQ(there.at(20, 31, 3), 1U);  // alpha of integers
  EXPECT_EQ(there.at(21, 30, 0), 0U);
  const FragmentPicture gone = draw_all(source(".discard"), draw);
  EXPECT_EQ(gone.at(20, 30, 0), 0xffffffffU);
  EXPECT_EQ(gone.at(20, 30, 1), 5U);
  EXPECT_EQ(gone.at(21, 30, 1), 0U);
}

// Where the coverage source's bit is 0 a colour is not written, but depth is.
TEST(ValhallFragment, CoverageOfBlend) {
  FragmentDraw draw;
  draw.varyings = {{bits(0), bits(0)}, {bits(256), bits(0)}, {bits(0), bits(256)}};
  draw.colors = {PixelFormat::rgba32f, PixelFormat::r32ui};
  draw.depth = PixelFormat::d32f;
  draw.output.depth = {.test = true, .write = true, .compare = Compare::always};
  draw.clear = 0x22;
  const FragmentPicture picture =
      draw_all(kLoadPair +
                   "MOV.i32 r2, r0\nMOV.i32 r3, r1\n"
                   "BLEND.slot0.v4.f32 @r0:r1:r2:r3, blend_descriptor_0.w0, r59, "
                   "target:0x0\n"
                   "BLEND.slot0.u32.end @r59, blend_descriptor_1.w0, r60, target:0x0\n",
               draw);
  EXPECT_EQ(picture.at(20, 3, 0), 0x22222222U);
  EXPECT_EQ(picture.f(21, 3, 0), 21.5F);
  EXPECT_EQ(picture.targets[1][3 * kFragmentWidth + 20], 3U << 16 | 20);
  EXPECT_EQ(picture.targets[2][3 * kFragmentWidth + 20], bits(0.25F));
}

TEST(ValhallFragment, AtestOfLiveLanes) {
  FragmentDraw draw;
  draw.colors = {PixelFormat::rgba32ui};
  draw.uniforms = {0xfffffffe, 3};
  const FragmentPicture picture = draw_all(
      "MOV.i32 r4, u0\nMOV.i32 r5, u1\nATEST @r0, r4, r4, atest_datum.w0\nATEST @r1, r5, r4, atest_datum.w0\n"
      "ATEST @r2, r60, 0x0, atest_datum.w0\n"
      "BLEND.slot0.v3.u32.end @r0:r1:r2, blend_descriptor_0.w0, r60, "
      "target:0x0\n",
      draw);
  EXPECT_EQ(picture.at(4, 4, 0), 0U);
  EXPECT_EQ(picture.at(4, 4, 1), 1U);
  EXPECT_EQ(picture.at(4, 4, 2), 1U);
}

// Depth from the program where a lane comes to ZS_EMIT, else that of the plane.
TEST(ValhallFragment, Depth) {
  FragmentDraw draw;
  draw.varyings = {{bits(0), bits(0)}, {bits(1), bits(0)}, {bits(0), bits(1)}};
  draw.depth = PixelFormat::d32f;
  draw.output.depth = {.test = true, .write = true, .compare = Compare::greater};
  draw.clear = 0x3e;  // 0.1853...
  const std::string source = kLoadPair +
                             "LSHIFT_AND.i32 r4, r59, 0x0.b00, u0\n"
                             "BRANCHZ.eq.reconverge r4, offset:1\n"
                             "ZS_EMIT.z.slot0 @r60, r0, 0x0, r60\n" +
                             kOpaque;
  draw.uniforms = {1};
  const FragmentPicture picture = draw_all(source, draw);
  const auto depth = [&](std::uint32_t x, std::uint32_t y) {
    return picture.targets[1][y * kFragmentWidth + x];
  };
  EXPECT_EQ(depth(20, 5), bits(0.25F));  // of the plane
  EXPECT_EQ(picture.f(20, 5, 0), 20.5F / 256);
  EXPECT_EQ(depth(21, 5), 0x3e3e3e3eU);  // 21.5/256: fails
  EXPECT_EQ(picture.at(21, 5, 0), 0x3e3e3e3eU);
  EXPECT_EQ(depth(69, 5), bits(69.5F / 256));
  // A coverage source of 0 ends being live.
  const FragmentPicture none = draw_all(kLoadPair + "ZS_EMIT.z.slot0 @r60, r0, 0x0, 0x0\n" + kOpaque, draw);
  EXPECT_EQ(none.targets[1][5 * kFragmentWidth + 69], 0x3e3e3e3eU);
}

TEST(ValhallFragment, TargetsByDescriptor) {
  FragmentDraw draw;
  draw.colors = {PixelFormat::r32ui, PixelFormat::r32ui};
  draw.setup.blend_targets = {1, 0, FragmentSetup::kNoTarget, 3, 4, 5, 6, 7};
  draw.clear = 0x33;
  draw.uniforms = {7, 9};
  const FragmentPicture picture = draw_all(
      "MOV.i32 r0, u0\nMOV.i32 r2, u1\n"
      "BLEND.slot0.u32 @r0, blend_descriptor_0.w0, r60, target:0x1\nMOV.i32 "
      "r2, 0x0\n"
      "BLEND.slot0.u32 @r2, blend_descriptor_2.w0, r60, target:0x0\n"
      "BLEND.slot0.u32.end @r2, blend_descriptor_1.w0, r60, target:0x0\n",
      draw);
  EXPECT_EQ(picture.targets[1][100], 7U);
  EXPECT_EQ(picture.targets[0][100], 9U);
}

TEST(ValhallFragment, RegisterFormatsOfBlend) {
  FragmentDraw draw;
  draw.uniforms = {0x7e01bc00, 0x80008001};
  // Halves as f32: -1, a NaN that becomes quiet and keeps its payload; without
  // alpha 1.
  const FragmentPicture halves = draw_all(
      "MOV.i32 r0, u0\nMOV.i32 r1, u1\n"
      "BLEND.slot0.v3.f16.end @r0:r1, blend_descriptor_0.w0, r60, target:0x0\n",
      draw);
  EXPECT_EQ(halves.f(3, 3, 0), -1.0F);
  EXPECT_EQ(halves.at(3, 3, 1), 0x7fc02000U);
  EXPECT_EQ(halves.at(3, 3, 2), 0xb3800000U | 0x00000000U);
  EXPECT_EQ(halves.f(3, 3, 3), 1.0F);
  draw.colors = {PixelFormat::rgba32i};
  const FragmentPicture words = draw_all(
      "MOV.i32 r0, u0\nMOV.i32 r1, u1\n"
      "BLEND.slot0.v3.s16.end @r0:r1, blend_descriptor_0.w0, r60, target:0x0\n",
      draw);
  EXPECT_EQ(words.at(3, 3, 0), 0xffffbc00U);
  EXPECT_EQ(words.at(3, 3, 1), 0x7e01U);
  EXPECT_EQ(words.at(3, 3, 2), 0xffff8001U);
  EXPECT_EQ(words.at(3, 3, 3), 1U);
  const FragmentPicture one = draw_all(
      "MOV.i32 r0, u1\nBLEND.slot0.u16.end @r0, "
      "blend_descriptor_0.w0, r60, target:0x0\n",
      draw);
  EXPECT_EQ(one.at(3, 3, 0), 0x8001U);
  EXPECT_EQ(one.at(3, 3, 1), 0U);
}

// What the target holds before the fragment.
TEST(ValhallFragment, LoadTile) {
  FragmentDraw draw;
  draw.clear = 0x40;
  draw.uniforms = {0xff000000, bits(1)};
  const std::string load = "IADD_IMM.i32 r4, 0x0, #0xFF000000\n";
  const FragmentPicture floats = draw_all(load +
                                              "LD_TILE.v4.f32.slot0 @r0:r1:r2:r3, r4, r60, 0x0\nFADD.f32 "
                                              "r0, r0, u1\n" +
                                              kBlend0,
                                          draw);
  EXPECT_EQ(floats.f(2, 2, 0), std::bit_cast<float>(0x40404040U) + 1);
  EXPECT_EQ(floats.at(2, 2, 3), 0x40404040U);
  draw.colors = {PixelFormat::rgba8};
  const FragmentPicture unorm =
      draw_all(load +
                   "LD_TILE.v4.f16.slot0 @r0:r1, r4, r60, 0x0\nFADD.v2f16 r0, r0, r0\n"
                   "BLEND.slot0.v4.f16.end @r0:r1, blend_descriptor_0.w0, r60, "
                   "target:0x0\n",
               draw);
  EXPECT_EQ(unorm.targets[0][77], 0x40408080U);
  // Target 1 there is not.
  draw.colors = {PixelFormat::rgba32ui};
  const FragmentPicture none = draw_all(
      "IADD_IMM.i32 r4, 0x0, #0xFF000100\nLD_TILE.v4.u32.slot0 "
      "@r0:r1:r2:r3, r4, r60, 0x0\n"
      "BLEND.slot0.v4.u32.end @r0:r1:r2:r3, blend_descriptor_0.w0, "
      "r60, target:0x0\n",
      draw);
  EXPECT_EQ(none.at(2, 2, 0), 0U);
  EXPECT_EQ(none.at(2, 2, 3), 0U);
}

// Stores all components without blending, where it is covered and live, in place of what was written before.
TEST(ValhallFragment, StoreTile) {
  FragmentDraw draw;
  draw.colors = {PixelFormat::rgba8};
  draw.clear = 0x40;
  draw.uniforms = {bits(1), bits(0.5F), 0x4, bits(35)};
  draw.output.blend[0] = {.enabled = true, .target = BlendFactor::one, .write_mask = 0x9};
  const std::string place = "IADD_IMM.i32 r4, 0x0, #0xFF000000\nMOV.i32 r0, u0\nMOV.i32 r1, u1\n";
  const std::string store = "ST_TILE.v2.f32.slot0 @r0:r1, r4, r60, 0x0\n", end = "NOP.end\n";
  const auto word_at = [](const FragmentPicture& picture, unsigned x, unsigned y) {
    return picture.targets[0][y * kFragmentWidth + x];
  };
  EXPECT_EQ(word_at(draw_all(place + store + end, draw), 7, 1), 0xff0080ffU);
  EXPECT_EQ(word_at(draw_all(place + "ST_TILE.v2.f32.slot0 @r0:r1, r4, 0x0, 0x0\n" + end, draw), 7, 1),
            0x40404040U);
  EXPECT_EQ(word_at(draw_all(place + store + "DISCARD.f32.eq r0, r0\n" + end, draw), 7, 1), 0x40404040U);
  // Some lanes blend, some store, some do both or neither.
  const std::string blend = "BLEND.slot0.v2.f32 @r0:r1, blend_descriptor_0.w0, r5, target:0x0\n";
  const std::string store_some = "MOV.i32 r1, u0\nST_TILE.v2.f32.slot0 @r0:r1, r4, r6, 0x0\n";
  const std::string bits_of_column =
      "IADD_IMM.i32 r8, 0x0, #0x1\n"
      "LSHIFT_AND.i32 r5, r59, 0x0.b00, r8\n"
      "RSHIFT_AND.i32 r6, r59, r8.b00, r8\n";
  const FragmentPicture mixed = draw_all(place + bits_of_column + blend + store_some + end, draw);
  EXPECT_EQ(word_at(mixed, 4, 1), 0x40404040U);
  EXPECT_EQ(word_at(mixed, 5, 1), 0xff4040ffU);
  EXPECT_EQ(word_at(mixed, 6, 1), 0xff00ffffU);
  EXPECT_EQ(word_at(mixed, 7, 1), 0xff00ffffU);
  const FragmentPicture twice = draw_all(place + bits_of_column + store + store_some + end, draw);
  EXPECT_EQ(word_at(twice, 5, 1), 0xff0080ffU);
  EXPECT_EQ(word_at(twice, 6, 1), 0xff00ffffU);
  // Halves, integers that saturate, the second target; one that there is not.
  draw.colors = {PixelFormat::rgba16f, PixelFormat::rgba8ui};
  draw.output = {};
  const std::string second =
      "IADD_IMM.i32 r4, 0x0, #0xFF000100\nIADD_IMM.i32 r0, 0x0, #0x1290007\n"
      "ST_TILE.v3.u16.slot0 @r0:r1, r4, r60, 0x0\nIADD_IMM.i32 r4, 0x0, #0xFF000300\n"
      "ST_TILE.u16.slot0 @r0, r4, r60, 0x0\n";
  const FragmentPicture two = draw_all(
      second + "IADD_IMM.i32 r4, 0x0, #0xFF000000\nST_TILE.v4.f16.slot0 @r0:r1, r4, r60, 0x0\n" + end, draw);
  EXPECT_EQ(two.targets[0][2 * (3 * kFragmentWidth + 2)], 0x01290007U);
  EXPECT_EQ(two.targets[1][3 * kFragmentWidth + 2], 0x0100ff07U);
}

// A loop that each pixel leaves by itself, after a flow that ends helpers.
TEST(ValhallFragment, Loops) {
  FragmentDraw draw;
  draw.colors = {PixelFormat::r32ui};
  for (const std::string flow : {"", ".discard"}) {
    const FragmentPicture picture =
        draw_all("LSHIFT_AND.i32" + flow +
                     " r1, r59, 0x0.b00, u0\nMOV.i32 r0, 0x0\n"
                     "again:\nIADD.u32 r0, r0, r1\nIADD_IMM.i32 r1, r1, #0xFFFFFFFF\n"
                     "ICMP_OR.s32.ge.m1 r2, r1, 0x0, 0x0\nBRANCHZ.reconverge r2, "
                     "offset:again\n"
                     "BLEND.slot0.u32.end @r0, blend_descriptor_0.w0, r60, target:0x0\n",
                 {.colors = {PixelFormat::r32ui}, .uniforms = {63}});
    EXPECT_EQ(picture.targets[0][5 * kFragmentWidth + 10], 55U);
    EXPECT_EQ(picture.targets[0][5 * kFragmentWidth + 63], 63U * 32);
    EXPECT_EQ(picture.targets[0][5 * kFragmentWidth + 64], 0U);
  }
}

TEST(ValhallFragment, Refused) {
  const auto failure_of = [](const std::string& source, FragmentDraw draw = {}) {
    if (draw.varyings[0].empty()) draw.varyings = {{0, 0}, {0, 0}, {0, 0}};
    RunOptions options;
    options.engine = EngineKind::ir;
    return picture_of(source, draw, options).failure;
  };
  const auto refused = [&](const std::string& source, const std::string& why) {
    EXPECT_NE(failure_of(source).find(why), std::string::npos) << source << failure_of(source);
  };
  refused("LD_VAR_IMM.f32.center.store.slot0 @r0, r61, table:0x1, index:0x0\nNOP.end\n", "table 0");
  refused("LD_VAR_FLAT_IMM.f32.slot0 @r0, table:0x0, index:0x1F\nNOP.end\n", "0 to 30");
  refused("LD_VAR.f32.center.store.slot0 @r0, r61, r1\nNOP.end\n", "constant");
  refused("VAR_TEX_SINGLE.slot0.center_store.f.32.2d.zero @r0:r1:r2:r3, r2, r4\nNOP.end\n",
          "does not run yet");
  refused("LD_VAR_BUF.f32.slot0.src_f32.center.store @r0, r61, r0\nNOP.end\n", "LD_VAR_BUF");
  refused(
      "LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r0, r61, "
      "index:0x2\nNOP.end\n",
      "LD_VAR_BUF_IMM");
  refused(
      "LD_VAR_BUF_IMM.f16.slot0.src_flat32.center.store @r0, r61, "
      "index:0x0\nNOP.end\n",
      "LD_VAR_BUF_IMM");
  refused(
      "LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.center.store @r0, r61, "
      "index:0x0\nNOP.end\n",
      "staging");
  refused("LD_VAR_SPECIAL.f32.center.store.slot0 @r0, r61, index:0x0\nNOP.end\n", "components");
  refused("LD_VAR_SPECIAL.s32.center.store.slot0 @r0, r61, index:0x3\nNOP.end\n", "format");
  refused("LD_VAR_SPECIAL.f32.center.store.slot0 @r0, r61, index:0x1\nNOP.end\n", "LD_VAR_SPECIAL");
  refused("DISCARD.f32.total r0, r1\nNOP.end\n", "total");
  refused("ZS_EMIT.stencil.slot0 @r60:r61, r0, r0, r60\nNOP.end\n", "staging");
  refused("BLEND.slot0.f32.end @r0, r2, r60, target:0x0\n", "descriptor");
  refused("MOV.i32 r0, blend_descriptor_0.w0\nNOP.end\n", "special value");
  refused("MOV.i32 r0, warp_id.w0\nNOP.end\n", "special value");
  refused("IADD_IMM.i32 r0, atest_datum.w0, #0x0\nNOP.end\n", "special value");
  refused("BARRIER.slot7.wait\nNOP.end\n", "BARRIER");
  refused("MOV.i32 r1, r59\nST_TILE.f32.slot0 @r0, r1, r60, r2\nNOP.end\n", "program computes");
  refused("ST_TILE.f32.slot0 @r0, r1, r60, r2\nNOP.end\n", "another pixel");
  refused("IADD_IMM.i32 r1, 0x0, #0xFF000001\nST_TILE.f32.slot0 @r0, r1, r60, r2\nNOP.end\n", "sample");
  refused("ST_TILE.f16.slot0 @r0:r1, r1, r60, r2\nNOP.end\n", "staging");
  refused(
      "LD_TILE.f32.slot0 @r0, r1, r60, 0x0\nMOV.i32 r1, "
      "r59\nLD_TILE.f32.slot0 @r0, r1, r60, 0x0\nNOP.end\n",
      "LD_TILE");
  refused("WMASK.subgroup8 r1, r60\nNOP.end\n", "WMASK");
  const std::string blend = "BLEND.slot0.f32 @r0, blend_descriptor_0.w0, r60, target:0x0\n";
  refused(blend + blend + "NOP.end\n", "twice");
  refused("again:\n" + blend + "BRANCHZ r1, offset:again\nNOP.end\n", "twice");
  const std::string tile = "IADD_IMM.i32 r1, 0x0, #0xFF000000\nST_TILE.f32.slot0 @r0, r1, r60, r2\n";
  refused(tile + blend + "NOP.end\n", "twice");
  refused("BRANCHZ r3, offset:over\n" + tile + "over:\nNOP\n" + blend + "NOP.end\n", "twice");
  // On two ways once each is once.
  EXPECT_EQ(failure_of("BRANCHZ r60, offset:other\nBLEND.slot0.f32.end @r0, "
                       "blend_descriptor_0.w0, r60, "
                       "target:0x0\nother:\nBLEND.slot0.f32.end @r0, "
                       "blend_descriptor_0.w0, r60, target:0x0\n"),
            "");
}

}  // namespace
}  // namespace warpjit::valhall
