// The words of a vertex between both stages of a draw. They are the same for all programs, so that any
// fragment program reads the results of any vertex program (docs/guests/usse.md 8.1).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "frontend/usse/container/program.h"
#include "pixels/records.h"

namespace warpjit::usse {

// Position, two colours, fog, the constants 0 and 1, ten texture coordinates, the size of a point and
// eight clip distances.
inline constexpr unsigned kColorSlot = 4, kFogSlot = 12, kZeroSlot = 14, kOneSlot = 15, kTexcoordSlot = 16,
                          kPointSizeSlot = 56, kClipDistanceSlot = 64, kSlots = 72;

// What a word of a vertex is.
struct SlotSource {
  enum class Kind : std::uint8_t { zero, one, word, low_half, high_half } kind = Kind::zero;
  std::uint8_t word = 0;  // of o
  bool operator==(const SlotSource&) const = default;
};
// What a vertex program's slots are. Bare code has no interface: its slots are the words of o as they are.
std::array<SlotSource, kSlots> slot_sources(const Program& program);

// The place of a value's first component; its components are `count` slots from there on.
struct SlotRange {
  std::uint8_t first = 0, count = 0;
};
// Not of the position and of a point's coordinate, which are no slots.
SlotRange slots_of(FragmentInput::Value value, unsigned index);

// True if the sampler of a texture unit is one of cubes.
bool samples_cube(const Program& program, unsigned unit);
// Components of the coordinate that a texel before the program is sampled at, bit n: component n.
unsigned coordinate_components(const Program& program, const FragmentInput::Sampled& sampled);

// What a fragment program reads of primitives, each once, in the order of its inputs. All are perspective.
std::vector<pixels::SlotUse> fragment_uses(const Program& program);
// The use of a component of a value. The position has none.
pixels::SlotUse slot_use(FragmentInput::Value value, unsigned index, unsigned component);

}  // namespace warpjit::usse
