// Random fragment programs of a guest over random vertices, tests and blending. For a difference a fuzzer
// shows the seed, the pixel and the listing.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <span>

#include "base/hash.h"
#include "base/random.h"
#include "engines/fuzzer.h"
#include "launch/write_launch.h"
#include "launch/write_pixels.h"
#include "random/pixel_states.h"
#include "random/reduce.h"
#include "runtime/work/launch.h"

namespace warpjit::fuzz {

inline constexpr std::uint32_t kWidth = 90, kHeight = 70;  // of several tiles, not whole ones

// What one seed draws with its program. Made anew for each run: it has the memory of its targets.
template <class Guest>
class SeededDraw {
 public:
  // `even`: all pixels of a target start alike.
  SeededDraw(const typename Guest::Fragment& fragment, Program program, std::uint64_t seed, bool even)
      : random_(seed), launch_(std::move(program)), slots_(fragment.slots), even_(even) {
    const RasterState raster = Guest::raster(random_, kWidth, kHeight);
    const std::uint32_t count = 3 + random_.below(15), slots = slots_;
    for (std::uint32_t n = 0; n < count * slots; ++n)
      words_.push_back(n % slots == 3   ? w()
                       : n % slots >= 3 ? word()
                       : n % slots < 2 && raster.window_positions
                           ? std::bit_cast<std::uint32_t>(45 * (1 + random::coordinate(random_)))
                           : coordinate());
    constexpr PixelFormat kColors[] = {
        PixelFormat::rgba8,      PixelFormat::srgb8,   PixelFormat::rgb565,      PixelFormat::rgb10a2,
        PixelFormat::rgba16f,    PixelFormat::rgba32f, PixelFormat::r32ui,       PixelFormat::rgba8i,
        PixelFormat::r8,         PixelFormat::rgba16,  PixelFormat::rgba8_snorm, PixelFormat::r16f,
        PixelFormat::r11g11b10f, PixelFormat::rgba16i, PixelFormat::rg8ui,       PixelFormat::rgb10a2ui};
    constexpr PixelFormat kDepths[] = {PixelFormat::d16, PixelFormat::d24s8, PixelFormat::d32f};
    const std::uint32_t colors = std::min(fragment.targets, kMaxColorTargets);
    for (std::uint32_t k = 0; k < colors; ++k)
      keep(launch_.bind_color(k, target(kColors[random_.below(std::size(kColors))])));
    if (!random_.one_in(4)) keep(launch_.bind_depth(target(kDepths[random_.below(std::size(kDepths))])));
    keep(launch_.set_target_size(kWidth, kHeight));
    keep(launch_.set_raster_state(raster));
    keep(launch_.set_output_state(random::output_state(random_)));
    keep(launch_.bind_vertices({words_.data(), words_.size() * 4, slots * std::size_t{4}, slots}));
    keep(launch_.set_count(count));
    launch_.set_fuel(Guest::kFuel);
    if (fragment.memory) {
      Target& memory = targets_.emplace_back();
      memory.bytes.resize(Guest::memory_bytes(kHeight));
      for (std::byte& byte : memory.bytes) byte = static_cast<std::byte>(random_.below(256));
      keep(launch_.map_memory(Guest::kSpace, Guest::kAddress, memory.bytes.data(), memory.bytes.size()));
    }
    before_bind_ = random_;
    keep(Guest::bind(launch_, fragment, seed, raster, words_, random_));
  }
  SeededDraw(const SeededDraw&) = delete;
  SeededDraw& operator=(const SeededDraw&) = delete;

