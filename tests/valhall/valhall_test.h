// What the Valhall tests share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "frontend/valhall/assembly/assemble.h"
#include "frontend/valhall/assembly/disassemble.h"

namespace warpjit::valhall {

// A word and what a listing says of it.
struct ListedWord {
  std::uint64_t word = 0;
  std::string text;
};

// Lines "0x0091c10000000002<tab>MOV.i32 r1, r2", the word in that column, the text in the one after it.
inline std::vector<ListedWord> read_listed_words(const std::string& path, std::size_t column) {
  std::ifstream stream(path);
  std::vector<ListedWord> list;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#') continue;
    for (std::size_t k = 0; k < column; ++k) line.erase(0, line.find('\t') + 1);
    const std::size_t tab = line.find('\t');
    list.push_back({std::strtoull(line.c_str(), nullptr, 16), line.substr(tab + 1)});
  }
  return list;
}

// The listing of a word is this text, and assembling it gives the word.
inline void expect_listed(const ListedWord& listed) {
  const auto instruction = decode(listed.word);
  ASSERT_TRUE(instruction.ok()) << listed.text << ": " << to_string(instruction.error());
  EXPECT_EQ(disassemble(*instruction), listed.text) << std::hex << listed.word;
  const auto word = assemble_instruction(listed.text);
  ASSERT_TRUE(word.ok()) << listed.text << ": " << to_string(word.error());
  EXPECT_EQ(*word, listed.word) << listed.text;
}

}  // namespace warpjit::valhall
