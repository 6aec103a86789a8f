// Random PICA200 programs, vertex and geometry. For a difference it shows the seed, the listing, the reduced
// program and a launch file.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engines/fuzzer.h"
#include "frontend/pica200/assembly/disassemble.h"
#include "frontend/pica200/shader.h"
#include "guest/pica200.h"
#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "launch/write_launch.h"
#include "random/pica200/random.h"
#include "random/reduce.h"
#include "warpjit/pica200.hpp"

namespace warpjit::fuzz {
namespace {

using namespace warpjit::tool;

// What one seed varies besides its program.
struct Variation {
  unsigned threads, host_threads, size;
  bool dispatch, few_registers, generic, flow, f24, geometry, shared_ends, at_limit, structural, reuses;
  PrimitiveMode mode;
};

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
  const std::uint64_t more = mix(bits);
  variation.at_limit = more % 16 == 0;
  variation.structural = (more >> 8) % (variation.shared_ends ? 2 : 16) == 0;
  return variation;
}

// A generated program has code and an entry in it.
void set_program(LaunchFile& launch, pica200::Program program) {
  if (auto shader = pica200::Shader::make(std::move(program))) launch.program = ShaderPtr(std::move(*shader));
}
const pica200::Program& program_of(const LaunchFile& launch) {
  return static_cast<const pica200::Shader&>(*launch.program).program();
}
void add_output(LaunchFile& launch, const std::string& name) {
  if (auto output = register_output(*launch.program, name)) launch.outputs.push_back(std::move(*output));
}

// Takes the inputs away and gives them to a vertex program, `mov o0, v0` to `mov o3, v3`. In fixed mode two
// of its vertices fill c16 to c23; in variable mode one to six of them fill registers from c1 on.
void add_vertex_stage(LaunchFile& launch, PrimitiveMode mode, std::uint64_t seed) {
  LaunchFile stage;
  stage.name = launch.name;
  pica200::Program program;
  for (std::uint32_t reg = 0; reg < 4; ++reg) program.code.push_back(0x4c000000 | reg << 21 | reg << 12);
  program.code.push_back(0x88000000);
  program.descriptors = {0x0d86c36f};
  set_program(stage, std::move(program));
  for (unsigned reg = 0; reg < 4; ++reg) add_output(stage, "o" + std::to_string(reg));
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
  random.at_limit = variation.at_limit;
  random.structural = variation.structural;
  random.reuses = variation.reuses;
  random.f24 = variation.f24;
  random.jumps = variation.flow && seed % 3 != 0;
  pica200::RandomProgram generated = pica200::random_program(seed, random);
  LaunchFile launch;
  launch.name = fmt::format("seed {}", seed);
  const std::uint16_t output_mask = generated.program.output_mask;
  set_program(launch, std::move(generated.program));
  launch.uniforms = launch_values(*launch.program, generated.uniforms);
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
    if (!variation.geometry) add_output(launch, "o" + std::to_string(reg));
    // Half of the programs also give up their temporaries, which keeps all of them alive.
    if (seed % 2 == 0) add_output(launch, "r" + std::to_string(reg));
  }
  for (const char* name : {"a0", "aL", "cmp"}) add_output(launch, name);
  if (!variation.geometry) return launch;
  launch.work = Work::primitives;
  // What an invocation leaves for the next may keep it from running in lanes: half of the launches have
  // triangles alone as their results.
  if (seed % 2 != 0) launch.outputs.clear();
  if (seed % 4 == 0) add_output(launch, "emit");
  launch.geometry.outputs = output_mask;
  launch.geometry.max_triangles = std::max(1u, generated.most_triangles);
  if (variation.mode != PrimitiveMode::point) add_vertex_stage(launch, variation.mode, seed);
  return launch;
}

// What went wrong with one configuration, if anything; `reference` holds the guest interpreter's results.
struct Finding {
  std::string configuration, text;
  std::optional<Mismatch> mismatch;
};

class Pica200Fuzzer final : public Fuzzer {
 public:
  explicit Pica200Fuzzer(const Options& options) : Fuzzer(options) {}

