#include "frontend/pica200/interpret/draw.h"

#include <cstring>

namespace warpjit::pica200 {
namespace {

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Component c as f32 bits, so that a NaN keeps its payload.
void convert(const std::byte* from, ComponentType type, unsigned c, float& to) {
  switch (type) {
    case ComponentType::s8:
      to = read<std::int8_t>(from + c);
      break;
    case ComponentType::u8:
      to = read<std::uint8_t>(from + c);
      break;
    case ComponentType::s16:
      to = read<std::int16_t>(from + 2 * c);
      break;
    default:
      std::memcpy(&to, from + 4 * c, 4);
      break;
  }
}

const std::byte* row_at(const frontend::Rows& rows, std::size_t number) {
  return rows.address + static_cast<std::ptrdiff_t>(number) * rows.stride;
}

}  // namespace

void fetch_vertex(const frontend::DrawFacts& draw, std::span<const frontend::Rows> bindings,
                  std::size_t thread, const std::uint32_t* fixed, ThreadState& state) {
  for (unsigned n = 0; n < 16; ++n)
    if (draw.fixed_inputs >> n & 1) std::memcpy(state.v[n], fixed + 4 * n, sizeof state.v[n]);
  const std::size_t number =
      draw.numbered ? read<std::uint32_t>(row_at(bindings[draw.row_count], thread)) : thread;
  for (unsigned k = 0; k < draw.input_count; ++k) {
    const frontend::FetchedInput& input = draw.inputs[k];
    const std::byte* from = row_at(bindings[input.row], number) + input.offset;
    constexpr float kMissing[4] = {0, 0, 0, 1};
    for (unsigned c = 0; c < 4; ++c) {
      float& to = state.v[input.reg][c];
      to = kMissing[c];
      if (c < input.format.components) convert(from, input.format.type, c, to);
    }
  }
}

void store_vertex(const frontend::DrawFacts& draw, const ThreadState& state,
                  std::span<const frontend::Rows> bindings, std::size_t thread) {
  std::size_t binding = 0;
  for (std::uint32_t k = 0; k < draw.results.size(); ++k) {
    if ((draw.stored >> k & 1) == 0) continue;
    float words[4];
    for (unsigned c = 0; c < 4; ++c) {
      const std::uint8_t source = draw.results[k][c];
      words[c] = source == frontend::DrawFacts::kOne ? 1.0f : state.o[source / 4][source % 4];
      if ((draw.clamped >> k & 1) == 0) continue;
      const float magnitude = words[c] < 0 ? -words[c] : words[c];
      words[c] = magnitude < 1 ? magnitude : 1;
      if (words[c] == 0) words[c] = 0;  // |-0| = +0
    }
    const frontend::Rows& rows = bindings[binding++];
    std::memcpy(rows.address + static_cast<std::ptrdiff_t>(thread) * rows.stride, words, sizeof words);
  }
}

}  // namespace warpjit::pica200
