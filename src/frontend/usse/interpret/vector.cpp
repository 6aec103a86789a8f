// Vector and dual instructions, and functions of one component (docs/guests/usse.md 5.2).
#include <cmath>
#include <functional>

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

// A function of what each lane has.
template <class Function>
LaneFloats each(const LaneFloats& a, const LaneFloats& b, const Function& function) {
  LaneFloats results{};
  for (unsigned lane = 0; lane < kLanes; ++lane) results[lane] = function(a[lane], b[lane]);
  return results;
}
// The same with a function that takes its time: only in the lanes of the mask.
LaneFloats of_each(unsigned lanes, const LaneFloats& a, float (*function)(float)) {
  LaneFloats results{};
  for_lanes(lanes, [&](unsigned lane) { results[lane] = function(a[lane]); });
  return results;
}
// Products and sums are rounded apart.
LaneFloats product_sum(const LaneFloats& a, const LaneFloats& b, const LaneFloats& c) {
  return each(each(a, b, std::multiplies<float>()), c, std::plus<float>());
}
// a(0) b(0) + a(1) b(1) and so on, the first one first.
template <class First, class Second>
LaneFloats dot_product(unsigned terms, const First& a, const Second& b) {
  LaneFloats sum = each(a(0U), b(0U), std::multiplies<float>());
  for (unsigned k = 1; k < terms; ++k)
    sum = each(sum, each(a(k), b(k), std::multiplies<float>()), std::plus<float>());
  return sum;
}

}  // namespace

void QuadAlu::mad2(const Instruction& i, unsigned lanes) {
  const unsigned mask = pair_mask(i.d[0], i.type);
  std::array<LaneFloats, 4> values{};
  for (unsigned k = 0; k < 4; ++k)
    if ((mask >> k & 1) != 0)
      values[k] = product_sum(components(i.s[0], i.type, k, lanes), components(i.s[1], i.type, k, lanes),
                              components(i.s[2], i.type, k, lanes));
  write_masked(i.d[0], i.type, mask, lanes, values);
}

void QuadAlu::nmad(const Instruction& i, unsigned lanes) {
  const auto s1 = [&](unsigned k) { return components(i.s[1], i.type, k, lanes); };
  const auto s2 = [&](unsigned k) { return components(i.s[2], i.type, k, lanes); };
  // What another lane has less what the first has, in all lanes.
  const auto difference = [&](unsigned k, unsigned from) {
    const float result = component(i.s[1], i.type, k, from) - component(i.s[2], i.type, k, 0);
    return LaneFloats{result, result, result, result};
  };
  std::array<LaneFloats, 4> values{};
  if (i.opcode == Opcode::dp) {
    values.fill(dot_product(4, s1, s2));
    return write_masked(i.d[0], i.type, i.d[0].mask, lanes, values);
  }
  for (unsigned k = 0; k < 4; ++k) {
    if ((i.d[0].mask >> k & 1) == 0) continue;
    switch (i.opcode) {
      case Opcode::mul:
        values[k] = each(s1(k), s2(k), std::multiplies<float>());
        break;
      case Opcode::add:
        values[k] = each(s1(k), s2(k), std::plus<float>());
        break;
      case Opcode::frc:
        values[k] = each(s1(k), s2(k), fraction);
        break;
      case Opcode::dsx:
        values[k] = difference(k, 1);
        break;
      case Opcode::dsy:
        values[k] = difference(k, 2);
        break;
      case Opcode::min:
        values[k] = each(s1(k), s2(k), minimum);
        if (observer_ != nullptr) show_lost_nan(lanes, s1(k), values[k]);
        break;
      default:
        values[k] = each(s1(k), s2(k), maximum);
        if (observer_ != nullptr) show_lost_nan(lanes, s1(k), values[k]);
        break;
    }
  }
  write_masked(i.d[0], i.type, i.d[0].mask, lanes, values);
}

void QuadAlu::mad(const Instruction& i, unsigned lanes) {
  std::array<LaneFloats, 4> values{};
  for (unsigned k = 0; k < 4; ++k)
    if ((i.d[0].mask >> k & 1) != 0)
      values[k] =
          product_sum(components(i.s[0], Type::f32, k, lanes), components(i.s[1], Type::f32, k, lanes),
                      components(i.s[2], Type::f32, k, lanes));
  write_masked(i.d[0], Type::f32, i.d[0].mask, lanes, values);
}

// Each turn the mask moves on to the next component.
void QuadAlu::dot(const Instruction& i, unsigned lanes, unsigned turn) {
  const LaneFloats sum = dot_product(
      i.opcode == Opcode::dp3 ? 3 : 4, [&](unsigned k) { return components(i.s[1], Type::f32, k, lanes); },
      [&](unsigned k) { return components(i.s[0], Type::f32, k, lanes); });
  const unsigned mask = (i.d[0].mask << turn | i.d[0].mask >> (4 - turn)) & 15U;
  write_masked(i.d[0], Type::f32, mask, lanes, {sum, sum, sum, sum});
}

