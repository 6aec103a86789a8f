// warpjit_fuzz: random programs through all engines. Stops at the first difference.
//   warpjit_fuzz --seeds 1..20000
//   warpjit_fuzz --isa pica200 --stage pixels --seeds 1..20000
//   warpjit_fuzz --isa tesla --seeds 1..20000
//   warpjit_fuzz --isa valhall --seeds 1..20000
//   warpjit_fuzz --isa valhall --stage fragment --seeds 1..20000
//   warpjit_fuzz --isa usse --seeds 1..20000
// With --digest instead: one engine's results as a line a seed, to compare hosts (scripts/same-bits).
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "engines.h"
#include "engines/fuzzer.h"
#include "files.h"
#include "launch/bound_launch.h"

namespace {

using namespace warpjit;
using namespace warpjit::fuzz;
using namespace warpjit::tool;

// Writes the digests of all seeds; the exit code.
int write_digests(Fuzzer& fuzzer, const Options& options, std::uint64_t first, std::uint64_t last) {
  const EngineKind kind = *parse_engine(options.engine);
  const Target target = *parse_target(options.target);
  if (const auto error = fuzzer.unavailable(kind, target)) {
    fmt::print(stderr, "warpjit_fuzz: {}\n", to_string(*error));
    return 4;
  }
  std::string text;
  for (std::uint64_t seed = first; seed <= last; ++seed) text += fuzzer.digest(seed, kind, target);
  if (options.digest == "-") {
    fmt::print("{}", text);
  } else if (const Status written = write_file(options.digest, text); !written) {
    fmt::print(stderr, "warpjit_fuzz: {}\n", to_string(written.error()));
    return 2;
  }
  fmt::print(stderr, "{} programs, engine {}; {}\n", last - first + 1, options.engine, fuzzer.limited());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Runs random programs through all engines and compares the results bit by bit.",
               "warpjit_fuzz"};
  app.add_option("--isa", options.isa, "of the programs")
      ->check(CLI::IsMember({"pica200", "tesla", "valhall", "usse"}))
      ->capture_default_str();
  app.add_option("--seeds", options.seeds, "first..last")->capture_default_str();
  app.add_option("--dispatch-share", options.dispatch_share,
                 "percent of the programs that also run in the dispatcher")
      ->check(CLI::Range(0u, 100u))
      ->capture_default_str();
  app.add_option("--registers-share", options.register_share,
                 "percent that also run with 4 registers a class")
      ->check(CLI::Range(0u, 100u))
      ->capture_default_str();
  app.add_option("--wide-share", options.wide_share,
                 "percent of the kernels that also run in groups as wide as their blocks allow")
      ->check(CLI::Range(0u, 100u))
      ->capture_default_str();
  app.add_option("--size", options.size, "mean number of instructions")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  app.add_option("--stage", options.stage,
                 "pica200: vertex, geometry or mixed, of which a quarter are geometry programs, or pixels "
                 "for states of "
                 "the fixed function and command lists; tesla, valhall and usse: fragment, or mixed for "
                 "kernels and vertices")
      ->check(CLI::IsMember({"vertex", "geometry", "pixels", "fragment", "mixed"}))
      ->capture_default_str();
  app.add_option("--out", options.out, "folder for the launch file of a finding")->capture_default_str();
  app.add_flag("--observed", options.observed,
               "compare the guest interpreter with itself while an observer sees it");
  app.add_flag("--no-jit", options.no_jit, "compare the two interpreters only");
  app.add_option(
      "--digest", options.digest,
      "run one engine and write a checksum of each seed's results to this file (-: standard output)");
  app.add_option("--engine", options.engine, "engine for --digest")
      ->check(CLI::IsMember({"guest", "ir", "jit"}))
      ->capture_default_str();
  app.add_option("--target", options.target, "target of the JIT for --digest")
      ->check([](const std::string& text) {
        return parse_target(text) ? std::string() : "unknown target " + text;
      })
      ->capture_default_str();
  app.add_flag("--verbose", options.verbose, "name every seed before it runs");
  app.allow_windows_style_options(false);  // a word that begins with / is a file
  CLI11_PARSE(app, argc, argv);
  unsigned long long first = 0, last = 0;
  char rest = 0;
  if (std::sscanf(options.seeds.c_str(), "%llu..%llu%c", &first, &last, &rest) != 2 || last < first) {
    fmt::print(stderr, "warpjit_fuzz: --seeds must be FIRST..LAST\n");
    return 2;
  }
  const bool tesla = options.isa == "tesla", valhall = options.isa == "valhall", usse = options.isa == "usse";
  const bool fragment = options.stage == "fragment";
  if (options.stage != "mixed" && fragment != (tesla || valhall || usse)) {
    fmt::print(stderr, "warpjit_fuzz: --stage {} is not of {}\n", options.stage, options.isa);
    return 2;
  }
  const bool pixels = options.stage == "pixels";
  const std::unique_ptr<Fuzzer> fuzzer = pixels                ? make_pica200_pixels_fuzzer(options)
                                         : fragment && valhall ? make_valhall_fragment_fuzzer(options)
                                         : fragment && usse    ? make_usse_fragment_fuzzer(options)
                                         : fragment            ? make_tesla_fragment_fuzzer(options)
                                         : tesla               ? make_tesla_fuzzer(options)
                                         : valhall             ? make_valhall_fuzzer(options)
                                         : usse                ? make_usse_fuzzer(options)
                                                               : make_pica200_fuzzer(options);
  if (!options.digest.empty()) return write_digests(*fuzzer, options, first, last);
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    if (options.verbose) fmt::print(stderr, "seed {}\n", seed);
    if (!fuzzer->run(seed)) return 1;
    if (!fuzzer->failed_alone().empty()) {
      fmt::print("seed {}: {}\n", seed, fuzzer->failed_alone());
      return 1;
    }
    if ((seed - first) % 1000 == 999) fmt::print(stderr, "{} programs\n", seed - first + 1);
  }
  if (options.observed) {
    const auto& seen = fuzzer->observed();
    fmt::print(
        "{} programs{}, with and without an observer: no difference; {} groups, {} steps, {} words of "
        "results in "
        "registers, {} stored bytes\n",
        last - first + 1, fuzzer->counts(), seen.groups, seen.steps, seen.words, seen.stored);
    return 0;
  }
  fmt::print("{} programs{}, guest and IR interpreter and {} JIT targets: no difference; {}\n",
             last - first + 1, fuzzer->counts(), fuzzer->target_count(), fuzzer->limited());
  return 0;
}
