// What the assemblers of guests share: lines of words, labels before them, operands between commas and
// annotations in braces. Errors of functions that take no position have none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "frontend/assembly/source_notes.h"

namespace warpjit::assembly {

inline Error bad_line(std::string message) { return {ErrorCode::bad_input, std::move(message), {}}; }
// The error at this place.
Error located(const Error& error, const text::Position& position);

using text::hex;

// The words of one line.
std::vector<std::string_view> split_line(std::string_view line, const text::Language& language);
// Operands stand between commas, one word each.
Result<std::vector<std::string_view>> split_operands(std::span<const std::string_view> words);
// Takes the text before the next dot off the text.
std::string_view take_piece(std::string_view& text);
// Adds a word to "a, b, c"; an empty one is left out.
void append_word(std::string& list, std::string_view word);

// What stands in braces at the end of an instruction.
struct Annotations {
  std::uint64_t flipped = 0;  // {unused 0x...}: bits to flip in the canonical word
  bool flag = false;          // the one that the guest has of its own
};
// Takes them off the words. `flag`: its word, if there is one.
Result<Annotations> take_annotations(std::vector<std::string_view>& words, std::string_view flag = {});

// The opcode with this name: Opcode(0) to Opcode(count - 1) have a name().
template <class Opcode>
std::optional<Opcode> find_opcode(std::string_view mnemonic, int count) {
  for (int k = 0; k < count; ++k)
    if (name(static_cast<Opcode>(k)) == mnemonic) return static_cast<Opcode>(k);
  return {};
}

// Reads a source line by line. Guest derives from it and has
//   Place here();                                                // what a label names that stands here
//   Status directive(std::span<const text::Token> words);        // the first word begins with a dot
//   Status instruction(std::vector<std::string_view> words, const text::Position& position);
template <class Guest, class Place>
class LineReader {
 protected:
  explicit LineReader(const std::string& file) : file_(file) {}

  Status read_lines(std::string_view text, const text::Language& language) {
    text::Lexer lexer(text, file_, language);
    std::vector<text::Token> words;
    for (text::Token token = lexer.next();; token = lexer.next()) {
      position_ = token.position;
      if (!token.ends()) {
        words.push_back(token);
        continue;
      }
      WARPJIT_CHECK(line(words));
      words.clear();
      if (token.kind == text::Token::Kind::end_of_file) return {};
    }
  }

  Result<Place> find_label(const std::string& label, const text::Position& position) const {
    const auto found = labels_.find(label);
    if (found == labels_.end()) return position.error("no label " + text::quoted(label));
    return found->second;
  }

  const std::string& file_;
  text::Position position_;  // of what is read; at last of the end
  std::unordered_map<std::string, Place> labels_;

 private:
  Status line(std::span<const text::Token> words) {
    Guest& guest = static_cast<Guest&>(*this);
    while (!words.empty() && words[0].text.size() > 1 && words[0].text.back() == ':') {
      const std::string label(words[0].text.substr(0, words[0].text.size() - 1));
      if (!labels_.emplace(label, guest.here()).second)
        return words[0].position.error("the label " + text::quoted(label) + " is there already");
      words = words.subspan(1);
    }
    if (words.empty()) return {};
    if (words[0].text.front() == '.') return guest.directive(words);
    std::vector<std::string_view> texts;
    for (const text::Token& token : words) texts.push_back(token.text);
    return guest.instruction(std::move(texts), words[0].position);
  }
};

// A word of a program's code.
struct CodePlace {
  std::vector<std::uint64_t>* code = nullptr;
  std::size_t word = 0;
};

// Assembles guests whose instructions are words of 64 bits. Parsed is the guest's instruction with its
// `label`, empty if it has none, and has word_of(parsed). Guest has directive() and
//   std::vector<std::uint64_t>& code();                                   // what is assembled into now
//   static Result<Parsed> parse(std::vector<std::string_view> words);
//   static void set_target(Parsed& parsed, std::int64_t from, std::int64_t to);  // numbers of words
//   static constexpr std::size_t kMostWords; static constexpr const char* kTooMany;  // more than that
//   std::uint32_t address_of(const CodePlace& place) const;  // as listings have it, when all is assembled
template <class Guest, class Parsed>
class WordAssembler : protected LineReader<Guest, CodePlace> {
 protected:
  using Base = LineReader<Guest, CodePlace>;
  using Base::Base;

  // `notes`: null, or what they get.
  Status assemble(std::string_view text, const text::Language& language, SourceNotes* notes) {
    keeps_lines_ = notes != nullptr;
    WARPJIT_CHECK(this->read_lines(text, language));
    if (notes != nullptr) note(*notes);
    for (Fixup& fixup : fixups_) {
      const std::string label(fixup.parsed.label);
      WARPJIT_TRY(const CodePlace to, this->find_label(label, fixup.position));
      if (to.code != fixup.at.code) return fixup.position.error("no label " + text::quoted(label));
      Guest::set_target(fixup.parsed, static_cast<std::int64_t>(fixup.at.word),
                        static_cast<std::int64_t>(to.word));
      const auto word = word_of(fixup.parsed);
      if (!word) return located(word.error(), fixup.position);
      (*fixup.at.code)[fixup.at.word] = *word;
    }
    return {};
  }

  // .word NUMBER...
  Status read_words(std::span<const text::Token> words) {
    for (const text::Token& token : words.subspan(1)) {
      const auto word = text::parse_unsigned(token.text, UINT64_MAX);
      if (!word) return token.position.error("expected a number, found " + text::quoted(token.text));
      WARPJIT_CHECK(append(*word, token.position));
    }
    return {};
  }

 private:
  friend Base;
  void note(SourceNotes& notes) const {
    const Guest& guest = static_cast<const Guest&>(*this);
    for (const auto& [place, line] : lines_) notes.lines.emplace_back(guest.address_of(place), line);
    for (const auto& [label, place] : this->labels_)
      notes.labels.emplace_back(guest.address_of(place), label);
    std::ranges::sort(notes.lines);
    std::ranges::sort(notes.labels);
  }
  // A branch to a label that may come later.
  struct Fixup {
    CodePlace at;
    Parsed parsed;
    text::Position position;
  };

  CodePlace here() {
    auto& code = static_cast<Guest&>(*this).code();
    return {&code, code.size()};
  }
  Status instruction(std::vector<std::string_view> words, const text::Position& position) {
    const auto parsed = Guest::parse(std::move(words));
    if (!parsed) return located(parsed.error(), position);
    if (!parsed->label.empty()) {
      fixups_.push_back({here(), *parsed, position});
      return append(0, position);
    }
    const auto word = word_of(*parsed);
    return word ? append(*word, position) : Status(located(word.error(), position));
  }
  Status append(std::uint64_t word, const text::Position& position) {
    auto& code = static_cast<Guest&>(*this).code();
    if (code.size() == Guest::kMostWords)
      return located({ErrorCode::resource_limit, Guest::kTooMany, {}}, position);
    if (keeps_lines_) lines_.emplace_back(here(), position.line);
    code.push_back(word);
    return {};
  }

  std::vector<Fixup> fixups_;
  bool keeps_lines_ = false;
  std::vector<std::pair<CodePlace, std::uint32_t>> lines_;  // of words, in the order of the source
};

// Assembles one instruction, which has no label: its word.
template <class Parsed>
Result<std::uint64_t> word_without_label(const Result<Parsed>& parsed) {
  if (!parsed) return parsed.error();
  if (!parsed->label.empty()) return bad_line("there are no labels here");
  return word_of(*parsed);
}

}  // namespace warpjit::assembly