  bool run(std::uint64_t seed) override {
    const Variation variation = vary(seed, options_);
    const auto finding = check(make_launch(seed, variation), variation);
    if (!finding) return !variation.geometry || check_unit(seed);
    report(seed, variation, *finding);
    return false;
  }

  std::string digest(std::uint64_t seed, EngineKind kind, Target target) override {
    const Variation variation = vary(seed, options_);
    auto bound = BoundLaunch::make(make_launch(seed, variation));
    if (!bound) return fmt::format("{} {}\n", seed, to_string(bound.error()));
    std::string lines;
    for (const Configuration& way :
         digested(base_options(variation), kind, target, {variation.dispatch, variation.few_registers})) {
      const auto report = bound->run(*way.engine, way.options());
      lines += fmt::format("{}{} ", seed, way.name);
      lines += report ? fmt::format("{:016x} done\n", bound->checksum()) : to_string(report.error()) + "\n";
      if (report && report->engine != kind) count_limited(report->interpreted_because);
    }
    clear_caches();
    return lines;
  }

  std::string counts() const override {
    return fmt::format(", {} for geometry with {} in lanes, {} on a kept unit with {} in lanes", geometry_,
                       in_lanes_, kept_, kept_in_lanes_);
  }

 private:
  static RunOptions base_options(const Variation& variation) {
    RunOptions base;
    base.threads = variation.host_threads;
    base.fuel = pica200::kRandomFuel;
    base.generic = variation.generic;
    return base;
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
    const std::vector<Configuration> list =
        configurations(base_options(variation), {variation.dispatch, variation.few_registers});
    for (const Configuration& configuration : list) {
      const auto result = bound->run(*configuration.engine, configuration.options());
      if (!result && result.error().code == ErrorCode::resource_limit) {
        count_limited(result.error().message);  // the same answer every time
        continue;
      }
      if (!result) return Finding{configuration.name, to_string(result.error()), {}};
      if (&configuration == &list.front() && bound->file().work == Work::primitives) {
        ++geometry_;
        in_lanes_ += !result->ordered;
      }
      if (variation.structural && result->engine == EngineKind::guest) {
        count_limited(result->interpreted_because);
        continue;
      }
      if (result->engine != configuration.run.engine)
        return Finding{configuration.name, "ran on another engine", {}};
      if (const auto mismatch = compare_results(*bound, reference))
        return Finding{configuration.name, to_string(*mismatch), mismatch};
    }
    clear_caches();
    return std::nullopt;
  }

  // A sequence of geometry programs on one unit, which each finds as the one before left it.
  bool check_unit(std::uint64_t seed) {
    struct Step {
      Variation variation;
      BoundLaunch bound;
      std::vector<std::uint32_t> results;
      pica200::GeometryUnit unit;  // after it
    };
    std::vector<Step> steps;
    RunOptions guest;
    guest.engine = EngineKind::guest;
    guest.threads = 1;
    guest.fuel = pica200::kRandomFuel;
    pica200::GeometryUnit unit;
    for (std::uint64_t k = 0; k < 4; ++k) {
      const std::uint64_t program = seed + (k == 2 ? 0 : k) * 0x9e3779b9;  // the third is the first
      Variation variation = vary(program, options_);
      variation.threads = 1 + static_cast<unsigned>(mix(seed ^ k) % 40);
      variation.geometry = true;
      variation.reuses = k != 3;
      variation.flow = variation.flow && program % 2 != 0;
      if (variation.threads == 1) variation.mode = PrimitiveMode::point;
      auto bound = BoundLaunch::make(make_launch(program, variation));
      if (!bound || !bound->launch().bind_unit(unit.words())) return true;
      // With what others left, a program may emit more or run longer than it was made for.
      if (!bound->run(full_, guest)) break;
      steps.push_back({variation, std::move(*bound), {}, unit});
      steps.back().results = steps.back().bound.results();
    }
    if (steps.empty()) return true;
    const std::vector<Configuration> list = configurations(base_options(steps[0].variation), {});
    for (const Configuration& configuration : list) {
      unit = {};
      for (Step& step : steps) {
        if (!step.bound.launch().bind_unit(unit.words())) return false;
        const auto result = step.bound.run(*configuration.engine, configuration.options());
        const bool structural = step.variation.structural;  // scopes that only the guest interpreter takes
        if (!result && (result.error().code == ErrorCode::resource_limit ||
                        (structural && result.error().code == ErrorCode::unsupported))) {
          count_limited(result.error().message);
          break;
        }
        std::string wrong;
        if (!result)
          wrong = to_string(result.error());
        else if (const auto mismatch = compare_results(step.bound, step.results))
          wrong = to_string(*mismatch);
        else
          wrong = compare_units(unit, step.unit);
        if (!wrong.empty()) {
          fmt::print(
              "seed {}: {} against guest: {} in program {} of a sequence on one unit, {}{} "
              "invocations\n\n{}\n",
              seed, configuration.name, wrong, &step - steps.data(),
              result && result->ordered ? "ordered, " : "", step.bound.file().count,
              pica200::disassemble(program_of(step.bound.file())));
          return false;
        }
        if (&configuration == &list.front()) {
          ++kept_;
          kept_in_lanes_ += !result->ordered;
        }
      }
    }
    clear_caches();
    return true;
  }

