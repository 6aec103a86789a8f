// Buffers that programs name by handles (valhall.md 8.3) and that lie in memory: what a translation depends
// on, and what it finds in the uniform table.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "frontend/grid.h"

namespace warpjit::valhall {

// Facts of one buffer.
struct BufferFacts {
  std::uint32_t handle = 0;
  std::uint32_t high = 0;  // the high word of its address
};
std::vector<BufferFacts> buffer_facts(std::span<const frontend::BufferSource> buffers);

// The words of a buffer in the uniform table: the low half of its address, its size.
enum class BufferWord : std::uint32_t { address, bytes };
inline constexpr std::uint32_t kBufferWords = 2;
void fill_buffer_words(std::span<const frontend::BufferSource> buffers, std::span<std::uint32_t> table);

}  // namespace warpjit::valhall
