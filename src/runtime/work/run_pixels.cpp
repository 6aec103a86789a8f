// Launches over pixels: instances of vertices first, then a geometry stage, if there is one, then batches of
// primitives, whose tiles run on all workers. In the guest interpreter: the scalar rasterizer's draw.
#include <chrono>
#include <utility>

#include "base/float_environment.h"
#include "frontend/interpret/pixels.h"
#include "runtime/engine/engine.h"
#include "runtime/work/grid_plan.h"
#include "runtime/work/pixel_draw.h"
#include "runtime/work/pixel_plan.h"

namespace warpjit::runtime {
namespace {

// Pixels of a primitive in a tile, on average, from which on wide groups pay: 128 lanes are nearly all full.
constexpr double kManyPixels = 512;
constexpr std::uint64_t kTilePixels = std::uint64_t{pixels::kTileExtent} * pixels::kTileExtent;

interpret::PixelWork guest_work(const LaunchState& launch, const pixels::Vertices& part, PrimitiveRun& run) {
  const LaunchPixels& work = *launch.pixels;
  interpret::PixelWork draw;
  draw.raster = work.raster;
  draw.raster.topology = run.topology;
  draw.output = work.output;
  draw.width = work.width;
  draw.height = work.height;
  for (unsigned k = 0; k < kMaxColorTargets; ++k)
    draw.colors[k] = {static_cast<std::byte*>(work.colors[k].data),
                      static_cast<std::ptrdiff_t>(work.colors[k].pitch)};
  draw.depth = {static_cast<std::byte*>(work.depth.data), static_cast<std::ptrdiff_t>(work.depth.pitch)};
  if (work.output.count_passed)
    draw.passed = {static_cast<std::byte*>(work.pass_counts.data),
                   static_cast<std::ptrdiff_t>(work.pass_counts.pitch)};
  draw.vertices = {part.words, part.count == 0 ? 0 : (part.count - 1) * part.stride + run.slots};
  draw.slots = run.slots;
  draw.stride = part.stride;
  draw.vertex_count = part.count;
  draw.indices = part.indices;
  draw.indexed = part.indexed;
  draw.numbers = part.numbers;
  draw.cancel = run.options.cancel;
  draw.progress = work.progress;
  draw.instructions = work.instructions;
  draw.fault = &run.fault;
  const auto uses = launch.shader->slot_uses();
  draw.uses.assign(uses.begin(), uses.end());
  return draw;
}

void add(const DrawCounts& counts, DrawCounts& sum) {
  constexpr std::uint64_t DrawCounts::*kCounts[] = {
      &DrawCounts::primitives,   &DrawCounts::missing,        &DrawCounts::not_finite,
      &DrawCounts::outside,      &DrawCounts::culled,         &DrawCounts::empty,
      &DrawCounts::beside,       &DrawCounts::covered,        &DrawCounts::discarded,
      &DrawCounts::alpha_failed, &DrawCounts::stencil_failed, &DrawCounts::depth_failed};
  for (const auto count : kCounts) sum.*count += counts.*count;
}

Status draw_in_guest(PrimitiveRun& run, interpret::PixelWork& work) {
  DrawCounts counts;
  work.counts = &counts;
  const Status status = run.lease->kernel().draw(run.launch.values, work, run.fuel());
  add(counts, run.report.draw);
  return status;
}

Result<pixels::PrimitiveBatch> make_batch(const PrimitiveRun& run, const RasterState& raster) {
  const LaunchPixels& work = *run.launch.pixels;
  WARPJIT_TRY(pixels::PrimitiveBatch batch,
              pixels::PrimitiveBatch::make(raster, work.width, work.height, run.slots,
                                           run.launch.shader->slot_uses(), work.output.depth_format));
  batch.clear();
  return batch;
}

}  // namespace

Status EngineState::begin_primitives(PrimitiveRun& run) {
  if (run.options.engine == EngineKind::guest) return {};
  RasterState raster = run.launch.pixels->raster;
  raster.topology = run.topology;
  WARPJIT_TRY(run.batch, make_batch(run, raster));
  return {};
}

// What the first primitives are like decides on the kernel.
Status EngineState::lease_primitives(PrimitiveRun& run) {
  const auto start = std::chrono::steady_clock::now();
  const bool first = !run.lease;
  if (first) run.hints = hints_of(run.launch);
  if (run.batch && first) run.hints.large_primitives = run.batch->pixels_per_tile() >= kManyPixels;
  run.hints.flat_w = run.batch && first && run.batch->has_flat_w();
  CompileReport ignored;
  CompileReport& report = first ? run.report : ignored;
  LaunchCache::Lease& lease = run.lease.emplace();
  const Status leased =
      first ? lease_at_once(run.launch, run.options, lease, report, run.hints, &run.awaited.job)
            : lease_kernel(run.launch, run.options, lease, report, run.hints);
  if (AskForKernel& ask = run.vertex_run.ask_for_kernel) std::exchange(ask, {})();
  WARPJIT_CHECK(leased);
  run.compile_time += std::chrono::steady_clock::now() - start;
  if (run.report.engine != EngineKind::guest) return {};
  run.batch.reset();
  run.waiting = false;
  return {};
}

Status EngineState::add_primitives(PrimitiveRun& run, const pixels::Vertices& part) {
  const std::uint64_t primitives = part.primitives(run.topology);
  if (primitives == 0) return {};
  std::uint64_t next = 0;
  if (!run.lease) {
    run.waiting = run.batch.has_value();
    if (run.batch) next = run.batch->add(part, 0);
    WARPJIT_CHECK(lease_primitives(run));
  }
  if (run.awaited.job) return draw_meanwhile(run, part);
  return draw_from(run, part, next);
}

Status EngineState::draw_from(PrimitiveRun& run, const pixels::Vertices& part, std::uint64_t next) {
  const std::uint64_t primitives = part.primitives(run.topology);
  if (!run.batch) {
    interpret::PixelWork work = guest_work(run.launch, part, run);
    return draw_in_guest(run, work);
  }
  for (;;) {
    next = run.batch->add(part, next);
    run.waiting = true;
    run.added =
        run.begin + (run.end - run.begin) * static_cast<double>(next) / static_cast<double>(primitives);
    if (next == primitives) return {};
    WARPJIT_CHECK(draw_waiting(run));
  }
}

Status EngineState::draw_meanwhile(PrimitiveRun& run, const pixels::Vertices& part) {
  interpret::PixelProgress done{.primitive = part.primitives(run.topology)};
  interpret::PixelWork work = guest_work(run.launch, part, run);
  if (work.instructions == nullptr) work.enough = [&] { return is_ready(run.awaited); };
  work.came_to = &done;
  WARPJIT_CHECK(draw_in_guest(run, work));
  run.report.interpreted += done.fragments;
  if (done.primitive == part.primitives(run.topology)) return {};
  WARPJIT_CHECK(
      lease_awaited(run.launch, run.options, run.awaited, run.lease.emplace(), run.report, run.hints));
  run.drawn = run.added = run.begin + (run.end - run.begin) * static_cast<double>(done.primitive) /
                                          static_cast<double>(part.primitives(run.topology));
  return draw_pieces(run, part, done);
}

Status EngineState::draw_pieces(PrimitiveRun& run, const pixels::Vertices& part,
                                const interpret::PixelProgress& done) {
  using Rectangle = RasterState::Rectangle;
  const RasterState& state = run.launch.pixels->raster;
  const Rectangle& whole = state.scissor;
  const auto draw_within = [&](const Rectangle& scissor) -> Status {
    if (scissor.width == 0 || scissor.height == 0) return {};
    RasterState raster = state;
    raster.topology = run.topology;
    raster.scissor = scissor;
    WARPJIT_TRY(run.batch, make_batch(run, raster));
    run.batch->add(part, done.primitive, done.primitive + 1);
    run.waiting = true;
    return draw_waiting(run);
  };
  // What is behind `from` of an extent, as its first place and how many there are.
  const auto behind = [](std::uint32_t first, std::uint32_t extent, std::uint32_t from) {
    const std::uint32_t skipped = from > first ? std::min(from - first, extent) : 0;
    return std::pair{first + skipped, extent - skipped};
  };
  const auto [x, width] = behind(whole.x, whole.width, done.x);
  const auto [y, height] = behind(whole.y, whole.height, done.y);
  const auto [below, rows_below] = behind(whole.y, whole.height, done.x == 0 ? done.y : done.y + 2);
  if (done.x != 0) WARPJIT_CHECK(draw_within({x, y, width, height - rows_below}));
  WARPJIT_CHECK(draw_within({whole.x, below, whole.width, rows_below}));
  WARPJIT_CHECK(begin_primitives(run));
  return draw_from(run, part, done.primitive + 1);
}

Status EngineState::draw_waiting(PrimitiveRun& run) {
  if (!run.waiting) return {};
  run.waiting = false;
  pixels::PrimitiveBatch& batch = *run.batch;
  batch.sort();
  // The primitives so far had no perspective, these have.
  if (run.hints.flat_w && !batch.has_flat_w()) WARPJIT_CHECK(lease_primitives(run));
  const Kernel& kernel = run.lease->kernel();
  for (const auto& tile : batch.tiles()) run.report.primitives += tile.primitives;
  PixelPlan plan(run.launch, kernel, run.lease->table(), run.fuel(), run.options.cancel, batch, tile_planes_);
  plan.show_progress(run.launch.pixels->progress, run.drawn, run.added);
  run.drawn = run.added;
  if (plan.cancelled()) return Error{ErrorCode::cancelled, "the run was cancelled", ""};
  const WorkSize size{batch.tiles().size(), kTilePixels, 1, 1};
  if (size.units != 0) {
    run.report.threads = worker_count(size, run.options, kernel);
    const std::uint64_t chunk = run.report.threads == 1 ? size.units : 1;
    const Status status = run_parallel(plan, {0, size.units, chunk}, run.report.threads);
    if (!run.fault.happened) run.fault = plan.fault();
    WARPJIT_CHECK(status);
    run.report.groups += plan.groups();
  }
  batch.clear();
  return {};
}

Result<Report> EngineState::run_pixels(LaunchState& launch, const RunOptions& options) {
  WARPJIT_CHECK(launch.check());
  Report report;
  report.work = Work::pixels;
  const auto start = std::chrono::steady_clock::now();
  const LaunchPixels& work = *launch.pixels;
  WARPJIT_TRY(std::shared_ptr<VertexRun> prepared, begin_vertices(launch));
  VertexRun& vertices = *prepared;
  GeometryRun geometry;
  WARPJIT_CHECK(begin_geometry(launch, vertices.rows, options, geometry));
  const bool strips = geometry.stage != nullptr;
  PrimitiveRun primitives{launch,
                          options,
                          report,
                          vertices,
                          strips ? geometry.output.topology : work.raster.topology,
                          strips ? geometry.output.slots : vertices.rows.slots};
  WARPJIT_CHECK(begin_primitives(primitives));
  pixels::Vertices part;
  part.stride = vertices.rows.stride;
  part.count = vertices.rows.count;
  part.indexed = work.indices != nullptr;
  if (part.indexed) part.indices = *work.indices;
  if (part.primitives(work.raster.topology) != 0)
    for (std::uint32_t first = 0; first < work.instances;) {
      const std::uint32_t count = std::min(vertices.at_once, work.instances - first);
      WARPJIT_CHECK(run_vertices(vertices, launch, options, first, count));
      part.words = vertices.rows.words;
      if (!vertices.stage) part.words += first * (work.vertices.instance_stride / 4);
      for (std::uint32_t k = 0; k < count; ++k) {
        primitives.begin = static_cast<double>(first + k) / work.instances;
        primitives.end = static_cast<double>(first + k + (strips ? 0 : 1)) / work.instances;
        WARPJIT_CHECK(strips ? add_input(geometry, primitives, part) : add_primitives(primitives, part));
        if (vertices.stage) part.words += part.count * part.stride;
      }
      first += count;
    }
  WARPJIT_CHECK(run_waiting(geometry, primitives));
  if (!primitives.lease) WARPJIT_CHECK(lease_primitives(primitives));
  WARPJIT_CHECK(draw_waiting(primitives));
  if (primitives.batch) add(primitives.batch->counts(), report.draw);
  if (primitives.fault.happened)
    report.fault = describe(primitives.fault, *launch.shader, launch.values.grid);
  end_vertices(launch, std::move(prepared));
  const auto elapsed = std::chrono::steady_clock::now() - start - primitives.compile_time;
  report.run_ns =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
  return report;
}

}  // namespace warpjit::runtime
