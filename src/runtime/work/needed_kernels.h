// Which kernels a run of a launch leases, found before it.
#pragma once

#include <memory>
#include <vector>

#include "runtime/work/run.h"

namespace warpjit::runtime {

// The kernel of a launch, or of a stage of it, as a run requests it from its source.
struct NeededKernel {
  LaunchState* launch = nullptr;
  KernelHints hints{};
};

struct NeededKernels {
  // The first one is of the launch itself. What the primitives of a draw are like decides on its kernel: if
  // that is not known, all that it may be are here.
  std::vector<NeededKernel> list;
  std::vector<std::unique_ptr<LaunchState>> stages;
};

// `shades`: the vertex stage of a small draw may run, to know its primitives, which leases the stage's kernel.
// Errors: those of the run that show in its stages.
Result<NeededKernels> needed_kernels(Run& run, bool shades);

}  // namespace warpjit::runtime
