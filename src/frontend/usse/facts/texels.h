// What samples of a texture are, by its format and swizzle (docs/guests/usse.md 9.2, 9.3).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/usse/container/program.h"
#include "frontend/usse/encoding/decode.h"
#include "warpjit/textures.hpp"

namespace warpjit::usse {

// What a component of a sample is if the program asks for the texture's own type.
enum class NativeTexel : std::uint8_t { u8, s8, u16, s16, f16, f32 };
NativeTexel native_texel(const TextureFormat& format);
// The same format with numbers of 0 to 1, or -1 to 1, in place of integers: what the texture's
// own type is made of.
TextureFormat as_normalized(TextureFormat format);
// One, two or four.
unsigned texel_components(const std::array<TexelSource, 4>& swizzle);

// The unit whose control words the four secondary attributes are that a sample names;
// none: they are not a texture's.
std::optional<unsigned> sampled_unit(const Program& program, const Instruction& sample);

// What samples a unit: an instruction, or an input of a fragment program.
struct UnitSample {
  std::uint8_t unit = 0;
  bool cube = false;
  bool input = false;
  bool secondary = false;
  std::uint32_t word = 0;  // of one of the programs; not of an input
};
// Inputs, then instructions of both programs.
std::vector<UnitSample> unit_samples(const Program& program);
// Whether a texture that is bound has the sample's dimension. Errors: bad_input.
Status check_dimension(const Program& program, const UnitSample& sample, TextureDimension dimension);

}  // namespace warpjit::usse
