// Random valid programs, for differential tests and fuzzing. They end within kRandomFuel backward transfers
// of each thread with any data.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/usse/container/program.h"
#include "frontend/usse/container/texture.h"

namespace warpjit::usse {

inline constexpr std::uint64_t kRandomFuel = 1 << 12;

struct RandomOptions {
  bool flow = true;       // branches, loops, calls, early ends
  bool memory = true;     // loads; some are outside
  bool quads = true;      // differences between the lanes of a quad
  bool secondary = true;  // a secondary program
  bool textures = false;  // samples, also of inputs
  unsigned size = 40;     // about how many instructions
};

struct RandomProgram {
  Program program;
  std::vector<std::uint32_t> sa;       // before the secondary program
  std::vector<std::uint32_t> memory;   // read only, at kRandomAddress
  std::vector<BoundTexture> textures;  // of units 0, 1, ..., if there are samples
};
inline constexpr std::uint32_t kRandomAddress = 0x10000, kRandomMemoryWords = 64;

// The same seed and options give the same program on every host. Bare programs of their stage: fragment
// programs have inputs of all kinds, and leave a colour.
RandomProgram random_program(std::uint64_t seed, Stage stage, const RandomOptions& options = {});

}  // namespace warpjit::usse
