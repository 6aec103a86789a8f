// Scenes of the Vita that are recorded while they are drawn, and what comes out when they run again.
#include <cstdio>
#include <ctime>
#include <map>

#include "capture/part_checks.h"
#include "draws.h"
#include "support/engine_ways.h"
#include "support/same_bytes.h"
#include "usse/launch_file.h"
#include "warpjit/capture.hpp"

namespace warpjit::usse {
namespace {

struct Seen final : CaptureVisitor {
  bool with_targets = false;
  std::vector<std::string> jobs, draws;
  std::vector<std::vector<std::byte>> surfaces, targets;
  std::vector<std::size_t> frames;
  std::size_t compared = 0, wrong = 0;

  CaptureInterest interest() const override { return {true, with_targets}; }
  bool job(const CaptureJob& job) override {
    jobs.emplace_back(job.what);
    frames.push_back(job.frame);
    return true;
  }
  bool draw(const CaptureDraw& draw) override {
    EXPECT_EQ(draw.number, draws.size());
    draws.emplace_back(draw.what);
    EXPECT_EQ(draw.programs.size(), draw.drawn ? 2U : 0U);
    for (const CaptureProgram& program : draw.programs) {
      EXPECT_GT(program.report->run_time.count(), 0) << program.stage;
      EXPECT_EQ(name(program.program->stage()), program.stage);
    }
    return true;
  }
  bool picture(const CapturePicture& picture) override {
    EXPECT_EQ(picture.pixels.size(), pixel_size(picture.format) * picture.width * picture.height);
    if (picture.draw) {
      targets.emplace_back(picture.bytes.begin(), picture.bytes.end());
      return true;
    }
    surfaces.emplace_back(picture.bytes.begin(), picture.bytes.end());
    compared += picture.compared ? 1 : 0;
    wrong += picture.compared && !picture.compared->holds() ? 1 : 0;
    return true;
  }
};

Seen replay(const std::vector<std::byte>& file, const Engine& engine, const RunOptions& options,
            bool with_targets = false) {
  Seen seen;
  seen.with_targets = with_targets;
  const auto capture = Capture::load(file, "file.wjcap");
  EXPECT_TRUE(capture.ok()) << to_string(capture.error());
  if (!capture) return seen;
  EXPECT_EQ(capture->isa(), Isa::usse);
  const Status done = capture->run(engine, seen, options);
  EXPECT_TRUE(done.ok()) << to_string(done.error());
  // Written again, it shows the same.
  std::vector<std::byte> again;
  EXPECT_TRUE(capture->write(append, &again).ok());
  const auto second = Capture::load(again, "again.wjcap");
  EXPECT_TRUE(second.ok()) << to_string(second.error());
  Seen same;
  same.with_targets = with_targets;
  EXPECT_TRUE(second->run(engine, same, options).ok());
  EXPECT_EQ(same.surfaces, seen.surfaces);
  EXPECT_EQ(same.draws, seen.draws);
  EXPECT_EQ(same.wrong, seen.wrong);
  return seen;
}

// Every draw of the corpus, recorded, and run again on every engine: equal bits.
TEST(UsseRecorder, DrawsOfTheCorpus) {
  const Engine engine;
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(tests::corpus_file("usse/launches"))) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().string());
    LaunchFile file;
    file.read(entry.path());
    const auto vertex = warpjit::Program::load(file.vertex.gxp);
    const auto fragment = warpjit::Program::load(file.fragment.gxp);
    ASSERT_TRUE(vertex.ok() && fragment.ok());
    file.draw.vertex.program = &*vertex;
    file.draw.fragment.program = &*fragment;
    std::vector<std::byte> pixels(std::size_t{4} * file.width * file.height), bytes;
    for (std::size_t k = 0; k < pixels.size(); ++k) pixels[k] = static_cast<std::byte>(file.clear[k % 4]);
    auto recorder = Recorder::begin(append, &bytes);
    ASSERT_TRUE(recorder.ok());
    auto scene = Scene::begin({.width = file.width,
                               .height = file.height,
                               .stride = file.width,
                               .data = pixels.data(),
                               .size = pixels.size()},
                              {}, &*recorder);
    ASSERT_TRUE(scene.ok()) << to_string(scene.error());
    const auto report = scene->draw(engine, file.draw);
    ASSERT_TRUE(report.ok()) << to_string(report.error());
    ASSERT_TRUE(scene->end().ok());
    const Status ended = recorder->end();
    ASSERT_TRUE(ended.ok()) << to_string(ended.error());
    for (const test::EngineWay& way : test::engine_ways(engine)) {
      SCOPED_TRACE(way.name);
      const Seen seen = replay(bytes, engine, way.options);
      ASSERT_EQ(seen.surfaces.size(), 1u);
      EXPECT_EQ(seen.surfaces[0], pixels);
      EXPECT_EQ(seen.compared, 1u);
      EXPECT_EQ(seen.wrong, 0u);
    }
    ++count;
  }
  EXPECT_EQ(count, tests::has_whole_corpus() ? 13U : 3U);
}

