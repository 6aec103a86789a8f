// The enumerations that programs, launches and engines share, with their names; formats of rows in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "warpjit/export.h"
#include "warpjit/version.h"

namespace warpjit {

struct Version {
  unsigned major, minor, patch;
};
// The version of the linked library. It may be newer than this header (version.h).
WARPJIT_API Version version();

enum class Isa : std::uint8_t { pica200, tesla, valhall, usse };
enum class Stage : std::uint8_t { vertex, geometry, compute, fragment };
// What a launch runs its program over.
enum class Work : std::uint8_t {
  rows,        // threads, each with a row of every bound input and output
  draw,        // vertices of a draw, through indices or in order
  primitives,  // invocations of a geometry program
  grid,        // blocks of threads
  pixels,      // pixels that primitives cover
};
// Three ways to run a launch, with bit-identical results.
enum class EngineKind : std::uint8_t {
  jit,    // host SIMD code
  ir,     // the IR interpreter; it runs where there is no JIT
  guest,  // the interpreter of the guest's own instructions
};
// The host instruction set of the JIT's code.
enum class Target : std::uint8_t {
  automatic,  // the widest that this machine runs
  v3,         // x86-64-v3: AVX2 and FMA
  v4,         // x86-64-v4: AVX-512
  a64,        // AArch64: NEON
  v4_fp16,    // v4 with AVX512-FP16: the host computes the f16 arithmetic of Mali programs
  a64_fp16,   // a64 with FEAT_FP16: the same
};
// All but `automatic`.
inline constexpr Target kTargets[] = {Target::v3, Target::v4, Target::a64, Target::v4_fp16, Target::a64_fp16};

// Lower-case names as the command line has them ("pica200", "vertex", "jit", "v3"), and back. "?" and no
// value where there is no such enumerator or name.
WARPJIT_API const char* name(Isa isa);
WARPJIT_API const char* name(Stage stage);
WARPJIT_API const char* name(Work work);
WARPJIT_API const char* name(EngineKind engine);
WARPJIT_API const char* name(Target target);
WARPJIT_API std::optional<Isa> parse_isa(std::string_view text);
WARPJIT_API std::optional<Stage> parse_stage(std::string_view text);
WARPJIT_API std::optional<EngineKind> parse_engine(std::string_view text);
WARPJIT_API std::optional<Target> parse_target(std::string_view text);

// Inputs have all types but the last two, outputs f32, u32 and s32.
enum class ComponentType : std::uint8_t {
  f32,
  // Converted to the float of the same value.
  u8,
  s8,
  u16,
  s16,
  // The value divided by the largest one; snorm at least -1.
  unorm8,
  snorm8,
  unorm16,
  snorm16,
  // The 32 bits as they are.
  u32,
  s32,
};
// 1 to 4 components, packed without padding, in the host's byte order. Rows need no alignment.
struct Format {
  ComponentType type = ComponentType::f32;
  std::uint8_t components = 4;
  friend bool operator==(const Format&, const Format&) = default;
};
inline constexpr Format f32x1{ComponentType::f32, 1}, f32x2{ComponentType::f32, 2},
    f32x3{ComponentType::f32, 3}, f32x4{ComponentType::f32, 4};
// Bytes.
WARPJIT_API std::size_t component_size(ComponentType type);
inline std::size_t size(Format format) { return component_size(format.type) * format.components; }
// "f32x3", "unorm8x4", "s16" (one component; "s16x1" parses too).
WARPJIT_API std::string name(Format format);
WARPJIT_API std::optional<Format> parse_format(std::string_view text);

}  // namespace warpjit
