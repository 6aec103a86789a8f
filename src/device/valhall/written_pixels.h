// Which pixels of a frame its draws have written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "device/valhall/tile.h"

namespace warpjit::valhall {

// Pixels that nothing writes keep their memory.
inline bool keeps_unwritten(const RenderTarget& target) {
  return target.write && target.blocks != BlockFormat::none && !target.write_clean;
}
inline bool keeps_unwritten_depth(const Framebuffer& framebuffer) {
  return (framebuffer.depth_write || framebuffer.stencil_write) && framebuffer.depth &&
         !framebuffer.depth_write_clean;
}
// Colours are loaded only in tiles that a draw touches, and stored in all.
inline bool clears_untouched(const Framebuffer& framebuffer) {
  return framebuffer.pre_frame[0] == FrameShaderMode::intersect &&
         std::ranges::any_of(framebuffer.targets, &RenderTarget::write_clean);
}

// True if a fragment has passed there.
inline bool is_written(const FramePixels& frame, std::size_t pixel) {
  return frame.passed.empty() || frame.passed[pixel] != 0;
}
// A test that fails may change the stencil.
inline bool is_depth_written(const FramePixels& frame, std::size_t pixel) {
  if (is_written(frame, pixel) || frame.depth_before.empty()) return true;
  const std::size_t at = pixel * frame.depth.pixel_bytes;
  return !std::equal(frame.depth.bytes.begin() + static_cast<std::ptrdiff_t>(at),
                     frame.depth.bytes.begin() + static_cast<std::ptrdiff_t>(at + frame.depth.pixel_bytes),
                     frame.depth_before.begin() + static_cast<std::ptrdiff_t>(at));
}

// Calls body(x, y, number of the pixel) for those of the area for which `wanted(number)`.
template <class Wanted, class Body>
void each_pixel(const DrawArea& area, const FramePixels& frame, const Wanted& wanted, const Body& body) {
  for (std::uint32_t y = area.first[1]; y <= area.last[1]; ++y)
    for (std::uint32_t x = area.first[0]; x <= area.last[0]; ++x)
      if (const std::size_t pixel = std::size_t{y} * frame.width + x; wanted(pixel)) body(x, y, pixel);
}

}  // namespace warpjit::valhall
