// What backend::lowers excludes never comes here.
#include "backend/lower.h"
#include "backend/lowers.h"

namespace warpjit::backend {

#define WARPJIT_ROW(name) \
  void Lowering::lower_##name(ir::Inst) {}
WARPJIT_LATER(WARPJIT_ROW)
#undef WARPJIT_ROW

}  // namespace warpjit::backend
