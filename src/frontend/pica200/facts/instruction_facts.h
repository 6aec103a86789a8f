// What is known of instructions to those who look at a run (frontend/instruction_facts.h).
#pragma once

#include <vector>

#include "frontend/instruction_facts.h"
#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {

std::vector<frontend::InstructionFacts> instruction_facts(const Program& program);

}  // namespace warpjit::pica200
