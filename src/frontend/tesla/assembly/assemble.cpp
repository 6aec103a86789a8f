#include "frontend/tesla/assembly/assemble.h"

#include "frontend/assembly/lines.h"
#include "frontend/tesla/assembly/instruction.h"
#include "frontend/tesla/container/graphics_fields.h"

namespace warpjit::tesla {
namespace {

using text::Token;

// Labels are addresses.
class Assembler : assembly::LineReader<Assembler, std::uint32_t> {
 public:
  Assembler(const std::string& file, std::vector<assembly::SourceNotes>* notes)
      : LineReader(file), notes_(notes) {
    container_.source_name = file;
  }

  Result<Container> run(std::string_view text) {
    start_program("");
    WARPJIT_CHECK(read_lines(text, kLanguage));
    WARPJIT_CHECK(finish_program());
    return std::move(container_);
  }

 private:
  friend LineReader;
  struct Fixup {
    std::size_t word = 0;
    Instruction instruction;
    std::uint64_t flipped = 0;
    std::string label;
    text::Position position;
  };
  // A word of the program's constants that is the address of a label.
  struct ConstantFixup {
    std::size_t segment, word;
    std::string label;
    text::Position position;
  };

  void start_program(std::string_view name) {
    program_ = Program{};
    program_.name = name;
    program_.source_name = file_;
    labels_.clear();
    fixups_.clear();
    constant_fixups_.clear();
    lines_.clear();
    described_ = false;
  }

  Status finish_program() {
    for (Fixup& fixup : fixups_) {
      WARPJIT_TRY(fixup.instruction.target, find_label(fixup.label, fixup.position));
      const auto word = encode(program_.type, fixup.instruction);
      if (!word) return fixup.position.error("the target does not fit");
      put(fixup.word, *word ^ fixup.flipped, fixup.instruction.words());
    }
    for (const ConstantFixup& fixup : constant_fixups_) {
      WARPJIT_TRY(program_.constants[fixup.segment].words[fixup.word],
                  find_label(fixup.label, fixup.position));
    }
    if (program_.code.empty() && !described_) return {};  // nothing before the first .kernel
    if (program_.code.empty()) return position_.error("a kernel without instructions");
    WARPJIT_CHECK(check_limits(program_));
    container_.programs.push_back(std::move(program_));
    if (notes_ != nullptr) note();
    return {};
  }

  void note() {
    assembly::SourceNotes& notes = notes_->emplace_back();
    notes.lines = std::move(lines_);
    for (const auto& [label, address] : labels_) notes.labels.emplace_back(address, label);
    std::ranges::sort(notes.labels);
  }

  void put(std::size_t at, std::uint64_t word, unsigned words) {
    program_.code[at] = static_cast<std::uint32_t>(word);
    if (words == 2) program_.code[at + 1] = static_cast<std::uint32_t>(word >> 32);
  }

  std::uint32_t here() const { return static_cast<std::uint32_t>(4 * program_.code.size()); }

  Status instruction(std::vector<std::string_view> words, const text::Position& position) {
    const auto parsed = parse_instruction(program_.type, std::move(words));
    if (!parsed) return assembly::located(parsed.error(), position);
    const std::size_t at = program_.code.size();
    const unsigned length = parsed->instruction.words();
    if (length == 2 && at % 2 != 0)
      return position.error("a long instruction starts at a multiple of 8 bytes: short ones come in pairs");
    WARPJIT_CHECK(reserve(length, position));
    if (!parsed->label.empty())
      fixups_.push_back({at, parsed->instruction, parsed->flipped, std::string(parsed->label), position});
    put(at, *encode(program_.type, parsed->instruction) ^ parsed->flipped, length);
    return {};
  }

  Status reserve(unsigned words, const text::Position& position) {
    if (program_.code.size() + words > kMaxCodeWords)
      return assembly::located({ErrorCode::resource_limit, "more code than 16 MiB", {}}, position);
    if (notes_ != nullptr) lines_.emplace_back(here(), position.line);
    program_.code.resize(program_.code.size() + words);
    return {};
  }

