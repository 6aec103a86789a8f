// warpjit host --cost: what operations cost on this machine, measured,
// beside the table that the listing uses.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "backend/cost.h"
#include "base/float_environment.h"
#include "command.h"
#include "output.h"
#include "runtime/code/code_memory.h"

namespace warpjit::tool {

namespace {

using backend::Op;

constexpr const char* kNames[] = {
#define LIR_OP(name, ...) #name,
#include "backend/lir/opcodes.inc"
#undef LIR_OP
};

// Nanoseconds of one operation of a probe, the least of several runs.
Result<double> measure(runtime::CodeMemory& memory, const Result<backend::MachineCode>& probe) {
  if (!probe) return probe.error();
  const backend::MachineCode& code = *probe;
  WARPJIT_TRY(const runtime::CodeMemory::Block block,
              memory.place(code.bytes, {"probe", {}}, code.alignment));
  alignas(64) std::array<std::uint32_t, backend::kProbeTable / 4> table;
  table.fill(0x3f800000);
  const auto entry = reinterpret_cast<void (*)(backend::KernelArgs*)>(
      reinterpret_cast<std::uintptr_t>(block.address() + code.kernel_offset));
  const FloatEnvironment environment;
  constexpr std::uint64_t kGroups = 1000;
  constexpr int kRuns = 12;
  double least = 0;
  for (int run = 0; run < kRuns; ++run) {
    backend::KernelArgs args{};
    args.table = table.data();
    args.group_count = kGroups;
    const auto begin = std::chrono::steady_clock::now();
    entry(&args);
    const double ns =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
    if (run == 0 || ns < least) least = ns;
  }
  return least / (double{kGroups} * backend::kProbeRepeats);
}

}  // namespace

int print_costs(const std::string& target_name, bool json) {
  std::vector<backend::Target> targets;
  for (const backend::Target target : {backend::Target::x64_v3, backend::Target::x64_v4})
    if (backend::runs_here(target) && (target_name == "automatic" || target_name == backend::name(target)))
      targets.push_back(target);
  if (targets.empty())
    return fail({ErrorCode::target_unavailable,
                 "there is no table of this target, or this machine does not run it", target_name});
  const auto memory = runtime::CodeMemory::create(CodeMemory::automatic);
  if (!memory) return fail(memory.error());
  const auto clock = measure(**memory, backend::compile_probe(targets[0], backend::kClock, true));
  if (!clock) return fail(clock.error());
  Json all = Json::array();
  if (!json) print_out("One clock (an addition of scalars): {:.3f} ns. In parentheses: the table.\n", *clock);
  for (const backend::Target target : targets) {
    if (!json) print_out("\n{:<18}{:>20}{:>20}\n", backend::name(target), "latency", "clocks");
    Json operations = Json::array();
    for (const backend::OperationCost& cost : backend::costs(target)) {
      const auto apart = measure(**memory, backend::compile_probe(target, cost.op, false));
      const bool waits = cost.latency != 0;
      const auto waiting =
          waits ? measure(**memory, backend::compile_probe(target, cost.op, true)) : Result<double>(0.0);
      if (!apart) return fail(apart.error());
      if (!waiting) return fail(waiting.error());
      const char* name = kNames[static_cast<std::size_t>(cost.op)];
      const double clocks = *apart / *clock, latency = *waiting / *clock;
      if (json) {
        operations.push_back(
            {{"operation", name},
             {"latency", waits ? Json(latency) : Json()},
             {"clocks", clocks},
             {"table", {{"latency", waits ? Json(cost.latency) : Json()}, {"clocks", cost.clocks}}}});
        continue;
      }
      print_out("{:<18}{:>20}{:>20}\n", name,
                waits ? fmt::format("{:.1f} ({:.0f})", latency, cost.latency) : "",
                fmt::format("{:.2f} ({:.2f})", clocks, cost.clocks));
    }
    const auto right = measure(**memory, backend::compile_mode_probe(target, true)),
               as_they_come = measure(**memory, backend::compile_mode_probe(target, false));
    if (!right) return fail(right.error());
    if (!as_they_come) return fail(as_they_come.error());
    if (!json)
      print_out(
          "Changes of the float mode: {:.1f} clocks where Zen 5 guesses them right, {:.1f} as they come.\n",
          *right / *clock, *as_they_come / *clock);
    all.push_back(
        {{"target", backend::name(target)},
         {"operations", std::move(operations)},
         {"mode_change", {{"clocks", *right / *clock}, {"clocks_as_they_come", *as_they_come / *clock}}}});
  }
  if (json) print_json({{"clock_ns", *clock}, {"targets", std::move(all)}});
  return kOk;
}

}  // namespace warpjit::tool
