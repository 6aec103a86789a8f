// Checks of the patterns of every guest's encoding table.
#pragma once

#include <gtest/gtest.h>

#include "frontend/encoding/pattern.h"

namespace warpjit::encoding {

// Whether a modifier of one pattern is undefined wherever a modifier of the other, in the same bits, is
// defined.
template <class Grammar>
bool modifiers_exclude(const Pattern<Grammar>& a, const Pattern<Grammar>& b) {
  for (const auto& x : a.syntax())
    for (const auto& y : b.syntax()) {
      if (!is_modifier(x) || !is_modifier(y) || x.field.empty() || y.field.empty()) continue;
      const unsigned width = x.field.width();
      const auto all = x.field.set(typename Grammar::Word{}, ~0U);
      if (width != y.field.width() || y.field.get(all) != low_mask<std::uint32_t>(width)) continue;
      bool exclude = true;
      for (std::uint32_t field = 0; field >> width == 0; ++field) {
        const auto word = x.field.set(typename Grammar::Word{}, field);
        exclude = exclude && !(Grammar::modifiers()[x.modifier].defined(field) &&
                               Grammar::modifiers()[y.modifier].defined(y.field.get(word)));
      }
      if (exclude) return true;
    }
  return false;
}

// No word belongs to two patterns. `apart`: a guest's further reason why two patterns cannot match one word.
template <class Grammar, class Apart>
void expect_no_overlap(std::span<const Pattern<Grammar>> patterns, const Apart& apart) {
  for (std::size_t a = 0; a < patterns.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if ((patterns[a].match & patterns[b].mask) != (patterns[b].match & patterns[a].mask)) continue;
      EXPECT_TRUE(modifiers_exclude(patterns[a], patterns[b]) || apart(patterns[a], patterns[b]))
          << "patterns " << b << " and " << a;
    }
}

// Each pattern's fixed bits and fields are apart; so are its fields, unless `shares(token)`.
template <class Grammar>
void expect_fields_beside_fixed_bits(std::span<const Pattern<Grammar>> patterns) {
  for (const Pattern<Grammar>& pattern : patterns) {
    EXPECT_EQ(pattern.match & pattern.mask, pattern.match);
    for (const auto& token : pattern.syntax())
      EXPECT_EQ(token.field.get(pattern.mask), 0U)
          << "pattern " << &pattern - patterns.data() << ", word " << &token - pattern.tokens.data();
  }
}

}  // namespace warpjit::encoding
