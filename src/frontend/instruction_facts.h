// What is known of a guest's instructions to those who look at a run: facts of its tables of instructions.
#pragma once

#include <cstdint>

namespace warpjit::frontend {

// As what floats an instruction has words of registers.
struct FloatFormats {
  bool half = false;    // two f16
  bool single = false;  // f32
  bool upper = false;   // words with odd numbers: the upper half of an f64
  bool any() const { return half || single || upper; }
};

struct InstructionFacts {
  std::uint32_t address = 0;  // as SourceMap::where takes it
  FloatFormats results{}, operands{};
  bool calls = false;  // it may go where something comes back to the instruction after it
};

}  // namespace warpjit::frontend
