#include "backend/lower/words.h"

#include "backend/lower/callouts.h"
#include "ir/conversion_lanes.h"
#include "ir/look_up.h"

namespace warpjit::backend {

using lir::Reg;

// ---- the operations

WordOps::I32 WordOps::binary(Op op, I32 a, I32 b) {
  Reg left = in_register(a);
  return {vvv(op, left, operand_source(b))};
}

WordOps::I32 WordOps::commutative(Op op, I32 a, I32 b) {
  if (a.is_constant()) std::swap(a, b);
  const I32 made = binary(op, a, b);
  code_.insts.back().prefer = 3;
  return made;
}

WordOps::I32 WordOps::imul_small(I32 a, I32 b) {
  const Reg product = words_.multiply_lower_halves(a.reg, b.reg);
  return product != lir::kNoReg ? word(product) : imul(a, b);
}

WordOps::I32 WordOps::imul_lower(I32 a, I32 b) {
  const Reg product = words_.multiply_lower_halves(a.reg, b.reg);
  return product != lir::kNoReg ? word(product) : imul(iand(a, constant_i(0xffff)), b);
}

std::array<WordOps::I32, 2> WordOps::look_up_two(sfu::Table first, sfu::Table second, I32 a, int bit) {
  const auto first_words = sfu::words_of(first), second_words = sfu::words_of(second);
  const auto [in_first, in_second] = words_.look_up_rows(first_words, second_words, a.reg, bit);
  if (in_first != lir::kNoReg) return {word(in_first), word(in_second)};
  const I32 index = ishru(a, bit);
  Reg found = words_.look_up(first_words, index.reg);
  return {word(found), word(words_.look_up(second_words, index.reg))};
}

WordOps::I32 WordOps::shift(HostWords::Shift kind, I32 a, I32 count) {
  Reg shifted = in_register(a);
  return {words_.shift_by(kind, shifted, in_register(count))};
}

WordOps::I1 WordOps::ilts(I32 a, I32 b) {
  if (a.is_constant()) return {words_.greater_than(b.reg, constant_source(a.constant))};
  Reg greater = in_register(b);
  return {words_.greater_than(greater, reg_source(a.reg))};
}

WordOps::I1 WordOps::ieq(I32 a, I32 b) {
  if (a.is_constant()) std::swap(a, b);
  return {words_.equal(a.reg, operand_source(b))};
}

WordOps::I32 WordOps::iselect(I1 condition, I32 a, I32 b) {
  Reg if_false = in_register(b);
  if (a.is_constant() && a.constant == 0 && !host_.mask_registers)
    return {vvv(Op::AndNot, condition.reg, if_false)};
  return {blend(if_false, operand_source(a), condition.reg)};
}

WordOps::F32 WordOps::fma(F32 a, F32 b, F32 c) {
  Reg left = in_register(a), right = in_register(b);
  return {words_.multiply_add(left, right, operand_source(c))};
}

WordOps::F32 WordOps::fmin_select(F32 a, F32 b) {
  Reg first = in_register(a);
  return {words_.float_min(first, operand_source(b))};
}

WordOps::F32 WordOps::fmax_select(F32 a, F32 b) {
  Reg first = in_register(a);
  return {words_.float_max(first, operand_source(b))};
}

WordOps::I1 WordOps::flt(F32 a, F32 b) {
  Reg less = in_register(a);
  return {words_.float_less(less, operand_source(b))};
}

// The host may make zeros of denormals.
WordOps::F32 WordOps::flush(F32 a) {
  if (state_.flushing) return a;
  const I32 magnitude = iand(a, constant_i(0x7fffffff));
  const I1 is_small = ilts(magnitude, constant_i(0x00800000));
  return iselect(is_small, ixor(a, magnitude), a);
}

// ---- what is made of them

template <class Make>
void WordLowering::each_part(ir::Inst i, Make make) {
  const ir::Value result = f_.result(i);
  if (!varying(result) && f_.value(result).type == ir::Type::i32)
    return define_from_vector(i, ops_.in_register(make(0)));
  for (std::uint32_t p = 0; p < parts_of(result); ++p) define(result, p, ops_.in_register(make(p)));
}

bool WordLowering::others_apart(ir::Inst i, sfu::Function function) {
  const bool is_rcp = function == sfu::Function::rcp;
  const ir::Value result = f_.result(i);
  if (!(is_rcp || function == sfu::Function::rsqrt) || !varying(result) || !words_.tests_bits()) return false;
  sfu::Lanes<WordOps> unit(ops_);
  Regs usual;
  Reg all = lir::kNoReg;
  for (std::uint32_t p = 0; p < parts_of(result); ++p) {
    const I32 x = operand_word(i, 0, p);
    usual.push_back(ops_.in_register(is_rcp ? unit.usual_rcp(x) : unit.usual_rsqrt(x)));
    const Reg bits = ops_.in_register(is_rcp ? unit.rcp_bits(x) : unit.rsqrt_bits(x));
    all = p == 0 ? bits : vvv(Op::And, all, bits);
  }
  words_.branch_unless_bits(all, is_rcp ? unit.kUsualOfRcp : unit.kUsualOfRsqrt);
  const Regs made = hot_or_cold(
      [&] { return usual; },
      [&] {
        Regs others;
        for (std::uint32_t p = 0; p < usual.size(); ++p) {
          const I32 x = operand_word(i, 0, p), r = WordOps::word(usual[p]);
          others.push_back(ops_.in_register(is_rcp ? unit.other_rcp(x, r) : unit.other_rsqrt(x, r)));
        }
        return others;
      });
  for (std::uint32_t p = 0; p < made.size(); ++p) define(result, p, made[p]);
  return true;
}

void WordLowering::special_function(ir::Inst i) {
  const auto function = static_cast<sfu::Function>(f_.inst(i).immediate);
  if (calls_for(function)) return callouts_.call(i);
  if (others_apart(i, function)) return;
  sfu::Lanes<WordOps> unit(ops_);
  sfu::FastFunctions<WordOps> fast(ops_);
  const ir::InstData& made = f_.definition_of(operand(i, 0));
  const bool all_ones = made.opcode == ir::Opcode::CanonicalizeNaNOnes32 ||
                        (made.opcode == ir::Opcode::TeslaSpecialFunction32 &&
                         !sfu::gives_fixed_point(static_cast<sfu::Function>(made.immediate)));
  each_part(i, [&](std::uint32_t p) {
    const I32 x = operand_word(i, 0, p);
    if (const Reg made = words_.special_function(function, x.reg, all_ones); made != lir::kNoReg)
      return WordOps::word(made);
    switch (function) {
#define WARPJIT_FUNCTION(name, made) \
  case sfu::Function::name:          \
    return made(x);
      WARPJIT_FUNCTION(rcp, unit.rcp)
      WARPJIT_FUNCTION(rsqrt, unit.rsqrt)
      WARPJIT_FUNCTION(lg2, unit.lg2)
      WARPJIT_FUNCTION(presin, unit.presin)
      WARPJIT_FUNCTION(preex2, unit.preex2)
      WARPJIT_FUNCTION(sin, unit.sin)
      WARPJIT_FUNCTION(cos, unit.cos)
      WARPJIT_FUNCTION(ex2, unit.ex2)
      WARPJIT_FUNCTION(fast_rcp, fast.rcp)
      WARPJIT_FUNCTION(fast_rsqrt, fast.rsqrt)
      WARPJIT_FUNCTION(fast_lg2, fast.lg2)
      WARPJIT_FUNCTION(fast_presin, fast.presin)
      WARPJIT_FUNCTION(fast_sin, fast.sin)
      WARPJIT_FUNCTION(fast_cos, fast.cos)
      WARPJIT_FUNCTION(fast_ex2, fast.ex2)
#undef WARPJIT_FUNCTION
    }
    return x;
  });
}

void WordLowering::tesla_to_half(ir::Inst i) {
  if (calls()) return callouts_.call(i);
  const auto mode = static_cast<ir::RoundingMode>(f_.inst(i).immediate);
  each_part(i, [&](std::uint32_t p) {
    const I32 x = operand_word(i, 0, p);
    if (const Reg half = words_.to_half(x.reg, mode); half != lir::kNoReg) return WordOps::word(half);
    return ir::Conversions<WordOps>(ops_).f32_to_f16(x, mode);
  });
}

void WordLowering::tesla_from_half(ir::Inst i) {
  if (calls()) return callouts_.call(i);
  each_part(i, [&](std::uint32_t p) {
    const I32 half = operand_word(i, 0, p);
    if (const Reg x = words_.from_half(half.reg); x != lir::kNoReg) return WordOps::word(x);
    return ir::Conversions<WordOps>(ops_).f16_to_f32(half);
  });
}

void WordLowering::round_to_half(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) {
    const I32 x = operand_word(i, 0, p);
    if (const Reg rounded = words_.round_to_half(x.reg); rounded != lir::kNoReg)
      return WordOps::word(rounded);
    ir::Conversions<WordOps> conversions(ops_);
    return conversions.f16_to_f32(conversions.f32_to_f16(x, ir::RoundingMode::nearest));
  });
}

