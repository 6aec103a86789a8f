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
constexpr unsigned kMaxCompileThreads = 64;
// Threads of a launch for each host thread that the interpreter runs between two looks at the compilation:
// 0.05 to 0.2 ms. A multiple of the lanes of any kernel.
constexpr std::uint64_t kInterpretedRange = 256;

std::uint64_t nanoseconds_since(std::chrono::steady_clock::time_point start) {
  const auto elapsed = std::chrono::steady_clock::now() - start;
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
}

#if defined(WARPJIT_CHECKS)
constexpr bool kAlwaysCheck = true;
#else
constexpr bool kAlwaysCheck = false;
#endif

}  // namespace

CompileReport report_of(const Cached& kernel, bool hit) {
  CompileReport report = kernel.report();
  report.cache_hit = hit;
  if (hit) report.translate_ns = report.passes_ns = report.backend_ns = report.place_ns = 0;
  return report;
}

EngineState::EngineState(const EngineOptions& options, CodeMemory::Denied denied)
    : options_(options),
      executor_(options.executor ? options.executor : make_default_executor()),
      cache_(options.cache_bytes),
      background_(std::min(options.compile_threads, kMaxCompileThreads), options.compile_queue) {
  for (const backend::Target target : backend::kTargets)
    runs_here_[static_cast<std::size_t>(target)] = backend::runs_here(target);
  if (Result<backend::Target> best = backend::best_target())
    best_ = *best;
  else
    no_jit_reason_ = to_string(best.error());
  if (best_) {
    const auto mode = mode_by_environment(options.code_memory);
    auto memory = mode ? CodeMemory::create(*mode, options.perf_map, denied) : mode.error();
    if (memory)
      memory_ = *memory;
    else
      no_jit_reason_ = to_string(memory.error());
  }
  if (!memory_) log(LogLevel::info, "no JIT: " + no_jit_reason_);
}

