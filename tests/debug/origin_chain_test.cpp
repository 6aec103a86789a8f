// Values that earlier draws and launches of a capture wrote: who did, and where they come from there.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "capture/usse/draws.h"
#include "debug/any_capture.h"
#include "debug/origin_chain.h"
#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "support/byte_sink.h"
#include "support/own_folder.h"
#include "support/scene_files.h"
#include "support/source_dir.h"
#include "support/unpacked.h"
#include "warpjit/launch_recorder.hpp"

namespace warpjit::tests {
namespace {

namespace fs = std::filesystem;
using By = DebugWriter::By;
using From = DebugOrigin::From;

void expect_ok(const Status& status) { EXPECT_TRUE(status.ok()) << to_string(status.error()); }

// Launches on memory that they share, which the processor may change between them.
class Launches {
 public:
  static constexpr std::uint32_t kSize = 16;
  using Target = std::vector<float>;  // four of each pixel

  // A launch that has not run yet. In the launch's text PROGRAM is the file's name.
  Launch& make(const std::string& name, const std::string& program, std::string launch) {
    const fs::path folder = own_folder("warpjit-origin-chain");
    const std::size_t at = launch.find("PROGRAM");
    const std::size_t end = launch.find('"', at);
    const std::string file = name + launch.substr(at + 7, end - at - 7);
    launch.replace(at, end - at, file);
    std::ofstream(folder / file) << program;
    std::ofstream(folder / (name + ".json")) << launch;
    std::ofstream(folder / "zeros.bin", std::ios::binary) << std::string(16 * kSize * kSize, '\0');
    auto read = tool::read_launch((folder / (name + ".json")).string());
    EXPECT_TRUE(read.ok()) << to_string(read.error());
    auto bound = tool::BoundLaunch::make(std::move(*read));
    EXPECT_TRUE(bound.ok()) << to_string(bound.error());
    return launches_.emplace_back(std::move(*bound)).launch();
  }
  void run(const Launch& launch) {
    const auto report = recorder_.run(engine_, launch);
    EXPECT_TRUE(report.ok()) << to_string(report.error());
  }
  Capture capture() {
    expect_ok(recorder_.finish());
    auto capture = Capture::load(bytes_, "chain.wjcap");
    EXPECT_TRUE(capture.ok()) << to_string(capture.error());
    return std::move(*capture);
  }

  static void bind(Launch& launch, Target& target) {
    target.resize(std::size_t{4} * kSize * kSize);
    expect_ok(launch.bind_color(
        0, {target.data(), 4 * target.size(), std::size_t{16} * kSize, PixelFormat::rgba32f}));
  }
  static void sample(Launch& launch, const Target& target, Filter filter = Filter::nearest) {
    Texture texture;
    texture.format = *parse_texture_format("rgba32f");
    texture.data = target.data();
    texture.size = 4 * target.size();
    texture.width = texture.height = kSize;
    expect_ok(launch.set_texture(0, texture));
    Sampler sampler;
    sampler.wrap.fill(Wrap::clamp_to_edge);
    sampler.magnify = sampler.minify = filter;
    expect_ok(launch.set_sampler(0, sampler));
  }

