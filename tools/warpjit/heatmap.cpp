#include "heatmap.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "chart_font.h"

namespace warpjit::tool {

namespace {

using Rgb = std::array<std::uint8_t, 3>;
// From nothing to the most, in equal steps.
constexpr Rgb kHeat[] = {{0, 0, 0},      {30, 30, 140},  {130, 30, 150}, {215, 50, 60},
                         {245, 150, 30}, {250, 230, 90}, {255, 255, 255}};
constexpr std::uint32_t kLegendWidth = 84, kBarLeft = 6, kBarRight = 18, kTextLeft = 22, kMargin = 4;
constexpr std::uint32_t kLeastHeight = 64, kMarks = 4;  // numbers at 0, 1/4, ... of the bar

Rgb heat(double part) {
  const double place = std::clamp(part, 0.0, 1.0) * (std::size(kHeat) - 1);
  const auto stop = std::min<std::size_t>(static_cast<std::size_t>(place), std::size(kHeat) - 2);
  Rgb color{};
  for (unsigned c = 0; c < 3; ++c)
    color[c] = static_cast<std::uint8_t>(kHeat[stop][c] + (kHeat[stop + 1][c] - kHeat[stop][c]) *
                                                              (place - static_cast<double>(stop)));
  return color;
}

void put(Image& image, std::uint32_t x, std::uint32_t y, const Rgb& color) {
  if (x >= image.width || y >= image.height) return;
  std::uint8_t* const pixel = &image.rgba[4 * (std::size_t{y} * image.width + x)];
  std::copy(color.begin(), color.end(), pixel);
}

void write_text(Image& image, std::uint32_t left, std::uint32_t top, const std::string& text) {
  constexpr Rgb kInk{230, 230, 230};
  for (std::size_t k = 0; k < text.size(); ++k)
    for (int row = 0; row < kGlyphRows; ++row)
      for (int column = 0; column < kGlyphColumns; ++column)
        if (glyph(text[k])[static_cast<std::size_t>(row * kGlyphColumns + column)] == '#')
          put(image,
              left + static_cast<std::uint32_t>(k) * (kGlyphColumns + 1) + static_cast<std::uint32_t>(column),
              top + static_cast<std::uint32_t>(row), kInk);
}

}  // namespace

HeatSummary summarize(std::span<const std::uint32_t> counts) {
  HeatSummary summary;
  for (const std::uint32_t count : counts) {
    summary.most = std::max(summary.most, count);
    summary.total += count;
    summary.pixels += count != 0 ? 1 : 0;
  }
  return summary;
}

Image heat_image(std::span<const std::uint32_t> counts, std::uint32_t width, std::uint32_t height,
                 std::uint32_t most) {
  Image image;
  image.width = width + kLegendWidth;
  image.height = std::max(height, kLeastHeight);
  image.rgba.resize(std::size_t{4} * image.width * image.height);
  constexpr Rgb kBackground{40, 40, 46};
  for (std::uint32_t y = 0; y < image.height; ++y)
    for (std::uint32_t x = 0; x < image.width; ++x) {
      put(image, x, y, kBackground);
      image.rgba[4 * (std::size_t{y} * image.width + x) + 3] = 255;
    }
  const double scale = most == 0 ? 0 : 1.0 / most;
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x)
      put(image, x, y, heat(counts[std::size_t{height - 1 - y} * width + x] * scale));

  const std::uint32_t bar = image.height - 2 * kMargin;
  for (std::uint32_t y = 0; y < bar; ++y)
    for (std::uint32_t x = kBarLeft; x < kBarRight; ++x)
      put(image, width + x, kMargin + y, heat(1 - static_cast<double>(y) / (bar - 1)));
  for (std::uint32_t mark = 0; mark <= kMarks; ++mark) {
    const std::uint32_t y = (bar - kGlyphRows) * (kMarks - mark) / kMarks;
    write_text(image, width + kTextLeft, kMargin + y, fmt::format("{}", std::uint64_t{most} * mark / kMarks));
  }
  return image;
}

}  // namespace warpjit::tool
