// The pixels of a frame before its first draw.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/fill.h"
#include "device/valhall/tile.h"
#include "device/valhall/written_pixels.h"
#include "frontend/valhall/container/format_names.h"

namespace warpjit::valhall {
namespace {

class FrameBuilder {
 public:
  FrameBuilder(const Image& image, const Framebuffer& framebuffer, const DrawArea& area)
      : image_(image), framebuffer_(framebuffer), area_(area) {}

  Result<FramePixels> build() {
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
    frame_.width = framebuffer_.width;
    frame_.height = framebuffer_.height;
    const std::uint64_t pixels = std::uint64_t{frame_.width} * frame_.height;
    std::uint64_t bytes = pixels * pixel_size(depth_pixels(framebuffer_.depth_format));
    for (const RenderTarget& target : framebuffer_.targets) {
      const std::uint32_t size = tile_pixel_bytes(target.tile_format);
      if (size == 0 && !target.is_off())
        return fail(target.place, "internal format is " + tile_format_text(target.tile_format));
      bytes += size * pixels;
      WARPJIT_CHECK(check_target(target));
    }
    WARPJIT_CHECK(check_depth());
    const bool counts = keeps_unwritten_depth(framebuffer_) || clears_untouched(framebuffer_) ||
                        std::ranges::any_of(framebuffer_.targets, keeps_unwritten);
    if (counts) bytes += sizeof(std::uint32_t) * pixels;
    bytes *= framebuffer_.samples;
    if (bytes > kMostBytes)
      return fail(framebuffer_.place,
                  std::to_string(bytes) + " bytes of its targets are more than " + std::to_string(kMostBytes),
                  ErrorCode::resource_limit);
    for (const RenderTarget& target : framebuffer_.targets) clear_target(target, pixels);
    clear_depth(pixels);
    if (counts) frame_.passed.resize(static_cast<std::size_t>(pixels));
    return std::move(frame_);
  }

 private:
  Error fail(const std::string& place, const std::string& what,
             ErrorCode code = ErrorCode::unsupported) const {
    return {code, place + ": " + what, image_.name()};
  }

  // Checks every sample's layer, or the place that all samples share.
  Status check_place(const std::string& place, PlanePlace plane, SampleStore samples,
                     std::uint32_t stride) const {
    const unsigned layers = samples == SampleStore::layered ? framebuffer_.samples : 1;
    if (const std::uint64_t least = area_.empty ? 0 : plane.end(area_) - plane.begin(area_);
        layers > 1 && stride < least)
      return fail(place,
                  "surface stride " + std::to_string(stride) + " is below the " + std::to_string(least) +
                      " bytes of a sample's layer",
                  ErrorCode::bad_input);
    for (unsigned n = 0; n < layers; ++n, plane.memory += stride) WARPJIT_CHECK(check_layer(place, plane));
    return {};
  }
  Status check_layer(const std::string& place, const PlanePlace& plane) const {
    if (area_.empty) return {};
    const std::uint64_t least = plane.least_row(area_);
    if (plane.row_stride < least && (area_.first[1] != area_.last[1] || plane.row_stride != 0))
      return fail(place,
                  "row stride " + std::to_string(plane.row_stride) + " is below the " +
                      std::to_string(least) + " bytes of a row",
                  ErrorCode::bad_input);
    const std::uint64_t begin = plane.begin(area_), end = plane.end(area_);
    if (!image_.find(plane.memory + begin, end - begin))
      return fail(place,
                  "base: " + std::to_string(end - begin) + " bytes at " + hex_text(plane.memory + begin) +
                      " are not all in the image",
                  ErrorCode::bad_input);
    return {};
  }

  Status check_target(const RenderTarget& target) const {
    if (!target.write || !is_stored(target.blocks)) return {};
    std::string what;
    const auto store = PixelStore::make(target, what);
    if (!store) return fail(target.place, what);
    return check_place(target.place, target_place(target, store->bytes()), target.samples,
                       target.layer_stride);
  }

