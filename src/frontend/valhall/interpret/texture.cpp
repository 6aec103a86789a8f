#include "frontend/valhall/interpret/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "frontend/interpret/pixels/arithmetic.h"
#include "frontend/interpret/textures/sample.h"
#include "frontend/shader.h"
#include "frontend/valhall/interpret/numbers.h"
#include "frontend/valhall/interpret/op.h"
#include "frontend/valhall/interpret/warp.h"

namespace warpjit::valhall {
namespace {

using textures::TextureView;

constexpr std::uint8_t kDimensionCube = 3;  // dimensions
// Where the level of detail comes from.
constexpr std::uint8_t kLevelZero = 0, kLevelExplicit = 4, kLevelBias = 5, kLevelGradient = 6;
constexpr std::uint8_t kTypeOfTexture = 0, kTypeFloat = 1;  // type of results

// How many words say which level.
unsigned level_words(const Instruction& i) {
  if (i.opcode != Opcode::tex_single) return 0;
  if (i.lod_mode == kLevelGradient) return 2;
  return i.lod_mode == kLevelExplicit || i.lod_mode == kLevelBias ? 1 : 0;
}
unsigned coordinates_of(const Instruction& i) { return i.dimension == kDimensionCube ? 2 : i.dimension + 1U; }
unsigned operands_of(const Instruction& i) {
  if (i.opcode == Opcode::tex_gradient && i.derivatives) return 2 * coordinates_of(i);
  const unsigned flags = (i.array ? 1U : 0U) + (i.shadow ? 1U : 0U) + (i.texel_offset ? 1U : 0U);
  return coordinates_of(i) + flags + level_words(i);
}
bool is_narrow(const Instruction& i) { return i.register_width == 0; }
unsigned results_of(const Instruction& i) {
  const auto channels = static_cast<unsigned>(std::popcount(i.channels));
  return is_narrow(i) ? (channels + 1) / 2 : channels;
}

// What a first source names, and in which words.
struct Handle {
  std::uint32_t texture_table, texture, sampler_table, sampler;
  std::uint32_t texture_word, sampler_word;
};
Handle handle_of(const Instruction& i, std::uint64_t source) {
  const auto low = static_cast<std::uint32_t>(source), high = static_cast<std::uint32_t>(source >> 32);
  if (i.wide_indices) return {high >> 24, high & 0xffffff, low >> 24, low & 0xffffff, high, low};
  return {low >> 27, low >> 16 & 0x7ff, low >> 11 & 0x1f, low & 0x7ff, low, low};
}

// What a handle means. If there is no such texture, or none of the instruction's kind, or no such sampler, or
// none that goes with the texture: the word that says so.
struct Found {
  const TextureView* texture = nullptr;
  const Sampler* sampler = nullptr;
  std::optional<std::uint32_t> wrong;
};
Found find(const Instruction& i, const FragmentSetup& setup, const frontend::BoundTextures& bound,
           const Handle& handle) {
  static constexpr Sampler kNoSampler{};
  Found found;
  if (handle.texture_table == setup.texture_table) found.texture = bound.texture(handle.texture);
  const bool cube = i.dimension == kDimensionCube;
  if (found.texture == nullptr || (found.texture->dimension == TextureDimension::cube) != cube) {
    found.wrong = handle.texture_word;
    return found;
  }
  found.sampler = &kNoSampler;
  if (i.opcode == Opcode::tex_fetch) return found;
  found.sampler = handle.sampler_table == setup.sampler_table ? bound.sampler(handle.sampler) : nullptr;
  if (found.sampler == nullptr || !textures::check_pair(*found.texture, *found.sampler, {}))
    found.wrong = handle.sampler_word;
  return found;
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

bool is_same(const Handle& a, const Handle& b) {
  return a.texture_word == b.texture_word && a.sampler_word == b.sampler_word;
}
bool is_same(const Found& a, const Found& b) {
  return !b.wrong && a.texture == b.texture && *a.sampler == *b.sampler;
}

// One instruction with its texture and sampler.
class TextureRun {
 public:
  // `number`: the texture's; `active`: the lanes that look at each other.
  TextureRun(const Instruction& i, const TextureOperands& operands, const TextureView& texture,
             const Sampler& sampler, unsigned number, unsigned active)
      : i_(i), operands_(operands), texture_(texture), sampler_(sampler), number_(number), active_(active) {
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
    if (operands_.seen == nullptr) [[likely]]
      return run(lane, nullptr);
    interpret::SeenTexels seen(*operands_.seen, number_, lane);
    return run(lane, &seen);
  }

  // What TEX_GRADIENT gives.
  interpret::TexelWords level(unsigned lane) const {
    std::int32_t detail = i_.derivatives ? detail_of_derivatives(lane) : detail_of_quad(lane);
    // The biases of both, which are added next.
    if (i_.without_bias) detail -= sampler_.lod_bias + texture_.lod_bias;
    const interpret::Detail found = interpret::resolve_detail(texture_, sampler_, detail);
    const auto last = static_cast<std::int32_t>(256 * (texture_.last_level - texture_.first_level));
    const std::int32_t number = i_.without_limits ? found.unclamped : std::min(found.clamped, last);
    return {static_cast<std::uint32_t>(std::clamp(number, -0x8000, 0x7fff)) & 0xffff};
  }

 private:
  // `seen`: of SamplePlace.
  interpret::TexelWords run(unsigned lane, interpret::SeenTexels* seen) const {
    interpret::SamplePlace place;
    place.seen = seen;
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
    const std::int32_t level = level_words(i_) != 0 ? level_of(operand(next, lane)) : 0;
    const bool computed =
        i_.lod_mode != kLevelZero && i_.lod_mode != kLevelExplicit && i_.lod_mode != kLevelGradient;
    return interpret::sample(texture_, sampler_, place, level + (computed ? detail_of_quad(lane) : 0));
  }

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

  // From the gradients to the next column and to the next row, which stand in turns. Those of a cube are
  // along s and t, from 0 to 1, of a face that is 2 wide.
  std::int32_t detail_of_derivatives(unsigned lane) const {
    std::uint32_t most = 0;
    for (unsigned to = 0; to < 2; ++to) {
      std::array<std::uint32_t, 3> gradient{};
      for (unsigned axis = 0; axis < coordinates_of(i_); ++axis) {
        gradient[axis] = operand(2 * axis + to, lane);
        if (is_cube()) gradient[axis] = interpret::f32::add(gradient[axis], gradient[axis]);
      }
      most = interpret::widen_gradient(most, texture_, {}, gradient);
    }
    return interpret::detail_of(most);
  }

  const Instruction& i_;
  const TextureOperands& operands_;
  TextureView texture_;
  Sampler sampler_;
  unsigned number_;
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
  if (i.opcode == Opcode::tex_gradient && is_narrow(i)) return refused(i, "results of 16 bits");
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

TextureResults run_texture(const Instruction& i, const FragmentSetup& setup,
                           const frontend::BoundTextures& bound, const TextureOperands& operands,
                           unsigned active, bool quads) {
  TextureResults results;
  // Lanes that name the same texture, and the same sampler or an equal one, are together.
  for (unsigned rest = active, together = 0; rest != 0; rest &= ~together) {
    const auto first = static_cast<unsigned>(std::countr_zero(rest));
    const Handle handle = handle_of(i, operands.handles[first]);
    const Found found = find(i, setup, bound, handle);
    together = 1U << first;
    for (unsigned lane = first + 1; lane < kWarpLanes; ++lane) {
      if ((rest >> lane & 1) == 0) continue;
      const Handle other = handle_of(i, operands.handles[lane]);
      if (is_same(handle, other) || (!found.wrong && is_same(found, find(i, setup, bound, other))))
        together |= 1U << lane;
    }
    if (found.wrong) {
      results.failed |= together;
      for (unsigned lane = 0; lane < kWarpLanes; ++lane)
        if ((together >> lane & 1) != 0) results.handles[lane] = *found.wrong;
      continue;
    }
    const TextureRun run(i, operands, *found.texture, *found.sampler, handle.texture, quads ? together : 0);
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      if ((together >> lane & 1) == 0) continue;
      const auto words = i.opcode == Opcode::tex_gradient ? packed(i, *found.texture, run.level(lane))
                                                          : packed(i, *found.texture, run.run(lane));
      for (unsigned n = 0; n < 4; ++n) results.words[n][lane] = words[n];
    }
  }
  return results;
}

void WarpRun::sample(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneValues& handles) {
  TextureOperands operands{.handles = handles};
  if (warp.observer != nullptr) [[unlikely]]
    operands.seen = &warp.observer->event().texels;
  for (unsigned n = 0; n < op.i.read.count; ++n)
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      operands.staging[n][lane] = (active >> lane & 1) != 0 ? warp.get(op.i.read.first + n, lane)
                                                            : warp.registers[op.i.read.first + n][lane];
  const TextureResults results = run_texture(op.i, program_.fragment, launch_.bound, operands, active,
                                             program_.stage == Stage::fragment);
  for_lanes(active, [&](unsigned lane) {
    for (unsigned n = 0; n < op.i.write.count; ++n)
      warp.set(op.i.write.first + n, lane, results.words[n][lane]);
  });
  for_lanes(storing(results.failed),
            [&](unsigned lane) { memory_.report_no_texture(results.handles[lane], by(warp, op, lane)); });
}

}  // namespace warpjit::valhall
