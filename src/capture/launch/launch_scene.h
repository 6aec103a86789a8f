// Launches one after the other as data: programs, memory and what changes in it, and what is expected at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "capture/frames.h"
#include "capture/launch/recorded_launch.h"
#include "capture/memory_reader.h"

namespace warpjit::capture {

// What a launch may have left in memory.
struct LaunchOutput {
  std::string name;  // letters, digits, _ and -
  BufferPlace memory;
  // That of a target; none: bytes.
  PixelFormat format = PixelFormat::none;
  std::uint32_t width = 0, height = 0;
  std::uint64_t pitch = 0;
  std::uint32_t tolerance = 0;                       // in a channel, or in a byte
  std::optional<std::vector<std::byte>> expected{};  // none: the file does not say
};

struct LaunchScene {
  Isa isa{};
  std::vector<Program> programs;
  std::vector<MemoryPiece> memory;  // as it is at first
  // What happens, in its order: the processor changes memory, a launch runs.
  using Event = std::variant<MemoryChange, RecordedLaunch>;
  std::vector<Event> events;
  std::vector<std::size_t> frame_ends;  // numbers of the events that follow
  std::vector<LaunchOutput> outputs;
  FileOwner owner;  // of the bytes of changes

  std::size_t launches() const;
};

inline constexpr std::size_t kMaxLaunches = std::size_t{1} << 16, kMaxPrograms = std::size_t{1} << 12,
                             kMaxLaunchOutputs = std::size_t{1} << 12;

// The outputs of a launch, in the order of its fields.
std::vector<LaunchOutput> outputs_of(const RecordedLaunch& launch);
// The same: visit(name, output), which has no name of its own.
using VisitOutput = std::function<void(const BufferName& name, const LaunchOutput& output)>;
void each_output(const RecordedLaunch& launch, const VisitOutput& visit);

// Errors name the byte and what was expected there: bad_input, resource_limit, those of programs.
Result<LaunchScene> read_launches(const SectionFile& sections, FileOwner owner,
                                  std::uint64_t most_memory = kMaxCaptureMemory);
// True if the file has sections of launches or of programs and no others that run.
bool has_launches(const SectionFile& sections);

// Without its texts and the end.
Status write_launches(SectionWriter& file, const LaunchScene& scene);
void write_launch(SectionWriter& file, const RecordedLaunch& launch);
void write_output(SectionWriter& file, const LaunchOutput& output);

}  // namespace warpjit::capture
