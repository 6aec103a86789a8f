#include "engines.h"

#include <algorithm>

#include "base/result.h"

namespace warpjit::tool {

std::string name(const EngineChoice& choice) {
  std::string text = warpjit::name(choice.engine);
  if (choice.engine == EngineKind::jit) text += std::string("-") + warpjit::name(choice.target);
  return text;
}

Result<EngineChoices> choose_engines(const Engine& engine, const std::vector<std::string>& names) {
  constexpr EngineChoice kAll[] = {
      {EngineKind::guest, Target::automatic}, {EngineKind::ir, Target::automatic},
      {EngineKind::jit, Target::v3},          {EngineKind::jit, Target::v4},
      {EngineKind::jit, Target::a64},         {EngineKind::jit, Target::v4_fp16},
      {EngineKind::jit, Target::a64_fp16}};
  for (const std::string& text : names) {
    const bool known =
        text == "jit" || std::any_of(std::begin(kAll), std::end(kAll),
                                     [&](const EngineChoice& choice) { return name(choice) == text; });
    if (!known)
      return Error{ErrorCode::bad_input,
                   "unknown engine '" + text +
                       "': guest, ir, jit, jit-v3, jit-v4, jit-v4-fp16, jit-a64 and jit-a64-fp16 are known",
                   "--engines"};
  }
  const EngineInfo info = engine.info();
  // Not a machine without a JIT: comparing the rest would say less than it seems to.
  if (!info.jit && info.no_jit_reason == no_memory().message) return no_memory();
  EngineChoices choices;
  for (const EngineChoice& choice : kAll) {
    const bool wanted =
        names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& text) {
          return text == name(choice) || (text == "jit" && choice.engine == EngineKind::jit);
        });
    if (!wanted) continue;
    const bool target_runs =
        std::find(info.targets.begin(), info.targets.end(), choice.target) != info.targets.end();
    if (choice.engine != EngineKind::jit || (info.jit && target_runs))
      choices.usable.push_back(choice);
    else
      choices.unusable.push_back(name(choice) + ": " +
                                 (info.jit ? "this machine or build does not run it" : info.no_jit_reason));
  }
  return choices;
}

}  // namespace warpjit::tool
