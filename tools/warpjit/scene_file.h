// Scenes of the PICA200, `"format": "pica-frame 1"`: memory, jobs, and what they leave in memory
// (docs/pica-pixels.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "files.h"
#include "picture_file.h"
#include "warpjit/pica200.hpp"

namespace warpjit::tool {

struct SceneMemory {
  std::uint32_t address = 0;
  std::vector<std::byte> bytes;
};
struct CommandList {
  std::uint32_t address = 0, bytes = 0;
};
// What the processor writes between jobs of the GPU.
struct MemoryLoad {
  std::uint32_t address = 0;
  std::shared_ptr<const std::vector<std::byte>> bytes;
};
using SceneJob = std::variant<CommandList, pica200::MemoryFill, pica200::DisplayTransfer,
                              pica200::TextureCopy, MemoryLoad>;

struct SceneOutput {
  enum class Layout : std::uint8_t { bytes, color, depth, linear };
  std::string name;
  std::uint32_t address = 0, size = 0;  // bytes
  unsigned tolerance = 0;
  Layout layout = Layout::bytes;
  std::uint32_t width = 0, height = 0, format = 0;  // format: of a target, a depth buffer or a transfer
  std::optional<std::vector<std::byte>> expected;   // none: its file is not there
};

struct Scene {
  std::vector<SceneMemory> memory;
  std::vector<pica200::RegisterWrite> registers;
  std::vector<SceneJob> jobs;
  std::vector<SceneOutput> outputs;
  bool refused = false;  // it must be
};

// True if the text of a file says that it is one.
bool is_scene_text(std::string_view text);
// Errors name the field. `name`: of the file, for messages; files that it names lie in `folder`.
Result<Scene> read_scene(std::string_view text, const std::string& name, const std::filesystem::path& folder);

// How an output differs from what was expected.
struct SceneDifference {
  std::uint64_t units = 0;   // pixels, or bytes of an output without pixels
  std::uint64_t differ = 0;  // at all
  std::uint64_t beyond = 0;  // by more than the tolerance in a channel
  bool holds() const { return beyond <= allowed; }
  std::uint64_t allowed = 0;  // beyond
};
SceneDifference compare_output(const SceneOutput& output, std::span<const std::byte> bytes);

// The picture of an output, the first row in memory on top; depth is grey. None of an output without pixels.
std::optional<Image> output_picture(const SceneOutput& output, std::span<const std::byte> bytes);

}  // namespace warpjit::tool
