// Run options, with hooks that only tests use (runtime::TestHooks).
#pragma once

#include "runtime/engine/engine.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::test {

struct HookedOptions : RunOptions {
  bool dispatch_all = false;  // all control flow in the dispatcher

  HookedOptions() = default;
  HookedOptions(const RunOptions& base) : RunOptions(base) {}  // NOLINT: implicit on purpose
};

// Makes the engine run as they say, and gives the options for that run. The engine's other hooks stay.
inline const RunOptions& with_hooks(const Engine& engine, const HookedOptions& options) {
  runtime::TestHooks hooks = engine.state().hooks();
  hooks.dispatch_all = options.dispatch_all;
  engine.state().set_hooks(hooks);
  return options;
}

}  // namespace warpjit::test
