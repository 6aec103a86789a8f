#include "frontend/tesla/assemble.h"

#include <unordered_map>

#include "frontend/tesla/assemble_instruction.h"

namespace warpjit::tesla {
namespace {

class Assembler {
 public:
  explicit Assembler(const std::string& file) : file_(file) { container_.source_name = file; }

  Result<Container> run(std::string_view text) {
    start_program("");
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      ++line_;
      WARPJIT_CHECK(line(split_line(text.substr(0, end))));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    WARPJIT_CHECK(finish_program());
    return std::move(container_);
  }

 private:
  struct Fixup {
    std::size_t word = 0;
    Instruction instruction;
    std::uint64_t flipped = 0;
    std::string label;
    unsigned line = 0;
  };
  // A word of the program's constants that is the address of a label.
  struct ConstantFixup {
    std::size_t segment, word;
    std::string label;
    unsigned line;
  };

  Error fail(std::string message, unsigned line) const {
    return {ErrorCode::bad_input, std::move(message), file_ + ":" + std::to_string(line)};
  }
  Error fail(std::string message) const { return fail(std::move(message), line_); }
  Error placed(const Error& error) const {
    return {error.code, error.message, file_ + ":" + std::to_string(line_)};
  }

  void start_program(std::string_view name) {
    program_ = Program{};
    program_.name = name;
    program_.source_name = file_;
    labels_.clear();
    fixups_.clear();
    constant_fixups_.clear();
    described_ = false;
  }

  Status finish_program() {
    for (Fixup& fixup : fixups_) {
      WARPJIT_TRY(fixup.instruction.target, address_of(fixup.label, fixup.line));
      const auto word = encode(program_.type, fixup.instruction);
      if (!word) return fail("the target does not fit", fixup.line);
      put(fixup.word, *word ^ fixup.flipped, fixup.instruction.words());
    }
    for (const ConstantFixup& fixup : constant_fixups_) {
      WARPJIT_TRY(program_.constants[fixup.segment].words[fixup.word], address_of(fixup.label, fixup.line));
    }
    if (program_.code.empty() && !described_) return {};  // nothing before the first .kernel
    if (program_.code.empty()) return fail("a kernel without instructions");
    WARPJIT_CHECK(check_limits(program_));
    container_.programs.push_back(std::move(program_));
    return {};
  }

  Result<std::uint32_t> address_of(const std::string& label, unsigned line) const {
    const auto found = labels_.find(label);
    if (found == labels_.end()) return fail("no label '" + label + "'", line);
    return found->second;
  }

  void put(std::size_t at, std::uint64_t word, unsigned words) {
    program_.code[at] = static_cast<std::uint32_t>(word);
    if (words == 2) program_.code[at + 1] = static_cast<std::uint32_t>(word >> 32);
  }

  Status line(std::vector<std::string_view> words) {
    while (!words.empty() && words[0].size() > 1 && words[0].back() == ':') {
      const std::string label(words[0].substr(0, words[0].size() - 1));
      if (!labels_.emplace(label, static_cast<std::uint32_t>(4 * program_.code.size())).second)
        return fail("the label '" + label + "' is there already");
      words.erase(words.begin());
    }
    if (words.empty()) return {};
    if (words[0].front() == '.') return directive(words);
    return instruction(std::move(words));
  }

  Status instruction(std::vector<std::string_view> words) {
    const auto parsed = parse_instruction(program_.type, std::move(words));
    if (!parsed) return placed(parsed.error());
    const std::size_t at = program_.code.size();
    const unsigned length = parsed->instruction.words();
    if (length == 2 && at % 2 != 0)
      return fail("a long instruction starts at a multiple of 8 bytes: short ones come in pairs");
    WARPJIT_CHECK(reserve(length));
    if (!parsed->label.empty())
      fixups_.push_back({at, parsed->instruction, parsed->flipped, std::string(parsed->label), line_});
    put(at, *encode(program_.type, parsed->instruction) ^ parsed->flipped, length);
    return {};
  }

