// Listings of USSE code. A listing assembles to the same words again (assemble.h).
#pragma once

#include <string>

#include "frontend/usse/container/program.h"
#include "frontend/usse/encoding/decode.h"

namespace warpjit::usse {

// "!p0 vmad2.f32.nosched r4.xy, -pa2.xyzw, sa[2*idx1+4], c1.yyyy".
// Bits that no field has follow in braces: {unused 0x...}.
std::string disassemble(const Instruction& instruction);

struct DisassembleOptions {
  bool words = true;   // a comment with number and word after each instruction
  bool labels = true;  // targets of branches as labels
};
// A whole program. Words that are no instructions are `.word`.
std::string disassemble(const Program& program, const DisassembleOptions& options = {});

}  // namespace warpjit::usse
