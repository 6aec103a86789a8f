// Which slots of a vertex an instruction of a fragment program reads (docs/guests/valhall.md 10.2).
#pragma once

#include <cstdint>
#include <optional>

#include "base/small_vector.h"
#include "frontend/valhall/container/program.h"
#include "frontend/valhall/encoding/decode.h"
#include "pixels/records.h"

namespace warpjit::valhall {

// Slots of a vertex: x, y, z of the window and 1/w, then the words of its varyings.
inline constexpr std::uint32_t kFirstVarying = 4, kMaxSlots = 128;

// True for LD_VAR, LD_VAR_FLAT and their immediate forms, which name varyings of four words by a table.
bool names_varying(Opcode opcode);
// The byte of the varyings where a message begins to read;
// nothing: no constant says it, or it has no such byte.
std::optional<std::uint32_t> varying_byte(const Instruction& i);
// True if it takes the bits of the provoking vertex; if the elements in memory are halves.
bool reads_flat(const Instruction& i);
bool reads_halves(const Instruction& i);

// What one instruction reads, component by component; of flat ones the whole word that holds each. Empty:
// nothing, or it is refused.
using SlotUses = SmallVector<pixels::SlotUse, 4>;
SlotUses slot_uses(const Instruction& i, const FragmentSetup& setup);

}  // namespace warpjit::valhall
