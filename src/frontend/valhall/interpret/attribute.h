// Attributes of vertices: where an element lies, and what its bytes become in registers
// (docs/guests/valhall.md 8.4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "frontend/grid.h"
#include "frontend/valhall/encoding/decode.h"
#include "frontend/valhall/facts/attribute.h"

namespace warpjit::valhall {

using ElementBytes = std::array<std::byte, 16>;
// r, g, b, a in the register format, 16 bits of them in the low half.
std::array<std::uint32_t, 4> convert_element(const VertexFormat& format, const ElementBytes& bytes,
                                             RegisterFormat to);

// The byte of its buffer where an attribute's element for these numbers begins; negative ones, which are in
// no buffer, modulo 2^64.
std::uint64_t byte_of_element(const frontend::AttributeSource& attribute, std::uint32_t attribute_offset,
                              std::uint32_t vertex, std::uint32_t instance);

}  // namespace warpjit::valhall
