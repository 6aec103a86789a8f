#include "frontend/tesla/container/graphics.h"

#include <algorithm>
#include <bit>

#include "base/bits.h"

namespace warpjit::tesla {
namespace {

constexpr std::uint32_t kOneBits = 0x3f800000;

// FP_INTERPOLANT_CTRL.
struct Interpolants {
  std::uint32_t count, first, interpolated, position;
  explicit Interpolants(const GraphicsState& state)
      : count(state.interpolants & 0xff),
        first(state.interpolants >> 8 & 0xff),
        interpolated(state.interpolants >> 16 & 0xff),
        position(state.interpolants >> 24 & 15) {}
};

// SEMANTIC_COLOR.
struct ColorSlots {
  std::uint32_t front, back, count;
  bool clamped;
  explicit ColorSlots(const GraphicsState& state)
      : front(state.color_slots & 0xff),
        back(state.color_slots >> 8 & 0xff),
        count(state.color_slots >> 16 & 0xff),
        clamped((state.color_slots >> 24 & 1) != 0) {}
  bool is_front(std::uint32_t slot) const { return slot - front < count; }
  bool is_back(std::uint32_t slot) const { return slot - back < count; }
};

std::uint32_t point_coordinate(const GraphicsState& state, std::uint32_t slot) {
  return state.point_coordinates[slot / 8] >> (slot % 8 * 4) & 15;
}

pixels::SlotUse use_of(const GraphicsState& state, std::uint32_t slot, bool interpolated) {
  using Plane = pixels::SlotUse::Plane;
  using Sprite = pixels::SlotUse::Sprite;
  const bool linear = (state.noperspective[slot / 32] >> (slot % 32) & 1) != 0;
  const Sprite sprites[] = {Sprite::none, Sprite::from_left,
                            state.point_upper_left ? Sprite::from_top : Sprite::from_bottom, Sprite::zero,
                            Sprite::one};
  const std::uint32_t coordinate = state.point_sprites && interpolated ? point_coordinate(state, slot) : 0;
  const ColorSlots colors(state);
  return {.slot = static_cast<std::uint8_t>(slot),
          .plane = !interpolated ? Plane::none
                   : linear      ? Plane::linear
                                 : Plane::perspective,
          .sprite = coordinate < std::size(sprites) ? sprites[coordinate] : Sprite::none,
          .color = colors.is_front(slot) || colors.is_back(slot)};
}

Status check_results(const Program& program, std::size_t most, std::uint8_t constants) {
  const auto wrong = [&](std::string message) -> Status {
    return Error{ErrorCode::bad_input, std::move(message), program.source_name};
  };
  const bool is_vertex = program.type == ProgramType::vertex;
  const auto& map = is_vertex ? program.graphics.vertex_results : program.graphics.geometry_results;
  if (map.size() > most)
    return wrong("a result map of " + std::to_string(map.size()) + " words; the most are " +
                 std::to_string(most));
  if (map.size() < 4 && !(is_vertex && program.graphics.geometry_enabled))
    return wrong("a result map has at least the 4 words of the position");
  for (const std::uint8_t word : map)
    if (word > constants + 1) return wrong("a result map names word " + std::to_string(word) + " of o[]");
  return {};
}

Status check_fragment(const Program& program) {
  const GraphicsState& state = program.graphics;
  const auto wrong = [&](const char* message) -> Status {
    return Error{ErrorCode::bad_input, message, program.source_name};
  };
  const Interpolants interpolants(state);
  if (interpolants.first + interpolants.count > kMaxSlots) return wrong("v[] has slots above 127");
  if (interpolants.interpolated > interpolants.count)
    return wrong("more interpolated slots than slots in v[]");
  if (state.primitive_id_slot >= kMaxSlots) return wrong("the slot of the primitive's number is above 127");
  const ColorSlots colors(state);
  if (state.two_sided && colors.count != 0 && std::max(colors.front, colors.back) + colors.count > kMaxSlots)
    return wrong("colours have slots above 127");
  if (state.fragment_results > kMaxRegisters) return wrong("a fragment has more results than registers");
  if (fragment_results(state).depth && state.fragment_results == 0)
    return wrong("the exported depth is no result");
  if (!state.point_sprites) return {};
  for (std::uint32_t j = 0; j < interpolants.count; ++j)
    if (point_coordinate(state, interpolants.first + j) > 4) return wrong("no such coordinate of points");
  return {};
}

}  // namespace

Status check_graphics(const Program& program) {
  switch (program.type) {
    case ProgramType::compute:
      return {};
    case ProgramType::vertex:
      return check_results(program, kMaxVertexResults, kVertexZero);
    case ProgramType::geometry: {
      WARPJIT_CHECK(check_results(program, kMaxGeometryResults, kGeometryZero));
      const GraphicsState& state = program.graphics;
      const auto wrong = [&](const char* message) -> Status {
        return Error{ErrorCode::bad_input, message, program.source_name};
      };
      if (state.geometry_output < 1 || state.geometry_output > 3)
        return wrong("a geometry program makes points (1), line strips (2) or triangle strips (3)");
      if (state.geometry_vertices < 1 || state.geometry_vertices > kMaxEmittedVertices)
        return wrong("a geometry program makes 1 to 1024 vertices");
      return {};
    }
    case ProgramType::fragment:
      return check_fragment(program);
  }
  return {};
}

AttributeLayout attribute_layout(const GraphicsState& state) {
  AttributeLayout layout;
  for (std::uint32_t component = 0; component < 64; ++component)
    if ((state.attributes[component / 32] >> (component % 32) & 1) != 0)
      layout.components.push_back(static_cast<std::uint8_t>(component));
  layout.words = static_cast<std::uint32_t>(layout.components.size());
  if ((state.builtin_attributes & 1) != 0) layout.vertex_id = layout.words++;
  if ((state.builtin_attributes >> 4 & 1) != 0) layout.instance_id = layout.words++;
  return layout;
}

std::vector<ResultWord> result_words(const Program& program) {
  const GraphicsState& state = program.graphics;
  const bool is_vertex = program.type == ProgramType::vertex;
  const std::uint8_t zero = is_vertex ? kVertexZero : kGeometryZero;
  const bool has_slots = !is_vertex || !state.geometry_enabled;  // else they are words of p[]
  const ColorSlots colors(state);
  std::vector<ResultWord> words;
  for (const std::uint8_t entry : is_vertex ? state.vertex_results : state.geometry_results) {
    const auto slot = static_cast<std::uint32_t>(words.size());
    ResultWord& word = words.emplace_back();
    if (entry >= zero)
      word.constant = entry == zero ? 0 : kOneBits;
    else
      word.output = entry;
    word.clamped = has_slots && colors.clamped && (colors.is_front(slot) || colors.is_back(slot));
  }
  return words;
}

std::vector<std::uint8_t> used_outputs(const Program& program) {
  std::vector<std::uint8_t> used;
  for (const ResultWord& result : result_words(program))
    if (!result.constant) used.push_back(result.output);
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

std::vector<FragmentInput> fragment_inputs(const GraphicsState& state) {
  const Interpolants interpolants(state);
  const ColorSlots colors(state);
  std::vector<FragmentInput> inputs;
  for (const auto kind : {FragmentInput::Kind::x, FragmentInput::Kind::y, FragmentInput::Kind::depth,
                          FragmentInput::Kind::inverse_w})
    if ((interpolants.position >> static_cast<int>(kind) & 1) != 0)
      inputs.push_back({.kind = kind, .interpolated = true});
  std::uint32_t back = interpolants.count;
  for (std::uint32_t j = 0; j < interpolants.count; ++j) {
    const std::uint32_t slot = interpolants.first + j;
    FragmentInput& input = inputs.emplace_back();
    input.use = input.back_use = static_cast<std::uint8_t>(j);
    input.interpolated = j < interpolants.interpolated;
    if (state.two_sided && colors.is_front(slot)) input.back_use = static_cast<std::uint8_t>(back++);
    if (slot == state.primitive_id_slot && slot != 0) {
      input.kind = FragmentInput::Kind::primitive_id;
      input.interpolated = false;
    }
  }
  return inputs;
}

std::vector<pixels::SlotUse> fragment_uses(const GraphicsState& state) {
  const Interpolants interpolants(state);
  const ColorSlots colors(state);
  std::vector<pixels::SlotUse> uses, back;
  for (std::uint32_t j = 0; j < interpolants.count; ++j) {
    const std::uint32_t slot = interpolants.first + j;
    const bool interpolated = j < interpolants.interpolated;
    uses.push_back(use_of(state, slot, interpolated));
    if (state.two_sided && colors.is_front(slot))
      back.push_back(use_of(state, colors.back + (slot - colors.front), interpolated));
  }
  uses.insert(uses.end(), back.begin(), back.end());
  return uses;
}

FragmentResults fragment_results(const GraphicsState& state) {
  FragmentResults results;
  results.each_target = (state.fragment_control & 1) != 0;
  if ((state.fragment_control >> 8 & 1) != 0) results.depth = state.fragment_results - 1;
  return results;
}

}  // namespace warpjit::tesla
