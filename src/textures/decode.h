// Texels of compressed blocks. docs/textures.md has the rules.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "warpjit/textures.hpp"

namespace warpjit::textures {

// The largest block's texels.
inline constexpr unsigned kMaxBlockTexels = 144;

// The format that the texels of a compressed format are decoded to: components of 8 bits, or of 11 in 16;
// texels of 1, 2 or 4 bytes.
TextureFormat decoded_format(const TextureFormat& format);

// Decodes a block to its texels, row by row, in decoded_format. Every block decodes to something.
using DecodeBlock = void (*)(const TextureFormat& format, const std::byte* block, std::byte* texels);
// None: not supported.
DecodeBlock find_block_decoder(BlockCompression compression);

}  // namespace warpjit::textures
