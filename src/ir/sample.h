// Sampling: what the instruction Sample does to which texture, and what code is specialized for. Pass
// expand_samples makes ordinary instructions of it. docs/textures.md has the rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "warpjit/textures.hpp"

namespace warpjit::ir {

enum class SampleOperation : std::uint8_t {
  automatic,  // the level of detail comes from the quad (SampleUse::from_quad), or the gradient is 0
  bias,       // the same, plus an operand
  lod,        // an operand says it
  fetch,      // a texel by its numbers
  gather,     // the four texels of a linear filter, of each what result `component` is
  size,       // of a level: width, height, depth or layers, number of levels
  query_lod,  // the level of detail in 1/256, limited and not
};
inline constexpr unsigned kSampleOperations = 7;
std::string_view name(SampleOperation operation);

// The immediate of a Sample. Offsets are texels.
struct SampleUse {
  SampleOperation operation = SampleOperation::automatic;
  std::uint16_t source = 0;      // of Function::samples
  std::uint8_t components = 15;  // bit n: result n is read; others are 0
  std::array<std::int8_t, 3> offsets{};
  bool from_quad = false;      // has the level of detail from the quad; functions with pixels always have
  std::uint8_t component = 0;  // of gather: 0 to 3

  constexpr std::uint64_t pack() const {
    std::uint64_t bits =
        static_cast<std::uint64_t>(operation) | std::uint64_t{source} << 8 | std::uint64_t{components} << 24;
    for (std::size_t k = 0; k < 3; ++k) bits |= static_cast<std::uint64_t>(offsets[k] & 255) << (32 + 8 * k);
    return bits | std::uint64_t{component} << 28 | std::uint64_t{from_quad} << 56;
  }
  static constexpr SampleUse unpack(std::uint64_t bits) {
    SampleUse use{static_cast<SampleOperation>(bits & 0xff), static_cast<std::uint16_t>(bits >> 8),
                  static_cast<std::uint8_t>(bits >> 24 & 15)};
    for (std::size_t k = 0; k < 3; ++k) use.offsets[k] = static_cast<std::int8_t>(bits >> (32 + 8 * k));
    use.component = static_cast<std::uint8_t>(bits >> 28 & 3);
    use.from_quad = (bits >> 56 & 1) != 0;
    return use;
  }
};

// What code is specialized for: of the texture, the sampler and the guest.
struct SampleKey {
  // The texture, as it is in memory when it is sampled.
  TextureDimension dimension = TextureDimension::d2;
  bool array = false;
  TextureFormat format;
  TextureLayout layout = TextureLayout::linear;
  std::array<TexelSource, 4> swizzle{TexelSource::red, TexelSource::green, TexelSource::blue,
                                     TexelSource::alpha};
  bool normalized = true;
  bool four_pairs = true;
  bool one_level = false;  // programs see one level alone
  // The sampler.
  std::array<Wrap, 3> wrap{};
  Filter magnify = Filter::nearest, minify = Filter::nearest;
  MipFilter mip = MipFilter::none;
  bool compare = false;
  Compare compare_op = Compare::less_equal;
  bool decode_srgb = true;
  bool seamless = false;
  // The guest: floats have no denormals, and its NaN is 0x7fffffff; each lane has a level of detail of its
  // own, from its own pairs; for cubes coordinates are s, t and, an integer, the face; the mirror_once modes
  // mirror numbers of texels, after offsets, not coordinates.
  bool without_denormals = true, own_levels = false, gives_face = false, mirrors_texels = false;

  bool operator==(const SampleKey&) const = default;

