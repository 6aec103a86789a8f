#include "frontend/valhall/assembly/assemble.h"

#include "frontend/assembly/lines.h"
#include "frontend/valhall/assembly/instruction.h"

namespace warpjit::valhall {
namespace {

using text::Token;

class Assembler : public assembly::WordAssembler<Assembler, AssembledInstruction> {
 public:
  explicit Assembler(const std::string& file) : WordAssembler(file) { program_.source_name = file; }

  Result<Program> run(std::string_view text, assembly::SourceNotes* notes) {
    WARPJIT_CHECK(assemble(text, kLanguage, notes));
    if (program_.code.empty()) return position_.error("a program without instructions");
    return std::move(program_);
  }

 private:
  friend LineReader;
  friend WordAssembler;
  static constexpr std::size_t kMostWords = kMaxCodeWords;
  static constexpr const char* kTooMany = "more code than 16 MiB";

  std::vector<std::uint64_t>& code() { return program_.code; }
  std::uint32_t address_of(const assembly::CodePlace& place) const {
    return static_cast<std::uint32_t>(8 * place.word);
  }
  static Result<AssembledInstruction> parse(std::vector<std::string_view> words) {
    return parse_instruction(std::move(words));
  }
  static void set_target(AssembledInstruction& parsed, std::int64_t from, std::int64_t to) {
    parsed.instruction.offset = static_cast<std::int32_t>(to - from - 1);  // code has at most 2^21 words
  }

  Status directive(std::span<const Token> words) {
    const std::string_view name = words[0].text;
    if (name == ".word") return read_words(words);
    if (name == ".stage") {
      const auto stage = words.size() == 2 ? find_stage(words[1].text) : std::nullopt;
      if (!stage) return words[0].position.error("expected .stage compute, vertex or fragment");
      program_.stage = *stage;
      return {};
    }
    if (name == ".local" || name == ".shared") {
      const bool local = name == ".local";
      const std::uint32_t most = local ? kMaxLocalBytes : kMaxSharedBytes;
      const auto bytes = words.size() == 2 ? text::parse_unsigned(words[1].text, most) : std::nullopt;
      if (!bytes) return words[0].position.error("expected up to " + std::to_string(most) + " bytes");
      (local ? program_.local_bytes : program_.shared_bytes) = static_cast<std::uint32_t>(*bytes);
      return {};
    }
    return words[0].position.error("unknown directive " + text::quoted(name));
  }

  Program program_;
};

}  // namespace

Result<Program> assemble(std::string_view text, const std::string& file, assembly::SourceNotes* notes) {
  return Assembler(file).run(text, notes);
}

Result<std::uint64_t> assemble_instruction(std::string_view text) {
  return assembly::word_without_label(parse_instruction(assembly::split_line(text, kLanguage)));
}

}  // namespace warpjit::valhall
