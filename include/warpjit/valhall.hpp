// Arm Mali Valhall (v9; G57, G77, G78): compute and vertex programs (docs/guests/valhall.md).
//
//   auto program = warpjit::valhall::load_words({.code = words});
//   warpjit::Launch launch(*program);
//   launch.set_grid(16);                                   // workgroups, up to 65535 in x, y and z
//   launch.set_block(64);                                  // at most 1024 threads
//   launch.set_parameters(uniforms);                       // u0, u1, ...: up to 256 words
//   launch.bind_constants("c0", buffer, buffer_size);      // c0 to c14: the buffers of table 0
//   launch.map_memory("mem", 0x700010000, data, size);     // 64-bit addresses, with up to four high words
//   auto report = engine.run(launch);
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "warpjit/warpjit.hpp"

namespace warpjit::valhall {

// How a program computes with floats; its descriptor says it.
struct FloatMode {
  // Denormal inputs and results of arithmetic become zeros with their sign.
  bool flush_single = false, flush_half = false;
  bool suppress_nan = false;       // a NaN result becomes +0
  bool suppress_infinity = false;  // an infinite result becomes the greatest finite number with its sign
  bool operator==(const FloatMode&) const = default;
};

// What a fragment program is made for beside its code; descriptors of its draw say it.
struct FragmentSetup {
  static constexpr std::uint8_t kNoTarget = 0xff;
  // Which colour target (0 to 7) BLEND of blend_descriptor_n writes; kNoTarget: none.
  std::array<std::uint8_t, 8> blend_targets{0, 1, 2, 3, 4, 5, 6, 7};
  bool points_from_bottom = false;  // the place in a point counts from its lower left corner
  bool operator==(const FragmentSetup&) const = default;
};

// Bare code words, which may be hostile and are not kept.
struct RawProgram {
  std::span<const std::uint64_t> code{};
  std::uint64_t address = 0;       // in the guest's memory, of the first word
  std::uint32_t entry = 0;         // byte of the code where threads begin, a multiple of 8
  std::uint32_t local_bytes = 0;   // of a thread's own memory, at most 64 KiB
  std::uint32_t shared_bytes = 0;  // of a workgroup's memory, likewise
  FloatMode mode = {};
  Stage stage = Stage::compute;
  FragmentSetup fragment = {};   // of fragment programs
  std::string source_name = {};  // for messages
};
// Errors: bad_input; resource_limit. Fragment programs do not run yet.
WARPJIT_API Result<warpjit::Program> load_words(const RawProgram& raw);
// warpjit's assembly, which is also what it lists.
WARPJIT_API Result<warpjit::Program> load_assembly(std::string_view text, const Selection& selection = {});

}  // namespace warpjit::valhall
