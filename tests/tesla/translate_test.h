// Runs launches of Tesla kernels through translator, passes and IR interpreter, and compares them with the
// guest interpreter.
#pragma once

#include <functional>

#include "frontend/tesla/interpret.h"
#include "frontend/tesla/translate.h"
#include "ir/pipeline.h"
#include "tesla/tesla_test.h"

namespace warpjit::tesla {

struct IrOutcome {
  Status status;      // of translation, pipeline and run
  bool faulted = false;  // some access was outside or not aligned
};

// Runs the grid as Interpreter::run does, on the launch's memory.
IrOutcome run_ir(const Program& program, const Modes& modes, const Launch& launch,
                 const ir::PipelineOptions& options = {});

// Whether every instruction does for a lane what it does for others: no order of lanes to keep.
bool is_ordered(const Program& program, const Modes& modes, const Launch& launch);

using Words = std::vector<std::uint32_t>;
struct Comparison {
  Modes modes{};
  Launch launch{};
  Words c0{}, g0{}, g1{};  // g1 is written and compared
  bool expect_supported = true;
};
enum class Compared { same, unsupported, different };
// Guest interpreter against the IR with and without optimization, and in the dispatcher where the order of
// lanes does not matter. A difference fails the test, with `name`.
Compared compare(const Program& program, const Comparison& comparison, const std::string& name);

}  // namespace warpjit::tesla
