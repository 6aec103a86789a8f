// What an Engine holds, and how it picks kernels.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/code/code_memory.h"
#include "runtime/engine/background.h"
#include "runtime/engine/code_cache.h"
#include "runtime/engine/make_kernel.h"
#include "runtime/work/run.h"

namespace warpjit::runtime {

class RunWatcher;  // engine/observed_run.h

// How tests and `warpjit bench` change the way kernels are made; for warpjit's own modules.
struct TestHooks {
  bool dispatch_all = false;                // all control flow in the dispatcher
  bool speculate = true;                    // false: only code that expects special values
  std::uint32_t parts = 0;                  // vectors per value, 0: chosen by the backend
  std::uint32_t registers = 0;              // registers per class that the allocator may use, 0: all
  std::uint32_t code_bytes = 0;             // that a kernel may have, with its constants; 0: any number
  std::optional<backend::Tuning> tuning{};  // none: this processor's
  // How often a draw in the background goes on without its kernel before it waits for it;
  // none: it never waits.
  std::optional<std::uint64_t> asks{};
};

class EngineState : public KernelSource {
 public:
  explicit EngineState(const EngineOptions& options, CodeMemory::Denied denied = CodeMemory::Denied());

  // As Engine::run, which tells `watch` what it draws; null: nobody.
  Result<Report> run(LaunchState& launch, const RunOptions& options, DrawWatch* watch = nullptr);
  Result<CompileReport> compile(LaunchState& launch, const RunOptions& options);
  Result<Compilation> warm(LaunchState& launch, const RunOptions& options);

  KernelHints hints_of(const LaunchState& launch) const override;
  Status lease(LaunchState& launch, const RunOptions& options, KernelUse& use,
               CompileReport& report) override;
  Status lease_at_once(LaunchState& launch, const RunOptions& options, KernelUse& use, CompileReport& report,
                       bool may_begin_later) override;
  Status lease_awaited(LaunchState& launch, const RunOptions& options, KernelUse& use,
                       CompileReport& report) override;
  // The kernel for a launch and a table that nobody else fills or reads. `few_threads`: one for a few
  // threads, which groups of one vector hold.
  Status lease_alone(const LaunchState& launch, const RunOptions& options, bool few_threads,
                     LaunchCache::Lease& lease);
  // No run or compilation may be under way.
  void set_hooks(const TestHooks& hooks) {
    hooks_ = hooks;
    id_ = next_id();
  }
  // No other engine has had it, nor this one with other hooks.
  std::uint64_t id() const { return id_; }
  // A use that looked nothing up.
  void note_use(const Kernel& kernel) { cache_.note_use(kernel); }
  const TestHooks& hooks() const { return hooks_; }
  // Tells the watcher of each run from now on; null: tells nobody. It must outlive them, and the engine runs one launch at a time.
  void set_watcher(RunWatcher* watcher) { watcher_ = watcher; }
  bool is_watched() const { return watcher_ != nullptr; }
  EngineInfo info() const;
  EngineStatistics statistics() const;
  void clear_cache();
  Background& background() { return background_; }
  const CodeMemory* memory() const { return memory_.get(); }
  const RangeRunner& runner() const { return runner_; }

 private:
  // Finding a kernel (find_kernel.cpp).

  // The engine and target that run for the given options.
  struct Choice {
    EngineKind engine;
    backend::Target target;
    bool few_threads = false;  // a wide group would compute more than there is
    KernelHints hints{};
  };
  backend::Tuning tuning() const { return hooks_.tuning.value_or(backend::tuning_here()); }
  Result<Choice> choose(const RunOptions& options, const KernelHints& hints = {}) const;
  LaunchKey launch_key(const LaunchState& launch, const RunOptions& options, Choice choice) const;
  KernelOptions kernel_options(Choice choice) const;
  // The kernel that a run asks for. Keeps no reference to the launch.
  struct Request {
    std::shared_ptr<const frontend::Shader> shader;
    frontend::Facts facts;
    KernelOptions options;
    bool may_interpret = false;  // an interpreter will do where the JIT cannot
    CodeCache::Key key;
    std::chrono::nanoseconds time{};  // that it took to find all this
  };
  Result<Request> request(const LaunchState& launch, const RunOptions& options, Choice choice);
  CodeCache::KernelResult make(const Request& request);
  CodeCache::KernelResult find_or_make(const Request& request, bool& hit);
  // All that a run of the launch leases, first the kernel that it reports. `shades` as of needed_kernels.
  Result<std::vector<Request>> requests(LaunchState& launch, const RunOptions& options, bool shades);
  // The kernel of `request`, after those of the others.
  CodeCache::KernelResult make_all(const Request& request, const std::vector<Request>& others);
  // The job that compiles it in the background, after others if there are some; null if it cannot be queued.
  std::shared_ptr<CompileJob> submit(Request request, bool urgent,
                                     std::shared_ptr<const std::vector<Request>> others = nullptr);
  // True if a kernel may have these booleans as constants.
  Result<bool> admit_variant(const Request& request, std::uint64_t bools);
  // True if the launch remembers its kernel with its table filled: `lease` has both.
  static Result<bool> recall(LaunchState& launch, const LaunchKey& key, LaunchCache::Lease& lease);
  // Fills a table for the kernel. The launch remembers both, unless the choice of kernel depends on the
  // contents of memory.
  static Status fill(LaunchState& launch, const LaunchKey& key, std::shared_ptr<const Kernel> kernel,
                     LaunchCache::Lease& lease);
  // The same; `report` gets how it was found.
  Result<bool> lease_remembered(LaunchState& launch, const LaunchKey& key, LaunchCache::Lease& lease,
                                CompileReport& report);
  // The guest interpreter's kernel while the job is under way.
  CodeCache::KernelResult stand_in(const LaunchState& launch, CompileJob& job);
  void log(LogLevel level, const std::string& message) const;

  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  const EngineOptions options_;
  TestHooks hooks_;
  RunWatcher* watcher_ = nullptr;
  std::uint64_t id_ = next_id();
  const RangeRunner runner_;
  std::shared_ptr<CodeMemory> memory_;  // null: no JIT
  std::optional<backend::Target> best_;
  std::array<bool, std::size(backend::kTargets)> runs_here_{};  // by backend::Target; asking the CPU is slow
  std::string no_jit_reason_;
  WorkspacePool workspaces_;
  WorkMemory work_memory_;
  CodeCache cache_;

  std::mutex variants_mutex_;
  // By hash of a program with the facts other than booleans and formats of attributes: the combinations that
  // have kernels. Programs switch features by booleans, and most use few of the combinations.
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> variants_;

  std::atomic<std::uint64_t> interpreted_runs_{0};
  Background background_;  // last: its threads use all of the above
};

}  // namespace warpjit::runtime

class warpjit::Engine::State final : public warpjit::runtime::EngineState {
 public:
  using EngineState::EngineState;
};