 private:
  std::deque<tool::BoundLaunch> launches_;
  std::vector<std::byte> bytes_;
  LaunchRecorder recorder_{append, &bytes_};
  Engine engine_;
};

// A draw of Tesla over the whole target, whose fragments get in $r0 a number from 0 at the left to 1 at the right.
std::string tesla_program(const std::string& code) {
  return ".kernel v\n.type vertex\n.attributes 0xff\n.results 0 1 2 3 4\n.registers 8\nmov b32 o[0x0] "
         "a[0x0]\n"
         "mov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\nmov b32 $r0 a[0x10]\n"
         "mov b32 o[0x10] $r0\nexit nop\n\n.kernel f\n.type fragment\n.interpolants 0x8010401\n.registers "
         "8\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\ninterp $r0 v[0x4] $r4\n" +
         code + "exit nop\n";
}
std::string tesla_launch(bool samples = false) {
  return R"({"warpjit": 1, "isa": "tesla", "stage": "fragment", "count": 3, "program": {"file": "PROGRAM.tesla"},
              "vertex": {"inputs": {"a0": {"format": "f32x4", "data": [-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1]},
              "a1": {"format": "f32", "data": [0, 2, 0]}}}, )" +
         std::string(samples
                         ? R"("textures": {"0": {"file": "zeros.bin", "format": "rgba32f", "size": [16, 16]}},
                                  "samplers": {"0": {}}, )"
                         : "") +
         R"("targets": {"size": [16, 16], "colors": [{"format": "rgba32f"}]}})";
}
// $r0, $r0: where it samples.
const std::string kSampled =
    "mov b32 $r1 $r0\ntexauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nmul f32 $r0 $r0 2.0\n";
// A number below 0 has no root: from pixel 4 on.
const std::string kRoots =
    "mov b32 $r5 0.25\nmul f32 $r0 $r0 -1.0\nadd rn f32 $r0 $r0 $r5\nrsqrt f32 $r0 $r0\nmov b32 $r1 1.0\n"
    "mov b32 $r2 1.0\nmov b32 $r3 1.0\n";
const std::string kPlain = "mov b32 $r0 0.5\nmov b32 $r1 0.5\nmov b32 $r2 0.5\nmov b32 $r3 0.5\n";

DebugSession session_at(const Capture& capture, const std::string& place) {
  auto session = DebugSession::open(capture);
  EXPECT_TRUE(session.ok());
  expect_ok(session->go(*DebugPlace::parse(place)));
  EXPECT_EQ(session->difference(), "");
  return std::move(*session);
}

// The last NaN of the thread.
DebugOrigin nan_origin(DebugSession& session) {
  const auto asked = tool::last_nan(session);
  EXPECT_TRUE(asked.ok());
  if (!asked) return {};
  const auto origin = session.origin(asked->word, asked->lane, asked->step, true);
  EXPECT_TRUE(origin.ok());
  return origin.ok() ? *origin : DebugOrigin();
}
DebugOrigin value_origin(DebugSession& session, const char* name) {
  const auto origin = session.origin(*session.find(name), session.lane(), session.steps());
  EXPECT_TRUE(origin.ok());
  return origin.ok() ? *origin : DebugOrigin();
}

std::vector<DebugOrigin::Node> of_kind(const DebugOrigin& origin, From from) {
  std::vector<DebugOrigin::Node> nodes;
  std::ranges::copy_if(origin.nodes, std::back_inserter(nodes),
                       [&](const DebugOrigin::Node& node) { return node.from == from; });
  return nodes;
}
DebugWriter writer_of(DebugSession& session, const DebugOrigin::Node& node) {
  EXPECT_TRUE(node.bytes.has_value());
  const auto writer = session.writer(node.bytes.value_or(0));
  EXPECT_TRUE(writer.ok()) << to_string(writer.error());
  return writer.ok() ? *writer : DebugWriter{.by = By::unknown};
}

// Tesla loads its parameters, too.
std::vector<DebugOrigin::Node> loads_of(const DebugOrigin& origin, std::uint64_t address) {
  std::vector<DebugOrigin::Node> loads = of_kind(origin, From::memory);
  std::erase_if(loads, [&](const DebugOrigin::Node& node) { return node.memory != address; });
  return loads;
}

// Goes to a writer, and returns the instruction where the NaN that it wrote was born.
std::string birth_at(DebugSession& session, const DebugWriter& writer) {
  expect_ok(session.go(writer.place));
  EXPECT_EQ(session.difference(), "");
  const auto origin = session.origin(writer, true);
  EXPECT_TRUE(origin.ok()) << to_string(origin.error());
  if (!origin) return {};
  EXPECT_EQ(origin->nodes.front().from, From::written);
  for (const DebugOrigin::Node& node : origin->nodes)
    if (node.from == From::computed && node.special && node.of.empty()) return session.text(node.address);
  return {};
}

