#include "chart.h"

#include <fmt/core.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/text.h"
#include "chart_font.h"
#include "files.h"

namespace warpjit::tool {

namespace {

using Color = std::uint32_t;  // 0xRRGGBB
constexpr Color kBackground = 0xffffff, kInk = 0x202428, kGrid = 0xd8dce0;
constexpr Color kSeries[] = {0x9aa5b1, 0xd98e32, 0x3b7dd8, 0x1b4f9c, 0x2e9e6b, 0x8e44ad, 0xc0392b, 0x7f8c8d};

struct Rectangle {
  int x, y, width, height;
  Color color;
};
enum class Align { left, middle, right };
struct Text {
  int x, y;  // of the baseline
  std::string text;
  Align align;
  int scale;  // 2: normal, 3: title
};
struct Drawing {
  int width = 0, height = 0;
  std::vector<Rectangle> rectangles;
  std::vector<Text> texts;
};

std::string short_number(double value) {
  return value >= 100  ? fmt::format("{:.0f}", value)
         : value >= 10 ? fmt::format("{:.1f}", value)
                       : fmt::format("{:.2g}", value);
}

Drawing lay_out(const BarChart& chart) {
  constexpr int kBar = 46, kGap = 36, kLeft = 90, kRight = 30, kTop = 112, kPlot = 320, kBottom = 60;
  const int bars = static_cast<int>(chart.series.size()), groups = static_cast<int>(chart.groups.size());
  int longest = 0;
  for (const BarChart::Group& group : chart.groups)
    longest = std::max(longest, 12 * static_cast<int>(group.name.size()));
  const int group_width = std::max(bars * kBar, longest) + kGap;
  Drawing drawing;
  int legend_width = kLeft;
  for (const std::string& name : chart.series) legend_width += 40 + 12 * static_cast<int>(name.size());
  drawing.width = std::max({kLeft + groups * group_width + kRight, legend_width,
                            12 * static_cast<int>(chart.title.size()) + 2 * kRight});
  drawing.height = kTop + kPlot + kBottom;

  double low = INFINITY, high = 0;
  for (const BarChart::Group& group : chart.groups)
    for (const double value : group.values)
      if (value > 0) low = std::min(low, value), high = std::max(high, value);
  if (!(high > 0)) low = high = 1;
  const double bottom = std::floor(std::log10(low) - 0.05),
               top = std::max(bottom + 1, std::ceil(std::log10(high) + 0.05));
  const auto y_of = [&](double value) {
    return kTop + static_cast<int>(std::lround((top - std::log10(value)) / (top - bottom) * kPlot));
  };

  for (double decade = bottom; decade <= top; ++decade) {
    const int y = y_of(std::pow(10.0, decade));
    drawing.rectangles.push_back({kLeft, y, drawing.width - kLeft - kRight, 1, kGrid});
    drawing.texts.push_back({kLeft - 8, y + 5, fmt::format("{:g}", std::pow(10.0, decade)), Align::right, 2});
  }
  for (int g = 0; g < groups; ++g) {
    const BarChart::Group& group = chart.groups[static_cast<std::size_t>(g)];
    const int x = kLeft + g * group_width + (group_width - bars * kBar) / 2;
    drawing.texts.push_back({x + bars * kBar / 2, kTop + kPlot + 24, group.name, Align::middle, 2});
    for (int b = 0; b < bars && b < static_cast<int>(group.values.size()); ++b) {
      const double value = group.values[static_cast<std::size_t>(b)];
      if (!(value > 0)) continue;
      const int y = y_of(value);
      drawing.rectangles.push_back({x + b * kBar + 2, y, kBar - 4, kTop + kPlot - y,
                                    kSeries[static_cast<std::size_t>(b) % std::size(kSeries)]});
      drawing.texts.push_back({x + b * kBar + kBar / 2, y - 5, short_number(value), Align::middle, 2});
    }
  }
  drawing.rectangles.push_back({kLeft, kTop + kPlot, drawing.width - kLeft - kRight, 2, kInk});
  drawing.texts.push_back({drawing.width / 2, 32, chart.title, Align::middle, 2});
  drawing.texts.push_back({kLeft - 8, kTop - 16, chart.unit, Align::left, 2});
  int x = kLeft;
  for (std::size_t b = 0; b < chart.series.size(); ++b) {
    drawing.rectangles.push_back({x, 46, 14, 14, kSeries[b % std::size(kSeries)]});
    drawing.texts.push_back({x + 20, 58, chart.series[b], Align::left, 2});
    x += 40 + 12 * static_cast<int>(chart.series[b].size());
  }
  return drawing;
}

std::string escape(const std::string& text) {
  std::string escaped;
  for (const char c : text::visible(text))
    escaped += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return escaped;
}

// An RGB picture, rows top to bottom.
class Canvas {
 public:
  Canvas(int width, int height)
      : width_(width), height_(height), pixels_(static_cast<std::size_t>(width) * height * 3, 0xff) {}

