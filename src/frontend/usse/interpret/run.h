// The USSE guest interpreter, written from docs/guests/usse.md alone: quads whose lanes have program counters
// of their own, of which the lowest runs (section 6). It is the oracle for the translator.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/fuel.h"
#include "frontend/grid.h"
#include "frontend/interpret/observer.h"
#include "frontend/usse/container/program.h"
#include "frontend/usse/facts/texels.h"
#include "frontend/usse/interpret/quad.h"

namespace warpjit::usse {

// A piece of the guest's memory, whose addresses have 32 bits.
struct MemoryPiece {
  std::uint32_t address = 0;
  std::span<std::byte> bytes;
  bool written = false;  // stores may change it
};

// What the run of a quad needs and leaves besides its registers.
struct QuadRun {
  std::span<const MemoryPiece> memory{};
  const frontend::BoundTextures* textures = nullptr;              // by units; null: none
  std::uint64_t fuel = 0;                                         // backward branches that each lane may take
  const std::atomic<std::uint32_t>* cancel = &RunLimits::kNever;  // not 0 ends the run
  unsigned covered = 15;                                  // lanes that are no helpers: only these store
  unsigned dead = 0;                                      // lanes that were killed
  unsigned depth_replaced = 0;                            // lanes that gave a depth ...
  std::array<float, kLanes> depth{};                      // ... and which
  std::array<std::uint32_t, kLanes>* executed = nullptr;  // if given: each lane's instructions are added
  // Sees these lanes of the run, or of a secondary program is asked whether it is to see it; null: nobody does.
  interpret::Observer* observer = nullptr;
  unsigned shown = 0;
  bool emitted = false;  // a vertex program came to its end
  bool fault = false;    // memory outside all pieces was read or written, or a register that is not there
  // The first access to such memory.
  struct Access {
    std::uint32_t address = 0;
    std::uint32_t word = 0;  // of the program, as Shader::where takes it
    unsigned lane = 0;
    bool store = false;
  };
  std::optional<Access> access{};
};

// Asks an observer whether it is to see the run of a group, whose registers are as they are at its start. `inputs`:
// words of pa that were set.
void show(interpret::Observer& observer, const interpret::ObservedGroup& group,
          const std::bitset<kMaxRegisters>& inputs, const Quad& quad, std::span<const std::uint32_t> sa,
          QuadRun& run);

class Interpreter {
 public:
  // Decodes both programs. Errors, with the word: what is not defined (bad_input) or does
  // not run (unsupported).
  static Result<Interpreter> prepare(const Program& program);

  // Before both, once for a draw. Errors: bad_input for a texture that has not the dimension of a sample.
  Status check_textures(const frontend::BoundTextures& textures) const;
  // Once for a draw: the secondary program on the secondary attributes. Errors: out_of_fuel; cancelled; fault for
  // control that leaves the code.
  Status run_secondary(std::span<std::uint32_t> sa, QuadRun& run) const;
  // The primary program of a quad. All lanes run, but of fragments whose lanes do not see each other
  // (section 8.2) only those that `run` says are covered. Errors: the same, and bad_input for a texture
  // that is not there.
  Status run_primary(Quad& quad, std::span<std::uint32_t> sa, QuadRun& run) const;

  const Program& program() const { return program_; }
  // Those of sa that the programs have.
  std::span<std::uint32_t> own_attributes(std::span<std::uint32_t> sa) const {
    return sa.first(std::min<std::size_t>(sa.size(), program_.secondary_attributes));
  }
  bool gives_depth() const { return gives_depth_; }  // in some lanes, perhaps
  // True if lanes that leave nothing run.
  bool runs_helpers() const { return program_.stage != Stage::fragment || sees_others_; }

 private:
  struct Lane {
    std::uint32_t pc = 0;
    std::uint64_t backward = 0;
    std::array<std::uint32_t, 8> returns{};
    std::uint8_t depth = 0;
    bool running = true;
  };
  class Execution;
  RegisterFile own_registers(std::span<std::uint32_t> sa) const;
  Status run(const std::vector<Instruction>& code, bool secondary, unsigned lanes, Quad& quad,
             const RegisterFile& file, QuadRun& run) const;

  Program program_;
  std::vector<Instruction> primary_, secondary_;
  std::vector<UnitSample> samples_;
  bool gives_depth_ = false;
  bool sees_others_ = false;
};

}  // namespace warpjit::usse
