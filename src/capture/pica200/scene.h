// Frames of the PICA200 as data: memory, jobs, and what they leave in memory. Scenes and captures are read into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/lazy_bytes.h"
#include "capture/frames.h"
#include "device/pica200/gpu_recording.h"
#include "frontend/pica200/facts/fragment.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {

struct SceneMemory {
  std::uint32_t address = 0;
  LazyBytes bytes;
};
// What the processor writes between jobs of the GPU.
struct MemoryLoad {
  std::uint32_t address = 0, size = 0;
  std::span<const std::byte> bytes;   // empty: zeros
  std::shared_ptr<const void> owner;  // of the bytes
};
inline MemoryLoad make_load(std::uint32_t address, std::shared_ptr<const std::vector<std::byte>> bytes) {
  return {address, static_cast<std::uint32_t>(bytes->size()), *bytes, bytes};
}
// The GPU's registers, tables and programs, as Gpu::save gives them, or the registers and programs of its vertices'
// part alone, as Pipeline::save.
struct StateLoad {
  std::shared_ptr<const std::vector<std::byte>> bytes;
  bool of_pipeline = false;
};
// Calls of Pipeline's and Gpu's, one after the other, as call_list.h has them.
struct CallList {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

using SceneJob =
    std::variant<CommandList, MemoryFill, DisplayTransfer, TextureCopy, MemoryLoad, StateLoad, CallList>;

struct SceneOutput {
  enum class Layout : std::uint8_t { bytes, color, depth, linear };
  std::string name;                     // letters, digits, _ and -
  std::uint32_t address = 0, size = 0;  // bytes
  unsigned tolerance = 0;
  Layout layout = Layout::bytes;
  std::uint32_t width = 0, height = 0, format = 0;  // format: of a target, a depth buffer or a transfer
  std::optional<std::vector<std::byte>> expected;   // none: its file is not there
};

struct Scene {
  std::vector<SceneMemory> memory;
  std::vector<RegisterWrite> registers;
  std::vector<SceneJob> jobs;
  std::vector<SceneOutput> outputs;
  bool refused = false;                 // it must be
  std::vector<std::size_t> frame_ends;  // numbers of the jobs that follow; none: one frame
  capture::Texts texts;
};

// By the code of a transfer.
ColorFormat transfer_format(std::uint32_t code);
// Bytes of a pixel, 1 of an output without pixels.
std::size_t unit_bytes(const SceneOutput& output);
// What is wrong with an output, whose field that is; none: nothing.
struct OutputProblem {
  const char* field = "";
  std::string message;
};
std::optional<OutputProblem> check_output(const SceneOutput& output);
// What a transfer leaves in lines, as a picture, without a name; none: it leaves tiles, or nothing.
std::optional<SceneOutput> presented_picture(const DisplayTransfer& job);

}  // namespace warpjit::pica200
