// Attributes of vertices and images: which descriptor an instruction names, and what the bytes of an element
// are (docs/guests/valhall.md 8.4).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "frontend/valhall/encoding/decode.h"

namespace warpjit::valhall {

// The descriptor that LD_ATTR, LEA_ATTR and their immediate forms name.
struct AttributeEntry {
  std::uint32_t table, index;
};
// Nothing if a register says which, or of other instructions.
std::optional<AttributeEntry> attribute_entry(const Instruction& instruction);

// The image that LD_TEX, LEA_TEX and their immediate forms name.
std::optional<AttributeEntry> image_entry(const Instruction& instruction);

// A pixel format of 22 bits, as far as attributes have it.
struct VertexFormat {
  enum class Kind : std::uint8_t { unorm, snorm, unsigned_, signed_, half, single, fixed, small_float };
  static constexpr std::uint8_t kZero = 4, kOne = 5;

  Kind kind = Kind::unorm;
  std::array<std::uint8_t, 4> bits{};  // of the components in memory, the lowest first; 0: it has no such one
  // Where r, g, b, a come from: a component in memory, kZero or kOne.
  std::array<std::uint8_t, 4> channel{};

  unsigned count() const { return 4U - static_cast<unsigned>(std::ranges::count(bits, 0)); }
  // The bits of each component; 0: components are fields of a word or half a word, not whole bytes.
  unsigned component_bits() const { return bits[0] % 8 == 0 ? bits[0] : 0U; }
  unsigned bytes() const { return (bits[0] + bits[1] + bits[2] + bits[3]) / 8U; }
};
// Errors: unsupported, without `where`.
Result<VertexFormat> find_vertex_format(std::uint32_t format);
// True if the low twelve bits of a pixel format may be these.
bool is_component_order(std::uint32_t order);

// The unit that texels of `bytes` bytes are moved in: 1, 2 or 4 bytes. Their addresses are multiples of it.
constexpr std::uint32_t access_unit(std::uint32_t bytes) {
  return bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
}

}  // namespace warpjit::valhall
