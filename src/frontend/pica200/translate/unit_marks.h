// Words of the geometry unit that some invocations write and others leave.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/function.h"

namespace warpjit::pica200 {

// A word of the unit at the start or at the end of an invocation.
struct UnitWord {
  ir::Value value;
  std::uint16_t word = 0;  // 4 * row + component
};

// `starts`: words that the function loads; `ends`: what it stores, with the word that is there if nothing was
// written. If no start reaches anything but the end of its own word, for each start that may reach it there
// is an i1 value at the ends: true if it does. Words that are left on the same ways share one. Adds the
// instructions for these values to `f`, which must have no loops. Nothing if a start is used in another way.
struct Left {
  std::uint16_t word = 0;
  ir::Value left;
};
std::optional<std::vector<Left>> find_left_words(ir::Function& f, std::span<const UnitWord> starts,
                                                 std::span<const UnitWord> ends,
                                                 std::span<const ir::Inst> stores);

}  // namespace warpjit::pica200
