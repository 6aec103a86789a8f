// Launches that are recorded while they run, and what comes out when they run again.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "capture/launch/launch_machine.h"
#include "capture/launch/launch_scene.h"
#include "hostile_bytes.h"
#include "launch/bound_launch.h"
#include "launch/capture_launch.h"
#include "launch/read_launch.h"
#include "part_checks.h"
#include "support/same_bytes.h"
#include "support/source_dir.h"
#include "warpjit/launch_recorder.hpp"

namespace warpjit::tests {
namespace {

namespace fs = std::filesystem;

// What a capture does when it runs.
struct Seen : CaptureVisitor {
  bool job(const CaptureJob& job) override { return jobs.emplace_back(job.what), true; }
  bool draw(const CaptureDraw& draw) override {
    EXPECT_EQ(draw.programs.size(), 1u);
    ++draws;
    return true;
  }
  bool picture(const CapturePicture& picture) override {
    if (picture.draw) {
      ++pictures_of_draws;
      return true;
    }
    EXPECT_TRUE(picture.compared) << picture.name;
    if (picture.compared) {
      EXPECT_EQ(picture.compared->differ, 0u) << picture.name;
      EXPECT_GT(picture.compared->units, 0u) << picture.name;
    }
    const std::size_t pixels = std::size_t{picture.width} * picture.height;
    EXPECT_EQ(picture.pixels.size(), pixels * pixel_size(picture.format));
    names.emplace_back(picture.name);
    return true;
  }
  CaptureInterest interest() const override { return {.draws = true, .targets_of_draws = true}; }

