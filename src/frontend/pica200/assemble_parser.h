// The syntax tree of PICA200 assembly and its parser. Names are not resolved here.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "frontend/pica200/assemble_lexer.h"
#include "frontend/pica200/decode.h"

namespace warpjit::pica200 {

// Component letters after a dot: up to four numbers, x = 0.
struct Swizzle {
  std::uint8_t count = 0;
  std::array<std::uint8_t, 4> component{};
};

// [-] name [ "[" index "]" ] [ "." swizzle ]
struct Operand {
  Place place;
  bool negate = false;
  std::string_view name;
  bool indexed = false;
  std::uint8_t address = 0;  // IDX: 0 none, 1 a0.x, 2 a0.y, 3 aL
  int offset = 0;            // what stands in the brackets besides
  Swizzle swizzle;
};

struct Condition {
  std::uint8_t op = 2;  // as in the encoding: 0 or, 1 and, 2 x, 3 y
  std::uint8_t ref_x = 1, ref_y = 1;
};

// One instruction; which members are set follows from the opcode's format.
struct InstructionNode {
  Place place;
  Opcode opcode = Opcode::nop;
  Operand dst;
  std::vector<Operand> sources;
  std::uint8_t relation_x = 0, relation_y = 0;
  Condition condition;
  Place uniform_place;
  std::string_view uniform;
  bool inverted = false;  // jmpu !b
  Place target_place;
  std::string_view target;
  std::uint8_t vertex = 0;
  bool primitive = false, winding = false;
};

struct LabelNode {
  Place place;
  std::string_view name;
};

// A directive with its tokens up to the end of the line, which the emitter reads by a TokenReader.
struct DirectiveNode {
  Place place;
  std::string_view name;
  std::vector<Token> tokens;
};

using Statement = std::variant<InstructionNode, LabelNode, DirectiveNode>;

Result<std::vector<Statement>> parse(const std::vector<Token>& tokens);

// Walks over tokens; every failure names the token it met.
class TokenReader {
 public:
  explicit TokenReader(const std::vector<Token>& tokens, std::size_t at = 0) : tokens_(tokens), at_(at) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[at_ + ahead < tokens_.size() ? at_ + ahead : tokens_.size() - 1];
  }
  Token take() { return tokens_[at_ < tokens_.size() - 1 ? at_++ : at_]; }
  bool accept(std::string_view punctuation) {
    if (!peek().is(punctuation)) return false;
    take();
    return true;
  }
  bool at_end() const {
    return peek().kind == Token::Kind::end_of_line || peek().kind == Token::Kind::end_of_file;
  }
  std::size_t position() const { return at_; }
  Error unexpected(std::string_view wanted) const;
  Status expect(std::string_view punctuation);
  Status expect_end();
  Result<Token> expect_name(std::string_view what);
  // An optional sign and a decimal or 0x number.
  Result<std::int64_t> expect_integer(std::int64_t low, std::int64_t high);
  // As above, or a decimal fraction, inf or nan.
  Result<float> expect_float();
  Result<Operand> operand();

 private:
  Result<Swizzle> swizzle();
  Status index(Operand& operand);

  const std::vector<Token>& tokens_;
  std::size_t at_;
};

}  // namespace warpjit::pica200
