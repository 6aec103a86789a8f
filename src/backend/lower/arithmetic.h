// Lowering of arithmetic, comparisons and conversions: the forms and parts of their operands. What a part
// costs is the host's.
//
// Where operations that keep denormals and such as flush them meet, the mode is changed between them; blocks
// begin and end in the same one.
#pragma once

#include <array>
#include <optional>

#include "backend/lower/callouts.h"
#include "backend/lower/host_parts.h"

namespace warpjit::backend {

class ArithmeticLowering : protected ValueForms {
 public:
  ArithmeticLowering(State& state, const HostParts& host, CalloutLowering& callouts)
      : ValueForms(state),
        arithmetic_(host.arithmetic),
        masks_(host.masks),
        flushing_(host.flushing),
        callouts_(callouts) {}

  using Unary = Reg (HostArithmetic::*)(Value, std::uint32_t part);
  using Binary = Reg (HostArithmetic::*)(Value, Value, std::uint32_t part);

  // One operation on vectors; a commutative one takes its memory operand from either side.
  void binary(ir::Inst i, Op op);
  void unary(ir::Inst i, Op op);
  void unary(ir::Inst i, Unary make);
  void cast(ir::Inst i);
  // Floats.
  void multiply(ir::Inst i, Binary make);
  void multiply_flushed(ir::Inst i);
  void multiply_add(ir::Inst i);
  void multiply_add_odd(ir::Inst i);
  void multiply_add_truncated(ir::Inst i);
  void divide(ir::Inst i);
  void square_root(ir::Inst i);
  void extreme(ir::Inst i, Binary make);
  void canonicalize(ir::Inst i, Unary make);
  void flush(ir::Inst i);
  void round_toward_zero(ir::Inst i, Reg (HostFlushing::*make)(Reg, Reg));
  void compare_floats(ir::Inst i);
  // Integers: uniform ones are scalars, where binary() and unary() make a vector of them.
  static constexpr Op kNoOp = static_cast<Op>(kOpCount);
  void integer(ir::Inst i, Op vector_op, Op scalar_op, Op scalar_imm_op = kNoOp);
  void integer_extreme(ir::Inst i, Op vector_op, Op scalar_op, Condition less);
  void bitwise(ir::Inst i, Op vector_op, Op scalar_op, Op scalar_imm_op);
  void bitwise_or(ir::Inst i);
  void shift(ir::Inst i, HostArithmetic::Shift kind);
  void compare_integers(ir::Inst i);

  // The mode from here on. Code that flushes nothing has one alone.
  void set_flushing(bool flushing);

 private:
  // The mode that the operation needs.
  void set_mode(ir::Inst i);
  bool is_root(Value v) const { return f_.definition_of(v).opcode == ir::Opcode::FSqrt32; }
  bool divides_for_half(ir::Inst i) const;
  void divide_for_half(ir::Inst i);
  // The four numbers below 256, the lowest first, whose bytes an Or makes a word of.
  std::optional<std::array<Value, 4>> packed_bytes(ir::Inst i) const;
  bool pack_bytes(ir::Inst i);
  bool merge_bits(ir::Inst i);
  bool join_three(ir::Inst i);
  bool canonicalize_together(ir::Inst first, std::size_t count, Unary make);
  void call(ir::Inst i) { callouts_.call(i); }

  HostArithmetic& arithmetic_;
  HostMasks& masks_;
  HostFlushing& flushing_;
  CalloutLowering& callouts_;
  std::size_t made_canonical_ = 0;  // how many of those that come next were made before
};

}  // namespace warpjit::backend