  std::vector<std::string> jobs, names;
  std::size_t draws = 0, pictures_of_draws = 0;
};

// Runs on all engines, and all outputs must be as the file expects them.
void expect_replays(std::span<const std::byte> file, std::size_t launches) {
  const auto capture = Capture::load(file, "run.wjcap");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  EXPECT_EQ(capture->jobs(), launches);
  const Engine engine;
  for (const EngineKind kind : {EngineKind::guest, EngineKind::ir, EngineKind::jit}) {
    SCOPED_TRACE(name(kind));
    Seen seen;
    RunOptions options;
    options.engine = kind;
    const Status done = capture->run(engine, seen, options);
    ASSERT_TRUE(done.ok()) << to_string(done.error());
    EXPECT_EQ(seen.jobs.size(), launches);
    EXPECT_EQ(seen.draws, launches);
    EXPECT_GE(seen.pictures_of_draws, launches);
    EXPECT_FALSE(seen.names.empty());
  }
  // Written again it is the same capture, and once more the same bytes.
  std::vector<std::byte> second, third;
  ASSERT_TRUE(capture->write(append, &second).ok());
  const auto again = Capture::load(second, "again.wjcap");
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  ASSERT_TRUE(again->write(append, &third).ok());
  EXPECT_TRUE(same_bytes(second, third));
  Seen seen;
  ASSERT_TRUE(again->run(engine, seen).ok());
}

std::vector<fs::path> example_launches() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(source_file("examples")))
    if (entry.path().extension() == ".json" && tool::read_launch(entry.path()).ok())
      files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

TEST(LaunchCapture, ExamplesOfAllGuestsRunAgainToTheSameBits) {
  std::size_t count = 0;
  const Engine engine;
  for (const fs::path& file : example_launches()) {
    SCOPED_TRACE(file.string());
    auto launch = tool::read_launch(file);
    ASSERT_TRUE(launch.ok());
    auto bound = tool::BoundLaunch::make(std::move(*launch));
    ASSERT_TRUE(bound.ok()) << to_string(bound.error());
    bound->clear();
    std::vector<std::byte> bytes;
    LaunchRecorder recorder(append, &bytes);
    const auto report = recorder.run(engine, bound->launch());
    ASSERT_TRUE(report.ok()) << to_string(report.error());
    const Status ended = recorder.finish();
    ASSERT_TRUE(ended.ok()) << to_string(ended.error());
    expect_replays(bytes, 1);
    ++count;
  }
  EXPECT_GE(count, 50u);
}

// A launch of an example that a test may run again and again.
tool::BoundLaunch bound_example(const char* name) {
  auto launch = tool::read_launch(source_file(std::string("examples/") + name));
  EXPECT_TRUE(launch.ok());
  auto bound = tool::BoundLaunch::make(std::move(*launch));
  EXPECT_TRUE(bound.ok());
  bound->clear();
  return std::move(*bound);
}

TEST(LaunchCapture, CanDoWithoutVertices) {
  // The last triangles of the one are culled.
  for (const auto& [name, visible] :
       {std::pair("tesla/graphics/phong.json", false), std::pair("pica200/mvp_light.json", true)}) {
    SCOPED_TRACE(name);
    const Engine engine;
    tool::BoundLaunch launch = bound_example(name);
    std::vector<std::byte> bytes;
    LaunchRecorder recorder(append, &bytes);
    ASSERT_TRUE(recorder.run(engine, launch.launch()).ok());
    ASSERT_TRUE(recorder.finish().ok());
    const auto capture = Capture::load(bytes, "run.wjcap");
    ASSERT_TRUE(capture.ok()) << to_string(capture.error());
    tests::expect_fewer_vertices(*capture, visible);
  }
}

// Launches of several programs and frames; the processor changes memory between them.
TEST(LaunchCapture, WhatChangesBetweenLaunchesIsStoredAsChanges) {
  const Engine engine;
  tool::BoundLaunch saxpy = bound_example("tesla/saxpy.json"),
                    phong = bound_example("tesla/graphics/phong.json");
  std::vector<std::byte> bytes;
  LaunchRecorder recorder(append, &bytes);
  std::size_t first = 0, second = 0;
  for (unsigned frame = 0; frame < 3; ++frame) {
    ASSERT_TRUE(recorder.run(engine, saxpy.launch()).ok());
    // Saxpy reads what it has written; a word of that changes.
    const_cast<std::byte&>(saxpy.memory()[1][64]) ^= std::byte{0x11};
    ASSERT_TRUE(recorder.run(engine, phong.launch()).ok());
    ASSERT_TRUE(recorder.run(engine, phong.launch()).ok());
    recorder.end_frame();
    (frame == 0 ? first : second) = bytes.size();
  }
  EXPECT_LT(second - first, 32768u) << "two more frames are launches and changes";
  ASSERT_TRUE(recorder.finish().ok());
  const auto sections = capture::read_sections(bytes, "file");
  ASSERT_TRUE(sections.ok());
  EXPECT_EQ(std::ranges::count(sections->sections, capture::SectionKind::program, &capture::Section::kind), 3)
      << "each program once";
  expect_replays(bytes, 9);
  const auto capture = Capture::load(bytes, "frames.wjcap");
  ASSERT_TRUE(capture.ok());
  EXPECT_EQ(capture->frames(), 3u);
  tests::expect_parts(*capture, {capture::Part::job, capture::Part::expected});
  EXPECT_EQ(capture->isa(), Isa::tesla);
}

// Buffers that lie in each other are the same memory in the capture, whichever comes first.
TEST(LaunchCapture, BuffersThatLieInEachOtherAreShared) {
  const Engine engine;
  tool::BoundLaunch saxpy = bound_example("tesla/saxpy.json");
  // A copy of the launch whose y is the middle of a larger array, then that array as a whole.
  std::vector<std::byte> array(3 * saxpy.memory()[1].size());
  const std::size_t size = saxpy.memory()[1].size();
  Launch part = saxpy.launch();
  part.unmap_memory();
  const auto& pieces = saxpy.file().grid.memory;
  ASSERT_TRUE(part.map_memory(pieces[0].space, pieces[0].address,
                              const_cast<std::byte*>(saxpy.memory()[0].data()), saxpy.memory()[0].size())
                  .ok());
  Launch whole = part;
  ASSERT_TRUE(part.map_memory(pieces[1].space, pieces[1].address, array.data() + size, size).ok());
  ASSERT_TRUE(whole.map_memory(pieces[1].space, pieces[1].address, array.data(), array.size()).ok());
  std::vector<std::byte> bytes;
  LaunchRecorder recorder(append, &bytes);
  for (const Launch* launch : {&part, &whole, &part, &part, &whole})
    ASSERT_TRUE(recorder.run(engine, *launch).ok());
  ASSERT_TRUE(recorder.finish().ok());
  expect_replays(bytes, 5);
}

// Memory is the recorder's only while a launch runs.
TEST(LaunchCapture, MemoryMayBeFreedBetweenRuns) {
  const Engine engine;
  std::vector<std::byte> bytes;
  LaunchRecorder recorder(append, &bytes);
  for (unsigned n = 0; n < 4; ++n) {
    tool::BoundLaunch saxpy = bound_example("tesla/saxpy.json");
    ASSERT_TRUE(recorder.run(engine, saxpy.launch()).ok());
  }
  const Status ended = recorder.finish();
  ASSERT_TRUE(ended.ok()) << to_string(ended.error());
  expect_replays(bytes, 4);
}

// What the host changes of targets between draws is there for those that draw over it, and at a frame's begin.
TEST(LaunchCapture, TargetsThatChangeBetweenDraws) {
  auto file = tool::read_launch(source_file("examples/tesla/graphics/phong.json"));
  ASSERT_TRUE(file.ok());
  tool::set_target_size(*file, 200, 150);
  auto bound = tool::BoundLaunch::make(std::move(*file));
  ASSERT_TRUE(bound.ok());
  bound->clear();
  const auto& pictures = bound->pictures();
  ASSERT_EQ(pictures.size(), 2u);
  const auto change = [&](unsigned seed) {
    for (const auto& picture : pictures)
      for (std::size_t n = seed; n < picture.bytes.size(); n += 97)
        const_cast<std::byte&>(picture.bytes[n]) ^= std::byte{0x10};
  };
  const RasterState& whole = bound->launch().state().pixels->raster;
  for (const EngineKind kind : {EngineKind::jit, EngineKind::guest}) {
    SCOPED_TRACE(name(kind));
    for (const bool ends_with_frame : {false, true}) {
      const Engine engine;
      RunOptions options;
      options.engine = kind;
      std::vector<std::byte> bytes;
      LaunchRecorder recorder(append, &bytes);
      std::size_t launches = 0;
      for (unsigned n = 0; n < 6; ++n) {
        change(n);
        Launch part = bound->launch();
        RasterState raster = whole;
        raster.scissor = {20 * n, 10 * n, 90, 80};
        ASSERT_TRUE(part.set_raster_state(raster).ok());
        ASSERT_TRUE(recorder.run(engine, part, options).ok());
        ++launches;
      }
      change(7);
      if (ends_with_frame) recorder.end_frame();
      ASSERT_TRUE(recorder.run(engine, bound->launch(), options).ok());
      ASSERT_TRUE(recorder.finish().ok());
      expect_replays(bytes, launches + 1);
      const auto owner = std::make_shared<const std::vector<std::byte>>(bytes);
      const auto sections = capture::read_sections(*owner, "run.wjcap");
      ASSERT_TRUE(sections.ok());
      const auto scene = capture::read_launches(*sections, owner);
      ASSERT_TRUE(scene.ok());
      std::size_t compared = 0;
      for (const auto& picture : pictures)
        for (const auto& output : scene->outputs)
          if (output.format != PixelFormat::none && output.memory.size == picture.bytes.size() &&
              output.name == (picture.target == tool::kDepthPicture ? "depth" : "color0")) {
            const bool same = same_bytes(*output.expected, picture.bytes);
            // The last draw covers a part of the targets.
            if (ends_with_frame || kind == EngineKind::guest)
              EXPECT_TRUE(same) << output.name;
            else
              EXPECT_FALSE(same) << output.name;
            ++compared;
          }
      EXPECT_EQ(compared, 2u);
    }
  }
}

TEST(LaunchCapture, SaysWhatItCannotRecord) {
  const Engine engine;
  std::vector<std::byte> bytes;
  {
    LaunchRecorder recorder(append, &bytes);
    EXPECT_EQ(recorder.finish().error().message, "no launch was recorded");
    EXPECT_EQ(recorder.finish().error().message, "the capture is finished already");
  }
  tool::BoundLaunch saxpy = bound_example("tesla/saxpy.json"), reduce = bound_example("valhall/reduce.json");
  {
    LaunchRecorder recorder(append, &bytes);
    ASSERT_TRUE(recorder.run(engine, saxpy.launch()).ok());
    ASSERT_TRUE(recorder.run(engine, reduce.launch()).ok()) << "it runs all the same";
    const Status ended = recorder.finish();
    ASSERT_FALSE(ended.ok());
    EXPECT_EQ(ended.error().message, "a launch of valhall in a capture of tesla");
  }
  {
    LaunchRecorder recorder(nullptr, nullptr);
    ASSERT_TRUE(recorder.run(engine, saxpy.launch()).ok());
    EXPECT_EQ(recorder.finish().error().message, "the sink is null");
  }
  // A launch with wrong bindings is not in the file.
  bytes.clear();
  LaunchRecorder recorder(append, &bytes);
  Launch wrong = saxpy.launch();
  ASSERT_TRUE(wrong.set_block(100000).ok());
  EXPECT_FALSE(recorder.run(engine, wrong).ok());
  ASSERT_TRUE(recorder.run(engine, saxpy.launch()).ok());
  ASSERT_TRUE(recorder.finish().ok());
  expect_replays(bytes, 1);
}

TEST(LaunchCapture, ALaunchThatFailsIsTheLast) {
  const Engine engine;
  tool::BoundLaunch collatz = bound_example("tesla/collatz.json");
  std::vector<std::byte> bytes;
  LaunchRecorder recorder(append, &bytes);
  ASSERT_TRUE(recorder.run(engine, collatz.launch()).ok());
  RunOptions options;
  options.fuel = 1;
  const auto failed = recorder.run(engine, collatz.launch(), options);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::out_of_fuel);
  ASSERT_TRUE(recorder.run(engine, collatz.launch()).ok());
  const Status ended = recorder.finish();
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().message.find("the launch failed, and the capture ends with it: "), 0u);
  const auto capture = Capture::load(bytes, "run.wjcap");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  EXPECT_EQ(capture->jobs(), 2u);
  CaptureVisitor nothing;
  const Status again = capture->run(engine, nothing);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::out_of_fuel);
  EXPECT_EQ(again.error().where.find("run.wjcap, launch 1"), 0u) << again.error().where;
}

