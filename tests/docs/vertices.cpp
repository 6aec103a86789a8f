#include <cstddef>
#include <cstdint>
#include <span>
#include <warpjit/warpjit.hpp>

void example(const warpjit::Engine& engine, std::span<const std::uint64_t> words,
             std::span<const std::byte> uniforms, void* buffer, std::size_t buffer_size, void* results,
             std::size_t results_size) {
  // the block
}