  void fill(const Rectangle& r) {
    for (int y = std::max(0, r.y); y < std::min(height_, r.y + r.height); ++y)
      for (int x = std::max(0, r.x); x < std::min(width_, r.x + r.width); ++x) {
        std::uint8_t* pixel = &pixels_[(static_cast<std::size_t>(y) * width_ + x) * 3];
        for (int k = 0; k < 3; ++k) pixel[k] = static_cast<std::uint8_t>(r.color >> (16 - 8 * k));
      }
  }

  void write(const Text& text) {
    const int advance = 6 * text.scale, size = advance * static_cast<int>(text.text.size()) - text.scale;
    int x = text.x - (text.align == Align::left ? 0 : text.align == Align::middle ? size / 2 : size);
    for (const char c : text.text) {
      const std::string_view rows = glyph(c);
      for (int row = 0; row < kGlyphRows; ++row)
        for (int column = 0; column < kGlyphColumns; ++column)
          if (rows[static_cast<std::size_t>(row * kGlyphColumns + column)] == '#')
            fill({x + column * text.scale, text.y + (row - kGlyphRows) * text.scale, text.scale, text.scale,
                  kInk});
      x += advance;
    }
  }

  std::vector<std::byte> encode() const {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width_);
    image.height = static_cast<png_uint_32>(height_);
    image.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::vector<std::byte> bytes(size);
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels_.data(), 0, nullptr) == 0) size = 0;
    bytes.resize(size);
    return bytes;
  }

 private:
  int width_, height_;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace

std::string draw_svg(const BarChart& chart) {
  const Drawing drawing = lay_out(chart);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"DejaVu Sans Mono, monospace\" font-size=\"16\" fill=\"#{2:06x}\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#{3:06x}\"/>\n",
      drawing.width, drawing.height, kInk, kBackground);
  for (const Rectangle& r : drawing.rectangles)
    svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#{:06x}\"/>\n", r.x, r.y,
                       r.width, r.height, r.color);
  for (const Text& text : drawing.texts) {
    const char* anchor = text.align == Align::left ? "start" : text.align == Align::middle ? "middle" : "end";
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", text.x, text.y, anchor,
                       escape(text.text));
  }
  return svg + "</svg>\n";
}

std::vector<std::byte> draw_png(const BarChart& chart) {
  const Drawing drawing = lay_out(chart);
  Canvas canvas(drawing.width, drawing.height);
  for (const Rectangle& r : drawing.rectangles) canvas.fill(r);
  for (const Text& text : drawing.texts) canvas.write(text);
  return canvas.encode();
}

Status write_chart(const BarChart& chart, const std::string& file) {
  if (file.ends_with(".svg")) return write_file(file, draw_svg(chart));
  if (!file.ends_with(".png"))
    return Error{ErrorCode::bad_input, "a chart's name must end in .svg or .png", file};
  return write_picture(file, draw_png(chart));
}

}  // namespace warpjit::tool