void WordLowering::to_half(ir::Inst i) {
  constexpr std::uint32_t kNan = 0x7e00;
  each_part(i, [&](std::uint32_t p) {
    const I32 x = operand_word(i, 0, p);
    if (const Reg half = words_.half_of(x.reg); half != lir::kNoReg) return WordOps::word(half);
    return ir::Conversions<WordOps>(ops_).f32_to_f16(x, ir::RoundingMode::nearest, kNan);
  });
}

void WordLowering::from_half(ir::Inst i) {
  each_part(i, [&](std::uint32_t p) {
    const I32 half = operand_word(i, 0, p);
    if (const Reg x = words_.number_of_half(half.reg); x != lir::kNoReg) return WordOps::word(x);
    return ir::Conversions<WordOps>(ops_).f16_to_f32(half);
  });
}

void WordLowering::int_to_float(ir::Inst i) {
  const std::uint64_t immediate = f_.inst(i).immediate;
  const auto mode = static_cast<ir::RoundingMode>(immediate & (ir::kRoundingModes - 1));
  if (calls() || mode == ir::RoundingMode::nearest) return callouts_.call(i);
  each_part(i, [&](std::uint32_t p) {
    return ir::Conversions<WordOps>(ops_).int_to_f32(operand_word(i, 0, p), mode,
                                                     (immediate & ir::kSignedInteger) != 0);
  });
}

void WordLowering::multiply_high_24(ir::Inst i) {
  if (calls()) return callouts_.call(i);
  const bool is_signed = f_.inst(i).immediate != 0;
  each_part(i, [&](std::uint32_t p) {
    const I32 a = operand_word(i, 0, p);
    return ir::Conversions<WordOps>(ops_).multiply_high_24(a, operand_word(i, 1, p), is_signed);
  });
}

void WordLowering::look_up(ir::Inst i) {
  const auto table = ir::look_up_table(f_.inst(i).immediate);
  each_part(i,
            [&](std::uint32_t p) { return WordOps::word(words_.look_up(table, vector(operand(i, 0), p))); });
}

}  // namespace warpjit::backend
