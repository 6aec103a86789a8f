// Bit fields of machine words: extract, insert, sign-extend, and floats seen as words.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace warpjit {

// A word with the low `width` bits set, 0 <= width <= bits of Word.
template <std::unsigned_integral Word>
constexpr Word low_mask(unsigned width) {
  return width == 0 ? Word{0} : static_cast<Word>(static_cast<Word>(~Word{0}) >> (sizeof(Word) * 8 - width));
}

// Bits lo .. lo+width-1 of `word`; lo must be less than the bits of Word.
template <std::unsigned_integral Word>
constexpr Word bits(Word word, unsigned lo, unsigned width) {
  return static_cast<Word>(word >> lo) & low_mask<Word>(width);
}

// Bit n of `word`; n must be less than the bits of Word.
template <std::unsigned_integral Word>
constexpr bool bit(Word word, unsigned n) {
  return (word >> n & 1) != 0;
}

// `word` with bits lo .. lo+width-1 replaced by the low bits of `value`; the rest of `value` is ignored.
template <std::unsigned_integral Word>
constexpr Word with_bits(Word word, unsigned lo, unsigned width, Word value) {
  const Word mask = static_cast<Word>(low_mask<Word>(width) << lo);
  return static_cast<Word>((word & ~mask) | (static_cast<Word>(value << lo) & mask));
}

// The low `width` bits of `value` as a two's complement number, 1 <= width <= bits of Word.
template <std::unsigned_integral Word>
constexpr std::make_signed_t<Word> sign_extend(Word value, unsigned width) {
  const Word sign = static_cast<Word>(Word{1} << (width - 1));
  const Word field = value & low_mask<Word>(width);
  return static_cast<std::make_signed_t<Word>>(static_cast<Word>((field ^ sign) - sign));
}

constexpr std::uint32_t to_bits(float value) { return std::bit_cast<std::uint32_t>(value); }
constexpr std::uint64_t to_bits(double value) { return std::bit_cast<std::uint64_t>(value); }
constexpr float to_float(std::uint32_t word) { return std::bit_cast<float>(word); }
constexpr double to_double(std::uint64_t word) { return std::bit_cast<double>(word); }

}  // namespace warpjit
