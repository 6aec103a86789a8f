#include "runtime/engine/observed_run.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/float_environment.h"
#include "frontend/listing_lines.h"
#include "runtime/engine/make_kernel.h"
#include "runtime/work/grid_plan.h"
#include "runtime/work/pixel_draw.h"
#include "runtime/work/profile.h"
#include "runtime/work/row_plan.h"
#include "warpjit/listing.hpp"

namespace warpjit::runtime {
namespace {

// The engine's kernels, but for one program.
class ObservedKernels final : public KernelSource {
 public:
  ObservedKernels(EngineState& engine, const frontend::Shader& observed, interpret::Observer* observer,
                  EngineKind others)
      : engine_(engine), observed_(observed), observer_(observer), others_(others) {}

  KernelHints hints_of(const LaunchState& launch) const override { return engine_.hints_of(launch); }
  Status lease(LaunchState& launch, const RunOptions& options, KernelUse& use,
               CompileReport& report) override {
    if (launch.shader != &observed_) {
      RunOptions own = options;
      own.engine = others_;
      return engine_.lease(launch, own, use, report);
    }
    WARPJIT_TRY(const frontend::Facts facts, launch.facts(0));
    WARPJIT_TRY(std::shared_ptr<const Kernel> kernel, make_observed_kernel(observed_, facts, observer_));
    report = report_of(*kernel, false);
    use.lease.emplace().hold(std::move(kernel));
    return {};
  }
  Status lease_at_once(LaunchState& launch, const RunOptions& options, KernelUse& use, CompileReport& report,
                       bool) override {
    return lease(launch, options, use, report);
  }
  Status lease_awaited(LaunchState& launch, const RunOptions& options, KernelUse& use,
                       CompileReport& report) override {
    return lease(launch, options, use, report);
  }

 private:
  EngineState& engine_;
  const frontend::Shader& observed_;
  interpret::Observer* observer_;  // null: nobody looks at instructions
  EngineKind others_;              // that runs other programs
};

Error no_such(const char* what, std::uint64_t number, std::uint64_t count) {
  return {ErrorCode::bad_input,
          "there is no " + std::string(what) + " " + std::to_string(number) +
              (count == 0 ? "; the launch has none" : "; the last one is " + std::to_string(count - 1)),
          ""};
}

// All threads of rows or of a grid.
Status run_whole(Run& run) {
  LaunchState& launch = run.launch;
  KernelUse use;
  WARPJIT_CHECK(run.kernels.lease(launch, run.options, use, run.report));
  if (launch.work() != Work::grid)
    return launch.count == 0 ? Status() : RowPlan(run.call(launch, use)).run(0, launch.count);
  std::optional<frontend::CheckedGrid> fresh;
  WARPJIT_TRY(const frontend::CheckedGrid* checked, launch.checked_grid(fresh));
  return GridPlan(run.call(launch, use), *checked).run(0, launch.values.grid.blocks());
}

// A thread's group. The interpreter may run it in several parts.
Status run_row(Run& run, std::uint64_t thread, std::uint64_t* first_row) {
  LaunchState& launch = run.launch;
  if (thread >= launch.count) return no_such("thread", thread, launch.count);
  KernelUse use;
  WARPJIT_CHECK(run.kernels.lease(launch, run.options, use, run.report));
  const std::uint64_t lanes = use.kernel().lanes(), first = thread / lanes * lanes;
  if (first_row != nullptr) *first_row = first;
  return RowPlan(run.call(launch, use)).run(first, std::min(lanes, launch.count - first));
}

Status run_grid(EngineState& engine, Run& run, std::uint64_t block) {
  LaunchState& launch = run.launch;
  const std::uint64_t blocks = launch.values.grid.blocks();
  if (block >= blocks) return no_such("block", block, blocks);
  KernelUse observed, others;
  WARPJIT_CHECK(run.kernels.lease(launch, run.options, observed, run.report));
  others.hints = engine.hints_of(launch);
  WARPJIT_CHECK(engine.lease(launch, run.options, others, run.report));
  std::optional<frontend::CheckedGrid> fresh;
  WARPJIT_TRY(const frontend::CheckedGrid* checked, launch.checked_grid(fresh));
  const GridPlan rest(run.call(launch, others), *checked), one(run.call(launch, observed), *checked);
  if (block != 0) WARPJIT_CHECK(rest.run(0, block));
  WARPJIT_CHECK(one.run(block, 1));
  return block + 1 == blocks ? Status() : rest.run(block + 1, blocks - block - 1);
}

// What both have.
RasterState::Rectangle meet(const RasterState::Rectangle& a, const RasterState::Rectangle& b) {
  const auto extent = [](std::uint32_t first, std::uint64_t end_a, std::uint64_t end_b) {
    const std::uint64_t end = std::min(end_a, end_b);
    return static_cast<std::uint32_t>(end > first ? end - first : 0);
  };
  const std::uint32_t x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, extent(x, std::uint64_t{a.x} + a.width, std::uint64_t{b.x} + b.width),
          extent(y, std::uint64_t{a.y} + a.height, std::uint64_t{b.y} + b.height)};
}

}  // namespace

