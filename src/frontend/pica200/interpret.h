// The PICA200 guest interpreter, written from the ISA reference alone: the hardware's three stacks (section
// 9), its numbers (7, 15) and its addressing (5). It decodes once into resolved micro-operations and then
// runs one thread at a time; it is the oracle for the translator and the fallback while kernels compile.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/pica200/program.h"

namespace warpjit::pica200 {

struct Uniforms {
  alignas(64) float c[96][4] = {};
  std::uint8_t i[4][4] = {};
  std::uint16_t b = 0;  // bit n = b[n]
};
// Applies the constants that the container presets.
void apply_constants(const ProgramInfo& program, Uniforms& uniforms);

// Registers of one thread, at its start and its end.
struct ThreadState {
  alignas(64) float v[16][4] = {};
  float o[16][4] = {};
  float r[16][4] = {};
  std::int32_t a0[2] = {};
  std::int32_t aL = 0;
  bool cmp[2] = {};
};

// The rule all engines share: every word of o and r that is a NaN at the end of a run is 0x7fc00000.
void canonicalize_outputs(ThreadState& state);

struct MicroOp;  // interpret_ops.h

class Interpreter {
 public:
  // Prepares what `entry` can reach. Errors: code that is statically reached and undefined (bad_input), a
  // geometry instruction (unsupported), or a path that runs past the last word (bad_input). What is reached
  // only past the end of a scope that was never opened faults when it happens.
  static Result<Interpreter> prepare(const Program& program, std::uint32_t entry);

  // Runs one thread to its END. Allocates nothing unless it fails; several threads may share one
  // Interpreter. Assumes the default floating-point environment. `fuel` is the number of transfers to an
  // address <= the current one that the thread may make. Errors: out_of_fuel and fault, with the guest
  // address; the state is then unspecified but every register is readable.
  Status run(const Uniforms& uniforms, ThreadState& state, std::uint64_t fuel) const;

  // As run, but never with the code for newer hosts: the same bits, for tests and comparisons.
  Status run_portable(const Uniforms& uniforms, ThreadState& state, std::uint64_t fuel) const;

  Interpreter(Interpreter&&) noexcept;
  Interpreter& operator=(Interpreter&&) noexcept;
  ~Interpreter();

 private:
  Interpreter();
  Status finish(int outcome, std::uint32_t address, ThreadState& state) const;

  std::vector<MicroOp> ops_;
  std::vector<std::uint32_t> op_of_address_;  // op that runs first when control arrives at an address
  std::vector<std::uint32_t> code_;           // for messages
  std::uint32_t entry_op_ = 0;
  std::string source_name_;
};

}  // namespace warpjit::pica200
