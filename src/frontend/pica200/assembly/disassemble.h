// Listings of PICA200 programs, which the assembler takes back.
#pragma once

#include <string>

#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {

struct DisassembleOptions {
  bool names = true;      // registers by the container's symbol names
  bool structure = true;  // .proc, .else and .end lines; else plain addresses as operands
  bool words = true;      // address and word in a comment after each instruction
  bool exact = false;     // every field and every unused bit; `names` and `structure` do not count
};

// A whole container as one source. With `structure`, assemble() of it gives an equal one: the same code,
// descriptors, and of every program stage, entry, inputs, outputs, constants, symbols and geometry mode. Code
// that has no such source (scopes that overlap, unused bits) is listed in the exact form. Not kept: names
// that are no identifiers, and of the label table all but the names and addresses of procedures and labels.
// Never fails: words without meaning are printed as `.word`.
std::string disassemble(const Container& container, const DisassembleOptions& options = {});
// A container of this program alone.
std::string disassemble(const Program& program, const DisassembleOptions& options = {});

// One instruction, registers by number, targets as addresses.
std::string disassemble(const Instruction& instruction, const Descriptor& descriptor);

// Why a word is no instruction; empty if it is one.
std::string undefined_reason(std::uint32_t word);

// What assemble() of a listing keeps is equal.
bool equal_programs(const Container& a, const Container& b);

}  // namespace warpjit::pica200
