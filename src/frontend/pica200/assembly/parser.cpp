#include "frontend/pica200/assembly/parser.h"

#include <algorithm>

#include "frontend/pica200/encoding/encoding.h"

namespace warpjit::pica200 {
namespace {

class Parser {
 public:
  explicit Parser(const std::vector<Token>& tokens) : in_(tokens) {}

  Result<std::vector<Statement>> run() {
    std::vector<Statement> statements;
    while (in_.peek().kind != Token::Kind::end_of_file) {
      const Token token = in_.peek();
      if (token.kind == Token::Kind::end_of_line) {
        in_.take();
      } else if (token.kind == Token::Kind::directive) {
        in_.take();
        DirectiveNode node{token.position, token.text, {}};
        while (!in_.at_end()) node.tokens.push_back(in_.take());
        node.tokens.push_back(in_.take());
        statements.emplace_back(std::move(node));
      } else if (token.kind == Token::Kind::name && in_.peek(1).is(":")) {
        in_.take();
        in_.take();
        statements.emplace_back(LabelNode{token.position, token.text});
      } else if (token.kind == Token::Kind::name) {
        WARPJIT_TRY(InstructionNode node, instruction());
        WARPJIT_CHECK(in_.expect_end());
        statements.emplace_back(std::move(node));
      } else {
        return in_.unexpected("an instruction, a label or a directive");
      }
    }
    return statements;
  }

 private:
  Result<InstructionNode> instruction() {
    const Token token = in_.take();
    InstructionNode node;
    node.position = token.position;
    const auto opcode = find_opcode(token.text);
    if (!opcode) return token.position.error("there is no instruction " + quoted(token.text));
    node.fields.opcode = *opcode;
    for (const SyntaxToken& syntax : operand_syntax(*opcode).structured) WARPJIT_CHECK(operand(syntax, node));
    return node;
  }

  Status operand(const SyntaxToken& syntax, InstructionNode& node) {
    using Kind = SyntaxToken::Kind;
    switch (syntax.kind) {
      case Kind::literal:
        return in_.expect(syntax.text);
      case Kind::modifier:
        return modifier(Grammar::modifiers()[syntax.modifier], node.fields);
      case Kind::dst:
      case Kind::address_registers: {
        WARPJIT_TRY(node.dst, in_.operand());
        return {};
      }
      case Kind::source: {
        WARPJIT_TRY(Operand source, in_.operand());
        node.sources.push_back(source);
        return {};
      }
      case Kind::condition:
        return condition(node.fields);
      case Kind::uniform:
      case Kind::uniform_or_not:
        return uniform(node, syntax.kind == Kind::uniform_or_not);
      case Kind::target:
        return target(node);
      case Kind::vertex: {
        WARPJIT_TRY(const std::int64_t vertex, in_.expect_integer(0, 3));
        node.fields.vertex = static_cast<std::uint16_t>(vertex);
        return {};
      }
      case Kind::emit_flags:
        return emit_flags(node.fields);
      default:
        return {};
    }
  }

  Status modifier(const encoding::Modifier<Instruction>& modifier, Instruction& fields) {
    for (unsigned k = 0; k < modifier.count; ++k)
      if (in_.peek().is_name(modifier.words[k])) {
        in_.take();
        modifier.set(fields, modifier.values[k]);
        return {};
      }
    return in_.unexpected("eq, ne, lt, le, gt or ge");
  }

  // [!] cmp.x [ && or || [!] cmp.y ]
  Status condition(Instruction& fields) {
    constexpr std::uint16_t kOr = 0, kAnd = 1, kX = 2, kY = 3;
    bool seen[2] = {};
    fields.ref_x = fields.ref_y = 1;
    for (int term = 0; term < 2; ++term) {
      const bool wanted = !in_.accept("!");
      const Position position = in_.peek().position;
      if (!in_.peek().is_name("cmp")) return in_.unexpected("cmp.x or cmp.y");
      in_.take();
      WARPJIT_CHECK(in_.expect("."));
      WARPJIT_TRY(const Token component, in_.expect_name("x or y"));
      if (component.text != "x" && component.text != "y")
        return component.position.error("cmp has only x and y");
      const bool is_y = component.text == "y";
      if (seen[is_y ? 1 : 0]) return position.error("a condition names each of cmp.x and cmp.y once");
      seen[is_y ? 1 : 0] = true;
      (is_y ? fields.ref_y : fields.ref_x) = wanted ? 1 : 0;
      if (term == 1) break;
      fields.condition = is_y ? kY : kX;
      if (in_.accept("&&")) {
        fields.condition = kAnd;
      } else if (in_.accept("||")) {
        fields.condition = kOr;
      } else {
        break;
      }
    }
    return {};
  }

