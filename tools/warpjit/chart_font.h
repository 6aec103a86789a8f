// A 5 x 7 bitmap font for charts: digits, letters (lower case is drawn as upper case) and what numbers need.
#pragma once

#include <string_view>

namespace warpjit::tool {

inline constexpr int kGlyphColumns = 5, kGlyphRows = 7;
// 35 characters, row by row, '#' is ink. Unknown characters are an empty box.
std::string_view glyph(char character);

}  // namespace warpjit::tool
