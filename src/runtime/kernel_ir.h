// The kernel of the IR interpreter.
#pragma once

#include "ir/pipeline.h"
#include "runtime/kernel.h"

namespace warpjit::runtime {

Result<std::shared_ptr<const Kernel>> make_ir_kernel(ir::GroupProgram program, const CompileReport& report,
                                                     unsigned lanes = 32);

// The error of a kernel that stopped early.
Error stopped(backend::KernelStatus status, const frontend::Shader& shader, std::uint32_t guest_address);

}  // namespace warpjit::runtime
