#include "frontend/pica200/assembly/parser.h"

#include <map>

#include "frontend/pica200/encoding/encoding.h"

namespace warpjit::pica200 {
namespace {

std::string mnemonics() {
  std::string list;
  for (int k = 0; k < kOpcodeCount; ++k)
    list.append(k == 0 ? "" : ", ").append(info(static_cast<Opcode>(k)).name);
  return list;
}

// "add destination, source, source"
std::string usage(Opcode opcode) {
  using Kind = SyntaxToken::Kind;
  std::string text(info(opcode).name);
  for (const SyntaxToken& syntax : operand_syntax(opcode).structured) switch (syntax.kind) {
      case Kind::literal:
        text += syntax.text;
        break;
      case Kind::modifier:
        text += " eq";
        break;
      case Kind::dst:
        text += " destination";
        break;
      case Kind::address_registers:
        text += " a0.x";
        break;
      case Kind::source:
        text += " source";
        break;
      case Kind::condition:
        text += " cmp.x";
        break;
      case Kind::uniform:
      case Kind::uniform_or_not:
        text += info(opcode).format == Format::bool_flow ? " b0" : " i0";
        break;
      case Kind::target:
        text += " name";
        break;
      case Kind::vertex:
        text += " 0";
        break;
      case Kind::emit_flags:
        text += "[, prim inv]";
        break;
      default:
        break;
    }
  return text;
}

class Parser {
 public:
  Parser(const std::vector<Token>& tokens, Warnings& warnings) : in_(tokens, &warnings) {}

  Result<std::vector<Statement>> run() {
    std::vector<Statement> statements;
    while (in_.peek().kind != Token::Kind::end_of_file) {
      const Token token = in_.peek();
      if (token.kind == Token::Kind::end_of_line) {
        in_.take();
      } else if (token.kind == Token::Kind::directive) {
        statements.emplace_back(directive());
      } else if (token.is(".") && in_.peek(1).kind == Token::Kind::name) {  // after a label
        in_.take();
        statements.emplace_back(directive());
      } else if (token.kind == Token::Kind::name && in_.peek(1).is(":")) {
        in_.take();
        in_.take();
        statements.emplace_back(LabelNode{token.position, token.text});
      } else if (token.kind == Token::Kind::name) {
        WARPJIT_TRY(InstructionNode node, instruction());
        statements.emplace_back(std::move(node));
      } else {
        return in_.unexpected("an instruction, a label or a directive");
      }
    }
    return statements;
  }

 private:
  DirectiveNode directive() {
    const Token token = in_.take();
    DirectiveNode node{token.position, lower_case(token.text), {}};
    while (!in_.at_end()) node.tokens.push_back(in_.take());
    node.tokens.push_back(in_.take());
    verbatim_ |= node.name == "verbatim";
    return node;
  }

  Result<InstructionNode> instruction() {
    const Token token = in_.take();
    InstructionNode node;
    node.position = token.position;
    const auto opcode = find_opcode(lower_case(token.text));
    if (!opcode)
      return token.position.error("there is no instruction " + quoted(token.text) + "; there are " +
                                  mnemonics());
    node.fields.opcode = *opcode;
    for (const SyntaxToken& syntax : operand_syntax(*opcode).structured) {
      if (!stands_there(syntax)) return incomplete(syntax, *opcode);
      WARPJIT_CHECK(operand(syntax, node));
    }
    if (!in_.at_end()) return written_as(in_.expect_end().error(), *opcode);
    return node;
  }

  // Checks that commas stand where they must, and operands between them.
  bool stands_there(const SyntaxToken& syntax) const {
    using Kind = SyntaxToken::Kind;
    switch (syntax.kind) {
      case Kind::literal:
        return in_.peek().is(syntax.text);
      case Kind::emit_flags:
      case Kind::field:
      case Kind::fixed_modifier:
        return true;
      default:
        return !in_.at_end();
    }
  }
  Error incomplete(const SyntaxToken& syntax, Opcode opcode) const {
    const std::string wanted = syntax.kind == SyntaxToken::Kind::literal ? quoted(syntax.text) : "an operand";
    return written_as(in_.unexpected(wanted), opcode);
  }
  static Error written_as(Error error, Opcode opcode) {
    error.message += "; it is written " + usage(opcode);
    return error;
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
        WARPJIT_TRY(const std::int64_t vertex, in_.whole(0, verbatim_ ? 3 : 2, PicassoNumber::integer));
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

  // [!] cmp.x [ && or || [!] cmp.y ]; & and | are the same
  Status condition(Instruction& fields) {
    constexpr std::uint16_t kOr = 0, kAnd = 1, kX = 2, kY = 3;
    bool seen[2] = {};
    fields.ref_x = fields.ref_y = 1;
    for (int term = 0; term < 2; ++term) {
      bool wanted = true;
      while (in_.accept("!")) wanted = !wanted;
      const Position position = in_.peek().position;
      if (in_.peek().kind != Token::Kind::name || lower_case(in_.peek().text) != "cmp")
        return in_.unexpected("cmp.x or cmp.y");
      in_.take();
      WARPJIT_CHECK(in_.expect("."));
      WARPJIT_TRY(const Token component, in_.expect_name("x or y"));
      const std::string letter = lower_case(component.text);
      if (letter != "x" && letter != "y") return component.position.error("cmp has only x and y");
      const bool is_y = letter == "y";
      if (seen[is_y ? 1 : 0]) return position.error("a condition names each of cmp.x and cmp.y once");
      seen[is_y ? 1 : 0] = true;
      (is_y ? fields.ref_y : fields.ref_x) = wanted ? 1 : 0;
      if (term == 1) break;
      fields.condition = is_y ? kY : kX;
      if (in_.accept("&&") || in_.accept("&")) {
        fields.condition = kAnd;
      } else if (in_.accept("||") || in_.accept("|")) {
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
    if (in_.peek().kind != Token::Kind::name)
      return in_.unexpected(node.fields.info().format == Format::bool_flow
                                ? "a bool uniform, b0 to b15 or its name"
                                : "an integer uniform, i0 to i3 or its name");
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
        return flag.position.error("expected prim (or primitive) or inv (or invert), found " +
                                   quoted(flag.text));
      }
    }
    return {};
  }

  OperandReader in_;
  bool verbatim_ = false;
};

// Replaces the names that .set defines.
// A name after a dot is a component; one that is defined again is the new definition's.
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

  // .set name expression; gives the token after the line.
  Result<std::size_t> define(const std::vector<Token>& tokens, std::size_t k) {
    const Token name = tokens[k];
    if (name.kind != Token::Kind::name) return name.position.error("expected a name");
    std::size_t end = k + 1;
    while (!tokens[end].ends()) ++end;
    WARPJIT_TRY(std::vector<Token> parts, expand(std::span(tokens).subspan(k + 1, end - k - 1)));
    std::vector<Token> line = parts;
    line.push_back(tokens[end]);
    OperandReader in(line);
    WARPJIT_CHECK(in.expression(PicassoNumber::none));
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

Result<std::vector<Statement>> parse(const std::vector<Token>& tokens, Warnings& warnings) {
  WARPJIT_TRY(const std::vector<Token> replaced, Settings().apply(tokens));
  return Parser(replaced, warnings).run();
}

}  // namespace warpjit::pica200
