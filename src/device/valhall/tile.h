// The pixels of a frame while its draws run, and what of them goes to memory (docs/guests/valhall.md 11).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "device/valhall/kept_pictures.h"
#include "device/valhall/pixel_format.h"
#include "device/valhall/state.h"
#include "device/valhall/target_memory.h"
#include "device/valhall/tile_format.h"
#include "frontend/valhall/container/framebuffer.h"
#include "warpjit/capture.hpp"
#include "warpjit/pixels.hpp"

namespace warpjit::valhall {

// Rows of pixels without padding, row 0 first; empty for a target that is off.
struct TilePixels {
  PixelFormat format = PixelFormat::none;  // none: raw, and nothing has drawn to it
  std::uint32_t pixel_bytes = 0;
  std::array<std::byte, 16> clear{};  // a pixel
  std::vector<std::byte> bytes{};
};

// One of the samples of all pixels.
struct FramePixels {
  std::uint32_t width = 0, height = 0;
  std::vector<TilePixels> colors;
  TilePixels depth;  // with stencil, if the format has it
  // How many fragments of each pixel passed; empty: nothing needs it.
  std::vector<std::uint32_t> passed;
  std::vector<std::byte> depth_before;  // the bytes of depth before the first draw; or empty
};

// Checks where everything is stored to, before anything is drawn. Errors name descriptor and field.
Result<FramePixels> begin_frame(const Image& image, const Framebuffer& framebuffer, const DrawArea& area);
// Call this after the pre-frame draws, before the first draw.
void begin_draws(const Framebuffer& framebuffer, FramePixels& frame);
// Call this after the last draw: tiles that no draw has touched become clear, if the framebuffer says so.
void end_draws(const Framebuffer& framebuffer, std::span<FramePixels> samples);
// A target as its memory has it, or would have it: channels of the tile that are not stored are 0, alpha 1.
// Nothing if all are stored, or if the target is not.
std::optional<TilePixels> without_unstored(const RenderTarget& target, const TilePixels& pixels);
// One sample for each pixel: the average of all colours, and the first depth and stencil.
FramePixels resolve_samples(std::span<const FramePixels> samples);
// Stores inside the area what the framebuffer says: with a layer, targets that have one for each sample, to
// that layer; without, all other targets. What begin_frame accepted does not fail.
void store_frame(Image& image, const Framebuffer& framebuffer, const DrawArea& area, const FramePixels& frame,
                 std::optional<unsigned> layer = {});
// Keeps what goes to targets in AFBC. Errors: those of KeptPictures::keep.
Status keep_frame(const Framebuffer& framebuffer, const DrawArea& area, const FramePixels& frame,
                  KeptPictures& kept);
// How the memory of a colour target differs from what is expected of it, `wanted`, of the same size; both begin
// where the target does. Channels may differ by `tolerance` of 255; raw pixels are equal or are not. Nothing if
// the target is not stored, or in one place for each sample.
std::optional<CaptureComparison> compare_target(const Framebuffer& framebuffer, std::size_t target,
                                                std::span<const std::byte> got,
                                                std::span<const std::byte> wanted, std::uint32_t tolerance);
// Call this after storing: colours that nothing has written become what their memory has.
void show_unwritten(const Image& image, const Framebuffer& framebuffer, const DrawArea& area,
                    const KeptPictures& kept, FramePixels& frame);

}  // namespace warpjit::valhall
