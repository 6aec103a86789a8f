#include "frontend/usse/assembly/assemble.h"

#include "frontend/assembly/lines.h"
#include "frontend/usse/assembly/instruction.h"
#include "frontend/usse/assembly/interface.h"

namespace warpjit::usse {
namespace {

using text::Token;

class Assembler : public assembly::WordAssembler<Assembler, AssembledInstruction> {
 public:
  explicit Assembler(const std::string& file) : WordAssembler(file) { program_.source_name = file; }

  Result<Program> run(std::string_view text, assembly::SourceNotes* notes) {
    WARPJIT_CHECK(assemble(text, kLanguage, notes));
    if (program_.primary.empty()) return position_.error("a primary program without instructions");
    WARPJIT_CHECK(finish_interface(program_));
    return std::move(program_);
  }

 private:
  friend LineReader;
  friend WordAssembler;
  static constexpr std::size_t kMostWords = kMaxCodeWords;
  static constexpr const char* kTooMany = "more code than 65536 instructions";

  std::vector<std::uint64_t>& code() { return secondary_ ? program_.secondary : program_.primary; }
  std::uint32_t address_of(const assembly::CodePlace& place) const {
    return static_cast<std::uint32_t>(place.word +
                                      (place.code == &program_.secondary ? program_.primary.size() : 0));
  }
  static Result<AssembledInstruction> parse(std::vector<std::string_view> words) {
    return parse_instruction(std::move(words));
  }
  static void set_target(AssembledInstruction& parsed, std::int64_t from, std::int64_t to) {
    const bool relative = parsed.instruction.opcode == Opcode::br;
    // Code has at most kMaxCodeWords.
    parsed.instruction.immediates[static_cast<std::size_t>(Immediate::offset)] =
        static_cast<std::int32_t>(to - (relative ? from : 0));
  }

  Status directive(std::span<const Token> words) {
    const std::string_view name = words[0].text;
    if (name == ".word") return read_words(words);
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

  Program program_;
  bool secondary_ = false;
};

}  // namespace

Result<Program> assemble(std::string_view text, const std::string& file, assembly::SourceNotes* notes) {
  return Assembler(file).run(text, notes);
}

Result<std::uint64_t> assemble_instruction(std::string_view text) {
  return assembly::word_without_label(parse_instruction(assembly::split_line(text, kLanguage)));
}

}  // namespace warpjit::usse
