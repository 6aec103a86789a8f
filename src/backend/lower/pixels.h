// Lowering of what pixels read of their quad, group and primitive, and of the planes of the tile.
#pragma once

#include "backend/lower/host_parts.h"

namespace warpjit::backend {

// clang-format off
#define WARPJIT_LOWERED_AS_PIXELS(OP) \
  OP(PixelDx) OP(PixelDy) OP(PixelCovered) OP(PrimitiveF32) OP(PrimitiveI32) OP(LoadTile) OP(StoreTile)
// clang-format on

class PixelLowering : protected ValueForms {
 public:
  explicit PixelLowering(State& state) : ValueForms(state) {}

#define WARPJIT_DECLARE(name) void lower_##name(ir::Inst i);
  WARPJIT_LOWERED_AS_PIXELS(WARPJIT_DECLARE)
#undef WARPJIT_DECLARE
};

}  // namespace warpjit::backend
