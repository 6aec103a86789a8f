// Lanes of graphics programs that see others of their quad (tesla.md 13), in thread form.
#pragma once

#include <bitset>
#include <vector>

#include "frontend/tesla/facts/reach.h"
#include "frontend/tesla/flow/lane_order.h"
#include "frontend/tesla/translate/texture.h"

namespace warpjit::tesla {

using RegisterSet = std::bitset<kMaxRegisters>;

// Whether lanes of a quad see each other: in an instruction, in a program.
bool reads_quad(const Instruction& i, const Program& program, const SampledTextures& textures,
                const Modes& modes);
bool reads_quads(const Program& program, const ReachedCode& code, const SampledTextures& textures,
                 const Modes& modes);

// Registers that quad operations read in blocks where lanes of their quads may be missing. Such a lane's last
// value is kept. `whole`: per block, it runs with all lanes of its quads.
RegisterSet read_by_parted_quads(const ReachedCode& code, const ControlFlow& flow,
                                 const std::vector<bool>& whole);
// Writers of these must not move past their readers.
void mark_writers(const ReachedCode& code, const ControlFlow& flow, const RegisterSet& registers,
                  std::vector<LaneEffects>& effects);
// Blocks whose quad operations read nothing but kept registers are right wherever they stand.
void admit_kept(const ReachedCode& code, const ControlFlow& flow, std::vector<bool>& whole);

}  // namespace warpjit::tesla
