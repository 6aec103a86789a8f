// What assembled programs do that the hardware does not (docs/guests/pica200.md 14).
#pragma once

#include <vector>

#include "frontend/pica200/assembly/assemble.h"

namespace warpjit::pica200 {

// The warnings of `notes` and those about the programs of `container`, which was assembled with them. They
// are few: one for each instruction, output or program that it is about.
std::vector<Warning> check(const Container& container, const SourceNotes& notes);

}  // namespace warpjit::pica200
