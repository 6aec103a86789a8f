// What an Engine holds, and how it picks kernels and splits work.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/background.h"
#include "runtime/code_cache.h"
#include "runtime/code_memory.h"
#include "runtime/compute.h"
#include "runtime/launch.h"
#include "runtime/run_plan.h"

namespace warpjit::runtime {

// Programs switch features by booleans, and most use few of the combinations. The first so many of a program
// get kernels of their own.
inline constexpr std::size_t kMaxVariants = 16;

class PrimitivePlan;

class EngineState {
 public:
  explicit EngineState(const EngineOptions& options, CodeMemory::Denied denied = CodeMemory::Denied());

  Result<RunReport> run(LaunchState& launch, const RunOptions& options);
  Result<CompileReport> compile(LaunchState& launch, const RunOptions& options);
  Result<Compilation> warm(LaunchState& launch, const RunOptions& options);
  // Compute kernels (engine_compute.cpp).
  Result<ComputeReport> run(const frontend::ComputeShader& shader, const frontend::ComputeLaunch& launch,
                            const RunOptions& options);
  Result<CompileReport> compile(const frontend::ComputeShader& shader, const frontend::ComputeLaunch& launch,
                                const RunOptions& options);
  EngineInfo info() const;
  EngineStatistics statistics() const;
  void clear_cache();
  Background& background() { return background_; }
  const CodeMemory* memory() const { return memory_.get(); }

 private:
  // What really runs for the given options.
  struct Choice {
    EngineKind engine;
    backend::Target target;
  };
  Result<Choice> choose(const RunOptions& options) const;
  SlotKey slot_key(const LaunchState& launch, const RunOptions& options, Choice choice) const;
  KernelOptions kernel_options(const RunOptions& options, Choice choice) const;
  // Fills in what names the kernel.
  Status want(const frontend::ComputeShader& shader, const frontend::ComputeLaunch& launch,
              const RunOptions& options, ComputeScratch& wanted) const;
  Result<std::shared_ptr<const ComputeKernel>> find_or_make(const frontend::ComputeShader& shader,
                                                            const frontend::ComputeLaunch& launch,
                                                            const ComputeScratch& wanted, bool& hit);
  // The kernel that a run wants. Refers to nothing of the launch.
  struct Wanted {
    std::shared_ptr<const frontend::Shader> shader;
    frontend::Facts facts;
    KernelOptions options;
    bool may_interpret = false;  // the IR interpreter will do where the JIT cannot
    CodeCache::Key key;
  };
  Result<Wanted> want(const LaunchState& launch, const RunOptions& options, Choice choice);
  CodeCache::KernelResult make(const Wanted& wanted);
  CodeCache::KernelResult find_or_make(const Wanted& wanted, bool& hit);
  // The job that compiles it in the background; null where that cannot be.
  std::shared_ptr<CompileJob> submit(Wanted wanted, bool urgent);
  bool admit_variant(std::uint64_t family, std::uint64_t bools);

  // Threads `first` to `first + count - 1` of a launch, at most `chunk` a kernel call.
  struct Range {
    std::uint64_t first, count, chunk;
  };
  unsigned worker_count(std::uint64_t threads, const RunOptions& options, const Kernel& kernel) const;
  // Whether the launch remembers its kernel, with its table filled: `lease` then.
  static Result<bool> recall(LaunchState& launch, const SlotKey& key, Slots::Lease& lease);
  // Runs the threads from `first` on.
  Status run_rest(const LaunchState& launch, const RunOptions& options, const Slots::Lease& lease,
                  std::uint64_t first, RunReport& report);
  // Runs the launch in the guest interpreter until the job has ended, the rest in its kernel.
  Result<RunReport> run_meanwhile(LaunchState& launch, const RunOptions& options, const SlotKey& key,
                                  CompileJob& job);
  Status run_parallel(const RunPlan& plan, const Range& range, unsigned workers);
  void log(LogLevel level, const std::string& message) const;
  // The kernel for a launch with its table filled; `report` tells what it took.
  Status lease_kernel(LaunchState& launch, const RunOptions& options, Slots::Lease& lease,
                      CompileReport& report);
  // Likewise, but in the background the guest interpreter's if there is none.
  Status lease_at_once(LaunchState& launch, const RunOptions& options, Slots::Lease& lease,
                       CompileReport& report);
  // Geometry programs (engine_geometry.cpp).
  Result<RunReport> run_geometry(LaunchState& launch, const RunOptions& options);
  static Status bind_stage(const LaunchData::Primitives& primitives, LaunchState& stage);
  Result<std::vector<std::uint32_t>> run_listed(const LaunchState& launch, const RunPlan& stage,
                                                const frontend::PrimitiveFacts& facts,
                                                const RunReport& report);
  Status run_rounds(const PrimitivePlan& plan, const RunOptions& options, RunReport& report);

  const EngineOptions options_;
  std::shared_ptr<Executor> executor_;
  std::shared_ptr<CodeMemory> memory_;  // null: no JIT
  std::optional<backend::Target> best_;
  std::array<bool, std::size(backend::kTargets)> runs_here_{};  // by backend::Target; asking the CPU is slow
  std::string no_jit_reason_;
  WorkspacePool workspaces_;
  Pool<ComputeScratch> compute_scratch_;
  CodeCache cache_;

  std::mutex variants_mutex_;
  // By hash of a program with the facts other than booleans: the combinations that have kernels.
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> variants_;

  std::atomic<std::uint64_t> interpreted_runs_{0};
  Background background_;  // last: its threads use all of the above
};

}  // namespace warpjit::runtime
