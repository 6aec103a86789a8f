#include "backend/lower/lanes.h"

namespace warpjit::backend {

using ir::Value;
using lir::Reg;

void LaneLowering::least_of_lanes(ir::Inst i) {
  Value a = operand(i, 0);
  Reg least = vector(a, 0);
  if (state_.has_idle_lanes) least = blend(constant_vector(~0u), reg_source(least), live_lanes());
  for (std::uint32_t p = 1; p < parts_of(a); ++p) least = vvv(Op::IMinU, least, vector(a, p));
  define_from_vector(i, lanes_.min_over_lanes(least));
}

void LaneLowering::swizzle_words(ir::Inst i) {
  Value a = operand(i, 0), result = f_.result(i);
  if (!varying(result)) return define(result, 0, scalar(a));
  for (std::uint32_t p = 0; p < parts_; ++p)
    define(result, p, varying(a) ? lanes_.swizzle_quads(vector(a, p), f_.inst(i).immediate) : vector(a, p));
}

void LaneLowering::swizzle_masks(ir::Inst i) {
  Value a = operand(i, 0), result = f_.result(i);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    if (!varying(a)) {
      define(result, p, mask(a, p));
      continue;
    }
    const Mask m = mask_or_inverse(a, p);
    define_mask(result, p, {lanes_.swizzle_masks(m.reg, f_.inst(i).immediate), m.inverted});
  }
}

}  // namespace warpjit::backend
