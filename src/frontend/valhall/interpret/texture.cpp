#include "frontend/valhall/interpret/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "frontend/interpret/textures/sample.h"
#include "frontend/valhall/interpret/numbers.h"
#include "frontend/valhall/interpret/op.h"

namespace warpjit::valhall {
namespace {

using textures::TextureView;

constexpr std::uint8_t kDimensionCube = 3;  // dimensions
constexpr std::uint8_t kLevelZero = 0, kLevelExplicit = 4, kLevelBias = 5,
                       kLevelGradient = 6;                  // level of detail
constexpr std::uint8_t kTypeOfTexture = 0, kTypeFloat = 1;  // type of results

bool has_level(const Instruction& i) {
  return i.opcode == Opcode::tex_single && (i.lod_mode == kLevelExplicit || i.lod_mode == kLevelBias);
}
unsigned coordinates_of(const Instruction& i) { return i.dimension == kDimensionCube ? 2 : i.dimension + 1U; }
unsigned operands_of(const Instruction& i) {
  const unsigned flags = (i.array ? 1U : 0U) + (i.shadow ? 1U : 0U) + (i.texel_offset ? 1U : 0U);
  return coordinates_of(i) + flags + (has_level(i) ? 1U : 0U);
}
bool is_narrow(const Instruction& i) { return i.register_width == 0; }
unsigned results_of(const Instruction& i) {
  const auto channels = static_cast<unsigned>(std::popcount(i.channels));
  return is_narrow(i) ? (channels + 1) / 2 : channels;
}

// What a first source names.
struct Handle {
  std::uint32_t texture_table, texture, sampler_table, sampler;
};
Handle handle_of(const Instruction& i, std::uint64_t source) {
  const auto low = static_cast<std::uint32_t>(source), high = static_cast<std::uint32_t>(source >> 32);
  if (i.wide_indices) return {high >> 24, high & 0xffffff, low >> 24, low & 0xffffff};
  return {low >> 27, low >> 16 & 0x7ff, low >> 11 & 0x1f, low & 0x7ff};
}

// The place on a cube that s with a face, and t, stand for.
interpret::FacePlace face_of(std::uint32_t s_and_face, std::uint32_t t) {
  return {std::min(s_and_face >> 29, 5U), (s_and_face & 0x1fffffff) | 0x20000000, t};
}

// A layer that is given as f32.
std::uint32_t layer_of(std::uint32_t word) {
  const float layer = std::nearbyint(to_float(word));
  if (!(layer > 0)) return 0;
  return layer >= 0x1p31F ? 0x80000000 : static_cast<std::uint32_t>(layer);
}

// One instruction with its texture and sampler.
class TextureRun {
 public:
  TextureRun(const Instruction& i, const TextureOperands& operands, const TextureView& texture,
             const Sampler& sampler, unsigned active)
      : i_(i), operands_(operands), texture_(texture), sampler_(sampler), active_(active) {
    if (i.opcode != Opcode::tex_gather) return;
    // The sampler gathers what the first result selects.
    const unsigned n = i.component;
    texture_.swizzle[0] = texture.swizzle[n];
    if (sampler.compare) return;  // of the border it is the first one that is compared
    sampler_.border[0] = sampler.border[n];
    if (sampler.srgb_border && n < 3) (*sampler_.srgb_border)[0] = (*sampler.srgb_border)[n];
    if (sampler.srgb_border && n == 3) (*sampler_.srgb_border)[0] = sampler.border[n];
    if (texture.depth) sampler_.border[0] = sampler.border[0];
  }

  // The four results.
  interpret::TexelWords run(unsigned lane) const {
    interpret::SamplePlace place;
    place.mirrors_texels = true;
    if (is_cube())
      place.on_face = face(lane);
    else
      place.coordinates = coordinates(lane);
    unsigned next = coordinates_of(i_);
    const bool fetches = i_.opcode == Opcode::tex_fetch;
    std::uint32_t offsets = 0;
    if (i_.array) place.layer = operand(next++, lane);
    if (i_.shadow) place.reference = operand(next++, lane);
    if (i_.texel_offset) offsets = operand(next++, lane);
    for (unsigned axis = 0; axis < 3; ++axis)
      place.offsets[axis] = static_cast<std::int8_t>(offsets >> 8 * axis & 0xff);
    if (fetches) {
      if (texture_.array && place.layer >= texture_.layers) return {};
      return interpret::fetch(texture_, place, static_cast<std::int32_t>(offsets >> 24));
    }
    place.layer = layer_of(place.layer);
    if (i_.opcode == Opcode::tex_gather) {
      const interpret::TexelWords texels = interpret::gather(texture_, sampler_, place);
      return {texels[3], texels[2], texels[0], texels[1]};
    }
    const std::int32_t level = has_level(i_) ? level_of(operand(next, lane)) : 0;
    const bool computed = i_.lod_mode != kLevelZero && i_.lod_mode != kLevelExplicit;
    return interpret::sample(texture_, sampler_, place, level + (computed ? detail_of_quad(lane) : 0));
  }

