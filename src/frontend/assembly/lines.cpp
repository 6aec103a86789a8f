#include "frontend/assembly/lines.h"

namespace warpjit::assembly {

Error located(const Error& error, const text::Position& position) {
  return {error.code, error.message, position.error({}).where};
}

std::vector<std::string_view> split_line(std::string_view line, const text::Language& language) {
  const std::string no_file;
  text::Lexer lexer(line, no_file, language);
  std::vector<std::string_view> words;
  for (text::Token token = lexer.next(); !token.ends(); token = lexer.next()) words.push_back(token.text);
  return words;
}

Result<std::vector<std::string_view>> split_operands(std::span<const std::string_view> words) {
  std::vector<std::string_view> operands;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const bool comma = k % 2 != 0;
    if ((words[k] == ",") != comma)
      return bad_line(comma ? "expected a comma before " + text::quoted(words[k]) : "an operand is missing");
    if (!comma) operands.push_back(words[k]);
  }
  if (!words.empty() && words.size() % 2 == 0) return bad_line("an operand is missing");
  return operands;
}

std::string_view take_piece(std::string_view& text) {
  const std::size_t dot = text.find('.');
  const std::string_view piece = text.substr(0, dot);
  text.remove_prefix(dot == std::string_view::npos ? text.size() : dot + 1);
  return piece;
}

void append_word(std::string& list, std::string_view word) {
  if (!word.empty()) list += (list.empty() ? "" : ", ") + std::string(word);
}

Result<Annotations> take_annotations(std::vector<std::string_view>& words, std::string_view flag) {
  Annotations annotations;
  while (!words.empty() && words.back() == "}") {
    std::size_t open = words.size();
    while (open > 0 && words[open - 1] != "{") --open;
    if (open == 0) return bad_line("'}' without '{'");
    const std::span<const std::string_view> inside(words.begin() + static_cast<std::ptrdiff_t>(open),
                                                   words.end() - 1);
    const auto bits = inside.size() == 2 && inside[0] == "unused" && inside[1].starts_with("0x")
                          ? text::parse_unsigned(inside[1], UINT64_MAX)
                          : std::nullopt;
    if (bits)
      annotations.flipped = *bits;
    else if (inside.size() == 1 && !flag.empty() && inside[0] == flag)
      annotations.flag = true;
    else
      return bad_line("expected {unused 0x...}" +
                      (flag.empty() ? std::string() : " or {" + std::string(flag) + "}"));
    words.resize(open - 1);
  }
  return annotations;
}

}  // namespace warpjit::assembly
