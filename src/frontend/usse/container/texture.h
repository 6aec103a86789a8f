// The four control words of a texture (docs/guests/usse.md 9): what they say, and the same in the terms
// that all GPUs share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "warpjit/textures.hpp"

namespace warpjit::usse {

using ControlWords = std::array<std::uint32_t, 4>;

enum class TextureType : std::uint8_t {
  swizzled,
  cube = 2,
  linear,
  tiled,
  swizzled_arbitrary,
  linear_strided,
  cube_arbitrary
};

// A base format.
struct TexelFormat {
  enum class Special : std::uint8_t {
    none,
    palette4,
    palette8,
    unsigned_float,
    channel_blocks,
    color_blocks
  };
  std::string_view name{};
  // As memory has it, channels c0 to c3; of what is Special but unsigned_float as it is decoded.
  TextureFormat format{};
  std::uint8_t bits = 0;  // of a texel
  std::uint8_t channels = 0;
  // unsigned_float: an f32 whose sign is no part of the number. channel_blocks: a block as that of UBC3's
  // alpha for each channel. color_blocks: blocks of `blocks`, which are decoded when they are bound.
  Special special{};
  BlockCompression blocks{};
  bool has_blocks() const { return special == Special::channel_blocks || special == Special::color_blocks; }
  // Sides of what lies together, in texels.
  unsigned block() const { return has_blocks() ? 4 : format.block_width; }
};

struct TextureState {
  TexelFormat format;
  std::array<TexelSource, 4> swizzle{};
  bool normalized = true;  // channels are numbers of 0 to 1, or -1 to 1; else their integers
  TextureType type{};
  std::uint32_t width = 0, height = 0, levels = 1;
  bool chain = false;        // levels follow, or could
  std::uint32_t stride = 0;  // bytes, of linear strided textures
  std::uint32_t address = 0, palette = 0;
  std::array<Wrap, 2> wrap{};  // u, v
  Filter magnify{}, minify{};
  bool mip_linear = false;
  std::int32_t bias = 0, least_level = 0;  // bias: eighths of a level

  bool is_cube() const { return type == TextureType::cube || type == TextureType::cube_arbitrary; }
};

// Errors name the field and have no `where`: unsupported, bad_input for what is not defined.
Result<TextureState> read_texture(const ControlWords& words);

// The guest's memory: `size` bytes from an address on; nothing if it does not have all of them.
using ReadMemory = std::function<std::span<const std::byte>(std::uint32_t address, std::uint64_t size)>;

struct BoundTexture {
  Texture texture;  // its data are the guest's or `copy`, its level_places are `places`
  Sampler sampler;
  std::vector<TextureLevelPlace> places;
  // What does not lie as textures of all GPUs do, moved; palettes are decoded.
  std::vector<std::byte> copy;
  std::uint32_t address = 0;  // of the guest's memory that it takes
  std::uint64_t size = 0;
};
// Errors name the field: bad_input for memory that is not there, resource_limit.
Result<BoundTexture> bind_texture(const TextureState& state, const ReadMemory& memory);

}  // namespace warpjit::usse
