// Random valid PICA200 vertex programs with uniforms and inputs, for differential tests and fuzzing. They
// terminate within kRandomFuel backward transfers and nest at most 4 calls, 8 ifs and 4 loops.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/pica200/interpret.h"
#include "frontend/pica200/program.h"

namespace warpjit::pica200 {

inline constexpr std::uint64_t kRandomFuel = 4096;

struct RandomOptions {
  bool flow = true;            // IFC, IFU, CALL*, LOOP and what leaves them
  bool jumps = true;           // JMPC, JMPU: forward, backward, into and out of blocks
  bool relative = true;        // relative addressing and MOVA
  bool transcendental = true;  // EX2, LG2, RCP, RSQ
  bool special_values = true;  // NaN, infinities, zeros of both signs, denormals, huge and tiny
  unsigned size = 60;          // about how many instructions
  unsigned threads = 8;        // how many start states
};

struct RandomProgram {
  Program program;
  Uniforms uniforms;
  std::vector<ThreadState> threads;  // start states: v set, the rest 0
};

// The same seed and options give the same program on every host.
RandomProgram random_program(std::uint64_t seed, const RandomOptions& options = {});

// Random words of one opcode: every field and unused bit random. For decoder tests.
std::uint32_t random_word(std::uint64_t seed, Opcode opcode);

}  // namespace warpjit::pica200
