// The Valhall assembler. An instruction is written as the listings of this ISA have it:
//
//   .stage vertex                              or compute (which is implied), fragment
//   loop:
//     FMA.f32.clamp_0_1 r0, ^r1, u2.neg, r3.h1   // ^: the register is not read again
//     IADD_IMM.i32 r4, 0x0, #0x10                a source 0x... is one of the 32 constants
//     STORE.i32.slot0.wait0 @r4, r0, offset:8    staging registers: @r4:r5
//     BRANCHZ.eq.reconverge ^r1.h0, offset:loop  a label, or words from the next instruction
//     NOP.end {unused 0x1}                       bits to flip in the canonical word
//     .word 0x0000000000000000
//
// What disassemble() prints gives the same words again.
#pragma once

#include <string>
#include <string_view>

#include "frontend/assembly/source_notes.h"
#include "frontend/valhall/container/program.h"

namespace warpjit::valhall {

// Assembles a source text; `file` is for messages. An error's `where` is "file:line:column". `notes`: null, or what
// they get.
Result<Program> assemble(std::string_view text, const std::string& file,
                         assembly::SourceNotes* notes = nullptr);

// One instruction without labels or comment. An error's `where` is empty.
Result<std::uint64_t> assemble_instruction(std::string_view text);

}  // namespace warpjit::valhall
