// The state of a draw of a Mali v9 in the terms that all GPUs share (docs/guests/valhall.md 11).
#pragma once

#include <array>

#include "frontend/valhall/container/draw.h"
#include "frontend/valhall/container/framebuffer.h"
#include "warpjit/pixels.hpp"
#include "warpjit/valhall.hpp"

namespace warpjit::valhall {

// Pixels that a draw may change: columns first[0] to last[0], rows first[1] to last[1].
struct DrawArea {
  std::array<std::uint32_t, 2> first{}, last{};
  bool empty = false;
};
// The framebuffer's bounds and the tiles of its job.
DrawArea area_of(const Framebuffer& framebuffer, const FragmentPayload& payload);

struct DrawState {
  bool nothing = false;  // no pixel can change
  RasterState raster;    // but for what comes from the vertices: topology, slot of sizes
  OutputState output;    // with the formats of what the draw uses
  FragmentSetup fragment;
};
// The state of one of the samples of pixels. Errors name descriptor and field: bad_input, unsupported.
Result<DrawState> convert_draw(const Image& image, const DrawDescriptor& draw, const Framebuffer& framebuffer,
                               const DrawArea& area, unsigned sample = 0);

// Descriptor n writes this target in this pixel format, by its blend shader (blend_shaders.h); `state` is
// that of the draw. Errors as of convert_draw.
Status bind_shader_target(const Image& image, const DrawDescriptor& draw, const Framebuffer& framebuffer,
                          std::size_t n, unsigned target, std::uint32_t format, DrawState& state);

// The pixels of depth and stencil in a tile.
PixelFormat depth_pixels(DepthFormat format);

}  // namespace warpjit::valhall
