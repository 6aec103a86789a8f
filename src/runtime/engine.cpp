#include "runtime/engine.h"

#include <algorithm>
#include <chrono>

#include "base/float_environment.h"
#include "base/hash.h"

namespace warpjit {
namespace runtime {
namespace {

// Threads that one kernel call covers at most, so that a run without loops can be cancelled, too.
constexpr std::uint64_t kMaxChunk = 65536;
// Threads of a launch for each host thread, below which handing out work costs more than it gains.
constexpr std::uint64_t kJitThreadsPerWorker = 4096, kInterpreterThreadsPerWorker = 128;
// Families whose variants are remembered; beyond it all are forgotten, and may specialize anew.
constexpr std::size_t kMaxFamilies = 4096;

CompileReport report_of(const Kernel& kernel, bool hit) {
  CompileReport report = kernel.report();
  report.cache_hit = hit;
  if (hit) report.translate_ns = report.passes_ns = report.backend_ns = report.place_ns = 0;
  return report;
}

#if defined(WARPJIT_CHECKS)
constexpr bool kAlwaysCheck = true;
#else
constexpr bool kAlwaysCheck = false;
#endif

}  // namespace

EngineState::EngineState(const EngineOptions& options, CodeMemory::Denied denied)
    : options_(options),
      executor_(options.executor ? options.executor : make_default_executor()),
      cache_(options.cache_bytes) {
  for (const backend::Target target : backend::kTargets)
    runs_here_[static_cast<std::size_t>(target)] = backend::runs_here(target);
  if (Result<backend::Target> best = backend::best_target())
    best_ = *best;
  else
    no_jit_reason_ = to_string(best.error());
  if (!best_) return;
  const auto mode = mode_by_environment(options.code_memory);
  auto memory = mode ? CodeMemory::create(*mode, options.perf_map, denied) : mode.error();
  if (memory)
    memory_ = *memory;
  else
    no_jit_reason_ = to_string(memory.error());
}

Result<EngineState::Choice> EngineState::choose(const RunOptions& options) const {
  Choice choice{options.engine, best_.value_or(backend::Target::x64_v3)};
  if (options.engine != EngineKind::jit) return choice;
  if (const std::optional<backend::Target> wanted = backend_target(options.target)) {
    choice.target = *wanted;
    if (!runs_here_[static_cast<std::size_t>(*wanted)])
      return Error{ErrorCode::target_unavailable,
                   "this machine does not run code for " + std::string(backend::name(*wanted)), ""};
    if (!memory_) return Error{ErrorCode::target_unavailable, no_jit_reason_, ""};
    return choice;
  }
  if (!memory_) choice.engine = EngineKind::ir;
  return choice;
}

SlotKey EngineState::slot_key(const LaunchState& launch, const RunOptions& options, Choice choice) const {
  const bool specialized = !options.generic && choice.engine != EngineKind::guest;
  SlotKey key;
  key.engine = this;
  key.facts_generation = launch.facts_generation;
  key.bools = specialized ? launch.values.bools & launch.usage.bools : 0;
  key.options = static_cast<std::uint64_t>(choice.engine) | static_cast<std::uint64_t>(choice.target) << 4 |
                static_cast<std::uint64_t>(options.dispatch_all) << 8 |
                static_cast<std::uint64_t>(options.generic) << 9;
  return key;
}

bool EngineState::admit_variant(std::uint64_t family, std::uint64_t bools) {
  const std::lock_guard lock(variants_mutex_);
  if (variants_.size() >= kMaxFamilies && !variants_.contains(family)) variants_.clear();
  std::vector<std::uint64_t>& known = variants_[family];
  if (std::find(known.begin(), known.end(), bools) != known.end()) return true;
  if (known.size() >= kMaxVariants) return false;
  known.push_back(bools);
  return true;
}

CodeCache::KernelResult EngineState::find_kernel(const LaunchState& launch, const RunOptions& options,
                                                 Choice choice, bool& hit) {
  KernelOptions kernel;
  kernel.engine = choice.engine;
  kernel.target = choice.target;
  kernel.dispatch_all = options.dispatch_all;
  kernel.checks = options_.checks || kAlwaysCheck;
  kernel.speculate = options_.speculate;
  kernel.parts = options_.parts;
  kernel.registers = options_.registers;
  WARPJIT_TRY(frontend::Facts facts, launch.facts(0));
  CodeCache::Key key = kernel_key(*launch.shader, facts, kernel);
  const std::uint64_t bools = launch.usage.bools;
  if (bools != 0 && !options.generic && choice.engine != EngineKind::guest &&
      admit_variant(hash_bytes(key), launch.values.bools & bools)) {
    facts.known_bools = bools;
    facts.bools = launch.values.bools & bools;
    key = kernel_key(*launch.shader, facts, kernel);
  }
  CodeCache::KernelResult result = cache_.get(
      key, [&] { return make_kernel(*launch.shader, facts, kernel, memory_.get(), workspaces_); }, hit);
  // Code that is too large for the backend, or for what is left of executable memory, still runs.
  const bool too_large = !result && result.error().code == ErrorCode::resource_limit;
  if (too_large && choice.engine == EngineKind::jit && options.target == Target::automatic)
    return find_kernel(launch, options, {EngineKind::ir, choice.target}, hit);
  return result;
}

Result<CompileReport> EngineState::compile(LaunchState& launch, const RunOptions& options) {
  const FloatEnvironment environment;
  WARPJIT_TRY(const Choice choice, choose(options));
  bool hit = false;
  WARPJIT_TRY(const std::shared_ptr<const Kernel> kernel, find_kernel(launch, options, choice, hit));
  return report_of(*kernel, hit);
}

unsigned EngineState::worker_count(const LaunchState& launch, const RunOptions& options,
                                   const Kernel& kernel) const {
  const std::uint64_t groups = (launch.count + kernel.lanes() - 1) / kernel.lanes();
  std::uint64_t workers = options.threads;
  if (workers == 0) {
    const std::uint64_t share =
        kernel.report().engine == EngineKind::jit ? kJitThreadsPerWorker : kInterpreterThreadsPerWorker;
    workers = launch.count / share;
    if (workers > 1) workers = std::min<std::uint64_t>(workers, executor_->concurrency());
  }
  return static_cast<unsigned>(std::clamp<std::uint64_t>(std::min(workers, groups), 1, 1024));
}

Result<RunReport> EngineState::run(LaunchState& launch, const RunOptions& options) {
  const FloatEnvironment environment;
  if (Status status = launch.check_bindings(); !status) return status.error();
  WARPJIT_TRY(const Choice choice, choose(options));

  const SlotKey key = slot_key(launch, options, choice);
  Slots::Lease lease;
  RunReport report;
  bool remembered = launch.slots.find(key, launch.values_generation, lease);
  if (!remembered) {
    auto refilled = launch.slots.refill(key, launch.values_generation, *launch.shader, launch.values, lease);
    if (!refilled) return refilled.error();
    remembered = *refilled;
  }
  bool hit = true;
  if (!remembered) {
    WARPJIT_TRY(std::shared_ptr<const Kernel> kernel, find_kernel(launch, options, choice, hit));
    if (Status status = launch.slots.fill(key, launch.values_generation, std::move(kernel), *launch.shader,
                                          launch.values, lease);
        !status)
      return status.error();
  }
  static_cast<CompileReport&>(report) = report_of(lease.kernel(), hit);
  if (launch.count == 0) return report;

  const auto start = std::chrono::steady_clock::now();
  const Kernel& kernel = lease.kernel();
  const RunPlan plan(launch, kernel, lease.table(), options.fuel.value_or(launch.fuel), options.cancel);
  report.threads = worker_count(launch, options, kernel);
  // A few chunks for each worker even out their speeds.
  const std::uint64_t wanted = report.threads == 1 ? launch.count : launch.count / (report.threads * 4) + 1;
  const std::uint64_t groups = (std::min(wanted, kMaxChunk) + kernel.lanes() - 1) / kernel.lanes();
  if (Status status = run_parallel(plan, launch.count, groups * kernel.lanes(), report.threads); !status)
    return status.error();
  const auto elapsed = std::chrono::steady_clock::now() - start;
  report.run_ns =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
  return report;
}

Status EngineState::run_parallel(const RunPlan& plan, std::uint64_t count, std::uint64_t chunk,
                                 unsigned workers) {
  struct Job {
    const RunPlan& plan;
    std::uint64_t count, chunk;
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> stop{false};
    std::mutex mutex{};
    Status status{};
    std::uint64_t failed = ~std::uint64_t{0};  // the first chunk that failed is the one reported

    void work() {
      while (!stop.load(std::memory_order_relaxed)) {
        const std::uint64_t index = next.fetch_add(1, std::memory_order_relaxed);
        if (index >= (count + chunk - 1) / chunk) return;
        const std::uint64_t first = index * chunk;
        Status result = plan.cancelled() ? Status(Error{ErrorCode::cancelled, "the run was cancelled", ""})
                                         : plan.run(first, std::min(chunk, count - first));
        if (result) continue;
        stop.store(true, std::memory_order_relaxed);
        const std::lock_guard lock(mutex);
        if (index < failed) {
          failed = index;
          status = std::move(result);
        }
      }
    }
  };
  Job job{plan, count, chunk};
  if (workers == 1) {
    job.work();
  } else {
    executor_->parallel_for(
        workers,
        [](void* context, std::size_t) {
          const FloatEnvironment environment;
          static_cast<Job*>(context)->work();
        },
        &job);
  }
  return std::move(job.status);
}

EngineInfo EngineState::info() const {
  EngineInfo info;
  for (const Target target : kTargets)
    if (runs_here_[static_cast<std::size_t>(*backend_target(target))]) info.targets.push_back(target);
  info.jit = memory_ != nullptr;
  if (best_) info.best = public_target(*best_);
  info.no_jit_reason = no_jit_reason_;
  if (memory_) info.code_memory = memory_->mode();
  info.concurrency = executor_->concurrency();
  return info;
}

}  // namespace runtime

Engine::Engine(const EngineOptions& options) : state_(std::make_unique<runtime::EngineState>(options)) {}
Engine::~Engine() = default;

Result<RunReport> Engine::run(const Launch& launch, const RunOptions& options) const {
  return state_->run(launch.state(), options);
}
Result<CompileReport> Engine::compile(const Launch& launch, const RunOptions& options) const {
  return state_->compile(launch.state(), options);
}
EngineInfo Engine::info() const { return state_->info(); }
CacheStatistics Engine::cache_statistics() const { return state_->cache().statistics(); }
void Engine::clear_cache() const { state_->cache().clear(); }
std::optional<Engine::GuestPlace> Engine::find_guest_place(const void* host_address) const {
  if (state_->memory() == nullptr) return std::nullopt;
  return state_->memory()->find(host_address);
}

}  // namespace warpjit
