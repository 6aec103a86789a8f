#include <cstddef>
#include <span>
#include <warpjit/warpjit.hpp>

void example(const warpjit::Engine& engine, std::span<const std::byte> bytes, std::span<const float> matrix,
             const float* positions, std::size_t size, float* clip, std::size_t clip_size,
             std::size_t vertex_count) {
  // the block
}
