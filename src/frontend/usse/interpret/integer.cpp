// Integer, bitwise and byte instructions (docs/guests/usse.md 5.5).
#include <algorithm>

#include "frontend/usse/interpret/numbers.h"
#include "frontend/usse/interpret/quad.h"

namespace warpjit::usse {
namespace {

constexpr unsigned kAlpha = 3;

std::uint32_t byte_of(std::uint32_t word, unsigned channel) { return word >> 8 * channel & 0xff; }

// The words of the sources.
struct Words {
  std::array<std::uint32_t, 3> s;
};

std::uint32_t factor_value(Factor factor, const Words& words, unsigned channel) {
  const auto source = [&](unsigned n, bool alpha) { return byte_of(words.s[n], alpha ? kAlpha : channel); };
  switch (factor) {
    case Factor::saturate:
      return channel == kAlpha ? 255
                               : std::min(byte_of(words.s[1], kAlpha), 255 - byte_of(words.s[2], kAlpha));
    case Factor::s0:
    case Factor::s0a:
      return source(0, factor == Factor::s0a);
    case Factor::s1:
    case Factor::s1a:
      return source(1, factor == Factor::s1a);
    case Factor::s2:
    case Factor::s2a:
      return source(2, factor == Factor::s2a);
    default:
      return 0;
  }
}

std::uint32_t combine(SumOperation operation, std::uint32_t a, std::uint32_t b) {
  switch (operation) {
    case SumOperation::add:
      return std::min(a + b, 255U);
    case SumOperation::sub:
      return a < b ? 0 : a - b;
    case SumOperation::min:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

}  // namespace

void QuadAlu::bitwise(const Instruction& i, unsigned lane) {
  const unsigned bits = i.half ? 16 : 32;
  const std::uint32_t mask = low_mask<std::uint32_t>(bits);
  const std::uint32_t a = read_word(i.s[1], 0, lane, mask) & mask;
  std::uint32_t b = read_word(i.s[2], 0, lane, mask) & mask;
  const auto rotate = [&](std::uint32_t word, std::uint32_t count) {
    count &= bits - 1;
    return count == 0 ? word : (word << count | word >> (bits - count)) & mask;
  };
  b = rotate(b, static_cast<std::uint32_t>(i.value(Immediate::rot)));
  if (i.invert) b = ~b & mask;
  const std::uint32_t count = b & (bits - 1);
  std::uint32_t value = 0;
  switch (i.opcode) {
    case Opcode::and_:
      value = a & b;
      break;
    case Opcode::or_:
      value = a | b;
      break;
    case Opcode::xor_:
      value = a ^ b;
      break;
    case Opcode::shl:
      value = a << count;
      break;
    case Opcode::rol:
      value = rotate(a, count);
      break;
    case Opcode::shr:
      value = a >> count;
      break;
    default:
      value = static_cast<std::uint32_t>(sign_extend(a, bits) >> count);
      break;
  }
  write_word(i.d[0], 0, lane, value & mask, i.d[0].bank == Bank::idx ? ~0U : mask);
}

void QuadAlu::sum_of_products(const Instruction& i, unsigned lane) {
  Words words{{0, read_word(i.s[1], 0, lane), read_word(i.s[2], 0, lane)}};
  if (i.opcode == Opcode::sop3) words.s[0] = read_word(i.s[0], 0, lane);
  if (i.source_complement1) words.s[1] = ~words.s[1];
  std::uint32_t value = 0, mask = 0;
  for (unsigned channel = 0; channel < 4; ++channel) {
    const bool alpha = channel == kAlpha;
    Factor one = i.rgb_factor1, two = i.rgb_factor2;
    bool complement1 = i.rgb_complement1, complement2 = i.rgb_complement2;
    if (alpha && i.opcode != Opcode::sop2m) {
      one = i.alpha_factor1;
      complement1 = i.alpha_complement1;
    }
    if (alpha && i.opcode == Opcode::sop2) {
      two = i.alpha_factor2;
      complement2 = i.alpha_complement2;
    }
    const auto term = [&](unsigned source, Factor factor, bool complement) {
      std::uint32_t scale = factor_value(factor, words, channel);
      if (complement) scale = 255 - scale;
      return byte_product(byte_of(words.s[source], channel), scale);
    };
    const std::uint32_t result =
        combine(alpha ? i.alpha_op : i.rgb_op, term(1, one, complement1), term(2, two, complement2));
    value |= result << 8 * channel;
    if (i.opcode != Opcode::sop2m || (i.d[0].mask >> channel & 1) != 0) mask |= 0xffU << 8 * channel;
  }
  write_word(i.d[0], 0, lane, value, mask);
}

void QuadAlu::mad8(const Instruction& i, unsigned lane) {
  const Words words{{read_word(i.s[0], 0, lane), read_word(i.s[1], 0, lane), read_word(i.s[2], 0, lane)}};
  std::uint32_t value = 0;
  for (unsigned channel = 0; channel < 4; ++channel) {
    const bool alpha = channel == kAlpha;
    const auto a = static_cast<std::int32_t>(byte_of(words.s[1], i.splat1 ? kAlpha : channel));
    const auto b = static_cast<std::int32_t>(byte_of(words.s[2], i.splat2 ? kAlpha : channel));
    const unsigned from = alpha ? i.alpha_add : i.rgb_add & 1U;
    const bool of_alpha = alpha || i.rgb_add >= 2;
    const auto addend = static_cast<std::int32_t>(byte_of(words.s[from], of_alpha ? kAlpha : channel));
    std::int32_t result = a * b + (i.s[0].negate ? -addend : addend);
    if (i.saturate) result = std::clamp(result, 0, 255);
    value |= (static_cast<std::uint32_t>(result) & 0xff) << 8 * channel;
  }
  write_word(i.d[0], 0, lane, value);
}

void QuadAlu::mad16(const Instruction& i, unsigned lane) {
  const bool is_signed = i.mode16 >= 2, saturates = i.mode16 % 2 != 0;
  const auto value = [&](std::uint32_t word, unsigned format, bool high) -> std::int64_t {
    if (format == 0) {
      word &= 0xffff;
      return is_signed ? sign_extend(word, 16) : static_cast<std::int64_t>(word);
    }
    word = word >> (high ? 8 : 0) & 0xff;
    return is_signed || format == 2 ? sign_extend(word, 8) : static_cast<std::int64_t>(word);
  };
  const std::int64_t product =
      value(read_word(i.s[0], 0, lane), 0, false) * value(read_word(i.s[1], 0, lane), i.format1, i.high1);
  const std::int64_t addend = value(read_word(i.s[2], 0, lane), i.format2, i.high2);
  std::int64_t result = product + (i.s[2].negate ? -addend : addend);
  if (saturates) result = std::clamp<std::int64_t>(result, is_signed ? -32768 : 0, is_signed ? 32767 : 65535);
  write_word(i.d[0], 0, lane, static_cast<std::uint32_t>(result) & 0xffff,
             i.d[0].bank == Bank::idx ? ~0U : 0xffffU);
}

void QuadAlu::mad32(const Instruction& i, unsigned lane) {
  const auto half = [&](const Source& source, bool high) -> std::int64_t {
    const unsigned shift = high ? 16 : 0;
    const std::uint32_t word = read_word(source, 0, lane, 0xffffU << shift) >> shift & 0xffff;
    return i.is_signed ? sign_extend(word, 16) : static_cast<std::int64_t>(word);
  };
  constexpr unsigned kWord = 2;
  const auto whole = [&](const Source& source) -> std::int64_t {
    const std::uint32_t word = read_word(source, 0, lane);
    return i.is_signed ? std::int64_t{static_cast<std::int32_t>(word)} : std::int64_t{word};
  };
  const std::int64_t addend = i.width2 != kWord ? half(i.s[2], i.high2) : whole(i.s[2]);
  std::int64_t result = half(i.s[0], i.high0) * half(i.s[1], i.high1) + addend;
  if (i.saturate)
    result = i.is_signed ? std::clamp<std::int64_t>(result, INT32_MIN, INT32_MAX)
                         : std::clamp<std::int64_t>(result, 0, UINT32_MAX);
  write_word(i.d[0], 0, lane, static_cast<std::uint32_t>(result));
}

// The first step computes, the second one copies.
void QuadAlu::mad32_step(const Instruction& i, unsigned lane) {
  const std::uint32_t addend = read_word(i.s[2], 0, lane);
  if (i.step != 0) return write_word(i.d[0], 0, lane, addend);
  const std::uint32_t product = read_word(i.s[0], 0, lane) * read_word(i.s[1], 0, lane);
  write_word(i.d[0], 0, lane,
             (i.s[1].negate ? 0 - product : product) + (i.s[2].negate ? 0 - addend : addend));
}

}  // namespace warpjit::usse
