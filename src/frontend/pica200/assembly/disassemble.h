// Listings of PICA200 programs in two forms: one to be read, one that loses nothing.
#pragma once

#include <string>

#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {

struct DisassembleOptions {
  bool names = true;      // registers by the container's symbol names
  bool structure = true;  // .proc, .else and .end lines; else plain addresses as operands
  bool words = true;      // address and word in a comment before each instruction
};
// Never fails: words without meaning are printed as `.word`.
std::string disassemble(const Program& program, const DisassembleOptions& options = {});

// One instruction, registers by number, targets as addresses.
std::string disassemble(const Instruction& instruction, const Descriptor& descriptor);

// The exact form: descriptor table, every field and every unused bit. assemble() of it gives the same code,
// descriptors, entry and stage, for any code words.
std::string disassemble_exact(const Program& program);

}  // namespace warpjit::pica200
