#include <cstddef>
#include <span>

void example(const warpjit::Result<warpjit::Program>& program, std::span<const float> matrix,
             const float* positions, std::size_t size, float* clip, std::size_t clip_size,
             std::size_t vertex_count) {
  // the block
}