  const Status& status() const { return status_; }
  const Launch& launch() const { return launch_; }
  // What a launch file has of it, but for what the guest binds: it is as random as Guest::bind found it.
  // Before a run, of even targets.
  tool::LaunchFile file(Random& random) const {
    random = before_bind_;
    const runtime::LaunchPixels& from = *launch_.state().pixels;
    tool::LaunchFile file;
    file.work = Work::pixels;
    file.program = frontend::shared_shader(launch_.program());
    file.count = file.rows = launch_.state().count;
    tool::LaunchPixels& pixels = file.pixels;
    pixels.width = from.width;
    pixels.height = from.height;
    pixels.raster = from.raster;
    pixels.output = from.output;
    pixels.slots = slots_;
    pixels.vertices = words_;
    for (const Target& target : targets_) {
      if (target.format == PixelFormat::none)
        file.grid.memory.push_back({Guest::kSpace, false, Guest::kAddress, target.bytes});
      else if (is_depth(target.format))
        pixels.depth = tool::cleared_target(target.format, target.bytes.data());
      else
        pixels.colors.push_back(tool::cleared_target(target.format, target.bytes.data()));
    }
    return file;
  }
  // The bytes of all targets.
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> all;
    for (const Target& target : targets_) all.insert(all.end(), target.bytes.begin(), target.bytes.end());
    return all;
  }
  // Which pixel the byte of that number in bytes() belongs to.
  std::string place(std::size_t at) const {
    for (const Target& target : targets_) {
      if (at < target.bytes.size()) {
        if (target.format == PixelFormat::none) return fmt::format("memory, byte {}", at);
        const std::size_t pixel = at / pixel_size(target.format);
        return fmt::format("{}, column {}, row {}", name(target.format), pixel % kWidth, pixel / kWidth);
      }
      at -= target.bytes.size();
    }
    return {};
  }

 private:
  struct Target {
    PixelFormat format = PixelFormat::none;  // none: memory
    std::vector<std::byte> bytes;
  };

  void keep(const Status& status) {
    if (status_ && !status) status_ = status.error();
  }
  std::uint32_t coordinate() { return std::bit_cast<std::uint32_t>(random::coordinate(random_)); }
  std::uint32_t w() { return random_.one_in(3) ? coordinate() : std::bit_cast<std::uint32_t>(1.5F); }
  std::uint32_t word() {
    return random_.one_in(8) ? static_cast<std::uint32_t>(random_.next()) : coordinate();
  }
  TargetBuffer target(PixelFormat format) {
    Target& made = targets_.emplace_back();
    made.format = format;
    made.bytes.resize(std::size_t{kWidth} * kHeight * pixel_size(format));
    for (std::byte& byte : made.bytes) byte = static_cast<std::byte>(random_.below(256));
    for (std::size_t at = pixel_size(format); even_ && at < made.bytes.size(); ++at)
      made.bytes[at] = made.bytes[at - pixel_size(format)];
    return {made.bytes.data(), made.bytes.size(), kWidth * pixel_size(format), format};
  }
  Random random_, before_bind_{0};
  Launch launch_;
  std::uint32_t slots_;  // of a vertex
  bool even_;
  Status status_;
  std::vector<std::uint32_t> words_;
  std::vector<Target> targets_;
};

// How a run ended, and the targets after it.
struct Drawn {
  std::string end;
  std::vector<std::byte> bytes;
  bool operator==(const Drawn&) const = default;
};

// Guest says what differs.
template <class Guest>
class PixelFuzzer final : public Fuzzer {
 public:
  explicit PixelFuzzer(const Options& options) : Fuzzer(options) {}

  bool run(std::uint64_t seed) override {
    Fragment fragment = Guest::make(seed, options_);
    const auto finding = check(fragment, seed);
    if (finding) {
      fmt::print("seed {}: {} against guest: {}\n{}\n", seed, finding->way, finding->what,
                 Guest::list(fragment));
      Guest::reduce(fragment, [&] {
        const auto still = check(fragment, seed);
        clear_caches();
        return still.has_value();
      });
      fmt::print("what matters of it:\n{}\n", Guest::list(fragment));
      if constexpr (requires { &Guest::add_to; }) write_launch(fragment, seed);
    }
    clear_caches();
    return !finding;
  }

