// Vector and dual instructions, and functions of one component (docs/guests/usse.md 5.2).
#include <cmath>

#include "frontend/usse/interpret/numbers.h"
#include "frontend/usse/interpret/quad.h"

namespace warpjit::usse {
namespace {

// The components that a mask of a destination of 64 bits means.
unsigned pair_mask(const Destination& destination, Type type) {
  const Bank bank = destination.bank;
  const bool as_written =
      bank == Bank::i || (type == Type::f16 && (bank == Bank::idx || bank == Bank::c || bank == Bank::g));
  if (as_written || type == Type::c10) return destination.mask;
  if (type == Type::f32) return destination.mask & 3U;
  return ((destination.mask & 1) != 0 ? 3U : 0) | ((destination.mask & 4) != 0 ? 12U : 0);
}

float fraction(float a, float b) { return a - std::floor(b); }

}  // namespace

void QuadAlu::mad2(const Instruction& i, unsigned lane) {
  const unsigned mask = pair_mask(i.d[0], i.type);
  std::array<float, 4> values{};
  for (unsigned k = 0; k < 4; ++k) {
    if ((mask >> k & 1) == 0) continue;
    const float product = component(i.s[0], i.type, k, lane) * component(i.s[1], i.type, k, lane);
    values[k] = product + component(i.s[2], i.type, k, lane);
  }
  write_masked(i.d[0], i.type, mask, lane, values);
}

void QuadAlu::nmad(const Instruction& i, unsigned lane) {
  const auto s1 = [&](unsigned k, unsigned from) { return component(i.s[1], i.type, k, from); };
  const auto s2 = [&](unsigned k, unsigned from) { return component(i.s[2], i.type, k, from); };
  std::array<float, 4> values{};
  if (i.opcode == Opcode::dp) {
    float sum = s1(0, lane) * s2(0, lane);
    for (unsigned k = 1; k < 4; ++k) {
      const float product = s1(k, lane) * s2(k, lane);
      sum += product;
    }
    values.fill(sum);
    return write_masked(i.d[0], i.type, i.d[0].mask, lane, values);
  }
  for (unsigned k = 0; k < 4; ++k) {
    if ((i.d[0].mask >> k & 1) == 0) continue;
    switch (i.opcode) {
      case Opcode::mul:
        values[k] = s1(k, lane) * s2(k, lane);
        break;
      case Opcode::add:
        values[k] = s1(k, lane) + s2(k, lane);
        break;
      case Opcode::frc:
        values[k] = fraction(s1(k, lane), s2(k, lane));
        break;
      case Opcode::dsx:
        values[k] = s1(k, 1) - s2(k, 0);
        break;
      case Opcode::dsy:
        values[k] = s1(k, 2) - s2(k, 0);
        break;
      case Opcode::min:
        values[k] = minimum(s1(k, lane), s2(k, lane));
        break;
      default:
        values[k] = maximum(s1(k, lane), s2(k, lane));
        break;
    }
  }
  write_masked(i.d[0], i.type, i.d[0].mask, lane, values);
}

void QuadAlu::mad(const Instruction& i, unsigned lane) {
  std::array<float, 4> values{};
  for (unsigned k = 0; k < 4; ++k) {
    if ((i.d[0].mask >> k & 1) == 0) continue;
    const float product = component(i.s[0], Type::f32, k, lane) * component(i.s[1], Type::f32, k, lane);
    values[k] = product + component(i.s[2], Type::f32, k, lane);
  }
  write_masked(i.d[0], Type::f32, i.d[0].mask, lane, values);
}

// Each turn the mask moves on to the next component.
void QuadAlu::dot(const Instruction& i, unsigned lane, unsigned turn) {
  const unsigned terms = i.opcode == Opcode::dp3 ? 3 : 4;
  float sum = component(i.s[1], Type::f32, 0, lane) * component(i.s[0], Type::f32, 0, lane);
  for (unsigned k = 1; k < terms; ++k) {
    const float product = component(i.s[1], Type::f32, k, lane) * component(i.s[0], Type::f32, k, lane);
    sum += product;
  }
  const unsigned mask = (i.d[0].mask << turn | i.d[0].mask >> (4 - turn)) & 15U;
  write_masked(i.d[0], Type::f32, mask, lane, {sum, sum, sum, sum});
}

std::array<float, 4> QuadAlu::operation(const Instruction& i, bool second, unsigned lane) {
  const auto source = [&](unsigned index) -> Source {
    const unsigned operand = dual_operand(i, second, index);
    if (operand == 2 && source_count(i.operation1) == 1) return Source{{.bank = Bank::i, .number = 2}};
    return i.s[operand];
  };
  const Operation operation = second ? i.operation2 : i.operation1;
  const Source a = source(0), b = source(1), c = source(2);
  const auto at = [&](const Source& operand, unsigned k) { return component(operand, i.type, k, lane); };
  std::array<float, 4> values{};
  const auto scalar = [&](float value) {
    values.fill(value);
    return values;
  };
  const auto each = [&](const auto& compute) {
    for (unsigned k = 0; k < 4; ++k) values[k] = compute(k);
    return values;
  };
  const auto dot = [&](const Source& x, const Source& y) {
    float sum = at(x, 0) * at(y, 0);
    for (unsigned k = 1; k < (i.opcode == Opcode::dual3 ? 3U : 4U); ++k) {
      const float product = at(x, k) * at(y, k);
      sum += product;
    }
    return scalar(sum);
  };
  const auto mad = [&](unsigned k) {
    const float product = at(a, k) * at(b, k);
    return product + at(c, k);
  };
  switch (operation) {
    case Operation::vmad:
      return each(mad);
    case Operation::vdp:
      return dot(a, b);
    case Operation::vssq:
      return dot(a, a);
    case Operation::vmul:
      return each([&](unsigned k) { return at(a, k) * at(b, k); });
    case Operation::vadd:
      return each([&](unsigned k) { return at(a, k) + at(b, k); });
    case Operation::vmov:
      return each([&](unsigned k) { return at(a, k); });
    case Operation::frsq:
      return scalar(reciprocal_root(at(a, 0)));
    case Operation::frcp:
      return scalar(reciprocal(at(a, 0)));
    case Operation::fmad:
      return scalar(mad(0));
    case Operation::fadd:
      return scalar(at(a, 0) + at(b, 0));
    case Operation::fmul:
      return scalar(at(a, 0) * at(b, 0));
    case Operation::fsubflr:
      return scalar(fraction(at(a, 0), at(b, 0)));
    case Operation::fexp:
      return scalar(power_of_two(at(a, 0)));
    case Operation::flog:
      return scalar(logarithm(at(a, 0)));
  }
  return values;
}

void QuadAlu::dual(const Instruction& i, unsigned lane) {
  const std::array<float, 4> first = operation(i, false, lane), second = operation(i, true, lane);
  const bool half = i.type == Type::f16;
  const Operation unified = i.primary_unified ? i.operation1 : i.operation2;
  unsigned mask = i.opcode == Opcode::dual3 ? 7 : 15;
  if (i.d[0].bank != Bank::i) {
    const bool one = !is_vector(unified) || unified == Operation::vdp || unified == Operation::vssq;
    mask = one ? (half ? 3 : 1) : (half ? 15 : 3);
  }
  const auto write = [&](const Destination& destination, Operation operation, unsigned written,
                         const std::array<float, 4>& values) {
    if (operation != Operation::vmov) return write_masked(destination, i.type, written, lane, values);
    for (unsigned k = 0; k < 4; ++k)
      if ((written >> k & 1) != 0) write_component(destination, i.type, k, lane, values[k]);
  };
  write(i.d[0], unified, mask, i.primary_unified ? first : second);
  write(i.d[1], i.primary_unified ? i.operation2 : i.operation1, i.d[1].mask,
        i.primary_unified ? second : first);
}

void QuadAlu::complex(const Instruction& i, unsigned lane) {
  const float x = component(i.s[1], i.source_type, 0, lane);
  const float value = i.opcode == Opcode::rcp   ? reciprocal(x)
                      : i.opcode == Opcode::rsq ? reciprocal_root(x)
                      : i.opcode == Opcode::log ? logarithm(x)
                                                : power_of_two(x);
  write_masked(i.d[0], i.type, i.d[0].mask, lane, {value, value, value, value});
}

// Moves of words, halves or bytes have one component.
void QuadAlu::move_word(const Instruction& i, unsigned lane) {
  const std::uint32_t bits = i.type == Type::i8 ? 8 : i.type == Type::i16 ? 16 : 32;
  const Source* source = &i.s[1];
  if (i.opcode != Opcode::mov) {
    const std::uint32_t word = read_word(i.s[0], 0, lane);
    const std::int32_t tested = i.opcode == Opcode::movc8
                                    ? static_cast<std::int32_t>(word & 0xff)
                                    : sign_extend(word & low_mask<std::uint32_t>(bits), bits);
    const bool holds = i.condition == Condition::zero       ? tested == 0
                       : i.condition == Condition::not_zero ? tested != 0
                       : i.condition == Condition::negative ? tested < 0
                                                            : tested <= 0;
    if (!holds) source = &i.s[2];
  }
  const std::uint32_t mask = low_mask<std::uint32_t>(bits);
  write_word(i.d[0], 0, lane, read_word(*source, 0, lane) & mask, i.d[0].bank == Bank::idx ? ~0U : mask);
}

void QuadAlu::move(const Instruction& i, unsigned lane) {
  if (i.type == Type::i8 || i.type == Type::i16 || i.type == Type::i32) return move_word(i, lane);
  const unsigned mask = pair_mask(i.d[0], i.type);
  for (unsigned k = 0; k < 4; ++k) {
    if ((mask >> k & 1) == 0) continue;
    Source source = i.s[1];
    if (i.opcode != Opcode::mov) {
      Source tested = i.s[0];
      if (i.test_swizzled) tested.swizzle = i.s[1].swizzle;
      float value = 0.0F;
      if (i.opcode == Opcode::movc) {
        value = component(tested, i.type, k, lane);
      } else {  // a byte
        const auto select = static_cast<unsigned>(tested.swizzle[k]);
        const std::uint32_t word = read_word(tested, 0, lane);
        value =
            select >= 4 ? component(tested, i.type, k, lane) : static_cast<float>(word >> 8 * select & 0xff);
      }
      const bool holds = i.condition == Condition::zero       ? value == 0.0F
                         : i.condition == Condition::not_zero ? !(value == 0.0F)
                         : i.condition == Condition::negative ? value < 0.0F
                                                              : value <= 0.0F;
      if (!holds) {
        source = i.s[2];
        source.swizzle = i.s[1].swizzle;
      }
    }
    copy_component(i.d[0], i.type, k, source, i.type, static_cast<unsigned>(source.swizzle[k]), lane);
  }
}

}  // namespace warpjit::usse
