// VTST and VTSTMSK: an operation whose result is compared with zero (docs/guests/usse.md 5.4).
#include <algorithm>
#include <bit>
#include <cmath>

#include "frontend/usse/interpret/numbers.h"
#include "frontend/usse/interpret/quad.h"

namespace warpjit::usse {
namespace {

// Elements of an integer operation.
struct Elements {
  unsigned bits;
  bool is_signed;
};
Elements elements_of(Alu alu) {
  switch (alu) {
    case Alu::iadd16:
    case Alu::isub16:
    case Alu::imul16:
      return {16, true};
    case Alu::iaddu16:
    case Alu::isubu16:
    case Alu::imulu16:
      return {16, false};
    case Alu::iadd8:
    case Alu::isub8:
    case Alu::imul8:
      return {8, true};
    case Alu::iaddu8:
    case Alu::isubu8:
    case Alu::imulu8:
    case Alu::fpmul8:
    case Alu::fpadd8:
    case Alu::fpsub8:
      return {8, false};
    case Alu::iaddu32:
    case Alu::isub32:  // as tests of it in the sources' data come out (chosen)
    case Alu::isubu32:
      return {32, false};
    default:
      return {32, true};
  }
}

std::int64_t compute(Alu alu, std::uint32_t word_a, std::uint32_t word_b) {
  const Elements elements = elements_of(alu);
  const auto extend = [&](std::uint32_t word) {
    word &= low_mask<std::uint32_t>(elements.bits);
    return elements.is_signed ? std::int64_t{sign_extend(word, elements.bits)} : std::int64_t{word};
  };
  const auto as_signed = [](std::uint32_t word) { return std::int64_t{static_cast<std::int32_t>(word)}; };
  const std::int64_t a = extend(word_a), b = extend(word_b);
  switch (alu) {
    case Alu::iadd32:
      return as_signed(word_a + word_b);
    case Alu::iadd16:
    case Alu::iaddu16:
    case Alu::iaddu32:
    case Alu::iadd8:
    case Alu::iaddu8:
    case Alu::fpadd8:
      return a + b;
    case Alu::isub16:
    case Alu::isubu16:
    case Alu::isub32:
    case Alu::isubu32:
    case Alu::isub8:
    case Alu::isubu8:
    case Alu::fpsub8:
      return a - b;
    case Alu::imul16:
    case Alu::imulu16:
    case Alu::imul8:
    case Alu::imulu8:
      return a * b;
    case Alu::fpmul8:
      return byte_product(word_a & 0xff, word_b & 0xff);
    case Alu::and_:
      return as_signed(word_a & word_b);
    case Alu::or_:
      return as_signed(word_a | word_b);
    case Alu::xor_:
      return as_signed(word_a ^ word_b);
    case Alu::shl:
      return as_signed(word_a << (word_b & 31));
    case Alu::shr:
      return as_signed(word_a >> (word_b & 31));
    case Alu::rol:
      return as_signed(std::rotl(word_a, static_cast<int>(word_b & 31)));
    case Alu::asr:
      return as_signed(word_a) >> (word_b & 31);
    default:
      return 0;
  }
}

// Number is a float or an integer.
template <class Number>
bool passes(const Instruction& i, Number value) {
  const bool sign = i.sign_test == SignTest::negative ? value < Number{0} : value >= Number{0};
  const bool zero = (i.zero_test == ZeroTest::zero) == (value == Number{0});
  if (i.sign_test == SignTest::none) return i.zero_test == ZeroTest::none || zero;
  if (i.zero_test == ZeroTest::none) return sign;
  return i.test_both ? sign && zero : sign || zero;
}

}  // namespace

LaneFloats QuadAlu::test_floats(const Instruction& i, unsigned k, unsigned lanes) {
  const auto a = [&](unsigned n) { return components(i.s[1], i.type, n, lanes); };
  const auto b = [&](unsigned n) { return components(i.s[2], i.type, i.scalar2 ? 0 : n, lanes); };
  const auto each = [&](const auto& function) {
    const LaneFloats x = a(k), y = b(k);
    LaneFloats results{};
    for (unsigned lane = 0; lane < kLanes; ++lane) results[lane] = function(x[lane], y[lane]);
    return results;
  };
  const auto of_first = [&](float (*function)(float)) {
    LaneFloats results = a(0);
    for_lanes(lanes, [&](unsigned lane) { results[lane] = function(results[lane]); });
    return results;
  };
  const auto or_second = [&](float (*function)(float, float)) {
    const LaneFloats results = each(function);
    if (observer_ != nullptr) [[unlikely]]
      show_lost_nan(lanes, a(k), results);
    return results;
  };
  const auto difference = [&](unsigned from) {
    const float result = component(i.s[1], i.type, k, from) - component(i.s[2], i.type, i.scalar2 ? 0 : k, 0);
    return LaneFloats{result, result, result, result};
  };
  switch (i.alu) {
    case Alu::add:
      return each([](float x, float y) { return x + y; });
    case Alu::frc:
      return each([](float x, float y) { return x - std::floor(y); });
    case Alu::rcp:
      return of_first(reciprocal);
    case Alu::rsq:
      return of_first(reciprocal_root);
    case Alu::log:
      return of_first(logarithm);
    case Alu::exp:
      if (observer_ != nullptr) [[unlikely]]
        show_lost_nan(lanes, a(0), of_first(power_of_two));
      return of_first(power_of_two);
    case Alu::dp: {
      LaneFloats sum{};
      for (unsigned n = 0; n < 4; ++n) {
        const LaneFloats x = a(n), y = b(n);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const float product = x[lane] * y[lane];
          sum[lane] = n == 0 ? product : sum[lane] + product;
        }
      }
      return sum;
    }
    case Alu::min:
      return or_second(minimum);
    case Alu::max:
      return or_second(maximum);
    case Alu::dsx:
      return difference(1);
    case Alu::dsy:
      return difference(2);
    case Alu::mul:
      return each([](float x, float y) { return x * y; });
    default:
      return each([](float x, float y) { return x - y; });
  }
}