TEST(OriginChain, NanOfATexelThatADrawThreeBeforeWrote) {
  Launches launches;
  Launches::Target first, second, third;
  Launch& roots = launches.make("roots", tesla_program(kRoots), tesla_launch());
  Launch& plain = launches.make("plain", tesla_program(kPlain), tesla_launch());
  Launch& shown = launches.make("shown", tesla_program(kSampled), tesla_launch(true));
  Launches::bind(plain, first);
  launches.run(plain);
  Launches::bind(roots, first);
  launches.run(roots);
  Launches::bind(plain, second);
  launches.run(plain);
  launches.run(plain);
  Launches::bind(shown, third);
  Launches::sample(shown, first);
  launches.run(shown);
  const Capture capture = launches.capture();

  DebugSession session = session_at(capture, "draw 4 pixel 9,3");
  const DebugOrigin origin = nan_origin(session);
  const auto texels = of_kind(origin, From::texel);
  ASSERT_EQ(texels.size(), 1u);
  EXPECT_EQ(texels[0].texel->x, 9u);
  EXPECT_EQ(texels[0].texel->y, 9u);
  EXPECT_EQ(texels[0].texel->bytes, 16u);
  EXPECT_EQ(texels[0].texel->value[1], 0x3f800000u);
  EXPECT_TRUE(texels[0].special);
  const DebugWriter writer = writer_of(session, texels[0]);
  EXPECT_EQ(writer.by, By::fragment) << name(writer.by);
  EXPECT_EQ(writer.place.text(), "draw 1 pixel 9,9 fragment 0");
  EXPECT_EQ(writer.target, 0u);
  EXPECT_FALSE(writer.blended);
  EXPECT_NE(birth_at(session, writer).find("rsqrt"), std::string::npos);

  // The same as the tool says it.
  session = session_at(capture, "draw 4 pixel 9,3");
  tool::OriginChain chain(session, true, 64, 8);
  const auto nodes = chain.nodes(nan_origin(session));
  ASSERT_TRUE(nodes.ok());
  const auto earlier = chain.earlier();
  ASSERT_TRUE(earlier.ok()) << to_string(earlier.error());
  ASSERT_EQ(earlier->size(), 1u);
  const std::string text = tool::reply_text({{"reply", "origin"}, {"nodes", *nodes}});
  EXPECT_NE(
      text.find("texel 9,9 of texture 0 (0x7fffffff 0x3f800000 0x3f800000 0x3f800000), written by draw 1 "
                "pixel 9,9 fragment 0 to color0"),
      std::string::npos)
      << text;
  EXPECT_EQ((*earlier)[0]["place"].string(), "draw 1 pixel 9,9 fragment 0");
  EXPECT_NE(tool::reply_text((*earlier)[0]).find("<- born here"), std::string::npos);
  EXPECT_EQ(session.place().text(), "draw 4 pixel 9,3 fragment 0");

  // Where the root is a number, there is no NaN.
  session = session_at(capture, "draw 4 pixel 2,3");
  EXPECT_FALSE(tool::last_nan(session).ok());
}

