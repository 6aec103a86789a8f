#include "backend/lower/pixels.h"

namespace warpjit::backend {

// compile() refuses functions over pixels.
#define WARPJIT_DEFINE(name) \
  void PixelLowering::lower_##name(ir::Inst) {}
WARPJIT_LOWERED_AS_PIXELS(WARPJIT_DEFINE)
#undef WARPJIT_DEFINE

}  // namespace warpjit::backend
