// Runs instructions and programs written as text on a quad.
#pragma once

#include "base/bits.h"
#include "base/float_environment.h"
#include "frontend/usse/facts/checks.h"
#include "frontend/usse/interpret/run.h"
#include "usse/usse_test.h"

namespace warpjit::usse {

struct QuadState {
  Quad quad;
  std::array<std::uint32_t, kMaxRegisters> sa{};
  QuadRun outcome;

  void set(std::array<LaneWords, kMaxRegisters>& bank, unsigned number, std::uint32_t word) {
    bank[number].fill(word);
  }
  void set(std::array<LaneWords, kMaxRegisters>& bank, unsigned number, float value) {
    bank[number].fill(to_bits(value));
  }
};

// One instruction in all lanes.
inline void run_one(QuadState& state, const std::string& text) {
  const FloatEnvironment environment;
  const auto word = assemble_instruction(text);
  ASSERT_TRUE(word.ok()) << text << ": " << to_string(word.error());
  const auto instruction = decode(*word);
  ASSERT_TRUE(instruction.ok()) << text;
  const Status executes = check_executes(*instruction);
  ASSERT_TRUE(executes.ok()) << text << ": " << to_string(executes.error());
  const RegisterFile file{.sa = state.sa};
  QuadAlu(state.quad, file).execute(*instruction, 15);
}

inline Status run_text(QuadState& state, const std::string& text) {
  const FloatEnvironment environment;
  const auto program = assemble(text, "a.usse");
  EXPECT_TRUE(program.ok()) << (program ? std::string() : to_string(program.error()));
  if (!program) return program.error();
  WARPJIT_TRY(const Interpreter interpreter, Interpreter::prepare(*program));
  state.outcome.fuel = 100;
  WARPJIT_CHECK(interpreter.run_secondary(state.sa, state.outcome));
  return interpreter.run_primary(state.quad, state.sa, state.outcome);
}

}  // namespace warpjit::usse
