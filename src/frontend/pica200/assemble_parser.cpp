#include "frontend/pica200/assemble_parser.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace warpjit::pica200 {
namespace {

constexpr std::string_view kRelations[] = {"eq", "ne", "lt", "le", "gt", "ge", "any6", "any7"};

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
        DirectiveNode node{token.place, token.text, {}};
        while (!in_.at_end()) node.tokens.push_back(in_.take());
        node.tokens.push_back(in_.take());
        statements.emplace_back(std::move(node));
      } else if (token.kind == Token::Kind::name && in_.peek(1).is(":")) {
        in_.take();
        in_.take();
        statements.emplace_back(LabelNode{token.place, token.text});
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
    node.place = token.place;
    const auto opcode = find_opcode(token.text);
    if (!opcode) return token.place.error("there is no instruction " + quoted(token.text));
    node.opcode = *opcode;
    const OpcodeInfo& info = pica200::info(*opcode);
    switch (info.format) {
      case Format::none:
        break;
      case Format::compare:
        WARPJIT_CHECK(compare(node));
        break;
      case Format::condition_flow:
        if ((info.traits & kReadsFlags) != 0) {
          WARPJIT_TRY(node.condition, condition());
        } else {  // CALL has no condition; its fields are 0
          node.condition = {0, 0, 0};
        }
        if (node.opcode == Opcode::breakc || node.opcode == Opcode::ifc) break;
        if ((info.traits & kReadsFlags) != 0) WARPJIT_CHECK(in_.expect(","));
        WARPJIT_CHECK(target(node));
        break;
      case Format::bool_flow:
      case Format::int_flow:
        WARPJIT_CHECK(uniform_flow(node));
        break;
      case Format::set_emit:
        WARPJIT_CHECK(set_emit(node));
        break;
      default:
        WARPJIT_CHECK(arithmetic(node, info));
        break;
    }
    return node;
  }

  Status arithmetic(InstructionNode& node, const OpcodeInfo& info) {
    WARPJIT_TRY(node.dst, in_.operand());
    for (const std::uint8_t reads : info.reads) {
      if (reads == 0) break;
      WARPJIT_CHECK(in_.expect(","));
      WARPJIT_TRY(Operand source, in_.operand());
      node.sources.push_back(source);
    }
    return {};
  }

  Status compare(InstructionNode& node) {
    WARPJIT_TRY(Operand first, in_.operand());
    WARPJIT_CHECK(in_.expect(","));
    WARPJIT_TRY(node.relation_x, relation());
    WARPJIT_CHECK(in_.expect(","));
    WARPJIT_TRY(node.relation_y, relation());
    WARPJIT_CHECK(in_.expect(","));
    WARPJIT_TRY(Operand second, in_.operand());
    node.sources = {first, second};
    return {};
  }

  Result<std::uint8_t> relation() {
    for (std::uint8_t k = 0; k < std::size(kRelations); ++k)
      if (in_.peek().is_name(kRelations[k])) {
        in_.take();
        return k;
      }
    return in_.unexpected("eq, ne, lt, le, gt or ge");
  }

  // [!] cmp.x [ && or || [!] cmp.y ]
  Result<Condition> condition() {
    Condition result;
    bool seen[2] = {};
    for (int term = 0; term < 2; ++term) {
      const bool wanted = !in_.accept("!");
      const Place place = in_.peek().place;
      if (!in_.peek().is_name("cmp")) return in_.unexpected("cmp.x or cmp.y");
      in_.take();
      WARPJIT_CHECK(in_.expect("."));
      WARPJIT_TRY(const Token component, in_.expect_name("x or y"));
      if (component.text != "x" && component.text != "y")
        return component.place.error("cmp has only x and y");
      const bool is_y = component.text == "y";
      if (seen[is_y ? 1 : 0]) return place.error("a condition names each of cmp.x and cmp.y once");
      seen[is_y ? 1 : 0] = true;
      (is_y ? result.ref_y : result.ref_x) = wanted ? 1 : 0;
      if (term == 0) {
        result.op = is_y ? 3 : 2;
        if (in_.accept("&&")) {
          result.op = 1;
        } else if (in_.accept("||")) {
          result.op = 0;
        } else {
          break;
        }
      }
    }
    return result;
  }

  Status uniform_flow(InstructionNode& node) {
    if (in_.peek().is("!") && node.opcode != Opcode::jmpu)
      return in_.peek().place.error("only jmpu can invert its condition");
    node.inverted = in_.accept("!");
    WARPJIT_TRY(const Token uniform, in_.expect_name("a uniform"));
    node.uniform = uniform.text;
    node.uniform_place = uniform.place;
    if (node.opcode == Opcode::ifu || node.opcode == Opcode::loop) return {};
    WARPJIT_CHECK(in_.expect(","));
    return target(node);
  }

  Status target(InstructionNode& node) {
    WARPJIT_TRY(const Token token, in_.expect_name("a procedure or label"));
    node.target = token.text;
    node.target_place = token.place;
    return {};
  }

  // setemit vertex [, prim] [inv]
  Status set_emit(InstructionNode& node) {
    WARPJIT_TRY(const std::int64_t vertex, in_.expect_integer(0, 3));
    node.vertex = static_cast<std::uint8_t>(vertex);
    while (!in_.at_end()) {
      in_.accept(",");
      WARPJIT_TRY(const Token flag, in_.expect_name("prim or inv"));
      if (flag.text == "prim" || flag.text == "primitive") {
        node.primitive = true;
      } else if (flag.text == "inv" || flag.text == "invert") {
        node.winding = true;
      } else {
        return flag.place.error("expected prim or inv, found " + quoted(flag.text));
      }
    }
    return {};
  }

  TokenReader in_;
};

}  // namespace

