#include <cstddef>
#include <cstdint>
#include <span>
#include <warpjit/usse.hpp>

void example(const warpjit::Engine& engine, std::span<const std::byte> vertex_gxp,
             std::span<const std::byte> fragment_gxp, void* pixels, std::size_t pixels_size,
             const void* vertices, std::size_t vertices_size, std::span<const std::uint32_t> matrix,
             const std::uint32_t* control, std::span<const warpjit::usse::Memory> memory,
             std::span<const std::uint32_t> indices) {
  // the block
}
