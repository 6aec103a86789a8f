// One instruction on one lane, for tests of what instructions compute.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "frontend/valhall/interpret/arithmetic.h"
#include "valhall/valhall_test.h"

namespace warpjit::valhall {

inline std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// The destination after an instruction whose sources have these values, in their order.
inline std::uint64_t run(const std::string& text, std::initializer_list<std::uint64_t> sources,
                         const FloatMode& mode = {}, std::uint64_t destination = 0) {
  const auto word = assemble_instruction(text + " {unchecked}");
  if (!word) {
    ADD_FAILURE() << text << ": " << to_string(word.error());
    return 0;
  }
  const Instruction instruction = *decode(*word);
  const auto operation = find_operation(instruction);
  if (!operation) {
    ADD_FAILURE() << text << ": " << to_string(operation.error());
    return 0;
  }
  Inputs inputs{.destination = destination, .mode = mode};
  std::size_t n = 0;
  for (const std::uint64_t source : sources) inputs.source[n++] = source;
  return evaluate(*operation, instruction, inputs);
}

// What find_operation() says of an instruction that it refuses.
inline std::string refusal(const std::string& text) {
  const auto word = assemble_instruction(text);
  if (!word) return to_string(word.error());
  const auto operation = find_operation(*decode(*word));
  return operation ? "runs" : operation.error().message;
}

}  // namespace warpjit::valhall
