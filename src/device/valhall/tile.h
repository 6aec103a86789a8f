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
#include "frontend/valhall/container/framebuffer.h"
#include "warpjit/pixels.hpp"

namespace warpjit::valhall {

// Bytes of a pixel of an internal format; 0: there is no such format, or it is not supported.
std::uint32_t tile_pixel_bytes(std::uint8_t tile_format);
// Can a tile of that internal format have such pixels?
bool tile_has(std::uint8_t tile_format, const TargetFormat& target);
// Bits of r, g, b and a of unorm formats; else 0.
std::array<std::uint8_t, 4> channel_bits(PixelFormat format);

// Rows of pixels without padding, row 0 first; of a target that is off nothing.
struct TilePixels {
  PixelFormat format = PixelFormat::none;  // of a raw target that nothing has drawn to: none
  std::uint32_t pixel_bytes = 0;
  std::array<std::byte, 16> clear{};  // a pixel
  std::vector<std::byte> bytes{};
};

// Of one of the samples of all pixels.
struct FramePixels {
  std::uint32_t width = 0, height = 0;
  std::vector<TilePixels> colors;
  TilePixels depth;  // with stencil, if the format has it
  // How many fragments of each pixel passed; empty: nothing asks for it.
  std::vector<std::uint32_t> passed;
  std::vector<std::byte> depth_before;  // the bytes of depth before the first draw; or empty
};

// Checks where everything is stored to, before anything is drawn. Errors name descriptor and field.
Result<FramePixels> begin_frame(const Image& image, const Framebuffer& framebuffer, const DrawArea& area);
// Call this after the pre-frame draws, before the first draw.
void begin_draws(const Framebuffer& framebuffer, FramePixels& frame);
// Call this after the last draw: tiles that no draw has touched become clear, if the framebuffer says
// so.
void end_draws(const Framebuffer& framebuffer, std::span<FramePixels> samples);
// A target as its memory has it, or would have it: channels of the tile that are not stored are 0, alpha 1.
// Nothing: all are stored, or the target is not.
std::optional<TilePixels> without_unstored(const RenderTarget& target, const TilePixels& pixels);
// One sample for each pixel: the average of the colours of all, of depth and stencil the first one.
FramePixels resolve_samples(std::span<const FramePixels> samples);
// Stores what the framebuffer says to memory, inside of the area: to a layer of its own what has one for each
// sample; without a layer all else. Nothing fails that begin_frame took.
void store_frame(Image& image, const Framebuffer& framebuffer, const DrawArea& area, const FramePixels& frame,
                 std::optional<unsigned> layer = {});
// Likewise what goes to targets in AFBC. Errors: those of KeptPictures::keep.
Status keep_frame(const Framebuffer& framebuffer, const DrawArea& area, const FramePixels& frame,
                  KeptPictures& kept);
// Call this after storing: colours that nothing has written become what their memory has.
void show_unwritten(const Image& image, const Framebuffer& framebuffer, const DrawArea& area,
                    const KeptPictures& kept, FramePixels& frame);

// Memory that a target or depth plane takes.
struct TargetRange {
  std::string place;
  std::uint64_t address = 0, size = 0;
  bool stored = false;  // its pixels come there; else it is in AFBC, and they do not
};
std::vector<TargetRange> target_ranges(const Framebuffer& framebuffer);

// What memory is not what the image says while jobs run.
struct TargetMemory {
  std::span<const TargetRange> targets{};  // that textures and images may not be in
  const KeptPictures* kept = nullptr;      // null: none are

  // The target of the frame that has any of these bytes; empty: none.
  std::string target_of(std::uint64_t address, std::uint64_t size) const;
  // Likewise, or the kept picture.
  std::string place_of(std::uint64_t address, std::uint64_t size) const;
};

}  // namespace warpjit::valhall
