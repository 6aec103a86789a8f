// A launch of rows, or a draw, whose kernel and table were found once (PreparedRun of warpjit.hpp).
#pragma once

#include <memory>
#include <optional>

#include "runtime/engine/engine.h"
#include "runtime/work/row_plan.h"

namespace warpjit::runtime {

class PreparedState {
 public:
  // Both must outlive it. `may_narrow`: few threads get a kernel of their own, for as long as the bindings
  // are the same.
  PreparedState(EngineState& engine, LaunchState& launch, const RunOptions& options, bool may_narrow)
      : engine_(engine), launch_(launch), options_(options), may_narrow_(may_narrow) {}

  Status run();
  // Finds what a run needs, as far as the launch has changed since the last call.
  Status renew();
  // How the kernel was compiled; valid after renew().
  CompileReport report() const;

 private:
  struct Generations {
    std::uint64_t values = 0, facts = 0, bindings = 0;
    bool operator==(const Generations&) const = default;
  };
  Generations now() const {
    return {launch_.values_generation, launch_.facts_generation, launch_.bindings_generation};
  }

  EngineState& engine_;
  LaunchState& launch_;
  const RunOptions options_;
  const bool may_narrow_;
  Generations seen_;
  std::uint64_t bools_ = 0;
  bool few_threads_ = false;
  KernelHints hints_{};
  std::optional<LaunchCache::Lease> lease_;  // of this alone
  std::optional<RowPlan> plan_;
};

}  // namespace warpjit::runtime

class warpjit::PreparedRun::State final : public warpjit::runtime::PreparedState {
 public:
  using PreparedState::PreparedState;
};
