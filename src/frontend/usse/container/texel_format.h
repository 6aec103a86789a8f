// The base formats of textures (docs/guests/usse.md 9.2, 9.3), and how errors of control words name a field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frontend/usse/container/texture.h"

namespace warpjit::usse {

// A field of a control word.
inline std::uint32_t field_of(std::uint32_t word, unsigned first, unsigned bits) {
  return word >> first & ((1U << bits) - 1);
}

// "0x1f".
std::string hex_number(std::uint32_t value);
// unsupported: "texture WHAT WHY".
Error refused_texture(const std::string& what, const std::string& why);
// A field by its number and what that means: "gamma 0x1 (R or BGR)".
std::string numbered(const char* field, std::uint32_t value, std::string_view name);

// Sets the format with this code, the swizzle, and what channels are, as the control words say it. Errors
// name the field and what it may be: unsupported.
Status read_format(TextureState& state, std::uint32_t code, const ControlWords& words);

}  // namespace warpjit::usse
