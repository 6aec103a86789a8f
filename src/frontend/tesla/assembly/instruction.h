// One line of Tesla assembly to an Instruction, by the patterns of encoding.inc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "frontend/tesla/encoding/decode.h"

namespace warpjit::tesla {

// Parentheses and braces stand alone, the inside of [] belongs to its word.
inline constexpr text::Language kLanguage{.comment = "//", .punctuation = "(){}", .free_words = true};

// A number in decimal or 0x, with an optional minus.
std::optional<std::int64_t> parse_number(std::string_view word);

struct AssembledInstruction {
  Instruction instruction;    // canonical
  std::uint64_t flipped = 0;  // bits that {unused} flips
  std::string_view label;     // of the target; empty: none
};
// Errors say what is wrong and have no position.
Result<AssembledInstruction> parse_instruction(ProgramType type, std::vector<std::string_view> words);

}  // namespace warpjit::tesla
