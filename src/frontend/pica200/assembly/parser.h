// The syntax tree of PICA200 assembly and its parser. Names are not resolved here.
#pragma once

#include <variant>
#include <vector>

#include "frontend/pica200/assembly/operand_reader.h"

namespace warpjit::pica200 {

// One instruction; which members are set follows from the opcode's syntax.
struct InstructionNode {
  Position position;
  Instruction fields;  // the opcode, and fields that the text gives as they are
  Operand dst;
  std::vector<Operand> sources;
  Operand uniform;  // without a name: none
  Position target_position;
  std::string_view target;
};

struct LabelNode {
  Position position;
  std::string_view name;
};

// A directive with its tokens up to the end of the line, which the emitter reads by an OperandReader.
struct DirectiveNode {
  Position position;
  std::string name;  // in lower case
  std::vector<Token> tokens;
};

using Statement = std::variant<InstructionNode, LabelNode, DirectiveNode>;

// Swizzles are names after a '.' punctuation.
inline constexpr text::Language kLanguage{.comment = ";", .punctuation = ".,:()[]+-*/!=&|", .doubled = "&|"};

// Instructions, directives and words with one meaning in lower or upper case. `.set name expression` is done
// here: from then on the name stands for the expression. `.verbatim` counts for what follows it.
Result<std::vector<Statement>> parse(const std::vector<Token>& tokens, Warnings& warnings);

}  // namespace warpjit::pica200
