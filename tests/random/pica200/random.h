// Random valid PICA200 programs with uniforms and inputs, for differential tests and fuzzing. They
// terminate within kRandomFuel backward transfers and nest at most 4 calls, 8 ifs and 4 loops.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/pica200/container/program.h"
#include "frontend/pica200/interpret/interpret.h"

namespace warpjit::pica200 {

inline constexpr std::uint64_t kRandomFuel = 4096;

struct RandomOptions {
  bool flow = true;            // IFC, IFU, CALL*, LOOP and what leaves them
  bool jumps = true;           // JMPC, JMPU: forward, backward, into and out of blocks
  bool relative = true;        // relative addressing and MOVA
  bool transcendental = true;  // EX2, LG2, RCP, RSQ
  bool special_values = true;  // NaN, infinities, zeros of both signs, denormals, huge and tiny
  unsigned size = 60;          // about how many instructions
  unsigned threads = 8;        // how many start states; of a geometry program invocations
  // A geometry program; half of them write before they read, so that invocations do not depend on each other.
  bool geometry = false;
  // Geometry programs only: all are like the latter half, except that some outputs are not written again,
  // some registers are set only while b15 is false, and now and then something is left unwritten.
  bool reuses = false;
  bool f24 = false;          // Program::f24
  bool structural = false;   // Program::structural_scopes
  bool shared_ends = false;  // scopes may end together, which the hardware's stacks take literally
  bool at_limit = false;     // the program fills 4096 words and ends by coming to the last one
};

struct RandomProgram {
  Program program;
  Uniforms uniforms;
  std::vector<ThreadState> threads;  // start states: v set, the rest 0
  std::uint32_t most_triangles = 0;  // that an invocation emits, at most Triangles::kMost
};

// The same seed and options give the same program on every host.
RandomProgram random_program(std::uint64_t seed, const RandomOptions& options = {});

// Random words of one opcode: every field and unused bit random. For decoder tests.
std::uint32_t random_word(std::uint64_t seed, Opcode opcode);

}  // namespace warpjit::pica200