  Status uniform(InstructionNode& node, bool may_invert) {
    if (in_.peek().is("!") && !may_invert)
      return in_.peek().position.error("only jmpu can invert its condition");
    node.fields.num = in_.accept("!") ? 1 : 0;
    WARPJIT_TRY(const Token uniform, in_.expect_name("a uniform"));
    node.uniform = uniform.text;
    node.uniform_position = uniform.position;
    return {};
  }

  Status target(InstructionNode& node) {
    WARPJIT_TRY(const Token token, in_.expect_name("a procedure or label"));
    node.target = token.text;
    node.target_position = token.position;
    return {};
  }

  // [, prim] [inv]
  Status emit_flags(Instruction& fields) {
    while (!in_.at_end()) {
      in_.accept(",");
      WARPJIT_TRY(const Token flag, in_.expect_name("prim or inv"));
      if (flag.text == "prim" || flag.text == "primitive") {
        fields.primitive = 1;
      } else if (flag.text == "inv" || flag.text == "invert") {
        fields.winding = 1;
      } else {
        return flag.position.error("expected prim or inv, found " + quoted(flag.text));
      }
    }
    return {};
  }

  OperandReader in_;
};

}  // namespace

Result<Operand> OperandReader::operand() {
  Operand result;
  result.position = peek().position;
  result.negate = accept("-");
  WARPJIT_TRY(const Token token, expect_name("a register or a name"));
  result.name = token.text;
  if (accept("[")) WARPJIT_CHECK(index(result));
  if (accept(".")) {
    WARPJIT_TRY(result.swizzle, swizzle());
  }
  return result;
}

// Terms joined by + and -: at most one address register, and numbers.
Status OperandReader::index(Operand& operand) {
  operand.indexed = true;
  bool negative = false;
  do {
    if (peek().kind == Token::Kind::name) {
      const Token reg = take();
      std::uint8_t address = 3;  // aL
      if (reg.text == "a0") {
        WARPJIT_CHECK(expect("."));
        WARPJIT_TRY(const Token component, expect_name("x or y"));
        if (component.text != "x" && component.text != "y")
          return component.position.error("a0 has only x and y");
        address = component.text == "x" ? 1 : 2;
      } else if (reg.text != "aL" && reg.text != "lcnt") {
        return reg.position.error("expected a0.x, a0.y, aL or a number");
      }
      if (negative) return reg.position.error("an address register cannot be subtracted");
      if (operand.address != 0) return reg.position.error("there can be only one address register");
      operand.address = address;
    } else {
      WARPJIT_TRY(const std::int64_t value, expect_integer(-255, 255));
      operand.offset += static_cast<int>(negative ? -value : value);
    }
    negative = peek().is("-");
  } while (accept("+") || accept("-"));
  return expect("]");
}

Result<Swizzle> OperandReader::swizzle() {
  WARPJIT_TRY(const Token token, expect_name("components"));
  Swizzle result;
  for (const char letter : token.text) {
    const std::size_t xyzw = std::string_view("xyzw").find(letter),
                      rgba = std::string_view("rgba").find(letter),
                      stpq = std::string_view("stpq").find(letter);
    const std::size_t found = std::min({xyzw, rgba, stpq});
    if (found == std::string_view::npos || result.count == 4)
      return token.position.error(quoted(token.text) + " is not a choice of up to four components");
    result.component[result.count++] = static_cast<std::uint8_t>(found);
  }
  return result;
}

Result<std::vector<Statement>> parse(const std::vector<Token>& tokens) { return Parser(tokens).run(); }

}  // namespace warpjit::pica200