// The time without which nothing is recorded: what a launch binds is compared with what is known, and what it may have
// changed is copied.
std::chrono::nanoseconds least_cost(const Launch& launch) {
  struct Bound {
    std::span<const std::byte> bytes;
    bool writes = false;
    std::vector<std::byte> known;
  };
  std::vector<Bound> all;
  const auto described = capture::describe_launch(
      launch,
      [&](const void* data, std::size_t size, bool writes) {
        const std::span bytes(static_cast<const std::byte*>(data), data == nullptr ? 0 : size);
        if (!bytes.empty()) all.push_back({bytes, writes, {bytes.begin(), bytes.end()}});
        return capture::BufferPlace();
      },
      [](const Program&) { return 0U; });
  EXPECT_TRUE(described.ok());
  auto least = std::chrono::nanoseconds::max();
  for (unsigned n = 0; n < 30; ++n) {
    const auto start = std::chrono::steady_clock::now();
    for (Bound& bound : all) {
      EXPECT_EQ(std::memcmp(bound.bytes.data(), bound.known.data(), bound.bytes.size()), 0);
      if (bound.writes) std::memcpy(bound.known.data(), bound.bytes.data(), bound.bytes.size());
    }
    least = std::min(least, std::chrono::nanoseconds(std::chrono::steady_clock::now() - start));
  }
  return least;
}

