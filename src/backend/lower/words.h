// Operations on words of one part, as vector instructions: what definitions that are templates over an Ops
// (base/sfu_lanes.h, base/sfu_fast.h) become in code. Parts are made one after the other, so that few
// registers are live at once.
#pragma once

#include "backend/lower/host_parts.h"
#include "base/sfu_fast.h"
#include "base/sfu_lanes.h"

namespace warpjit::backend {

class WordOps : protected ValueForms {
 public:
  struct I32 {
    Reg reg = lir::kNoReg;
    std::uint32_t constant = 0;  // where there is no register
    bool is_constant() const { return reg == lir::kNoReg; }
  };
  using F32 = I32;  // a float's word
  struct I1 {
    Reg reg;
  };

  WordOps(State& state, HostWords& words) : ValueForms(state), words_(words) {}

  static I32 constant_i(std::uint32_t value) { return {lir::kNoReg, value}; }
  static I32 word(Reg r) { return {r}; }
  Reg in_register(I32 a) { return a.is_constant() ? constant_vector(a.constant) : a.reg; }

  I32 iadd(I32 a, I32 b) { return commutative(Op::IAdd, a, b); }
  I32 isub(I32 a, I32 b) { return binary(Op::ISub, a, b); }
  I32 imul(I32 a, I32 b) { return commutative(Op::IMul, a, b); }
  I32 imul_small(I32 a, I32 b);
  I32 imul_lower(I32 a, I32 b);
  I32 imins(I32 a, I32 b) { return commutative(Op::IMinS, a, b); }
  I32 imaxs(I32 a, I32 b) { return commutative(Op::IMaxS, a, b); }
  I32 iand(I32 a, I32 b) { return commutative(Op::And, a, b); }
  I32 ior(I32 a, I32 b) { return commutative(Op::Or, a, b); }
  I32 ixor(I32 a, I32 b) { return commutative(Op::Xor, a, b); }
  I32 ishl(I32 a, int count) { return {with_immediate(Op::Shl, in_register(a), count)}; }
  I32 ishru(I32 a, int count) { return {with_immediate(Op::ShrU, in_register(a), count)}; }
  I32 ishrs(I32 a, int count) { return {with_immediate(Op::ShrS, in_register(a), count)}; }
  I32 ishl_by(I32 a, I32 count) { return shift(HostWords::Shift::left, a, count); }
  I32 ishru_by(I32 a, I32 count) { return shift(HostWords::Shift::right_unsigned, a, count); }
  I1 ilts(I32 a, I32 b);
  I1 ieq(I32 a, I32 b);
  I32 iselect(I1 condition, I32 a, I32 b);
  I32 float_word(I32 a) { return {vv(Op::CvtToF, in_register(a))}; }

  static F32 constant_f(float value) { return constant_i(std::bit_cast<std::uint32_t>(value)); }
  static I32 as_int(F32 a) { return a; }
  static F32 as_float(I32 a) { return a; }
  F32 add(F32 a, F32 b) { return commutative(Op::Add, a, b); }
  F32 sub(F32 a, F32 b) { return binary(Op::Sub, a, b); }
  F32 mul(F32 a, F32 b) { return commutative(Op::Mul, a, b); }
  F32 div(F32 a, F32 b) { return binary(Op::Div, a, b); }
  F32 sqrt(F32 a) { return {vv(Op::Sqrt, in_register(a))}; }
  F32 round_even(F32 a) { return {vv(Op::RoundEven, in_register(a))}; }
  F32 fma(F32 a, F32 b, F32 c);
  F32 fmin_select(F32 a, F32 b);
  F32 fmax_select(F32 a, F32 b);
  I1 flt(F32 a, F32 b);
  F32 select(I1 condition, F32 a, F32 b) { return iselect(condition, a, b); }
  F32 int_to_float(I32 a) { return float_word(a); }
  F32 number_or(F32 a, I32 nan) { return {words_.number_or(in_register(a), nan.constant)}; }
  F32 flush(F32 a);

  I32 look_up(sfu::Table table, I32 index) {
    return {words_.look_up(sfu::words_of(table), in_register(index))};
  }
  std::array<I32, 2> look_up_two(sfu::Table first, sfu::Table second, I32 a, int bit);

 private:
  Source operand_source(I32 a) { return a.is_constant() ? constant_source(a.constant) : reg_source(a.reg); }
  I32 binary(Op op, I32 a, I32 b);
  I32 commutative(Op op, I32 a, I32 b);
  I32 shift(HostWords::Shift kind, I32 a, I32 count);

  HostWords& words_;
};

class CalloutLowering;

// Lowering of operations that the code makes of many on words, rather than call out for them.
class WordLowering : protected ValueForms {
 public:
  WordLowering(State& state, HostWords& words, CalloutLowering& callouts)
      : ValueForms(state), words_(words), callouts_(callouts), ops_(state, words) {}

  void special_function(ir::Inst i);
  void tesla_to_half(ir::Inst i);
  void tesla_from_half(ir::Inst i);
  void round_to_half(ir::Inst i);
  void to_half(ir::Inst i);
  void from_half(ir::Inst i);
  void int_to_float(ir::Inst i);
  void multiply_high_24(ir::Inst i);
  void look_up(ir::Inst i);

 private:
  using I32 = WordOps::I32;
  // True if a call is better: in a preamble, which runs once; where a look-up goes lane by lane; where a
  // product may be flushed before it is rounded.
  bool calls() const { return role_.preamble; }
  bool calls_for(sfu::Function function) const {
    return calls() || (sfu::looks_up(function) && !host_.table_look_ups) ||
           (function == sfu::Function::fast_presin && host_.flushes_first);
  }
  I32 operand_word(ir::Inst i, std::uint32_t k, std::uint32_t p) {
    return WordOps::word(vector(operand(i, k), p));
  }
  template <class Make>
  void each_part(ir::Inst i, Make make);
  // rcp and rsqrt, with unusual operands out of line; false: not here.
  bool others_apart(ir::Inst i, sfu::Function function);

  HostWords& words_;
  CalloutLowering& callouts_;
  WordOps ops_;
};

}  // namespace warpjit::backend
