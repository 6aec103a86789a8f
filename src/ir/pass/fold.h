// Folding and exact algebra on one instruction, as the builder, simplify and gvn use it: an instruction is
// either an existing value, or a (maybe simpler) instruction in its place.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "ir/function.h"

namespace warpjit::ir {

// An instruction that is not made yet: what is needed to make it or to compare it. Phis are no expressions.
struct Expression {
  Opcode opcode;
  std::uint8_t operand_count = 0;
  bool rewritten = false;  // by simplify_expression
  std::array<Value, kMaxOperands> operands;
  std::uint64_t immediate = 0;

  Expression(Opcode op, std::span<const Value> values, std::uint64_t imm = 0)
      : opcode(op), operand_count(static_cast<std::uint8_t>(values.size())), immediate(imm) {
    for (std::size_t k = 0; k < values.size(); ++k) operands[k] = values[k];
  }
  std::span<const Value> operand_span() const { return {operands.data(), operand_count}; }
};

// The value of `expression` if it is a constant or a value that exists already; else an invalid value, and
// `expression` may have been rewritten to a simpler one of the same value. Every rewrite is exact for
// all inputs: NaN (of free payload), infinities, -0, and the rules of FMulZeroInf32 and FMulNoZeroInf32 for
// 0*inf. Only opcodes with one result change; a rewrite uses operands of operands, so that the uniformity of
// the result still holds.
Value simplify_expression(Function& f, Expression& expression);

// The same on an instruction with one result, in place: the value that it can be replaced by, or invalid
// (then the instruction may have changed). What is no expression is left alone.
Value simplify_in_place(Function& f, Inst inst);

// not (a op b) as one comparison, exact for NaN, of the operands as they are or
// `swapped`. Not1: no comparison is that.
struct OppositeComparison {
  Opcode opcode;
  bool swapped;
};
OppositeComparison opposite_comparison(Opcode opcode);

// What is known of a float value from the few instructions that make it.
struct FloatFacts {
  // True if it can be that.
  bool nan = true, positive_infinity = true, negative_infinity = true;
  bool zero = true;  // of either sign
  bool minus_zero = true;
};
FloatFacts float_facts(const Function& f, Value value, int depth = 4);
bool can_be_minus_zero(const Function& f, Value value, int depth = 4);

// The only value that a phi can have, else invalid: all operands are that value or the phi; or it is constant
// false, and the others are And1 or AndNot1 of the phi; or true, and the others are Or1 of it. `resolve`
// gives what stands for a value.
template <class Resolve>
Value only_value(const Function& f, Inst phi, Resolve resolve) {
  const Value result = f.result(phi);
  const bool is_mask = f.value(result).type == Type::i1;
  Value same;
  bool takes = false, adds = false;
  for (Value v : f.operands(phi)) {
    v = resolve(v);
    if (v == result || v == same) continue;
    const Inst made = f.definition(v);
    const Opcode opcode = f.inst(made).opcode;
    const auto reads = [&](std::uint32_t k) { return resolve(f.operand(made, k)) == result; };
    if (is_mask &&
        ((opcode == Opcode::And1 && (reads(0) || reads(1))) || (opcode == Opcode::AndNot1 && reads(0))))
      takes = true;
    else if (is_mask && opcode == Opcode::Or1 && (reads(0) || reads(1)))
      adds = true;
    else if (same.valid())
      return {};
    else
      same = v;
  }
  if (!same.valid() || !(takes || adds)) return same;
  if (!f.is_constant(same) || (takes && adds)) return {};
  return (f.constant(same) != 0) == adds ? same : Value{};
}

namespace fold_detail {

// One family of opcodes each (fold_float.cpp, fold_integer.cpp, fold_logic.cpp): one step of simplification.
enum class Step : std::uint8_t { none, changed, known };
class Folder {
 public:
  Folder(Function& function, Expression& expression) : f(function), e(expression) {}

  Step float_arithmetic();
  Step half_arithmetic();
  Step extreme();
  Step cast();
  Step conversion();
  Step float_comparison();
  Step integer_arithmetic();
  Step integer_comparison();
  Step logic();
  Step selection();
  Step lanes();
  Step any_lane_number();

  Value value;  // of Step::known

 private:
  Value a() const { return e.operands[0]; }
  Value b() const { return e.operands[1]; }
  Value c() const { return e.operands[2]; }
  bool constant(Value v) const { return f.is_constant(v); }
  std::uint32_t bits(Value v) const { return static_cast<std::uint32_t>(f.constant(v)); }
  bool is(Value v, std::uint32_t wanted) const { return constant(v) && bits(v) == wanted; }
  bool made_by(Value v, Opcode opcode) const { return f.definition_of(v).opcode == opcode; }
  Value operand(Value v, std::uint32_t k) const { return f.operand(f.definition(v), k); }

  Step product_of_halves();
  Value factor_beside(Value factor, Value product) const;
  bool is_low_half(Value v) const;
  bool is_sum_from(Value v, std::uint32_t least) const;
  Value whole_of_halves(Value low, Value high);
  Step bits_of_select();
  Step conversion_of_half();
  struct ByteOfWord {
    Value word;
    std::uint32_t byte = 0;
  };
  std::optional<ByteOfWord> unorm_byte(Value v) const;
  Step low_bits();
  Step high_bits();

  Step known(Value v) {
    value = v;
    return Step::known;
  }
  Step known_bits(Type type, std::uint64_t pattern) { return known(f.constant_value(type, pattern)); }
  Step become(Opcode opcode, std::initializer_list<Value> operands) {
    e.opcode = opcode;
    e.rewritten = true;
    e.operand_count = 0;
    e.immediate = 0;
    for (Value v : operands) e.operands[e.operand_count++] = v;
    return Step::changed;
  }
  Value float_constant(std::uint32_t pattern) { return f.constant_value(Type::f32, pattern); }
  Value word_constant(std::uint32_t word) { return f.constant_value(Type::i32, word); }
  // The value without its sign change, if that costs nothing: x of FNeg32 x, or the negated constant.
  Value negated(Value v);
  // A comparison of select(c, constant, constant) with a constant is c, its negation or a constant.
  Step comparison_of_select();
  Step uniform_load(Opcode opcode, Value source);

  Function& f;
  Expression& e;
};

}  // namespace fold_detail
}  // namespace warpjit::ir
