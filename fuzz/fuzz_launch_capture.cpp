// Any bytes as a capture of launches: read, written again, and run in the guest interpreter if it is little work.
// Input: the file.
#include <algorithm>

#include "capture/launch/launch_frames.h"
#include "reader.h"
#include "target.h"

namespace {

using namespace warpjit;
using capture::RecordedLaunch;

constexpr std::uint64_t kMostMemory = 1 << 22, kMostThreads = 1 << 10, kMostLaunchPixels = 64 * 64;

std::uint64_t product(const std::array<std::uint32_t, 3>& extents) {
  std::uint64_t all = 1;
  for (const std::uint32_t extent : extents) all *= std::min<std::uint64_t>(extent, 1 << 16);
  return all;
}

bool is_short(const RecordedLaunch& launch) {
  if (launch.count > kMostThreads) return false;
  if (launch.grid && product(launch.grid->grid) > kMostThreads) return false;
  if (launch.grid && product(launch.grid->grid) * product(launch.grid->block) > kMostThreads) return false;
  if (launch.vertices && launch.vertices->instances > 16) return false;
  if (launch.primitives && launch.primitives->list.size() > kMostThreads) return false;
  if (launch.pixels && (std::uint64_t{launch.pixels->width} * launch.pixels->height > kMostLaunchPixels ||
                        launch.pixels->instances > 16 || launch.pixels->indices.size() > kMostThreads))
    return false;
  return std::ranges::all_of(launch.vertex, is_short) && std::ranges::all_of(launch.geometry, is_short);
}

}  // namespace

int warpjit::fuzz::fuzz_launch_capture(const std::uint8_t* data, std::size_t size) {
  if (size > 1 << 17) return 0;
  const std::span<const std::byte> bytes = fuzz::bytes(data, size);
  const auto owner = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  const auto sections = capture::read_sections(*owner, "capture");
  if (!sections) return 0;
  auto scene = capture::read_launches(*sections, owner, kMostMemory);
  if (!scene) {
    fuzz::require(!scene.error().message.empty(), "an error says what is wrong");
    fuzz::require(scene.error().where.find("byte 0x") != std::string::npos, "an error names the byte");
    return 0;
  }
  // What was read can be written, and reads back.
  std::vector<std::byte> file;
  capture::SectionWriter writer(fuzz::append, &file, sections->guest);
  if (capture::write_launches(writer, *scene) && writer.finish()) {
    const auto again = std::make_shared<const std::vector<std::byte>>(file);
    const auto read = capture::read_sections(*again, "again");
    fuzz::require(read.ok(), "what was written reads back");
    const auto second = capture::read_launches(*read, again, kMostMemory);
    fuzz::require(second.ok() && second->events.size() == scene->events.size(), "as the same");
  }
  std::size_t launches = 0;
  for (const capture::LaunchScene::Event& event : scene->events)
    if (const auto* launch = std::get_if<RecordedLaunch>(&event))
      if (++launches > 4 || !is_short(*launch)) return 0;
  const capture::LaunchFrames frames(std::move(*scene), 0, "capture");
  struct Watch final : CaptureVisitor {
    CaptureInterest interest() const override { return {.draws = true, .textures = 8}; }
  } nothing;
  RunOptions options;
  options.engine = EngineKind::guest;
  options.threads = 1;
  options.fuel = 64;
  static const Engine engine;
  const Status done = frames.run(engine, nothing, options);
  if (!done) fuzz::require(!done.error().message.empty(), "an error says what is wrong");
  return 0;
}
