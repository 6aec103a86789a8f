// TEX_SINGLE, TEX_FETCH and TEX_GATHER (docs/guests/valhall.md 10.4), by the sampler of all guests.
#pragma once

#include <array>

#include "frontend/grid.h"
#include "frontend/valhall/interpret/lanes.h"

namespace warpjit::valhall {

inline bool is_texture(Opcode opcode) {
  return opcode == Opcode::tex_single || opcode == Opcode::tex_fetch || opcode == Opcode::tex_gather;
}

// Errors: unsupported, naming the instruction.
Status check_texture(const Instruction& instruction);

// What the active lanes' staging registers become. `handle`: the first source.
inline constexpr unsigned kMostOperands = 8;
struct TextureOperands {
  std::uint64_t handle = 0;
  std::array<LaneWords, kMostOperands> staging{};
};
std::array<LaneWords, 4> run_texture(const Instruction& instruction, const FragmentSetup& setup,
                                     const frontend::BoundTextures& bound, const TextureOperands& operands,
                                     unsigned active);

}  // namespace warpjit::valhall
