// Random draws of the PICA200's fixed function: registers, tables, memory and triangles. Most registers have
// codes that are defined, so that most draws are valid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontend/pica200/facts/fragment.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {

struct RandomDraw {
  static constexpr std::uint32_t kAddress = 0x18000000;  // of the memory

  std::array<std::uint32_t, kGpuRegisters> registers{};
  FragmentTables tables;
  std::vector<std::byte> memory;
  std::vector<Vertex> vertices;        // three a triangle, or as the indices say
  std::vector<std::uint16_t> indices;  // may be empty
};
RandomDraw random_draw(std::uint64_t seed);

}  // namespace warpjit::pica200
