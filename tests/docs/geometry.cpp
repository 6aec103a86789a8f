#include <cstddef>
#include <span>
#include <warpjit/warpjit.hpp>

void example(const warpjit::Engine& engine, std::span<const std::byte> shbin, const float* positions,
             std::size_t size, std::size_t point_count, void* triangles, std::size_t triangles_size) {
  // the block
}
