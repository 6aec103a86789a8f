// What instructions compute, for one lane: the values of sources in, the destination's new value out. Written
// from docs/guests/valhall.md 6 alone.
#pragma once

#include <array>
#include <cstdint>

#include "frontend/valhall/container/program.h"
#include "frontend/valhall/encoding/decode.h"
#include "frontend/valhall/facts/arithmetic.h"

namespace warpjit::valhall {

struct Inputs {
  // What the sources name: a register, a pair if the source is wide, before a part of it is taken.
  std::array<std::uint64_t, 4> source{};
  std::uint64_t destination = 0;  // its old value
  FloatMode mode{};
};

// Computes the result of an instruction without regard to its write mask.
using Compute = std::uint64_t (*)(const Instruction&, const Inputs&);

struct Operation {
  Compute compute = nullptr;
  ResultShape result = ResultShape::word;
};

// Errors: as of arithmetic_result().
Result<Operation> find_operation(const Instruction& instruction);

// What a value becomes that is written to parts of the destination, or to both of its halves.
std::uint64_t merged(const Operation& operation, const Instruction& instruction, const Inputs& inputs,
                     std::uint64_t value);
// The destination's new value.
inline std::uint64_t evaluate(const Operation& operation, const Instruction& instruction,
                              const Inputs& inputs) {
  const std::uint64_t value = operation.compute(instruction, inputs);
  if (operation.result == ResultShape::wide) return value;
  return instruction.write_mask == 3 ? value & 0xffffffff : merged(operation, instruction, inputs, value);
}

}  // namespace warpjit::valhall
