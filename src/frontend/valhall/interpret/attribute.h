// Attributes of vertices: where an element lies, and what its bytes become in registers
// (docs/guests/valhall.md 8.4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "frontend/grid.h"
#include "frontend/valhall/encoding/decode.h"

namespace warpjit::valhall {

// A pixel format of 22 bits, as far as attributes have it.
struct VertexFormat {
  enum class Kind : std::uint8_t { unorm, snorm, unsigned_, signed_, half, single, fixed, small_float };
  static constexpr std::uint8_t kZero = 4, kOne = 5;

  Kind kind = Kind::unorm;
  std::array<std::uint8_t, 4> bits{};  // of the components in memory, the lowest first; 0: there is none
  // Where r, g, b, a come from: a component in memory, kZero or kOne.
  std::array<std::uint8_t, 4> channel{};

  unsigned bytes() const { return (bits[0] + bits[1] + bits[2] + bits[3]) / 8U; }
};
// Errors: unsupported, without `where`.
Result<VertexFormat> find_vertex_format(std::uint32_t format);

using ElementBytes = std::array<std::byte, 16>;
// r, g, b, a in the register format, 16 bits of them in the low half.
std::array<std::uint32_t, 4> convert_element(const VertexFormat& format, const ElementBytes& bytes,
                                             RegisterFormat to);

// The byte of its buffer where an attribute's element for these numbers begins; negative ones, which are in
// no buffer, modulo 2^64.
std::uint64_t byte_of_element(const frontend::AttributeSource& attribute, std::uint32_t attribute_offset,
                              std::uint32_t vertex, std::uint32_t instance);

}  // namespace warpjit::valhall