// A surface becomes a texture; the processor changes texels and vertices between draws; two scenes are open.
TEST(UsseRecorder, ScenesSampleWhatOthersDraw) {
  const Engine engine;
  Square console(Square::kTexels);
  std::vector<std::byte> bytes;
  auto recorder = Recorder::begin(append, &bytes, console.memory);
  ASSERT_TRUE(recorder.ok());
  const auto run = [&](Recorder* to) {
    std::vector<std::vector<std::byte>> surfaces;
    const auto keep = [&](std::uint32_t address, std::uint32_t size) {
      const std::byte* const first = console.at(address);
      surfaces.emplace_back(first, first + std::size_t{4} * size * size);
    };
    for (unsigned frame = 0; frame < 2; ++frame) {
      // What is drawn first has the size of the texture.
      Draw small = console.draw();
      small.viewport = {8, 8, 8, -8, 0.5F, 0.5F};
      auto target = Scene::begin(console.surface(Square::kPixels, 16), DepthSurface{}, to);
      auto final = Scene::begin(console.surface(Square::kTarget), DepthSurface{PixelFormat::d24s8, 1, 3}, to);
      EXPECT_TRUE(target.ok() && final.ok());
      EXPECT_TRUE(target->draw(engine, small).ok());
      console.texel(5 + frame) = 0xff00ff00;
      console.words[0] += 0x00100010;
      EXPECT_TRUE(target->draw(engine, small).ok());
      EXPECT_TRUE(target->end().ok());
      keep(Square::kPixels, 16);
      Draw big = console.draw();
      std::vector<TextureBinding> textures = console.textures;
      textures[0].control[2] = Square::kPixels;
      big.fragment.textures = textures;
      big.depth_stencil.depth_compare = Compare::less_equal;
      big.depth_stencil.depth_write = true;
      big.depth_stencil.stencil = true;
      big.depth_stencil.front = {
          Compare::equal, StencilOp::keep, StencilOp::keep, StencilOp::invert, 3, 15, 7};
      EXPECT_TRUE(final->draw(engine, big).ok());
      Draw blended = console.draw();
      blended.blend = Blend{15, 1, 1, 4, 5, 1, 1};
      blended.region = {{10, 12, 40, 50}};
      blended.instances = 2;
      EXPECT_TRUE(final->draw(engine, blended).ok());
      EXPECT_TRUE(final->end().ok());
      keep(Square::kTarget, Square::kSize);
      if (to != nullptr) {
        EXPECT_TRUE(to->end_frame().ok());
      }
    }
    return surfaces;
  };
  const auto surfaces = run(&*recorder);
  const Status ended = recorder->end();
  ASSERT_TRUE(ended.ok()) << to_string(ended.error());
  // After the end nothing is recorded, and nothing fails.
  const std::size_t size = bytes.size();
  run(&*recorder);
  EXPECT_EQ(bytes.size(), size);
  EXPECT_NE(surfaces[1], surfaces[3]);
  Seen first;
  for (const test::EngineWay& way : test::engine_ways(engine)) {
    SCOPED_TRACE(way.name);
    const Seen seen = replay(bytes, engine, way.options, true);
    EXPECT_EQ(seen.surfaces, surfaces);
    EXPECT_EQ(seen.compared, 4u);
    EXPECT_EQ(seen.wrong, 0u);
    EXPECT_EQ(seen.frames, (std::vector<std::size_t>{0, 0, 1, 1}));
    ASSERT_EQ(seen.draws.size(), 8u);
    EXPECT_EQ(seen.draws[0], "triangle strip of 4 vertices");
    EXPECT_EQ(seen.draws[3], "triangle strip of 4 vertices, 2 instances");
    EXPECT_EQ(seen.jobs[0], "scene of 16 x 16 pixels at 0x81020000, 2 draws");
    EXPECT_EQ(seen.targets.size(), 10u);  // eight colours, and depth where it is written
    if (first.targets.empty()) first = seen;
    EXPECT_EQ(seen.targets, first.targets);
  }
  const auto capture = Capture::load(bytes, "scenes.wjcap");
  ASSERT_TRUE(capture.ok());
  tests::expect_parts(
      *capture, {capture::Part::job, capture::Part::draw, capture::Part::state, capture::Part::expected});
  tests::expect_fewer_vertices(*capture);
  const auto scenes = read(bytes);
  ASSERT_TRUE(scenes.ok());
  EXPECT_EQ(scenes->programs.size(), 2u);
  // What the file has: pages that were reached, and little else.
  std::size_t reached = 0;
  for (const capture::MemoryPiece& piece : scenes->memory) reached += piece.bytes.size();
  EXPECT_LT(bytes.size(), reached + reached / 3 + 20000);
}

