#include "frontend/tesla/facts/default_state.h"

#include <algorithm>
#include <numeric>

#include "frontend/tesla/container/graphics.h"
#include "frontend/tesla/facts/reach.h"

namespace warpjit::tesla {
namespace {

constexpr std::uint32_t kMaxAttributeWords = 64;

// What reachable instructions name.
struct NamedWords {
  std::uint32_t attributes = 0, outputs = 0, inputs = 0;  // up to the last word of a[], o[], v[]
  std::uint32_t interpolated = 0;                         // of v[], by a form that is not flat
  std::uint32_t emits = 0;
  bool goes_back = false;
};

void add_words(std::uint32_t& words, const Operand& operand, std::uint32_t all) {
  const bool fixed = operand.address == 0 && !operand.post_increment;
  const std::uint32_t end = fixed ? (operand.value & 0xffff) / 4 + 1 : all;
  words = std::max(words, std::min(end, all));
}

NamedWords named_words(const Program& program) {
  NamedWords named;
  const auto code = ReachedCode::find(program);
  if (!code) return named;
  const bool is_vertex = program.type == ProgramType::vertex;
  for (const auto& [address, i] : code->instructions()) {
    for (const Operand* operand : {&i.dst, &i.src[0], &i.src[1], &i.src[2]}) {
      if (operand->kind == Operand::Kind::attribute)
        add_words(named.attributes, *operand, kMaxAttributeWords);
      if (operand->kind == Operand::Kind::output) {
        // A half of a word has a number of its own.
        Operand whole = *operand;
        whole.value &= ~3U;
        add_words(named.outputs, whole, is_vertex ? kMaxVertexResults : kMaxGeometryResults);
      }
      if (operand->kind != Operand::Kind::interpolant) continue;
      if (operand->address == 0 && operand->value == kFrontFacingAddress) continue;
      add_words(named.inputs, *operand, kMaxSlots - 4);
      if (i.flat == 0) add_words(named.interpolated, *operand, kMaxSlots - 4);
    }
    named.emits += i.opcode == Opcode::emit ? 1 : 0;
    named.goes_back = named.goes_back || i.opcode == Opcode::call || i.opcode == Opcode::bra_c ||
                      (has_target(i) && i.target <= address);
  }
  return named;
}

std::vector<std::uint8_t> map_of(std::uint32_t words) {
  std::vector<std::uint8_t> map(std::max(words, 4U));
  std::iota(map.begin(), map.end(), std::uint8_t{0});
  return map;
}

}  // namespace

GraphicsState state_of_code(const Program& program) {
  GraphicsState state = program.graphics;
  const NamedWords named = named_words(program);
  switch (program.type) {
    case ProgramType::compute:
      break;
    case ProgramType::vertex:
      state.vertex_results = map_of(named.outputs);
      if (state.attributes[0] != 0 || state.attributes[1] != 0 || state.builtin_attributes != 0) break;
      for (std::uint32_t word = 0; word < named.attributes; ++word)
        state.attributes[word / 32] |= 1U << word % 32;
      break;
    case ProgramType::geometry:
      state.geometry_results = map_of(named.outputs);
      state.geometry_vertices =
          named.goes_back ? kMaxEmittedVertices : std::clamp(named.emits, 1U, kMaxEmittedVertices);
      break;
    case ProgramType::fragment: {
      constexpr std::uint32_t kFirst = 4, kInverseW = 8;
      const auto slots = [](std::uint32_t words) { return words == 0 ? 0 : words - 1; };
      state.interpolants =
          kInverseW << 24 | slots(named.interpolated) << 16 | kFirst << 8 | slots(named.inputs);
      break;
    }
  }
  return state;
}

std::uint32_t local_bytes_of_code(const Program& program) {
  const auto code = ReachedCode::find(program);
  if (!code) return 0;
  std::uint32_t bytes = 0;
  for (const auto& [address, i] : code->instructions())
    for (const Operand* operand : {&i.dst, &i.src[0], &i.src[1], &i.src[2]}) {
      if (operand->kind != Operand::Kind::local) continue;
      const bool fixed = operand->address == 0 && !operand->post_increment;
      const std::uint32_t end =
          fixed ? (operand->value & 0xffff) + size_of(operand->type) : kGuessedLocalBytes;
      bytes = std::max(bytes, (end + 3) & ~3U);
    }
  return std::min(bytes, kMaxLocalBytes);
}

void complete_state(Program& program) {
  const GraphicsState& state = program.graphics;
  const bool has_map = program.type == ProgramType::vertex     ? !state.vertex_results.empty()
                       : program.type == ProgramType::geometry ? !state.geometry_results.empty()
                                                               : true;
  if (!has_map) program.graphics = state_of_code(program);
}

}  // namespace warpjit::tesla
