// Fields of machine words of any length: a field lies in up to four ranges of a word of 32 or 64
// bits or of a LongWord.
#pragma once

#include <array>
#include <cstdint>

#include "base/bits.h"

namespace warpjit::encoding {

// A machine word of more than 64 bits, its lowest 64 first.
template <unsigned kParts>
struct LongWord {
  std::array<std::uint64_t, kParts> part{};

  bool operator==(const LongWord&) const = default;
  friend constexpr LongWord operator&(LongWord a, const LongWord& b) {
    for (unsigned k = 0; k < kParts; ++k) a.part[k] &= b.part[k];
    return a;
  }
  friend constexpr LongWord operator|(LongWord a, const LongWord& b) {
    for (unsigned k = 0; k < kParts; ++k) a.part[k] |= b.part[k];
    return a;
  }
  friend constexpr LongWord operator~(LongWord a) {
    for (std::uint64_t& part : a.part) part = ~part;
    return a;
  }
};

// Bits low to low + width - 1 of a word, width at most 32.
template <std::unsigned_integral Word>
constexpr std::uint32_t read_bits(Word word, unsigned low, unsigned width) {
  return static_cast<std::uint32_t>(bits(word, low, width));
}
template <unsigned kParts>
constexpr std::uint32_t read_bits(const LongWord<kParts>& word, unsigned low, unsigned width) {
  const unsigned part = low / 64, at = low % 64;
  std::uint64_t value = word.part[part] >> at;
  if (at + width > 64) value |= word.part[part + 1] << (64 - at);
  return static_cast<std::uint32_t>(value & low_mask<std::uint64_t>(width));
}

// The word with these bits replaced by the low ones of `value`.
template <std::unsigned_integral Word>
constexpr Word write_bits(Word word, unsigned low, unsigned width, std::uint32_t value) {
  return with_bits<Word>(word, low, width, static_cast<Word>(value));
}
template <unsigned kParts>
constexpr LongWord<kParts> write_bits(LongWord<kParts> word, unsigned low, unsigned width,
                                      std::uint32_t value) {
  const unsigned part = low / 64, at = low % 64;
  const unsigned here = at + width > 64 ? 64 - at : width;
  word.part[part] = with_bits<std::uint64_t>(word.part[part], at, here, value);
  if (here != width)
    word.part[part + 1] = with_bits<std::uint64_t>(word.part[part + 1], 0, width - here, value >> here);
  return word;
}

// A field in up to four separate ranges of the instruction, lowest first; at most 32 bits in all.
struct BitField {
  struct Range {
    std::uint8_t low = 0, width = 0;
  };
  std::array<Range, 4> ranges{};

  template <class Word>
  constexpr std::uint32_t get(const Word& word) const {
    std::uint32_t value = 0;
    unsigned at = 0;
    for (const Range& range : ranges) {
      if (range.width == 0) break;
      value |= read_bits(word, range.low, range.width) << at;
      at += range.width;
    }
    return value;
  }
  template <class Word>
  constexpr Word set(Word word, std::uint32_t value) const {
    for (const Range& range : ranges) {
      if (range.width == 0) break;
      word = write_bits(word, range.low, range.width, value);
      if (range.width < 32) value >>= range.width;
    }
    return word;
  }
  constexpr unsigned width() const {
    return ranges[0].width + ranges[1].width + ranges[2].width + ranges[3].width;
  }
  constexpr bool empty() const { return ranges[0].width == 0; }
};

}  // namespace warpjit::encoding