// Nothing but pointers: streams lie in draws, the surface at an address of the capture's own.
TEST(UsseRecorder, PointersWithoutAddresses) {
  const Engine engine;
  Square console;
  std::vector<std::byte> vertices(console.at(Square::kVertices), console.at(Square::kVertices) + 64), bytes;
  console.streams[0].data = vertices.data();
  std::vector<std::uint32_t> pixels(64 * 64, 0xff302418);
  auto recorder = Recorder::begin(append, &bytes);
  ASSERT_TRUE(recorder.ok());
  ColorSurface surface = console.surface(Square::kTarget);
  surface.data = pixels.data();
  for (unsigned frame = 0; frame < 2; ++frame) {
    auto scene = Scene::begin(surface, {}, &*recorder);
    ASSERT_TRUE(scene.ok());
    ASSERT_TRUE(scene->draw(engine, console.draw()).ok());
    ASSERT_TRUE(scene->end().ok());
  }
  ASSERT_TRUE(recorder->end().ok());
  const auto scenes = read(bytes);
  ASSERT_TRUE(scenes.ok());
  EXPECT_EQ(scenes->memory.back().address, kOwnMemory);
  const Seen seen = replay(bytes, engine, {});
  ASSERT_EQ(seen.surfaces.size(), 2u);
  EXPECT_TRUE(tests::same_bytes(seen.surfaces[1], std::as_bytes(std::span(pixels))));
  EXPECT_EQ(seen.jobs[0], "scene of 64 x 64 pixels, 1 draw");
}

