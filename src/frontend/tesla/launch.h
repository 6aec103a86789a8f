// What the hardware does with a launch before a block runs: its limits, its constants, the header in s[]
// (reference 10.1).
#pragma once

#include "frontend/compute.h"
#include "frontend/tesla/program.h"

namespace warpjit::tesla {

// Of an operand in memory.
ir::Space space_of(Operand::Kind kind);

// Errors: bad_input.
Result<frontend::ComputePlan> plan_launch(const Program& program, const frontend::ComputeLaunch& launch);

// Header and parameters of a block, into its s[] or the beginning of that.
void write_header(const frontend::ComputeLaunch& launch, std::array<std::uint32_t, 2> block,
                  std::span<std::byte> shared);

}  // namespace warpjit::tesla