 private:
  std::uint32_t operand(unsigned n, unsigned lane) const { return operands_.staging[n][lane]; }

  std::array<std::uint32_t, 3> coordinates(unsigned lane) const {
    std::array<std::uint32_t, 3> words{};
    for (unsigned n = 0; n < coordinates_of(i_); ++n) words[n] = operand(n, lane);
    return words;
  }

  // In 1/256.
  static std::int32_t level_of(std::uint32_t word) {
    return std::clamp<std::int32_t>(static_cast<std::int16_t>(word & 0xffff), -64 * 256, 64 * 256);
  }

  bool is_cube() const { return i_.dimension == kDimensionCube; }
  interpret::FacePlace face(unsigned lane) const { return face_of(operand(0, lane), operand(1, lane)); }

  // From the pairs that the lane is in, with the other lanes of its row and of its column that are active.
  std::int32_t detail_of_quad(unsigned lane) const {
    std::uint32_t most = 0;
    for (const unsigned other : {lane ^ 1U, lane ^ 2U}) {
      if ((active_ >> other & 1) == 0) continue;
      if (is_cube()) {
        const auto seen = interpret::seen_on_face(interpret::point_of_cube(face(other)), face(lane));
        most = interpret::widen_gradient(most, texture_, interpret::point_of_cube(face(lane)), seen);
      } else {
        most = interpret::widen_gradient(most, texture_, coordinates(lane), coordinates(other));
      }
    }
    return interpret::detail_of(most);
  }

  const Instruction& i_;
  const TextureOperands& operands_;
  TextureView texture_;
  Sampler sampler_;
  unsigned active_;
};

// The channels that are written, packed.
std::array<std::uint32_t, 4> packed(const Instruction& i, const TextureView& texture,
                                    const interpret::TexelWords& words) {
  const bool is_float = i.register_type == kTypeOfTexture ? !textures::has_integers(texture.format)
                                                          : i.register_type == kTypeFloat;
  std::array<std::uint32_t, 4> registers{};
  unsigned n = 0;
  for (unsigned channel = 0; channel < 4; ++channel) {
    if ((i.channels >> channel & 1) == 0) continue;
    if (is_narrow(i)) {
      const std::uint32_t half =
          is_float ? round_to(kHalf, static_cast<double>(to_float(words[channel]))) : words[channel] & 0xffff;
      registers[n / 2] |= half << n % 2 * 16;
    } else {
      registers[n] = words[channel];
    }
    ++n;
  }
  return registers;
}

}  // namespace

Status check_texture(const Instruction& i) {
  if (i.opcode == Opcode::tex_single && i.lod_mode == kLevelGradient)
    return refused(i, "descriptors of gradients are not known");
  if (i.opcode == Opcode::tex_fetch && i.dimension == kDimensionCube)
    return refused(i, "a fetch from a cube");
  if (i.opcode == Opcode::tex_gather) {
    if (i.integer_coordinates) return refused(i, "integer coordinates");
    if (i.dimension != kDimensionCube && coordinates_of(i) != 2)
      return refused(i, "texels of 1D and 3D are not gathered");
  }
  WARPJIT_CHECK(check_count(i, i.read, operands_of(i)));
  return check_count(i, i.write, results_of(i));
}

std::array<LaneWords, 4> run_texture(const Instruction& i, const FragmentSetup& setup,
                                     const frontend::BoundTextures& bound, const TextureOperands& operands,
                                     unsigned active) {
  static constexpr Sampler kNoSampler{};
  std::array<LaneWords, 4> results{};
  const Handle handle = handle_of(i, operands.handle);
  const bool fetches = i.opcode == Opcode::tex_fetch;
  const TextureView* const texture =
      handle.texture_table == setup.texture_table ? bound.texture(handle.texture) : nullptr;
  const Sampler* const sampler = fetches                                       ? &kNoSampler
                                 : handle.sampler_table == setup.sampler_table ? bound.sampler(handle.sampler)
                                                                               : nullptr;
  if (texture == nullptr || sampler == nullptr) return results;
  if ((texture->dimension == TextureDimension::cube) != (i.dimension == kDimensionCube)) return results;
  const TextureRun run(i, operands, *texture, *sampler, active);
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    const auto words = packed(i, *texture, run.run(lane));
    for (unsigned n = 0; n < 4; ++n) results[n][lane] = words[n];
  }
  return results;
}

}  // namespace warpjit::valhall
