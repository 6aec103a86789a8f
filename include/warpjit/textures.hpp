// Textures and samplers: what programs of all GPUs sample. The headers of the GPUs say how their
// descriptors map to it. docs/textures.md has the exact rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "warpjit/pixels.hpp"
#include "warpjit/result.hpp"

namespace warpjit {

// Faces of a cube are six layers: +x, -x, +y, -y, +z, -z.
enum class TextureDimension : std::uint8_t { d1, d2, d3, cube, buffer };

enum class TexelType : std::uint8_t {
  none,             // not there: 0, alpha 1 (the integer 1 if red is an integer)
  unorm,            // up to 24 bits
  snorm,            // the lowest value counts as the next one
  uint,             // the integer; no linear filters, but for a component that no result selects
  sint,             // the integer, extended by its sign; filters as of uint
  float_bits,       // 32, 16, or without a sign 11 (5 of exponent, 6 of fraction) or 10 (5, 5)
  shared_exponent,  // 9 bits; the exponent is bits 27-31 of the texel: v * 2^(e - 24)
  uscaled,          // up to 24 bits: the integer, as a float
  sscaled,          // the same, extended by its sign
};
// Bits from the texel's lowest one up. A component lies within one aligned word of its texel; in texels of 3
// and 6 bytes it is one element of 1 or 2 bytes.
struct TexelComponent {
  TexelType type = TexelType::none;
  std::uint8_t first_bit = 0, bits = 0;
  friend bool operator==(const TexelComponent&, const TexelComponent&) = default;
};
enum class BlockCompression : std::uint8_t {
  none,
  bc1,
  bc2,
  bc3,
  bc4,
  bc5,
  etc1,
  etc2,
  etc2_a1,
  etc2_a8,
  eac_r11,
  eac_rg11,
  astc
};
struct TextureFormat {
  std::uint8_t bytes = 0;  // of a texel, or of a block; 0: no format
  bool srgb = false;       // r, g and b are encoded by the sRGB curve; components of 8 bits, unorm
  std::array<TexelComponent, 4> components{};  // r, g, b, a; of a compressed format, as it is decoded
  BlockCompression compression = BlockCompression::none;
  std::uint8_t block_width = 1, block_height = 1;  // texels
  friend bool operator==(const TextureFormat&, const TextureFormat&) = default;
};
// Formats by name: "rgba8", "rgba8-snorm", "rg16f", "r32ui", "srgb8", "rgb565", "d24s8", "bc3",
// "astc-6x5-srgb" ... Names list components from the lowest bits or bytes up.
WARPJIT_API std::optional<TextureFormat> parse_texture_format(std::string_view text);
WARPJIT_API std::span<const std::string_view> list_texture_formats();
WARPJIT_API std::optional<std::string_view> name(const TextureFormat& format);  // if it has one

enum class TextureLayout : std::uint8_t {
  linear,         // rows of `row_bytes`
  block_linear,   // Tesla: blocks of 64 x 4 bytes, stacked
  u_interleaved,  // Mali: tiles of 16 x 16 texels (compressed: 4 x 4 blocks)
  morton,         // Vita: x and y in turns, y lowest
};

enum class TexelSource : std::uint8_t { red, green, blue, alpha, zero, one, integer_one };

inline constexpr std::uint32_t kMaxTextureExtent = 16384;  // texels
inline constexpr std::uint32_t kMaxTextureLevels = 15, kMaxTextureLayers = 16384;
inline constexpr std::uint32_t kMaxBufferTexels = 1U << 27;
inline constexpr std::uint64_t kMaxTextureBytes = std::uint64_t{1} << 31;  // read in place
inline constexpr std::uint64_t kMaxDecodedTextureBytes = std::uint64_t{1} << 29;

// Where a level of a texture is, if levels do not follow each other without padding. 0 stands for rows and
// slices without padding.
struct TextureLevelPlace {
  std::uint64_t offset = 0;  // bytes from a layer's start
  std::uint64_t row_bytes = 0, slice_bytes = 0;
};

// A texture in the caller's memory, which must outlive the runs that sample it. It is read in place. But one
// that is compressed, not aligned to 4, or ends within a word is copied when it is bound.
struct Texture {
  // What code is specialized for.
  TextureDimension dimension = TextureDimension::d2;
  bool array = false;
  TextureFormat format;
  TextureLayout layout = TextureLayout::linear;
  std::array<TexelSource, 4> swizzle{TexelSource::red, TexelSource::green, TexelSource::blue,
                                     TexelSource::alpha};
  bool normalized = true;  // coordinates of 0 to 1; else of 0 to the size
  bool four_pairs = true;  // the level of detail comes from all four edges of a quad, else from two
  bool depth = false;      // a border's red is the border of all components

  // What stands in tables.
  const void* data = nullptr;
  std::size_t size = 0;                                   // bytes at `data`
  std::uint32_t width = 0, height = 1, depth_extent = 1;  // of level 0
  std::uint32_t layers = 1;                               // of cubes: whole cubes of six
  std::uint32_t levels = 1;                               // in memory
  std::uint32_t first_level = 0, last_level = ~0U;        // those that programs see
  // Bytes from a row and a slice of level 0, and from a layer, to the next; 0: without padding. A row of
  // u_interleaved is a row of tiles; block_linear and morton have no rows to set.
  std::uint64_t row_bytes = 0, slice_bytes = 0, layer_bytes = 0;
  // Instead of row_bytes and slice_bytes: where each level is. Empty, or `levels` of them; copied.
  std::span<const TextureLevelPlace> level_places;
  std::uint8_t block_height = 0, block_depth = 0;  // log2 at level 0, of block_linear
  std::int32_t min_lod = 0;                        // in 1/256: no less
  std::int32_t lod_bias = 0;                       // in 1/256
};

enum class Wrap : std::uint8_t {
  repeat,
  mirror,
  clamp_to_edge,
  clamp_to_border,
  clamp,  // to [0, 1]: linear filters mix half of the border in
  mirror_once_to_edge,
  mirror_once_to_border,
  mirror_once,  // to [0, 1], as `clamp`
};
enum class Filter : std::uint8_t { nearest, linear };
enum class MipFilter : std::uint8_t { none, nearest, linear };

struct Sampler {
  // What code is specialized for.
  std::array<Wrap, 3> wrap{};  // x, y, z
  Filter magnify = Filter::nearest, minify = Filter::nearest;
  MipFilter mip = MipFilter::none;
  bool compare = false;  // reference OP the texel's red
  Compare compare_op = Compare::less_equal;
  bool decode_srgb = true;
  bool seamless = false;  // filters cross the edges of a cube's faces

  // What stands in tables.
  std::int32_t lod_bias = 0, min_lod = 0, max_lod = 15 * 256;  // in 1/256
  std::array<std::uint32_t, 4> border{};  // bits of f32, or integers: the x, y, z, w that a program sees
  std::optional<std::array<std::uint32_t, 3>> srgb_border{};  // x, y, z instead, for textures in sRGB

  bool operator==(const Sampler&) const = default;
};

inline constexpr unsigned kMaxTextures = 128, kMaxSamplers = 128;

}  // namespace warpjit
