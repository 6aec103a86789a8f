// What an Engine holds, and how it picks kernels and splits work.
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
#include "runtime/engine/pool.h"
#include "runtime/work/launch.h"
#include "runtime/work/pixel_draw.h"
#include "runtime/work/pixel_plan.h"
#include "runtime/work/primitives.h"
#include "runtime/work/run_plan.h"

namespace warpjit::runtime {

// Programs switch features by booleans, and most use few of the combinations. The first so many combinations
// of a program get kernels of their own; the others share a generic one.
inline constexpr std::size_t kMaxVariants = 16;

// How tests and `warpjit bench` change the way kernels are made; for warpjit's own modules.
struct TestHooks {
  bool dispatch_all = false;                // all control flow in the dispatcher
  bool speculate = true;                    // false: only code that expects special values
  std::uint32_t parts = 0;                  // vectors per value, 0: chosen by the backend
  std::uint32_t registers = 0;              // registers per class that the allocator may use, 0: all
  std::optional<backend::Tuning> tuning{};  // none: this processor's
  // How often a draw in the background goes on without its kernel before it waits for it; none: it never
  // waits.
  std::optional<std::uint64_t> asks{};
};

class EngineState {
 public:
  explicit EngineState(const EngineOptions& options, CodeMemory::Denied denied = CodeMemory::Denied());

  Result<Report> run(LaunchState& launch, const RunOptions& options);
  Result<CompileReport> compile(LaunchState& launch, const RunOptions& options);
  Result<Compilation> warm(LaunchState& launch, const RunOptions& options);
  Result<Report> profile(LaunchState& launch, Profile& profile);
  // Of work over vertices alone.
  KernelHints hints_of(const LaunchState& launch) const;
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
  EngineInfo info() const;
  EngineStatistics statistics() const;
  void clear_cache();
  Background& background() { return background_; }
  const CodeMemory* memory() const { return memory_.get(); }

 private:
  // ---- Finding a kernel (find_kernel.cpp)

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
  };
  Result<Request> request(const LaunchState& launch, const RunOptions& options, Choice choice);
  CodeCache::KernelResult make(const Request& request);
  CodeCache::KernelResult find_or_make(const Request& request, bool& hit);
  // The job that compiles it in the background; null if it cannot be queued.
  std::shared_ptr<CompileJob> submit(Request request, bool urgent);
  bool admit_variant(std::uint64_t family, std::uint64_t bools);
  // Whether the launch remembers its kernel with its table filled; if so, sets `lease`.
  static Result<bool> recall(LaunchState& launch, const LaunchKey& key, LaunchCache::Lease& lease);
  // Fills a table for the kernel. The launch remembers both, unless the choice of kernel depends on the
  // contents of memory.
  static Status fill(LaunchState& launch, const LaunchKey& key, std::shared_ptr<const Kernel> kernel,
                     LaunchCache::Lease& lease);
  // The kernel for a launch with its table filled, if the launch remembers both; says whether it does.
  Result<bool> lease_remembered(LaunchState& launch, const LaunchKey& key, LaunchCache::Lease& lease,
                                CompileReport& report);
  // The kernel for a launch with its table filled; `report` gets how it was found or made.
  Status lease_kernel(LaunchState& launch, const RunOptions& options, LaunchCache::Lease& lease,
                      CompileReport& report, const KernelHints& hints = {});
  // Likewise, but does not wait if the run is in the background: if there is no kernel yet, the guest
  // interpreter's; `job` is the compilation then. With `later` a new compilation is not asked for here, but
  // by calling that, once, while the engine is there.
  Status lease_at_once(LaunchState& launch, const RunOptions& options, LaunchCache::Lease& lease,
                       CompileReport& report, const KernelHints& hints = {},
                       std::shared_ptr<CompileJob>* job = nullptr, AskForKernel* later = nullptr);
  // Whether the kernel is there, and not the guest interpreter's.
  bool is_ready(AwaitedKernel& awaited) const;
  // Leases the kernel that is_ready() found; nothing is awaited then.
  Status lease_awaited(LaunchState& launch, const RunOptions& options, AwaitedKernel& awaited,
                       LaunchCache::Lease& lease, CompileReport& report, const KernelHints& hints = {});

