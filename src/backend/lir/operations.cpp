#include "backend/lir/operations.h"

#include <array>

namespace warpjit::backend {

OpKind kind(Op op) {
  static constexpr std::array kKinds = {
#define LIR_OP(name, kind) OpKind::kind,
#include "backend/lir/opcodes.inc"
#undef LIR_OP
  };
  return kKinds[static_cast<std::size_t>(op)];
}

}  // namespace warpjit::backend
