// NVIDIA Tesla (nv50; CUDA 1.x, sm_10 to sm_13): containers and modes of its compute kernels.
//
//   auto program = warpjit::tesla::load_cubin(bytes, {.entry = "saxpy"});
//   warpjit::Launch launch(*program);
//   launch.set_grid(256);                                      // x and y up to 65535, z is 1
//   launch.set_block(256);                                     // at most 512 threads
//   launch.set_parameters(parameters);                         // bytes at s[0x10]
//   launch.map_memory("g14", 0x10000, buffer, buffer_size);    // spaces g0 to g15, constants c0 to c15
//   auto report = engine.run(launch);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "warpjit/warpjit.hpp"

namespace warpjit::tesla {

// Modes of the chip that its driver sets, and one that no chip has.
struct Modes {
  bool saturated_nan_is_zero = false;  // G200 and later can; else a saturated NaN stays one
  bool zero_wins = false;              // 0 times anything is +0
  bool infinite_derivatives = false;   // quadop lane selects 4 to 7 outside fragment programs: +inf, not 0
  bool fast_fmad = false;              // not of the chip: fmad rounds once, as an FMA
  std::uint32_t call_limit = 4096;     // of limited calls
  bool operator==(const Modes&) const = default;
};

// A text or ELF cubin, which may be hostile and is not kept. Errors: bad_input, naming the byte or line;
// resource_limit.
WARPJIT_API Result<warpjit::Program> load_cubin(std::span<const std::byte> bytes,
                                                const Selection& selection = {}, const Modes& modes = {});
// warpjit's assembly, which is also what it lists.
WARPJIT_API Result<warpjit::Program> load_assembly(std::string_view text, const Selection& selection = {},
                                                   const Modes& modes = {});
// Bare code words from the entry on.
struct RawProgram {
  std::span<const std::uint32_t> code{};
  std::uint32_t registers = 128;   // of a thread
  std::uint32_t shared_bytes = 0;  // launch header and parameters included
  std::uint32_t local_bytes = 0;   // of a thread
  std::string source_name = {};    // for messages
};
WARPJIT_API Result<warpjit::Program> load_words(const RawProgram& raw, const Modes& modes = {});

}  // namespace warpjit::tesla
