// Listings of Valhall code, in the notation that public disassemblers of this ISA have. Each form assembles
// to the same words again (assemble.h).
#pragma once

#include <string>

#include "frontend/valhall/container/program.h"
#include "frontend/valhall/encoding/decode.h"

namespace warpjit::valhall {

// "FADD.f32.clamp_m1_1 r0, ^r1, u2.neg". What the notation cannot say follows in braces:
//   {unused 0x...}  bits that differ from the canonical word
//   {unchecked}     check_operands() refuses the operands
std::string disassemble(const Instruction& instruction);

struct DisassembleOptions {
  bool words = true;   // a comment with address and word after each instruction
  bool labels = true;  // targets of branches as labels
};
// A whole program. Words that are no instructions, and those that are 0, are `.word`.
std::string disassemble(const Program& program, const DisassembleOptions& options = {});

}  // namespace warpjit::valhall
