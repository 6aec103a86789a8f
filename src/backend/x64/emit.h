// Emission: allocated LIR to machine code. The only part of the x64 backend that sees asmjit.
#pragma once

#include "backend/x64/host.h"

namespace warpjit::backend::x64 {

// One entry of a kernel: its LIR, where its registers are, and whether it loops over groups.
struct Routine {
  const lir::Code* code;
  const lir::Allocation* allocation;
  bool loops_over_groups;
  std::uint32_t inputs, outputs;  // bindings to advance after each group
};

// Emits the kernel and, if not null, the preamble; fills bytes, offsets, map and statistics of `out`.
Status emit(const Routine& kernel, const Routine* preamble, const Host& host, const ConstantPool& pool,
            const CompileOptions& options, MachineCode& out);

}  // namespace warpjit::backend::x64
