// How vertex programs fetch attributes: what a translation depends on, and what it finds in the uniform
// table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "frontend/grid.h"

namespace warpjit::valhall {

// Of one attribute.
struct AttributeFacts {
  std::uint32_t format = 0;
  frontend::AttributeSource::Division division{};
  std::uint8_t shift = 0;
  bool add = false, per_instance = false, from_first = false;
  std::uint8_t window = 0;     // whose high word the buffer has
  std::uint8_t alignment = 1;  // of every element: 1, 2 or 4
  bool mapped = false;         // the whole buffer is, in one piece
  bool some = false;           // any element lies in the buffer
  bool all = false;            // so do those of all vertices of the launch

  static constexpr std::uint32_t kWords = 2;
  std::array<std::uint32_t, kWords> pack() const;
  static AttributeFacts unpack(std::span<const std::uint32_t> words);
};
std::vector<std::uint32_t> attribute_facts(const frontend::Grid& launch);

// The words of an attribute in the uniform table: the address of element 0; the stride; the first element in
// the buffer, and how many follow it; what division multiplies by.
enum class AttributeWord : std::uint32_t { address, stride, first, more, multiplier };
inline constexpr std::uint32_t kAttributeWords = 5;
void fill_attribute_words(const frontend::Vertices& vertices, std::span<std::uint32_t> table);

// A pixel format whose elements code converts: components of one type beside each other, or fields of a word.
struct ElementFormat {
  // Small floats are halves without sign and lowest bits.
  enum class Kind : std::uint8_t { unorm, snorm, uint, sint, half, single, fixed, small_float };
  Kind kind{};
  std::uint8_t bits = 0;   // of a component; 0: they are fields
  std::uint8_t count = 0;  // of components
  // Of fields, those of the lowest bits first.
  std::array<std::uint8_t, 4> field{};
  // Which component red, green, blue and alpha are; those from `count` on are 0 and, of alpha, 1.
  std::array<std::uint8_t, 4> channel{};

  std::uint32_t bytes() const {
    if (bits != 0) return count * bits / 8U;
    return (field[0] + field[1] + field[2] + field[3]) / 8U;
  }
};
// Where elements lie: in which window, and a multiple of what their addresses are: 1, 2 or 4.
struct ElementMemory {
  std::uint8_t window = 0, alignment = 1;
};
inline constexpr std::uint8_t kZeroChannel = 0xfe, kOneChannel = 0xff;
// None: another one.
std::optional<ElementFormat> element_format(std::uint32_t format);
// Does ST_CVT?
inline bool can_store(const ElementFormat& format) {
  return format.kind != ElementFormat::Kind::fixed && format.kind != ElementFormat::Kind::small_float;
}
}  // namespace warpjit::valhall
