// Random USSE programs: vertices over rows, and fragments. For a difference of vertices it shows the seed,
// the slot and the listing.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "base/hash.h"
#include "base/random.h"
#include "engines/pixels.h"
#include "frontend/usse/assembly/disassemble.h"
#include "frontend/usse/facts/slots.h"
#include "frontend/usse/shader.h"
#include "random/reduce.h"
#include "random/usse/random.h"
#include "random/words.h"

namespace warpjit::fuzz {
namespace {

constexpr std::size_t kInputs = 12, kOutputs = 18;  // rows of a vertex

constexpr std::uint64_t kNop[] = {0xf800014000000000};

Status bind_textures(Launch& launch, const usse::RandomProgram& program) {
  for (std::size_t unit = 0; unit < program.textures.size(); ++unit) {
    const usse::BoundTexture& bound = program.textures[unit];
    WARPJIT_CHECK(launch.set_texture(static_cast<std::uint32_t>(unit), bound.texture));
    WARPJIT_CHECK(launch.set_sampler(static_cast<std::uint32_t>(unit), bound.sampler));
  }
  return {};
}

// What one seed runs. Made anew for each run: it has the memory of its results.
class SeededRows {
 public:
  SeededRows(const usse::RandomProgram& program, std::uint64_t seed)
      : memory_(program.memory), launch_(Program(std::make_shared<const usse::Shader>(program.program))) {
    constexpr unsigned kThreads[] = {1, 2, 4, 5, 8, 16, 17, 31, 33, 64};
    Random random(seed);
    threads_ = kThreads[random.below(std::size(kThreads))];
    for (std::size_t n = 0; n < threads_ * kInputs * 4; ++n)
      in_.push_back(random.one_in(6)   ? random::one_of(random, random::kFloatEdges)
                    : random.one_in(4) ? static_cast<std::uint32_t>(random.next())
                                       : std::bit_cast<std::uint32_t>(random::moderate_float(random)));
    out_.resize(threads_ * kOutputs * 4);
    for (std::size_t n = 0; n < kInputs; ++n)
      keep(launch_.bind_input("pa" + std::to_string(4 * n),
                              {in_.data() + 4 * n, 4 * (in_.size() - 4 * n), 16 * kInputs, f32x4}));
    for (std::size_t n = 0; n < kOutputs; ++n)
      keep(launch_.bind_output("slots" + std::to_string(n),
                               {out_.data() + 4 * n, 4 * (out_.size() - 4 * n), 16 * kOutputs, f32x4}));
    keep(launch_.set_bits("sa0", program.sa));
    keep(launch_.map_memory("mem", usse::kRandomAddress, memory_.data(), memory_.size() * 4));
    keep(bind_textures(launch_, program));
    keep(launch_.set_count(threads_));
    launch_.set_fuel(usse::kRandomFuel);
  }
  SeededRows(const SeededRows&) = delete;
  SeededRows& operator=(const SeededRows&) = delete;

  const Status& status() const { return status_; }
  const Launch& launch() const { return launch_; }
  const std::vector<std::uint32_t>& results() const { return out_; }

 private:
  void keep(const Status& status) {
    if (status_ && !status) status_ = status.error();
  }
  std::vector<std::uint32_t> memory_, in_, out_;
  std::size_t threads_ = 0;
  Launch launch_;
  Status status_;
};

struct Ended {
  std::string end;
  std::vector<std::uint32_t> words;
  bool operator==(const Ended&) const = default;
};

class UsseFuzzer final : public Fuzzer {
 public:
  explicit UsseFuzzer(const Options& options) : Fuzzer(options) {}

  bool run(std::uint64_t seed) override {
    usse::RandomProgram program = make(seed);
    const auto finding = check(program, seed);
    clear_caches();
    if (!finding) return true;
    fmt::print("seed {}: {}\n{}\n", seed, *finding, usse::disassemble(program.program));
    for (auto* code : {&program.program.primary, &program.program.secondary})
      random::replace_by_nops(*code, kNop, [&] {
        const auto still = check(program, seed);
        clear_caches();
        return still.has_value();
      });
    fmt::print("what matters of it: {}\n{}\n", check(program, seed).value_or(std::string()),
               usse::disassemble(program.program));
    return false;
  }

  std::string digest(std::uint64_t seed, EngineKind kind, Target target) override {
    const usse::RandomProgram program = make(seed);
    std::string lines;
    RunOptions base;
    base.threads = 1;
    for (const Configuration& way : digested(base, kind, target, ways(seed))) {
      const Ended got = outcome(program, seed, way);
      lines += fmt::format("{}{} {:016x} {}\n", seed, way.name,
                           hash_bytes(std::as_bytes(std::span(got.words))), got.end);
    }
    clear_caches();
    return lines;
  }

 private:
  static constexpr const char* kLimited = "beyond a limit";

