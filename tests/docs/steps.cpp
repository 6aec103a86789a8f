#include <cstdint>
#include <warpjit/pica200.hpp>
#include <warpjit/warpjit.hpp>

constexpr std::uint32_t breakpoint = 12;
void show(std::uint32_t address, warpjit::pica200::VertexStep::File file, unsigned index,
          const warpjit::pica200::FloatBits& value);
void show(const warpjit::pica200::FloatBits (&outputs)[16]);

void example(warpjit::pica200::Pipeline& pipeline) {
  // the block
}
