// One line of Valhall assembly to an Instruction, by the patterns of encoding.inc.
#pragma once

#include <string_view>
#include <vector>

#include "base/text.h"
#include "frontend/valhall/encoding/decode.h"

namespace warpjit::valhall {

// Commas and braces stand alone, everything else between spaces is a word.
inline constexpr text::Language kLanguage{.comment = "//", .punctuation = ",{}", .free_words = true};

struct AssembledInstruction {
  Instruction instruction;
  std::uint64_t flipped = 0;  // bits that {unused} flips
  bool unchecked = false;
  std::string_view label;  // of the branch; empty: none
};
// Errors say what is wrong and have no position.
Result<AssembledInstruction> parse_instruction(std::vector<std::string_view> words);
// The word of a parsed instruction, whose label has become an offset.
Result<std::uint64_t> word_of(const AssembledInstruction& parsed);

}  // namespace warpjit::valhall
