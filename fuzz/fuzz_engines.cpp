// warpjit_fuzz: random PICA200 programs through all engines. Stops at the first difference and prints the
// seed, the listing and a launch file that shows it.
//   warpjit_fuzz --seeds 1..20000
// With --digest instead: one engine's results as a line a seed, to compare hosts (scripts/same-bits).
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <utility>

#include "bound_launch.h"
#include "files.h"
#include "frontend/pica200/disassemble.h"
#include "frontend/pica200/random.h"
#include "launch_write.h"

namespace {

using namespace warpjit;
using namespace warpjit::tool;

struct Options {
  std::string seeds = "1..300", out = ".", digest, engine = "jit", target = "automatic", stage = "mixed";
  unsigned dispatch_share = 10, register_share = 10, size = 60;
  bool no_jit = false, verbose = false;
};

// What one seed varies besides its program.
struct Variation {
  unsigned threads, host_threads, size;
  bool dispatch, few_registers, generic, flow, f24, geometry, shared_ends;
  PrimitiveMode mode;
};

std::uint64_t mix(std::uint64_t seed) {
  seed = (seed + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
  seed ^= seed >> 29;
  seed *= 0x94d049bb133111eb;
  return seed ^ (seed >> 32);
}

Variation vary(std::uint64_t seed, const Options& options) {
  constexpr unsigned kThreads[] = {1, 7, 8, 16, 17, 33, 64, 100};
  const std::uint64_t bits = mix(seed);
  Variation variation{};
  variation.threads = kThreads[bits % 8];
  variation.host_threads = (bits >> 8) % 8 == 0 ? 2 : 1;
  variation.size = 4 + static_cast<unsigned>((bits >> 16) % (2 * options.size));
  variation.dispatch = (bits >> 24) % 100 < options.dispatch_share;
  variation.few_registers = (bits >> 32) % 100 < options.register_share;
  variation.generic = (bits >> 40) % 4 == 0;
  variation.flow = (bits >> 44) % 8 != 0;
  variation.f24 = (bits >> 48) % 8 == 0;
  variation.geometry = options.stage == "geometry" || (options.stage == "mixed" && (bits >> 52) % 4 == 0);
  constexpr PrimitiveMode kModes[] = {PrimitiveMode::fixed, PrimitiveMode::variable, PrimitiveMode::point,
                                      PrimitiveMode::point};
  variation.mode = variation.threads > 1 ? kModes[bits >> 60 & 3] : PrimitiveMode::point;
  variation.shared_ends = (bits >> 56) % 8 == 0;
  return variation;
}

// Takes the inputs away and gives them to a vertex program, `mov o0, v0` to `mov o3, v3`. In fixed mode two
// of its vertices fill c16 to c23; in variable mode one to six of them fill registers from c1 on.
void add_vertex_stage(LaunchFile& launch, PrimitiveMode mode, std::uint64_t seed) {
  LaunchFile stage;
  stage.name = launch.name;
  for (std::uint32_t reg = 0; reg < 4; ++reg)
    stage.program.code.push_back(0x4c000000 | reg << 21 | reg << 12);
  stage.program.code.push_back(0x88000000);
  stage.program.descriptors = {0x0d86c36f};
  for (std::uint8_t reg = 0; reg < 4; ++reg)
    stage.outputs.push_back({"o" + std::to_string(reg), {pica200::ExitFile::o, reg}, 4});
  stage.count = stage.rows = launch.count;
  std::swap(stage.buffers, launch.buffers);
  std::swap(stage.inputs, launch.inputs);
  launch.geometry.mode = mode;
  if (mode == PrimitiveMode::fixed) {
    launch.geometry.first = 16;
    launch.geometry.vertices = 2;
  } else {
    launch.geometry.full_vertices = static_cast<unsigned>(1 + seed % 3);
    for (std::uint64_t n = 0; n < stage.count; ++n) {
      const std::uint64_t bits = mix(seed + n);
      const auto vertices = static_cast<std::uint32_t>(1 + bits % 6);
      launch.primitives.push_back(vertices);
      for (std::uint32_t k = 0; k < vertices; ++k)
        launch.primitives.push_back(static_cast<std::uint32_t>((bits >> (8 + 9 * k)) % stage.count));
    }
  }
  launch.vertex.push_back(std::move(stage));
}

LaunchFile make_launch(std::uint64_t seed, const Variation& variation) {
  pica200::RandomOptions random;
  random.threads = variation.threads;
  random.size = variation.size;
  random.flow = variation.flow;
  random.geometry = variation.geometry;
  random.shared_ends = variation.shared_ends;
  random.jumps = variation.flow && seed % 3 != 0;
  pica200::RandomProgram generated = pica200::random_program(seed, random);
  LaunchFile launch;
  launch.name = fmt::format("seed {}", seed);
  launch.program = std::move(generated.program);
  launch.program.f24 = variation.f24;
  launch.uniforms = generated.uniforms;
  launch.count = launch.rows = generated.threads.size();
  LaunchBuffer buffer;
  for (const pica200::ThreadState& state : generated.threads) {
    const auto* begin = reinterpret_cast<const std::byte*>(state.v);
    buffer.bytes.insert(buffer.bytes.end(), begin, begin + sizeof state.v);
  }
  launch.buffers.push_back(std::move(buffer));
  for (std::uint8_t reg = 0; reg < 16; ++reg) {
    launch.inputs.push_back(
        {"v" + std::to_string(reg), reg, f32x4, 0, 16u * reg, sizeof pica200::ThreadState::v});
    if (!variation.geometry)
      launch.outputs.push_back({"o" + std::to_string(reg), {pica200::ExitFile::o, reg}, 4});
    // Half of the programs also give up their temporaries, which keeps all of them alive.
    if (seed % 2 == 0) launch.outputs.push_back({"r" + std::to_string(reg), {pica200::ExitFile::r, reg}, 4});
  }
  launch.outputs.push_back({"a0", {pica200::ExitFile::a0, 0}, 2});
  launch.outputs.push_back({"aL", {pica200::ExitFile::aL, 0}, 1});
  launch.outputs.push_back({"cmp", {pica200::ExitFile::cmp, 0}, 2});
  if (!variation.geometry) return launch;
  // What an invocation leaves behind may keep it from running in lanes: half of them give up triangles only.
  if (seed % 2 != 0) launch.outputs.clear();
  if (seed % 4 == 0) launch.outputs.push_back({"emit", {pica200::ExitFile::emit, 0}, 3});
  launch.geometry.outputs = launch.program.output_mask;
  launch.geometry.max_triangles = std::max(1u, generated.most_triangles);
  if (variation.mode != PrimitiveMode::point) add_vertex_stage(launch, variation.mode, seed);
  return launch;
}

struct Configuration {
  std::string name;
  const Engine* engine;
  RunOptions run;
};

// What went wrong with one configuration, if anything; `reference` holds the guest interpreter's results.
struct Finding {
  std::string configuration, text;
  std::optional<Mismatch> mismatch;
};

class Fuzzer {
 public:
  explicit Fuzzer(const Options& options) : options_(options), few_registers_(with_few_registers()) {
    const EngineInfo info = full_.info();
    targets_ = info.jit && !options.no_jit ? info.targets : std::vector<Target>();
  }

  std::size_t target_count() const { return targets_.size(); }
  // Kernels that were refused because they are beyond a limit of the compiler.
  std::uint64_t limited() const { return limited_; }
  // Geometry programs, and those of them whose invocations ran in lanes.
  std::uint64_t geometry() const { return geometry_; }
  std::uint64_t in_lanes() const { return in_lanes_; }

  // Runs one seed; false if the engines differ.
  bool run(std::uint64_t seed) {
    const Variation variation = vary(seed, options_);
    const auto finding = check(make_launch(seed, variation), variation);
    if (!finding) return true;
    report(seed, variation, *finding);
    return false;
  }

  // The error that one engine always gives here, if it cannot run.
  std::optional<Error> unavailable(EngineKind kind, Target target) const {
    const EngineInfo info = full_.info();
    if (kind != EngineKind::jit) return std::nullopt;
    if (!info.jit) return Error{ErrorCode::target_unavailable, info.no_jit_reason, "--engine jit"};
    const auto& targets = info.targets;
    if (target == Target::automatic || std::find(targets.begin(), targets.end(), target) != targets.end())
      return std::nullopt;
    return Error{ErrorCode::target_unavailable, "this machine or build does not run it", "--target"};
  }

  // How the seed's runs by one engine end, and the checksums of all their results, a line each. The same text
  // on every host.
  std::string digest(std::uint64_t seed, EngineKind kind, Target target) {
    const Variation variation = vary(seed, options_);
    auto bound = BoundLaunch::make(make_launch(seed, variation));
    if (!bound) return fmt::format("{} {}\n", seed, to_string(bound.error()));
    std::string lines;
    const auto add = [&](const char* suffix, const Engine& engine, bool dispatch) {
      RunOptions run = base_options(variation);
      run.engine = kind;
      run.target = target;
      run.dispatch_all = dispatch;
      const auto report = bound->run(engine, run);
      lines += fmt::format("{}{} ", seed, suffix);
      lines += report ? fmt::format("{:016x} done\n", bound->checksum()) : to_string(report.error()) + "\n";
      limited_ += report && report->engine != kind;  // beyond a limit of the compiler: the IR interpreter ran
    };
    add("", full_, false);
    if (kind != EngineKind::guest && variation.dispatch) add("+dispatch", full_, true);
    if (kind == EngineKind::jit && variation.few_registers) add("+registers4", few_registers_, false);
    full_.clear_cache();
    few_registers_.clear_cache();
    return lines;
  }

 private:
  static RunOptions base_options(const Variation& variation) {
    RunOptions base;
    base.threads = variation.host_threads;
    base.fuel = pica200::kRandomFuel;
    base.generic = variation.generic;
    return base;
  }

  static EngineOptions with_few_registers() {
    EngineOptions options;
    options.registers = 4;
    options.speculate = false;
    return options;
  }

  std::vector<Configuration> configurations(const Variation& variation) const {
    const RunOptions base = base_options(variation);
    std::vector<Configuration> list;
    const auto add = [&](EngineKind kind, Target target, const Engine& engine, bool dispatch,
                         const std::string& suffix) {
      RunOptions run = base;
      run.engine = kind;
      run.target = target;
      run.dispatch_all = dispatch;
      list.push_back({fmt::format("{}{}{}{}", warpjit::name(kind), kind == EngineKind::jit ? "-" : "",
                                  kind == EngineKind::jit ? warpjit::name(target) : "", suffix),
                      &engine, run});
    };
    add(EngineKind::ir, Target::automatic, full_, false, "");
    if (variation.dispatch) add(EngineKind::ir, Target::automatic, full_, true, "+dispatch");
    for (const Target target : targets_) {
      add(EngineKind::jit, target, full_, false, "");
      if (variation.dispatch) add(EngineKind::jit, target, full_, true, "+dispatch");
      if (variation.few_registers) add(EngineKind::jit, target, few_registers_, false, "+registers4");
    }
    return list;
  }

  std::optional<Finding> check(LaunchFile launch, const Variation& variation) {
    auto bound = BoundLaunch::make(std::move(launch));
    if (!bound) return Finding{"bind", to_string(bound.error()), {}};
    RunOptions guest;
    guest.engine = EngineKind::guest;
    guest.threads = 1;
    guest.fuel = pica200::kRandomFuel;
    const auto report = bound->run(full_, guest);
    // Generated programs end, but these modes change what they compute with.
    if (!report && variation.geometry && variation.mode != PrimitiveMode::point) return std::nullopt;
    if (!report) return Finding{"guest", to_string(report.error()), {}};
    const std::vector<std::uint32_t> reference = bound->results();
    const std::vector<Configuration> list = configurations(variation);
    for (const Configuration& configuration : list) {
      const auto result = bound->run(*configuration.engine, configuration.run);
      if (!result && result.error().code == ErrorCode::resource_limit) {
        ++limited_;  // a documented limit, the same answer every time
        continue;
      }
      if (!result) return Finding{configuration.name, to_string(result.error()), {}};
      if (&configuration == &list.front() && bound->file().is_geometry()) {
        ++geometry_;
        in_lanes_ += !result->ordered;
      }
      if (result->engine != configuration.run.engine)
        return Finding{configuration.name, "ran on another engine", {}};
      if (const auto mismatch = compare_results(*bound, reference))
        return Finding{configuration.name, to_string(*mismatch), mismatch};
    }
    full_.clear_cache();
    few_registers_.clear_cache();
    return std::nullopt;
  }

  // Whether an engine differs from the guest interpreter, which must itself run to the end.
  bool shows(const LaunchFile& launch, const Variation& variation) {
    const auto finding = check(launch, variation);
    return finding && finding->configuration != "bind" && finding->configuration != "guest";
  }

  // One thread if it shows the difference alone, and NOPs for every instruction that does not matter.
  LaunchFile minimize(LaunchFile launch, const Variation& variation, const Finding& finding) {
    constexpr std::uint32_t kNop = 0x84000000;
    if (finding.mismatch && !launch.is_geometry()) {
      const FileReader no_files = [](const std::string& name) -> Result<std::vector<std::byte>> {
        return Error{ErrorCode::io, "no such file", name};
      };
      const Json one = write_launch(launch, finding.mismatch->thread, 1);
      auto alone = parse_launch(one.dump(), launch.name, no_files);
      if (alone && shows(*alone, variation)) launch = std::move(*alone);
    }
    if (!shows(launch, variation)) return launch;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t& word : launch.program.code) {
        const std::uint32_t before = std::exchange(word, kNop);
        if (before == kNop || shows(launch, variation))
          changed |= before != kNop;
        else
          word = before;
      }
    }
    return launch;
  }

