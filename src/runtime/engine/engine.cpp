#include "runtime/engine/engine.h"

#include <algorithm>

#include "base/float_environment.h"

namespace warpjit {
namespace runtime {
namespace {

constexpr unsigned kMaxCompileThreads = 64;

}  // namespace

EngineState::EngineState(const EngineOptions& options, CodeMemory::Denied denied)
    : options_(options),
      runner_(options.executor ? options.executor : make_default_executor()),
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

Result<Report> EngineState::run(LaunchState& launch, const RunOptions& options) {
  const FloatEnvironment environment;
  Run run{launch, options, *this, runner_, work_memory_};
  WARPJIT_CHECK(run_work(run));
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

Engine::Engine(const EngineOptions& options) : state_(std::make_unique<State>(options)) {}
Engine::~Engine() = default;

Result<Report> Engine::run(const Launch& launch, const RunOptions& options) const {
  Result<Report> report = state_->run(launch.state(), options);
  // Where a kernel took over, nobody has counted all of them.
  if (report && report->fault && report->engine != EngineKind::guest) report->fault->accesses = 0;
  return report;
}
Result<CompileReport> Engine::compile(const Launch& launch, const RunOptions& options) const {
  return state_->compile(launch.state(), options);
}
Result<Report> Engine::profile(const Launch& launch, Profile& profile) const {
  const FloatEnvironment environment;
  return runtime::profile(launch.state(), profile);
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
