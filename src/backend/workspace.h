// What a backend::Workspace keeps between compilations: memory that grows with the size of a program.
#pragma once

#include "backend/allocate/allocator.h"
#include "backend/lir/lir.h"
#include "backend/target.h"

namespace warpjit::backend {

struct Workspace::State {
  struct Entry {  // a kernel or a preamble
    lir::Code code;
    std::vector<std::uint32_t> uses;  // of its registers
    std::vector<lir::Inst> insts;     // of sink_to_cold
    lir::Allocator allocator;
  };
  Entry kernel, preamble;
};

}  // namespace warpjit::backend
