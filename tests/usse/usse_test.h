// What the USSE tests share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/assembly/disassemble.h"
#include "frontend/usse/encoding/encoding.h"

namespace warpjit::usse {

// A random word of one row of the encoding table: one that decodes.
inline std::uint64_t random_word(const Pattern& pattern, Random& random) {
  for (unsigned tries = 0; tries < 10000; ++tries) {
    std::uint64_t word = pattern.word_with(random.next());
    for (const std::uint8_t k : pattern.modifiers()) {
      const SyntaxToken& token = pattern.tokens[k];
      if (token.field.empty()) continue;
      while (!modifiers()[token.modifier].defined(token.field.get(word)))
        word = token.field.set(word, static_cast<std::uint32_t>(random.next()));
    }
    if (decode(word)) return word;
  }
  ADD_FAILURE() << "no word of " << name(pattern.opcode) << " decodes";
  return 0;
}

// Lines "f800004000000003<tab>...", with the word first and a text after the last tab.
struct ListedWord {
  std::uint64_t word = 0;
  std::string text;
};
inline std::vector<ListedWord> read_listed_words(const std::string& path) {
  std::ifstream stream(path);
  std::vector<ListedWord> list;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#' || line.find('\t') != 16) continue;
    list.push_back(
        {std::strtoull(line.substr(0, 16).c_str(), nullptr, 16), line.substr(line.rfind('\t') + 1)});
  }
  return list;
}

// decode, encode, disassemble and assemble keep the word; false: it has no meaning.
inline bool survives(std::uint64_t word) {
  const auto instruction = decode(word);
  if (!instruction) {
    EXPECT_FALSE(instruction.error().message.empty());
    return false;
  }
  EXPECT_EQ(instruction->raw, word);
  const auto canonical = encode(*instruction);
  EXPECT_TRUE(canonical.ok()) << std::hex << word;
  if (canonical) {
    EXPECT_EQ(*canonical ^ instruction->unused, word) << std::hex << word;
  }
  const std::string text = disassemble(*instruction);
  const auto assembled = assemble_instruction(text);
  EXPECT_TRUE(assembled.ok()) << text << ": " << to_string(assembled.error());
  if (assembled) {
    EXPECT_EQ(*assembled, word) << text;
  }
  return true;
}

}  // namespace warpjit::usse
