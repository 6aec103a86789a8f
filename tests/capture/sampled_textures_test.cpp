// Textures that draws sample, as visitors see them.
#include <gtest/gtest.h>

#include <vector>

#include "capture/pica200/scene_frames.h"
#include "capture/texture_picture.h"
#include "hostile_bytes.h"
#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "scene/load_scene.h"
#include "support/scene_files.h"
#include "support/unpacked.h"
#include "warpjit/capture.hpp"
#include "warpjit/launch_recorder.hpp"

namespace warpjit {
namespace {

struct Textures final : CaptureVisitor {
  explicit Textures(std::uint32_t extent, std::size_t most = SIZE_MAX) : extent(extent), most(most) {}
  CaptureInterest interest() const override { return {.draws = true, .textures = extent}; }
  bool draw(const CaptureDraw& draw) override {
    for (; before < seen.size(); ++before) EXPECT_EQ(seen[before].draw, draw.number);
    return ++draws, true;
  }
  bool texture(const CaptureTexture& texture) override {
    EXPECT_LE(texture.number, numbers);
    EXPECT_EQ(texture.rgba.empty(), texture.number < numbers) << "each once";
    numbers += texture.number == numbers;
    EXPECT_EQ(texture.rgba.size(), std::size_t{4} * texture.picture_width * texture.picture_height);
    EXPECT_LE(texture.picture_width, extent);
    EXPECT_LE(texture.picture_height, extent);
    EXPECT_FALSE(texture.format.empty());
    formats.emplace_back(texture.format);
    pictures.emplace_back(texture.rgba.begin(), texture.rgba.end());
    seen.push_back(texture);
    return seen.size() < most;
  }
  std::uint32_t extent;
  std::size_t most, numbers = 0, draws = 0, before = 0;
  std::vector<CaptureTexture> seen;  // their texts and bytes are gone
  std::vector<std::string> formats;
  std::vector<std::vector<std::byte>> pictures;
};

// A capture of `times` runs of an example's launch.
std::vector<std::byte> recorded(const char* name, unsigned times) {
  auto launch = tool::read_launch(tests::source_file(std::string("examples/") + name));
  EXPECT_TRUE(launch.ok());
  auto bound = tool::BoundLaunch::make(std::move(*launch));
  EXPECT_TRUE(bound.ok());
  bound->clear();
  std::vector<std::byte> bytes;
  const Engine engine;
  LaunchRecorder recorder(tests::append, &bytes);
  for (unsigned n = 0; n < times; ++n) EXPECT_TRUE(recorder.run(engine, bound->launch()).ok());
  EXPECT_TRUE(recorder.finish().ok());
  return bytes;
}

TEST(TexturePicture, IsOfMeansWithTheTopRowFirst) {
  const auto read = [](std::uint32_t x, std::uint32_t y) -> capture::TexelBytes {
    return {static_cast<std::uint8_t>(10 * x), static_cast<std::uint8_t>(10 * y), 0, 255};
  };
  const auto whole = capture::shrink_texture(4, 2, 4, read);
  EXPECT_EQ(whole.width, 4u);
  EXPECT_EQ(whole.rgba[4 * 5], std::byte{10});
  EXPECT_EQ(whole.rgba[4 * 5 + 1], std::byte{10});
  const auto half = capture::shrink_texture(4, 2, 2, read);
  EXPECT_EQ(half.width, 2u);
  EXPECT_EQ(half.height, 1u);
  EXPECT_EQ(half.rgba[4], std::byte{25});
  EXPECT_EQ(half.rgba[5], std::byte{5});
  // Of one texel's height, and so large that not all texels are read.
  std::size_t reads = 0;
  const auto line = capture::shrink_texture(1 << 20, 1, 128, [&](std::uint32_t, std::uint32_t) {
    ++reads;
    return capture::TexelBytes{1, 2, 3, 4};
  });
  EXPECT_EQ(line.width, 128u);
  EXPECT_EQ(line.height, 1u);
  EXPECT_EQ(reads, 128u * 8);
  EXPECT_EQ(line.rgba.back(), std::byte{4});
}

TEST(SampledTextures, OfLaunches) {
  const auto capture = Capture::load(recorded("tesla/graphics/block_texture.json", 3), "run.wjcap");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  Textures textures(64), none(0), one(64, 1);
  ASSERT_TRUE(capture->run(Engine(), textures).ok());
  ASSERT_EQ(textures.seen.size() % 3, 0u);
  ASSERT_GE(textures.seen.size(), 3u);
  EXPECT_EQ(textures.draws, 3u);
  EXPECT_EQ(textures.numbers, textures.seen.size() / 3) << "each launch samples the same";
  EXPECT_EQ(textures.seen.back().draw, 2u);
  for (const CaptureTexture& texture : textures.seen) EXPECT_NE(texture.address, 0u);
  ASSERT_TRUE(capture->run(Engine(), none).ok());
  EXPECT_TRUE(none.seen.empty());
  ASSERT_TRUE(capture->run(Engine(), one).ok());
  EXPECT_EQ(one.seen.size(), 1u);
  EXPECT_EQ(one.draws, 0u) << "the run has ended before its draw";
  const auto cube = Capture::load(recorded("tesla/graphics/cube_map.json", 1), "cube.wjcap");
  ASSERT_TRUE(cube.ok());
  Textures faces(16);
  ASSERT_TRUE(cube->run(Engine(), faces).ok());
  ASSERT_EQ(faces.seen.size(), 6u);
  for (std::uint32_t n = 0; n < 6; ++n) EXPECT_EQ(faces.seen[n].layer, n);
}

TEST(SampledTextures, OfScenesOfThePica200) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const auto scene = tool::load_scene(tests::source_file("examples/pica200/scenes/cube_map/scene.json"));
  ASSERT_TRUE(scene.ok());
  const pica200::SceneFrames frames(*scene, "cube_map");
  Textures textures(128), one(128, 1);
  ASSERT_TRUE(frames.run(Engine(), textures, {}).ok());
  EXPECT_GE(textures.seen.size(), 6u);
  EXPECT_NE(textures.draws, 0u);
  for (const CaptureTexture& texture : textures.seen) EXPECT_NE(texture.address, 0u);
  ASSERT_TRUE(frames.run(Engine(), one, {}).ok());
  EXPECT_EQ(one.seen.size(), 1u);
}

TEST(SampledTextures, OfFramesOfMali) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const auto bytes = tests::unpacked(tests::corpus_file("valhall/drivers/25.0.7-tex_shadow/frame.wjcap.xz"));
  if (bytes.empty()) GTEST_SKIP() << "no xz, or no corpus";
  const auto capture = Capture::load(bytes, "frame.wjcap");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  Textures textures(128);
  ASSERT_TRUE(capture->run(Engine(), textures).ok());
  EXPECT_FALSE(textures.seen.empty());
  EXPECT_GT(textures.numbers, 0u);
}

}  // namespace
}  // namespace warpjit