std::uint32_t QuadAlu::element(const Register& reg, unsigned bits, unsigned k, unsigned lane) {
  if (reg.bank == Bank::immediate) return reg.number;
  const unsigned shift = k * bits % 32;
  return read_word(reg, k * bits / 32, lane, low_mask<std::uint32_t>(bits) << shift) >> shift;
}

void QuadAlu::test(const Instruction& i, unsigned lanes) {
  const bool is_float = static_cast<unsigned>(i.alu) < 16;
  const unsigned bits = is_float ? 0 : elements_of(i.alu).bits;
  std::array<std::array<bool, 4>, kLanes> passed{};
  const auto channel = [&](unsigned k, bool store) {
    if (is_float) {
      LaneFloats values = test_floats(i, k, lanes);
      for_lanes(lanes, [&](unsigned lane) {
        passed[lane][k] = passes(i, values[lane]);
        values[lane] = to_float(result_bits(values[lane]));
      });
      if (store) write_components(i.d[0], i.type, k, lanes, values);
      return;
    }
    const unsigned shift = k * bits % 32;
    const std::uint32_t mask = low_mask<std::uint32_t>(bits);
    for_lanes(lanes, [&](unsigned lane) {
      const std::int64_t value =
          compute(i.alu, element(i.s[1], bits, k, lane), element(i.s[2], bits, i.scalar2 ? 0 : k, lane));
      passed[lane][k] = passes(i, value);
      if (store)
        write_word(i.d[0], k * bits / 32, lane, (static_cast<std::uint32_t>(value) & mask) << shift,
                   i.d[0].bank == Bank::idx ? ~0U : mask << shift);
    });
  };

  if (i.opcode == Opcode::tst) {
    constexpr unsigned kAll = 4, kAny = 5;
    if (i.channel < kAll)
      channel(i.channel, i.write_back);
    else
      for (unsigned k = 0; k < 4; ++k) channel(k, i.write_back);
    for_lanes(lanes, [&](unsigned lane) {
      const auto count = std::ranges::count(passed[lane], true);
      const bool result = i.channel < kAll    ? passed[lane][i.channel]
                          : i.channel == kAny ? count != 0
                                              : count == 4;
      predicate_writes_.push_back({i.predicate_written, static_cast<std::uint8_t>(lane), result});
    });
    return;
  }

  for (unsigned k = 0; k < 4; ++k) channel(k, false);
  for_lanes(lanes, [&](unsigned lane) {
    for (unsigned k = 0; k < 4; ++k) {
      if (i.mask_type == MaskType::numbers && is_float) {
        write_component(i.d[0], i.type, k, lane, passed[lane][k] ? 1.0F : 0.0F);
        continue;
      }
      const unsigned width = i.mask_type == MaskType::bytes ? 8 : i.mask_type == MaskType::halves ? 16 : bits;
      const unsigned shift = k * width % 32;
      const std::uint32_t mask = low_mask<std::uint32_t>(width) << shift;
      write_word(i.d[0], k * width / 32, lane, passed[lane][k] ? mask : 0, mask);
    }
  });
}

}  // namespace warpjit::usse