  unsigned axes() const {  // that texels are mixed along
    return dimension == TextureDimension::d1 || dimension == TextureDimension::buffer ? 1
           : dimension == TextureDimension::d3                                        ? 3
                                                                                      : 2;
  }
  bool is_cube() const { return dimension == TextureDimension::cube; }
  bool linear() const { return magnify == Filter::linear || minify == Filter::linear; }
  // Two levels, also if they are the same.
  bool mixes_levels() const { return mip == MipFilter::linear; }
  // True if a sample looks at the level of detail; else it need not be known.
  bool needs_lod() const {
    return magnify != minify || mixes_levels() || (mip != MipFilter::none && !one_level);
  }
  bool crosses_edges() const { return is_cube() && seamless; }
  bool is_srgb() const { return format.srgb && decode_srgb; }
};

// Calls visit(field, number of its values) for each field in turn: keys as bytes, and as text.
template <class Key, class Visit>
void each_field(Key& key, Visit visit) {
  visit(key.dimension, 5);
  visit(key.array, 2);
  visit(key.format.bytes, 17);
  visit(key.format.srgb, 2);
  for (auto& component : key.format.components) {
    visit(component.type, 9);
    visit(component.first_bit, 128);
    visit(component.bits, 33);
  }
  visit(key.layout, 4);
  for (auto& source : key.swizzle) visit(source, 7);
  visit(key.normalized, 2);
  visit(key.four_pairs, 2);
  visit(key.one_level, 2);
  for (auto& wrap : key.wrap) visit(wrap, 8);
  visit(key.magnify, 2);
  visit(key.minify, 2);
  visit(key.mip, 3);
  visit(key.compare, 2);
  visit(key.compare_op, 8);
  visit(key.decode_srgb, 2);
  visit(key.seamless, 2);
  visit(key.without_denormals, 2);
  visit(key.own_levels, 2);
  visit(key.gives_face, 2);
  visit(key.mirrors_texels, 2);
}

// A texture with its sampler, number k of the function: LoadTexel k reads it.
struct SampleSource {
  SampleKey key;
  std::uint32_t words = 0;  // byte of its words in the uniform table, a multiple of 16
};

// The words of a source in the uniform table: bytes from SampleSource::words. What is not said is i32.
namespace sample_words {
inline constexpr std::uint32_t kLodBias = 0;   // 1/256; of texture and sampler
inline constexpr std::uint32_t kLeastLod = 4;  // 1/256
inline constexpr std::uint32_t kGreatestLod = 8;
inline constexpr std::uint32_t kLastLevel = 12;  // that programs see; the first one is 0
inline constexpr std::uint32_t kLastLayer = 16;  // of cubes: the last cube
inline constexpr std::uint32_t kLayerBytes = 20;
inline constexpr std::uint32_t kLodSize = 24;  // f32, by axis: what differences of coordinates are scaled by
inline constexpr std::uint32_t kBorder = 48;   // x, y, z, w as bits
// Words of a level, in this order: width, height, depth, byte offset, bytes of a row, of a slice, shifts.
inline constexpr std::uint32_t kExtents = 0, kOffset = 3, kRowBytes = 4, kSliceBytes = 5, kShifts = 6;
inline constexpr std::uint32_t kLevelWords = 7;
inline constexpr std::uint32_t kFirstLevel = 64;  // these
inline constexpr std::uint32_t kLevels = 96;      // each of all levels: 16 words, as LookUpUniform32 has them
inline constexpr std::uint32_t kOfLevels = 64;    // bytes
static_assert(4 * kMaxTextureLevels <= kOfLevels);
inline constexpr std::uint32_t kBytes = kLevels + kLevelWords * kOfLevels;
// The shifts of a level: log2 of the block's height, of its depth, of the square of the Morton layout.
constexpr std::uint32_t pack_shifts(std::uint32_t height, std::uint32_t depth, std::uint32_t square) {
  return height | depth << 8 | square << 16;
}
}  // namespace sample_words

// The sources of components that are mixed, and whether that is done in integers: all of them are unorm or
// snorm of at most 8 bits. Comparisons have one component of 0 or 1.
struct FilterPath {
  bool integers = false;
  unsigned components = 0;  // bit n: component n of the format is selected
};
FilterPath filter_path(const SampleKey& key);

// True if a footprint can have texels of the border.
bool has_border(const SampleKey& key);

// True if a result can be NaN, because a texel is, or the border.
bool may_be_nan(const SampleKey& key);

// What cannot be: linear filters over integers, formats that no code reads. Null: nothing is wrong.
const char* unsupported(const SampleKey& key);

}  // namespace warpjit::ir