  static std::string compare_units(pica200::GeometryUnit& got, pica200::GeometryUnit& wanted) {
    const auto a = got.words(), b = wanted.words();
    for (std::size_t n = 0; n < a.size(); ++n)
      if (a[n] != b[n])
        return fmt::format("word {} of row {} of the unit is {:08x}, wanted {:08x}", n % 4, n / 4, a[n],
                           b[n]);
    return {};
  }

  // Whether an engine differs from the guest interpreter, which must itself run to the end.
  bool shows(const LaunchFile& launch, const Variation& variation) {
    const auto finding = check(launch, variation);
    return finding && finding->configuration != "bind" && finding->configuration != "guest";
  }

  // One thread if it shows the difference alone, and NOPs for every instruction that does not matter.
  LaunchFile minimize(LaunchFile launch, const Variation& variation, const Finding& finding) {
    static constexpr std::uint32_t kNop[] = {0x84000000};
    if (finding.mismatch && launch.work == Work::rows) {
      const FileReader no_files = [](const std::string& name) -> Result<std::vector<std::byte>> {
        return Error{ErrorCode::io, "no such file", name};
      };
      const tool::Json one = write_launch(launch, finding.mismatch->thread, 1);
      auto alone = parse_launch(one.dump(), launch.name, no_files);
      if (alone && shows(*alone, variation)) launch = std::move(*alone);
    }
    if (!shows(launch, variation)) return launch;
    pica200::Program program = program_of(launch);
    random::replace_by_nops(program.code, kNop, [&] {
      set_program(launch, program);
      return shows(launch, variation);
    });
    set_program(launch, std::move(program));
    return launch;
  }

  void report(std::uint64_t seed, const Variation& variation, const Finding& finding) {
    const LaunchFile whole = make_launch(seed, variation);
    fmt::print("seed {}: {} against guest: {}\n", seed, finding.configuration, finding.text);
    fmt::print("{} threads, {} host threads{}\n\n{}\n", whole.count, variation.host_threads,
               variation.generic ? ", generic" : "", pica200::disassemble(program_of(whole)));
    const LaunchFile launch = minimize(whole, variation, finding);
    fmt::print("what matters of it:\n{}\n", pica200::disassemble(program_of(launch)));
    if (const auto still = check(launch, variation))
      fmt::print("{}: {}\n", still->configuration, still->text);
    write_finding(fmt::format("fuzz-{}.json", seed), write_launch(launch, 0, launch.count).dump(1),
                  pica200::kRandomFuel);
  }

  std::uint64_t geometry_ = 0, in_lanes_ = 0;   // programs for geometry, those whose invocations ran in lanes
  std::uint64_t kept_ = 0, kept_in_lanes_ = 0;  // the same of those on a unit that is kept
};

}  // namespace

std::unique_ptr<Fuzzer> make_pica200_fuzzer(const Options& options) {
  return std::make_unique<Pica200Fuzzer>(options);
}

}  // namespace warpjit::fuzz
