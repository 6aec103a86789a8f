#include "frontend/valhall/facts/arithmetic.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

namespace warpjit::valhall {
namespace {

bool has(std::span<const Opcode> opcodes, Opcode opcode) {
  return std::ranges::find(opcodes, opcode) != opcodes.end();
}

// The shape of results, unless the type has 64 bits or is of halves; nothing: it is no arithmetic.
std::optional<ResultShape> shape_of(Opcode opcode) {
  using enum Opcode;
  // clang-format off
  constexpr Opcode kWordResults[] = {
      mov, not_old, clz, iabs, popcount, bitrev, iadd, isub, imul, imuld, hadd, iadd_imm, shaddx, seg_add,
      idp, rshift_and, rshift_or, rshift_xor, lshift_and, lshift_or, lshift_xor, rrot_and, rrot_or, rrot_xor,
      lrot_and, lrot_or, lrot_xor, icmp_or, icmp_and, fcmp_or, fcmp_and, icmp_multi, csel, mux, mkvec, frexpe,
      cubeface2, s8_to_s32, s16_to_s32, u8_to_u32, u16_to_u32, v2s8_to_v2s16, v2u8_to_v2u16, v2s8_to_v2f16,
      v2s16_to_v2f16, v2u8_to_v2f16, v2u16_to_v2f16, f32_to_s32, f32_to_u32, f16_to_s32, f16_to_u32,
      v2f16_to_v2s16, v2f16_to_v2u16, v2f32_to_v2f16};
  constexpr Opcode kSingleResults[] = {
      fadd, fadd_imm, fma, fmin, fmax, ldexp, fma_rscale, fma_rscale_n, fma_rscale_left, fround, frexpm,
      fadd_lscale, frcp, frsq, fexp, flogd, fsin_table, fcos_table, cubeface1, cube_ssel, cube_tsel,
      s8_to_f32, s16_to_f32, s32_to_f32, u8_to_f32, u16_to_f32, u32_to_f32, f16_to_f32};
  // clang-format on
  if (has(kSingleResults, opcode)) return ResultShape::single;
  return has(kWordResults, opcode) ? std::optional(ResultShape::word) : std::nullopt;
}

bool is_undefined(Opcode opcode) {
  using enum Opcode;
  // No driver emits them, and no source gives their values.
  constexpr Opcode kUndefined[] = {frcp_approx,    frsq_approx,  flog_table, fexp_table,
                                   fsincos_offset, fatan_assist, fpclass,    fma_rscale_scale16};
  return has(kUndefined, opcode);
}

bool is_comparison(const Instruction& i) {
  return i.opcode == Opcode::icmp_or || i.opcode == Opcode::icmp_and || i.opcode == Opcode::fcmp_or ||
         i.opcode == Opcode::fcmp_and;
}
// encoding.inc has them side by side.
bool is_shift(const Instruction& i) { return i.opcode >= Opcode::rshift_and && i.opcode <= Opcode::lrot_xor; }

// Why fields of an instruction that is otherwise defined have no defined meaning together; empty: they have.
std::string undefined_fields(const Instruction& i, ResultShape result) {
  const bool wide = result == ResultShape::wide;
  const Elements elements = elements_of(i.type);
  if (i.condition == Condition::total) return "the comparison `total` is not defined";
  if (is_comparison(i) && i.result_type == ResultType::u1) return "only ICMP_MULTI gives u1";
  if (is_comparison(i) && elements.bits == 8 && i.result_type == ResultType::f1)
    return "a byte cannot be 1.0";
  if (wide && i.saturate) return "saturation of 64 bits is not defined";
  if (wide && i.write_mask != 3) return "a mask of a pair is not defined";
  if (result == ResultShape::word && i.write_mask == 0) return "a result without halves is not defined";
  if (i.sqrt && i.log) return "a range of `sqrt` and `log` together is not defined";
  if (i.opcode == Opcode::mux && i.mux == Mux::fp_zero && elements.bits == 8) return "bytes are no floats";
  const Lanes count = i.source[1].lanes;
  if (is_shift(i) && elements.count == 1 && (count == Lanes::b01 || count == Lanes::b23))
    return "one element has one shift count";
  return {};
}

Error unsupported(const Instruction& i, const std::string& why) {
  return {ErrorCode::unsupported, mnemonic(i) + ": " + why, {}};
}

}  // namespace

Result<ResultShape> arithmetic_result(const Instruction& i) {
  if (is_undefined(i.opcode)) return unsupported(i, "its values are not known");
  const auto shape = shape_of(i.opcode);
  if (!shape) return unsupported(i, "this instruction does not run yet");
  if (i.unused != 0) {
    char bits[32];
    std::snprintf(bits, sizeof bits, "0x%llx", static_cast<unsigned long long>(i.unused));
    return unsupported(i, "bits " + std::string(bits) + " have no known meaning");
  }
  const bool halves = i.type == Type::v2f16 || i.type == Type::f16;
  const ResultShape result = elements_of(i.type).bits == 64 ? ResultShape::wide
                             : halves                       ? ResultShape::word
                                                            : *shape;
  if (const std::string why = undefined_fields(i, result); !why.empty()) return unsupported(i, why);
  return result;
}

}  // namespace warpjit::valhall
