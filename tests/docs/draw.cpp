#include <cstddef>
#include <cstdint>
#include <span>
#include <warpjit/warpjit.hpp>

void rasterize(const float (&position)[4], const float (&color)[4]);

void example(const warpjit::Engine& engine, std::uint32_t id, std::uint32_t value, const void* memory,
             std::size_t memory_size, std::size_t offset, std::size_t stride,
             std::span<const std::uint16_t> indices) {
  // the block
}
