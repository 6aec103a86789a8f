// tex* of a warp (docs/guests/tesla.md 16).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "frontend/tesla/interpret/op.h"

namespace warpjit::tesla {

struct TextureOperands {
  // Words of lanes; those that the instruction does not have are 0.
  std::array<const std::uint32_t*, 4> arguments{};
  std::uint32_t active = 0;                              // lanes that give coordinates to their neighbours
  std::uint32_t executing = 0;                           // lanes that want results
  bool has_quads = false;                                // of a fragment program
  std::vector<interpret::Event::Texel>* seen = nullptr;  // gets the texels that are read; null: nobody looks
};
// Component n of lane l: results[n][l], before they are packed.
using TextureResults = std::array<std::array<std::uint32_t, kLanes>, 4>;
TextureResults run_texture(const BlockContext& context, const Instruction& i,
                           const TextureOperands& operands);

}  // namespace warpjit::tesla
