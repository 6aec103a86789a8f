#include "frontend/usse/facts/slots.h"

#include <algorithm>

namespace warpjit::usse {

std::array<SlotSource, kSlots> slot_sources(const Program& program) {
  using Kind = SlotSource::Kind;
  std::array<SlotSource, kSlots> slots{};
  const VertexInterface& vertex = program.vertex;
  if (vertex.words == 0) {
    for (unsigned n = 0; n < kSlots; ++n) slots[n] = {Kind::word, static_cast<std::uint8_t>(n)};
    return slots;
  }
  unsigned word = 0;
  const auto take = [&](unsigned first, unsigned count) {
    for (unsigned n = 0; n < count; ++n) slots[first + n] = {Kind::word, static_cast<std::uint8_t>(word++)};
  };
  take(0, 4);
  for (unsigned n = 0; n < 2; ++n) {
    slots[kColorSlot + 4 * n + 3].kind = Kind::one;
    if (vertex.color[n]) take(kColorSlot + 4 * n, 4);
  }
  if (vertex.fog) take(kFogSlot, 2);
  for (unsigned n = 0; n < kTexcoords; ++n) {
    const unsigned first = kTexcoordSlot + 4 * n, count = vertex.texcoord[n];
    slots[first + 3].kind = Kind::one;
    if ((vertex.half_texcoords >> n & 1) == 0) {
      // Bit 0 of what the container says stands for x and y, bit 1 for z and bit 2 for w.
      const unsigned bits = vertex.texcoord_bits[n];
      if ((bits & 1) != 0) take(first, 2);
      if ((bits & 2) != 0) take(first + 2, 1);
      if ((bits & 4) != 0) take(first + 3, 1);
      continue;
    }
    unsigned half = 0;
    for (unsigned k = 0; k < 4; ++k) {
      if ((vertex.texcoord_bits[n] >> (k < 2 ? 0 : k - 1) & 1) == 0) continue;
      slots[first + k] = {half % 2 == 0 ? Kind::low_half : Kind::high_half,
                          static_cast<std::uint8_t>(word + half / 2)};
      ++half;
    }
    word += (count + 1U) / 2;
  }
  slots[kOneSlot].kind = slots[kPointSizeSlot].kind = Kind::one;
  if (vertex.point_size) take(kPointSizeSlot, 1);
  for (unsigned n = 0; n < 8; ++n)
    if ((vertex.clip_distances >> n & 1) != 0) take(kClipDistanceSlot + n, 1);
  return slots;
}

SlotRange slots_of(FragmentInput::Value value, unsigned index) {
  switch (value) {
    case FragmentInput::Value::texcoord:
      return {static_cast<std::uint8_t>(kTexcoordSlot + 4 * index), 4};
    case FragmentInput::Value::color:
      return {static_cast<std::uint8_t>(kColorSlot + 4 * index), 4};
    case FragmentInput::Value::fog:
      return {kFogSlot, 2};
    case FragmentInput::Value::position:
    case FragmentInput::Value::point:
      break;
  }
  return {kZeroSlot, 0};
}

pixels::SlotUse slot_use(FragmentInput::Value value, unsigned index, unsigned component) {
  using Plane = pixels::SlotUse::Plane;
  using Sprite = pixels::SlotUse::Sprite;
  if (value == FragmentInput::Value::point) {
    constexpr std::array<Sprite, 4> kSprites{Sprite::from_left, Sprite::from_top, Sprite::zero, Sprite::one};
    return {.slot = static_cast<std::uint8_t>(component == 3 ? kOneSlot : kZeroSlot),
            .plane = Plane::perspective,
            .sprite = kSprites[component & 3]};
  }
  const SlotRange range = slots_of(value, index);
  const bool there = component < range.count;
  return {.slot = static_cast<std::uint8_t>(there            ? range.first + component
                                            : component == 3 ? kOneSlot
                                                             : kZeroSlot),
          .plane = Plane::perspective};
}

bool samples_cube(const Program& program, unsigned unit) {
  return std::ranges::any_of(program.parameters, [&](const Parameter& parameter) {
    return parameter.category == Category::sampler && parameter.resource == unit && parameter.cube;
  });
}

unsigned coordinate_components(const Program& program, const FragmentInput::Sampled& sampled) {
  if (samples_cube(program, sampled.unit)) return 7;
  switch (sampled.projection) {
    case FragmentInput::Projection::none:
      return 3;
    case FragmentInput::Projection::by_z:
      return 7;
    case FragmentInput::Projection::by_w:
      break;
  }
  return 11;
}

std::vector<pixels::SlotUse> fragment_uses(const Program& program) {
  std::vector<pixels::SlotUse> uses;
  const auto add = [&](FragmentInput::Value value, unsigned index, unsigned components) {
    if (value == FragmentInput::Value::position) return;
    for (unsigned k = 0; k < 4; ++k) {
      if ((components >> k & 1) == 0) continue;
      const pixels::SlotUse use = slot_use(value, index, k);
      if (std::ranges::find(uses, use) == uses.end()) uses.push_back(use);
    }
  };
  for (const FragmentInput& input : program.fragment.inputs) {
    if (input.iterated)
      add(input.iterated->value, input.iterated->index, (1U << input.iterated->components) - 1);
    if (input.sampled)
      add(input.sampled->value, input.sampled->index, coordinate_components(program, *input.sampled));
  }
  return uses;
}

}  // namespace warpjit::usse
