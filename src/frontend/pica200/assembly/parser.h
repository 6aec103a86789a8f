// The syntax tree of PICA200 assembly and its parser. Names are not resolved here.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/text.h"
#include "frontend/pica200/encoding/decode.h"

namespace warpjit::pica200 {

using text::Position;
using text::quoted;
using text::Token;

// Component letters after a dot: up to four numbers, x = 0.
struct Swizzle {
  std::uint8_t count = 0;
  std::array<std::uint8_t, 4> component{};
};

// [-] name [ "[" index "]" ] [ "." swizzle ]
struct Operand {
  Position position;
  bool negate = false;
  std::string_view name;
  bool indexed = false;
  std::uint8_t address = 0;  // IDX: 0 none, 1 a0.x, 2 a0.y, 3 aL
  int offset = 0;            // what stands in the brackets besides
  Swizzle swizzle;
};

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
inline constexpr text::Language kLanguage{.comment = ";", .punctuation = ".,:()[]+-*/!=", .doubled = "&|"};

// Instructions, directives and words with one meaning in lower or upper case. `.set name expression` is done
// here: from then on the name stands for the expression.
Result<std::vector<Statement>> parse(const std::vector<Token>& tokens);

std::string lower_case(std::string_view text);
// The number of a component by its letter: one of xyzw, rgba or stpq.
std::optional<std::uint8_t> find_component(char letter);

class OperandReader : public text::TokenReader {
 public:
  using TokenReader::TokenReader;
  Result<Operand> operand();
  // Numbers joined by + - * / and parentheses.
  Result<double> expression();
  // The same, with a whole number as its value.
  Result<std::int64_t> whole(std::int64_t low, std::int64_t high);

 private:
  // `depth`: of the parentheses.
  Result<double> sum(unsigned depth);
  Result<double> product(unsigned depth);
  Result<double> factor(unsigned depth);
  Result<std::int64_t> whole_product(std::int64_t low, std::int64_t high);
  Result<Swizzle> swizzle();
  Status index(Operand& operand);
};

}  // namespace warpjit::pica200
