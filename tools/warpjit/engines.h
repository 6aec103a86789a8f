// The engines and targets that a launch can be run with here, for commands that compare them.
#pragma once

#include <string>
#include <vector>

#include "warpjit/warpjit.hpp"

namespace warpjit::tool {

struct EngineChoice {
  EngineKind engine = EngineKind::guest;
  Target target = Target::automatic;  // of the JIT
};
std::string name(const EngineChoice& choice);  // "guest", "jit-v4"

struct EngineChoices {
  std::vector<EngineChoice> usable;   // guest first
  std::vector<std::string> unusable;  // with the reason
};
// All engines, or those that `names` lists ("guest", "ir", "jit", "jit-v3", "jit-v4", "jit-a64",
// "jit-v4-fp16", "jit-a64-fp16"). Errors: an unknown name; resource_limit if memory is missing.
Result<EngineChoices> choose_engines(const Engine& engine, const std::vector<std::string>& names);

}  // namespace warpjit::tool