TEST(OriginChain, TexelsOfALinearFilterByTheirWeights) {
  Launches launches;
  Launches::Target first, second;
  Launch& roots = launches.make("roots", tesla_program(kRoots), tesla_launch());
  Launch& shown =
      launches.make("mixed", tesla_program("mov b32 $r5 0.015625\nadd rn f32 $r0 $r0 $r5\n" + kSampled),
                    tesla_launch(true));
  Launches::bind(roots, first);
  launches.run(roots);
  Launches::bind(shown, second);
  Launches::sample(shown, first, Filter::linear);
  launches.run(shown);
  const Capture capture = launches.capture();

  // A quarter of a texel beyond the middle of (3, 3); NaNs begin in column 4.
  DebugSession session = session_at(capture, "draw 1 pixel 3,5");
  auto texels = of_kind(value_origin(session, "$r0"), From::texel);
  ASSERT_EQ(texels.size(), 4u);
  EXPECT_EQ(texels[0].texel->x, 3u);
  EXPECT_EQ(texels[0].texel->y, 3u);
  EXPECT_FLOAT_EQ(texels[0].texel->weight, 0.5625F);
  EXPECT_FLOAT_EQ(texels[3].texel->weight, 0.0625F);
  texels = of_kind(nan_origin(session), From::texel);
  ASSERT_EQ(texels.size(), 2u);
  for (const DebugOrigin::Node& texel : texels) {
    EXPECT_EQ(texel.texel->x, 4u);
    EXPECT_EQ(writer_of(session, texel).place.x, 4u);
    EXPECT_EQ(writer_of(session, texel).place.y, texel.texel->y);
  }
}

TEST(OriginChain, OverlaidAndBlendedTexels) {
  Launches launches;
  Launches::Target first, second;
  Launch& plain = launches.make("plain", tesla_program(kPlain), tesla_launch());
  Launch& shown = launches.make("shown", tesla_program(kSampled), tesla_launch(true));
  Launches::bind(plain, first);
  launches.run(plain);
  // Columns 4 to 7 once more, the same values; columns 8 to 11 are blended.
  RasterState raster;
  raster.viewport_scale = {8, 8, 0.5F};
  raster.viewport_translate = {8, 8, 0.5F};
  raster.scissor = {4, 0, 4, 16};
  expect_ok(plain.set_raster_state(raster));
  launches.run(plain);
  raster.scissor = {8, 0, 4, 16};
  expect_ok(plain.set_raster_state(raster));
  OutputState output;
  output.blend[0].enabled = true;
  output.blend[0].target = output.blend[0].target_alpha = BlendFactor::one;
  expect_ok(plain.set_output_state(output));
  launches.run(plain);
  Launches::bind(shown, second);
  Launches::sample(shown, first);
  launches.run(shown);
  const Capture capture = launches.capture();
  const auto at = [&](unsigned x) {
    DebugSession session = session_at(capture, "draw 3 pixel " + std::to_string(x) + ",1");
    const auto texels = of_kind(value_origin(session, "$r0"), From::texel);
    EXPECT_EQ(texels.size(), 1u);
    return texels.empty() ? DebugWriter() : writer_of(session, texels[0]);
  };
  EXPECT_EQ(at(2).place.text(), "draw 0 pixel 2,2 fragment 0");
  EXPECT_EQ(at(5).place.text(), "draw 1 pixel 5,5 fragment 0");
  EXPECT_FALSE(at(5).blended);
  EXPECT_EQ(at(9).place.text(), "draw 2 pixel 9,9 fragment 0");
  EXPECT_TRUE(at(9).blended);
}

TEST(OriginChain, WhatTheCaptureChangesIsGiven) {
  Launches launches;
  Launches::Target first, second;
  Launch& roots = launches.make("roots", tesla_program(kRoots), tesla_launch());
  Launch& shown = launches.make("shown", tesla_program(kSampled), tesla_launch(true));
  Launches::bind(roots, first);
  launches.run(roots);
  first[4 * (Launches::kSize * 6 + 6)] = std::numeric_limits<float>::infinity();
  Launches::bind(shown, second);
  Launches::sample(shown, first);
  launches.run(shown);
  const Capture capture = launches.capture();

  DebugSession session = session_at(capture, "draw 1 pixel 6,0");
  auto texels = of_kind(nan_origin(session), From::texel);
  ASSERT_EQ(texels.size(), 1u);
  EXPECT_EQ(texels[0].value, 0x7f800000u);
  EXPECT_EQ(writer_of(session, texels[0]).by, By::given);
  session = session_at(capture, "draw 1 pixel 7,0");
  texels = of_kind(nan_origin(session), From::texel);
  ASSERT_EQ(texels.size(), 1u);
  EXPECT_EQ(writer_of(session, texels[0]).place.text(), "draw 0 pixel 7,7 fragment 0");
}

