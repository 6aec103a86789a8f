#include "debug/float_code.h"

#include <algorithm>

namespace warpjit::debug {

FloatCode::FloatCode(Isa isa, const std::map<std::uint32_t, std::string>& lines) {
  for (const auto& [address, line] : lines) {
    std::string text = line;
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const auto has = [&](const char* type) { return text.find(type) != std::string::npos; };
    // Instructions of the PICA200 name no types; all of its arithmetic is on floats.
    const Widths widths{isa == Isa::pica200 || has("f32") || has("f64"), has("f16")};
    if (widths.single || widths.half) widths_.emplace(address, widths);
  }
}

FloatCode::Widths FloatCode::at(std::uint32_t address) const {
  const auto found = widths_.find(address);
  return found == widths_.end() ? Widths() : found->second;
}

bool FloatCode::is_nan(std::uint32_t address, std::uint32_t word) const {
  const Widths widths = at(address);
  // All ones are what comparisons give; no arithmetic gives them.
  const auto half = [](std::uint32_t bits) { return (bits & 0x7fff) > 0x7c00 && (bits & 0xffff) != 0xffff; };
  if (word == 0xffffffff) return false;
  return (widths.single && (word & 0x7fffffff) > 0x7f800000) ||
         (widths.half && (half(word) || half(word >> 16)));
}

bool FloatCode::is_infinite(std::uint32_t address, std::uint32_t word) const {
  const Widths widths = at(address);
  const auto half = [](std::uint32_t bits) { return (bits & 0x7fff) == 0x7c00; };
  return (widths.single && (word & 0x7fffffff) == 0x7f800000) ||
         (widths.half && (half(word) || half(word >> 16)));
}

}  // namespace warpjit::debug
