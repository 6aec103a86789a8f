// Launches over pixels: vertices first, then batches of primitives, whose tiles run on all workers. In the
// guest interpreter: the scalar rasterizer's draw.
#include <algorithm>
#include <chrono>
#include <new>
#include <numeric>
#include <optional>

#include "base/float_environment.h"
#include "frontend/interpret/pixels.h"
#include "runtime/engine/engine.h"
#include "runtime/work/pixel_plan.h"
#include "runtime/work/run_plan.h"

namespace warpjit::runtime {
namespace {

constexpr std::uint64_t kMaxVertexBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kVertexRange = 64;  // vertices that a task has at least
// Pixels of a primitive in a tile, on average, from which on wide groups pay: 128 lanes are nearly all full.
constexpr double kManyPixels = 512;
constexpr std::uint64_t kTilePixels = std::uint64_t{pixels::kTileExtent} * pixels::kTileExtent;

}  // namespace

// The launch of a vertex stage with all slots as outputs, bound to no buffer, and with ids where it wants
// them.
Status EngineState::bind_slots(LaunchState& stage, std::vector<std::array<std::uint32_t, 4>>& ids) {
  stage.output_count = 0;
  constexpr unsigned kIds = frontend::kMaxInputs - 1;
  if ((stage.usage.inputs & ~stage.bound_inputs) >> kIds & 1) {
    ids.resize(static_cast<std::size_t>(stage.count));
    for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = {static_cast<std::uint32_t>(k), 0, 0, 0};
    Location location;
    location.kind = LocationKind::input;
    location.first = kIds;
    WARPJIT_CHECK(stage.bind(location, Attribute{ids.data(), ids.size() * 16, 16, f32x4}));
  }
  WARPJIT_CHECK(stage.check());
  for (unsigned row = 0; row < (stage.shader->result_slots() + 3) / 4; ++row) {
    Location location;
    location.kind = LocationKind::output;
    location.first = static_cast<std::uint16_t>(row);
    WARPJIT_CHECK(stage.bind(location, OutputBuffer{nullptr, 0, 0, f32x4}));
  }
  return {};
}

Result<EngineState::SlotRows> EngineState::run_vertices(const LaunchState& launch,
                                                        const RunOptions& options) {
  const LaunchPixels& work = *launch.pixels;
  SlotRows rows;
  if (!work.vertex) {
    rows.words = static_cast<const std::uint32_t*>(work.vertices.data);
    rows.slots = work.vertices.slots;
    rows.stride = static_cast<std::uint32_t>(work.vertices.stride / 4);
    rows.count = launch.count;
    return rows;
  }
  LaunchState stage(*work.vertex);
  std::vector<std::array<std::uint32_t, 4>> ids;
  rows.slots = rows.stride = (stage.shader->result_slots() + 3) / 4 * 4;
  rows.count = stage.count;
  if (rows.slots < 4)
    return Error{ErrorCode::bad_input, "the vertex stage gives no position", stage.shader->source_name()};
  if (rows.count > kMaxVertexBytes / (rows.stride * 4))
    return Error{ErrorCode::resource_limit,
                 "vertices need more than " + std::to_string(kMaxVertexBytes) + " bytes",
                 stage.shader->source_name()};
  WARPJIT_CHECK(bind_slots(stage, ids));
  rows.owned.reset(new (std::nothrow) std::uint32_t[static_cast<std::size_t>(rows.count) * rows.stride]);
  if (!rows.owned) return Error{ErrorCode::resource_limit, "no memory for the vertices", ""};
  rows.words = rows.owned.get();
  if (rows.count == 0) return rows;
  LaunchCache::Lease lease;
  CompileReport ignored;
  WARPJIT_CHECK(lease_at_once(stage, options, lease, ignored));
  const RunPlan plan(stage, lease.kernel(), lease.table(), options.fuel.value_or(launch.fuel),
                     options.cancel);
  const RunPlan all = plan.with_rows(reinterpret_cast<std::byte*>(rows.owned.get()), 0);
  const unsigned workers = worker_count({rows.count, 1, lease.kernel().lanes(), 0}, options, lease.kernel());
  const std::uint64_t chunk = (rows.count / workers + kVertexRange) / kVertexRange * kVertexRange;
  WARPJIT_CHECK(run_parallel(all, {0, rows.count, chunk}, workers));
  return rows;
}

Result<Report> EngineState::run_pixels(LaunchState& launch, const RunOptions& options) {
  if (Status status = launch.check(); !status) return status.error();
  Report report;
  const auto start = std::chrono::steady_clock::now();
  WARPJIT_TRY(const SlotRows rows, run_vertices(launch, options));
  const LaunchPixels& work = *launch.pixels;
  const std::uint64_t fuel = options.fuel.value_or(launch.fuel);
  const bool indexed = work.indices != nullptr;
  const std::span<const std::uint32_t> indices =
      indexed ? std::span<const std::uint32_t>(*work.indices) : std::span<const std::uint32_t>();
  const pixels::Vertices vertices{rows.words, rows.stride, rows.count, indexed, indices, 0};
  const std::uint64_t primitives = vertices.primitives(work.raster.topology);

  // How large the first primitives are decides on the width of groups.
  std::optional<pixels::PrimitiveBatch> batch;
  std::uint64_t next = 0;
  if (options.engine != EngineKind::guest) {
    WARPJIT_TRY(batch, pixels::PrimitiveBatch::make(work.raster, work.width, work.height, rows.slots,
                                                    launch.shader->slot_uses()));
    next = batch->add(vertices, 0);
    batch->sort();
  }
  PixelHints hints;
  if (batch) hints = {batch->pixels_per_tile() >= kManyPixels, batch->has_flat_w()};
  std::optional<LaunchCache::Lease> lease(std::in_place);
  auto compile_start = std::chrono::steady_clock::now();
  if (Status status = lease_at_once(launch, options, *lease, report, hints); !status) return status.error();
  auto compile_time = std::chrono::steady_clock::now() - compile_start;
  report.work = Work::pixels;
  const auto finish = [&] {
    const auto elapsed = std::chrono::steady_clock::now() - start - compile_time;
    report.run_ns =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
    return report;
  };

  if (report.engine == EngineKind::guest) {
    interpret::PixelWork draw;
    draw.raster = work.raster;
    draw.output = work.output;
    draw.width = work.width;
    draw.height = work.height;
    for (unsigned k = 0; k < kMaxColorTargets; ++k)
      draw.colors[k] = {static_cast<std::byte*>(work.colors[k].data),
                        static_cast<std::ptrdiff_t>(work.colors[k].pitch)};
    draw.depth = {static_cast<std::byte*>(work.depth.data), static_cast<std::ptrdiff_t>(work.depth.pitch)};
    draw.vertices = {rows.words, rows.count == 0 ? 0 : (rows.count - 1) * rows.stride + rows.slots};
    draw.slots = rows.slots;
    draw.stride = rows.stride;
    draw.vertex_count = rows.count;
    draw.indices = indices;
    draw.indexed = indexed;
    draw.cancel = options.cancel;
    draw.progress = work.progress;
    draw.instructions = work.instructions;
    const auto uses = launch.shader->slot_uses();
    draw.uses.assign(uses.begin(), uses.end());
    if (Status status = lease->kernel().draw(launch.values, draw, fuel); !status) return status.error();
    return finish();
  }

  for (std::uint64_t first = 0;;) {
    for (const auto& tile : batch->tiles()) report.primitives += tile.primitives;
    PixelPlan plan(launch, lease->kernel(), lease->table(), fuel, options.cancel, *batch, tile_planes_);
    const auto whole = static_cast<double>(std::max<std::uint64_t>(1, primitives));
    plan.show_progress(work.progress, static_cast<double>(first) / whole, static_cast<double>(next) / whole);
    first = next;
    if (plan.cancelled()) return Error{ErrorCode::cancelled, "the run was cancelled", ""};
    const WorkSize size{batch->tiles().size(), kTilePixels, 1, 1};
    if (size.units != 0) {
      report.threads = worker_count(size, options, lease->kernel());
      const std::uint64_t chunk = report.threads == 1 ? size.units : 1;
      if (Status status = run_parallel(plan, {0, size.units, chunk}, report.threads); !status)
        return status.error();
      report.groups += plan.groups();
    }
    if (next >= primitives) return finish();
    batch->clear();
    next = batch->add(vertices, next);
    batch->sort();
    if (!hints.flat_w || batch->has_flat_w()) continue;
    // The primitives so far had no perspective, these have.
    hints.flat_w = false;
    compile_start = std::chrono::steady_clock::now();
    CompileReport ignored;
    if (Status status = lease_kernel(launch, options, lease.emplace(), ignored, hints); !status)
      return status.error();
    compile_time += std::chrono::steady_clock::now() - compile_start;
  }
}

}  // namespace warpjit::runtime
