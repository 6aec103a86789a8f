// Pixel formats of a Mali v9, 22 bits, in the terms that all GPUs share (docs/guests/valhall.md 11).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "warpjit/pixels.hpp"
#include "warpjit/textures.hpp"

namespace warpjit::valhall {

// What lies in memory, and which of its components, if any, each channel is.
struct TexelLayout {
  TextureFormat format;
  std::array<TexelSource, 4> channels{};  // r, g, b, a
};
// `clump`: what a plane has for a texel or a block. Nothing if the two do not go together,
// or are not supported.
std::optional<TexelLayout> find_texel_layout(std::uint32_t format, std::uint8_t clump);
// The same for ASTC, in blocks of width x height texels.
std::optional<TexelLayout> find_astc_layout(std::uint32_t format, unsigned width, unsigned height);

// A target's pixels, and whether its tile has them as they are instead of channels; none: not supported.
struct TargetFormat {
  PixelFormat format = PixelFormat::none;
  bool raw = false;
};
TargetFormat find_target_format(std::uint32_t format, bool srgb);

}  // namespace warpjit::valhall
