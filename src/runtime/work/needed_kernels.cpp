#include "runtime/work/needed_kernels.h"

#include <algorithm>

#include "runtime/work/pixel_draw.h"

namespace warpjit::runtime {
namespace {

void add_stage(std::unique_ptr<LaunchState> stage, NeededKernels& kernels) {
  if (!stage) return;
  kernels.list.push_back({stage.get(), {}});
  kernels.stages.push_back(std::move(stage));
}

Status add_primitives(LaunchState& launch, NeededKernels& kernels) {
  kernels.list.push_back({&launch, {}});
  if (!launch.primitives->vertex) return {};
  auto stage = std::make_unique<LaunchState>(*launch.primitives->vertex);
  WARPJIT_CHECK(stage->become_stage(launch.primitives->attributes));
  add_stage(std::move(stage), kernels);
  return {};
}

// Whether the hints of a draw by its primitives are known now; then sets them.
Result<bool> find_hints(Run& run, bool shades, KernelHints& hints) {
  constexpr std::uint64_t kMostShaded = 4096;
  constexpr std::uint64_t kFuel = 10000;  // of such a vertex
  LaunchState& launch = run.launch;
  const LaunchPixels& work = *launch.pixels;
  if (work.geometry || !launch.check()) return false;
  std::shared_ptr<VertexRun> vertices;
  if (work.vertex) {
    const auto& globals = work.vertex->values.grid.globals;
    const bool writes = std::ranges::any_of(globals, [](const auto& ranges) { return !ranges.empty(); });
    if (!shades || writes || work.vertex->count > kMostShaded) return false;
    WARPJIT_TRY(vertices, begin_vertices(launch));
    RunOptions options = run.options;
    options.fuel = std::min(options.fuel.value_or(launch.fuel), kFuel);
    options.background = false;
    const Run shading{launch, options, run.kernels, run.runner, run.memory};
    if (work.instances != 0 && !run_vertices(shading, *vertices, 0, 1)) return false;
  } else {
    vertices = std::make_shared<VertexRun>();
    WARPJIT_CHECK(set_up_vertices(launch, *vertices));
  }
  WARPJIT_TRY(pixels::PrimitiveBatch batch,
              make_batch(launch, work.raster.topology, vertices->rows.slots, work.raster.scissor));
  const pixels::Vertices part = first_part(launch, vertices->rows);
  if (work.instances != 0 && part.primitives(work.raster.topology) != 0) batch.add(part, 0);
  set_hints(batch, hints);
  if (work.vertex) end_vertices(launch, std::move(vertices));
  return true;
}

Status add_pixels(Run& run, bool shades, KernelHints hints, NeededKernels& kernels) {
  LaunchState& launch = run.launch;
  const EngineKind engine = run.options.engine;
  bool known = engine == EngineKind::guest;
  if (!known) {
    WARPJIT_TRY(known, find_hints(run, shades, hints));
  }
  if (known) kernels.list.push_back({&launch, hints});
  for (const bool flat_w : {false, true})
    for (const int size : {-1, 0, 1}) {  // small, neither, large
      if (known || (size != 0 && engine != EngineKind::jit)) continue;
      hints.flat_w = flat_w;
      hints.small_primitives = size < 0;
      hints.large_primitives = size > 0;
      kernels.list.push_back({&launch, hints});
    }
  VertexRun vertices;
  GeometryRun geometry;
  WARPJIT_CHECK(set_up_vertices(launch, vertices));
  set_up_geometry(launch, vertices.rows, geometry);
  add_stage(std::move(vertices.stage), kernels);
  add_stage(std::move(geometry.stage), kernels);
  return {};
}

}  // namespace

Result<NeededKernels> needed_kernels(Run& run, bool shades) {
  NeededKernels kernels;
  LaunchState& launch = run.launch;
  const KernelHints hints = run.kernels.hints_of(launch);
  if (launch.primitives) {
    WARPJIT_CHECK(add_primitives(launch, kernels));
  } else if (launch.pixels) {
    WARPJIT_CHECK(add_pixels(run, shades, hints, kernels));
  } else {
    kernels.list.push_back({&launch, hints});
  }
  return kernels;
}

}  // namespace warpjit::runtime
