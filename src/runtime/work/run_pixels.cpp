// Launches over pixels: instances of vertices first, then a geometry stage, if there is one, then batches of
// primitives, whose tiles run on all workers. In the guest interpreter: the scalar rasterizer's draw.
#include <algorithm>
#include <utility>

#include "runtime/work/grid_plan.h"
#include "runtime/work/pixel_draw.h"
#include "runtime/work/pixel_plan.h"

namespace warpjit::runtime {
namespace {

// Pixels of a primitive in a tile, on average, from which on wide groups pay: 128 lanes are nearly all full.
constexpr double kManyPixels = 512;
// And below which most quads are covered in part: of a triangle of 50 pixels, a third of what its quads have is not.
constexpr double kFewPixels = 64;
// Neighbours with the same rows are one rectangle.
void tell(DrawWatch& watch, std::span<const pixels::PrimitiveBatch::Tile> tiles) {
  constexpr std::uint32_t kExtent = pixels::kTileExtent;
  for (std::size_t first = 0, end = 0; first < tiles.size(); first = end) {
    const auto& tile = tiles[first];
    const auto goes_on = [&](std::size_t n) {
      return tiles[n].row == tile.row && tiles[n].column == tiles[n - 1].column + 1 &&
             tiles[n].part.top == tile.part.top && tiles[n].part.bottom == tile.part.bottom &&
             tiles[n].part.left == 0 && tiles[n - 1].part.right == kExtent;
    };
    for (end = first + 1; end < tiles.size() && goes_on(end);) ++end;
    const std::uint32_t left = tile.column * kExtent + tile.part.left,
                        right = tiles[end - 1].column * kExtent + tiles[end - 1].part.right;
    watch.draw({left, tile.row * kExtent + tile.part.top, right - left, tile.part.height()});
  }
}

constexpr std::uint64_t kTilePixels = std::uint64_t{pixels::kTileExtent} * pixels::kTileExtent;

void add(const DrawCounts& counts, DrawCounts& sum) {
  constexpr std::uint64_t DrawCounts::*kCounts[] = {
      &DrawCounts::primitives,   &DrawCounts::missing,        &DrawCounts::not_finite,
      &DrawCounts::outside,      &DrawCounts::culled,         &DrawCounts::empty,
      &DrawCounts::beside,       &DrawCounts::covered,        &DrawCounts::discarded,
      &DrawCounts::alpha_failed, &DrawCounts::stencil_failed, &DrawCounts::depth_failed};
  for (const auto count : kCounts) sum.*count += counts.*count;
}

}  // namespace

interpret::PixelWork PrimitiveRun::guest_work(const pixels::Vertices& part) {
  const LaunchPixels& work = *launch_.pixels;
  interpret::PixelWork draw;
  draw.raster = work.raster;
  draw.raster.topology = topology_;
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
  draw.vertices = {part.words, part.count == 0 ? 0 : (part.count - 1) * part.stride + slots_};
  draw.slots = slots_;
  draw.stride = part.stride;
  draw.vertex_count = part.count;
  draw.indices = part.indices;
  draw.indexed = part.indexed;
  draw.numbers = part.numbers;
  draw.cancel = run_.options.cancel;
  draw.progress = work.progress;
  draw.instructions = work.instructions;
  draw.observer = work.observer;
  draw.fault = &fault_;
  const auto& uses = launch_.shader->varyings().slots_read;
  draw.uses.assign(uses.begin(), uses.end());
  return draw;
}

Status PrimitiveRun::draw_in_guest(interpret::PixelWork& work) {
  if (run_.watch != nullptr) run_.watch->draw({0, 0, work.width, work.height});
  DrawCounts counts;
  work.counts = &counts;
  const Status status = use_.kernel().draw(launch_.values, work, run_.fuel());
  warpjit::runtime::add(counts, run_.report.draw);
  return status;
}

Result<pixels::PrimitiveBatch> make_batch(const LaunchState& launch, Topology topology, std::uint32_t slots,
                                          const RasterState::Rectangle& scissor,
                                          pixels::BatchMemory* memory) {
  const LaunchPixels& work = *launch.pixels;
  RasterState raster = work.raster;
  raster.topology = topology;
  raster.scissor = scissor;
  return pixels::PrimitiveBatch::make(raster, work.width, work.height, slots,
                                      launch.shader->varyings().slots_read, work.output.depth_format,
                                      work.rules, memory);
}

pixels::Vertices first_part(const LaunchState& launch, const SlotRows& rows) {
  const LaunchPixels& work = *launch.pixels;
  pixels::Vertices part;
  part.words = rows.words;
  part.stride = rows.stride;
  part.count = rows.count;
  part.indexed = work.indices != nullptr;
  if (part.indexed) part.indices = *work.indices;
  return part;
}

void set_hints(const pixels::PrimitiveBatch& batch, KernelHints& hints) {
  const double pixels = batch.pixels_per_tile();
  hints.small_primitives = pixels > 0 && pixels < kFewPixels;
  hints.large_primitives = pixels >= kManyPixels;
  hints.flat_w = batch.has_flat_w();
}

Status PrimitiveRun::begin() {
  if (run_.options.engine == EngineKind::guest) return {};
  return make_batch(launch_.pixels->raster.scissor);
}

Status PrimitiveRun::make_batch(const RasterState::Rectangle& scissor) {
  batch_.reset();  // what it was lent goes to the next one
  WARPJIT_TRY(batch_, runtime::make_batch(launch_, topology_, slots_, scissor, &*batch_memory_));
  return {};
}

Status PrimitiveRun::lease() {
  const auto start = RunClock::now();
  const bool first = !use_.lease;
  if (first) use_.hints = run_.kernels.hints_of(launch_);
  use_.hints.flat_w = false;
  if (batch_ && first) set_hints(*batch_, use_.hints);
  CompileReport ignored;
  const Status leased = first ? run_.kernels.lease_at_once(launch_, run_.options, use_, run_.report, false)
                              : run_.kernels.lease(launch_, run_.options, use_, ignored);
  if (vertex_run_.use.awaited) vertex_run_.use.awaited->begin();
  WARPJIT_CHECK(leased);
  compile_time_ += RunClock::now() - start;
  if (run_.report.engine != EngineKind::guest) return {};
  batch_.reset();
  waiting_ = false;
  return {};
}

Result<std::uint64_t> PrimitiveRun::fill_batch(const pixels::Vertices& part, std::uint64_t next) {
  constexpr std::uint64_t kBetweenLooks = 65536;  // they take some milliseconds, and may all be dropped
  if (run_.options.cancel == nullptr) return batch_->add(part, next);
  const std::uint64_t count = part.primitives(topology_);
  while (next != count) {
    if (run_.cancelled()) return cancelled_run();
    const std::uint64_t end = std::min(count, next + kBetweenLooks);
    next = batch_->add(part, next, end);
    if (next != end) break;
  }
  return next;
}

Status PrimitiveRun::add(const pixels::Vertices& part) {
  if (part.primitives(topology_) == 0) return {};
  std::uint64_t next = 0;
  if (!use_.lease) {
    waiting_ = batch_.has_value();
    if (batch_) {
      WARPJIT_TRY(next, fill_batch(part, 0));
    }
    WARPJIT_CHECK(lease());
  }
  return use_.awaited ? draw_meanwhile(part) : draw_from(part, next);
}

Status PrimitiveRun::draw_from(const pixels::Vertices& part, std::uint64_t next) {
  const std::uint64_t count = part.primitives(topology_);
  if (!batch_) {
    interpret::PixelWork work = guest_work(part);
    return draw_in_guest(work);
  }
  for (;;) {
    WARPJIT_TRY(next, fill_batch(part, next));
    waiting_ = true;
    added_ = place_of(next, count);
    if (next == count) return {};
    WARPJIT_CHECK(draw_waiting());
  }
}

Status PrimitiveRun::draw_meanwhile(const pixels::Vertices& part) {
  const std::uint64_t count = part.primitives(topology_);
  interpret::PixelProgress done{.primitive = count};
  interpret::PixelWork work = guest_work(part);
  if (work.instructions == nullptr)
    work.enough = [&] {
      return use_.awaited->is_ready() && use_.awaited->kernel()->report().engine != EngineKind::guest;
    };
  work.came_to = &done;
  WARPJIT_CHECK(draw_in_guest(work));
  run_.report.interpreted += done.fragments;
  if (done.primitive == count) return {};
  WARPJIT_CHECK(run_.kernels.lease_awaited(launch_, run_.options, use_, run_.report));
  drawn_ = added_ = place_of(done.primitive, count);
  return draw_pieces(part, done);
}

Status PrimitiveRun::draw_pieces(const pixels::Vertices& part, const interpret::PixelProgress& done) {
  using Rectangle = RasterState::Rectangle;
  const Rectangle& whole = launch_.pixels->raster.scissor;
  const auto draw_within = [&](const Rectangle& scissor) -> Status {
    if (scissor.width == 0 || scissor.height == 0) return {};
    WARPJIT_CHECK(make_batch(scissor));
    batch_->add(part, done.primitive, done.primitive + 1);
    waiting_ = true;
    return draw_waiting();
  };
  // What comes after `from` of an extent, as its first place and how many there are.
  const auto after = [](std::uint32_t first, std::uint32_t extent, std::uint32_t from) {
    const std::uint32_t skipped = from > first ? std::min(from - first, extent) : 0;
    return std::pair{first + skipped, extent - skipped};
  };
  const auto [x, width] = after(whole.x, whole.width, done.x);
  const auto [y, height] = after(whole.y, whole.height, done.y);
  const auto [below, rows_below] = after(whole.y, whole.height, done.x == 0 ? done.y : done.y + 2);
  if (done.x != 0) WARPJIT_CHECK(draw_within({x, y, width, height - rows_below}));
  WARPJIT_CHECK(draw_within({whole.x, below, whole.width, rows_below}));
  WARPJIT_CHECK(begin());
  return draw_from(part, done.primitive + 1);
}

Status PrimitiveRun::draw_waiting() {
  if (!waiting_) return {};
  waiting_ = false;
  Report& report = run_.report;
  batch_->sort();
  // The primitives so far had no perspective, these have.
  if (use_.hints.flat_w && !batch_->has_flat_w()) WARPJIT_CHECK(lease());
  const Kernel& kernel = use_.kernel();
  for (const auto& tile : batch_->tiles()) report.primitives += tile.primitives;
  if (run_.watch != nullptr) tell(*run_.watch, batch_->tiles());
  PixelPlan plan(run_.call(launch_, use_), *batch_, run_.memory.tile_planes);
  plan.show_progress(launch_.pixels->progress, drawn_, added_);
  drawn_ = added_;
  if (plan.cancelled()) return cancelled_run();
  const WorkSize size{batch_->tiles().size(), kTilePixels};
  if (size.units != 0) {
    report.threads = run_.runner.worker_count(size, run_.options, kernel);
    const std::uint64_t chunk = report.threads == 1 ? size.units : 1;
    const Status status = run_.runner.run(plan, {0, size.units, chunk}, report.threads);
    if (!fault_.happened) fault_ = plan.fault();
    WARPJIT_CHECK(status);
    report.groups += plan.groups();
  }
  batch_->clear();
  return {};
}

Status PrimitiveRun::finish() {
  if (!use_.lease) WARPJIT_CHECK(lease());
  WARPJIT_CHECK(draw_waiting());
  if (batch_) warpjit::runtime::add(batch_->counts(), run_.report.draw);
  if (fault_.happened) run_.report.fault = describe(fault_, *launch_.shader, launch_.values.grid);
  return {};
}

Status run_pixels(Run& run) {
  LaunchState& launch = run.launch;
  WARPJIT_CHECK(launch.check());
  run.report.work = Work::pixels;
  const auto start = RunClock::now();
  const LaunchPixels& work = *launch.pixels;
  WARPJIT_TRY(std::shared_ptr<VertexRun> prepared, begin_vertices(launch));
  VertexRun& vertices = *prepared;
  GeometryRun geometry;
  WARPJIT_CHECK(begin_geometry(run, vertices.rows, geometry));
  const bool strips = geometry.stage != nullptr;
  PrimitiveRun primitives(run, vertices, strips ? geometry.output.topology : work.raster.topology,
                          strips ? geometry.output.slots : vertices.rows.slots);
  WARPJIT_CHECK(primitives.begin());
  pixels::Vertices part = first_part(launch, vertices.rows);
  if (part.primitives(work.raster.topology) != 0)
    for (std::uint32_t first = 0; first < work.instances;) {
      if (run.cancelled()) return cancelled_run();  // perhaps nothing of them is drawn
      const std::uint32_t count = std::min(vertices.at_once, work.instances - first);
      const auto shading = RunClock::now();
      WARPJIT_CHECK(run_vertices(run, vertices, first, count));
      run.report.vertex_time += RunClock::now() - shading;
      part.words = vertices.rows.words;
      if (!vertices.stage) part.words += first * (work.vertices.instance_stride / 4);
      for (std::uint32_t k = 0; k < count; ++k) {
        primitives.set_part(static_cast<double>(first + k) / work.instances,
                            static_cast<double>(first + k + (strips ? 0 : 1)) / work.instances);
        WARPJIT_CHECK(strips ? add_input(geometry, primitives, part) : primitives.add(part));
        if (vertices.stage) part.words += part.count * part.stride;
      }
      first += count;
    }
  WARPJIT_CHECK(run_waiting(geometry, primitives));
  WARPJIT_CHECK(primitives.finish());
  end_vertices(launch, std::move(prepared));
  run.report.run_time = RunClock::now() - start - primitives.compile_time();
  return {};
}

}  // namespace warpjit::runtime
