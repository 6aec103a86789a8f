#include <cstdint>
#include <span>
#include <warpjit/pica200.hpp>
#include <warpjit/warpjit.hpp>

void rasterize(std::span<const warpjit::pica200::Vertex> vertices);
void rasterizer_register(std::uint32_t id, std::uint32_t value);

void example(const warpjit::Engine& engine, warpjit::pica200::Pipeline& pipeline,
             std::span<const warpjit::pica200::MemoryRange> ranges, std::span<const std::uint32_t> words) {
  // the block
}
