#include <cstddef>
#include <cstdint>
#include <span>

void example(const warpjit::Engine& engine, const void* memory, std::size_t size,
             std::span<const std::uint16_t> indices) {
  // the block
}