// ---- Frames
// The first value of the thread that a texel was mixed into.
std::vector<DebugOrigin::Node> sampled_texels(DebugSession& session) {
  for (unsigned word = 0; word < session.words(); ++word) {
    const auto origin = session.origin(word, session.lane(), session.steps());
    EXPECT_TRUE(origin.ok());
    if (!origin) return {};
    if (auto texels = of_kind(*origin, From::texel); !texels.empty()) return texels;
  }
  return {};
}
// What a fragment gave, after going there.
DebugOrigin written_origin(DebugSession& session, const DebugWriter& writer) {
  expect_ok(session.go(writer.place));
  const auto origin = session.origin(writer);
  EXPECT_TRUE(origin.ok()) << to_string(origin.error());
  return origin.ok() ? *origin : DebugOrigin();
}

// A scene stores its pixels at its end, and the next one samples them.
TEST(OriginChain, SurfaceOfASceneOfTheVita) {
  const Engine engine;
  usse::Square console;
  std::vector<std::byte> bytes;
  auto recorder = usse::Recorder::begin(append, &bytes, console.memory);
  ASSERT_TRUE(recorder.ok());
  auto target = usse::Scene::begin(console.surface(usse::Square::kPixels, 16), {}, &*recorder);
  ASSERT_TRUE(target.ok());
  usse::Draw small = console.draw();
  small.viewport = {8, 8, 8, -8, 0.5F, 0.5F};
  ASSERT_TRUE(target->draw(engine, small).ok());
  expect_ok(target->end());
  // One pixel is the processor's.
  std::uint32_t& pixel = console.words[(usse::Square::kPixels - usse::Square::kAddress) / 4 + 16 * 8 + 7];
  pixel ^= 0x00ff00ff;
  auto final = usse::Scene::begin(console.surface(usse::Square::kTarget), {}, &*recorder);
  ASSERT_TRUE(final.ok());
  console.textures[0].control[2] = usse::Square::kPixels;
  ASSERT_TRUE(final->draw(engine, console.draw()).ok());
  expect_ok(final->end());
  expect_ok(recorder->end());
  const auto capture = Capture::load(bytes, "scenes.wjcap");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());

  std::size_t drawn = 0, given = 0;
  for (const char* place :
       {"draw 1 pixel 30,30", "draw 1 pixel 25,36", "draw 1 pixel 34,34", "draw 1 pixel 38,29"}) {
    DebugSession session = session_at(*capture, place);
    const auto texels = sampled_texels(session);
    ASSERT_FALSE(texels.empty());
    for (const DebugOrigin::Node& texel : texels) {
      const DebugWriter writer = writer_of(session, texel);
      if (texel.texel->x == 7 && texel.texel->y == 8) {
        EXPECT_EQ(writer.by, By::given);
        ++given;
        continue;
      }
      ASSERT_EQ(writer.by, By::fragment) << texel.texel->x << "," << texel.texel->y << " " << name(writer.by);
      EXPECT_EQ(writer.place.draw, 0u);
      EXPECT_EQ(writer.place.x, texel.texel->x);
      EXPECT_EQ(writer.place.y, texel.texel->y);
      ++drawn;
    }
    const auto drawn_texel = std::ranges::find_if(
        texels, [](const DebugOrigin::Node& node) { return node.texel->x != 7 || node.texel->y != 8; });
    if (drawn_texel == texels.end()) continue;
    const DebugOrigin origin = written_origin(session, writer_of(session, *drawn_texel));
    ASSERT_FALSE(origin.nodes.empty());
    EXPECT_EQ(origin.nodes.front().from, From::written);
    EXPECT_FALSE(of_kind(origin, From::texel).empty()) << "that draw samples, too";
  }
  EXPECT_GT(drawn, 4u);
  EXPECT_GT(given, 0u);
}