  void report(std::uint64_t seed, const Variation& variation, const Finding& finding) {
    const LaunchFile whole = make_launch(seed, variation);
    fmt::print("seed {}: {} against guest: {}\n", seed, finding.configuration, finding.text);
    fmt::print("{} threads, {} host threads{}\n\n{}\n", whole.count, variation.host_threads,
               variation.generic ? ", generic" : "", pica200::disassemble(whole.program));
    const LaunchFile launch = minimize(whole, variation, finding);
    fmt::print("what matters of it:\n{}\n", pica200::disassemble(launch.program));
    if (const auto still = check(launch, variation))
      fmt::print("{}: {}\n", still->configuration, still->text);
    const std::string file = fmt::format("{}/fuzz-{}.json", options_.out, seed);
    const Json json = write_launch(launch, 0, launch.count);
    if (const Status written = write_file(file, json.dump(1) + "\n"); !written)
      fmt::print(stderr, "warpjit_fuzz: {}\n", to_string(written.error()));
    else
      fmt::print("launch file: {0} (warpjit verify {0} --dispatch --fuel {1})\n", file, pica200::kRandomFuel);
  }

  using Json = nlohmann::ordered_json;
  const Options& options_;
  Engine full_, few_registers_;
  std::vector<Target> targets_;
  std::uint64_t limited_ = 0, geometry_ = 0, in_lanes_ = 0;
};

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
  fmt::print(stderr, "{} programs, engine {}; {} runs beyond limits\n", last - first + 1, options.engine,
             fuzzer.limited());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Runs random PICA200 programs through all engines and compares the results bit by bit.",
               "warpjit_fuzz"};
  app.add_option("--seeds", options.seeds, "first..last")->capture_default_str();
  app.add_option("--dispatch-share", options.dispatch_share,
                 "percent of the programs that also run in the dispatcher")
      ->check(CLI::Range(0u, 100u))
      ->capture_default_str();
  app.add_option("--registers-share", options.register_share,
                 "percent that also run with 4 registers a class")
      ->check(CLI::Range(0u, 100u))
      ->capture_default_str();
  app.add_option("--size", options.size, "mean number of instructions")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  app.add_option("--stage", options.stage, "of the programs; mixed: a quarter are geometry programs")
      ->check(CLI::IsMember({"vertex", "geometry", "mixed"}))
      ->capture_default_str();
  app.add_option("--out", options.out, "folder for the launch file of a finding")->capture_default_str();
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
  CLI11_PARSE(app, argc, argv);
  unsigned long long first = 0, last = 0;
  char rest = 0;
  if (std::sscanf(options.seeds.c_str(), "%llu..%llu%c", &first, &last, &rest) != 2 || last < first) {
    fmt::print(stderr, "warpjit_fuzz: --seeds must be FIRST..LAST\n");
    return 2;
  }
  Fuzzer fuzzer(options);
  if (!options.digest.empty()) return write_digests(fuzzer, options, first, last);
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    if (options.verbose) fmt::print(stderr, "seed {}\n", seed);
    if (!fuzzer.run(seed)) return 1;
    if ((seed - first) % 1000 == 999) fmt::print(stderr, "{} programs\n", seed - first + 1);
  }
  fmt::print(
      "{} programs, {} for geometry with {} in lanes, guest and IR interpreter and {} JIT targets: no "
      "difference; {} "
      "kernels beyond limits\n",
      last - first + 1, fuzzer.geometry(), fuzzer.in_lanes(), fuzzer.target_count(), fuzzer.limited());
  return 0;
}
