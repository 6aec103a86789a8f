// What samples of a texture are, by its format and swizzle (docs/guests/usse.md 9.2, 9.3).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "frontend/usse/container/program.h"
#include "frontend/usse/encoding/decode.h"
#include "warpjit/textures.hpp"

namespace warpjit::usse {

// What a component of a sample is if the program asks for the texture's own type.
enum class NativeTexel : std::uint8_t { u8, s8, u16, s16, f16, f32 };
NativeTexel native_texel(const TextureFormat& format);
// One, two or four.
unsigned texel_components(const std::array<TexelSource, 4>& swizzle);

// The unit whose control words the four secondary attributes are that a sample names; none: they are not a
// texture's.
std::optional<unsigned> sampled_unit(const Program& program, const Instruction& sample);

}  // namespace warpjit::usse