// A target of 8 bits is a texture of the draws after it.
TEST(OriginChain, TargetThatIsATextureOfThe3ds) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const auto capture =
      tool::load_any_capture(source_file("examples/pica200/scenes/render_to_texture/scene.json"));
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  std::size_t drawn = 0;
  for (const char* place : {"draw 2 pixel 90,200", "draw 2 pixel 130,220"}) {
    auto session = DebugSession::open(*capture);
    ASSERT_TRUE(session.ok());
    expect_ok(session->go(*DebugPlace::parse(place)));
    EXPECT_EQ(session->difference(), "");
    const auto texels = sampled_texels(*session);
    for (const DebugOrigin::Node& texel : texels) {
      const DebugWriter writer = writer_of(*session, texel);
      if (writer.by != By::fragment) continue;
      EXPECT_EQ(writer.place.draw, 0u);
      EXPECT_EQ(writer.place.x, texel.texel->x);
      EXPECT_EQ(writer.place.y, texel.texel->y);
      ++drawn;
    }
    if (texels.empty() || writer_of(*session, texels[0]).by != By::fragment) continue;
    const DebugOrigin origin = written_origin(*session, writer_of(*session, texels[0]));
    ASSERT_FALSE(origin.nodes.empty());
    EXPECT_EQ(origin.nodes.front().of.size(), 4u);
  }
  EXPECT_GT(drawn, 0u);
}

// Fragment jobs store what was drawn at their end: each draw makes a level of the one before it.
TEST(OriginChain, LevelsThatAMaliDriverMakes) {
  const auto bytes = unpacked(corpus_file("valhall/drivers/25.0.7-mipmap/frame.wjcap.xz"));
  if (bytes.empty()) GTEST_SKIP() << "no such capture";
  const auto capture = Capture::load(bytes, "mipmap");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  DebugSession session = session_at(*capture, "draw 2 pixel 3,5");
  const auto texels = sampled_texels(session);
  ASSERT_EQ(texels.size(), 4u);
  DebugWriter writer;
  for (const DebugOrigin::Node& texel : texels) {
    EXPECT_EQ(texel.texel->x / 2, 3u);
    EXPECT_EQ(texel.texel->y / 2, 5u);
    EXPECT_FLOAT_EQ(texel.texel->weight, 0.25F);
    writer = writer_of(session, texel);
    EXPECT_EQ(writer.place.text(), "draw 1 pixel " + std::to_string(texel.texel->x) + "," +
                                       std::to_string(texel.texel->y) + " fragment 0");
  }
  const DebugOrigin origin = written_origin(session, writer);
  ASSERT_FALSE(origin.nodes.empty());
  EXPECT_EQ(origin.nodes.front().of.size(), 4u);
  const auto before = of_kind(origin, From::texel);
  ASSERT_EQ(before.size(), 4u);
  EXPECT_EQ(writer_of(session, before[0]).place.draw, 0u);
  tool::OriginChain chain(session, false, 64, 8);
  ASSERT_TRUE(chain.nodes(origin).ok());
  const auto earlier = chain.earlier();
  ASSERT_TRUE(earlier.ok()) << to_string(earlier.error());
  EXPECT_EQ(earlier->size(), 4u);
}

// ---- Kernels of two blocks of 16 threads, each with a word of memory
constexpr const char* kTeslaKernel =
    ".kernel k\n.registers 12\n.shared 0x40\nand b32 $r0 $r0 0xffff\nshl b32 $r1 $r0 0x2\n"
    "add b32 $r1 b32 s[0x10] $r1\nld b32 $r2 g14[$r1]\n";
