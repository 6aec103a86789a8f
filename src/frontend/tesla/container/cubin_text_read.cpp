#include <algorithm>

#include "base/text.h"
#include "frontend/tesla/container/cubin.h"
#include "frontend/tesla/container/graphics_fields.h"

namespace warpjit::tesla {
namespace {

constexpr unsigned kMaxDepth = 8;

using text::Token;

// Words are free, and only blocks say where something ends. The text is empty at the end.
constexpr text::Language kContainerLanguage{.punctuation = "{}=", .free_words = true, .lines = false};

class TextReader {
 public:
  TextReader(std::string_view text, const std::string& file)
      : lexer_(text, file, kContainerLanguage), file_(file) {
    container_.source_name = file;
    advance();
  }

  Result<Container> read() {
    while (!next_.text.empty()) {
      const Token key = take();
      if (key.text == "architecture") {
        WARPJIT_CHECK(architecture());
      } else if (key.text == "consts") {
        WARPJIT_TRY(ConstantSegment segment, constants());
        if (module_constants_.size() == kMaxSegments) return fail("too many constant segments", key);
        module_constants_.push_back(std::move(segment));
      } else if (key.text == "code") {
        if (container_.programs.size() == kMaxKernels) return fail("more than 1024 kernels", key);
        WARPJIT_CHECK(kernel());
      } else {
        WARPJIT_CHECK(skip_value(key, 0));
      }
    }
    if (container_.programs.empty()) return fail("there is no kernel ('code' block)", next_);
    std::size_t copied = 0;
    for (const ConstantSegment& segment : module_constants_)
      copied += segment.words.size() * container_.programs.size();
    if (copied > kMaxCopiedConstants) return fail("too many constants for so many kernels", next_);
    for (Program& program : container_.programs) {
      program.architecture = architecture_;
      program.constants.insert(program.constants.begin(), module_constants_.begin(), module_constants_.end());
      WARPJIT_CHECK(check_limits(program));
    }
    return std::move(container_);
  }

 private:
  static constexpr std::size_t kMaxSegments = 64;

  static Error fail(std::string message, const Token& at) { return at.position.error(std::move(message)); }
  static std::string quoted(const Token& token) {
    return token.text.empty() ? "the end of the file" : text::quoted(token.text);
  }

  void advance() { next_ = lexer_.next(); }
  Token take() {
    const Token token = next_;
    advance();
    return token;
  }

  Status expect(std::string_view text) {
    if (next_.text == text) {
      advance();
      return {};
    }
    return fail("expected " + text::quoted(text) + ", found " + quoted(next_), next_);
  }

  // "= word", or a block with any contents.
  Status skip_value(const Token& key, unsigned depth) {
    if (key.text == "{" || key.text == "}" || key.text == "=")
      return fail("expected a name, found " + quoted(key), key);
    if (next_.text == "=") {
      advance();
      if (next_.text.empty()) return fail("expected a value, found the end of the file", next_);
      advance();
      return {};
    }
    WARPJIT_CHECK(expect("{"));
    if (depth == kMaxDepth) return fail("blocks are nested too deeply", next_);
    while (next_.text != "}") {
      if (next_.text.empty()) return fail("the block " + quoted(key) + " does not end", next_);
      const Token inner = take();
      if (next_.text == "{" || next_.text == "=") WARPJIT_CHECK(skip_value(inner, depth + 1));
    }
    advance();
    return {};
  }

  Result<std::uint32_t> number() {
    WARPJIT_CHECK(expect("="));
    const Token token = take();
    const auto value = text::parse_unsigned(token.text);
    if (!value) return fail("expected a number, found " + quoted(token), token);
    return static_cast<std::uint32_t>(*value);
  }

  Result<std::string> identifier() {
    WARPJIT_CHECK(expect("="));
    const Token token = take();
    const bool printable = std::ranges::all_of(token.text, [](char c) { return c > ' ' && c <= '~'; });
    if (token.text.empty() || token.text.size() > 1024 || !printable || token.text.find_first_of("{}=") == 0)
      return fail("expected a name, found " + quoted(token), token);
    return std::string(token.text);
  }

