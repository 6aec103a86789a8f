// What base/math calls an Ops, over a builder: its definitions become IR.
#pragma once

#include "ir/builder.h"

namespace warpjit::ir {

struct BuilderOps {
  using F32 = ir::F32;
  using I32 = ir::I32;
  using I1 = ir::I1;

  F32 constant_f(float value) { return b.constant(value); }
  I32 constant_i(std::int32_t value) { return b.constant(value); }
  F32 add(F32 x, F32 y) { return b.FAdd32(x, y); }
  F32 sub(F32 x, F32 y) { return b.FSub32(x, y); }
  F32 mul(F32 x, F32 y) { return b.FMul32(x, y); }
  F32 div(F32 x, F32 y) { return b.FDiv32(x, y); }
  F32 sqrt(F32 x) { return b.FSqrt32(x); }
  F32 fma(F32 x, F32 y, F32 z) { return b.FFma32(x, y, z); }
  F32 fmax_select(F32 x, F32 y) { return b.FMaxSelect32(x, y); }
  F32 fmin_select(F32 x, F32 y) { return b.FMinSelect32(x, y); }
  I1 flt(F32 x, F32 y) { return b.FLt32(x, y); }
  F32 select(I1 condition, F32 x, F32 y) { return b.SelectF32(condition, x, y); }
  I32 as_int(F32 x) { return b.BitcastF32ToI32(x); }
  F32 as_float(I32 x) { return b.BitcastI32ToF32(x); }
  I32 isub(I32 x, I32 y) { return b.ISub32(x, y); }
  I32 iand(I32 x, I32 y) { return b.IAnd32(x, y); }
  I32 ior(I32 x, I32 y) { return b.IOr32(x, y); }
  I32 ishl(I32 x, std::int32_t count) { return b.IShl32(x, b.constant(count)); }
  I32 ishrs(I32 x, std::int32_t count) { return b.IShrS32(x, b.constant(count)); }
  F32 int_to_float(I32 x) { return b.I32ToF32(x); }

  Builder& b;
};

}  // namespace warpjit::ir
