// Where kernels come from: all that the drivers of work see of an engine.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "runtime/kernel/launch_cache.h"
#include "runtime/work/launch.h"

namespace warpjit::runtime {

class CompileJob;  // a compilation; the source alone looks into it

// The kernel of a launch in one run. The guest interpreter's may stand in for it while that is compiled.
struct KernelUse {
  KernelHints hints{};
  std::optional<LaunchCache::Lease> lease{};  // none: no kernel has been asked for
  std::shared_ptr<CompileJob> job{};          // of the kernel that is awaited
  // Begins that compilation, once, while the source is there; gives null if there is no room for it.
  std::function<std::shared_ptr<CompileJob>()> begin_job{};
  std::chrono::steady_clock::time_point since{};  // from when on begin_job waits to be called
  std::uint64_t looks = 0;                        // calls of is_ready()
  std::shared_ptr<const Kernel> ready{};          // after is_ready() returned true

  const Kernel& kernel() const { return lease->kernel(); }
  std::uint32_t* table() const { return lease->table(); }
  bool is_awaited() const { return job || begin_job; }
  void stop_waiting() {
    job.reset();
    begin_job = {};
    ready.reset();
  }
};

class KernelSource {
 public:
  // What the rows of the launch are like; of other work, what its memory is like.
  virtual KernelHints hints_of(const LaunchState& launch) const = 0;
  // Waits for the kernel that use.hints call for. `report` gets how it was found or made.
  virtual Status lease(LaunchState& launch, const RunOptions& options, KernelUse& use,
                       CompileReport& report) = 0;
  // A run in the background does not wait: if there is no kernel yet, it gets the guest interpreter's, and
  // use.job. With `may_begin_later`, use.begin_job in place of a new job.
  virtual Status lease_at_once(LaunchState& launch, const RunOptions& options, KernelUse& use,
                               CompileReport& report, bool may_begin_later) = 0;
  // True if the awaited kernel is there. After a while of use.begin_job, calls that.
  virtual bool is_ready(KernelUse& use) = 0;
  // Leases use.ready; nothing is awaited after that.
  virtual Status lease_ready(LaunchState& launch, const RunOptions& options, KernelUse& use,
                             CompileReport& report) = 0;

 protected:
  ~KernelSource() = default;
};

}  // namespace warpjit::runtime
