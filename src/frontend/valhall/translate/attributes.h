// How vertex programs fetch attributes: what a translation depends on, and what it finds in
// the uniform table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontend/grid.h"
#include "frontend/valhall/facts/attribute.h"

namespace warpjit::valhall {

// Facts of one attribute.
struct AttributeFacts {
  std::uint32_t format = 0;
  frontend::AttributeSource::Division division{};
  std::uint8_t shift = 0;
  bool add = false, per_instance = false, from_first = false;
  bool mapped = false;          // the whole buffer is, in one piece
  bool some = false;            // any element lies in the buffer
  bool all = false;             // so do those of all vertices of the launch
  std::uint16_t window = 0;     // whose high word the buffer has
  std::uint16_t alignment = 1;  // of every element: 1, 2 or 4
};
std::vector<AttributeFacts> attribute_facts(const frontend::Grid& launch);

// The words of an attribute in the uniform table: the address of element 0; the stride; the first element in
// the buffer, and how many follow it; what division multiplies by.
enum class AttributeWord : std::uint32_t { address, stride, first, more, multiplier };
inline constexpr std::uint32_t kAttributeWords = 5;
void fill_attribute_words(const frontend::Vertices& vertices, std::span<std::uint32_t> table);

// Where elements lie: in which window, and a multiple of what their addresses are: 1, 2 or 4.
struct ElementMemory {
  std::uint16_t window = 0;
  std::uint32_t alignment = 1;
};
// True if ST_CVT converts to the format.
inline bool can_store(const VertexFormat& format) {
  return format.kind != VertexFormat::Kind::fixed && format.kind != VertexFormat::Kind::small_float;
}

}  // namespace warpjit::valhall
