#include "ir/pass/fold.h"

#include <algorithm>
#include <cmath>

#include "ir/evaluate.h"

namespace warpjit::ir {
namespace {

using fold_detail::Folder;
using fold_detail::Step;

bool is_nan(std::uint64_t f32) { return (f32 & 0x7fffffff) > 0x7f800000; }

// Everything constant that the result depends on: what evaluate says.
Step fold_constants(Function& f, const Expression& e, Value& value) {
  std::array<std::uint64_t, 3> bits{};
  for (std::uint32_t k = 0; k < e.operand_count; ++k) {
    if (info(e.opcode).is_mask(k)) continue;
    if (!f.is_constant(e.operands[k])) return Step::none;
    bits[k] = f.constant(e.operands[k]);
  }
  const std::uint64_t result = evaluate(e.opcode, bits);
  // A NaN, unless of a NaN, must be made at run time: it raises the flag that the kernel's caller looks at.
  if (e.opcode == Opcode::FMulNoZeroInf32 && is_nan(result) && !is_nan(bits[0]) && !is_nan(bits[1]))
    return Step::none;
  value = f.constant_value(type_of_letter(info(e.opcode).results[0]), result);
  return Step::known;
}

Step step(Function& f, Expression& e, Value& value) {
  const OpcodeInfo& row = info(e.opcode);
  if (row.lane_wise() && fold_constants(f, e, value) == Step::known) return Step::known;
  if (row.commutative && f.is_constant(e.operands[0]) && !f.is_constant(e.operands[1]))
    std::swap(e.operands[0], e.operands[1]), e.rewritten = true;
  Folder folder(f, e);
  Step done = Step::none;
  switch (row.family) {
    case Family::float_arithmetic:
    case Family::float_flush:
    case Family::canonical_nan:
      done = folder.float_arithmetic();
      break;
    case Family::half_arithmetic:
      done = folder.half_arithmetic();
      break;
    case Family::cast:
      done = folder.cast();
      break;
    case Family::conversion:
      done = folder.conversion();
      break;
    case Family::float_comparison:
      done = folder.float_comparison();
      break;
    case Family::integer_arithmetic:
      done = folder.integer_arithmetic();
      break;
    case Family::integer_comparison:
      done = folder.integer_comparison();
      break;
    case Family::logic:
      done = folder.logic();
      break;
    case Family::selection:
      done = folder.selection();
      break;
    case Family::lanes:
      done = folder.lanes();
      break;
    default:
      break;
  }
  value = folder.value;
  return done;
}

}  // namespace

Value simplify_expression(Function& f, Expression& e) {
  // Every rewrite makes the expression simpler in some order; the bound only guards against mistakes there.
  for (int round = 0; round < 16; ++round) {
    Value value;
    switch (step(f, e, value)) {
      case Step::known:
        return value;
      case Step::none:
        return {};
      case Step::changed:
        break;
    }
  }
  return {};
}

Value simplify_in_place(Function& f, Inst inst) {
  const InstData& data = f.inst(inst);
  const OpcodeInfo& row = info(data.opcode);
  if (row.results.size() != 1 || data.operand_count == 0 || data.opcode == Opcode::Phi) return {};
  Expression e(data.opcode, f.operands(inst), data.immediate);
  const Value known = simplify_expression(f, e);
  if (known.valid() || !e.rewritten) return known;
  // `data` may dangle: simplifying can make constants.
  InstData& changed = f.inst(inst);
  changed.opcode = e.opcode;
  changed.immediate = e.immediate;
  f.set_operands(inst, e.operand_span());
  return {};
}

FloatFacts float_facts(const Function& f, Value value, int depth) {
  const InstData& data = f.definition_of(value);
  FloatFacts facts;
  if (data.opcode == Opcode::ConstF32) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(data.immediate));
    return {std::isnan(x), std::isinf(x) && x > 0, std::isinf(x) && x < 0, x == 0};
  }
  if (data.opcode == Opcode::I32ToF32) return {false, false, false, true};
  if (depth == 0) return facts;
  const Inst inst = f.definition(value);
  auto of = [&](std::uint32_t k) { return float_facts(f, f.operand(inst, k), depth - 1); };
  auto either = [](const FloatFacts& a, const FloatFacts& b) {
    return FloatFacts{a.nan || b.nan, a.positive_infinity || b.positive_infinity,
                      a.negative_infinity || b.negative_infinity, a.zero || b.zero};
  };
  switch (data.opcode) {
    case Opcode::CanonicalizeNaN32:
      return of(0);
    case Opcode::FNeg32:
      facts = of(0);
      std::swap(facts.positive_infinity, facts.negative_infinity);
      return facts;
    case Opcode::FAbs32:
      facts = of(0);
      facts.positive_infinity |= facts.negative_infinity;
      facts.negative_infinity = false;
      return facts;
    case Opcode::FFloor32:
      facts = of(0);
      facts.zero = true;
      return facts;
    case Opcode::SelectF32:
      return either(of(1), of(2));
    // The first operand only comes through when it is ordered and beyond the second one.
    case Opcode::FMaxSelect32: {
      const FloatFacts a = of(0), b = of(1);
      facts = either(a, b);
      facts.nan = b.nan;
      facts.negative_infinity = b.negative_infinity;
      return facts;
    }
    case Opcode::FMinSelect32: {
      const FloatFacts a = of(0), b = of(1);
      facts = either(a, b);
      facts.nan = b.nan;
      facts.positive_infinity = b.positive_infinity;
      return facts;
    }
    case Opcode::FSqrt32:
      facts.negative_infinity = false;
      return facts;
    case Opcode::Exp2F32:
      return {of(0).nan, true, false, true};
    default:
      return facts;
  }
}

bool can_be_minus_zero(const Function& f, Value value, int depth) {
  const InstData& data = f.definition_of(value);
  const Inst inst = f.definition(value);
  auto operand_can = [&](std::uint32_t k) {
    return depth == 0 || can_be_minus_zero(f, f.operand(inst, k), depth - 1);
  };
  switch (data.opcode) {
    case Opcode::ConstF32:
      return data.immediate == 0x80000000u;
    case Opcode::I32ToF32:
    case Opcode::FAbs32:
    case Opcode::Exp2F32:
      return false;
    case Opcode::CanonicalizeNaN32:
    case Opcode::FFloor32:
    case Opcode::FSqrt32:
      return operand_can(0);
    case Opcode::SelectF32:
      return operand_can(1) || operand_can(2);
    case Opcode::FMaxSelect32: {
      // -0 is not above +0.
      const Value second = f.operand(inst, 1);
      if (f.is_constant(second) && f.constant(second) < 0x7f800000u) return false;
      return operand_can(0) || operand_can(1);
    }
    case Opcode::FMinSelect32:
      return operand_can(0) || operand_can(1);
    // A sum is -0 only if both terms are; a square never is.
    case Opcode::FAdd32:
      return operand_can(0) && operand_can(1);
    case Opcode::FMul32:
    case Opcode::FMulZeroInf32:
    case Opcode::FMulNoZeroInf32:
      return f.operand(inst, 0) != f.operand(inst, 1);
    default:
      return true;
  }
}

}  // namespace warpjit::ir