  Status check_depth() const {
    if (!std::isfinite(framebuffer_.depth_clear))
      return fail(framebuffer_.place, "Z clear is no finite number", ErrorCode::bad_input);
    const std::string place = framebuffer_.place + ", ZS/CRC extension";
    if (const auto depth = depth_place(framebuffer_)) {
      if (depth->bytes == 0)
        return fail(place, "ZS write format is " + depth_format_text(framebuffer_.depth->format) + " of " +
                               std::string(name(framebuffer_.depth_format)));
      WARPJIT_CHECK(check_place(place + ", ZS writeback", *depth, framebuffer_.depth->samples,
                                framebuffer_.depth->layer_stride));
    }
    if (const auto stencil = stencil_place(framebuffer_)) {
      if (stencil->bytes == 0 || framebuffer_.depth_format != DepthFormat::d24)
        return fail(place, "S write format is " + stencil_format_text(framebuffer_.stencil->format) + " of " +
                               std::string(name(framebuffer_.depth_format)));
      WARPJIT_CHECK(check_place(place + ", S writeback", *stencil, framebuffer_.stencil->samples,
                                framebuffer_.stencil->layer_stride));
    }
    return {};
  }

  void clear_target(const RenderTarget& target, std::uint64_t pixels) {
    TilePixels color{.pixel_bytes = tile_pixel_bytes(target.tile_format)};
    std::array<std::byte, 16> pixel{};
    if (target.is_off()) {
      frame_.colors.emplace_back();
      return;
    }
    if (const TileRow* tile = find_tile(target.tile_format)) {
      color.format = tile->format;
      // The fraction is rounded, ties to even.
      std::uint32_t value = 0;
      unsigned from = 0, to = 0;
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned bits = tile->bits[k], fraction = tile->fraction[k];
        const std::uint32_t given = target.clear[0] >> from & most(bits + fraction);
        std::uint32_t whole = given >> fraction;
        if (fraction != 0) {
          const std::uint32_t rest = given & most(fraction), half = 1U << (fraction - 1);
          if (rest > half || (rest == half && whole % 2 != 0)) ++whole;
        }
        value |= std::min(whole, most(bits)) << to;
        from += bits + fraction;
        to += bits;
      }
      write_pixel(pixel.data(), color.pixel_bytes, value);
    } else {
      for (std::size_t k = 0; k < 16; ++k)
        pixel[k] = static_cast<std::byte>(target.clear[k / 4] >> 8 * (k % 4));
    }
    fill(color, pixel, pixels);
    frame_.colors.push_back(std::move(color));
  }

  void clear_depth(std::uint64_t pixels) {
    TilePixels& depth = frame_.depth;
    depth.format = depth_pixels(framebuffer_.depth_format);
    depth.pixel_bytes = static_cast<std::uint32_t>(pixel_size(depth.format));
    const float clear = framebuffer_.depth_clear, limited = std::clamp(clear, 0.0F, 1.0F);
    std::uint32_t value = 0;
    switch (framebuffer_.depth_format) {
      case DepthFormat::d16:
        value = static_cast<std::uint32_t>(std::nearbyint(limited * 65535.0F));
        break;
      case DepthFormat::d24:
        value = static_cast<std::uint32_t>(std::nearbyint(limited * 16777215.0F)) |
                std::uint32_t{framebuffer_.stencil_clear} << 24;
        break;
      case DepthFormat::d32:
        value = std::bit_cast<std::uint32_t>(clear);
        break;
    }
    std::array<std::byte, 16> pixel{};
    write_pixel(pixel.data(), depth.pixel_bytes, value);
    fill(depth, pixel, pixels);
  }

  static void fill(TilePixels& target, const std::array<std::byte, 16>& pixel, std::uint64_t pixels) {
    const std::size_t size = target.pixel_bytes;
    target.clear = pixel;
    target.bytes.resize(size * static_cast<std::size_t>(pixels));
    fill_pattern(target.bytes, std::span(pixel).first(size));
  }

  const Image& image_;
  const Framebuffer& framebuffer_;
  const DrawArea& area_;
  FramePixels frame_;
};

}  // namespace

Result<FramePixels> begin_frame(const Image& image, const Framebuffer& framebuffer, const DrawArea& area) {
  return FrameBuilder(image, framebuffer, area).build();
}

void begin_draws(const Framebuffer& framebuffer, FramePixels& frame) {
  if (keeps_unwritten_depth(framebuffer)) frame.depth_before = frame.depth.bytes;
}

}  // namespace warpjit::valhall
