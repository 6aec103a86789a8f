// Random programs of one guest through all engines.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "debug/observed_runs.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::fuzz {

struct Options {
  std::string isa = "pica200", seeds = "1..300", out = ".", digest, engine = "jit", target = "automatic",
              stage = "mixed";
  unsigned dispatch_share = 10, register_share = 10, wide_share = 25, size = 60;
  bool no_jit = false, verbose = false;
  bool observed = false;  // the guest interpreter with an observer, in place of other engines
};

// Pseudorandom bits from a seed.
std::uint64_t mix(std::uint64_t seed);

// How a run ended that did not give results.
std::string end_text(const Error& error);

// A way to run a program.
struct Configuration {
  std::string name;
  const Engine* engine;
  RunOptions run;
  bool dispatch = false;
  // Makes the engine run this way, and gives the options for that.
  const RunOptions& options() const;
};

class Fuzzer {
 public:
  explicit Fuzzer(const Options& options);
  virtual ~Fuzzer() = default;

  // Runs one seed; reports and returns false if the engines differ.
  virtual bool run(std::uint64_t seed) = 0;
  // How the seed's runs by one engine end, with checksums of all results, one line each. The text is the same
  // on every host.
  virtual std::string digest(std::uint64_t seed, EngineKind kind, Target target) = 0;
  // Further counts for the summary, beginning with a comma.
  virtual std::string counts() const { return {}; }

  std::size_t target_count() const { return targets_.size(); }
  // Of runs with an observer: what they did, and what failed without one alone.
  const tests::ObservedRuns::Counts& observed() const { return observer_.counts(); }
  const std::string& failed_alone() { return observer_.failed_alone(); }
  // Runs that were refused because they are beyond a limit of the compiler: how many, and why.
  std::string limited() const;
  // The error that one engine always gives here, if it cannot run.
  std::optional<Error> unavailable(EngineKind kind, Target target) const;

 protected:
  struct Ways {
    bool dispatch = false, few_registers = false, wide = false;
  };
  // The IR interpreter and every target, as `base` says; if asked for, again in the dispatcher, with four
  // registers of each class, with the widest groups.
  std::vector<Configuration> configurations(const RunOptions& base, const Ways& ways) const;
  // The configurations that a digest contains; their names are what their lines add to the seed. Wide groups
  // are beyond a limit on some hosts only.
  std::vector<Configuration> digested(const RunOptions& base, EngineKind kind, Target target,
                                      const Ways& ways) const;
  void clear_caches() const;
  // Writes the launch file of a finding into the folder of the options and says how to look at it.
  void write_finding(const std::string& name, const std::string& json, std::uint64_t fuel) const;

  // A run that was refused.
  void count_limited(const std::string& reason);

  const Options& options_;
  // With the verifiers between all stages.
  static EngineOptions checked() {
    EngineOptions options;
    options.checks = true;
    return options;
  }
  Engine full_{checked()}, few_registers_{checked()}, wide_{checked()}, observed_;
  tests::ObservedRuns observer_{observed_};
  std::vector<Target> targets_;
  std::map<std::string, std::uint64_t> limited_;  // by their reason, numbers in it as #
};

std::unique_ptr<Fuzzer> make_pica200_fuzzer(const Options& options);
std::unique_ptr<Fuzzer> make_pica200_pixels_fuzzer(const Options& options);
std::unique_ptr<Fuzzer> make_tesla_fuzzer(const Options& options);
std::unique_ptr<Fuzzer> make_tesla_fragment_fuzzer(const Options& options);
std::unique_ptr<Fuzzer> make_valhall_fuzzer(const Options& options);
std::unique_ptr<Fuzzer> make_valhall_fragment_fuzzer(const Options& options);
std::unique_ptr<Fuzzer> make_usse_fuzzer(const Options& options);
std::unique_ptr<Fuzzer> make_usse_fragment_fuzzer(const Options& options);

}  // namespace warpjit::fuzz