const LaunchData* holder_of(const LaunchData& launch, ObservedPart::Program program) {
  if (program == ObservedPart::Program::own) return &launch;
  if (!launch.pixels) return nullptr;
  return program == ObservedPart::Program::vertex ? launch.pixels->vertex.get()
                                                  : launch.pixels->geometry.get();
}

namespace {

// Memory that programs of a launch may store to.
void add_changed_memory(const LaunchState& launch, std::vector<std::span<std::byte>>& pieces) {
  using enum ObservedPart::Program;
  for (const ObservedPart::Program which : {own, vertex, geometry}) {
    const LaunchData* const stage = holder_of(launch, which);
    if (stage == nullptr || !stage->shader->changes_memory()) continue;
    for (const auto& ranges : stage->values.grid.globals)
      for (const frontend::MappedRange& range : ranges)
        if (!range.bytes.empty()) pieces.push_back(range.bytes);
  }
}

}  // namespace

std::vector<std::span<std::byte>> written_memory(const LaunchState& launch) {
  std::vector<std::span<std::byte>> pieces;
  const auto add = [&](void* data, std::size_t size) {
    if (data != nullptr && size != 0) pieces.push_back({static_cast<std::byte*>(data), size});
  };
  if (launch.draw.active) {
    add(launch.draw.results, static_cast<std::size_t>(launch.count) * launch.draw.result_stride);
  } else {
    for (std::uint32_t k = 0; k < launch.output_count; ++k)
      add(launch.outputs[k].buffer.data, launch.outputs[k].buffer.size);
  }
  if (launch.pixels) {
    for (const TargetBuffer& color : launch.pixels->colors) add(color.data, color.size);
    add(launch.pixels->depth.data, launch.pixels->depth.size);
    add(launch.pixels->pass_counts.data, launch.pixels->pass_counts.size);
  }
  if (launch.primitives) {
    const TriangleBuffer& triangles = launch.primitives->triangles;
    add(triangles.vertices, triangles.size);
    add(triangles.inverted, triangles.inverted_size);
    add(launch.primitives->unit.data(), launch.primitives->unit.size_bytes());
  }
  add_changed_memory(launch, pieces);
  return pieces;
}