std::string tesla_grid() {
  return R"({"warpjit": 1, "isa": "tesla", "stage": "compute", "program": {"file": "PROGRAM.tesla"},
              "grid": [1, 1], "block": [16, 1, 1], "params": ["0x10000"], "memory": [
                {"space": "g14", "address": "0x10000", "format": "f32", "data": [0], "size": 256}],
              "outputs": [{"space": "g14", "address": "0x10000", "format": "f32", "count": 4}]})";
}
std::string valhall_grid() {
  return R"({"warpjit": 1, "isa": "valhall", "stage": "compute", "program": {"file": "PROGRAM.valhall"},
              "grid": [1, 1], "block": [16, 1], "params": ["0x10000", 0, 1.0], "memory": [
                {"space": "mem", "address": "0x10000", "format": "f32", "data": [0], "size": 256}],
              "outputs": [{"space": "mem", "address": "0x10000", "format": "f32", "count": 4}]})";
}
struct Kernels {
  const char* name;
  std::string root, turn, copy;  // 1 / sqrt; -1 times; the word as it is
  std::string launch;
  const char* space;
  const char* seed;
};

class OriginOfStores : public testing::TestWithParam<Kernels> {};

TEST_P(OriginOfStores, NanThatAKernelStored) {
  const Kernels& kernels = GetParam();
  Launches launches;
  std::vector<float> words(64, 4.0F), others(64, 1.0F);
  words[5] = -4.0F;
  const auto make = [&](const std::string& name, const std::string& program,
                        std::vector<float>& memory) -> Launch& {
    Launch& launch = launches.make(name + kernels.name, program, kernels.launch);
    launch.unmap_memory();
    expect_ok(launch.map_memory(kernels.space, 0x10000, memory.data(), 4 * memory.size()));
    return launch;
  };
  launches.run(make("root", kernels.root, words));
  launches.run(make("turn", kernels.turn, others));
  launches.run(make("again", kernels.copy, words));  // changes nothing
  launches.run(make("turned", kernels.turn, words));
  words[7] = std::numeric_limits<float>::quiet_NaN();
  launches.run(make("last", kernels.turn, words));
  const Capture capture = launches.capture();

  DebugSession session = session_at(capture, "draw 4 thread 5");
  auto loads = loads_of(nan_origin(session), 0x10014);
  ASSERT_EQ(loads.size(), 1u);
  DebugWriter writer = writer_of(session, loads[0]);
  EXPECT_EQ(writer.by, By::store) << name(writer.by);
  DebugPlace thread = writer.place;
  thread.step = 0;
  EXPECT_EQ(thread.text(), "draw 3 thread 5,0,0 block 0,0,0");
  // There it is loaded, too.
  expect_ok(session.go(writer.place));
  const auto step = session.step(writer.place.step);
  ASSERT_TRUE(step.ok());
  EXPECT_TRUE(std::ranges::any_of(step->accesses, [&](const DebugStep::Access& access) {
    return access.store && access.lane == session.lane() && access.address == 0x10014;
  }));
  // That loads what a copy stored, which loads what the first launch did.
  for (const std::size_t draw : {2U, 0U}) {
    const auto before = session.origin(writer, true);
    ASSERT_TRUE(before.ok()) << to_string(before.error());
    loads = loads_of(*before, 0x10014);
    ASSERT_EQ(loads.size(), 1u);
    writer = writer_of(session, loads[0]);
    EXPECT_EQ(writer.by, By::store) << name(writer.by);
    ASSERT_EQ(writer.place.draw, draw);
    expect_ok(session.go(writer.place));
  }
  EXPECT_NE(birth_at(session, writer).find(kernels.seed), std::string::npos);

  // The processor put one there; before the first launch nobody wrote.
  session = session_at(capture, "draw 4 thread 7");
  loads = loads_of(nan_origin(session), 0x1001c);
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(writer_of(session, loads[0]).by, By::given);
  session = session_at(capture, "draw 0 thread 5");
  loads = loads_of(value_origin(session, kernels.name == std::string("Tesla") ? "$r4" : "r4"), 0x10014);
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(writer_of(session, loads[0]).by, By::given);

  // All of the way, as the tool goes it.
  session = session_at(capture, "draw 4 thread 5");
  tool::OriginChain chain(session, true, 64, 8);
  ASSERT_TRUE(chain.nodes(nan_origin(session)).ok());
  const auto earlier = chain.earlier();
  ASSERT_TRUE(earlier.ok());
  EXPECT_EQ(earlier->size(), 3u);
  tool::OriginChain bounded(session, true, 64, 1);
  ASSERT_TRUE(bounded.nodes(nan_origin(session)).ok());
  const auto one = bounded.earlier();
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->size(), 1u);
}