TEST(UsseRecorder, ADrawThatFailsIsTheLastOne) {
  const Engine engine;
  Square console;
  std::vector<std::byte> bytes;
  auto recorder = Recorder::begin(append, &bytes, console.memory);
  ASSERT_TRUE(recorder.ok());
  auto scene = Scene::begin(console.surface(Square::kTarget), {}, &*recorder);
  ASSERT_TRUE(scene.ok());
  ASSERT_TRUE(scene->draw(engine, console.draw()).ok());
  Draw bad = console.draw();
  bad.depth_stencil.depth_write = true;
  const auto failed = scene->draw(engine, bad);
  ASSERT_FALSE(failed.ok());
  ASSERT_TRUE(scene->draw(engine, console.draw()).ok());
  const Status ended = recorder->end();
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().where, "scene 0, draw 1");
  EXPECT_NE(ended.error().message.find("the draw failed, and the capture ends with it: depth"),
            std::string::npos);
  const auto capture = Capture::load(bytes, "file.wjcap");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  Seen seen;
  const Status done = capture->run(engine, seen);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message, failed.error().message);
  EXPECT_EQ(done.error().where, "file.wjcap, scene 0, draw 1");
  EXPECT_EQ(seen.draws.size(), 1u);
}

TEST(UsseRecorder, MistakesAreErrors) {
  EXPECT_FALSE(Recorder::begin(nullptr, nullptr).ok());
  auto recorder = Recorder::begin([](void*, std::span<const std::byte>) { return false; }, nullptr);
  ASSERT_TRUE(recorder.ok());
  const Status ended = recorder->end();
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().code, ErrorCode::io);
  EXPECT_EQ(recorder->end().error().code, ErrorCode::bad_input);
}

