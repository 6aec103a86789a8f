// A draw of a fragment program under way: its vertices, of some instances at a time; the input primitives of
// its geometry program, which wait for a round; and the primitives for the rasterizer, which wait for a
// batch.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "pixels/batch.h"
#include "runtime/engine/background.h"
#include "runtime/engine/launch_cache.h"
#include "runtime/work/launch.h"

namespace warpjit::runtime {

// Slots of the vertices of instances, one instance after the other.
struct SlotRows {
  const std::uint32_t* words = nullptr;
  std::uint32_t slots = 0, stride = 0;  // words
  std::uint64_t count = 0;              // vertices of an instance
};

// The compilation of a kernel for which the guest interpreter stands in.
struct AwaitedKernel {
  std::shared_ptr<CompileJob> job{};       // null: nothing is awaited
  std::uint64_t asked = 0;                 // how often
  std::shared_ptr<const Kernel> kernel{};  // once it is there
};

// Gives the compilation; null: there is no room for it.
using AskForKernel = std::function<std::shared_ptr<CompileJob>()>;

// The vertex stage of a draw, or the vertices that are bound instead.
struct VertexRun {
  // An input of the stage, of which each run gets rows of its own.
  struct Input {
    std::uint8_t number = 0;
    LaunchData::Input source;  // as the launch has it; nothing for ids that are counted
    std::vector<std::byte> rows{};
  };

  SlotRows rows;
  std::uint32_t at_once = 1;  // instances that run together
  // Nothing of it without a stage.
  std::unique_ptr<LaunchState> stage;
  std::vector<Input> inputs;
  std::optional<LaunchCache::Lease> lease{};  // once there are vertices
  AwaitedKernel awaited{};
  AskForKernel ask_for_kernel{};  // if that waits until the pixels' has been asked for
  std::unique_ptr<std::uint32_t[]> words;
};

// The primitives of a draw on their way to the targets.
struct PrimitiveRun {
  LaunchState& launch;
  const RunOptions& options;
  Report& report;
  VertexRun& vertex_run;
  Topology topology;                              // of what comes
  std::uint32_t slots;                            // of a vertex
  std::optional<pixels::PrimitiveBatch> batch{};  // none: the guest interpreter draws
  std::optional<LaunchCache::Lease> lease{};      // once there are primitives
  AwaitedKernel awaited{};
  KernelHints hints{};  // what it is for
  std::chrono::steady_clock::duration compile_time{};
  bool waiting = false;  // something is in the batch
  // Parts of the draw: what the primitives to add are, what has been added, and what is drawn.
  double begin = 0, end = 0, added = 0, drawn = 0;
  ir::MemoryFault fault{};  // of the fragment program

  std::uint64_t fuel() const { return options.fuel.value_or(launch.fuel); }
};

// The geometry stage of a draw: input primitives, gathered, and what a round of invocations makes of them.
struct GeometryRun {
  std::unique_ptr<LaunchState> stage;  // null: there is no such stage
  frontend::StripOutput output;
  LaunchCache::Lease lease;
  std::uint64_t lanes = 1;
  std::uint64_t most = 0, waiting = 0;             // invocations of a round, and those that wait
  std::vector<std::byte> input;                    // frontend::StripFacts::input_rows() of each invocation
  std::unique_ptr<std::byte[]> emitted, vertices;  // the rows of its outputs
  std::vector<std::uint32_t> indices, numbers;     // strips, parted by an index that is outside

  std::size_t input_bytes() const { return stage->strips.input_rows() * kRowBytes; }
  // Vertices that an invocation has room for, one more than it may emit.
  std::uint64_t vertices_each() const { return output.most_vertices + std::uint64_t{1}; }
  std::size_t output_bytes() const {
    return static_cast<std::size_t>(vertices_each()) * output.vertex_rows() * kRowBytes;
  }
};

}  // namespace warpjit::runtime
