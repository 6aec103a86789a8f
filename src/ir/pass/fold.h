// Folding and exact algebra on one instruction, as the builder, simplify and gvn use it: an instruction is
// either an existing value, or a (maybe simpler) instruction in its place.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ir/function.h"

namespace warpjit::ir {

// An instruction that is not made yet: what is needed to make it or to compare it. At most 5 operands; phis
// are not expressions.
struct Expression {
  Opcode opcode;
  std::uint8_t operand_count = 0;
  std::array<Value, 5> operands;
  std::uint64_t immediate = 0;

  Expression(Opcode op, std::span<const Value> values, std::uint64_t imm = 0)
      : opcode(op), operand_count(static_cast<std::uint8_t>(values.size())), immediate(imm) {
    for (std::size_t k = 0; k < values.size(); ++k) operands[k] = values[k];
  }
  std::span<const Value> operand_span() const { return {operands.data(), operand_count}; }
};

// The value of `expression` if it is a constant or a value that exists already; else an invalid value, and
// `expression` may have been rewritten to a simpler one of the same value. Every rewrite is exact for
// all inputs: NaN (of free payload), infinities, -0, and the 0*inf = 0 rule of FMulZeroInf32. Only opcodes
// with one result change.
Value simplify_expression(Function& f, Expression& expression);

}  // namespace warpjit::ir
