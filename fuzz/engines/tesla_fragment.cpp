// Random Tesla fragment programs.
#include "engines/pixels.h"
#include "frontend/tesla/assembly/disassemble.h"
#include "random/tesla/stages.h"

namespace warpjit::fuzz {
namespace {

struct TeslaFragments {
  using Fragment = tesla::RandomFragment;
  static constexpr std::uint64_t kFuel = tesla::kRandomFuel, kAddress = 0;
  static constexpr const char* kSpace = "g0";
  static std::size_t memory_bytes(std::uint32_t height) {
    return std::size_t{height} * tesla::kRandomPixelColumns * tesla::kRandomPixelBytes;
  }

  // A third of the programs samples, others have memory.
  static Fragment make(std::uint64_t seed, const Options& options) {
    return tesla::random_fragment(
        seed,
        {.textures = seed % 3 == 0, .memory = seed % 7 < 2, .together = seed % 4 != 3, .size = options.size});
  }
  static Result<Program> program(const Fragment& fragment) {
    WARPJIT_TRY(std::shared_ptr<const tesla::Shader> shader, tesla::Shader::make(fragment.program));
    return Program(std::move(shader));
  }
  static RasterState raster(Random& random, std::uint32_t width, std::uint32_t height) {
    RasterState state = random::raster_state(random, width, height);
    if (random.one_in(3)) state.shade = ShadeModel::flat;
    return state;
  }
  // Constants and textures; often stages before it.
  static Status bind(Launch& launch, const Fragment& fragment, std::uint64_t seed, const RasterState& raster,
                     std::span<const std::uint32_t> vertices, Random& random) {
    WARPJIT_CHECK(launch.bind_constants("c0", fragment.c0.data(), fragment.c0.size() * 4));
    if (fragment.samples)
      WARPJIT_CHECK(random::set_textures(launch, random, tesla::kRandomTextures, tesla::kRandomSamplers));
    const bool has_geometry = seed % 5 == 1;
    const tesla::RandomOptions options{.textures = seed % 2 == 0, .size = 20};
    if (has_geometry) {
      WARPJIT_TRY(const Launch stage,
                  tesla::random_geometry_stage(seed, raster.topology, fragment.slots, options, random));
      WARPJIT_CHECK(launch.set_geometry_stage(stage));
    }
    if (seed % 4 == 2) {
      WARPJIT_TRY(const Launch stage,
                  tesla::random_vertex_stage(seed, vertices, fragment.slots, has_geometry, options, random));
      WARPJIT_CHECK(launch.set_vertex_stage(stage));
    }
    return {};
  }
  static std::string list(const Fragment& fragment) { return tesla::disassemble(fragment.program); }
  template <class Shows>
  static void reduce(Fragment& fragment, const Shows& shows) {
    constexpr std::uint32_t kNop[] = {0xf0000001, 0xe0000780};  // generated instructions are long
    random::replace_by_nops(fragment.program.code, kNop, shows);
  }
};

}  // namespace

std::unique_ptr<Fuzzer> make_tesla_fragment_fuzzer(const Options& options) {
  return std::make_unique<PixelFuzzer<TeslaFragments>>(options);
}

}  // namespace warpjit::fuzz
