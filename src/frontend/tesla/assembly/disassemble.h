// Listings of Tesla programs. The text loses nothing: assemble() of it gives the same words.
#pragma once

#include <string>

#include "frontend/tesla/container/program.h"

namespace warpjit::tesla {

struct DisassembleOptions {
  bool words = true;   // address and words in a comment after each instruction
  bool labels = true;  // a label before each branch target and its name as operand; else plain addresses
};
// The whole program with its directives. Never fails: words without a meaning are printed as `.word`.
std::string disassemble(const Program& program, const DisassembleOptions& options = {});

// One instruction, its target as an address.
// Bits without a meaning, and a short form, stand in braces at its end.
std::string disassemble(const Instruction& instruction);

// "$r3l", "c1[$a2+0x10]", "s[$a1++-0x4]"; offsets in bytes. A 16-bit word of o[] has an h after it.
std::string to_string(const Operand& operand);

std::string_view condition_name(unsigned condition);  // "geu"; empty if undefined
std::string special_register_name(unsigned number);   // "$physid"

}  // namespace warpjit::tesla
