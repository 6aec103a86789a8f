// Where kernels come from: all that the drivers of work see of an engine.
#pragma once

#include <memory>
#include <optional>

#include "runtime/kernel/launch_cache.h"
#include "runtime/work/launch.h"

namespace warpjit::runtime {

// A kernel that is being compiled, or soon will be.
class AwaitedKernel {
 public:
  virtual ~AwaitedKernel() = default;
  // True once the kernel is there. After a while, begins a compilation that has not begun.
  bool is_ready() {
    kernel_ = look();
    return kernel_ != nullptr;
  }
  // Begins the compilation, if it has not begun. The source must be there.
  virtual void begin() = 0;
  // Not null after is_ready() returned true.
  const std::shared_ptr<const Kernel>& kernel() const { return kernel_; }

 private:
  virtual std::shared_ptr<const Kernel> look() = 0;
  std::shared_ptr<const Kernel> kernel_;
};

// The kernel of a launch in one run.
struct KernelUse {
  KernelHints hints{};
  std::optional<LaunchCache::Lease> lease{};  // none: there is no kernel yet
  // Not null: what is leased is the guest interpreter, which stands in for this one.
  std::unique_ptr<AwaitedKernel> awaited{};

  const Kernel& kernel() const { return lease->kernel(); }
  std::uint32_t* table() const { return lease->table(); }
};

class KernelSource {
 public:
  // What the rows of the launch are like; of other work, what its memory is like.
  virtual KernelHints hints_of(const LaunchState& launch) const = 0;
  // Waits for the kernel that use.hints call for. `report` gets how it was found or made.
  virtual Status lease(LaunchState& launch, const RunOptions& options, KernelUse& use,
                       CompileReport& report) = 0;
  // A run in the background does not wait: if there is no kernel yet, it gets the guest interpreter's, and
  // use.awaited, whose compilation has begun unless `may_begin_later`.
  virtual Status lease_at_once(LaunchState& launch, const RunOptions& options, KernelUse& use,
                               CompileReport& report, bool may_begin_later) = 0;
  // Leases the awaited kernel, which is ready; nothing is awaited after that.
  virtual Status lease_awaited(LaunchState& launch, const RunOptions& options, KernelUse& use,
                               CompileReport& report) = 0;

 protected:
  ~KernelSource() = default;
};

}  // namespace warpjit::runtime
