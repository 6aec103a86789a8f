// Geometry launches: how vertices become invocations, and the running of a range of invocations. The results
// of a range lie in its own area, with room for all that each invocation may emit. They are then appended to
// the caller's buffer in the order of the ranges.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/engine/kernel.h"
#include "runtime/work/launch.h"
#include "runtime/work/run_plan.h"

namespace warpjit::runtime {

// ---- From vertices to invocations

// Does the list consist of whole primitives of at least one vertex each?
Status check_primitive_list(std::span<const std::uint32_t> list);
// Primitives that the vertex stage's vertices make.
std::uint64_t primitive_count(const LaunchData::Primitives& primitives);
frontend::PrimitiveFacts primitive_facts(const LaunchData& launch);
// Checks of the launch as a whole: vertices fit the registers, listed vertices exist.
Status check_primitives(const LaunchData& launch);

// The float uniforms of every invocation in variable mode, row_count rows each. `vertices` holds the
// attributes of all vertices; `uniforms` the launch's registers, PrimitiveLimits::uniform_rows of them.
std::vector<std::uint32_t> gather_primitives(const LaunchData::Primitives& primitives,
                                             const frontend::PrimitiveFacts& facts, const std::byte* vertices,
                                             std::span<const std::uint32_t> uniforms);

// ---- Running

// The results of a range of invocations. Its memory may serve one run after another.
struct PrimitiveArea {
  std::unique_ptr<std::byte[]> memory;
  std::size_t bytes = 0;  // at `memory`
  std::byte *emission = nullptr, *triangles = nullptr, *outputs = nullptr, *unit = nullptr, *inputs = nullptr,
            *vertices = nullptr;
  std::uint64_t first_vertex = 0;  // at `vertices`
  std::uint64_t triangle_count = 0;
};

// Ranges that run at the same time.
struct PrimitiveRange {
  PrimitiveArea area;
  std::uint64_t first = 0, count = 0, place = 0;
  Status status;
};
struct PrimitiveRound {
  std::vector<PrimitiveRange> ranges;
};

// All that the workers of one run share.
class PrimitivePlan {
 public:
  // `stage` runs the vertex stage, range by range; null if there is none or `rows` (see gather_primitives)
  // holds what it gave.
  PrimitivePlan(const LaunchState& launch, const frontend::Facts& facts, const Kernel& kernel,
                std::uint32_t* table, std::uint64_t fuel, const std::atomic<std::uint32_t>* cancel,
                const RunPlan* stage, const std::byte* rows);

  std::uint64_t chunk() const { return chunk_; }  // invocations that a range may have
  // Sets an area up for one range after another. Errors: resource_limit.
  Status set_up(PrimitiveArea& area) const;
  // Runs a range and stores its registers; counts its triangles. An ordered range continues with the unit's
  // state that the range before left in the same area. Errors: those of kernels, and an invocation that emits
  // too much.
  Status run(std::uint64_t first, std::uint64_t count, PrimitiveArea& area) const;
  // Gives the unit's state after the last range to its owner, if there is one.
  void keep_unit(const PrimitiveArea& area) const;
  // Copies what the range emitted to the caller's buffer, from triangle `place` on. It must fit.
  void append(const PrimitiveArea& area, std::uint64_t count, std::uint64_t place) const;
  // Sees to it that the caller's buffer has room for so many triangles. Errors: resource_limit.
  Status reserve(std::uint64_t triangles) const;

 private:
  struct Input {
    const std::byte* data;  // null: the area's vertices ...
    std::ptrdiff_t stride;
    LoadRows load;  // null: rows are as the kernel wants them, `rows` for each invocation
    std::uint32_t rows;
    std::uint32_t offset;  // ... so many bytes behind the invocation's first attribute
  };
  void note_excess(const PrimitiveArea& area, std::uint64_t first, std::uint64_t count) const;
  Status run_stage(std::uint64_t first, std::uint64_t count, PrimitiveArea& area) const;
  const std::byte* address(const Input& input, std::uint64_t first, const PrimitiveArea& area) const;
  Status call(std::uint64_t first, std::uint64_t count, std::uint64_t place, bool whole,
              PrimitiveArea& area) const;
  const std::byte* copy(const Input& input, const std::byte* from, std::uint64_t count, std::uint64_t padded,
                        std::byte* to) const;
  std::size_t triangle_stride() const { return (triangle_rows_ + 1) * kRowBytes; }

  const LaunchState& launch_;
  const Kernel& kernel_;
  std::uint32_t* table_;
  frontend::PrimitiveFacts facts_;
  std::uint64_t lanes_;  // invocations of a group
  std::uint64_t fuel_;
  std::uint64_t chunk_ = 0;
  const std::atomic<std::uint32_t>* cancel_;
  bool ordered_;
  std::size_t unit_rows_, triangle_rows_;
  std::uint32_t input_count_ = 0, output_count_ = 0;
  std::size_t input_rows_ = 0;
  const RunPlan* stage_;
  std::uint64_t attributes_ = 0, attributes_per_invocation_ = 0;
  Input inputs_[frontend::kMaxInputs + 1];
};

}  // namespace warpjit::runtime
