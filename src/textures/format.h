// Texels as bytes: their formats, and what a texel says. docs/textures.md has the rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "warpjit/textures.hpp"

namespace warpjit::textures {

// The four components of a texel: bits of f32, or integers where the component's type is one.
using Texel = std::array<std::uint32_t, 4>;

// Whether components are integers, which are not filtered.
constexpr bool is_integer(TexelType type) { return type == TexelType::uint || type == TexelType::sint; }
bool has_integers(const TextureFormat& format);

// The word of one component: its `bits` bits in `raw`, the bits above being 0. shared_exponent takes the
// fraction in bits 0-8 and the exponent in bits 9-13.
std::uint32_t decode_component(TexelType type, unsigned bits, std::uint32_t raw);
// Reads format.bytes bytes of a format that is not compressed.
Texel decode_texel(const TextureFormat& format, const std::byte* texel);

// The largest power of two, up to 4, that divides a texel's (block's) bytes: of it offsets are multiples.
std::uint32_t element_alignment(std::uint32_t bytes);

// Whether a format is one: sizes, components that fit, types that can be. Else what is wrong, in words that
// go on from "format".
Status check_format(const TextureFormat& format);

}  // namespace warpjit::textures
