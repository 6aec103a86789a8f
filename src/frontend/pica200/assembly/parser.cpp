#include "frontend/pica200/assembly/parser.h"

#include <algorithm>
#include <cmath>
#include <map>

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
        DirectiveNode node{token.position, lower_case(token.text), {}};
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
    const auto opcode = find_opcode(lower_case(token.text));
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
        WARPJIT_TRY(const std::int64_t vertex, in_.whole(0, 3));
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
      if (in_.peek().kind == Token::Kind::name && lower_case(in_.peek().text) == modifier.words[k]) {
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
    if (in_.peek().kind != Token::Kind::name) return in_.unexpected("a uniform");
    WARPJIT_TRY(node.uniform, in_.operand());
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
      const std::string word = lower_case(flag.text);
      if (word == "prim" || word == "primitive") {
        fields.primitive = 1;
      } else if (word == "inv" || word == "invert") {
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
      WARPJIT_TRY(const std::int64_t value, whole_product(-255, 255));
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
    const auto found = find_component(letter);
    if (!found || result.count == 4)
      return token.position.error(quoted(token.text) + " is not a choice of up to four components");
    result.component[result.count++] = *found;
  }
  return result;
}

namespace {

// A whole number within limits; `position` is where it begins.
Result<std::int64_t> whole_value(double value, std::int64_t low, std::int64_t high,
                                 const Position& position) {
  if (!(value == std::floor(value))) return position.error("this is not an integer");
  if (value < static_cast<double>(low) || value > static_cast<double>(high)) {
    std::string text = std::isinf(value) || std::abs(value) > 1e15
                           ? std::string("this number")
                           : std::to_string(static_cast<std::int64_t>(value));
    return position.error(text + " is outside " + std::to_string(low) + " to " + std::to_string(high));
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

Result<double> OperandReader::expression() { return sum(0); }

Result<std::int64_t> OperandReader::whole(std::int64_t low, std::int64_t high) {
  const Position position = peek().position;
  WARPJIT_TRY(const double value, sum(0));
  return whole_value(value, low, high, position);
}
Result<std::int64_t> OperandReader::whole_product(std::int64_t low, std::int64_t high) {
  const Position position = peek().position;
  WARPJIT_TRY(const double value, product(0));
  return whole_value(value, low, high, position);
}

Result<double> OperandReader::sum(unsigned depth) {
  WARPJIT_TRY(double value, product(depth));
  for (;;) {
    const bool minus = peek().is("-");
    if (!accept("+") && !accept("-")) return value;
    WARPJIT_TRY(const double next, product(depth));
    value = minus ? value - next : value + next;
  }
}

Result<double> OperandReader::product(unsigned depth) {
  WARPJIT_TRY(double value, factor(depth));
  for (;;) {
    const Position position = peek().position;
    const bool divides = peek().is("/");
    if (!accept("*") && !accept("/")) return value;
    WARPJIT_TRY(const double next, factor(depth));
    if (divides && next == 0) return position.error("a division by zero");
    value = divides ? value / next : value * next;
  }
}

Result<double> OperandReader::factor(unsigned depth) {
  constexpr unsigned kMostDepth = 64;
  bool negative = false;
  while (peek().is("-") || peek().is("+")) negative ^= take().text == "-";
  double value = 0;
  if (peek().is("(")) {
    const Position position = take().position;
    if (depth == kMostDepth) return position.error("there are too many parentheses");
    WARPJIT_TRY(value, sum(depth + 1));
    WARPJIT_CHECK(expect(")"));
  } else if (const auto integer =
                 peek().kind == Token::Kind::number ? text::parse_unsigned(peek().text) : std::nullopt) {
    take();
    value = static_cast<double>(*integer);
  } else {
    WARPJIT_TRY(const float number, expect_float());
    value = static_cast<double>(number);
  }
  return negative ? -value : value;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::optional<std::uint8_t> find_component(char letter) {
  for (const std::string_view letters : {"xyzw", "rgba", "stpq"})
    if (const std::size_t found = letters.find(letter); found != std::string_view::npos)
      return static_cast<std::uint8_t>(found);
  return std::nullopt;
}

namespace {

// Replaces the names that .set defines. A name behind a dot is a component; one that is defined again is the
// new definition's.
class Settings {
 public:
  Result<std::vector<Token>> apply(const std::vector<Token>& tokens) {
    std::vector<Token> result;
    for (std::size_t k = 0; k < tokens.size();) {
      const bool begins = tokens[k].kind == Token::Kind::directive && lower_case(tokens[k].text) == "set";
      if (begins) {
        WARPJIT_TRY(k, define(tokens, k + 1));
        continue;
      }
      const Token& token = tokens[k++];
      const auto found = values_.find(token.text);
      const bool component = !result.empty() && result.back().is(".");
      if (token.kind != Token::Kind::name || component || found == values_.end()) {
        result.push_back(token);
        continue;
      }
      for (Token part : found->second) {
        part.position = token.position;
        result.push_back(part);
      }
      if (result.size() > kMostTokens) return token.position.error("the names of .set grow too long");
    }
    return result;
  }

 private:
  static constexpr std::size_t kMostTokens = 16 << 20, kMostParts = 1024;

  // .set name expression; gives the token behind the line.
  Result<std::size_t> define(const std::vector<Token>& tokens, std::size_t k) {
    const Token name = tokens[k];
    if (name.kind != Token::Kind::name) return name.position.error("expected a name");
    std::size_t end = k + 1;
    while (!tokens[end].ends()) ++end;
    WARPJIT_TRY(std::vector<Token> parts, expand(std::span(tokens).subspan(k + 1, end - k - 1)));
    std::vector<Token> line = parts;
    line.push_back(tokens[end]);
    OperandReader in(line);
    WARPJIT_CHECK(in.expression());
    WARPJIT_CHECK(in.expect_end());
    Token open = name, close = name;
    open.kind = close.kind = Token::Kind::punctuation;
    open.text = "(";
    close.text = ")";
    parts.insert(parts.begin(), open);
    parts.push_back(close);
    values_[std::string(name.text)] = std::move(parts);
    return tokens[end].kind == Token::Kind::end_of_line ? end + 1 : end;
  }
  Result<std::vector<Token>> expand(std::span<const Token> tokens) const {
    std::vector<Token> result;
    for (const Token& token : tokens) {
      const auto found = values_.find(token.text);
      if (token.kind == Token::Kind::name && found != values_.end())
        result.insert(result.end(), found->second.begin(), found->second.end());
      else
        result.push_back(token);
      if (result.size() > kMostParts) return token.position.error("the expression is too long");
    }
    return result;
  }

  std::map<std::string, std::vector<Token>, std::less<>> values_;
};

}  // namespace

Result<std::vector<Statement>> parse(const std::vector<Token>& tokens) {
  WARPJIT_TRY(const std::vector<Token> replaced, Settings().apply(tokens));
  return Parser(replaced).run();
}

}  // namespace warpjit::pica200
