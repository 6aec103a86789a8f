#include "capture/pica200/output_pixels.h"

#include <algorithm>
#include <array>

#include "frontend/pica200/interpret/fragment/output.h"

namespace warpjit::pica200 {
namespace {

using Layout = SceneOutput::Layout;

ColorFormat color_format(const SceneOutput& output) {
  return output.layout == Layout::linear ? pica200::transfer_format(output.format)
                                         : static_cast<ColorFormat>(output.format);
}

// Channels of a pixel in units of its format.
struct Channels {
  std::array<std::uint32_t, 4> values{};
  unsigned count = 0;
};
Channels channels_of(const SceneOutput& output, const std::byte* unit) {
  if (output.layout == Layout::bytes) return {{std::to_integer<std::uint32_t>(*unit)}, 1};
  if (output.layout == Layout::depth) {
    const std::size_t bytes = output.format == 0 ? 2 : 3;
    Channels channels;
    for (std::size_t n = 0; n < bytes; ++n)
      channels.values[0] |= std::to_integer<std::uint32_t>(unit[n]) << 8 * n;
    channels.count = 1;
    if (output.format == 3) channels.values[channels.count++] = std::to_integer<std::uint32_t>(unit[3]);
    return channels;
  }
  constexpr std::array<std::array<std::uint8_t, 4>, 5> kWidths = {
      {{8, 8, 8, 8}, {8, 8, 8, 8}, {5, 5, 5, 1}, {5, 6, 5, 8}, {4, 4, 4, 4}}};
  const ColorFormat format = color_format(output);
  const fragment::Bytes4 color = fragment::read_pixel(format, unit);
  Channels channels;
  channels.count = 4;
  for (std::size_t n = 0; n < 4; ++n)
    channels.values[n] = color[n] >> (8 - kWidths[static_cast<std::size_t>(format)][n]);
  return channels;
}

}  // namespace

CaptureComparison compare_output(const SceneOutput& output, std::span<const std::byte> bytes) {
  constexpr std::uint64_t kOneIn = 500;  // pixels that may differ by any amount
  CaptureComparison difference;
  const std::size_t unit = unit_bytes(output);
  difference.units = bytes.size() / unit;
  if (output.tolerance != 0) difference.allowed = difference.units / kOneIn;
  for (std::size_t at = 0; at + unit <= bytes.size(); at += unit) {
    const std::byte *got = bytes.data() + at, *wanted = output.expected->data() + at;
    if (std::equal(got, got + unit, wanted)) continue;
    ++difference.differ;
    const Channels a = channels_of(output, got), b = channels_of(output, wanted);
    bool beyond = false;
    for (unsigned n = 0; n < a.count; ++n) {
      const std::uint32_t x = std::max(a.values[n], b.values[n]), y = std::min(a.values[n], b.values[n]);
      beyond = beyond || x - y > output.tolerance;
    }
    difference.beyond += beyond;
  }
  return difference;
}

std::optional<OutputPixels> output_pixels(const SceneOutput& output, std::span<const std::byte> bytes) {
  if (output.layout == Layout::bytes || output.width == 0 || output.height == 0) return std::nullopt;
  OutputPixels pixels;
  pixels.format = output.layout == Layout::depth ? PixelFormat::d24s8 : PixelFormat::rgba8;
  pixels.bytes.resize(std::size_t{output.width} * output.height * 4);
  const std::size_t unit = unit_bytes(output);
  const TargetSetup rows{output.width, output.height, true, 0, 0};  // as they lie in memory
  for (std::uint32_t y = 0; y < output.height; ++y)
    for (std::uint32_t x = 0; x < output.width; ++x) {
      const std::size_t number = output.layout == Layout::linear ? std::size_t{y} * output.width + x
                                                                 : fragment::pixel_number(rows, x, y);
      const std::byte* const pixel = bytes.data() + number * unit;
      std::byte* const to = pixels.bytes.data() + (std::size_t{y} * output.width + x) * 4;
      if (output.layout == Layout::depth) {
        // 16 bits are the upper ones of 24.
        std::copy_n(pixel, unit, to + (output.format == 0 ? 1 : 0));
      } else {
        const fragment::Bytes4 color = fragment::read_pixel(color_format(output), pixel);
        for (std::size_t k = 0; k < 4; ++k) to[k] = static_cast<std::byte>(color[k]);
      }
    }
  return pixels;
}

}  // namespace warpjit::pica200