  // ---- Running

  // Units `first` to `first + count - 1` of a launch, at most `chunk` a range.
  struct Range {
    std::uint64_t first, count, chunk;
  };
  unsigned worker_count(const WorkSize& size, const RunOptions& options, const Kernel& kernel) const;
  // Runs the units from `first` on.
  Status run_rest(const LaunchState& launch, const RunOptions& options, const LaunchCache::Lease& lease,
                  std::uint64_t first, Report& report);
  // Runs the launch in the guest interpreter until the job has ended, the rest in its kernel.
  Result<Report> run_meanwhile(LaunchState& launch, const RunOptions& options, const LaunchKey& key,
                               CompileJob& job);
  Status run_parallel(const WorkPlan& plan, const Range& range, unsigned workers);
  void log(LogLevel level, const std::string& message) const;
  // Geometry programs (runtime/work/run_primitives.cpp).
  Result<Report> run_primitives(LaunchState& launch, const RunOptions& options);
  static Status bind_stage(const LaunchData::Primitives& primitives, LaunchState& stage);
  Result<std::vector<std::uint32_t>> run_listed(const LaunchState& launch, const RunPlan& stage,
                                                const frontend::PrimitiveFacts& facts, const Report& report);
  Status run_rounds(PrimitivePlan& plan, const RunOptions& options, Report& report);
  // Fragment programs (runtime/work/run_pixels.cpp).
  Result<Report> run_pixels(LaunchState& launch, const RunOptions& options);
  static Status begin_primitives(PrimitiveRun& run);
  Status lease_primitives(PrimitiveRun& run);
  Status add_primitives(PrimitiveRun& run, const pixels::Vertices& part);
  Status draw_from(PrimitiveRun& run, const pixels::Vertices& part, std::uint64_t next);
  Status draw_waiting(PrimitiveRun& run);
  // Draws in the guest interpreter until the kernel is there, and then what remains.
  Status draw_meanwhile(PrimitiveRun& run, const pixels::Vertices& part);
  Status draw_pieces(PrimitiveRun& run, const pixels::Vertices& part, const interpret::PixelProgress& done);
  // Their geometry stage (runtime/work/run_strips.cpp). add_input takes primitives as add_primitives does.
  Status begin_geometry(const LaunchState& launch, const SlotRows& rows, const RunOptions& options,
                        GeometryRun& run);
  Status add_input(GeometryRun& run, PrimitiveRun& primitives, const pixels::Vertices& part);
  Status run_waiting(GeometryRun& run, PrimitiveRun& primitives);
  // Their vertices (runtime/work/run_vertices.cpp), those of instances `first` to `first + count - 1`.
  // What begin_vertices() prepares, end_vertices() of a run that went well keeps with the launch, unless it
  // is large.
  static Result<std::shared_ptr<VertexRun>> begin_vertices(LaunchState& launch);
  static Status prepare_vertices(const LaunchState& launch, VertexRun& run);
  static void end_vertices(LaunchState& launch, std::shared_ptr<VertexRun> run);
  Status run_vertices(VertexRun& run, const LaunchState& launch, const RunOptions& options,
                      std::uint32_t first, std::uint32_t count);

  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  const EngineOptions options_;
  TestHooks hooks_;
  std::uint64_t id_ = next_id();
  std::shared_ptr<Executor> executor_;
  std::shared_ptr<CodeMemory> memory_;  // null: no JIT
  std::optional<backend::Target> best_;
  std::array<bool, std::size(backend::kTargets)> runs_here_{};  // by backend::Target; asking the CPU is slow
  std::string no_jit_reason_;
  WorkspacePool workspaces_;
  Pool<PrimitiveRound> rounds_;
  Pool<TilePlanes> tile_planes_;
  CodeCache cache_;

  std::mutex variants_mutex_;
  // By hash of a program with the facts other than booleans: the combinations that have kernels.
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> variants_;

  std::atomic<std::uint64_t> interpreted_runs_{0};
  Background background_;  // last: its threads use all of the above
};

}  // namespace warpjit::runtime
