// What the words are that graphics programs read and write, from the state that their driver set
// (docs/guests/tesla.md 15).
#pragma once

#include <optional>
#include <vector>

#include "frontend/tesla/container/program.h"
#include "pixels/records.h"

namespace warpjit::tesla {

inline constexpr std::uint32_t kMaxVertexResults = 64;
inline constexpr std::uint32_t kMaxGeometryResults = 128;
inline constexpr std::uint32_t kMaxOutputWords = 128;        // of o[]
inline constexpr std::uint32_t kMaxSlots = 128;              // of a vertex
inline constexpr std::uint32_t kMaxEmittedVertices = 1024;   // of an invocation
inline constexpr std::uint32_t kMaxInputVertices = 6;        // of an invocation
inline constexpr std::uint32_t kPrimitiveIdAddress = 0x18;   // in a[] of geometry programs
inline constexpr std::uint32_t kFrontFacingAddress = 0x3fc;  // in v[]
// The words 0.0 of result maps; after them lies 1.0.
inline constexpr std::uint8_t kVertexZero = 0x40, kGeometryZero = 0x80;
inline constexpr std::uint32_t kVertexStride = 0x80;  // in p[]: bytes from a word of a vertex to its next one

// Errors of a program's graphics state: bad_input for values that no hardware takes.
Status check_graphics(const Program& program);

// a[] of a vertex program.
struct AttributeLayout {
  // Which component each word is: 4 * attribute + component, ascending.
  std::vector<std::uint8_t> components;
  std::optional<std::uint32_t> vertex_id, instance_id;  // their words
  std::uint32_t words = 0;                              // all of them
};
AttributeLayout attribute_layout(const GraphicsState& state);

// What becomes of o[] when a vertex is finished or emitted: the words of the result map in order.
struct ResultWord {
  std::optional<std::uint32_t> constant;  // bits; else
  std::uint8_t output = 0;                // this word of o[]
  bool clamped = false;                   // to 0 ... 1, as saturation does
};
// The result map of a vertex or geometry program.
std::vector<ResultWord> result_words(const Program& program);
// The words of o[] that these name, ascending.
std::vector<std::uint8_t> used_outputs(const Program& program);

// A word of v[].
struct FragmentInput {
  enum class Kind : std::uint8_t { x, y, depth, inverse_w, slot, primitive_id };
  Kind kind = Kind::slot;
  std::uint8_t use = 0;       // of fragment_uses(), of slots
  std::uint8_t back_use = 0;  // the one that back-facing primitives have; mostly the same
  bool interpolated = false;  // slots that are not give the provoking vertex's word to every `interp`
};
std::vector<FragmentInput> fragment_inputs(const GraphicsState& state);
// The slots of v[], then the back colours.
std::vector<pixels::SlotUse> fragment_uses(const GraphicsState& state);

// The registers of a fragment's results when it ends.
struct FragmentResults {
  bool each_target = false;            // colour n is in $r4n to $r4n+3; else every target gets $r0 to $r3
  std::optional<std::uint32_t> depth;  // register
  std::uint32_t color(std::uint32_t target) const { return each_target ? 4 * target : 0; }
};
FragmentResults fragment_results(const GraphicsState& state);

}  // namespace warpjit::tesla
