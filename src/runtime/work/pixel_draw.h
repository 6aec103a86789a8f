// A draw of a fragment program under way: its vertices, of some instances at a time; the input primitives of
// its geometry program, which wait for a round; and the primitives for the rasterizer,
// which wait for a batch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "frontend/interpret/pixels.h"
#include "pixels/batch.h"
#include "runtime/work/kernel_source.h"
#include "runtime/work/launch.h"
#include "runtime/work/run.h"

namespace warpjit::runtime {

// Slots of the vertices of instances, one instance after the other.
struct SlotRows {
  const std::uint32_t* words = nullptr;
  std::uint32_t slots = 0, stride = 0;  // words
  std::uint64_t count = 0;              // vertices of an instance
};

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
  KernelUse use{};
  std::unique_ptr<std::uint32_t[]> words;
};

// A batch for primitives of a draw, whose vertices have `slots` slots. `memory`, if there is some, is lent to it.
Result<pixels::PrimitiveBatch> make_batch(const LaunchState& launch, Topology topology, std::uint32_t slots,
                                          const RasterState::Rectangle& scissor,
                                          pixels::BatchMemory* memory = nullptr);
// The vertices of the first instance, if they are bound or have been computed.
pixels::Vertices first_part(const LaunchState& launch, const SlotRows& rows);
// What the first primitives of a draw are like decides on its kernel.
void set_hints(const pixels::PrimitiveBatch& batch, KernelHints& hints);

// The primitives of a draw on their way to the targets (run_pixels.cpp).
class PrimitiveRun {
 public:
  // `topology` and `slots` of a vertex: of what is added.
  PrimitiveRun(Run& run, VertexRun& vertex_run, Topology topology, std::uint32_t slots)
      : run_(run),
        launch_(run.launch),
        vertex_run_(vertex_run),
        topology_(topology),
        slots_(slots),
        batch_memory_(run.memory.batches.borrow()) {}

  Run& run() { return run_; }
  Status begin();
  // What is added next is the part of the draw from `begin` to `end`, each 0 to 1.
  void set_part(double begin, double end) {
    begin_ = begin;
    end_ = end;
  }
  Status add(const pixels::Vertices& part);
  // Draws what waits; sets the report's counts and fault.
  Status finish();
  RunClock::duration compile_time() const { return compile_time_; }

 private:
  Status make_batch(const RasterState::Rectangle& scissor);
  Status lease();
  // Adds primitives from `next` on until the batch is full, and gives the first one that was not added.
  Result<std::uint64_t> fill_batch(const pixels::Vertices& part, std::uint64_t next);
  // Draws from primitive `next` on; what does not fill a batch waits.
  Status draw_from(const pixels::Vertices& part, std::uint64_t next);
  Status draw_waiting();
  interpret::PixelWork guest_work(const pixels::Vertices& part);
  Status draw_in_guest(interpret::PixelWork& work);
  // Draws in the guest interpreter until the kernel is there, and then what remains.
  Status draw_meanwhile(const pixels::Vertices& part);
  Status draw_pieces(const pixels::Vertices& part, const interpret::PixelProgress& done);
  // Which part of the draw is over after `primitive` of `count`.
  double place_of(std::uint64_t primitive, std::uint64_t count) const {
    return begin_ + (end_ - begin_) * static_cast<double>(primitive) / static_cast<double>(count);
  }

  Run& run_;
  LaunchState& launch_;
  VertexRun& vertex_run_;
  const Topology topology_;
  const std::uint32_t slots_;
  Pool<pixels::BatchMemory>::Lease batch_memory_;
  std::optional<pixels::PrimitiveBatch> batch_;  // none: the guest interpreter draws
  KernelUse use_;                                // leased once there are primitives
  RunClock::duration compile_time_{};
  bool waiting_ = false;  // something is in the batch
  // Parts of the draw: what the primitives to add are, what has been added, and what is drawn.
  double begin_ = 0, end_ = 0, added_ = 0, drawn_ = 0;
  ir::MemoryFault fault_;  // of the fragment program
};

// The geometry stage of a draw: input primitives, gathered, and what a round of invocations makes of them.
struct GeometryRun {
  std::unique_ptr<LaunchState> stage;  // null: there is no such stage
  frontend::StripOutput output;
  KernelUse use;
  std::uint64_t lanes = 1;
  std::uint64_t most = 0, waiting = 0;             // invocations of a round, and those that wait
  std::vector<std::byte> input;                    // frontend::StripFacts::input_rows() of each invocation
  std::unique_ptr<std::byte[]> emitted, vertices;  // the rows of its outputs
  std::vector<std::uint32_t> indices, numbers;     // strips, parted by an index that is outside

  std::size_t input_bytes() const { return stage->strips->input_rows() * kRowBytes; }
  // Vertices that an invocation has room for, one more than it may emit.
  std::uint64_t vertices_each() const { return output.most_vertices + std::uint64_t{1}; }
  std::size_t output_bytes() const {
    return static_cast<std::size_t>(vertices_each()) * output.vertex_rows() * kRowBytes;
  }
};

// ---- Vertices (run_vertices.cpp)

// Sets up all but the memory for results.
Status set_up_vertices(const LaunchState& launch, VertexRun& vertices);
// What begin_vertices() prepares, end_vertices() of a run that went well keeps with
// the launch, unless it is large.
Result<std::shared_ptr<VertexRun>> begin_vertices(LaunchState& launch);
void end_vertices(LaunchState& launch, std::shared_ptr<VertexRun> vertices);
// Those of instances `first` to `first + count - 1`.
Status run_vertices(const Run& run, VertexRun& vertices, std::uint32_t first, std::uint32_t count);

// ---- The geometry stage (run_strips.cpp)

// Sets up the stage, if there is one.
void set_up_geometry(const LaunchState& launch, const SlotRows& rows, GeometryRun& geometry);
Status begin_geometry(const Run& run, const SlotRows& rows, GeometryRun& geometry);
// Takes the input primitives; what they emit goes to `primitives` round by round,
// the last of it by run_waiting().
Status add_input(GeometryRun& geometry, PrimitiveRun& primitives, const pixels::Vertices& part);
Status run_waiting(GeometryRun& geometry, PrimitiveRun& primitives);

}  // namespace warpjit::runtime
