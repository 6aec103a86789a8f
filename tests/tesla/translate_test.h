// Runs launches of Tesla kernels through translator, passes and IR interpreter, and compares them with the
// guest interpreter.
#pragma once

#include <functional>

#include "frontend/tesla/interpret/interpret.h"
#include "frontend/tesla/translate/translate.h"
#include "ir/pipeline.h"
#include "tesla/tesla_test.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::tesla {

struct IrOutcome {
  Status status;         // of translation, pipeline and run
  bool faulted = false;  // some access was outside or not aligned
};

// Where `bra c[]` may go with the launch's constants.
BranchTargets targets_of(const Program& program, const Launch& launch);

// Runs the grid as Interpreter::run does, on the launch's memory.
IrOutcome run_ir(const Program& program, const Modes& modes, const Launch& launch,
                 const ir::PipelineOptions& options = {});

// As Interpreter::run_warp for code without control transfers whose last two words are `exit nop`: registers
// $r0 to $r59, $a1 to $a4 and all flags go in and come out. The code uses no other registers; g15 is taken.
IrOutcome run_warp_ir(const Program& program, const Modes& modes, const Launch& launch,
                      WarpRegisters& registers, const ir::PipelineOptions& options = {});
// The same through an engine, with the options; the run must be on the engine that they name.
Status run_warp_engine(const Engine& engine, const RunOptions& options, const Program& program,
                       WarpRegisters& registers);
// Fails the test where these registers are not the same.
void expect_same_registers(const WarpRegisters& guest, const WarpRegisters& ir, const std::string& name);

using Words = std::vector<std::uint32_t>;
struct Comparison {
  Modes modes{};
  Launch launch{};
  Words c0{}, g0{}, g1{};  // g1 is written and compared
  bool expect_supported = true;
  std::string* reason = nullptr;  // why it is unsupported
};
enum class Compared { same, unsupported, different };
// Guest interpreter against the IR with and without optimization, and with the warp's stack. A difference
// fails the test, with `name`.
Compared compare(const Program& program, const Comparison& comparison, const std::string& name);

}  // namespace warpjit::tesla
