// Masks of lanes as linearize computes with them: an i1 value or its complement, so that the false side of a
// branch costs no instruction until its mask is needed.
#pragma once

#include "ir/builder.h"

namespace warpjit::ir {

struct Mask {
  Value value;  // invalid: no lane
  bool negated = false;

  bool none() const { return !value.valid(); }
  friend bool operator==(const Mask&, const Mask&) = default;
};

// Algebra that emits where the builder stands.
class MaskAlgebra {
 public:
  explicit MaskAlgebra(Builder& builder) : builder_(builder), all_{builder.constant(true), false} {}

  Mask all() const { return all_; }
  bool is_all(Mask m) const { return m == all_; }
  Mask conjunction(Mask a, Mask b);
  Mask disjunction(Mask a, Mask b);
  // The mask as a value; constant false for none.
  I1 value(Mask m);
  // m ? a : b.
  Value select(Mask m, Value a, Value b);

 private:
  Builder& builder_;
  Mask all_;
};

}  // namespace warpjit::ir
