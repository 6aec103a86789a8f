#include <cstddef>
#include <span>

void example(std::span<const std::byte> bytes, std::span<const float> matrix, const float* positions,
             std::size_t size, float* clip, std::size_t clip_size, std::size_t vertex_count) {
  // the block
}
