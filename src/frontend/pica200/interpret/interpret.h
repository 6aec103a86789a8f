// The PICA200 guest interpreter, written from the rules of docs/guests/pica200.md alone: the hardware's three
// stacks (section 9), its numbers (7, 13) and its addressing (5). It decodes once into resolved
// micro-operations and then runs one thread at a time; it is the oracle for the translator and the fallback
// while kernels compile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fuel.h"
#include "frontend/interpret/host_code.h"
#include "frontend/interpret/observer.h"
#include "frontend/pica200/container/program.h"

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

// A rule of all engines: a NaN in o or r at the end of a run is 0x7fc00000.
void canonicalize_outputs(ThreadState& state);

// The triangles of one invocation. A vertex is a row of four words for each enabled output register,
// ascending; NaNs are 0x7fc00000. Triangles beyond `room` are only counted.
struct Triangles {
  static constexpr std::uint32_t kMost = 96;  // in all engines
  // In the guest interpreter alone, for facts of kMostWide + 1: room for kMostWide triangles. The words of
  // winding flags from triangle kMost on lie where the triangle after them would.
  static constexpr std::uint32_t kMostWide = 254, kFlags = 256;
  std::byte* rows = nullptr;  // room * 3 vertices
  std::uint32_t room = 0;
  std::uint32_t count = 0;
  std::array<std::uint32_t, kFlags / 32> inverted{};  // bit n of word n / 32: the winding flag of triangle n
};

// What a geometry unit keeps from one invocation to the next (pica200.md 10).
struct InterpretedUnit {
  ThreadState registers;  // v is loaded anew for each invocation; o is the bank that instructions write
  float other_bank[16][4] = {};   // the bank written after the next EMIT
  float vertices[3][16][4] = {};  // EMIT's buffer: enabled registers
  std::uint8_t vertex = 0;        // SETEMIT's latches; 3 is no vertex of the buffer: EMIT then stores none
  bool primitive = false, winding = false;

  std::uint16_t enabled = 0;  // the output mask: bit n = o[n]
  Triangles triangles;

  void emit();  // EMIT
};

using interpret::HostCode;

struct MicroOp;  // interpret/ops.h

class Interpreter {
 public:
  // Prepares what `entry` can reach. Errors: code that is statically reached and undefined (bad_input), a
  // geometry instruction in a vertex program (bad_input), or a path that runs past the last word (bad_input).
  // Code that is only reached past the end of a scope that was never opened faults at run time.
  static Result<Interpreter> prepare(const Program& program, std::uint32_t entry);

  // Runs one thread to its END. Allocates nothing unless it fails; several threads may share one
  // Interpreter. Assumes the default floating-point environment. `limits.fuel` is the number of transfers to
  // an address <= the current one that the thread may make. EMIT and SETEMIT do nothing. Errors: out_of_fuel,
  // cancelled and fault, with the guest address; the state is then unspecified but every register is readable.
  Status run(const Uniforms& uniforms, ThreadState& state, const RunLimits& limits,
             HostCode code = HostCode::best) const;
  // The same, slower, with an observer, which sees the thread in lane 0 (facts/register_file.h).
  Status run(const Uniforms& uniforms, ThreadState& state, const RunLimits& limits,
             interpret::Observer& observer) const;

  // One invocation of a geometry program; the unit's triangles are those of this one. Sets b15 at the end.
  // `observer`: null, or sees it.
  Status run(Uniforms& uniforms, InterpretedUnit& unit, const RunLimits& limits,
             interpret::Observer* observer = nullptr) const;

  Interpreter(Interpreter&&) noexcept;
  Interpreter& operator=(Interpreter&&) noexcept;
  ~Interpreter();

 private:
  Interpreter();
  Status run(const Uniforms& uniforms, ThreadState& state, InterpretedUnit* unit, const RunLimits& limits,
             HostCode code) const;
  Status run_observed(const Uniforms& uniforms, ThreadState& state, InterpretedUnit* unit,
                      const RunLimits& limits, interpret::Observer& observer) const;
  Status finish(int outcome, std::uint32_t address, ThreadState& state) const;

  std::vector<MicroOp> ops_;
  std::vector<std::uint32_t> op_of_address_;  // op that runs first when control arrives at an address
  std::vector<std::uint32_t> code_;           // for messages
  std::uint32_t entry_op_ = 0;
  std::string source_name_;
};

}  // namespace warpjit::pica200
