// Tokens of the PICA200 assembly language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpjit::pica200 {

// A place in a source file, for messages; line and column count from 1.
struct Place {
  const std::string* file = nullptr;
  unsigned line = 1, column = 1;
  Error error(std::string message) const;
};

// 'text'
std::string quoted(std::string_view text);

struct Token {
  enum class Kind { name, directive, number, punctuation, end_of_line, end_of_file };
  Kind kind = Kind::end_of_file;
  std::string_view text;  // of the source; a directive without its dot
  Place place;

  bool is(std::string_view punctuation) const { return kind == Kind::punctuation && text == punctuation; }
  bool is_name(std::string_view name) const { return kind == Kind::name && text == name; }
};

// `text` and `file` must outlive the tokens. Swizzles are names after a '.' punctuation; && and || are one
// token each. The last token is end_of_file, after an end_of_line.
Result<std::vector<Token>> tokenize(std::string_view text, const std::string& file);

}  // namespace warpjit::pica200
