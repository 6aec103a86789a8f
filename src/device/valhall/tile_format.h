// Formats of pixels in tiles, and as targets store them (docs/guests/valhall.md 11).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "device/valhall/pixel_format.h"
#include "frontend/valhall/container/framebuffer.h"
#include "warpjit/pixels.hpp"

namespace warpjit::valhall {

// Channels of an internal format with channels, from the lowest bit up: bits, and below them in a clear word
// the bits of a fraction.
struct TileRow {
  std::uint8_t code, bytes;
  PixelFormat format;
  std::array<std::uint8_t, 4> bits, fraction;
};
// Null for raw formats and for others.
const TileRow* find_tile(std::uint8_t code);

// Bytes of a pixel of an internal format; 0: there is no such format, or it is not supported.
std::uint32_t tile_pixel_bytes(std::uint8_t tile_format);
// True if a tile of that internal format can have such pixels.
bool tile_has(std::uint8_t tile_format, const TargetFormat& target);
// Bits of r, g, b and a of unorm formats; else 0.
std::array<std::uint8_t, 4> channel_bits(PixelFormat format);

// Pixels of up to 4 bytes.
inline std::uint32_t read_pixel(const std::byte* from, std::uint32_t bytes) {
  std::uint32_t value = 0;
  if (bytes == 4) {
    std::memcpy(&value, from, 4);
    return value;
  }
  for (std::uint32_t k = 0; k < bytes; ++k) value |= std::to_integer<std::uint32_t>(from[k]) << 8 * k;
  return value;
}
inline void write_pixel(std::byte* to, std::uint32_t bytes, std::uint32_t value) {
  if (bytes == 4) {
    std::memcpy(to, &value, 4);
    return;
  }
  for (std::uint32_t k = 0; k < bytes; ++k) to[k] = static_cast<std::byte>(value >> 8 * k);
}
constexpr std::uint32_t most(unsigned bits) { return (1U << bits) - 1; }

// Turns a pixel of a tile into one in memory, and back.
class PixelStore {
 public:
  // Nothing if a target's two formats do not go together: then `what` says why.
  static std::optional<PixelStore> make(const RenderTarget& target, std::string& what);

  // Reads the channels of a pixel that store() writes; the others keep their value.
  void load(const std::byte* from, std::byte* to) const;

  std::uint32_t bytes() const { return bytes_; }
  // Bits of a stored pixel's components, from the lowest up; raw pixels have no components.
  const std::array<std::uint8_t, 4>& bits() const { return bits_; }
  // Bits of a tile's pixel that are stored; all bits of raw ones.
  std::uint32_t stored_bits() const {
    std::uint32_t bits = channels_ ? 0 : ~0U;
    for (const Part& part : parts_) bits |= most(part.bits) << part.from;
    return bits;
  }
  void store(const std::byte* from, std::byte* to) const {
    if (same_) {
      write_pixel(to, bytes_, read_pixel(from, bytes_));
    } else if (!channels_) {
      std::memcpy(to, from, bytes_);
    } else {
      const std::uint32_t pixel = read_pixel(from, tile_bytes_);
      std::uint32_t value = constant_;
      for (const Part& part : parts_) value |= (pixel >> part.from & most(part.bits)) << part.to;
      write_pixel(to, bytes_, value);
    }
  }

 private:
  struct Part {
    std::uint8_t from = 0, to = 0, bits = 0;
  };
  std::uint32_t bytes_ = 0, tile_bytes_ = 0, constant_ = 0;
  bool channels_ = false;
  bool same_ = false;  // with channels: a pixel in memory is the tile's, bit for bit
  std::array<std::uint8_t, 4> bits_{};
  std::vector<Part> parts_;
};

}  // namespace warpjit::valhall
