// Compute kernels on grids of blocks: NVIDIA Tesla (nv50, CUDA 1.x).
//
//   auto program = warpjit::ComputeProgram::from_cubin(bytes, {.kernel = "saxpy"});
//   warpjit::ComputeLaunch launch(*program);
//   launch.set_grid(256);
//   launch.set_block(256);
//   launch.set_parameters(parameters);                    // bytes at s[0x10]
//   launch.map_global(14, 0x10000, buffer, buffer_size);  // g14[0x10000 ...]
//   auto report = engine.run(launch);
#pragma once

#include <array>

#include "warpjit/warpjit.hpp"

namespace warpjit {

namespace frontend {
class ComputeShader;
struct ComputeLaunch;
}  // namespace frontend

// Modes of the chip that its driver sets, and one that no chip has.
struct TeslaModes {
  bool saturated_nan_is_zero = false;  // G200 and later can; else a saturated NaN stays one
  bool zero_wins = false;              // 0 times anything is +0
  bool infinite_derivatives = false;   // quadop lane selects 4 to 7 outside fragment programs: +inf, not 0
  bool fast_fmad = false;              // not of the chip: fmad rounds once, as an FMA
  std::uint32_t call_limit = 4096;     // of limited calls
  bool operator==(const TeslaModes&) const = default;
};

// A kernel, immutable; a cheap shared handle.
class WARPJIT_API ComputeProgram {
 public:
  struct Choice {
    std::string kernel;  // empty: the only one
    std::string source_name;
  };
  // A text or ELF cubin. Errors: bad_input, naming the byte or line; resource_limit.
  static Result<ComputeProgram> from_cubin(std::span<const std::byte> bytes, const Choice& choice);
  // warpjit's assembly, which is also what it lists.
  static Result<ComputeProgram> from_assembly(std::string_view text, const Choice& choice);
  // Bare code words from the entry on.
  struct Words {
    std::uint32_t registers = 128;   // of a thread
    std::uint32_t shared_bytes = 0;  // header and parameters included
    std::uint32_t local_bytes = 0;   // of a thread
    std::string source_name;
  };
  static Result<ComputeProgram> from_words(std::span<const std::uint32_t> code, const Words& words);

  const std::string& name() const;
  const std::string& source_name() const;
  std::uint32_t registers() const;
  std::uint32_t shared_bytes() const;
  std::uint32_t local_bytes() const;
  std::size_t code_size() const;  // words

  // For warpjit's own modules.
  explicit ComputeProgram(std::shared_ptr<const frontend::ComputeShader> shader)
      : shader_(std::move(shader)) {}
  const std::shared_ptr<const frontend::ComputeShader>& shader() const { return shader_; }

 private:
  std::shared_ptr<const frontend::ComputeShader> shader_;
};

// A kernel with its grid and memory. It refers to the caller's buffers, which must outlive the runs, and
// copies everything else. Values are checked when it runs.
class WARPJIT_API ComputeLaunch {
 public:
  explicit ComputeLaunch(ComputeProgram program);
  ComputeLaunch(const ComputeLaunch& other);
  ComputeLaunch& operator=(const ComputeLaunch& other);
  ComputeLaunch(ComputeLaunch&&) noexcept;
  ComputeLaunch& operator=(ComputeLaunch&&) noexcept;
  ~ComputeLaunch();

  const ComputeProgram& program() const;
  void set_grid(std::uint32_t x, std::uint32_t y = 1);                        // blocks, 1 to 65535 each
  void set_block(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1);  // threads, at most 512
  void set_parameters(std::span<const std::byte> bytes);                      // at s[0x10]; copied
  void set_shared_bytes(std::uint32_t bytes);  // of s[], if more than the program says; at most 16 KiB
  // c0 to c15, at most 64 KiB; what the container presets lies behind what is given. Errors: bad_input.
  Status bind_constant(unsigned space, const void* data, std::size_t size);
  // A piece of g0 to g15 that begins at a guest address. Address and data are multiples of 8, pieces of a
  // space do not overlap. Errors: bad_input for a space that there is not.
  Status map_global(unsigned space, std::uint32_t address, void* data, std::size_t size);
  void unmap_globals();
  void set_modes(const TeslaModes& modes);
  // Backward transfers that a thread may make.
  void set_fuel(std::uint64_t fuel);

  // For warpjit's own modules.
  const frontend::ComputeLaunch& state() const { return *state_; }
  frontend::ComputeLaunch& state() { return *state_; }

 private:
  ComputeProgram program_;
  std::unique_ptr<frontend::ComputeLaunch> state_;
};

// An access outside its space, or one that is not aligned to its size: it read 0 or wrote nothing.
struct ComputeFault {
  std::string where;  // "saxpy.cubin, byte 0x18 (0x20008409)"
  std::string what;   // "store to g14[0x1000] by thread 3 of block (0, 1)"
};

struct ComputeReport : CompileReport {
  std::uint64_t run_ns = 0;
  unsigned threads = 1;  // host threads asked to work
  // The first fault of the first part of the grid that had one. The run went on. Of several, which one comes
  // first may depend on the engine: lanes that hardware runs one after the other can run together.
  std::optional<ComputeFault> fault;
  // Why the guest interpreter ran a launch that asked for another engine; else empty.
  std::string interpreted_because;
};

// What the threads of a launch did, instruction by instruction (reference 12: lanes of a warp run in
// lockstep).
struct ComputeProfile {
  struct Instruction {
    std::uint32_t address = 0;   // guest, bytes
    std::string text = {};       // disassembled
    std::uint64_t warps = 0;     // how often a warp executed it
    std::uint64_t lanes = 0;     // ... in how many lanes, all together
    std::uint64_t diverged = 0;  // of a branch, break or return: how often it parted active lanes
    std::uint64_t faults = 0;    // accesses outside their space or not aligned
    std::uint64_t uninitialized_registers =
        0;  // reads of registers (halves, $a, $c) that the lane has not written
    std::uint64_t uninitialized_shared = 0;  // reads of bytes of s[] that the block has not written
    std::string first_uninitialized = {};    // "$r5 of thread 3 of block (0, 0)"
  };
  // Two warps, not ordered by a barrier, access bytes of s[], at least one of them stores, not both with a
  // lock.
  struct Race {
    std::uint32_t first = 0, second = 0;  // guest addresses of the instructions, in the order they ran here
    std::uint64_t count = 0;
    std::string example = {};  // "s[64]: store by thread 3, load by thread 40 of block (0, 0)"
  };
  std::vector<Instruction> instructions{};       // those that were executed, by address
  std::array<std::uint64_t, 33> active_lanes{};  // instructions of warps by the number of their active lanes
  std::uint32_t deepest_stack = 0;               // entries of a warp's control stack
  std::vector<Race> races{};                     // by pair of instructions, the first 1024 pairs
  std::uint64_t further_races = 0;               // of other pairs
};

// Runs a launch in the guest interpreter, slowly, on the calling thread. `profile` gets what was seen until
// the end, also if the run ends with an error. Errors: as Engine::run.
WARPJIT_API Result<ComputeReport> run_profiled(const ComputeLaunch& launch, ComputeProfile& profile);

}  // namespace warpjit
