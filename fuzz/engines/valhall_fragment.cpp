// Random Valhall fragment programs.
#include <optional>

#include "engines/pixels.h"
#include "frontend/valhall/assembly/disassemble.h"
#include "frontend/valhall/shader.h"
#include "random/textures.h"
#include "random/valhall/random.h"

namespace warpjit::fuzz {
namespace {

struct ValhallFragments {
  using Fragment = valhall::RandomFragment;
  static constexpr std::uint64_t kFuel = valhall::kRandomFuel, kAddress = valhall::kRandomPixelAddress;
  static constexpr const char *kSpace = "mem", *kName = "valhall";
  static std::size_t memory_bytes(std::uint32_t) {
    return valhall::kRandomCounters + 4 * valhall::kRandomCounterWords;
  }

  static Fragment make(std::uint64_t seed, const Options& options) {
    return valhall::random_fragment(seed, {.memory = seed % 4 == 0,
                                           .other_lanes = seed % 3 == 0,
                                           .textures = seed % 5 < 2,
                                           .size = options.size});
  }
  static Result<Program> program(const Fragment& fragment) {
    return Program(std::make_shared<const valhall::Shader>(fragment.program));
  }
  // Mostly window positions, as vertex programs of this guest give them.
  static RasterState raster(Random& random, std::uint32_t width, std::uint32_t height) {
    RasterState state = random::raster_state(random, width, height);
    state.window_positions = !random.one_in(3);
    return state;
  }
  static Status bind(Launch& launch, const Fragment& fragment, std::uint64_t, const RasterState&,
                     std::span<const std::uint32_t>, Random& random) {
    WARPJIT_CHECK(launch.set_parameters(std::as_bytes(std::span(fragment.uniforms))));
    WARPJIT_CHECK(launch.set_images(fragment.images));
    WARPJIT_CHECK(launch.set_buffers(fragment.buffers));
    if (fragment.samples)
      for (unsigned slot = 0; const auto& [texture, sampler] : textures_of(random)) {
        WARPJIT_CHECK(launch.set_texture(slot, texture));
        WARPJIT_CHECK(launch.set_sampler(slot++, sampler));
      }
    return launch.bind_constants("c0", fragment.buffer.data(), fragment.buffer.size() * 4);
  }
  // No cubes: instructions name them otherwise. Integers go with nearest filters.
  static std::vector<std::pair<Texture, Sampler>> textures_of(Random& random) {
    const bool integers = random.one_in(4);
    std::vector<std::pair<Texture, Sampler>> made;
    for (unsigned slot = 0; slot < valhall::kRandomTextures; ++slot) {
      std::optional<Texture> texture;
      while (!texture || texture->dimension == TextureDimension::cube ||
             (!integers && textures::has_integers(texture->format)))
        texture = random::texture(random);
      Sampler sampler = random::sampler(random, !integers);
      sampler.compare = sampler.compare && !integers;
      if (random.one_in(3)) sampler.wrap[0] = static_cast<Wrap>(5 + random.below(3));  // mirrored once
      made.emplace_back(*texture, sampler);
    }
    return made;
  }
  // Launch files have no modes of floats.
  static void make_plain(Fragment& fragment) { fragment.program.mode = {}; }
  // What bind() does, in a launch file. False: it cannot have all of it.
  static bool add_to(tool::LaunchFile& file, const Fragment& fragment, Random& random) {
    if (fragment.program.fragment.samples != 1) return false;
    const auto uniforms = std::as_bytes(std::span(fragment.uniforms)),
               buffer = std::as_bytes(std::span(fragment.buffer));
    file.grid.parameters.assign(uniforms.begin(), uniforms.end());
    file.grid.images = fragment.images;
    file.grid.buffers = fragment.buffers;
    file.grid.memory.push_back({"c0", true, 0, {buffer.begin(), buffer.end()}});
    if (!fragment.samples) return true;
    for (unsigned slot = 0; auto& [texture, sampler] : textures_of(random)) {
      if (!name(texture.format)) return false;
      trim(texture);
      file.textures.push_back({.slot = slot, .where = {}, .texture = texture, .bytes = {}});
      file.samplers.push_back({slot++, sampler});
    }
    return true;
  }
  // To the memory that it needs.
  static void trim(Texture& texture) {
    std::size_t few = 0, enough = texture.size;
    while (enough - few > 4) {
      texture.size = (few + enough) / 2;
      (textures::make_view(texture, "texture") ? enough : few) = texture.size;
    }
    texture.size = enough;
  }
  static std::string list(const Fragment& fragment) { return valhall::disassemble(fragment.program); }
  template <class Shows>
  static void reduce(Fragment& fragment, const Shows& shows) {
    constexpr std::uint64_t kNop[] = {0x0000c00000000000};
    random::replace_by_nops(fragment.program.code, kNop, shows);
  }
};

}  // namespace

std::unique_ptr<Fuzzer> make_valhall_fragment_fuzzer(const Options& options) {
  return std::make_unique<PixelFuzzer<ValhallFragments>>(options);
}

}  // namespace warpjit::fuzz
