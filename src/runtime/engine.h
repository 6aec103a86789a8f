// What an Engine holds, and how it picks kernels and splits work.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/code_cache.h"
#include "runtime/code_memory.h"
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
  EngineInfo info() const;
  const CodeMemory* memory() const { return memory_.get(); }
  CodeCache& cache() { return cache_; }
  const CodeCache& cache() const { return cache_; }

 private:
  // What really runs for the given options.
  struct Choice {
    EngineKind engine;
    backend::Target target;
  };
  Result<Choice> choose(const RunOptions& options) const;
  SlotKey slot_key(const LaunchState& launch, const RunOptions& options, Choice choice) const;
  CodeCache::KernelResult find_kernel(const LaunchState& launch, const RunOptions& options, Choice choice,
                                      bool& hit);
  bool admit_variant(std::uint64_t family, std::uint64_t bools);
  // The kernel for a launch with its table filled; `report` tells what it took.
  Status lease_kernel(LaunchState& launch, const RunOptions& options, Slots::Lease& lease,
                      CompileReport& report);
  unsigned worker_count(std::uint64_t threads, const RunOptions& options, const Kernel& kernel) const;
  // Geometry programs (engine_geometry.cpp).
  Result<RunReport> run_geometry(LaunchState& launch, const RunOptions& options);
  static Status bind_stage(const LaunchData::Primitives& primitives, LaunchState& stage);
  Result<std::vector<std::uint32_t>> run_listed(const LaunchState& launch, const RunPlan& stage,
                                                const frontend::PrimitiveFacts& facts,
                                                const RunReport& report);
  Status run_rounds(const PrimitivePlan& plan, const RunOptions& options, RunReport& report);
  Status run_parallel(const RunPlan& plan, std::uint64_t count, std::uint64_t chunk, unsigned workers);

  const EngineOptions options_;
  std::shared_ptr<Executor> executor_;
  std::shared_ptr<CodeMemory> memory_;  // null: no JIT
  std::optional<backend::Target> best_;
  std::array<bool, std::size(backend::kTargets)> runs_here_{};  // by backend::Target; asking the CPU is slow
  std::string no_jit_reason_;
  WorkspacePool workspaces_;
  CodeCache cache_;

  std::mutex variants_mutex_;
  // By hash of a program with the facts other than booleans: the combinations that have kernels.
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> variants_;
};

}  // namespace warpjit::runtime
