// TEX_SINGLE, TEX_FETCH, TEX_GATHER and TEX_GRADIENT (docs/guests/valhall.md 10.4), by the
// sampler of all guests.
#pragma once

#include <array>
#include <vector>

#include "frontend/grid.h"
#include "frontend/interpret/observer.h"
#include "frontend/valhall/container/program.h"
#include "frontend/valhall/interpret/lanes.h"

namespace warpjit::valhall {

inline bool is_texture(Opcode opcode) {
  return opcode == Opcode::tex_single || opcode == Opcode::tex_fetch || opcode == Opcode::tex_gather ||
         opcode == Opcode::tex_gradient;
}

// Errors: unsupported, naming the instruction.
Status check_texture(const Instruction& instruction);

// The first source and the staging registers.
inline constexpr unsigned kMostOperands = 8;
struct TextureOperands {
  std::array<std::uint64_t, kWarpLanes> handles{};
  std::array<LaneWords, kMostOperands> staging{};
  std::vector<interpret::Event::Texel>* seen = nullptr;  // gets the texels that are read; null: nobody looks
};
// What the active lanes' staging registers become. Without quads none sees the others. They are 0 in the
// lanes of `failed`, whose handles' words name no texture or sampler that the instruction can have.
struct TextureResults {
  std::array<LaneWords, 4> words{};
  unsigned failed = 0;
  LaneWords handles{};
};
TextureResults run_texture(const Instruction& instruction, const FragmentSetup& setup,
                           const frontend::BoundTextures& bound, const TextureOperands& operands,
                           unsigned active, bool quads);

}  // namespace warpjit::valhall
