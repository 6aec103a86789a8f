#include "runtime/work/needed_kernels.h"

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

Status add_pixels(LaunchState& launch, const RunOptions& options, KernelHints hints, NeededKernels& kernels) {
  const LaunchPixels& work = *launch.pixels;
  VertexRun vertices;
  GeometryRun geometry;
  WARPJIT_CHECK(set_up_vertices(launch, vertices));
  set_up_geometry(launch, vertices.rows, geometry);
  const bool known = !vertices.stage && !geometry.stage && launch.check();
  if (options.engine == EngineKind::guest) {
    kernels.list.push_back({&launch, hints});
  } else if (known) {
    WARPJIT_TRY(pixels::PrimitiveBatch batch,
                make_batch(launch, work.raster.topology, vertices.rows.slots, work.raster.scissor));
    const pixels::Vertices part = first_part(launch, vertices.rows);
    if (work.instances != 0 && part.primitives(work.raster.topology) != 0) batch.add(part, 0);
    set_hints(batch, hints);
    kernels.list.push_back({&launch, hints});
  } else {
    for (const bool flat_w : {false, true})
      for (const bool large : {false, true}) {
        if (large && options.engine != EngineKind::jit) continue;
        hints.flat_w = flat_w;
        hints.large_primitives = large;
        kernels.list.push_back({&launch, hints});
      }
  }
  add_stage(std::move(vertices.stage), kernels);
  add_stage(std::move(geometry.stage), kernels);
  return {};
}

}  // namespace

Result<NeededKernels> needed_kernels(LaunchState& launch, const RunOptions& options,
                                     const KernelSource& source) {
  NeededKernels kernels;
  const KernelHints hints = source.hints_of(launch);
  if (launch.primitives) {
    WARPJIT_CHECK(add_primitives(launch, kernels));
  } else if (launch.pixels) {
    WARPJIT_CHECK(add_pixels(launch, options, hints, kernels));
  } else {
    kernels.list.push_back({&launch, hints});
  }
  return kernels;
}

}  // namespace warpjit::runtime
