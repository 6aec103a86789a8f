#include "runtime/engine/engine.h"

#include <algorithm>
#include <new>

#include "base/float_environment.h"
#include "base/result.h"
#include "runtime/code/code_arena.h"
#include "runtime/engine/observed_run.h"

namespace warpjit {
namespace runtime {
namespace {

constexpr unsigned kMaxCompileThreads = 64;

std::shared_ptr<Executor> executor_of(const EngineOptions& options) {
  std::shared_ptr<Executor> executor = options.executor ? options.executor : make_default_executor();
  if (!executor) throw std::bad_alloc();
  return executor;
}

}  // namespace

EngineState::EngineState(const EngineOptions& options, CodeMemory::Denied denied)
    : options_(options),
      runner_(executor_of(options)),
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

Result<Report> EngineState::run(LaunchState& launch, const RunOptions& options, DrawWatch* watch) {
  const FloatEnvironment environment;
  if (watcher_ != nullptr) [[unlikely]]
    WARPJIT_CHECK(watcher_->before(launch, options));
  Run run{launch, options, *this, runner_, work_memory_, watch};
  WARPJIT_CHECK(run_work(run));
  if (watcher_ != nullptr) [[unlikely]]
    WARPJIT_CHECK(watcher_->after(launch));
  // Where a kernel took over, nobody has counted all of them.
  if (run.report.fault && run.report.engine != EngineKind::guest) run.report.fault->accesses = 0;
  return std::move(run.report);
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
  info.concurrency = runner_.concurrency();
  return info;
}

}  // namespace runtime

std::shared_ptr<Executor> make_default_executor() {
  static std::mutex mutex;
  static std::weak_ptr<Executor> shared;
  static unsigned forks = 0;  // when it was created: a child process has none of its threads
  const std::lock_guard lock(mutex);
  std::shared_ptr<Executor> pool = forks == runtime::forks() ? shared.lock() : nullptr;
  if (!pool) shared = pool = make_thread_pool();
  forks = runtime::forks();
  return pool;
}

Engine::Engine(const EngineOptions& options) : state_(make_or_null<State>(options)) {}
Engine::~Engine() = default;
Status Engine::status() const { return state_ ? Status() : no_memory(); }
Engine::State& Engine::state() const {
  if (!state_) throw std::bad_alloc();  // the call gives it as its status
  return *state_;
}

Result<Report> Engine::run(const Launch& launch, const RunOptions& options) const try {
  return state().run(launch.state(), options);
} catch (...) {
  return caught();
}
Result<CompileReport> Engine::compile(const Launch& launch, const RunOptions& options) const try {
  return state().compile(launch.state(), options);
} catch (...) {
  return caught();
}
Result<Report> Engine::profile(const Launch& launch, Profile& profile, const RunOptions& options) const try {
  return runtime::run_profiled(state(), launch.state(), profile, options);
} catch (...) {
  return caught();
}
Result<Compilation> Engine::warm(const Launch& launch, const RunOptions& options) const try {
  return state().warm(launch.state(), options);
} catch (...) {
  return caught();
}
EngineInfo Engine::info() const {
  try {
    return state().info();
  } catch (...) {
    EngineInfo info;
    info.no_jit_reason = no_memory().message;
    return info;
  }
}
void Engine::wait_for_compilations() const {
  if (state_) state_->background().wait_idle();
}
void Engine::cancel_compilations() const {
  if (state_) state_->background().cancel();
}
EngineStatistics Engine::statistics() const { return state_ ? state_->statistics() : EngineStatistics(); }
void Engine::clear_cache() const {
  if (state_) state_->clear_cache();
}
std::optional<Engine::GuestPlace> Engine::find_guest_place(const void* host_address) const {
  try {
    if (state().memory() == nullptr) return std::nullopt;
    return state_->memory()->find(host_address);
  } catch (...) {
    return std::nullopt;
  }
}

}  // namespace warpjit
