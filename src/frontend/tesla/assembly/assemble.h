// The Tesla assembler. An instruction is written as the listings of this ISA have it:
//
//   .kernel saxpy            starts a kernel; .registers .shared .local .barriers .architecture .entry N,
//   .registers 4             .type compute, and .const c1[0x0] WORD... describe it (size BYTES before the
//                            words if there are more of them than words; #label: its address)
//   .type vertex             or geometry, fragment; then what the driver sets, by the names of
//   .results 0 1 2 3 4       container/graphics_fields.h: .interpolants 0x8040404, .result-count 4
//   loop:
//     exit (lg $c0) add sat f32 $c1 $r1 neg (mul $r1 c0[0x10]) $r2   // a comment
//     bra #loop              #label or an address in bytes
//     mov b32 $r3 1.5        floats stand for their bits
//     mov b32 $r1 $r2 {short}            the 4-byte form; they come in pairs
//     nop {unused 0x100000000}           bits to flip in the canonical encoding
//     .word 0x12345678
//
// What disassemble() prints gives the same words again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/assembly/source_notes.h"
#include "frontend/tesla/container/program.h"

namespace warpjit::tesla {

// Assembles a source text; `file` is for messages. An error's `where` is "file:line:column". `notes`: null, or what
// they get, one for each program.
Result<Container> assemble(std::string_view text, const std::string& file,
                           std::vector<assembly::SourceNotes>* notes = nullptr);

// One instruction without labels or comment. An error's `where` is empty.
Result<std::uint64_t> assemble_instruction(ProgramType type, std::string_view text);

}  // namespace warpjit::tesla