std::vector<Kernels> kernels() {
  const std::string tesla(kTeslaKernel), tesla_end = "st b32 g14[$r1] $r4\nexit nop\n";
  const std::string valhall =
      ".stage compute\nSHADDX.u64 r10, u0, r60.w0, shift:0x2\nLOAD.i32.unsigned.slot0.wait0 @r0, r10, "
      "offset:0\n";
  const std::string valhall_end = "STORE.i32.slot0.end @r4, r10, offset:0\n";
  return {{"Tesla", tesla + "rsqrt f32 $r4 $r2\n" + tesla_end, tesla + "mul f32 $r4 $r2 -1.0\n" + tesla_end,
           tesla + "mov b32 $r4 $r2\n" + tesla_end, tesla_grid(), "g14", "rsqrt"},
          {"Valhall", valhall + "FRSQ.f32 r4, r0\n" + valhall_end,
           valhall + "FMA.f32 r4, r0, u2.neg, 0x0.neg\n" + valhall_end,
           valhall + "MOV.i32 r4, r0\n" + valhall_end, valhall_grid(), "mem", "FRSQ"}};
}
INSTANTIATE_TEST_SUITE_P(All, OriginOfStores, testing::ValuesIn(kernels()),
                         [](const auto& chosen) { return chosen.param.name; });

// Warps of a block take turns: each step is that of its own warp.
TEST(OriginChain, BlocksOfSeveralWarps) {
  Launches launches;
  std::vector<float> words(64, 4.0F);
  words[5] = -4.0F;
  std::string grid = tesla_grid();
  grid.replace(grid.find("[16, 1, 1]"), 10, "[64, 1, 1]");
  const std::string end = "bar inc wait 0x0 all\nst b32 g14[$r1] $r4\nexit nop\n";
  for (const auto& [name, code] :
       {std::pair{"roots64", "rsqrt f32 $r4 $r2\n"}, {"copies64", "mov b32 $r4 $r2\n"}}) {
    Launch& launch = launches.make(name, kTeslaKernel + std::string(code) + end, grid);
    launch.unmap_memory();
    expect_ok(launch.map_memory("g14", 0x10000, words.data(), 4 * words.size()));
    launches.run(launch);
  }
  const Capture capture = launches.capture();
  DebugSession session = session_at(capture, "draw 1 thread 5");
  const auto loads = loads_of(value_origin(session, "$r4"), 0x10014);
  ASSERT_EQ(loads.size(), 1u);
  const DebugWriter writer = writer_of(session, loads[0]);
  EXPECT_EQ(writer.by, By::store);
  EXPECT_NE(birth_at(session, writer).find("rsqrt"), std::string::npos);
  EXPECT_EQ(writer.place.thread[0], 5u);
  const auto births = find_births(capture);
  ASSERT_TRUE(births.ok());
  ASSERT_EQ(births->size(), 1u);
  expect_ok(session.go(births->front().first));
  EXPECT_EQ(session.place().thread[0], 5u);
  const auto step = session.step(session.place().step);
  ASSERT_TRUE(step.ok());
  EXPECT_EQ(step->address, births->front().address);
}

}  // namespace
}  // namespace warpjit::tests