Error TokenReader::unexpected(std::string_view wanted) const {
  std::string found = quoted(peek().text);
  if (at_end()) found = "the end of the line";
  return peek().place.error("expected " + std::string(wanted) + ", found " + found);
}

Status TokenReader::expect(std::string_view punctuation) {
  if (accept(punctuation)) return {};
  return unexpected(quoted(punctuation));
}

Status TokenReader::expect_end() {
  if (at_end()) return {};
  return unexpected("the end of the line");
}

Result<Token> TokenReader::expect_name(std::string_view what) {
  if (peek().kind != Token::Kind::name) return unexpected(what);
  return take();
}

Result<std::int64_t> TokenReader::expect_integer(std::int64_t low, std::int64_t high) {
  const Place place = peek().place;
  const bool negative = accept("-");
  if (!negative) accept("+");
  if (peek().kind != Token::Kind::number) return unexpected("a number");
  std::string_view text = take().text;
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  std::uint32_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return place.error("this is not an integer");
  const std::int64_t value = negative ? -std::int64_t{magnitude} : std::int64_t{magnitude};
  if (value < low || value > high)
    return place.error(std::to_string(value) + " is outside " + std::to_string(low) + " to " +
                       std::to_string(high));
  return value;
}

Result<float> TokenReader::expect_float() {
  const Place place = peek().place;
  const bool negative = accept("-");
  if (!negative) accept("+");
  float value = 0;
  if (peek().is_name("inf") || peek().is_name("nan")) {
    value = take().text == "inf" ? std::numeric_limits<float>::infinity()
                                 : std::numeric_limits<float>::quiet_NaN();
  } else {
    if (peek().kind != Token::Kind::number) return unexpected("a number");
    const std::string_view text = take().text;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::invalid_argument || end != text.data() + text.size())
      return place.error("this is not a number");
    if (error == std::errc::result_out_of_range) return place.error("this number is out of range");
  }
  return negative ? -value : value;
}

Result<Operand> TokenReader::operand() {
  Operand result;
  result.place = peek().place;
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
Status TokenReader::index(Operand& operand) {
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
          return component.place.error("a0 has only x and y");
        address = component.text == "x" ? 1 : 2;
      } else if (reg.text != "aL" && reg.text != "lcnt") {
        return reg.place.error("expected a0.x, a0.y, aL or a number");
      }
      if (negative) return reg.place.error("an address register cannot be subtracted");
      if (operand.address != 0) return reg.place.error("there can be only one address register");
      operand.address = address;
    } else {
      WARPJIT_TRY(const std::int64_t value, expect_integer(-255, 255));
      operand.offset += static_cast<int>(negative ? -value : value);
    }
    negative = peek().is("-");
  } while (accept("+") || accept("-"));
  return expect("]");
}

Result<Swizzle> TokenReader::swizzle() {
  WARPJIT_TRY(const Token token, expect_name("components"));
  Swizzle result;
  for (const char letter : token.text) {
    const std::size_t xyzw = std::string_view("xyzw").find(letter),
                      rgba = std::string_view("rgba").find(letter),
                      stpq = std::string_view("stpq").find(letter);
    const std::size_t found = std::min({xyzw, rgba, stpq});
    if (found == std::string_view::npos || result.count == 4)
      return token.place.error(quoted(token.text) + " is not a choice of up to four components");
    result.component[result.count++] = static_cast<std::uint8_t>(found);
  }
  return result;
}

Result<std::vector<Statement>> parse(const std::vector<Token>& tokens) { return Parser(tokens).run(); }

}  // namespace warpjit::pica200
