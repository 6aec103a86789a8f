// Random Tesla kernels. For a difference it shows the seed, the listing and a launch file.
#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "base/hash.h"
#include "engines/fuzzer.h"
#include "frontend/random/reduce.h"
#include "frontend/random/textures.h"
#include "frontend/tesla/assembly/disassemble.h"
#include "frontend/tesla/random.h"
#include "frontend/tesla/shader.h"
#include "launch/write_launch.h"

namespace warpjit::fuzz {
namespace {

// What one seed varies besides its kernel.
struct Variation {
  unsigned host_threads;
  tesla::Modes modes;
};

Variation vary(std::uint64_t seed) {
  const std::uint64_t bits = mix(seed);
  Variation variation{};
  variation.host_threads = bits % 8 == 0 ? 2 : 1;
  variation.modes.saturated_nan_is_zero = (bits >> 40) % 4 == 0;
  variation.modes.zero_wins = (bits >> 42) % 4 == 0;
  variation.modes.infinite_derivatives = (bits >> 44) % 4 == 0;
  variation.modes.fast_fmad = (bits >> 46) % 4 == 0;
  variation.modes.fast_sfu = (bits >> 48) % 4 == 0;
  return variation;
}

// How a run ended, and the memory after it. All engines give the same kind of error.
struct Outcome {
  std::string end, fault;
  std::vector<std::uint32_t> g1;
  std::string message{};
};

// Of several faults another one may be the first (Report::fault).
bool is_same(const Outcome& wanted, const Outcome& got) {
  return wanted.end == got.end && wanted.fault.empty() == got.fault.empty() && wanted.g1 == got.g1;
}

class TeslaFuzzer final : public Fuzzer {
 public:
  explicit TeslaFuzzer(const Options& options) : Fuzzer(options) {}

  bool run(std::uint64_t seed) override {
    const Variation variation = vary(seed);
    const tesla::RandomKernel kernel = make(seed);
    const auto finding = check(kernel, variation, seed);
    if (finding) report(seed, kernel, variation, *finding);
    clear_caches();
    return !finding;
  }

  std::string digest(std::uint64_t seed, EngineKind kind, Target target) override {
    const Variation variation = vary(seed);
    const tesla::RandomKernel kernel = make(seed);
    std::string lines;
    RunOptions base;
    base.threads = variation.host_threads;
    for (const Configuration& way : digested(base, kind, target, ways(seed))) {
      const Outcome got = outcome(kernel, variation, *way.engine, way.options());
      lines += fmt::format("{}{} {:016x} {} {}\n", seed, way.name,
                           hash_bytes(std::as_bytes(std::span(got.g1))), got.end, got.fault);
    }
    clear_caches();
    return lines;
  }

  std::string counts() const override {
    return fmt::format(", {} runs with another first fault", other_faults_);
  }

 private:
  static constexpr const char* kLimited = "beyond a limit";
  static constexpr std::uint32_t kNop[] = {0xf0000001, 0xe0000780};  // generated instructions are long

