// Runs launches on all engines and compares what they leave with what the guest interpreter leaves.
#pragma once

#include "frontend/grid.h"
#include "frontend/valhall/container/program.h"
#include "frontend/valhall/interpret/interpret.h"

namespace warpjit::valhall {

// The guest interpreter, whose status, report and memory are the result. An engine that runs compiled code or
// IR and differs fails the test; `compiled`: so does one that cannot.
Status run_everywhere(const Program& program, const frontend::Grid& grid, RunReport& report,
                      bool compiled = false);
// The fault of a launch that ends without an error, which must be the same on the guest interpreter, the IR
// interpreter and the JIT; "none".
std::string fault_everywhere(const Program& program, const frontend::Grid& grid);
// Runs so far that another engine left to the guest interpreter.
std::size_t runs_left();

}  // namespace warpjit::valhall