// Draws after each other, as an emulator draws them; the least of several, because other programs run, too.
TEST(LaunchCapture, RecordingCostsLittle) {
  const Engine engine;
  for (const char* name : {"tesla/graphics/phong.json", "tesla/graphics/raymarch.json", "tesla/nbody.json",
                           "tesla/graphics/noise.json"}) {
    auto launch = tool::read_launch(source_file(std::string("examples/") + name));
    ASSERT_TRUE(launch.ok());
    if (launch->work == Work::pixels) tool::set_target_size(*launch, 512, 512);
    auto made = tool::BoundLaunch::make(std::move(*launch));
    ASSERT_TRUE(made.ok());
    tool::BoundLaunch& bound = *made;
    bound.clear();
    std::vector<std::byte> bytes;
    LaunchRecorder recorder(append, &bytes);
    const auto once = [&](bool record) {
      const auto start = std::chrono::steady_clock::now();
      const auto report =
          record ? recorder.run(engine, bound.launch()) : engine.run(bound.launch(), RunOptions());
      EXPECT_TRUE(report.ok());
      return std::chrono::steady_clock::now() - start;
    };
    once(true);
    auto off = std::chrono::nanoseconds::max(), on = off;
    for (unsigned n = 0; n < 30; ++n) {
      off = std::min(off, std::chrono::nanoseconds(once(false)));
      on = std::min(on, std::chrono::nanoseconds(once(true)));
    }
    ASSERT_TRUE(recorder.finish().ok());
    const auto start = std::chrono::steady_clock::now();
    const auto capture = Capture::load(bytes, "frames.wjcap");
    const std::chrono::duration<double, std::milli> load = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(capture.ok());
    std::printf("%s: %zu launches, %zu bytes, read in %.2f ms\n", name, capture->jobs(), bytes.size(),
                load.count());
    const double ratio = static_cast<double>(on.count()) / static_cast<double>(off.count());
    const auto least = static_cast<double>(least_cost(bound.launch()).count());
    std::printf("%s: %.3f ms, recording %.3f ms, %+.1f %%, of which %.1f are comparing and copying\n", name,
                static_cast<double>(off.count()) / 1e6, static_cast<double>(on.count()) / 1e6,
                100 * (ratio - 1), 100 * least / static_cast<double>(off.count()));
    EXPECT_LT(ratio, 2) << name;
  }
}

