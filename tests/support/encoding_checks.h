// What must hold for the rows of every guest's encoding table.
#pragma once

#include <gtest/gtest.h>

#include "frontend/encoding/row.h"

namespace warpjit::encoding {

// Whether a modifier of one row is undefined wherever a modifier of the other, in the same bits, is defined.
template <class Grammar>
bool modifiers_exclude(const Row<Grammar>& a, const Row<Grammar>& b) {
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

// No word belongs to two rows. `apart`: what else the guest knows to keep two rows apart.
template <class Grammar, class Apart>
void expect_no_overlap(std::span<const Row<Grammar>> rows, const Apart& apart) {
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if ((rows[a].match & rows[b].mask) != (rows[b].match & rows[a].mask)) continue;
      EXPECT_TRUE(modifiers_exclude(rows[a], rows[b]) || apart(rows[a], rows[b]))
          << "rows " << b << " and " << a;
    }
}

// Each row's fixed bits and fields are apart; so are its fields, unless `shares(token)`.
template <class Grammar>
void expect_fields_beside_fixed_bits(std::span<const Row<Grammar>> rows) {
  for (const Row<Grammar>& row : rows) {
    EXPECT_EQ(row.match & row.mask, row.match);
    for (const auto& token : row.syntax())
      EXPECT_EQ(token.field.get(row.mask), 0U)
          << "row " << &row - rows.data() << ", word " << &token - row.tokens.data();
  }
}

}  // namespace warpjit::encoding
