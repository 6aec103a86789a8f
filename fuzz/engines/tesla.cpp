// Random Tesla kernels.
#include "engines/grid.h"
#include "frontend/tesla/assembly/disassemble.h"
#include "frontend/tesla/shader.h"
#include "random/reduce.h"
#include "random/tesla/random.h"
#include "random/textures.h"

namespace warpjit::fuzz {
namespace {

struct TeslaKernels {
  static constexpr const char* kName = "tesla";
  static constexpr std::uint64_t kFuel = tesla::kRandomFuel;
  struct Kernel : tesla::RandomKernel {
    std::array<std::uint32_t, 3> grid{};
    std::uint32_t output_words = 0;
  };
  struct Variation {
    unsigned host_threads;
    tesla::Modes modes;
  };

  static Variation vary(std::uint64_t seed) {
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

  static Kernel make(std::uint64_t seed, const Options& options) {
    Kernel kernel{tesla::random_kernel(seed, {.wild_barriers = seed % 16 == 6,
                                              .quads = seed % 2 == 0,
                                              .textures = seed % 5 == 0,
                                              .lanes_meet = seed % 4 != 3,
                                              .size = options.size})};
    const tesla::RandomKernel& made = kernel;
    kernel.grid = {made.grid[0], made.grid[1], 1};
    kernel.output_words = kernel.g1_words;
    return kernel;
  }

  static auto shader(const Kernel& kernel, const Variation& variation) {
    return tesla::Shader::make(kernel.program, variation.modes);
  }
  // Samples that only branches through c[] reach are for the guest interpreter.
  static bool may_be_left(const Kernel& kernel) { return kernel.samples; }

  static Status bind(Launch& launch, Kernel& kernel, std::vector<std::uint32_t>& output) {
    WARPJIT_CHECK(launch.bind_constants("c0", kernel.c0.data(), kernel.c0.size() * 4));
    WARPJIT_CHECK(launch.map_memory("g0", 0, kernel.g0.data(), kernel.g0.size() * 4));
    WARPJIT_CHECK(launch.map_memory("g1", 0, output.data(), output.size() * 4));
    Random random(kernel.c0[0]);
    if (kernel.samples)
      WARPJIT_CHECK(random::set_textures(launch, random, tesla::kRandomTextures, tesla::kRandomSamplers));
    return {};
  }

  template <class Shows>
  static void reduce(Kernel& kernel, const Shows& shows) {
    constexpr std::uint32_t kNop[] = {0xf0000001, 0xe0000780};  // generated instructions are long
    random::replace_by_nops(kernel.program.code, kNop, shows);
  }

  static tool::LaunchFile launch_of(const Kernel& kernel, const Variation& variation) {
    tool::LaunchFile launch;
    launch.work = Work::grid;
    if (auto shader = tesla::Shader::make(kernel.program, variation.modes))
      launch.program = tool::ShaderPtr(std::move(*shader));
    launch.grid.grid = kernel.grid;
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
};

}  // namespace

std::unique_ptr<Fuzzer> make_tesla_fuzzer(const Options& options) {
  return std::make_unique<GridFuzzer<TeslaKernels>>(options);
}

}  // namespace warpjit::fuzz