  Status directive(std::span<const Token> words) {
    const text::Position& position = words[0].position;
    const std::string_view name = words[0].text.substr(1);
    if (name == "kernel") {
      if (words.size() != 2) return position.error("expected .kernel NAME");
      WARPJIT_CHECK(finish_program());
      start_program(words[1].text);
      described_ = true;
      return {};
    }
    if (name == "type") {
      const auto type = words.size() == 2 ? find_program_type(words[1].text) : std::nullopt;
      if (!type) return position.error("expected .type compute, vertex, geometry or fragment");
      if (!program_.code.empty()) return position.error(".type comes before the instructions");
      program_.type = *type;
      return {};
    }
    if (name == "const") return constants(words);
    if (name == "word") {
      for (const Token& token : words.subspan(1)) {
        WARPJIT_TRY(const std::uint32_t word, number(token));
        WARPJIT_CHECK(reserve(1, token.position));
        program_.code.back() = word;
      }
      return {};
    }
    constexpr std::pair<std::string_view, std::uint32_t Program::*> kNumbers[] = {
        {"registers", &Program::registers}, {"shared", &Program::shared_bytes},
        {"local", &Program::local_bytes},   {"barriers", &Program::barriers},
        {"entry", &Program::entry},         {"architecture", &Program::architecture}};
    for (const auto& [known, member] : kNumbers)
      if (name == known) {
        if (words.size() != 2) return position.error("expected one number");
        WARPJIT_TRY(program_.*member, number(words[1]));
        return {};
      }
    if (const GraphicsField* field = find_graphics_field(program_.type, name)) {
      std::vector<std::uint32_t> numbers;
      for (const Token& token : words.subspan(1)) {
        WARPJIT_TRY(numbers.emplace_back(), number(token));
      }
      const Status set = set_graphics_field(*field, program_.graphics, numbers);
      return set ? Status() : Status(assembly::located(set.error(), position));
    }
    return position.error("unknown directive " + text::quoted(words[0].text));
  }

  static Result<std::uint32_t> number(const Token& token) { return number(token.text, token.position); }
  static Result<std::uint32_t> number(std::string_view word, const text::Position& position) {
    const auto value = parse_number(word);
    if (!value || *value < INT32_MIN) return position.error("expected a number, found " + text::quoted(word));
    return static_cast<std::uint32_t>(*value);
  }

  // .const c1[0x20] [size BYTES] WORD...   where #label is a word, too
  Status constants(std::span<const Token> words) {
    const std::string_view space = words.size() > 2 ? words[1].text : std::string_view{};
    const std::size_t open = space.find('[');
    if (!space.starts_with('c') || open == std::string_view::npos || !space.ends_with(']'))
      return words[0].position.error("expected .const c1[0x0] WORD...");
    ConstantSegment segment;
    WARPJIT_TRY(segment.space, number(space.substr(1, open - 1), words[1].position));
    WARPJIT_TRY(segment.offset, number(space.substr(open + 1, space.size() - open - 2), words[1].position));
    words = words.subspan(2);
    const bool sized = words.size() > 1 && words[0].text == "size";
    if (sized) {
      WARPJIT_TRY(segment.bytes, number(words[1]));
      words = words.subspan(2);
    }
    for (const Token& token : words) {
      const bool is_label = token.text.starts_with('#');
      if (is_label)
        constant_fixups_.push_back({program_.constants.size(), segment.words.size(),
                                    std::string(token.text.substr(1)), token.position});
      WARPJIT_TRY(const std::uint32_t word, is_label ? Result<std::uint32_t>(0U) : number(token));
      segment.words.push_back(word);
    }
    if (!sized) segment.bytes = static_cast<std::uint32_t>(4 * segment.words.size());
    program_.constants.push_back(std::move(segment));
    return {};
  }

  Container container_;
  Program program_;
  bool described_ = false;
  std::vector<Fixup> fixups_;
  std::vector<ConstantFixup> constant_fixups_;
  std::vector<assembly::SourceNotes>* notes_;  // null: nobody wants them
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lines_;
};

}  // namespace

Result<Container> assemble(std::string_view text, const std::string& file,
                           std::vector<assembly::SourceNotes>* notes) {
  return Assembler(file, notes).run(text);
}

Result<std::uint64_t> assemble_instruction(ProgramType type, std::string_view text) {
  WARPJIT_TRY(const AssembledInstruction parsed,
              parse_instruction(type, assembly::split_line(text, kLanguage)));
  if (!parsed.label.empty()) return assembly::bad_line("there are no labels here");
  return *encode(type, parsed.instruction) ^ parsed.flipped;
}

}  // namespace warpjit::tesla
