#include "engines/fuzzer.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "files.h"
#include "runtime/engine/engine.h"

namespace warpjit::fuzz {
const RunOptions& Configuration::options() const {
  runtime::TestHooks hooks = engine->state().hooks();
  hooks.dispatch_all = dispatch;
  engine->state().set_hooks(hooks);
  return run;
}

// What is wrong inside is not the same each time.
std::string end_text(const Error& error) {
  return error.code == ErrorCode::internal ? to_string(error) : std::string(name(error.code));
}

std::uint64_t mix(std::uint64_t seed) {
  seed = (seed + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
  seed ^= seed >> 29;
  seed *= 0x94d049bb133111eb;
  return seed ^ (seed >> 32);
}

Fuzzer::Fuzzer(const Options& options) : options_(options) {
  // As for a processor of another family.
  backend::Tuning other = backend::tuning_here();
  other.extracts_lanes = !other.extracts_lanes;
  few_registers_.state().set_hooks({.speculate = false, .registers = 4, .tuning = other});
  wide_.state().set_hooks({.parts = 64});  // the widest groups there are, on every target
  const EngineInfo info = full_.info();
  if (info.jit && !options.no_jit) targets_ = info.targets;
  // For guests other than Valhall these have the code of v4 and a64.
  if (options.isa != "valhall")
    std::erase_if(targets_, [](Target t) { return t == Target::v4_fp16 || t == Target::a64_fp16; });
}

std::optional<Error> Fuzzer::unavailable(EngineKind kind, Target target) const {
  const EngineInfo info = full_.info();
  if (kind != EngineKind::jit) return std::nullopt;
  if (!info.jit) return Error{ErrorCode::target_unavailable, info.no_jit_reason, "--engine jit"};
  const auto& targets = info.targets;
  if (target == Target::automatic || std::find(targets.begin(), targets.end(), target) != targets.end())
    return std::nullopt;
  return Error{ErrorCode::target_unavailable, "this machine or build does not run it", "--target"};
}

std::vector<Configuration> Fuzzer::configurations(const RunOptions& base, const Ways& ways) const {
  std::vector<Configuration> list;
  const auto add = [&](EngineKind kind, Target target, const Engine& engine, bool dispatch_all,
                       const char* suffix) {
    RunOptions run = base;
    run.engine = kind;
    run.target = target;
    std::string name(warpjit::name(kind));
    if (kind == EngineKind::jit) name += "-" + std::string(warpjit::name(target));
    list.push_back({name + suffix, &engine, run, dispatch_all});
  };
  if (options_.observed) {
    add(EngineKind::guest, Target::automatic, observed_, false, "+observed");
    return list;
  }
  add(EngineKind::ir, Target::automatic, full_, false, "");
  if (ways.dispatch) add(EngineKind::ir, Target::automatic, full_, true, "+dispatch");
  for (const Target target : targets_) {
    add(EngineKind::jit, target, full_, false, "");
    if (ways.dispatch) add(EngineKind::jit, target, full_, true, "+dispatch");
    if (ways.few_registers) add(EngineKind::jit, target, few_registers_, false, "+registers4");
    if (ways.wide) add(EngineKind::jit, target, wide_, false, "+wide");
  }
  return list;
}

std::vector<Configuration> Fuzzer::digested(const RunOptions& base, EngineKind kind, Target target,
                                            const Ways& ways) const {
  RunOptions run = base;
  run.engine = kind;
  run.target = target;
  std::vector<Configuration> list = {{"", &full_, run}};
  if (kind == EngineKind::jit && ways.few_registers) list.push_back({"+registers4", &few_registers_, run});
  if (kind != EngineKind::guest && ways.dispatch)
    list.insert(list.begin() + 1, {"+dispatch", &full_, run, true});
  return list;
}

void Fuzzer::write_finding(const std::string& name, const std::string& json, std::uint64_t fuel) const {
  const std::string file = options_.out + "/" + name;
  if (const Status written = tool::write_file(file, json + "\n"); !written)
    fmt::print(stderr, "warpjit_fuzz: {}\n", to_string(written.error()));
  else
    fmt::print("launch file: {0} (warpjit verify {0} --dispatch --fuel {1})\n", file, fuel);
}

void Fuzzer::count_limited(const std::string& reason) {
  std::string alike;
  for (const char c : reason) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit || alike.empty() || alike.back() != '#') alike += digit ? '#' : c;
  }
  ++limited_[alike];
}

std::string Fuzzer::limited() const {
  std::uint64_t all = 0;
  std::vector<std::pair<std::uint64_t, std::string>> reasons;
  for (const auto& [reason, count] : limited_) {
    all += count;
    reasons.emplace_back(count, reason);
  }
  std::ranges::sort(reasons, std::greater<>());
  std::string text = fmt::format("{} runs beyond limits", all);
  constexpr std::size_t kShown = 4;
  for (std::size_t k = 0; k < std::min(reasons.size(), kShown); ++k)
    text += fmt::format("{} {}: {}", k == 0 ? " (" : ";", reasons[k].first, reasons[k].second);
  return text + (reasons.empty() ? "" : reasons.size() > kShown ? "; ...)" : ")");
}

void Fuzzer::clear_caches() const {
  full_.clear_cache();
  few_registers_.clear_cache();
  wide_.clear_cache();
  observed_.clear_cache();
}

}  // namespace warpjit::fuzz
