// What the hardware does before a block runs: limits of a launch, constants, the header in s[]
// (docs/guests/tesla.md 10.1).
#pragma once

#include "frontend/grid.h"
#include "frontend/tesla/container/program.h"

namespace warpjit::tesla {

// The space of an operand in memory.
ir::Space space_of(Operand::Kind kind);

// Checks the memory alone, which graphics programs have, too; the rest of the result is 0. Errors: bad_input.
Result<frontend::CheckedGrid> check_memory(const Program& program, const frontend::Grid& launch);
// Errors: bad_input.
Result<frontend::CheckedGrid> check_launch(const Program& program, const frontend::Grid& launch);

// Header and parameters of a block, into its s[] or the beginning of that.
void write_header(const frontend::Grid& launch, const ir::BlockPosition& block, std::span<std::byte> shared);

}  // namespace warpjit::tesla
