// Which kernels a run of a launch leases, without running it.
#pragma once

#include <memory>
#include <vector>

#include "runtime/work/kernel_source.h"
#include "runtime/work/launch.h"

namespace warpjit::runtime {

// The kernel of a launch, or of a stage of it, as a run requests it from its source.
struct NeededKernel {
  LaunchState* launch = nullptr;
  KernelHints hints{};
};

struct NeededKernels {
  // The first one is of the launch itself. What the primitives of a draw are like decides on its kernel: if
  // nobody knows that before a stage has run, all that it may be are here.
  std::vector<NeededKernel> list;
  std::vector<std::unique_ptr<LaunchState>> stages;
};

// Errors: those of the run that show in its stages.
Result<NeededKernels> needed_kernels(LaunchState& launch, const RunOptions& options,
                                     const KernelSource& source);

}  // namespace warpjit::runtime
