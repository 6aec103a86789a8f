// Random kernels of a guest on grids. For a difference a fuzzer shows the seed,
// the listing and a launch file.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "base/hash.h"
#include "engines/fuzzer.h"
#include "launch/write_launch.h"

namespace warpjit::fuzz {

// How a run ended, and the memory after it. All engines give the same kind of error.
struct Outcome {
  std::string end, fault;
  std::vector<std::uint32_t> memory;
  std::string message{};
};

// If there are several faults, another one of them may be the first (Report::fault).
inline bool is_same(const Outcome& wanted, const Outcome& got) {
  return wanted.end == got.end && wanted.fault.empty() == got.fault.empty() && wanted.memory == got.memory;
}

// Guest says what differs. Kernel is a random program with the extents of its launch and the size of its
// output, which has 32 words for each thread first; Variation is what else a seed varies,
// host threads among it.
template <class Guest>
class GridFuzzer final : public Fuzzer {
 public:
  explicit GridFuzzer(const Options& options) : Fuzzer(options) {}

  bool run(std::uint64_t seed) override {
    const Variation variation = Guest::vary(seed);
    const Kernel kernel = Guest::make(seed, options_);
    const auto finding = check(kernel, variation, seed);
    if (finding) report(seed, kernel, variation, *finding);
    clear_caches();
    return !finding;
  }

  std::string digest(std::uint64_t seed, EngineKind kind, Target target) override {
    const Variation variation = Guest::vary(seed);
    const Kernel kernel = Guest::make(seed, options_);
    std::string lines;
    RunOptions base;
    base.threads = variation.host_threads;
    for (const Configuration& way : digested(base, kind, target, ways(seed))) {
      const Outcome got = outcome(kernel, variation, *way.engine, way.options());
      lines += fmt::format("{}{} {:016x} {} {}\n", seed, way.name,
                           hash_bytes(std::as_bytes(std::span(got.memory))), got.end, got.fault);
    }
    clear_caches();
    return lines;
  }

  std::string counts() const override {
    return fmt::format(", {} runs with another first fault", other_faults_);
  }

 private:
  using Kernel = typename Guest::Kernel;
  using Variation = typename Guest::Variation;
  static constexpr const char* kLimited = "beyond a limit";

  // What went wrong in one way of running.
  struct Finding {
    std::string way;
    Outcome wanted, got;
  };
  std::optional<Finding> check(const Kernel& kernel, const Variation& variation, std::uint64_t seed) {
    RunOptions guest;
    guest.engine = EngineKind::guest;
    guest.threads = 1;
    const Outcome wanted = outcome(kernel, variation, full_, guest);
    RunOptions base;
    base.threads = variation.host_threads;
    for (const Configuration& way : configurations(base, ways(seed))) {
      const Outcome got = outcome(kernel, variation, *way.engine, way.options());
      if (got.end == kLimited) continue;
      other_faults_ += got.fault != wanted.fault ? 1 : 0;
      if (!is_same(wanted, got)) return Finding{way.name, wanted, got};
    }
    return std::nullopt;
  }

  // NOPs for every instruction that does not matter. What is left may race, so it runs on one thread: then
  // all engines still make its accesses in the same order. It must end in the guest interpreter.
  Kernel minimize(Kernel kernel, Variation variation, std::uint64_t seed) {
    variation.host_threads = 1;
    const auto shows = [&] {
      const auto finding = check(kernel, variation, seed);
      clear_caches();
      return finding && finding->wanted.end == "done";
    };
    if (shows()) Guest::reduce(kernel, shows);
    return kernel;
  }

  Ways ways(std::uint64_t seed) const {
    const std::uint64_t bits = mix(seed);
    return {.dispatch = (bits >> 24) % 100 < options_.dispatch_share,
            .few_registers = (bits >> 32) % 100 < options_.register_share,
            .wide = (bits >> 46) % 100 < options_.wide_share};
  }

  Outcome outcome(const Kernel& kernel, const Variation& variation, const Engine& engine,
                  const RunOptions& options) {
    const auto shader = Guest::shader(kernel, variation);
    if (!shader) return {to_string(shader.error()), {}, {}};
    Launch launch{Program(*shader)};
    for (const Status& set : {launch.set_grid(kernel.grid[0], kernel.grid[1], kernel.grid[2]),
                              launch.set_block(kernel.block[0], kernel.block[1], kernel.block[2])})
      if (!set) return {to_string(set.error()), {}, {}};
    launch.set_fuel(Guest::kFuel);
    Kernel copy = kernel;  // of what is mapped
    Outcome result{"done", "", std::vector<std::uint32_t>(kernel.output_words)};
    if (const Status bound = Guest::bind(launch, copy, result.memory); !bound)
      return {to_string(bound.error()), {}, {}};
    const auto report = engine.run(launch, options);
    const bool is_refused =
        report ? report->engine != options.engine && Guest::may_be_left(kernel)
               : report.error().code == ErrorCode::resource_limit ||
                     (report.error().code == ErrorCode::unsupported && Guest::may_be_left(kernel));
    if (is_refused) {
      count_limited(report ? report->interpreted_because : report.error().message);
      return {kLimited, {}, {}};
    }
    if (!report) {
      result.end = end_text(report.error());
      result.message = to_string(report.error());
      result.memory.clear();
    } else if (report->engine != options.engine) {
      result.end = "ran on another engine: " + report->interpreted_because;
    } else if (report->fault) {
      result.fault = report->fault->what + " at " + report->fault->where;
    }
    return result;
  }

  void report(std::uint64_t seed, const Kernel& kernel, const Variation& variation, const Finding& finding) {
    fmt::print("seed {}: {} against guest\n", seed, finding.way);
    print_difference(finding);
    fmt::print("{} host threads\n\n{}\n", variation.host_threads, disassemble(kernel.program));
    const Kernel reduced = minimize(kernel, variation, seed);
    fmt::print("what matters of it:\n{}\n", disassemble(reduced.program));
    if (const auto still = check(reduced, variation, seed)) {
      fmt::print("{}\n", still->way);
      print_difference(*still);
    }
    write_finding(fmt::format("fuzz-{}-{}.json", Guest::kName, seed),
                  tool::write_launch(Guest::launch_of(reduced, variation), 0, 0).dump(1), Guest::kFuel);
  }

  static void print_difference(const Finding& finding) {
    const auto& [way, wanted, got] = finding;
    fmt::print("wanted: {} {}{}\n   got: {} {}{}\n", wanted.end, wanted.fault, wanted.message, got.end,
               got.fault, got.message);
    if (got.memory.size() == wanted.memory.size()) {
      const auto [a, b] = std::mismatch(wanted.memory.begin(), wanted.memory.end(), got.memory.begin());
      if (a != wanted.memory.end())
        fmt::print("output byte {:#x}, thread {}: wanted {:#010x}, got {:#010x}\n",
                   4 * (a - wanted.memory.begin()), (a - wanted.memory.begin()) / 32, *a, *b);
    }
  }

  std::uint64_t other_faults_ = 0;
};

}  // namespace warpjit::fuzz
