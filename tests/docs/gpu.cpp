#include <cstdint>
#include <warpjit/pica200.hpp>
#include <warpjit/warpjit.hpp>

void raise_p3d();

warpjit::Status example(const warpjit::Engine& engine, void* vram, std::size_t vram_size, void* fcram,
                        std::size_t fcram_size, std::uint32_t list_address, std::uint32_t list_bytes,
                        std::uint32_t target, std::uint32_t screen, std::uint32_t flags) {
  // the block
}
