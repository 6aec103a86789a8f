#include "ir/pass/lane_mask.h"

#include <utility>

namespace warpjit::ir {

Mask MaskAlgebra::conjunction(Mask a, Mask b) {
  if (a.none() || b.none()) return {};
  if (is_all(a) || a == b) return b;
  if (is_all(b)) return a;
  const I1 x{a.value}, y{b.value};
  if (a.negated && b.negated) return {builder_.Or1(x, y), true};
  if (a.negated) return {builder_.AndNot1(y, x), false};
  if (b.negated) return {builder_.AndNot1(x, y), false};
  return {builder_.And1(x, y), false};
}

Mask MaskAlgebra::disjunction(Mask a, Mask b) {
  if (a.none() || a == b) return b;
  if (b.none()) return a;
  if (is_all(a) || is_all(b)) return all_;
  const I1 x{a.value}, y{b.value};
  if (a.negated && b.negated) return {builder_.And1(x, y), true};
  if (a.negated) return {builder_.AndNot1(x, y), true};
  if (b.negated) return {builder_.AndNot1(y, x), true};
  return {builder_.Or1(x, y), false};
}

I1 MaskAlgebra::value(Mask m) {
  if (m.none()) return builder_.constant(false);
  return m.negated ? builder_.Not1(I1{m.value}) : I1{m.value};
}

Value MaskAlgebra::select(Mask m, Value a, Value b) {
  if (is_all(m)) return a;
  if (m.negated) std::swap(a, b);
  const I1 condition{m.value};
  switch (builder_.function().value(a).type) {
    case Type::i1:
      return builder_.select(condition, I1{a}, I1{b});
    case Type::f32:
      return builder_.select(condition, F32{a}, F32{b});
    default:
      return builder_.select(condition, I32{a}, I32{b});
  }
}

}  // namespace warpjit::ir
