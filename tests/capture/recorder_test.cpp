// Frames that a Gpu records while it draws them, and what comes out when they run again.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "hostile_bytes.h"
#include "scene/load_scene.h"
#include "support/same_bytes.h"
#include "support/scene_files.h"
#include "support/source_dir.h"

namespace warpjit::tool {
namespace {

namespace fs = std::filesystem;

// A scene on a public Gpu.
struct Console {
  explicit Console(const Scene& scene) : memory(scene.memory) {
    std::vector<pica200::GpuMemory> ranges;
    for (SceneMemory& piece : memory)
      ranges.push_back({piece.address, piece.bytes.data(), piece.bytes.size()});
    EXPECT_TRUE(gpu.set_memory(ranges).ok());
    for (const pica200::RegisterWrite& write : scene.registers)
      EXPECT_TRUE(gpu.set_register(write.id, write.value).ok());
  }
  std::span<std::byte> at(std::uint32_t address, std::size_t size) {
    for (SceneMemory& piece : memory)
      if (address >= piece.address && address - piece.address < piece.bytes.size())
        return std::span(piece.bytes).subspan(address - piece.address, size);
    return {};
  }
  Status run(const SceneJob& job) {
    if (const auto* list = std::get_if<CommandList>(&job)) {
      const auto report = gpu.run_commands(engine, list->address, list->bytes);
      return report ? Status() : Status(report.error());
    }
    if (const auto* fill = std::get_if<pica200::MemoryFill>(&job)) return gpu.fill(*fill);
    if (const auto* transfer = std::get_if<pica200::DisplayTransfer>(&job)) return gpu.transfer(*transfer);
    if (const auto* copy = std::get_if<pica200::TextureCopy>(&job)) return gpu.copy(*copy);
    const auto& load = std::get<MemoryLoad>(job);
    std::ranges::copy(load.bytes, at(load.address, load.size).begin());
    return {};
  }
  Status record() { return gpu.record(tests::append, &file); }

