// The pixels of a frame after its last draw: what of them goes to memory.
#include "device/valhall/tile.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "device/valhall/written_pixels.h"
#include "frontend/valhall/container/format_names.h"

namespace warpjit::valhall {
namespace {

constexpr std::uint8_t kDepthWithStencil = 5;  // a format in memory
// The format of a texture that reads such depth: Z16, Z24X8, a float.
std::uint8_t depth_texel(std::uint8_t stored) { return stored == 1 ? 75 : stored == 14 ? 167 : 77; }

template <class Wanted, class Store>
void store_pixels(Image& image, PlanePlace plane, const DrawArea& area, const FramePixels& frame,
                  const TilePixels& pixels, const Wanted& wanted, const Store& store) {
  const std::uint64_t begin = plane.begin(area);
  std::byte* const base = image.find_writable(plane.memory + begin, plane.end(area) - begin)->data();
  const std::byte* const from = pixels.bytes.data();
  const std::size_t bytes = pixels.pixel_bytes;
  each_pixel(area, frame, wanted, [=](std::uint32_t x, std::uint32_t y, std::size_t pixel) {
    store(from + pixel * bytes, base + (plane.offset(x, y) - begin));
  });
}

// How depth lies in memory, with the stencil above it if the format says so.
void store_depth(const Framebuffer& framebuffer, std::uint32_t pixel_bytes, std::uint32_t bytes,
                 const std::byte* from, std::byte* to) {
  std::uint32_t value = read_pixel(from, pixel_bytes);
  if (framebuffer.depth->format == 4) value &= 0xffffff;
  write_pixel(to, bytes, value);
}

// A target in AFBC gets what it had where nothing is written.
template <class Wanted, class Store>
Status keep_pixels(KeptPictures& kept, KeptPicture picture, const DrawArea& area, const FramePixels& frame,
                   const TilePixels& pixels, const Wanted& wanted, const Store& store) {
  const KeptPicture* const before = kept.find(picture.address);
  picture.width = frame.width;
  picture.height = frame.height;
  if (before != nullptr && before->width == picture.width && before->height == picture.height &&
      before->pixel_bytes == picture.pixel_bytes)
    std::tie(picture.bytes, picture.known) = std::tie(before->bytes, before->known);
  const std::size_t count = picture.pixel_bytes == 0 ? 0 : std::size_t{frame.width} * frame.height;
  picture.bytes.resize(count * picture.pixel_bytes);
  picture.known.resize(count);
  if (picture.pixel_bytes != 0)
    each_pixel(area, frame, wanted, [&](std::uint32_t, std::uint32_t, std::size_t pixel) {
      store(pixels.bytes.data() + pixel * pixels.pixel_bytes,
            picture.bytes.data() + pixel * picture.pixel_bytes);
      picture.known[pixel] = 1;
    });
  return kept.keep(std::move(picture));
}

}  // namespace

void end_draws(const Framebuffer& framebuffer, std::span<FramePixels> samples) {
  if (!clears_untouched(framebuffer)) return;
  const FramePixels& frame = samples.front();
  constexpr std::uint32_t kTile = 16;
  for (std::uint32_t top = 0; top < frame.height; top += kTile)
    for (std::uint32_t left = 0; left < frame.width; left += kTile) {
      const DrawArea tile{
          .first = {left, top},
          .last = {std::min(left + kTile, frame.width) - 1, std::min(top + kTile, frame.height) - 1}};
      bool touched = false;
      for (const FramePixels& sample : samples)
        each_pixel(
            tile, sample, [&](std::size_t pixel) { return sample.passed[pixel] != 0; },
            [&](std::uint32_t, std::uint32_t, std::size_t) { touched = true; });
      if (touched) continue;
      for (FramePixels& sample : samples)
        for (TilePixels& color : sample.colors)
          each_pixel(
              tile, sample, [&](std::size_t) { return color.pixel_bytes != 0; },
              [&](std::uint32_t, std::uint32_t, std::size_t pixel) {
                std::memcpy(color.bytes.data() + pixel * color.pixel_bytes, color.clear.data(),
                            color.pixel_bytes);
              });
    }
}

std::optional<TilePixels> without_unstored(const RenderTarget& target, const TilePixels& pixels) {
  const TileRow* tile = find_tile(target.tile_format);
  std::string ignored;
  const auto store = PixelStore::make(target, ignored);
  if (tile == nullptr || !store || !target.write) return std::nullopt;
  const auto& bits = tile->bits;
  const std::uint32_t colors = most(bits[0] + bits[1] + bits[2]), alpha = most(bits[3])
                                                                          << (bits[0] + bits[1] + bits[2]);
  const std::uint32_t stored = store->stored_bits() & (colors | alpha);
  if (stored == (colors | alpha)) return std::nullopt;
  TilePixels shown = pixels;
  for (std::size_t at = 0; at < shown.bytes.size(); at += tile->bytes) {
    std::byte* const pixel = shown.bytes.data() + at;
    write_pixel(pixel, tile->bytes, (read_pixel(pixel, tile->bytes) & stored) | (alpha & ~stored));
  }
  return shown;
}

void store_frame(Image& image, const Framebuffer& framebuffer, const DrawArea& area, const FramePixels& frame,
                 std::optional<unsigned> layer) {
  if (area.empty) return;
  for (std::size_t n = 0; n < framebuffer.targets.size(); ++n) {
    const RenderTarget& target = framebuffer.targets[n];
    std::string ignored;
    if (!target.write || !is_stored(target.blocks) || !has_layer(target.samples, layer)) continue;
    if (const auto store = PixelStore::make(target, ignored))
      store_pixels(
          image, target_place(target, store->bytes(), layer), area, frame, frame.colors[n],
          [&](std::size_t pixel) { return target.write_clean || is_written(frame, pixel); },
          [&](const std::byte* from, std::byte* to) { store->store(from, to); });
  }
  const auto wanted = [&](std::size_t pixel) {
    return framebuffer.depth_write_clean || is_depth_written(frame, pixel);
  };
  if (const auto plane = depth_place(framebuffer, layer);
      plane && has_layer(framebuffer.depth->samples, layer))
    store_pixels(image, *plane, area, frame, frame.depth, wanted, [&](const std::byte* from, std::byte* to) {
      store_depth(framebuffer, frame.depth.pixel_bytes, plane->bytes, from, to);
    });
  if (const auto plane = stencil_place(framebuffer, layer);
      plane && has_layer(framebuffer.stencil->samples, layer))
    store_pixels(image, *plane, area, frame, frame.depth, wanted,
                 [&](const std::byte* from, std::byte* to) { *to = from[3]; });
}

void show_unwritten(const Image& image, const Framebuffer& framebuffer, const DrawArea& area,
                    const KeptPictures& kept, FramePixels& frame) {
  if (area.empty) return;
  for (std::size_t n = 0; n < framebuffer.targets.size(); ++n) {
    const RenderTarget& target = framebuffer.targets[n];
    std::string ignored;
    const auto store = PixelStore::make(target, ignored);
    if (!target.write || target.write_clean || target.samples == SampleStore::layered || !store) continue;
    TilePixels& color = frame.colors[n];
    const auto unwritten = [&](std::size_t pixel) { return !is_written(frame, pixel); };
    const auto at = [&](std::size_t pixel) { return color.bytes.data() + pixel * color.pixel_bytes; };
    if (is_stored(target.blocks)) {
      const PlanePlace plane = target_place(target, store->bytes());
      const std::uint64_t begin = plane.begin(area);
      const auto bytes = image.find(plane.memory + begin, plane.end(area) - begin);
      each_pixel(area, frame, unwritten, [&](std::uint32_t x, std::uint32_t y, std::size_t pixel) {
        store->load(bytes->data() + (plane.offset(x, y) - begin), at(pixel));
      });
    } else if (const KeptPicture* picture = kept.find(target.memory);
               is_compressed(target.blocks) && picture != nullptr && !picture->bytes.empty()) {
      each_pixel(area, frame, unwritten, [&](std::uint32_t, std::uint32_t, std::size_t pixel) {
        store->load(picture->bytes.data() + pixel * picture->pixel_bytes, at(pixel));
      });
    }
  }
}

Status keep_frame(const Framebuffer& framebuffer, const DrawArea& area, const FramePixels& frame,
                  KeptPictures& kept) {
  if (area.empty) return {};
  for (std::size_t n = 0; n < framebuffer.targets.size(); ++n) {
    const RenderTarget& target = framebuffer.targets[n];
    if (!target.write || !is_compressed(target.blocks)) continue;
    KeptPicture picture{.place = target.place,
                        .address = target.memory,
                        .size = compressed_size(framebuffer, tile_pixel_bytes(target.tile_format))};
    const auto store = PixelStore::make(target, picture.why);
    if (target.samples == SampleStore::layered) {
      picture.why = "it has several samples";
    } else if (store) {
      picture.pixel_bytes = store->bytes();
      picture.bits = store->bits();
    }
    WARPJIT_CHECK(keep_pixels(
        kept, std::move(picture), area, frame, frame.colors[n],
        [&](std::size_t pixel) { return target.write_clean || is_written(frame, pixel); },
        [&](const std::byte* from, std::byte* to) { store->store(from, to); }));
  }
  if (!framebuffer.depth_write || !framebuffer.depth || !is_compressed(framebuffer.depth->blocks)) return {};
  const DepthPlane& plane = *framebuffer.depth;
  KeptPicture picture{.place = framebuffer.place + ", ZS/CRC extension",
                      .address = plane.memory,
                      .size = compressed_size(framebuffer, 4),
                      .pixel_bytes = depth_bytes(framebuffer.depth_format, plane.format),
                      .depth = depth_texel(plane.format),
                      .stencil = plane.format == kDepthWithStencil};
  if (plane.samples == SampleStore::layered) picture.pixel_bytes = 0;
  if (picture.pixel_bytes == 0) picture.why = "ZS write format is " + depth_format_text(plane.format);
  const std::uint32_t bytes = picture.pixel_bytes;
  return keep_pixels(
      kept, std::move(picture), area, frame, frame.depth,
      [&](std::size_t pixel) { return framebuffer.depth_write_clean || is_depth_written(frame, pixel); },
      [&](const std::byte* from, std::byte* to) {
        store_depth(framebuffer, frame.depth.pixel_bytes, bytes, from, to);
      });
}

std::optional<CaptureComparison> compare_target(const Framebuffer& framebuffer, std::size_t target,
                                                std::span<const std::byte> got,
                                                std::span<const std::byte> wanted, std::uint32_t tolerance) {
  const RenderTarget& from = framebuffer.targets[target];
  std::string ignored;
  const auto store = PixelStore::make(from, ignored);
  const auto range = target_memory(framebuffer, target);
  if (!store || !range || from.samples == SampleStore::layered || got.size() != range->size ||
      wanted.size() != range->size)
    return std::nullopt;
  const PlanePlace plane = target_place(from, store->bytes());
  const auto beyond = [&](const std::byte* a, const std::byte* b) {
    if (store->bits() == std::array<std::uint8_t, 4>{}) return true;
    const std::uint32_t x = read_pixel(a, store->bytes()), y = read_pixel(b, store->bytes());
    unsigned at = 0;
    for (const std::uint8_t bits : store->bits()) {
      if (bits == 0) continue;
      const auto u = static_cast<std::int64_t>(x >> at & most(bits)),
                 v = static_cast<std::int64_t>(y >> at & most(bits));
      if (std::abs(u - v) * 255 > std::int64_t{tolerance} * most(bits)) return true;
      at += bits;
    }
    return false;
  };
  CaptureComparison compared;
  compared.units = std::uint64_t{framebuffer.width} * framebuffer.height;
  for (std::uint32_t y = 0; y < framebuffer.height; ++y)
    for (std::uint32_t x = 0; x < framebuffer.width; ++x) {
      const auto offset = static_cast<std::size_t>(plane.offset(x, y));
      const std::byte *const a = got.data() + offset, *const b = wanted.data() + offset;
      if (std::equal(a, a + store->bytes(), b)) continue;
      ++compared.differ;
      if (!beyond(a, b)) continue;
      if (compared.beyond++ == 0) compared.first = std::uint64_t{y} * framebuffer.width + x;
    }
  return compared;
}

}  // namespace warpjit::valhall