// Recording takes at most a tenth of the time: of the processor, the least of many pairs of frames. The limit of
// the test is wide, as other programs run at the same time.
TEST(UsseRecorder, TakesLittleTime) {
  const Engine engine;
  Square console;
  std::vector<std::byte> bytes;
  auto recorder = Recorder::begin(append, &bytes, console.memory);
  ASSERT_TRUE(recorder.ok());
  std::vector<std::uint32_t> pixels(960 * 544, 0xff302418);
  const ColorSurface surface{0, 0, 960, 544, 960, pixels.data(), 4 * pixels.size()};
  const auto frame = [&](const Recorder* to, unsigned draws, float size) {
    RunOptions options;
    options.threads = 1;
    const std::clock_t start = std::clock();
    auto scene = Scene::begin(surface, DepthSurface{}, to);
    EXPECT_TRUE(scene.ok());
    Draw draw = console.draw();
    for (unsigned n = 0; n < draws; ++n) {
      draw.viewport = {static_cast<float>(n), size, 272, -size, 0.5F, 0.5F};
      EXPECT_TRUE(scene->draw(engine, draw, options).ok());
    }
    EXPECT_TRUE(scene->end().ok());
    return 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  // What a surface costs anyway: it is compared, copied and hashed.
  double looked = 1e9;
  for (unsigned n = 0; n < 20; ++n) {
    const std::clock_t start = std::clock();
    const std::vector<std::uint32_t> copy = pixels;
    EXPECT_TRUE(copy == pixels);
    EXPECT_NE(surface_hash(std::as_bytes(std::span(pixels))), 0u);
    looked = std::min(looked, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  for (const auto& [draws, size] : {std::pair{20U, 200.0F}, std::pair{500U, 8.0F}}) {
    frame(nullptr, draws, size);
    frame(&*recorder, draws, size);
    double plain = 1e9, recorded = 1e9;
    for (unsigned n = 0; n < 20; ++n) {
      plain = std::min(plain, frame(nullptr, draws, size));
      recorded = std::min(recorded, frame(&*recorder, draws, size));
    }
    std::printf("a frame of %u draws: %.2f ms, recorded %.2f ms; its surface is looked at in %.2f ms\n",
                draws, plain, recorded, looked);
    EXPECT_LT(recorded, 1.3 * plain + 1.5 * looked);
  }
}

// A capture of 100 draws to 512 x 512 pixels is at most 1.3 times what they touch and is loaded in 20 ms.
TEST(UsseRecorder, HundredDrawsAreSmallAndAreLoadedFast) {
  constexpr std::uint32_t kStreams = 0x82000000, kImages = 0x83000000, kScreen = 0x84000000, kSide = 512,
                          kImageSide = 128, kImageCount = 8, kDraws = 100, kVertices = 200;
  const Engine engine;
  Square console;
  const std::span<const std::byte> square = std::as_bytes(std::span(console.words)).first(64);
  std::vector<std::uint64_t> streams(kDraws * 4096 / 8),
      images(std::size_t{kImageCount} * kImageSide * kImageSide / 2),
      screen(std::size_t{kSide} * kSide / 2, 0xff302418ff302418);
  // No page is equal to another one.
  for (std::size_t k = 0; k < screen.size(); ++k) screen[k] ^= k * 0x9e3779b97f4a7c15;
  const auto stream_bytes = std::as_writable_bytes(std::span(streams));
  for (std::uint32_t n = 0; n < kDraws; ++n)
    for (std::uint32_t k = 0; k < kVertices; ++k) {
      std::ranges::copy(square.subspan(k % 4 * 16, 16), stream_bytes.begin() + n * 4096 + k * 16);
      stream_bytes[n * 4096 + k * 16] ^= static_cast<std::byte>(n + k);
    }
  for (std::size_t k = 0; k < images.size(); ++k) images[k] = 0xff000000ff000000 | k * 0x9e3779b97f4a7c15;
  const std::vector<Memory> memory = {{kStreams, streams.data(), 8 * streams.size()},
                                      {kImages, images.data(), 8 * images.size()},
                                      {kScreen, screen.data(), 8 * screen.size()}};
  std::vector<std::uint32_t> indices;
  for (std::uint32_t k = 0; k < kVertices; ++k) indices.push_back(k);
  std::vector<std::byte> bytes;
  auto recorder = Recorder::begin(append, &bytes, memory);
  ASSERT_TRUE(recorder.ok());
  auto scene = Scene::begin({0, 0, kSide, kSide, kSide, screen.data(), 8 * screen.size()}, {}, &*recorder);
  ASSERT_TRUE(scene.ok());
  for (std::uint32_t n = 0; n < kDraws; ++n) {
    Draw draw = console.draw();
    const VertexStream stream{stream_bytes.data() + n * 4096, kVertices * 16, 16};
    draw.streams = {&stream, 1};
    draw.indices = indices;
    draw.memory = memory;
    std::vector<TextureBinding> textures = console.textures;
    textures[0].control[1] = 3U << 29 | 0x0c << 24 | (kImageSide - 1) << 12 | (kImageSide - 1);
    textures[0].control[2] = kImages + n % kImageCount * (4 * kImageSide * kImageSide);
    draw.fragment.textures = textures;
    draw.viewport = {static_cast<float>(5 * n), 64, 256, -64, 0.5F, 0.5F};
    const auto report = scene->draw(engine, draw);
    ASSERT_TRUE(report.ok()) << to_string(report.error());
  }
  ASSERT_TRUE(scene->end().ok());
  ASSERT_TRUE(recorder->end_frame().ok());
  ASSERT_TRUE(recorder->end().ok());
  // What a draw reads of its page is 3,200 bytes.
  const std::size_t touched = kDraws * kVertices * 16 + 8 * images.size() + 8 * screen.size();
  double best = 1e9, copy = 1e9;
  for (unsigned n = 0; n < 10; ++n) {
    std::clock_t start = std::clock();
    const auto capture = Capture::load(bytes, "file.wjcap");
    ASSERT_TRUE(capture.ok()) << to_string(capture.error());
    best = std::min(best, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    start = std::clock();
    const std::vector<std::byte> pages(bytes);
    ASSERT_EQ(pages.back(), bytes.back());
    copy = std::min(copy, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::printf(
      "%u draws: %zu bytes, %.2f times the %zu that they touch; loaded in %.2f ms, copied in %.2f ms\n",
      kDraws, bytes.size(), static_cast<double>(bytes.size()) / static_cast<double>(touched), touched, best,
      copy);
  EXPECT_LT(bytes.size(), touched + touched / 10 * 3);
  EXPECT_LT(best, 20 + copy);
  EXPECT_EQ(replay(bytes, engine, {}).draws.size(), kDraws);
}

}  // namespace
}  // namespace warpjit::usse
