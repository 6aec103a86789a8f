// What the PICA200 tests share: files of examples/pica200, and running a few lines of assembly.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <string>
#include <vector>

#include "frontend/pica200/assembly/assemble.h"
#include "frontend/pica200/interpret/interpret.h"

namespace warpjit::pica200 {

std::string read_example(const std::string& name);

// Assembles one file; fails the test and gives an empty program on an error.
Program program_of(const std::string& source);
// The body of `main`, to which `end` is added; instructions are taken as they are written (.verbatim).
Program program_of_main(const std::string& body);

struct Finished {
  Status status;
  ThreadState state;
};
Finished run(const Program& program, const ThreadState& start, const Uniforms& uniforms = {},
             std::uint64_t fuel = 4096);

inline std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
inline float from_bits(std::uint32_t value) { return std::bit_cast<float>(value); }
// Equal bits, or both NaN.
bool same(float got, float wanted);

// Edge values that every arithmetic instruction is tried with.
const std::vector<float>& edge_values();

}  // namespace warpjit::pica200