// What a machine has at the rows of an output register.
void expect_rows(const tool::BoundLaunch& bound, const capture::RecordedRows& rows,
                 const capture::LaunchMachine& machine) {
  for (const auto& row : rows.outputs) {
    const std::span<const std::byte> bytes = machine.bytes_of(row.memory);
    const auto column = std::ranges::find_if(
        bound.columns(), [&](const tool::ResultColumn& one) { return one.reg.first == row.reg; });
    ASSERT_NE(column, bound.columns().end());
    for (std::uint64_t n = 0; n < bound.threads(); ++n) {
      const std::size_t at = static_cast<std::size_t>(n * row.stride);
      ASSERT_LE(at + size(row.format), bytes.size());
      ASSERT_EQ(std::memcmp(bound.row(n) + column->first, bytes.data() + at, size(row.format)), 0)
          << column->reg.first << " of thread " << n;
    }
  }
}

// From a capture to a launch file, which runs to what the capture leaves.
TEST(LaunchCapture, ExamplesComeBackAsLaunchFiles) {
  const Engine engine;
  std::size_t count = 0;
  for (const fs::path& file : example_launches()) {
    SCOPED_TRACE(file.string());
    tool::BoundLaunch first = bound_example(fs::relative(file, source_file("examples")).string().c_str());
    std::vector<std::byte> bytes;
    LaunchRecorder recorder(append, &bytes);
    const auto report = recorder.run(engine, first.launch());
    ASSERT_TRUE(report.ok());
    ASSERT_TRUE(recorder.finish().ok());
    const auto owner = std::make_shared<const std::vector<std::byte>>(bytes);
    const auto sections = capture::read_sections(*owner, "run.wjcap");
    ASSERT_TRUE(sections.ok());
    const auto scene = capture::read_launches(*sections, owner);
    ASSERT_TRUE(scene.ok()) << to_string(scene.error());
    capture::LaunchMachine machine(*scene, "run.wjcap");
    const auto& recorded = std::get<capture::RecordedLaunch>(scene->events[0]);
    const auto launch = tool::launch_file_of(*scene, recorded, machine);
    ASSERT_TRUE(launch.ok()) << to_string(launch.error());
    tool::SideFiles side("run");
    const auto json = tool::capture_launch_json(*launch, side);
    ASSERT_TRUE(json.ok()) << to_string(json.error());
    const std::string text = tool::launch_text(*json);
    const auto read = [&](const std::string& name) -> Result<std::vector<std::byte>> {
      for (const auto& [known, contents] : side.files())
        if (known == name) return contents;
      return Error{ErrorCode::io, "no such file", name};
    };
    auto again = tool::parse_launch(text, "run.json", read);
    ASSERT_TRUE(again.ok()) << to_string(again.error()) << "\n" << text.substr(0, 4000);
    auto bound = tool::BoundLaunch::make(std::move(*again));
    ASSERT_TRUE(bound.ok()) << to_string(bound.error());
    ASSERT_TRUE(bound->run(engine, {}).ok());
    ASSERT_TRUE(machine.run(recorded, 0, engine, {}).ok());
    for (const tool::BoundLaunch::Picture& picture : bound->pictures()) {
      const auto& target = picture.target == tool::kDepthPicture ? recorded.pixels->depth
                                                                 : recorded.pixels->colors[picture.target];
      EXPECT_TRUE(same_bytes(picture.bytes, machine.bytes_of(target.memory))) << picture.target;
    }
    std::size_t piece = 0;
    for (const auto& memory : bound->file().grid.memory) {
      const std::vector<std::byte>& left = bound->memory()[piece++];
      for (const auto& mapped : recorded.memory)
        if (!memory.constant && memory.space == capture::space_name(scene->isa, false, mapped.space) &&
            memory.address == mapped.address) {
          EXPECT_TRUE(same_bytes(left, machine.bytes_of(mapped.memory))) << memory.space;
        }
      if (memory.space == tool::kResultSpace) {
        EXPECT_TRUE(same_bytes(left, machine.bytes_of(recorded.vertices->results)));
      }
      if (piece == bound->memory().size()) break;
    }
    if (recorded.rows) expect_rows(*bound, *recorded.rows, machine);
    if (recorded.primitives) {
      ASSERT_EQ(bound->triangle_count(), report->triangles);
      const std::size_t size =
          static_cast<std::size_t>(bound->triangle_count()) * bound->triangle_words() * 4;
      if (size != 0) {
        EXPECT_EQ(
            std::memcmp(bound->triangle(0), machine.bytes_of(recorded.primitives->triangles).data(), size),
            0);
      }
    }
    ++count;
  }
  EXPECT_GE(count, 50u);
}

}  // namespace
}  // namespace warpjit::tests
