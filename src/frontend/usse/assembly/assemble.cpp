#include "frontend/usse/assembly/assemble.h"

#include <unordered_map>

#include "frontend/usse/assembly/instruction.h"
#include "frontend/usse/assembly/interface.h"

namespace warpjit::usse {
namespace {

using text::Token;

class Assembler {
 public:
  explicit Assembler(const std::string& file) : file_(file) { program_.source_name = file; }

  Result<Program> run(std::string_view text) {
    text::Lexer lexer(text, file_, kLanguage);
    std::vector<Token> words;
    text::Position end;
    for (Token token = lexer.next();; token = lexer.next()) {
      if (!token.ends()) {
        words.push_back(token);
        continue;
      }
      WARPJIT_CHECK(line(words));
      words.clear();
      end = token.position;
      if (token.kind == Token::Kind::end_of_file) break;
    }
    for (Fixup& fixup : fixups_) {
      WARPJIT_CHECK(resolve(fixup));
    }
    if (program_.primary.empty()) return end.error("a primary program without instructions");
    WARPJIT_CHECK(finish_interface(program_));
    return std::move(program_);
  }

 private:
  struct Label {
    bool secondary = false;
    std::size_t word = 0;
  };
  // A branch to a label that comes later.
  struct Fixup {
    Label at;
    AssembledInstruction parsed;
    text::Position position;
  };

  static Error located(const Error& error, const text::Position& position) {
    return {error.code, error.message, position.error({}).where};
  }
  std::vector<std::uint64_t>& code() { return secondary_ ? program_.secondary : program_.primary; }

  Status resolve(Fixup& fixup) {
    const auto found = labels_.find(std::string(fixup.parsed.label));
    if (found == labels_.end() || found->second.secondary != fixup.at.secondary)
      return fixup.position.error("no label " + text::quoted(fixup.parsed.label));
    const bool relative = fixup.parsed.instruction.opcode == Opcode::br;
    const auto distance = static_cast<std::int64_t>(found->second.word) -
                          static_cast<std::int64_t>(relative ? fixup.at.word : 0);
    // Code has at most kMaxCodeWords.
    fixup.parsed.instruction.immediates[static_cast<std::size_t>(Immediate::offset)] =
        static_cast<std::int32_t>(distance);
    const auto word = word_of(fixup.parsed);
    if (!word) return located(word.error(), fixup.position);
    (fixup.at.secondary ? program_.secondary : program_.primary)[fixup.at.word] = *word;
    return {};
  }

  Status line(std::span<const Token> words) {
    while (!words.empty() && words[0].text.size() > 1 && words[0].text.back() == ':') {
      const std::string label(words[0].text.substr(0, words[0].text.size() - 1));
      if (!labels_.emplace(label, Label{secondary_, code().size()}).second)
        return words[0].position.error("the label " + text::quoted(label) + " is there already");
      words = words.subspan(1);
    }
    if (words.empty()) return {};
    return words[0].text.front() == '.' ? directive(words) : instruction(words);
  }

  Status instruction(std::span<const Token> tokens) {
    std::vector<std::string_view> words;
    for (const Token& token : tokens) words.push_back(token.text);
    const text::Position& position = tokens[0].position;
    const auto parsed = parse_instruction(std::move(words));
    if (!parsed) return located(parsed.error(), position);
    if (!parsed->label.empty()) {
      fixups_.push_back({{secondary_, code().size()}, *parsed, position});
      return append(0, position);
    }
    const auto word = word_of(*parsed);
    return word ? append(*word, position) : Status(located(word.error(), position));
  }

  Status append(std::uint64_t word, const text::Position& position) {
    if (code().size() == kMaxCodeWords)
      return located({ErrorCode::resource_limit, "more code than 65536 instructions", {}}, position);
    code().push_back(word);
    return {};
  }

  Status directive(std::span<const Token> words) {
    const std::string_view name = words[0].text;
    if (name == ".word") {
      for (const Token& token : words.subspan(1)) {
        const auto word = text::parse_unsigned(token.text, UINT64_MAX);
        if (!word) return token.position.error("expected a number, found " + text::quoted(token.text));
        WARPJIT_CHECK(append(*word, token.position));
      }
      return {};
    }
    if (name == ".stage") {
      const auto stage = words.size() == 2 ? find_stage(words[1].text) : std::nullopt;
      if (!stage) return words[0].position.error("expected .stage vertex or fragment");
      program_.stage = *stage;
      return {};
    }
    if (name == ".primary" || name == ".secondary") {
      if (words.size() != 1) return words[1].position.error("nothing follows " + std::string(name));
      secondary_ = name == ".secondary";
      return {};
    }
    WARPJIT_TRY(const bool known, read_interface(words, program_));
    if (known) return {};
    return words[0].position.error("unknown directive " + text::quoted(name) +
                                   "; there are .stage, .primary, .secondary, .word, " + list_directives());
  }

  const std::string& file_;
  Program program_;
  bool secondary_ = false;
  std::unordered_map<std::string, Label> labels_;
  std::vector<Fixup> fixups_;
};

}  // namespace

Result<Program> assemble(std::string_view text, const std::string& file) { return Assembler(file).run(text); }

Result<std::uint64_t> assemble_instruction(std::string_view text) {
  WARPJIT_TRY(const AssembledInstruction parsed, parse_instruction(split_line(text)));
  if (!parsed.label.empty()) return Error{ErrorCode::bad_input, "there are no labels here", {}};
  return word_of(parsed);
}

}  // namespace warpjit::usse
