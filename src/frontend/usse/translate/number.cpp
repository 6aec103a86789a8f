// Numbers of USSE in the IR: halves, C10, normalized integers (docs/guests/usse.md 5.1).
#include "frontend/usse/translate/instruction.h"

namespace warpjit::usse {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

struct IntegerField {
  unsigned bits;
  bool is_signed;
  std::int32_t least() const { return is_signed ? -(1 << (bits - 1)) : 0; }
  std::int32_t most() const { return (1 << (is_signed ? bits - 1 : bits)) - 1; }
};
IntegerField field_of_type(Type type) {
  return {type == Type::u16 || type == Type::s16 ? 16U : 8U, type == Type::s8 || type == Type::s16};
}

}  // namespace

F32 InstructionTranslator::c10_value(I32 bits) { return b_.FMul32(b_.I32ToF32(bits), real(1.0F / 256)); }

I32 InstructionTranslator::to_c10(F32 x) {
  const I32 whole = b_.F32ToI32Sat(b_.FRoundEven32(b_.FMul32(x, real(256.0F))));
  return b_.IAnd32(limited(whole, -512, 511), word(0x3ff));
}

F32 InstructionTranslator::dot(const std::array<F32, 4>& a, const std::array<F32, 4>& b, unsigned count) {
  F32 sum = b_.FMul32(a[0], b[0]);
  for (unsigned k = 1; k < count; ++k) sum = b_.FAdd32(sum, b_.FMul32(a[k], b[k]));
  return sum;
}

F32 InstructionTranslator::quad_difference(const Instruction& i, unsigned j, unsigned k, bool rows) {
  constexpr std::uint64_t kAll = 0x55;  // a lane number in all four places
  const View view = view_of_others();
  // The number that a lane has. What is the same in all lanes is not exchanged: others may not have come to
  // where it was made.
  const auto lane = [&](const Source& source, unsigned number, std::uint64_t n) {
    const bool same = same_in_all_lanes(source);
    const F32 own = seen(same ? View::own : view, [&] { return component(source, i.type, number); });
    if (same) return own;
    const I32 bits = b_.BitcastF32ToI32(own);
    return as_float(view == View::last ? b_.QuadSwizzle32(bits, n * kAll)
                                       : b_.QuadRead(truth(true), bits, word(0), n * kAll));
  };
  // A secondary program runs in lane 0.
  if (view == View::unbegun)
    return b_.FSub32(seen(view, [&] { return component(i.s[1], i.type, j); }), component(i.s[2], i.type, k));
  const F32 other = lane(i.s[1], j, rows ? 2 : 1);
  return b_.FSub32(other, lane(i.s[2], k, 0));
}

F32 InstructionTranslator::number_of(Type type, I32 field, bool scale) {
  const IntegerField integer = field_of_type(type);
  const F32 number = b_.I32ToF32(field);
  if (!scale) return number;
  const F32 part = b_.FDiv32(number, real(static_cast<float>(integer.most())));
  return integer.is_signed ? b_.FMaxSelect32(part, real(-1.0F)) : part;
}

I32 InstructionTranslator::field_of(Type type, F32 value, bool scale) {
  const IntegerField integer = field_of_type(type);
  if (scale) {
    // A NaN becomes 0 by the conversion.
    const F32 least = real(integer.is_signed ? -1.0F : 0.0F);
    const I1 low = b_.FLt32(value, least), high = b_.FGt32(value, real(1.0F));
    value = b_.select(low, least, b_.select(high, real(1.0F), value));
    value = b_.FRoundEven32(b_.FMul32(value, real(static_cast<float>(integer.most()))));
  }
  const I32 whole = limited(b_.F32ToI32Sat(value), integer.least(), integer.most());
  return integer.is_signed ? b_.IAnd32(whole, word(low_mask<std::uint32_t>(integer.bits))) : whole;
}

// (x + 127) / 255 of products of bytes: with n = x + 127 < 2^16 it is (n + 1 + (n >> 8)) >> 8.
I32 InstructionTranslator::byte_product(I32 a, I32 b) {
  const I32 n = b_.IAdd32(b_.IMul32(a, b), word(127));
  return b_.IShrU32(b_.IAdd32(b_.IAdd32(n, word(1)), b_.IShrU32(n, word(8))), word(8));
}

}  // namespace warpjit::usse
