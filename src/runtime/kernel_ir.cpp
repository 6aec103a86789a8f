#include "runtime/kernel_ir.h"

namespace warpjit::runtime {

Result<std::shared_ptr<const Kernel>> make_ir_kernel(ir::GroupProgram, const CompileReport&) {
  return Error{ErrorCode::unsupported, "the IR interpreter is not built in", ""};
}

}  // namespace warpjit::runtime
