// Which slots of a vertex fragment programs read (docs/guests/valhall.md 10.2).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/small_vector.h"
#include "frontend/valhall/flow/control_flow.h"
#include "pixels/records.h"

namespace warpjit::valhall {

// Slots of a vertex: x, y, z of the window and 1/w, then the words of its varyings.
inline constexpr std::uint32_t kFirstVarying = 4, kMaxSlots = 128;

// The byte of the varyings where LD_VAR_BUF or LD_VAR_BUF_IMM begins to read; nothing: no constant says it.
std::optional<std::uint32_t> varying_byte(const Instruction& i);

// What one instruction reads, component by component; of flat ones the whole word that holds each. Empty:
// nothing, or it is refused.
using SlotUses = SmallVector<pixels::SlotUse, 4>;
SlotUses slot_uses(const Instruction& i, const FragmentSetup& setup);

// What the code reads, each once and in order: Shader::slot_uses(), which numbers of uses refer to.
std::vector<pixels::SlotUse> fragment_uses(const Program& program, const ReachedCode& code);

}  // namespace warpjit::valhall
