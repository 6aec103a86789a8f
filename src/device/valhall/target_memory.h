// Where targets lie in memory (docs/guests/valhall.md 11).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/valhall/kept_pictures.h"
#include "device/valhall/state.h"
#include "frontend/valhall/container/chain_memory.h"
#include "frontend/valhall/container/framebuffer.h"

namespace warpjit::valhall {

// Where pixels of a linear or u-interleaved plane lie.
struct PlanePlace {
  BlockFormat blocks = BlockFormat::linear;
  std::uint64_t memory = 0;
  std::uint32_t row_stride = 0, bytes = 0;

  std::uint64_t offset(std::uint32_t x, std::uint32_t y) const {
    if (blocks == BlockFormat::linear) return std::uint64_t{y} * row_stride + std::uint64_t{x} * bytes;
    // Four bits, on every second place.
    constexpr std::array<std::uint8_t, 16> kSpread = {0,  1,  4,  5,  16, 17, 20, 21,
                                                      64, 65, 68, 69, 80, 81, 84, 85};
    const std::uint32_t inside = kSpread[(x ^ y) & 15] | std::uint32_t{kSpread[y & 15]} << 1;
    return std::uint64_t{y / 16} * row_stride + (std::uint64_t{x / 16} * 256 + inside) * bytes;
  }
  // Bytes from offset() of the first row, or row of blocks, to the end of the last.
  std::uint64_t begin(const DrawArea& area) const {
    if (blocks == BlockFormat::linear) return offset(area.first[0], area.first[1]);
    return offset(area.first[0] & ~15U, area.first[1] & ~15U);
  }
  std::uint64_t end(const DrawArea& area) const {
    if (blocks == BlockFormat::linear) return offset(area.last[0], area.last[1]) + bytes;
    return offset(area.last[0] & ~15U, area.last[1] & ~15U) + 256ULL * bytes;
  }
  std::uint64_t least_row(const DrawArea& area) const {
    if (blocks == BlockFormat::linear) return (area.last[0] + 1ULL) * bytes;
    return (area.last[0] / 16 + 1ULL) * 256 * bytes;
  }
};

bool is_stored(BlockFormat blocks);
bool is_compressed(BlockFormat blocks);
// A header of 16 bytes for each block of 16 x 16 pixels, and bodies that are no larger than the pixels.
std::uint64_t compressed_size(const Framebuffer& framebuffer, std::uint32_t pixel_bytes);
// Bytes of a pixel of depth, or of stencil alone; 0: not supported.
std::uint32_t depth_bytes(DepthFormat tile, std::uint8_t stored);
// True if the layer's samples go there; without a layer, if all samples share one place.
bool has_layer(SampleStore samples, std::optional<unsigned> layer);

// Places of what is stored; nothing if it is off or compressed. `layer`: of a sample.
std::optional<PlanePlace> depth_place(const Framebuffer& framebuffer, std::optional<unsigned> layer = {});
std::optional<PlanePlace> stencil_place(const Framebuffer& framebuffer, std::optional<unsigned> layer = {});
PlanePlace target_place(const RenderTarget& target, std::uint32_t bytes, std::optional<unsigned> layer = {});

// Memory that a target or depth plane takes.
struct TargetRange {
  std::string place;
  std::uint64_t address = 0, size = 0;
  bool stored = false;  // its pixels are stored there; else it is in AFBC, and they are not
};
std::vector<TargetRange> target_ranges(const Framebuffer& framebuffer);

// The memory of a colour target's pixels, or of the depth's, in all samples; nothing if they are not stored.
std::optional<MemoryRange> target_memory(const Framebuffer& framebuffer, std::size_t target);
std::optional<MemoryRange> depth_memory(const Framebuffer& framebuffer);

// Memory whose bytes in the image are not up to date while jobs run.
struct TargetMemory {
  std::span<const TargetRange> targets{};  // textures and images may not be in them
  const KeptPictures* kept = nullptr;      // null: no pictures

  // The target of the frame that has any of these bytes; empty: none.
  std::string target_of(std::uint64_t address, std::uint64_t size) const;
  // The same, or the kept picture.
  std::string place_of(std::uint64_t address, std::uint64_t size) const;
};

}  // namespace warpjit::valhall