std::array<LaneFloats, 4> QuadAlu::operation(const Instruction& i, bool second, unsigned lanes) {
  const auto source = [&](unsigned index) -> Source {
    const unsigned operand = dual_operand(i, second, index);
    if (operand == 2 && source_count(i.operation1) == 1) return Source{{.bank = Bank::i, .number = 2}};
    return i.s[operand];
  };
  const Operation operation = second ? i.operation2 : i.operation1;
  const Source a = source(0), b = source(1), c = source(2);
  const auto at = [&](const Source& operand, unsigned k) { return components(operand, i.type, k, lanes); };
  std::array<LaneFloats, 4> values{};
  const auto scalar = [&](const LaneFloats& value) {
    values.fill(value);
    return values;
  };
  const auto vector = [&](const auto& compute) {
    for (unsigned k = 0; k < 4; ++k) values[k] = compute(k);
    return values;
  };
  const auto dot = [&](const Source& x, const Source& y) {
    return scalar(dot_product(
        i.opcode == Opcode::dual3 ? 3 : 4, [&](unsigned k) { return at(x, k); },
        [&](unsigned k) { return at(y, k); }));
  };
  const auto mad = [&](unsigned k) { return product_sum(at(a, k), at(b, k), at(c, k)); };
  const auto add = [&](unsigned k) { return each(at(a, k), at(b, k), std::plus<float>()); };
  const auto multiply = [&](unsigned k) { return each(at(a, k), at(b, k), std::multiplies<float>()); };
  switch (operation) {
    case Operation::vmad:
      return vector(mad);
    case Operation::vdp:
      return dot(a, b);
    case Operation::vssq:
      return dot(a, a);
    case Operation::vmul:
      return vector(multiply);
    case Operation::vadd:
      return vector(add);
    case Operation::vmov:
      return vector([&](unsigned k) { return at(a, k); });
    case Operation::frsq:
      return scalar(of_each(lanes, at(a, 0), reciprocal_root));
    case Operation::frcp:
      return scalar(of_each(lanes, at(a, 0), reciprocal));
    case Operation::fmad:
      return scalar(mad(0));
    case Operation::fadd:
      return scalar(add(0));
    case Operation::fmul:
      return scalar(multiply(0));
    case Operation::fsubflr:
      return scalar(each(at(a, 0), at(b, 0), fraction));
    case Operation::fexp:
      scalar(of_each(lanes, at(a, 0), power_of_two));
      if (observer_ != nullptr) [[unlikely]]
        show_lost_nan(lanes, at(a, 0), values[0]);
      return values;
    case Operation::flog:
      return scalar(of_each(lanes, at(a, 0), logarithm));
  }
  return values;
}

void QuadAlu::dual(const Instruction& i, unsigned lanes) {
  const std::array<LaneFloats, 4> first = operation(i, false, lanes), second = operation(i, true, lanes);
  const bool half = i.type == Type::f16;
  const Operation unified = i.primary_unified ? i.operation1 : i.operation2;
  unsigned mask = i.opcode == Opcode::dual3 ? 7 : 15;
  if (i.d[0].bank != Bank::i) {
    mask = writes_vector(unified) ? (half ? 15 : 3) : (half ? 3 : 1);
  }
  const auto write = [&](const Destination& destination, Operation operation, unsigned written,
                         const std::array<LaneFloats, 4>& values) {
    if (operation != Operation::vmov) return write_masked(destination, i.type, written, lanes, values);
    for (unsigned k = 0; k < 4; ++k)
      if ((written >> k & 1) != 0) write_components(destination, i.type, k, lanes, values[k]);
  };
  write(i.d[0], unified, mask, i.primary_unified ? first : second);
  write(i.d[1], i.primary_unified ? i.operation2 : i.operation1, i.d[1].mask,
        i.primary_unified ? second : first);
}

void QuadAlu::complex(const Instruction& i, unsigned lanes) {
  const LaneFloats operand = components(i.s[1], i.source_type, 0, lanes);
  const LaneFloats value = of_each(lanes, operand,
                                   i.opcode == Opcode::rcp   ? reciprocal
                                   : i.opcode == Opcode::rsq ? reciprocal_root
                                   : i.opcode == Opcode::log ? logarithm
                                                             : power_of_two);
  if (observer_ != nullptr) [[unlikely]]
    show_lost_nan(lanes, operand, value);
  write_masked(i.d[0], i.type, i.d[0].mask, lanes, {value, value, value, value});
}

// Moves of words, halves or bytes have one component.
void QuadAlu::move_word(const Instruction& i, unsigned lane) {
  const std::uint32_t bits = i.type == Type::i8 ? 8 : i.type == Type::i16 ? 16 : 32;
  const std::uint32_t mask = low_mask<std::uint32_t>(bits);
  const Source* source = &i.s[1];
  if (i.opcode != Opcode::mov) {
    const std::uint32_t word = read_word(i.s[0], 0, lane, mask);
    const std::int32_t tested = i.opcode == Opcode::movc8
                                    ? static_cast<std::int32_t>(word & 0xff)
                                    : sign_extend(word & low_mask<std::uint32_t>(bits), bits);
    const bool holds = i.condition == Condition::zero       ? tested == 0
                       : i.condition == Condition::not_zero ? tested != 0
                       : i.condition == Condition::negative ? tested < 0
                                                            : tested <= 0;
    if (!holds) source = &i.s[2];
  }
  write_word(i.d[0], 0, lane, read_word(*source, 0, lane, mask) & mask,
             i.d[0].bank == Bank::idx ? ~0U : mask);
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