  std::string digest(std::uint64_t seed, EngineKind kind, Target target) override {
    const Fragment fragment = Guest::make(seed, options_);
    std::string lines;
    RunOptions base;
    base.threads = 1;
    for (const Configuration& way : digested(base, kind, target, ways(seed))) {
      const Drawn got = outcome(fragment, seed, way);
      lines += fmt::format("{}{} {:016x} {}\n", seed, way.name, hash_bytes(got.bytes), got.end);
    }
    clear_caches();
    return lines;
  }

 private:
  using Fragment = typename Guest::Fragment;
  static constexpr const char* kLimited = "beyond a limit";
  struct Finding {
    std::string way, what;
  };

  std::optional<Finding> check(const Fragment& fragment, std::uint64_t seed) {
    RunOptions base;
    base.engine = EngineKind::guest;
    base.threads = 1;
    const Drawn wanted = outcome(fragment, seed, {"guest", &full_, base});
    base.threads = seed % 8 == 0 ? 2 : 1;
    for (const Configuration& way : configurations(base, ways(seed))) {
      const Drawn got = outcome(fragment, seed, way);
      if (got.end == kLimited || got == wanted) continue;
      if (got.end != wanted.end) return Finding{way.name, "wanted " + wanted.end + ", got " + got.end};
      const auto at = std::ranges::mismatch(wanted.bytes, got.bytes).in1 - wanted.bytes.begin();
      const auto where = static_cast<std::size_t>(at);
      const auto from = [&](const Drawn& drawn) {  // up to eight bytes
        std::string text;
        for (const std::byte byte : std::span(drawn.bytes)
                                        .subspan(where)
                                        .first(std::min<std::size_t>(8, drawn.bytes.size() - where)))
          text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
        return text;
      };
      return Finding{way.name, fmt::format("{}: bytes {}, not {}", place(fragment, seed, where), from(got),
                                           from(wanted))};
    }
    return std::nullopt;
  }

  // Launch files fill targets with one pixel.
  void write_launch(Fragment fragment, std::uint64_t seed) {
    Guest::make_plain(fragment);
    even_ = true;
    const bool shows = check(fragment, seed).has_value();
    even_ = false;
    clear_caches();
    if (!shows)
      return fmt::print(
          "no launch file: it does not show where targets begin with one colour, in the usual modes\n");
    const SeededDraw<Guest> draw(fragment, *Guest::program(fragment), seed, true);
    Random random(0);
    tool::LaunchFile file = draw.file(random);
    if (!Guest::add_to(file, fragment, random))
      return fmt::print("no launch file: a texture has a format without a name\n");
    write_finding(fmt::format("fuzz-{}-fragment-{}.json", Guest::kName, seed),
                  tool::write_launch(file, 0, file.count).dump(1), Guest::kFuel);
  }

  // No groups of 64 parts: backends refuse those of pixels.
  Ways ways(std::uint64_t seed) const {
    const std::uint64_t bits = mix(seed);
    return {.dispatch = (bits >> 24) % 100 < options_.dispatch_share,
            .few_registers = (bits >> 32) % 100 < options_.register_share};
  }

  static std::string place(const Fragment& fragment, std::uint64_t seed, std::size_t at) {
    const auto program = Guest::program(fragment);
    return program ? SeededDraw<Guest>(fragment, *program, seed, false).place(at) : std::string();
  }

  Drawn outcome(const Fragment& fragment, std::uint64_t seed, const Configuration& way) {
    const auto program = Guest::program(fragment);
    if (!program) return {to_string(program.error()), {}};
    const SeededDraw<Guest> draw(fragment, *program, seed, even_);
    if (!draw.status()) return {to_string(draw.status().error()), {}};
    const auto report = way.engine->run(draw.launch(), way.options());
    if (report) return {report->fault ? "done, with a fault" : "done", draw.bytes()};
    // Only the guest interpreter runs it.
    if (report.error().code == ErrorCode::resource_limit || report.error().code == ErrorCode::unsupported) {
      count_limited(report.error().message);
      return {kLimited, {}};
    }
    return {end_text(report.error()), {}};
  }

  bool even_ = false;
};

}  // namespace warpjit::fuzz
