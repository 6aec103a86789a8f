// Fragment programs by compiled code and by the IR (docs/guests/valhall.md 10).
#include <bit>
#include <cmath>

#include "support/share.h"
#include "valhall/valhall_test.h"
#include "warpjit/pixels.hpp"

namespace warpjit::valhall {
namespace {

constexpr std::uint32_t kFragmentWidth = 70, kFragmentHeight = 66;  // of several tiles

// One triangle over the whole target, in window positions; words of varyings of its three vertices.
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
    return targets[0][(y * kFragmentWidth + x) * 4 + k];
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
  launch.set_parameters(std::as_bytes(std::span(draw.uniforms)));
  launch.set_count(3);
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
  for (const Target target : {Target::v3, Target::v4, Target::a64}) {
    options.target = target;
    const FragmentPicture got = picture_of(source, draw, options);
    if (got.failure.find("does not run code") != std::string::npos) continue;
    EXPECT_EQ(got.failure, "") << source;
    EXPECT_EQ(got.targets, wanted.targets) << source;
  }
  return wanted;
}

const std::string kBlend0 = "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n";

TEST(ValhallFragment, OneVarying) {
  FragmentDraw draw;
  draw.varyings = {{bits(0), bits(1)}, {bits(256), bits(1)}, {bits(0), bits(513)}};
  const FragmentPicture picture = draw_all(
      "LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.center.store.wait0 @r0:r1, r61, index:0x0\n"
      "MOV.i32 r3, 0x3F800000\n" +
          kBlend0,
      draw);
  ASSERT_EQ(picture.targets.size(), 1U);
  EXPECT_EQ(picture.f(0, 0, 0), 0.5F);
  EXPECT_EQ(picture.f(69, 3, 0), 69.5F);
  EXPECT_EQ(picture.f(69, 3, 1), 8.0F);
  EXPECT_EQ(picture.f(69, 65, 3), 1.0F);
}

}  // namespace
}  // namespace warpjit::valhall
