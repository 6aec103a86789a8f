// Random words of one row of the encoding table.
#pragma once

#include "base/random.h"
#include "frontend/valhall/encoding/encoding.h"

namespace warpjit::valhall {

// A word of the pattern whose fields all have defined values; what no field has is as `noise` has it.
inline std::uint64_t random_word(const Pattern& pattern, std::uint64_t noise, Random& random) {
  const auto choose = [&](unsigned count, const auto& defined) {
    unsigned value = random.below(count);
    while (!defined(value)) value = random.below(count);
    return value;
  };
  std::uint64_t word = pattern.word_with(noise);
  const unsigned page = read_bits(word, kPageBit, kPageBits);
  for (const SyntaxToken& token : pattern.syntax()) {
    if (token.kind == SyntaxToken::Kind::modifier) {
      const Modifier& modifier = modifiers()[token.modifier];
      const unsigned values = 1U << token.field.width();
      word = token.field.set(word, choose(values, [&](unsigned n) { return modifier.defined(n); }));
    } else if (token.kind == SyntaxToken::Kind::source) {
      const auto is_source = [&](unsigned byte) {
        return byte < 0xe0 || !special_name(page, byte / 2 % 16).empty();
      };
      word = token.field.set(word, choose(256, is_source));
      if (token.select == kNoSelect) continue;
      const Select& select = selects()[token.select];
      const auto has_lanes = [&](unsigned n) { return select.lanes[n] != Lanes::reserved; };
      word = write_bits(word, token.select_bit, select.width, choose(1U << select.width, has_lanes));
    }
  }
  return word;
}

}  // namespace warpjit::valhall