  // What went wrong in one way of running.
  struct Finding {
    std::string way;
    Outcome wanted, got;
  };
  std::optional<Finding> check(const tesla::RandomKernel& kernel, const Variation& variation,
                               std::uint64_t seed) {
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
  tesla::RandomKernel minimize(tesla::RandomKernel kernel, Variation variation, std::uint64_t seed) {
    variation.host_threads = 1;
    const auto shows = [&] {
      const auto finding = check(kernel, variation, seed);
      clear_caches();
      return finding && finding->wanted.end == "done";
    };
    if (shows()) random::replace_by_nops(kernel.program.code, kNop, shows);
    return kernel;
  }

  Ways ways(std::uint64_t seed) const {
    const std::uint64_t bits = mix(seed);
    return {.dispatch = (bits >> 24) % 100 < options_.dispatch_share,
            .few_registers = (bits >> 32) % 100 < options_.register_share,
            .wide = (bits >> 46) % 100 < options_.wide_share};
  }

  tesla::RandomKernel make(std::uint64_t seed) const {
    return tesla::random_kernel(seed, {.wild_barriers = seed % 16 == 6,
                                       .quads = seed % 2 == 0,
                                       .textures = seed % 5 == 0,
                                       .lanes_meet = seed % 4 != 3,
                                       .size = options_.size});
  }

  Outcome outcome(const tesla::RandomKernel& kernel, const Variation& variation, const Engine& engine,
                  const RunOptions& options) {
    const auto shader = tesla::Shader::make(kernel.program, variation.modes);
    if (!shader) return {to_string(shader.error()), {}, {}};
    Launch launch{Program(*shader)};
    launch.set_grid(kernel.grid[0], kernel.grid[1]);
    launch.set_block(kernel.block[0], kernel.block[1], kernel.block[2]);
    launch.set_fuel(tesla::kRandomFuel);
    std::vector<std::uint32_t> g0 = kernel.g0;
    Outcome result{"done", "", std::vector<std::uint32_t>(kernel.g1_words)};
    if (!launch.bind_constants("c0", kernel.c0.data(), kernel.c0.size() * 4) ||
        !launch.map_memory("g0", 0, g0.data(), g0.size() * 4) ||
        !launch.map_memory("g1", 0, result.g1.data(), result.g1.size() * 4))
      return {"the memory cannot be bound", {}, {}};
    Random random(kernel.c0[0]);
    if (kernel.samples &&
        !random::set_textures(launch, random, tesla::kRandomTextures, tesla::kRandomSamplers))
      return {"the textures cannot be bound", {}, {}};
    const auto report = engine.run(launch, options);
    // Samples that only branches through c[] reach are for the guest interpreter.
    const bool is_refused = !report && kernel.samples && report.error().code == ErrorCode::unsupported;
    if (is_refused || (!report && report.error().code == ErrorCode::resource_limit)) {
      ++limited_;
      return {kLimited, {}, {}};
    }
    if (!report) {
      result.end = name(report.error().code);
      result.message = to_string(report.error());
      result.g1.clear();
    } else if (report->engine != options.engine) {
      result.end = "ran on another engine: " + report->interpreted_because;
    } else if (report->fault) {
      result.fault = report->fault->what + " at " + report->fault->where;
    }
    return result;
  }

  void report(std::uint64_t seed, const tesla::RandomKernel& kernel, const Variation& variation,
              const Finding& finding) {
    fmt::print("seed {}: {} against guest\n", seed, finding.way);
    print_difference(finding);
    fmt::print("{} host threads\n\n{}\n", variation.host_threads, tesla::disassemble(kernel.program));
    const tesla::RandomKernel reduced = minimize(kernel, variation, seed);
    fmt::print("what matters of it:\n{}\n", tesla::disassemble(reduced.program));
    if (const auto still = check(reduced, variation, seed)) {
      fmt::print("{}\n", still->way);
      print_difference(*still);
    }
    write_finding(fmt::format("fuzz-tesla-{}.json", seed),
                  tool::write_launch(launch_of(reduced, variation), 0, 0).dump(1), tesla::kRandomFuel);
  }

  static void print_difference(const Finding& finding) {
    const auto& [way, wanted, got] = finding;
    fmt::print("wanted: {} {}{}\n   got: {} {}{}\n", wanted.end, wanted.fault, wanted.message, got.end,
               got.fault, got.message);
    if (got.g1.size() == wanted.g1.size()) {
      const auto [a, b] = std::mismatch(wanted.g1.begin(), wanted.g1.end(), got.g1.begin());
      if (a != wanted.g1.end())
        fmt::print("g1[{:#x}], thread {}: wanted {:#010x}, got {:#010x}\n", 4 * (a - wanted.g1.begin()),
                   (a - wanted.g1.begin()) / 32, *a, *b);
    }
  }

  static tool::LaunchFile launch_of(const tesla::RandomKernel& kernel, const Variation& variation) {
    tool::LaunchFile launch;
    launch.work = Work::grid;
    if (auto shader = tesla::Shader::make(kernel.program, variation.modes))
      launch.program = tool::ShaderPtr(std::move(*shader));
    launch.grid.grid = {kernel.grid[0], kernel.grid[1], 1};
    launch.grid.block = kernel.block;
    const auto add = [&](const char* space, bool constant, std::span<const std::uint32_t> words) {
      const auto bytes = std::as_bytes(words);
      launch.grid.memory.push_back({space, constant, 0, {bytes.begin(), bytes.end()}});
    };
    add("c0", true, kernel.c0);
    add("g0", false, kernel.g0);
    add("g1", false, std::vector<std::uint32_t>(kernel.g1_words));
    tool::LaunchOutput g1;
    g1.format = {ComponentType::u32, 1};
    g1.piece = 2;
    g1.count = kernel.g1_words;
    launch.outputs.push_back(std::move(g1));
    if (kernel.samples) {
      Random random(kernel.c0[0]);
      Samples samples{launch};
      static_cast<void>(
          random::set_textures(samples, random, tesla::kRandomTextures, tesla::kRandomSamplers));
    }
    return launch;
  }

  // What the launch samples, as set_textures gives it.
  struct Samples {
    tool::LaunchFile& launch;
    Status set_texture(unsigned slot, const warpjit::Texture& texture) {
      launch.textures.push_back({slot, {}, texture, {}});
      return {};
    }
    Status set_sampler(unsigned slot, const Sampler& sampler) {
      launch.samplers.push_back({slot, sampler});
      return {};
    }
  };

  std::uint64_t other_faults_ = 0;
};

}  // namespace

std::unique_ptr<Fuzzer> make_tesla_fuzzer(const Options& options) {
  return std::make_unique<TeslaFuzzer>(options);
}

}  // namespace warpjit::fuzz
