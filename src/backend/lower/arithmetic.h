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

// clang-format off
#define WARPJIT_LOWERED_AS_ARITHMETIC(OP) \
  OP(ConstI1) OP(ConstI32) OP(ConstF32) OP(FAdd32) OP(FSub32) OP(FMul32) OP(FMulZeroInf32) \
  OP(FMulNoZeroInf32) OP(FDiv32) OP(FSqrt32) OP(FFma32) OP(FFmaOdd32) OP(FFloor32) OP(FCeil32) OP(FTrunc32) OP(FRoundEven32) OP(FMaxSelect32) \
  OP(FMinSelect32) OP(FMaxNum32) OP(FMinNum32) OP(FNeg32) OP(FAbs32) OP(CanonicalizeNaN32) \
  OP(CanonicalizeNaNOnes32) OP(Exp2F32) OP(Log2F32) OP(RcpF32) OP(RsqrtF32) OP(FFlush32) \
  OP(FAddFlush32) OP(FSubFlush32) OP(FMulFlush32) OP(FFmaFlush32) OP(FMadTruncFlush32) \
  OP(FAddZeroFlush32) OP(FMulZeroFlush32) OP(FEq32) OP(FNe32) OP(FLt32) OP(FLe32) OP(FGt32) OP(FGe32) \
  OP(FUnordered32) OP(IEq32) OP(INe32) OP(ILtS32) OP(ILeS32) OP(ILtU32) OP(ILeU32) OP(F32ToI32Sat) \
  OP(F32ToI32Lowest) OP(F32ToU32Sat) OP(I32ToF32) OP(U32ToF32) OP(BitcastF32ToI32) OP(BitcastI32ToF32) OP(IAdd32) \
  OP(ISub32) OP(IMul32) OP(IAnd32) OP(IOr32) OP(IXor32) OP(IMinS32) OP(IMaxS32) OP(IMinU32) \
  OP(IMaxU32) OP(IShl32) OP(IShrU32) OP(IShrS32)
// clang-format on

class ArithmeticLowering : protected ValueForms {
 public:
  ArithmeticLowering(State& state, const HostParts& host, CalloutLowering& callouts)
      : ValueForms(state),
        arithmetic_(host.arithmetic),
        masks_(host.masks),
        flushing_(host.flushing),
        callouts_(callouts) {}

#define WARPJIT_DECLARE(name) void lower_##name(ir::Inst i);
  WARPJIT_LOWERED_AS_ARITHMETIC(WARPJIT_DECLARE)
#undef WARPJIT_DECLARE

  // The mode from here on. Code that flushes nothing has one alone.
  void set_flushing(bool flushing);

 private:
  using Shift = HostArithmetic::Shift;
  static constexpr Op kNoOp = static_cast<Op>(kOpCount);
  template <class Make>
  void each_part(ir::Inst i, Make make);
  // A vector operation of two operands; a commutative one takes its memory operand from either side.
  void binary(ir::Inst i, Op op, bool commutative) {
    binary(i, op, operand(i, 0), operand(i, 1), commutative);
  }
  void binary(ir::Inst i, Op op, Value a, Value b, bool commutative);
  void unary(ir::Inst i, Op op);
  void round(ir::Inst i, Op op);
  bool is_root(Value v) const { return f_.definition_of(v).opcode == ir::Opcode::FSqrt32; }
  bool divides_for_half(ir::Inst i) const;
  void divide_for_half(ir::Inst i);
  void float_compare(ir::Inst i);
  void integer_compare(ir::Inst i, Condition condition);
  void integer_binary(ir::Inst i, Op vector_op, Op scalar_op, Op scalar_imm_op, bool commutative);
  // The four numbers below 256, the lowest first, whose bytes an Or makes a word of.
  std::optional<std::array<Value, 4>> packed_bytes(ir::Inst i) const;
  bool merge_bits(ir::Inst i);
  bool join_three(ir::Inst i);
  void integer_extreme(ir::Inst i, Op op, Condition less, bool greater);
  void integer_shift(ir::Inst i, Shift kind);
  using Canonicalize = Reg (HostArithmetic::*)(Value, std::uint32_t);
  void canonicalize(ir::Inst i, Canonicalize of_host);
  bool canonicalize_together(ir::Inst first, std::size_t count, Canonicalize of_host);
  void call(ir::Inst i) { callouts_.call(i); }
  // An operation that makes no denormals but keeps them, with an operand that may be one, in the other mode.
  bool needs_denormals(ir::Inst i) const;

  HostArithmetic& arithmetic_;
  HostMasks& masks_;
  HostFlushing& flushing_;
  CalloutLowering& callouts_;
  std::size_t made_canonical_ = 0;  // how many of those that come next were made before
};

}  // namespace warpjit::backend
