// What messages move between registers and memory, as accesses of the IR.
#pragma once

#include <array>
#include <cstdint>

#include "frontend/valhall/encoding/decode.h"
#include "ir/memory.h"

namespace warpjit::valhall {

// What one access of the IR moves: an element at an offset.
struct Part {
  ir::Element element;
  std::uint8_t unit, unit_bytes;  // bytes that a load finds inside together, from that byte of the access on
  std::uint8_t offset = 0;        // of the element in them

  unsigned place() const { return unit + offset; }
};
struct Moved {
  std::array<Part, 4> part;
  unsigned count;
  std::uint8_t bytes, alignment;
};
inline Moved moved_by(Type type) {
  using ir::Element;
  constexpr auto kWord = Element::word;
  switch (type) {
    case Type::i8:
      return {{{{Element::u8, 0, 1}}}, 1, 1, 1};
    case Type::i16:
      return {{{{Element::u16, 0, 2}}}, 1, 2, 2};
    case Type::i24:
      return {{{{Element::u8, 0, 1}, {Element::u8, 1, 1}, {Element::u8, 2, 1}}}, 3, 3, 1};
    case Type::i48:
      // Words of a thread's own memory do not lie beside each other: only what is aligned may be one.
      return {{{{Element::u16, 0, 4}, {Element::u16, 0, 4, 2}, {Element::u16, 4, 2}}}, 3, 6, 2};
    case Type::i64:
      return {{{{kWord, 0, 4}, {kWord, 4, 4}}}, 2, 8, 4};
    case Type::i96:
      return {{{{kWord, 0, 4}, {kWord, 4, 4}, {kWord, 8, 4}}}, 3, 12, 4};
    case Type::i128:
      return {{{{kWord, 0, 4}, {kWord, 4, 4}, {kWord, 8, 4}, {kWord, 12, 4}}}, 4, 16, 4};
    default:
      return {{{{kWord, 0, 4}}}, 1, 4, 4};
  }
}

}  // namespace warpjit::valhall
