// A launch's work as it is handed out: units in any order, in ranges, from several host threads.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/fuel.h"
#include "base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/work/launch.h"

namespace warpjit::runtime {

// A kernel as the ranges of a run call it.
struct KernelCall {
  const LaunchState& launch;
  const Kernel& kernel;
  std::uint32_t* table;
  std::uint64_t fuel;  // of a thread
  const std::atomic<std::uint32_t>* cancel;

  // The run may be stopped between ranges.
  bool cancelled() const { return cancel != nullptr && cancel->load(std::memory_order_relaxed) != 0; }
  // Runs groups on the rows or records of `args`. With `memory`, `args` has its windows and the first group.
  Status run(backend::KernelArgs& args, std::uint64_t groups, ir::BlockMemory* memory = nullptr) const {
    args.table = table;
    args.group_count = groups;
    args.fuel = fuel;
    args.cancel = cancel_word(cancel);
    args.memory = memory;
    return kernel.run(args, *launch.shader, launch.values);
  }
};

// Rows of the lanes of a group, and of the groups that follow.
inline backend::Binding group_rows(const std::byte* row, std::ptrdiff_t stride, std::uint64_t lanes) {
  return {const_cast<std::byte*>(row), stride, stride * static_cast<std::ptrdiff_t>(lanes)};
}

// All that the workers of one run share.
class WorkPlan {
 public:
  explicit WorkPlan(const KernelCall& call) : call_(call) {}
  WorkPlan(const WorkPlan&) = default;
  WorkPlan& operator=(const WorkPlan&) = delete;
  virtual ~WorkPlan() = default;

  // Units `first` to `first + count - 1`.
  virtual Status run(std::uint64_t first, std::uint64_t count) const = 0;
  bool cancelled() const { return call_.cancelled(); }
  bool may_be_cancelled() const { return call_.cancel != nullptr; }

 protected:
  const KernelCall call_;
};

inline Error cancelled_run() { return {ErrorCode::cancelled, kCancelledMessage, ""}; }

// How much work there is, and how it may be divided.
struct WorkSize {
  std::uint64_t units = 0;             // threads or blocks
  std::uint64_t threads_per_unit = 1;  // guest threads
  std::uint64_t granule = 1;           // ranges are best multiples of it
  std::uint64_t most = 65536;          // units of a range at most
  // Units that the guest interpreter runs on each host thread between two looks whether the kernel is there.
  std::uint64_t between_looks = 256;
};

}  // namespace warpjit::runtime
