#include "hand_textures.h"

#include <cmath>

namespace warpjit::bench {
namespace {

struct Place {
  float u, v;  // in texels
};
template <bool kScattered>
inline Place place(const HandTexture& texture, int column, int row) {
  const float x = static_cast<float>(column) + 0.5F, y = static_cast<float>(row) + 0.5F;
  const auto size = static_cast<float>(static_cast<int>(texture.size));
  if constexpr (kScattered)
    return {(x * 27.930452F + y * 21.084084F) * size, (x * 32.755798F + y * 20.244199F) * size};
  const float s = x * texture.scale, t = y * texture.scale;
  return {(0.9F * s + 0.3F * t + 0.1F) * size, (-0.3F * s + 0.9F * t + 0.2F) * size};
}

inline float channel(std::uint32_t texel, unsigned number) {
  return static_cast<float>(static_cast<int>(texel >> (8 * number) & 255));
}

// What the program does with a channel from 0 to 255: a byte in its place.
inline std::uint32_t shaded(float color, unsigned number, float scale, float add, float most, float last) {
  const float c = color * (1 / 255.0F) * scale + add;
  const float square = c * c;
  const float limited = (square < most ? square : most) * last;
  return static_cast<std::uint32_t>(static_cast<int>(limited * 255 + 0.5F)) << (8 * number);
}
// color(n) gives channel n.
template <class Color>
inline std::uint32_t shaded(Color color) {
  return shaded(color(0), 0, 0.9F, 0.05F, 0.85F, 1.1F) | shaded(color(1), 1, 0.8F, 0.1F, 0.85F, 1.1F) |
         shaded(color(2), 2, 0.7F, 0.15F, 0.85F, 1.1F) | shaded(color(3), 3, 1, 0, 1, 1);
}

template <bool kScattered>
void nearest(const HandTexture& texture, std::uint32_t* __restrict out, int side) {
  const std::uint32_t* __restrict texels = texture.texels;
  const int size = static_cast<int>(texture.size), mask = size - 1;
  for (int y = 0; y < side; ++y) {
#pragma omp simd
    for (int x = 0; x < side; ++x) {
      const Place at = place<kScattered>(texture, x, y);
      const int column = static_cast<int>(std::floor(at.u)) & mask;
      const int row = static_cast<int>(std::floor(at.v)) & mask;
      const std::uint32_t texel = texels[row * size + column];
      out[y * side + x] = shaded([=](unsigned k) { return channel(texel, k); });
    }
  }
}

template <bool kScattered>
void bilinear(const HandTexture& texture, std::uint32_t* __restrict out, int side) {
  const std::uint32_t* __restrict texels = texture.texels;
  const int size = static_cast<int>(texture.size), mask = size - 1;
  for (int y = 0; y < side; ++y) {
#pragma omp simd
    for (int x = 0; x < side; ++x) {
      const Place at = place<kScattered>(texture, x, y);
      const float s = at.u - 0.5F, t = at.v - 0.5F;
      const float left = std::floor(s), top = std::floor(t), a = s - left, b = t - top;
      const int x0 = static_cast<int>(left) & mask, x1 = (x0 + 1) & mask;
      const int y0 = (static_cast<int>(top) & mask) * size, y1 = ((static_cast<int>(top) + 1) & mask) * size;
      const std::uint32_t c00 = texels[y0 + x0], c10 = texels[y0 + x1];
      const std::uint32_t c01 = texels[y1 + x0], c11 = texels[y1 + x1];
      out[y * side + x] = shaded([=](unsigned k) {
        const float upper = channel(c00, k) + (channel(c10, k) - channel(c00, k)) * a;
        const float lower = channel(c01, k) + (channel(c11, k) - channel(c01, k)) * a;
        return upper + (lower - upper) * b;
      });
    }
  }
}

}  // namespace

void hand_nearest(const HandTexture& texture, std::uint32_t* out, std::uint32_t side) {
  (texture.scattered ? nearest<true> : nearest<false>)(texture, out, static_cast<int>(side));
}
void hand_bilinear(const HandTexture& texture, std::uint32_t* out, std::uint32_t side) {
  (texture.scattered ? bilinear<true> : bilinear<false>)(texture, out, static_cast<int>(side));
}

}  // namespace warpjit::bench
