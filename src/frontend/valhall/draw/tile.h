// The pixels of a frame while its draws run, and what of them goes to memory (docs/guests/valhall.md 11).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "frontend/valhall/container/framebuffer.h"
#include "frontend/valhall/draw/state.h"
#include "warpjit/pixels.hpp"

namespace warpjit::valhall {

// Bytes of a pixel of an internal format; 0: there is no such format, or it is not supported.
std::uint32_t tile_pixel_bytes(std::uint8_t tile_format);
// Can a tile of that internal format have such pixels?
bool tile_has(std::uint8_t tile_format, PixelFormat format);
// Bits of r, g, b and a of unorm formats; else 0.
std::array<std::uint8_t, 4> channel_bits(PixelFormat format);
bool is_integer_format(PixelFormat format);

// Rows of pixels without padding, row 0 first; of a target that is off nothing.
struct TilePixels {
  PixelFormat format = PixelFormat::none;  // of a raw target that nothing has drawn to: none
  std::uint32_t pixel_bytes = 0;
  std::vector<std::byte> bytes{};
};

struct FramePixels {
  std::uint32_t width = 0, height = 0;
  std::vector<TilePixels> colors;
  TilePixels depth;  // with stencil, if the format has it
};

// Checks where everything is stored to, before anything is drawn. Errors name descriptor and field.
Result<FramePixels> begin_frame(const Image& image, const Framebuffer& framebuffer, const DrawArea& area);
// Stores what the framebuffer says to memory, inside of the area. Nothing fails that begin_frame took.
void store_frame(Image& image, const Framebuffer& framebuffer, const DrawArea& area,
                 const FramePixels& frame);

// Memory that a target or depth plane takes.
struct TargetRange {
  std::string place;
  std::uint64_t address = 0, size = 0;
  bool stored = false;  // its pixels come there; else they do not, as they would have to be compressed
};
std::vector<TargetRange> target_ranges(const Framebuffer& framebuffer);

}  // namespace warpjit::valhall