  usse::RandomProgram make(std::uint64_t seed) const {
    return usse::random_program(seed, Stage::vertex, {.textures = seed % 4 == 1, .size = options_.size / 2});
  }
  Ways ways(std::uint64_t seed) const {
    const std::uint64_t bits = mix(seed);
    return {.dispatch = (bits >> 24) % 100 < options_.dispatch_share,
            .few_registers = (bits >> 32) % 100 < options_.register_share};
  }

  std::optional<std::string> check(const usse::RandomProgram& program, std::uint64_t seed) {
    RunOptions base;
    base.engine = EngineKind::guest;
    base.threads = 1;
    const Ended wanted = outcome(program, seed, {"guest", &full_, base});
    base.threads = seed % 8 == 0 ? 2 : 1;
    for (const Configuration& way : configurations(base, ways(seed))) {
      const Ended got = outcome(program, seed, way);
      if (got.end == kLimited || got == wanted) continue;
      if (got.end != wanted.end) return fmt::format("{}: wanted {}, got {}", way.name, wanted.end, got.end);
      const auto at = std::ranges::mismatch(wanted.words, got.words).in1 - wanted.words.begin();
      const auto where = static_cast<std::size_t>(at);
      return fmt::format("{}: thread {}, o{}: {:#010x}, not {:#010x}", way.name, where / (4 * kOutputs),
                         where % (4 * kOutputs), got.words[where], wanted.words[where]);
    }
    return std::nullopt;
  }

  Ended outcome(const usse::RandomProgram& program, std::uint64_t seed, const Configuration& way) {
    const SeededRows rows(program, seed);
    if (!rows.status()) return {to_string(rows.status().error()), {}};
    const auto report = way.engine->run(rows.launch(), way.options());
    if (report) return {"done", rows.results()};
    if (report.error().code == ErrorCode::resource_limit || report.error().code == ErrorCode::unsupported) {
      count_limited(report.error().message);
      return {kLimited, {}};
    }
    return {end_text(report.error()), {}};
  }
};

struct UsseFragment {
  usse::RandomProgram generated;
  std::uint32_t slots = usse::kSlots, targets = 1;
  bool memory = false;
};

struct UsseFragments {
  using Fragment = UsseFragment;
  static constexpr std::uint64_t kFuel = usse::kRandomFuel, kAddress = usse::kRandomAddress;
  static constexpr const char* kSpace = "mem";
  static std::size_t memory_bytes(std::uint32_t) { return 4 * usse::kRandomMemoryWords; }

  static Fragment make(std::uint64_t seed, const Options& options) {
    const bool memory = seed % 4 == 0;
    return {
        usse::random_program(
            seed, Stage::fragment,
            {.memory = memory, .quads = seed % 3 == 0, .textures = seed % 2 == 1, .size = options.size / 2}),
        usse::kSlots, 1, memory};
  }
  static Result<Program> program(const Fragment& fragment) {
    return Program(std::make_shared<const usse::Shader>(fragment.generated.program));
  }
  static RasterState raster(Random& random, std::uint32_t width, std::uint32_t height) {
    return random::raster_state(random, width, height);
  }
  static Status bind(Launch& launch, const Fragment& fragment, std::uint64_t, const RasterState&,
                     std::span<const std::uint32_t>, Random&) {
    WARPJIT_CHECK(bind_textures(launch, fragment.generated));
    return launch.set_bits("sa0", fragment.generated.sa);
  }
  static std::string list(const Fragment& fragment) {
    const usse::Program& program = fragment.generated.program;
    const usse::FragmentInterface& io = program.fragment;
    std::string text =
        fmt::format("; flags {:#x}, result: {} components of type {} from pa{} on\n", program.flags,
                    io.output_components, static_cast<unsigned>(io.output_type), io.output_start);
    for (const usse::FragmentInput& input : io.inputs)
      if (input.iterated)
        text += fmt::format("; input: {} components of value {}.{}, format {}, {} words\n",
                            input.iterated->components, static_cast<unsigned>(input.iterated->value),
                            input.iterated->index, static_cast<unsigned>(input.iterated->format),
                            input.iterated->words);
    return text + usse::disassemble(program);
  }
  template <class Shows>
  static void reduce(Fragment& fragment, const Shows& shows) {
    for (auto* code : {&fragment.generated.program.primary, &fragment.generated.program.secondary})
      random::replace_by_nops(*code, kNop, shows);
  }
};

}  // namespace

std::unique_ptr<Fuzzer> make_usse_fragment_fuzzer(const Options& options) {
  return std::make_unique<PixelFuzzer<UsseFragments>>(options);
}

std::unique_ptr<Fuzzer> make_usse_fuzzer(const Options& options) {
  return std::make_unique<UsseFuzzer>(options);
}

}  // namespace warpjit::fuzz
