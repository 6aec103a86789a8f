// Runs ranges of invocations of a geometry program. The results of a range lie in its own area, with room for
// all that each invocation may emit. They are then appended to the caller's buffer
// in the order of the ranges.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/work/row_plan.h"

namespace warpjit::runtime {

// The results of a range of invocations. Its memory may serve one run after another.
struct PrimitiveArea {
  std::unique_ptr<std::byte[]> memory;
  std::size_t bytes = 0;  // at `memory`
  std::byte *emission = nullptr, *triangles = nullptr, *outputs = nullptr, *unit = nullptr, *inputs = nullptr,
            *vertices = nullptr, *marks = nullptr,
            *begun_unit = nullptr,  // after begin(), if the kernel does not go on with `unit`
                *table = nullptr;   // of this run alone, with the unit in it
  // The last invocation of the range that has each of the unit's marks (UnitUse), plus 1; 0: none. If
  // invocations swap banks, those at an even and at an odd place of the run apart.
  std::array<std::array<std::uint64_t, 2>, frontend::UnitUse::kMostMarks> marked{};
  std::uint64_t first_vertex = 0, end_vertex = 0;  // at `vertices`
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
  // `stage` runs the vertex stage, range by range; null without such a stage, or if `rows` (see
  // gather_primitives) holds what it gave.
  PrimitivePlan(const KernelCall& call, const frontend::Facts& facts, const RowPlan* stage,
                const std::byte* rows);

  std::uint64_t chunk() const { return chunk_; }  // invocations that a range may have
  bool cancelled() const { return call_.cancelled(); }
  // Sets an area up for one range after another. Errors: resource_limit.
  Status set_up(PrimitiveArea& area) const;
  // The first thing to do: brings the unit into its state at the start of the run, and runs the invocations
  // that the kernel cannot, from 0 on, as a range in `area`. Returns how many of `count` these are. Then the
  // ranges follow, the ordered ones in the same area.
  Result<std::uint64_t> begin(std::uint64_t count, PrimitiveArea& area);
  // Runs a range and stores its registers; counts its triangles. An ordered range continues with the unit's
  // state that the range before left. Errors: those of kernels, and an invocation that emits too much.
  Status run(std::uint64_t first, std::uint64_t count, PrimitiveArea& area) const;
  // Remembers the marks of a range that ran; in the order of the ranges.
  void note_marks(const PrimitiveArea& area);
  // The last thing to do, after `count` invocations in all: gives the unit's state to its owner, if there is
  // one. What is in `area` is lost, but for the unit's state that ordered ranges left.
  Status finish(std::uint64_t count, PrimitiveArea& area) const;
  // Copies what the range emitted to the caller's buffer, from triangle `place` on. It must fit.
  void append(const PrimitiveArea& area, std::uint64_t count, std::uint64_t place) const;
  // Makes room for `triangles` in the caller's buffer. Errors: resource_limit.
  Status reserve(std::uint64_t triangles) const;

 private:
  struct Input {
    const std::byte* data;  // null: the area's vertices ...
    std::ptrdiff_t stride;
    LoadRows load;  // null: rows are as the kernel wants them, `rows` for each invocation
    std::uint32_t rows;
    std::uint32_t offset;  // ... bytes after the invocation's first attribute
  };
  void note_excess(const PrimitiveArea& area, std::uint64_t first, std::uint64_t count) const;
  Status run_stage(std::uint64_t first, std::uint64_t count, PrimitiveArea& area) const;
  const std::byte* address(const Input& input, std::uint64_t first, const PrimitiveArea& area) const;
  Status call(std::uint64_t first, std::uint64_t count, std::uint64_t place, bool whole,
              PrimitiveArea& area) const;
  // A range in the guest interpreter, on the unit of the area. What it gives stays there: of invocations
  // whose history is missing only the unit is right.
  Status run_one_by_one(std::uint64_t first, std::uint64_t count, PrimitiveArea& area) const;
  void find_marks(std::uint64_t first, std::uint64_t count, PrimitiveArea& area) const;
  // The unit after invocation `last`, from those before that it depends on, in the area.
  Status run_last(std::uint64_t last, PrimitiveArea& area) const;
  Status take_marked(std::uint64_t count, PrimitiveArea& area) const;
  Status collect(std::uint64_t first, std::uint64_t count, PrimitiveArea& area) const;
  std::size_t table_bytes() const;  // of a table of this run alone; 0: none
  // Goes on with such a table, which has the unit in it.
  Status use_table(const PrimitiveArea& area);
  const std::byte* copy(const Input& input, const std::byte* from, std::uint64_t count, std::uint64_t padded,
                        std::byte* to) const;
  std::size_t triangle_stride() const { return (triangle_rows_ + 1) * kRowBytes; }

  KernelCall call_;
  const frontend::Facts& all_facts_;
  frontend::PrimitiveFacts facts_;
  const frontend::UnitUse& use_;
  std::uint64_t lanes_;  // invocations of a group
  std::uint64_t chunk_ = 0;
  bool ordered_;
  std::size_t unit_rows_, triangle_rows_;
  std::uint32_t input_count_ = 0, output_count_ = 0;
  std::size_t input_rows_ = 0;
  const RowPlan* stage_;
  std::uint64_t attributes_ = 0, attributes_per_invocation_ = 0;
  std::array<std::array<std::uint64_t, 2>, frontend::UnitUse::kMostMarks> marked_{};  // as of an area
  std::uint64_t begun_ = 0;  // invocations that begin() ran
  Input inputs_[frontend::kMaxInputs + 1];
};

}  // namespace warpjit::runtime
