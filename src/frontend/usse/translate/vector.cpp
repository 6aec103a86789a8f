// Vectors of floats, and the functions of one component (docs/guests/usse.md 5.2).
#include "frontend/usse/translate/instruction.h"

namespace warpjit::usse {

using ir::F32;
using ir::I1;
using ir::I32;

unsigned pair_mask(const Destination& d, Type type) {
  const bool is_special = d.bank == Bank::idx || d.bank == Bank::c || d.bank == Bank::g;
  if (d.bank == Bank::i || type == Type::c10 || (type == Type::f16 && is_special)) return d.mask;
  if (type == Type::f16) return ((d.mask & 1) != 0 ? 3U : 0U) | ((d.mask & 4) != 0 ? 12U : 0U);
  return d.mask & 3U;
}

Status InstructionTranslator::vector(const Instruction& i, unsigned turn) {
  const auto all = [&](const auto& value, unsigned mask) {
    std::array<F32, 4> values{};
    for (unsigned k = 0; k < 4; ++k)
      if ((mask >> k & 1) != 0) values[k] = value(k);
    return values;
  };
  const auto source = [&](unsigned n) {
    return all([&](unsigned k) { return component(i.s[n], i.type, k); }, 15);
  };
  unsigned mask = i.d[0].mask;
  std::array<F32, 4> values{};
  switch (i.group) {
    case Group::vmad2:
      mask = pair_mask(i.d[0], i.type);
      [[fallthrough]];
    case Group::mad:
      values = all(
          [&](unsigned k) {
            const F32 a = component(i.s[0], i.type, k), b = component(i.s[1], i.type, k);
            return product_sum(a, b, component(i.s[2], i.type, k));
          },
          mask);
      break;
    case Group::dp: {
      // The mask turns with each repetition.
      const unsigned turned = mask << (turn & 3);
      mask = (turned | turned >> 4) & 15;
      const std::array<F32, 4> a = source(0);
      values.fill(dot(a, source(1), i.opcode == Opcode::dp4 ? 4 : 3));
      break;
    }
    case Group::comp: {
      const F32 x = component(i.s[1], i.source_type, 0);
      values.fill(i.opcode == Opcode::rcp   ? reciprocal(x)
                  : i.opcode == Opcode::rsq ? reciprocal_root(x)
                  : i.opcode == Opcode::log ? logarithm(x)
                                            : power_of_two(x));
      break;
    }
    default:
      if (i.opcode == Opcode::dp) {
        const std::array<F32, 4> a = source(1);
        values.fill(dot(a, source(2), 4));
        break;
      }
      if (i.opcode == Opcode::dsx || i.opcode == Opcode::dsy) {
        values = all([&](unsigned k) { return quad_difference(i, k, k, i.opcode == Opcode::dsy); }, mask);
        break;
      }
      values = all(
          [&](unsigned k) {
            const F32 a = component(i.s[1], i.type, k), b = component(i.s[2], i.type, k);
            switch (i.opcode) {
              case Opcode::mul:
                return b_.FMul32(a, b);
              case Opcode::add:
                return b_.FAdd32(a, b);
              case Opcode::frc:
                return floor_difference(a, b);
              case Opcode::min:
                return b_.FMinSelect32(a, b);
              default:
                return b_.FMaxSelect32(a, b);
            }
          },
          mask);
      break;
  }
  write_masked(i.d[0], i.type, mask, values);
  return {};
}

std::array<F32, 4> InstructionTranslator::operation(const Instruction& i, bool second) {
  const Operation operation = second ? i.operation2 : i.operation1;
  const auto operand = [&](unsigned n, unsigned k) {
    const unsigned from = dual_operand(i, second, n);
    if (from == 2 && source_count(i.operation1) == 1)
      return component(Source{{.bank = Bank::i, .number = 2}}, i.type, k);
    return component(i.s[from], i.type, k);
  };
  const unsigned count = i.opcode == Opcode::dual4 ? 4 : 3;
  const auto each = [&](const auto& value) {
    std::array<F32, 4> values{};
    for (unsigned k = 0; k < 4; ++k) values[k] = value(k);
    return values;
  };
  const auto scalar = [&](F32 value) { return std::array<F32, 4>{value, value, value, value}; };
  const auto vector = [&](unsigned n) { return each([&](unsigned k) { return operand(n, k); }); };
  switch (operation) {
    case Operation::vmad:
      return each([&](unsigned k) {
        const F32 a = operand(0, k), b = operand(1, k);
        return product_sum(a, b, operand(2, k));
      });
    case Operation::vdp: {
      const std::array<F32, 4> a = vector(0);
      return scalar(dot(a, vector(1), count));
    }
    case Operation::vssq: {
      const std::array<F32, 4> a = vector(0);
      return scalar(dot(a, a, count));
    }
    case Operation::vmul:
      return each([&](unsigned k) {
        const F32 a = operand(0, k);
        return b_.FMul32(a, operand(1, k));
      });
    case Operation::vadd:
      return each([&](unsigned k) {
        const F32 a = operand(0, k);
        return b_.FAdd32(a, operand(1, k));
      });
    case Operation::vmov:
      return vector(0);
    case Operation::frsq:
      return scalar(reciprocal_root(operand(0, 0)));
    case Operation::frcp:
      return scalar(reciprocal(operand(0, 0)));
    case Operation::fmad: {
      const F32 a = operand(0, 0), b = operand(1, 0);
      return scalar(product_sum(a, b, operand(2, 0)));
    }
    case Operation::fadd: {
      const F32 a = operand(0, 0);
      return scalar(b_.FAdd32(a, operand(1, 0)));
    }
    case Operation::fmul: {
      const F32 a = operand(0, 0);
      return scalar(b_.FMul32(a, operand(1, 0)));
    }
    case Operation::fsubflr: {
      const F32 a = operand(0, 0);
      return scalar(floor_difference(a, operand(1, 0)));
    }
    case Operation::fexp:
      return scalar(power_of_two(operand(0, 0)));
    default:
      return scalar(logarithm(operand(0, 0)));
  }
}

void InstructionTranslator::dual(const Instruction& i) {
  const std::array<F32, 4> first = operation(i, false), second = operation(i, true);
  const Operation unified = i.primary_unified ? i.operation1 : i.operation2;
  const bool one = !writes_vector(unified);
  unsigned mask = i.opcode == Opcode::dual4 ? 15 : 7;
  if (i.d[0].bank != Bank::i) mask = i.type == Type::f16 ? (one ? 3 : 15) : (one ? 1 : 3);
  const auto write = [&](const Destination& d, Operation operation, unsigned written,
                         const std::array<F32, 4>& values) {
    const bool keeps_bits = operation == Operation::vmov && (d.bank == Bank::i || i.type == Type::f32);
    for (unsigned k = 0; k < 4; ++k) {
      if ((written >> k & 1) == 0) continue;
      if (keeps_bits)
        write_word(d, k, b_.BitcastF32ToI32(values[k]));
      else
        write_component(d, i.type, k, values[k]);
    }
  };
  write(i.d[0], unified, mask, i.primary_unified ? first : second);
  write(i.d[1], i.primary_unified ? i.operation2 : i.operation1, i.d[1].mask,
        i.primary_unified ? second : first);
}

}  // namespace warpjit::usse
