// Warps of graphics programs (interpret/graphics.cpp runs them): what they have besides registers and memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "frontend/interpret/pixels.h"
#include "frontend/tesla/container/graphics.h"
#include "frontend/tesla/interpret/interpret.h"

namespace warpjit::tesla {

using LaneRow = std::array<std::uint32_t, kLanes>;

// Words that are not there read 0.
struct GraphicsWarp {
  std::vector<LaneRow> attributes{};               // a[]
  std::array<LaneRow, kMaxOutputWords> outputs{};  // o[]
  std::vector<ResultWord> results{};               // of a vertex
  bool saturated_nan_is_zero = false;

  // ---- Geometry programs
  std::vector<LaneRow> vertices{};  // word k of input vertex n: row k * input_vertices + n
  std::uint32_t input_vertices = 0;
  std::uint32_t most_vertices = 0;  // that a lane may emit
  struct Emitted {
    std::vector<std::uint32_t> words{};   // of all vertices
    std::vector<std::uint32_t> strips{};  // vertices of each that was ended
    std::uint32_t count = 0;              // vertices
    std::uint32_t in_strip = 0;           // of them, in the strip that goes on
    void end_strip();
  };
  std::array<Emitted, kLanes> emitted{};

  // ---- Fragment programs
  std::span<const interpret::Quad> quads{};
  std::vector<FragmentInput> inputs{};  // v[]
  bool pixel_center_integer = false;
  std::uint32_t live = 0;   // lanes of covered pixels that were not discarded
  bool helpers_run = true;  // the other lanes; else these end, as no one can read them

  // A word of p[] (tesla.md 15.2).
  std::uint32_t vertex_word(std::uint32_t address, unsigned lane) const {
    const std::uint32_t vertex = address / 4 % (kVertexStride / 4), word = address / kVertexStride;
    const std::size_t row = std::size_t{word} * input_vertices + vertex;
    return vertex < input_vertices && row < vertices.size() ? vertices[row][lane] : 0;
  }
  // The words that become of a lane's o[], added to `words`.
  void append_results(unsigned lane, std::vector<std::uint32_t>& words) const;
  // For these lanes.
  void emit(std::uint32_t lanes);
  void restart(std::uint32_t lanes);
};

}  // namespace warpjit::tesla