  // { 0x... 0000000000 ... }: every word is one hex number, with or without 0x.
  Result<std::vector<std::uint32_t>> words(std::size_t most) {
    WARPJIT_CHECK(expect("{"));
    std::vector<std::uint32_t> result;
    while (next_.text != "}") {
      const Token token = take();
      std::string_view digits = token.text;
      if (digits.starts_with("0x")) digits.remove_prefix(2);
      const auto value = text::parse_hexadecimal(digits);
      if (!value) return fail("expected a hexadecimal word, found " + quoted(token), token);
      if (result.size() == most) return fail("more than " + std::to_string(most) + " words", token);
      result.push_back(static_cast<std::uint32_t>(*value));
    }
    advance();
    return result;
  }

  // architecture {sm_10}
  Status architecture() {
    WARPJIT_CHECK(expect("{"));
    const Token token = take();
    if (token.text.size() != 5 || !token.text.starts_with("sm_1") || token.text[4] < '0' ||
        token.text[4] > '3')
      return fail("expected sm_10 to sm_13, found " + quoted(token), token);
    architecture_ = 10 + static_cast<std::uint32_t>(token.text[4] - '0');
    return expect("}");
  }

  Result<ConstantSegment> constants() {
    ConstantSegment segment;
    WARPJIT_CHECK(expect("{"));
    while (next_.text != "}") {
      const Token key = take();
      if (key.text == "name") {
        WARPJIT_TRY(segment.name, identifier());
      } else if (key.text == "segnum") {
        WARPJIT_TRY(segment.space, number());
      } else if (key.text == "offset") {
        WARPJIT_TRY(segment.offset, number());
      } else if (key.text == "bytes") {
        WARPJIT_TRY(segment.bytes, number());
      } else if (key.text == "mem") {
        WARPJIT_TRY(segment.words, words(kMaxConstantBytes / 4));
      } else {
        WARPJIT_CHECK(skip_value(key, 0));
      }
    }
    const Token end = take();
    if (segment.space >= kConstantSpaces)
      return fail("there are 16 constant segments, this is number " + std::to_string(segment.space), end);
    if (std::uint64_t{segment.offset} + segment.bytes > kMaxConstantBytes)
      return fail("the constants end above 64 KiB", end);
    if (segment.words.size() > (segment.bytes + 3) / 4) return fail("more constants than 'bytes' says", end);
    if (segment.offset % 4 != 0) return fail("the constants' offset is no multiple of 4", end);
    return segment;
  }

  Status kernel() {
    Program program;
    program.source_name = file_;
    WARPJIT_CHECK(expect("{"));
    const Token start = next_;
    while (next_.text != "}") {
      const Token key = take();
      if (key.text == "name") {
        WARPJIT_TRY(program.name, identifier());
      } else if (key.text == "lmem") {
        WARPJIT_TRY(program.local_bytes, number());
      } else if (key.text == "smem") {
        WARPJIT_TRY(program.shared_bytes, number());
      } else if (key.text == "reg") {
        WARPJIT_TRY(program.registers, number());
      } else if (key.text == "bar") {
        WARPJIT_TRY(program.barriers, number());
      } else if (key.text == "bincode") {
        WARPJIT_TRY(program.code, words(kMaxCodeWords));
      } else if (key.text == "const") {
        if (program.constants.size() == kMaxSegments) return fail("too many constant segments", key);
        WARPJIT_TRY(ConstantSegment segment, constants());
        program.constants.push_back(std::move(segment));
      } else if (key.text == "type") {
        WARPJIT_TRY(const std::string type, identifier());
        const auto known = find_program_type(type);
        if (!known) return fail("there are no " + type + " programs", key);
        program.type = *known;
      } else if (const GraphicsField* field = find_graphics_field(program.type, key.text)) {
        WARPJIT_TRY(const std::vector<std::uint32_t> numbers, words(field->most));
        const Status set = set_graphics_field(*field, program.graphics, numbers);
        if (!set) return fail(set.error().message, key);
      } else {
        WARPJIT_CHECK(skip_value(key, 0));
      }
    }
    advance();
    if (program.code.empty()) return fail("the kernel has no code ('bincode')", start);
    container_.programs.push_back(std::move(program));
    return {};
  }

  text::Lexer lexer_;
  const std::string& file_;
  Token next_;
  Container container_;
  std::uint32_t architecture_ = 0;
  std::vector<ConstantSegment> module_constants_;
};

}  // namespace

Result<Container> read_text_cubin(std::string_view text, const std::string& file_name) {
  return TextReader(text, file_name).read();
}

}  // namespace warpjit::tesla
