#include <cstddef>
#include <span>

void example(const warpjit::Engine& engine, std::span<const std::byte> bytes,
             std::span<const std::byte> parameters, void* buffer, std::size_t buffer_size) {
  // the block
}