  std::vector<SceneMemory> memory;
  Engine engine;
  pica200::Gpu gpu;
  std::vector<std::byte> file;
};

// Runs a capture, and compares what it leaves with the memory of the console that has recorded it, in all that the
// capture has.
void expect_same_memory(const Scene& capture, Console& console, EngineKind kind) {
  const auto machine = SceneMachine::make(capture, "capture");
  ASSERT_TRUE(machine.ok()) << to_string(machine.error());
  RunOptions options;
  options.engine = kind;
  const Status done = (*machine)->run(console.engine, options);
  ASSERT_TRUE(done.ok()) << to_string(done.error());
  for (const SceneMemory& piece : (*machine)->memory()) {
    const auto wanted = console.at(piece.address, piece.bytes.size());
    ASSERT_EQ(wanted.size(), piece.bytes.size());
    EXPECT_TRUE(tests::same_bytes(piece.bytes, wanted)) << name(kind) << " " << piece.address;
  }
  for (const SceneOutput& output : capture.outputs) {
    ASSERT_TRUE(output.expected);
    EXPECT_TRUE(tests::same_bytes((*machine)->bytes_of(output), *output.expected)) << output.name;
  }
}

// The least of several times, because other programs run, too.
template <class Call>
double least_milliseconds(unsigned times, const Call& call) {
  double best = 1e300;
  for (unsigned n = 0; n < times; ++n) {
    const auto start = std::chrono::steady_clock::now();
    call();
    best = std::min(
        best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

// What recording makes of a frame's time, of so many frames; again, if the machine was busy.
template <class Frame, class Record, class EndRecord>
double recording_ratio(unsigned frames, const Frame& frame, const Record& record, const EndRecord& end) {
  double ratio = 4;
  for (unsigned attempt = 0; attempt < 8 && ratio > 1.1; ++attempt) {
    frame();
    const double off = least_milliseconds(frames, frame);
    EXPECT_TRUE(record().ok());
    frame();
    const double on = least_milliseconds(frames, frame);
    EXPECT_TRUE(end().ok());
    ratio = std::min(ratio, on / off);
  }
  return ratio;
}

TEST(Recorder, ScenesRunAgainToTheSameMemory) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  std::size_t count = 0;
  for (const fs::path& file : tests::scene_files()) {
    SCOPED_TRACE(file);
    const auto scene = load_scene(file.string());
    ASSERT_TRUE(scene.ok()) << to_string(scene.error());
    if (scene->refused) continue;
    Console console(*scene);
    ASSERT_TRUE(console.record().ok());
    for (const SceneJob& job : scene->jobs) ASSERT_TRUE(console.run(job).ok());
    const Status ended = console.gpu.end_record();
    ASSERT_TRUE(ended.ok()) << to_string(ended.error());
    const auto capture = tests::read(console.file);
    ASSERT_TRUE(capture.ok()) << to_string(capture.error());
    for (const EngineKind kind : {EngineKind::guest, EngineKind::ir, EngineKind::jit})
      expect_same_memory(*capture, console, kind);
    // What the scene says of outputs that the capture has reached is there, too.
    std::size_t reached = 0;
    for (const SceneMemory& piece : capture->memory) reached += piece.bytes.size();
    EXPECT_LT(console.file.size(), 2 * reached + 100000);
    ++count;
  }
  EXPECT_GE(count, 10u);
}

// An emulator that walks through lists itself, a packet at a time.
Status walk(Console& console, CommandList list) {
  for (;;) {
    std::vector<std::uint32_t> words(list.bytes / 4);
    const std::span<const std::byte> bytes = console.at(list.address, words.size() * 4);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    pica200::GpuReport::Jump jump = pica200::GpuReport::Jump::none;
    for (std::size_t at = 0; at + 1 < words.size() && jump == pica200::GpuReport::Jump::none;) {
      const std::uint32_t header = words[at + 1], others = header >> 20 & 0xFF;
      std::vector<std::uint32_t> values = {words[at]};
      values.insert(values.end(), words.begin() + static_cast<std::ptrdiff_t>(at + 2),
                    words.begin() + static_cast<std::ptrdiff_t>(at + 2 + others));
      WARPJIT_TRY(const pica200::GpuReport report,
                  console.gpu.run_packet(
                      console.engine, {header & 0xFFFF, values, header >> 16 & 15, header >> 31 != 0}, {}));
      if (report.interrupt) return {};
      jump = report.jump;
      at += (2 + others + 1) / 2 * 2;
    }
    if (jump == pica200::GpuReport::Jump::none) {
      const auto report = console.gpu.draw_immediate(console.engine, {});
      return report ? Status() : Status(report.error());
    }
    const std::uint32_t channel = jump == pica200::GpuReport::Jump::buffer1 ? 1 : 0;
    list = {console.gpu.get_register(0x23A + channel) << 3, console.gpu.get_register(0x238 + channel) << 3};
  }
}

TEST(Recorder, PacketsOfAnEmulatorThatWalksThroughListsRunAgain) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  std::size_t count = 0;
  for (const fs::path& file : tests::scene_files()) {
    SCOPED_TRACE(file);
    const auto scene = load_scene(file.string());
    ASSERT_TRUE(scene.ok()) << to_string(scene.error());
    if (scene->refused) continue;
    Console console(*scene);
    ASSERT_TRUE(console.record().ok());
    for (int frame = 0; frame < 2; ++frame) {
      for (const SceneJob& job : scene->jobs) {
        const auto* list = std::get_if<CommandList>(&job);
        const Status done = list != nullptr ? walk(console, *list) : console.run(job);
        ASSERT_TRUE(done.ok()) << to_string(done.error());
      }
      // What is set between packets counts.
      ASSERT_TRUE(console.gpu.pipeline().set_floats(90, {{{{1, 2, 3, 4}}}}).ok());
      ASSERT_TRUE(console.gpu.end_frame().ok());
    }
    const Status ended = console.gpu.end_record();
    ASSERT_TRUE(ended.ok()) << to_string(ended.error());
    const auto capture = tests::read(console.file);
    ASSERT_TRUE(capture.ok()) << to_string(capture.error());
    EXPECT_EQ(capture->frame_ends.size(), 2u);
    EXPECT_TRUE(std::ranges::any_of(
        capture->jobs, [](const SceneJob& job) { return std::holds_alternative<pica200::CallList>(job); }));
    for (const EngineKind kind : {EngineKind::guest, EngineKind::jit})
      expect_same_memory(*capture, console, kind);
    ++count;
  }
  EXPECT_GE(count, 10u);
}

Scene load_example(const std::string& name) {
  auto scene = load_scene(tests::source_file("examples/pica200/scenes/" + name + "/scene.json"));
  EXPECT_TRUE(scene.ok());
  return scene ? std::move(*scene) : Scene();
}

// Between jobs the processor changes textures, targets and what no job reads; registers are set by calls.
TEST(Recorder, WhatTheProcessorChangesIsRecordedAsChanges) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const Scene scene = load_example("toon");
  Console console(scene);
  // The first frame is not recorded, but compiles what it needs.
  for (const SceneJob& job : scene.jobs) ASSERT_TRUE(console.run(job).ok());
  ASSERT_TRUE(console.record().ok());
  std::size_t first_frame = 0;
  for (unsigned frame = 0; frame < 3; ++frame) {
    for (const SceneJob& job : scene.jobs) {
      ASSERT_TRUE(console.run(job).ok());
      // A target, in the middle of a page; and a register that another call has.
      console.at(0x18000A00, 4)[frame] = std::byte{0x55};
      ASSERT_TRUE(console.gpu.set_register(0x08D, frame).ok());
    }
    if (frame == 0) first_frame = console.file.size();
  }
  ASSERT_TRUE(console.gpu.end_record().ok());
  EXPECT_LT(console.file.size() - first_frame, first_frame) << "two more frames are changes";
  const auto capture = tests::read(console.file);
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  for (const EngineKind kind : {EngineKind::guest, EngineKind::jit}) {
    const auto machine = SceneMachine::make(*capture, "capture");
    ASSERT_TRUE(machine.ok());
    RunOptions options;
    options.engine = kind;
    ASSERT_TRUE((*machine)->run(console.engine, options).ok());
    for (const SceneOutput& output : capture->outputs)
      EXPECT_TRUE(tests::same_bytes((*machine)->bytes_of(output), *output.expected)) << output.name;
    ASSERT_EQ(capture->outputs.size(), 1u);
  }
}

// How the draws of vertices alone that a capture has differ from those that were recorded.
CaptureComparison compare_vertices(std::span<const std::byte> file, EngineKind kind) {
  struct Vertices final : CaptureVisitor {
    bool picture(const CapturePicture& picture) override {
      EXPECT_EQ(picture.name, "vertices");
      seen = *picture.compared;
      return true;
    }
    CaptureComparison seen{};
  } vertices;
  const auto capture = Capture::load(file, "vertices.wjcap");
  EXPECT_TRUE(capture.ok()) << to_string(capture.error());
  RunOptions options;
  options.engine = kind;
  if (!capture) return {};
  EXPECT_TRUE(capture->run(Engine(), vertices, options).ok());
  return vertices.seen;
}

TEST(Recorder, PipelinesOfAnEmulatorThatDrawsPixelsItself) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  struct Draws final : pica200::CommandVisitor {
    bool draw(const Result<pica200::DrawResult>& result) override { return result.ok() && ++count < most; }
    unsigned count = 0, most = UINT32_MAX;
  };
  for (const char* name : {"toon", "emulator", "bumps"}) {
    SCOPED_TRACE(name);
    Scene scene = load_example(name);
    std::vector<pica200::MemoryRange> ranges;
    for (const SceneMemory& piece : scene.memory)
      ranges.push_back({piece.address, piece.bytes.data(), piece.bytes.size()});
    pica200::Pipeline pipeline;
    ASSERT_TRUE(pipeline.set_memory(ranges).ok());
    const Engine engine;
    std::vector<std::byte> file;
    pipeline.set_f24(true, pica200::Unit::geometry);
    ASSERT_TRUE(pipeline.record(tests::append, &file).ok());
    EXPECT_EQ(pipeline.record(tests::append, &file).error().code, ErrorCode::bad_input);
    EXPECT_EQ(pipeline.set_memory(ranges).error().code, ErrorCode::bad_input);
    unsigned draws = 0;
    for (unsigned frame = 0; frame < 2; ++frame) {
      for (const SceneJob& job : scene.jobs) {
        const auto* list = std::get_if<CommandList>(&job);
        if (list == nullptr) continue;
        const auto piece = std::ranges::find_if(scene.memory, [&](const SceneMemory& memory) {
          return list->address - memory.address < memory.bytes.size();
        });
        std::vector<std::uint32_t> words(list->bytes / 4);
        std::memcpy(words.data(), piece->bytes.data() + (list->address - piece->address), list->bytes);
        Draws visitor;
        visitor.most = frame == 0 ? UINT32_MAX : 1;
        ASSERT_TRUE(pipeline.run_commands(engine, words, visitor).ok());
        draws += visitor.count;
      }
      const std::uint16_t indices[] = {0, 1, 2, 0, 2, 1};
      const std::uint8_t narrow[] = {2, 1, 0};
      ASSERT_TRUE(pipeline.set_float(3, std::array<std::uint32_t, 4>{1, 2, 0x3F800000, frame}).ok());
      EXPECT_TRUE(pipeline.draw_indexed(engine, indices).ok());
      EXPECT_TRUE(pipeline.draw_indexed(engine, narrow).ok());
      EXPECT_TRUE(pipeline.draw(engine, 1, 3).ok());
      (void)pipeline.draw_arrays(engine);  // an error is a result, too
      // The processor changes vertices between frames.
      const std::uint32_t base = (pipeline.get_register(0x200) & 0x1FFFFFFE) << 3;
      for (SceneMemory& piece : scene.memory)
        if (base - piece.address < piece.bytes.size())
          for (std::size_t at = base - piece.address; at < piece.bytes.size(); at += 64)
            piece.bytes[at] ^= std::byte{1};
      ASSERT_TRUE(pipeline.end_frame().ok());
    }
    const Status ended = pipeline.end_record();
    ASSERT_TRUE(ended.ok()) << to_string(ended.error());
    EXPECT_EQ(pipeline.end_record().error().code, ErrorCode::bad_input);
    ASSERT_GE(draws, 2u);
    for (const EngineKind kind : {EngineKind::guest, EngineKind::ir, EngineKind::jit}) {
      const CaptureComparison vertices = compare_vertices(file, kind);
      EXPECT_GE(vertices.units, 9u);
      EXPECT_EQ(vertices.differ, 0u);
    }
    // Other vertices than the recorded ones are seen.
    const auto sections = capture::read_sections(file, "file");
    ASSERT_TRUE(sections.ok());
    bool changed = false;
    for (const capture::Section& section : sections->sections)
      if (section.kind == capture::SectionKind::memory) {
        constexpr std::size_t kHeader = capture::kSectionHeader + 16;
        for (std::size_t at = 0; at + 4 <= section.bytes.size() - 16; at += 4)
          file[section.at + kHeader + at + 2] ^= std::byte{0x40};
        changed = true;
      }
    ASSERT_TRUE(changed);
    EXPECT_NE(compare_vertices(file, EngineKind::guest).differ, 0u);
  }
}

TEST(Recorder, OfPipelinesCostsLittle) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  struct Draws final : pica200::CommandVisitor {
    bool draw(const Result<pica200::DrawResult>& result) override { return result.ok(); }
  };
  for (const char* name : {"toon", "emulator"}) {
    Scene scene = load_example(name);
    std::vector<pica200::MemoryRange> ranges;
    for (const SceneMemory& piece : scene.memory)
      ranges.push_back({piece.address, piece.bytes.data(), piece.bytes.size()});
    pica200::Pipeline pipeline;
    ASSERT_TRUE(pipeline.set_memory(ranges).ok());
    const Engine engine;
    std::vector<std::vector<std::uint32_t>> lists;
    for (const SceneJob& job : scene.jobs)
      if (const auto* list = std::get_if<CommandList>(&job))
        for (const SceneMemory& piece : scene.memory)
          if (list->address - piece.address < piece.bytes.size()) {
            std::vector<std::uint32_t>& words = lists.emplace_back(list->bytes / 4);
            std::memcpy(words.data(), piece.bytes.data() + (list->address - piece.address), list->bytes);
          }
    const auto frame = [&] {
      Draws visitor;
      for (const std::vector<std::uint32_t>& words : lists)
        EXPECT_TRUE(pipeline.run_commands(engine, words, visitor).ok());
    };
    std::vector<std::byte> file;
    const double ratio = recording_ratio(
        200, frame,
        [&] {
          file.clear();
          return pipeline.record(tests::append, &file);
        },
        [&] { return pipeline.end_record(); });
    std::printf("vertices of %s: recording costs %+.1f %%\n", name, 100 * (ratio - 1));
    EXPECT_LT(ratio, 2) << name;
  }
}

