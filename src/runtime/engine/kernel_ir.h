// The kernel of the IR interpreter.
#pragma once

#include "ir/pipeline.h"
#include "runtime/kernel/code_kernel.h"

namespace warpjit::runtime {

// Default width of a group: wide enough that fetching an operation costs little beside its lanes.
inline constexpr unsigned kIrLanes = 32;
Result<std::shared_ptr<Kernel>> make_ir_kernel(ir::GroupProgram program, const CompileReport& report,
                                               unsigned lanes = kIrLanes);

// The error of a kernel that stopped early.
Error stopped(backend::KernelStatus status, const frontend::SourceMap& guest, std::uint32_t guest_address);

}  // namespace warpjit::runtime
