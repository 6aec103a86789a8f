// VTST and VTSTMSK: an operation whose result is compared with zero (docs/guests/usse.md 5.4).
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

// Of a float or an integer.
template <class Number>
bool passes(const Instruction& i, Number value) {
  const bool sign = i.sign_test == SignTest::negative ? value < Number{0} : value >= Number{0};
  const bool zero = (i.zero_test == ZeroTest::zero) == (value == Number{0});
  if (i.sign_test == SignTest::none) return i.zero_test == ZeroTest::none || zero;
  if (i.zero_test == ZeroTest::none) return sign;
  return i.test_both ? sign && zero : sign || zero;
}

}  // namespace

float QuadAlu::test_float(const Instruction& i, unsigned k, unsigned lane) {
  const auto a = [&](unsigned from) { return component(i.s[1], i.type, k, from); };
  const auto b = [&](unsigned from) { return component(i.s[2], i.type, i.scalar2 ? 0 : k, from); };
  const auto x = [&] { return component(i.s[1], i.type, 0, lane); };
  switch (i.alu) {
    case Alu::add:
      return a(lane) + b(lane);
    case Alu::frc:
      return a(lane) - std::floor(b(lane));
    case Alu::rcp:
      return reciprocal(x());
    case Alu::rsq:
      return reciprocal_root(x());
    case Alu::log:
      return logarithm(x());
    case Alu::exp:
      return power_of_two(x());
    case Alu::dp: {
      float sum = 0.0F;
      for (unsigned n = 0; n < 4; ++n) {
        const float product =
            component(i.s[1], i.type, n, lane) * component(i.s[2], i.type, i.scalar2 ? 0 : n, lane);
        sum = n == 0 ? product : sum + product;
      }
      return sum;
    }
    case Alu::min:
      return minimum(a(lane), b(lane));
    case Alu::max:
      return maximum(a(lane), b(lane));
    case Alu::dsx:
      return a(1) - b(0);
    case Alu::dsy:
      return a(2) - b(0);
    case Alu::mul:
      return a(lane) * b(lane);
    default:
      return a(lane) - b(lane);
  }
}

std::uint32_t QuadAlu::element(const Register& reg, unsigned bits, unsigned k, unsigned lane) {
  if (reg.bank == Bank::immediate) return reg.number;
  return read_word(reg, k * bits / 32, lane) >> k * bits % 32;
}

void QuadAlu::test(const Instruction& i, unsigned lane) {
  const bool is_float = static_cast<unsigned>(i.alu) < 16;
  const unsigned bits = is_float ? 0 : elements_of(i.alu).bits;
  std::array<bool, 4> passed{};
  const auto channel = [&](unsigned k, bool store) {
    if (is_float) {
      const float value = test_float(i, k, lane);
      passed[k] = passes(i, value);
      if (store) write_component(i.d[0], i.type, k, lane, to_float(result_bits(value)));
      return;
    }
    const std::int64_t value =
        compute(i.alu, element(i.s[1], bits, k, lane), element(i.s[2], bits, i.scalar2 ? 0 : k, lane));
    passed[k] = passes(i, value);
    const unsigned shift = k * bits % 32;
    const std::uint32_t mask = low_mask<std::uint32_t>(bits);
    if (store)
      write_word(i.d[0], k * bits / 32, lane, (static_cast<std::uint32_t>(value) & mask) << shift,
                 i.d[0].bank == Bank::idx ? ~0U : mask << shift);
  };

  if (i.opcode == Opcode::tst) {
    constexpr unsigned kAll = 4, kAny = 5;
    bool result = false;
    if (i.channel < kAll) {
      channel(i.channel, i.write_back);
      result = passed[i.channel];
    } else {
      for (unsigned k = 0; k < 4; ++k) channel(k, i.write_back);
      const unsigned count = passed[0] + passed[1] + passed[2] + passed[3];
      result = i.channel == kAny ? count != 0 : count == 4;
    }
    predicate_writes_.push_back({i.predicate_written, static_cast<std::uint8_t>(lane), result});
    return;
  }

  for (unsigned k = 0; k < 4; ++k) channel(k, false);
  for (unsigned k = 0; k < 4; ++k) {
    if (i.mask_type == MaskType::numbers && is_float) {
      write_component(i.d[0], i.type, k, lane, passed[k] ? 1.0F : 0.0F);
      continue;
    }
    const unsigned width = i.mask_type == MaskType::bytes ? 8 : i.mask_type == MaskType::halves ? 16 : bits;
    const unsigned shift = k * width % 32;
    const std::uint32_t mask = low_mask<std::uint32_t>(width) << shift;
    write_word(i.d[0], k * width / 32, lane, passed[k] ? mask : 0, mask);
  }
}

}  // namespace warpjit::usse