// A hundred draws: the file is little more than the pages that they touch, and is read in little time.
TEST(Recorder, ManyDrawsAreLittleMoreThanTheirPages) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  for (const char* name : {"toon", "emulator", "sprites"}) {
    const Scene scene = load_example(name);
    Console console(scene);
    ASSERT_TRUE(console.record().ok());
    std::uint64_t draws = 0;
    while (draws < 100)
      for (const SceneJob& job : scene.jobs) {
        if (const auto* list = std::get_if<CommandList>(&job)) {
          const auto report = console.gpu.run_commands(console.engine, list->address, list->bytes);
          ASSERT_TRUE(report.ok());
          draws += report->draws;
        } else {
          ASSERT_TRUE(console.run(job).ok());
        }
      }
    ASSERT_TRUE(console.gpu.end_record().ok());
    const auto owner = std::make_shared<const std::vector<std::byte>>(console.file);
    std::size_t touched = 0;
    const double best = least_milliseconds(10, [&] {
      const auto capture = pica200::read_capture(owner, "capture");
      ASSERT_TRUE(capture.ok());
      touched = 0;
      for (const SceneMemory& piece : capture->memory) touched += piece.bytes.size();
    });
    std::printf("%s: %llu draws, %zu bytes of %zu in pages, read in %.2f ms\n", name,
                static_cast<unsigned long long>(draws), console.file.size(), touched, best);
    EXPECT_LE(static_cast<double>(console.file.size()), 1.3 * static_cast<double>(touched)) << name;
    EXPECT_LT(best, 20) << name;
  }
}