Status run_observed(EngineState& engine, LaunchState& given, const ObservedPart& part,
                    interpret::Observer& observer, const RunOptions& options) {
  const FloatEnvironment environment;
  RunOptions alone = options;
  alone.threads = 1;
  alone.background = false;
  WorkMemory memory;
  LaunchState launch(static_cast<const LaunchData&>(given));
  const LaunchData* const holder = holder_of(launch, part.program);
  if (holder == nullptr) return Error{ErrorCode::bad_input, "this draw has no such program", ""};
  ObservedKernels kernels(engine, *holder->shader, &observer, options.engine);
  Run run{launch, alone, kernels, engine.runner(), memory};
  WARPJIT_CHECK(launch.check());
  if (launch.pixels) {
    LaunchPixels& pixels = *launch.pixels;
    if (part.program == ObservedPart::Program::own && !part.whole)
      pixels.raster.scissor = meet(pixels.raster.scissor, part.pixels);
    pixels.progress = nullptr;
    pixels.instructions = nullptr;
    return run_pixels(run);
  }
  if (launch.primitives) return run_primitives(run);
  if (part.whole) return run_whole(run);
  return launch.work() == Work::grid ? run_grid(engine, run, part.unit)
                                     : run_row(run, part.unit, part.first_row);
}

Result<Report> run_profiled(EngineState& engine, LaunchState& given, Profile& profile,
                            const RunOptions& options) {
  const FloatEnvironment environment;
  RunOptions alone = options;
  alone.threads = 1;
  alone.background = false;
  WorkMemory memory;
  LaunchState launch(static_cast<const LaunchData&>(given));
  const frontend::Shader& shader = *launch.shader;
  if (shader.register_banks().empty())
    return Error{ErrorCode::unsupported, "there are no profiles of programs of this kind",
                 shader.source_name()};
  WARPJIT_CHECK(launch.check());
  Profiler profiler(shader, launch.values.grid);
  ObservedKernels kernels(engine, shader, &profiler, options.engine);
  Run run{launch, alone, kernels, engine.runner(), memory};
  const Status status = run_work(run);
  profile = profiler.result();
  const auto listing = disassemble(launch.program);
  const auto lines = listing ? frontend::lines_of(*listing) : std::map<std::uint32_t, std::string>();
  for (Profile::Instruction& line : profile.instructions)
    if (const auto text = lines.find(line.address); text != lines.end()) line.text = text->second;
  WARPJIT_CHECK(status);
  return std::move(run.report);
}

std::vector<std::span<std::byte>> written_memory(const LaunchState& launch,
                                                 const interpret::PixelObserver& observer) {
  std::vector<std::span<std::byte>> pieces;
  const auto add = [&](std::span<std::byte> piece) {
    if (!piece.empty()) pieces.push_back(piece);
  };
  const LaunchPixels& work = *launch.pixels;
  const auto left = static_cast<std::uint32_t>(observer.x & ~1),
             top = static_cast<std::uint32_t>(observer.y & ~1);
  for (std::uint32_t n = 0; n < 4; ++n) {
    const std::uint32_t x = left + (n & 1), y = top + (n >> 1);
    for (unsigned target = 0; target <= kDepthTarget; ++target) add(pixel_memory(work, target, x, y));
    const TargetBuffer& counts = work.pass_counts;
    const std::size_t at = y * counts.pitch + 4 * std::size_t{x};
    if (counts.data != nullptr && x < work.width && y < work.height && at + 4 <= counts.size)
      add({static_cast<std::byte*>(counts.data) + at, 4});
  }
  add_changed_memory(launch, pieces);
  return pieces;
}

Status run_observed(EngineState& engine, LaunchState& given, interpret::PixelObserver& observer,
                    const RunOptions& options) {
  const FloatEnvironment environment;
  RunOptions alone = options;
  alone.threads = 1;
  alone.background = false;
  alone.engine = EngineKind::guest;  // no batch of primitives
  WorkMemory memory;
  LaunchState launch(static_cast<const LaunchData&>(given));
  ObservedKernels kernels(engine, *launch.shader, nullptr, options.engine);
  Run run{launch, alone, kernels, engine.runner(), memory};
  WARPJIT_CHECK(launch.check());
  launch.pixels->progress = nullptr;
  launch.pixels->instructions = nullptr;
  launch.pixels->observer = &observer;
  return run_pixels(run);
}

}  // namespace warpjit::runtime
