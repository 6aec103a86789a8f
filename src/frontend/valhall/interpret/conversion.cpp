#include <algorithm>

#include "frontend/valhall/interpret/families.h"

namespace warpjit::valhall {
namespace {

using Wide = std::uint64_t;

template <unsigned kBits, bool kSigned>
constexpr Elements kScalar{kBits, 1, kSigned};
template <bool kSigned>
constexpr Elements kPair{16, 2, kSigned};

// One piece of source 0: what its lanes name, else its low bits.
template <unsigned kBits, bool kSigned>
std::int64_t scalar(const Instruction& i, const Inputs& in) {
  return integer_element(i.source[0], in.source[0], kScalar<kBits, kSigned>, 0);
}

template <unsigned kBits, bool kSigned>
Wide integer_to_integer(const Instruction& i, const Inputs& in) {
  return static_cast<std::uint32_t>(scalar<kBits, kSigned>(i, in));
}
template <bool kSigned>
Wide bytes_to_halves(const Instruction& i, const Inputs& in) {
  return pack_elements(kPair<kSigned>, [&](unsigned k) {
    return integer_element(i.source[0], in.source[0], kPair<kSigned>, k);
  });
}

template <unsigned kBits, bool kSigned>
Wide integer_to_single(const Instruction& i, const Inputs& in) {
  return finish(kSingle, static_cast<double>(scalar<kBits, kSigned>(i, in)), i, in.mode, i.round);
}
template <bool kSigned>
Wide integers_to_halves(const Instruction& i, const Inputs& in) {
  return pack_elements(kPair<kSigned>, [&](unsigned k) {
    const std::int64_t value = integer_element(i.source[0], in.source[0], kPair<kSigned>, k);
    return finish(kHalf, static_cast<double>(value), i, in.mode, i.round);
  });
}

// Saturates; a NaN is 0. What is converted is not flushed.
std::int64_t to_integer(double value, Round round, const Elements& elements) {
  if (std::isnan(value)) return 0;
  const auto ones = static_cast<double>(element_mask(elements.bits));
  const double most = elements.is_signed ? (ones - 1) / 2 : ones;
  const double least = elements.is_signed ? -most - 1 : 0;
  return static_cast<std::int64_t>(std::clamp(round_to_integer(value, round), least, most));
}
template <bool kSigned>
Wide single_to_integer(const Instruction& i, const Inputs& in) {
  const double value = single_source(i.source[0], in.source[0], {});
  return static_cast<std::uint32_t>(to_integer(value, i.round, kScalar<32, kSigned>));
}
template <bool kSigned>
Wide half_to_integer(const Instruction& i, const Inputs& in) {
  const double value = half_source(i.source[0], in.source[0], 0, {});
  return static_cast<std::uint32_t>(to_integer(value, i.round, kScalar<32, kSigned>));
}
template <bool kSigned>
Wide halves_to_integers(const Instruction& i, const Inputs& in) {
  return pack_elements(kPair<kSigned>, [&](unsigned k) {
    return to_integer(half_source(i.source[0], in.source[0], k, {}), i.round, kPair<kSigned>);
  });
}

// Bits, not values: a NaN keeps its payload.
Wide half_to_single(const Instruction& i, const Inputs& in) {
  auto half = static_cast<std::uint32_t>(scalar<16, false>(i, in));
  if (in.mode.flush_half && (half & kHalf.infinity()) == 0) half &= kHalf.sign();
  std::uint32_t word = widen_half(half);
  if (i.source[0].absolute) word &= ~kSingle.sign();
  return i.source[0].negate ? word ^ kSingle.sign() : word;
}
Wide singles_to_halves(const Instruction& i, const Inputs& in) {
  return pack_elements(kPair<false>, [&](unsigned k) {
    return finish(kHalf, single_source(i.source[k], in.source[k], in.mode), i, in.mode, i.round);
  });
}

constexpr Meaning kConversionMeanings[] = {
    {Opcode::s8_to_s32, integer_to_integer<8, true>},
    {Opcode::s16_to_s32, integer_to_integer<16, true>},
    {Opcode::u8_to_u32, integer_to_integer<8, false>},
    {Opcode::u16_to_u32, integer_to_integer<16, false>},
    {Opcode::v2s8_to_v2s16, bytes_to_halves<true>},
    {Opcode::v2u8_to_v2u16, bytes_to_halves<false>},
    {Opcode::s8_to_f32, integer_to_single<8, true>},
    {Opcode::s16_to_f32, integer_to_single<16, true>},
    {Opcode::s32_to_f32, integer_to_single<32, true>},
    {Opcode::u8_to_f32, integer_to_single<8, false>},
    {Opcode::u16_to_f32, integer_to_single<16, false>},
    {Opcode::u32_to_f32, integer_to_single<32, false>},
    {Opcode::v2s8_to_v2f16, integers_to_halves<true>},
    {Opcode::v2s16_to_v2f16, integers_to_halves<true>},
    {Opcode::v2u8_to_v2f16, integers_to_halves<false>},
    {Opcode::v2u16_to_v2f16, integers_to_halves<false>},
    {Opcode::f32_to_s32, single_to_integer<true>},
    {Opcode::f32_to_u32, single_to_integer<false>},
    {Opcode::f16_to_s32, half_to_integer<true>},
    {Opcode::f16_to_u32, half_to_integer<false>},
    {Opcode::v2f16_to_v2s16, halves_to_integers<true>},
    {Opcode::v2f16_to_v2u16, halves_to_integers<false>},
    {Opcode::f16_to_f32, half_to_single},
    {Opcode::v2f32_to_v2f16, singles_to_halves},
};

}  // namespace

std::span<const Meaning> conversion_meanings() { return kConversionMeanings; }

}  // namespace warpjit::valhall
