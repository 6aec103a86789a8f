// The USSE assembler. An instruction is written as the listings have it:
//
//   .stage fragment                            or vertex, which is implied
//   .secondary                                 what follows is the secondary program
//     vmov.f32.end pa0.x, sa4.xxxx
//   .primary                                   which is implied
//     phas.imm mode:0, rate:0, wait:7, temps:0, address:0
//   again:
//     !p0 vmad2.f32 r0.xy, pa0, -sa2.xxxx, |sa4|
//     p0 br offset:again                       a label, or words from the branch itself
//     nop.end {unused 0x1}                     bits to flip in the canonical word
//     .word 0x0000000000000000
//
// Before them stand directives for what a container says (interface.h).
//
// What disassemble() prints gives the same words again, and the same directives.
#pragma once

#include <string>
#include <string_view>

#include "frontend/assembly/source_notes.h"
#include "frontend/usse/container/program.h"

namespace warpjit::usse {

// Assembles a source text; `file` is for messages. An error's `where` is "file:line:column". `notes`: null, or what
// they get.
Result<Program> assemble(std::string_view text, const std::string& file,
                         assembly::SourceNotes* notes = nullptr);

// One instruction without labels or comment. An error's `where` is empty.
Result<std::uint64_t> assemble_instruction(std::string_view text);

}  // namespace warpjit::usse