void EngineState::log(LogLevel level, const std::string& message) const {
  if (options_.log != nullptr) options_.log(options_.log_context, level, message.c_str());
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

KernelOptions EngineState::kernel_options(const RunOptions& options, Choice choice) const {
  KernelOptions made;
  made.engine = choice.engine;
  made.target = choice.target;
  made.dispatch_all = options.dispatch_all;
  made.checks = options_.checks || kAlwaysCheck;
  made.speculate = options_.speculate;
  made.parts = options_.parts;
  made.registers = options_.registers;
  return made;
}

Result<EngineState::Wanted> EngineState::want(const LaunchState& launch, const RunOptions& options,
                                              Choice choice) {
  Wanted wanted;
  wanted.shader = launch.program.shader();
  wanted.options = kernel_options(options, choice);
  wanted.may_interpret = choice.engine == EngineKind::jit && options.target == Target::automatic;
  WARPJIT_TRY(wanted.facts, launch.facts(0));
  wanted.key = kernel_key(*wanted.shader, wanted.facts, wanted.options);
  const std::uint64_t bools = launch.usage.bools;
  if (bools != 0 && !options.generic && choice.engine != EngineKind::guest &&
      admit_variant(hash_bytes(wanted.key), launch.values.bools & bools)) {
    wanted.facts.known_bools = bools;
    wanted.facts.bools = launch.values.bools & bools;
    wanted.key = kernel_key(*wanted.shader, wanted.facts, wanted.options);
  }
  return wanted;
}

CodeCache::KernelResult EngineState::make(const Wanted& wanted) {
  CodeCache::KernelResult result =
      make_kernel(*wanted.shader, wanted.facts, wanted.options, memory_.get(), workspaces_);
  // Code that is too large for the backend, or for what is left of executable memory, still runs.
  if (!result && result.error().code == ErrorCode::resource_limit && wanted.may_interpret) {
    log(LogLevel::warning, "interpreted, not compiled: " + to_string(result.error()));
    KernelOptions options = wanted.options;
    options.engine = EngineKind::ir;
    result = make_kernel(*wanted.shader, wanted.facts, options, nullptr, workspaces_);
  }
  if (result && options_.log != nullptr) {
    const CompileReport& report = (*result)->report();
    log(LogLevel::debug,
        "compiled " + wanted.shader->source_name() + " for " + name(report.engine) + " in " +
            std::to_string(report.translate_ns + report.passes_ns + report.backend_ns + report.place_ns) +
            " ns, " + std::to_string(report.code_bytes) + " bytes of code");
  }
  return result;
}

CodeCache::KernelResult EngineState::find_or_make(const Wanted& wanted, bool& hit) {
  CodeCache::KernelResult result = cache_.get(
      wanted.key, [&] { return make(wanted); }, hit);
  // The IR interpreter that serves in place of the JIT does not do for who asks for the JIT by name.
  const bool right = !result || wanted.may_interpret || (*result)->report().engine == wanted.options.engine;
  return right ? result : make(wanted);
}

std::shared_ptr<CompileJob> EngineState::submit(Wanted wanted, bool urgent) {
  const CodeCache::Key key = wanted.key;
  const auto shared = std::make_shared<const Wanted>(std::move(wanted));
  return background_.submit(
      key, urgent,
      [this, shared] {
        bool hit = false;
        CodeCache::KernelResult result = find_or_make(*shared, hit);
        if (!result) log(LogLevel::warning, "not compiled in the background: " + to_string(result.error()));
        return result;
      },
      [shared](const Kernel& kernel) { kernel.complete(*shared->shader); });
}

Result<CompileReport> EngineState::compile(LaunchState& launch, const RunOptions& options) {
  const FloatEnvironment environment;
  WARPJIT_TRY(const Choice choice, choose(options));
  WARPJIT_TRY(const Wanted wanted, want(launch, options, choice));
  bool hit = false;
  WARPJIT_TRY(const std::shared_ptr<const Kernel> kernel, find_or_make(wanted, hit));
  return report_of(*kernel, hit);
}

Result<Compilation> EngineState::warm(LaunchState& launch, const RunOptions& options) {
  const FloatEnvironment environment;
  WARPJIT_TRY(const Choice choice, choose(options));
  WARPJIT_TRY(Wanted wanted, want(launch, options, choice));
  if (std::shared_ptr<const Kernel> kernel = cache_.find(wanted.key))
    return Compilation(std::make_shared<CompileJob>(std::move(kernel)));
  if (std::shared_ptr<CompileJob> job = submit(wanted, false)) return Compilation(std::move(job));
  bool hit = false;
  return Compilation(std::make_shared<CompileJob>(find_or_make(wanted, hit)));
}

unsigned EngineState::worker_count(std::uint64_t threads, const RunOptions& options,
                                   const Kernel& kernel) const {
  const std::uint64_t groups = (threads + kernel.lanes() - 1) / kernel.lanes();
  std::uint64_t workers = options.threads;
  if (workers == 0) {
    const std::uint64_t share =
        kernel.report().engine == EngineKind::jit ? kJitThreadsPerWorker : kInterpreterThreadsPerWorker;
    workers = threads / share;
    if (workers > 1) workers = std::min<std::uint64_t>(workers, executor_->concurrency());
  }
  return static_cast<unsigned>(std::clamp<std::uint64_t>(std::min(workers, groups), 1, 1024));
}

Result<bool> EngineState::recall(LaunchState& launch, const SlotKey& key, Slots::Lease& lease) {
  if (launch.slots.find(key, launch.values_generation, lease)) return true;
  return launch.slots.refill(key, launch.values_generation, *launch.shader, launch.values, lease);
}

Status EngineState::lease_kernel(LaunchState& launch, const RunOptions& options, Slots::Lease& lease,
                                 CompileReport& report) {
  WARPJIT_TRY(const Choice choice, choose(options));
  const SlotKey key = slot_key(launch, options, choice);
  WARPJIT_TRY(const bool remembered, recall(launch, key, lease));
  bool hit = true;
  if (remembered) {
    cache_.note_use(lease.kernel());
  } else {
    WARPJIT_TRY(const Wanted wanted, want(launch, options, choice));
    WARPJIT_TRY(std::shared_ptr<const Kernel> kernel, find_or_make(wanted, hit));
    WARPJIT_CHECK(launch.slots.fill(key, launch.values_generation, std::move(kernel), *launch.shader,
                                    launch.values, lease));
  }
  report = report_of(lease.kernel(), hit);
  return {};
}

Status EngineState::lease_at_once(LaunchState& launch, const RunOptions& options, Slots::Lease& lease,
                                  CompileReport& report) {
  if (!options.background || options.engine == EngineKind::guest)
    return lease_kernel(launch, options, lease, report);
  WARPJIT_TRY(const Choice choice, choose(options));
  WARPJIT_TRY(Wanted wanted, want(launch, options, choice));
  const std::shared_ptr<CompileJob> job = cache_.find(wanted.key) ? nullptr : submit(std::move(wanted), true);
  if (!job) return lease_kernel(launch, options, lease, report);
  if (job->state() == CompileJob::State::failed) return job->report().error();
  interpreted_runs_.fetch_add(1, std::memory_order_relaxed);
  RunOptions guest = options;
  guest.engine = EngineKind::guest;
  guest.target = Target::automatic;
  return lease_kernel(launch, guest, lease, report);
}

Result<RunReport> EngineState::run(LaunchState& launch, const RunOptions& options) {
  const FloatEnvironment environment;
  if (launch.primitives) return run_geometry(launch, options);
  if (Status status = launch.check_bindings(); !status) return status.error();
  RunReport report;
  Slots::Lease lease;
  if (options.background && options.engine != EngineKind::guest) {
    WARPJIT_TRY(const Choice choice, choose(options));
    const SlotKey key = slot_key(launch, options, choice);
    WARPJIT_TRY(const bool remembered, recall(launch, key, lease));
    if (!remembered) {
      WARPJIT_TRY(Wanted wanted, want(launch, options, choice));
      const std::shared_ptr<CompileJob> job = cache_.find(wanted.key) ? nullptr : submit(wanted, true);
      if (job && job->state() == CompileJob::State::failed) return job->report().error();
      if (job) return run_meanwhile(launch, options, key, *job);
    }
  }
  if (Status status = lease_kernel(launch, options, lease, report); !status) return status.error();
  if (launch.count == 0) return report;
  const auto start = std::chrono::steady_clock::now();
  if (Status status = run_rest(launch, options, lease, 0, report); !status) return status.error();
  report.run_ns = nanoseconds_since(start);
  return report;
}

Status EngineState::run_rest(const LaunchState& launch, const RunOptions& options, const Slots::Lease& lease,
                             std::uint64_t first, RunReport& report) {
  const Kernel& kernel = lease.kernel();
  const RunPlan plan(launch, kernel, lease.table(), options.fuel.value_or(launch.fuel), options.cancel);
  report.threads = worker_count(launch.count, options, kernel);
  // A few chunks for each worker even out their speeds.
  const std::uint64_t count = launch.count - first;
  const std::uint64_t wanted = report.threads == 1 ? count : count / (report.threads * 4) + 1;
  const std::uint64_t groups = (std::min(wanted, kMaxChunk) + kernel.lanes() - 1) / kernel.lanes();
  return run_parallel(plan, {first, count, groups * kernel.lanes()}, report.threads);
}

Result<RunReport> EngineState::run_meanwhile(LaunchState& launch, const RunOptions& options,
                                             const SlotKey& key, CompileJob& job) {
  interpreted_runs_.fetch_add(1, std::memory_order_relaxed);
  WARPJIT_TRY(const frontend::Facts facts, launch.facts(0));
  // The guest interpreter, because it is ready about 16 times sooner than the IR interpreter, which needs
  // half of the compiler; a kernel is there before the IR interpreter's greater speed would pay.
  KernelOptions guest;
  guest.engine = EngineKind::guest;
  WARPJIT_TRY(const std::shared_ptr<const Kernel> stand_in, job.stand_in(launch.shader->source_name(), [&] {
    return make_kernel(*launch.shader, facts, guest, nullptr, workspaces_);
  }));

  const auto start = std::chrono::steady_clock::now();
  RunReport report{stand_in->report()};
  report.threads = worker_count(launch.count, options, *stand_in);
  const RunPlan plan(launch, *stand_in, nullptr, options.fuel.value_or(launch.fuel), options.cancel);
  std::shared_ptr<const Kernel> kernel;
  std::uint64_t& done = report.interpreted;
  while (done < launch.count && !(kernel = job.kernel())) {
    const std::uint64_t count = std::min(launch.count - done, report.threads * kInterpretedRange);
    const std::uint64_t chunk = std::max<std::uint64_t>(1, kInterpretedRange / 4);
    if (Status status = run_parallel(plan, {done, count, chunk}, report.threads); !status)
      return status.error();
    done += count;
  }
  if (done < launch.count) {
    Slots::Lease lease;
    if (Status status = launch.slots.fill(key, launch.values_generation, std::move(kernel), *launch.shader,
                                          launch.values, lease);
        !status)
      return status.error();
    const std::uint64_t interpreted = done;
    report = RunReport{lease.kernel().report()};
    report.interpreted = interpreted;
    if (Status status = run_rest(launch, options, lease, interpreted, report); !status) return status.error();
  }
  report.run_ns = nanoseconds_since(start);
  return report;
}

Status EngineState::run_parallel(const RunPlan& plan, const Range& range, unsigned workers) {
  struct Job {
    const RunPlan& plan;
    const Range range;
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> stop{false};
    std::mutex mutex{};
    Status status{};
    std::uint64_t failed = ~std::uint64_t{0};  // the first chunk that failed is the one reported

    void work() {
      while (!stop.load(std::memory_order_relaxed)) {
        const std::uint64_t begin = next.fetch_add(1, std::memory_order_relaxed) * range.chunk;
        if (begin >= range.count) return;
        Status result = plan.cancelled()
                            ? Status(Error{ErrorCode::cancelled, "the run was cancelled", ""})
                            : plan.run(range.first + begin, std::min(range.chunk, range.count - begin));
        if (result) continue;
        stop.store(true, std::memory_order_relaxed);
        const std::lock_guard lock(mutex);
        if (begin < failed) {
          failed = begin;
          status = std::move(result);
        }
      }
    }
  };
  Job job{plan, range};
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

EngineStatistics EngineState::statistics() const {
  EngineStatistics result = cache_.statistics();
  background_.report(result);
  result.interpreted_runs = interpreted_runs_.load(std::memory_order_relaxed);
  return result;
}

void EngineState::clear_cache() {
  cache_.clear();
  background_.forget_failures();
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
Result<ComputeReport> Engine::run(const ComputeLaunch& launch, const RunOptions& options) const {
  return state_->run(*launch.program().shader(), launch.state(), options);
}
Result<CompileReport> Engine::compile(const ComputeLaunch& launch, const RunOptions& options) const {
  return state_->compile(*launch.program().shader(), launch.state(), options);
}
EngineInfo Engine::info() const { return state_->info(); }
Result<Compilation> Engine::warm(const Launch& launch, const RunOptions& options) const {
  return state_->warm(launch.state(), options);
}
void Engine::wait_for_compilations() const { state_->background().wait_idle(); }
void Engine::cancel_compilations() const { state_->background().cancel(); }
EngineStatistics Engine::statistics() const { return state_->statistics(); }
void Engine::clear_cache() const { state_->clear_cache(); }
std::optional<Engine::GuestPlace> Engine::find_guest_place(const void* host_address) const {
  if (state_->memory() == nullptr) return std::nullopt;
  return state_->memory()->find(host_address);
}

}  // namespace warpjit
