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
  return {blend(if_false, operand_source(a), condition.reg)};
}

// ---- what is made of them

template <class Make>
void WordLowering::each_part(ir::Inst i, Make make) {
  const ir::Value result = f_.result(i);
  if (!varying(result) && f_.value(result).type == ir::Type::i32)
    return define_from_vector(i, ops_.in_register(make(0)));
  for (std::uint32_t p = 0; p < parts_of(result); ++p) define(result, p, ops_.in_register(make(p)));
}

void WordLowering::lower_TeslaSpecialFunction32(ir::Inst i) {
  const auto function = static_cast<sfu::Function>(f_.inst(i).immediate);
  if (calls_for(function)) return callouts_.call(i);
  sfu::Lanes<WordOps> unit(ops_);
  each_part(i, [&](std::uint32_t p) {
    const I32 x = operand_word(i, 0, p);
    switch (function) {
      case sfu::Function::rcp:
        return unit.rcp(x);
      case sfu::Function::rsqrt:
        return unit.rsqrt(x);
      case sfu::Function::lg2:
        return unit.lg2(x);
      case sfu::Function::presin:
        return unit.presin(x);
      case sfu::Function::preex2:
        return unit.preex2(x);
      case sfu::Function::sin:
        return unit.sin(x);
      case sfu::Function::cos:
        return unit.cos(x);
      case sfu::Function::ex2:
        break;
    }
    return unit.ex2(x);
  });
}

void WordLowering::lower_TeslaF32ToF16(ir::Inst i) {
  if (calls()) return callouts_.call(i);
  const auto mode = static_cast<ir::RoundingMode>(f_.inst(i).immediate);
  each_part(i, [&](std::uint32_t p) {
    return ir::Conversions<WordOps>(ops_).f32_to_f16(operand_word(i, 0, p), mode);
  });
}

void WordLowering::lower_TeslaF16ToF32(ir::Inst i) {
  if (calls()) return callouts_.call(i);
  each_part(
      i, [&](std::uint32_t p) { return ir::Conversions<WordOps>(ops_).f16_to_f32(operand_word(i, 0, p)); });
}

void WordLowering::lower_IntToF32(ir::Inst i) {
  const std::uint64_t immediate = f_.inst(i).immediate;
  const auto mode = static_cast<ir::RoundingMode>(immediate & (ir::kRoundingModes - 1));
  if (calls() || mode == ir::RoundingMode::nearest) return callouts_.call(i);
  each_part(i, [&](std::uint32_t p) {
    return ir::Conversions<WordOps>(ops_).int_to_f32(operand_word(i, 0, p), mode,
                                                     (immediate & ir::kSignedInteger) != 0);
  });
}

void WordLowering::lower_IMulHi24(ir::Inst i) {
  if (calls()) return callouts_.call(i);
  const bool is_signed = f_.inst(i).immediate != 0;
  each_part(i, [&](std::uint32_t p) {
    const I32 a = operand_word(i, 0, p);
    return ir::Conversions<WordOps>(ops_).multiply_high_24(a, operand_word(i, 1, p), is_signed);
  });
}

void WordLowering::lower_LookUp32(ir::Inst i) {
  const auto table = ir::look_up_table(f_.inst(i).immediate);
  each_part(i,
            [&](std::uint32_t p) { return WordOps::word(words_.look_up(table, vector(operand(i, 0), p))); });
}

}  // namespace warpjit::backend