// Frames after each other, as an emulator draws them; the least of several, because other programs run, too.
TEST(Recorder, CostsLittle) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  for (const char* name : {"toon", "emulator"}) {
    const Scene scene = load_example(name);
    Console console(scene);
    const auto frame = [&] {
      for (const SceneJob& job : scene.jobs) EXPECT_TRUE(console.run(job).ok());
    };
    const double ratio = recording_ratio(
        15, frame, [&] { return console.record(); }, [&] { return console.gpu.end_record(); });
    std::printf("%s: recording costs %+.1f %%\n", name, 100 * (ratio - 1));
    EXPECT_LT(ratio, 1.5) << name;
  }
}

TEST(Recorder, AJobThatFailsIsTheLast) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const Scene scene = load_example("toon");
  Console console(scene);
  ASSERT_TRUE(console.record().ok());
  ASSERT_TRUE(console.run(scene.jobs[0]).ok());
  EXPECT_FALSE(console.gpu.fill({0x10, 0x20, 0, 0}).ok());
  EXPECT_TRUE(console.run(scene.jobs[0]).ok());
  const Status ended = console.gpu.end_record();
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().message.find("the job failed, and the capture ends with it: "), 0u)
      << ended.error().message;
  EXPECT_EQ(ended.error().where.find("job 1"), 0u) << ended.error().where;
  const auto capture = tests::read(console.file);
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  EXPECT_EQ(std::ranges::count_if(
                capture->jobs,
                [](const SceneJob& job) { return std::holds_alternative<pica200::MemoryFill>(job); }),
            2);
}

TEST(Recorder, RefusesWhatACaptureDoesNotHave) {
  Console console(Scene{.memory = {{0x20000000, std::vector<std::byte>(64)}},
                        .registers = {},
                        .jobs = {},
                        .outputs = {},
                        .refused = false,
                        .frame_ends = {},
                        .texts = {}});
  EXPECT_EQ(console.gpu.end_record().error().code, ErrorCode::bad_input);
  const float array[4] = {};
  ASSERT_TRUE(
      console.gpu.pipeline().bind_attribute(0, {array, sizeof array, 0, 16, {ComponentType::f32, 4}}).ok());
  const Status refused = console.record();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "a capture cannot have arrays that were bound");
  console.gpu.pipeline().unbind_attributes();
  ASSERT_TRUE(console.record().ok());
  EXPECT_EQ(console.record().error().code, ErrorCode::bad_input);
  EXPECT_FALSE(console.gpu.set_memory({}).ok());
  ASSERT_TRUE(console.gpu.end_record().ok());
  EXPECT_TRUE(console.gpu.set_memory({}).ok());
  EXPECT_EQ(console.gpu.record(nullptr, nullptr).error().code, ErrorCode::bad_input);
}

}  // namespace
}  // namespace warpjit::tool
