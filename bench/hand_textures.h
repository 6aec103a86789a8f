// Loops in C++ that draw what bench_textures draws, for one texture format and filter: what an engineer
// writes who leaves vectors to the compiler. Floats are not rounded as the programs round.
#pragma once

#include <cstdint>

namespace warpjit::bench {

struct HandTexture {
  const std::uint32_t* texels;  // rgba8, repeated
  std::uint32_t size;           // both ways, a power of two
  float scale;                  // coordinates per pixel
  bool scattered;
};
void hand_nearest(const HandTexture& texture, std::uint32_t* out, std::uint32_t side);
void hand_bilinear(const HandTexture& texture, std::uint32_t* out, std::uint32_t side);

}  // namespace warpjit::bench
