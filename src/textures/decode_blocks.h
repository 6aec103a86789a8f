// The decoders of each compression (decode.h has their contract).
#pragma once

#include "textures/decode.h"

namespace warpjit::textures {

// The first `count` bytes as a number, at most 8.
inline std::uint64_t little_endian(const std::byte* bytes, unsigned count) {
  std::uint64_t number = 0;
  for (unsigned n = 0; n < count; ++n) number |= std::to_integer<std::uint64_t>(bytes[n]) << 8 * n;
  return number;
}
inline std::uint64_t big_endian(const std::byte* bytes, unsigned count) {
  std::uint64_t number = 0;
  for (unsigned n = 0; n < count; ++n) number = number << 8 | std::to_integer<std::uint64_t>(bytes[n]);
  return number;
}

// A block of one channel as BC3's alpha: two ends and 3-bit indices, into every `stride`-th byte. What lies
// between the ends is rounded to the nearest, or down. A signed end of -128 counts as -127.
void decode_channel(const std::byte* block, bool is_signed, bool round, unsigned stride, std::byte* texels);

void decode_bc1(const TextureFormat& format, const std::byte* block, std::byte* texels);
void decode_bc2(const TextureFormat& format, const std::byte* block, std::byte* texels);
void decode_bc3(const TextureFormat& format, const std::byte* block, std::byte* texels);
void decode_bc4(const TextureFormat& format, const std::byte* block, std::byte* texels);
void decode_bc5(const TextureFormat& format, const std::byte* block, std::byte* texels);
void decode_etc2(const TextureFormat& format, const std::byte* block, std::byte* texels);  // and ETC1
void decode_etc2_a1(const TextureFormat& format, const std::byte* block, std::byte* texels);
void decode_etc2_a8(const TextureFormat& format, const std::byte* block, std::byte* texels);
void decode_eac(const TextureFormat& format, const std::byte* block, std::byte* texels);  // 1 or 2 channels
void decode_astc(const TextureFormat& format, const std::byte* block, std::byte* texels);

}  // namespace warpjit::textures