  Status reserve(unsigned words) {
    if (program_.code.size() + words > kMaxCodeWords)
      return Error{ErrorCode::resource_limit, "more code than 16 MiB", file_ + ":" + std::to_string(line_)};
    program_.code.resize(program_.code.size() + words);
    return {};
  }

  Status directive(const std::vector<std::string_view>& words) {
    const std::string_view name = words[0].substr(1);
    if (name == "kernel") {
      if (words.size() != 2) return fail("expected .kernel NAME");
      WARPJIT_CHECK(finish_program());
      start_program(words[1]);
      described_ = true;
      return {};
    }
    if (name == "type") {
      const auto type = words.size() == 2 ? find_program_type(words[1]) : std::nullopt;
      if (!type) return fail("expected .type compute, vertex, geometry or fragment");
      if (!program_.code.empty()) return fail(".type comes before the instructions");
      program_.type = *type;
      return {};
    }
    if (name == "const") return constants(words);
    if (name == "word") {
      for (std::size_t k = 1; k < words.size(); ++k) {
        WARPJIT_TRY(const std::uint32_t word, number(words[k]));
        WARPJIT_CHECK(reserve(1));
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
        if (words.size() != 2) return fail("expected one number");
        WARPJIT_TRY(program_.*member, number(words[1]));
        return {};
      }
    return fail("unknown directive '" + std::string(words[0].substr(0, 60)) + "'");
  }

  Result<std::uint32_t> number(std::string_view word) const {
    const auto value = parse_number(word);
    if (!value || *value < INT32_MIN || *value > UINT32_MAX)
      return fail("expected a number, found '" + std::string(word.substr(0, 60)) + "'");
    return static_cast<std::uint32_t>(*value);
  }

  // .const c1[0x20] [size BYTES] WORD...   where #label is a word, too
  Status constants(const std::vector<std::string_view>& words) {
    const std::string_view place = words.size() > 2 ? words[1] : std::string_view{};
    const std::size_t open = place.find('[');
    if (!place.starts_with('c') || open == std::string_view::npos || !place.ends_with(']'))
      return fail("expected .const c1[0x0] WORD...");
    ConstantSegment segment;
    WARPJIT_TRY(segment.space, number(place.substr(1, open - 1)));
    WARPJIT_TRY(segment.offset, number(place.substr(open + 1, place.size() - open - 2)));
    std::size_t first = 2;
    const bool sized = words.size() > 3 && words[2] == "size";
    if (sized) {
      WARPJIT_TRY(segment.bytes, number(words[3]));
      first = 4;
    }
    for (std::size_t k = first; k < words.size(); ++k) {
      const bool is_label = words[k].starts_with('#');
      if (is_label)
        constant_fixups_.push_back(
            {program_.constants.size(), segment.words.size(), std::string(words[k].substr(1)), line_});
      WARPJIT_TRY(const std::uint32_t word, is_label ? Result<std::uint32_t>(0U) : number(words[k]));
      segment.words.push_back(word);
    }
    if (!sized) segment.bytes = static_cast<std::uint32_t>(4 * segment.words.size());
    program_.constants.push_back(std::move(segment));
    return {};
  }

  const std::string& file_;
  Container container_;
  Program program_;
  bool described_ = false;
  std::unordered_map<std::string, std::uint32_t> labels_;
  std::vector<Fixup> fixups_;
  std::vector<ConstantFixup> constant_fixups_;
  unsigned line_ = 0;
};

}  // namespace

Result<Container> assemble(std::string_view text, const std::string& file) {
  return Assembler(file).run(text);
}

Result<std::uint64_t> assemble_instruction(ProgramType type, std::string_view text) {
  WARPJIT_TRY(const AssembledInstruction parsed, parse_instruction(type, split_line(text)));
  if (!parsed.label.empty()) return Error{ErrorCode::bad_input, "there are no labels here", {}};
  return *encode(type, parsed.instruction) ^ parsed.flipped;
}

}  // namespace warpjit::tesla
