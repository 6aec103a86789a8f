#include "runtime/engine/prepared_run.h"

#include "base/float_environment.h"

namespace warpjit::runtime {
namespace {

constexpr std::uint64_t kFewThreads = 8;

}  // namespace

Status PreparedState::renew() {
  const FloatEnvironment environment;
  WARPJIT_CHECK(launch_.check());
  const Generations generations = now();
  const std::uint64_t bools = launch_.values.bools & launch_.usage.bools;
  const bool few_threads = may_narrow_ && launch_.count <= kFewThreads;
  const KernelHints hints = engine_.hints_of(launch_);
  if (!plan_ || generations.facts != seen_.facts || bools != bools_ || few_threads != few_threads_ ||
      hints != hints_) {
    plan_.reset();
    WARPJIT_CHECK(engine_.lease_alone(launch_, options_, few_threads, lease_.emplace()));
  } else if (generations.values != seen_.values) {
    plan_.reset();
    WARPJIT_CHECK(lease_->refill_own(*launch_.shader, launch_.values));
  }
  plan_.emplace(KernelCall{launch_, lease_->kernel(), lease_->table(), options_.fuel.value_or(launch_.fuel),
                           options_.cancel});
  seen_ = generations;
  bools_ = bools;
  few_threads_ = few_threads;
  hints_ = hints;
  return {};
}

CompileReport PreparedState::report() const { return report_of(lease_->kernel(), true); }

Status PreparedState::run() {
  if (!plan_ || now() != seen_) [[unlikely]]
    WARPJIT_CHECK(renew());
  if (launch_.count == 0) return {};
  engine_.note_use(lease_->kernel());
  const FloatEnvironment environment;
  if (!plan_->may_be_cancelled()) return plan_->run(0, launch_.count);
  return engine_.runner().run(*plan_, {0, launch_.count, launch_.count, lease_->kernel().lanes()}, 1);
}

}  // namespace warpjit::runtime

namespace warpjit {

PreparedRun::PreparedRun(std::unique_ptr<State> state) : state_(std::move(state)) {}
PreparedRun::PreparedRun(PreparedRun&&) noexcept = default;
PreparedRun& PreparedRun::operator=(PreparedRun&&) noexcept = default;
PreparedRun::~PreparedRun() = default;
Status PreparedRun::run() try { return state_->run(); } catch (...) {
  return caught();
}

Result<PreparedRun> Engine::prepare(const Launch& launch, const RunOptions& options) const try {
  if (const Work work = launch.state().work(); work != Work::rows)
    return Error{ErrorCode::unsupported, std::string("a run over ") + name(work) + " cannot be prepared", ""};
  auto prepared = std::make_unique<PreparedRun::State>(state(), launch.state(), options, true);
  WARPJIT_CHECK(prepared->renew());
  return PreparedRun(std::move(prepared));
} catch (...) {
  return caught();
}

}  // namespace warpjit
