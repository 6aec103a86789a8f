#include "picture.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "frontend/interpret/pixels/format.h"

namespace warpjit::tool {
namespace {

std::uint8_t channel(const interpret::Component& component, interpret::Kind kind, std::uint32_t word) {
  if (kind == interpret::Kind::integer) return static_cast<std::uint8_t>(word);
  float value = std::bit_cast<float>(word);
  if (!(value > 0)) return 0;
  value = std::min(value, 1.0F);
  // Pictures are encoded by the sRGB curve or not, as their targets are.
  if (component.encoding == interpret::Encoding::srgb)
    value = value <= 0.0031308F ? 12.92F * value : 1.055F * std::pow(value, 1 / 2.4F) - 0.055F;
  return static_cast<std::uint8_t>(std::lround(value * 255));
}

}  // namespace

Image to_image(const BoundLaunch::Picture& picture, std::uint32_t width, std::uint32_t height) {
  const interpret::FormatInfo& format = interpret::format_info(picture.format);
  const bool depth = is_depth(picture.format);
  Image image{width, height, std::vector<std::uint8_t>(std::size_t{4} * width * height, 255)};
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::size_t from = (std::size_t{y} * width + x) * format.bytes;
      const interpret::PixelWords pixel = interpret::load_pixel(picture.bytes.data() + from, format.bytes);
      std::uint8_t* to = image.rgba.data() + 4 * (std::size_t{height - 1 - y} * width + x);
      const auto shown = [&](std::size_t k) {
        const interpret::Component& component = format.components[k];
        return channel(component, format.kind,
                       interpret::decode(component, interpret::extract(component, pixel)));
      };
      if (depth) {
        to[0] = to[1] = to[2] = shown(0);
        continue;
      }
      for (std::size_t k = 0; k < 4; ++k)
        if (format.components[k].encoding != interpret::Encoding::none)
          to[k] = shown(k);
        else if (k < 3)  // of red alone grey, of red and green no blue
          to[k] = k == 2 && format.components[1].encoding != interpret::Encoding::none ? 0 : to[0];
    }
  return image;
}

Difference compare_images(const Image& a, const Image& b) {
  Difference difference;
  difference.image = {a.width, a.height, std::vector<std::uint8_t>(a.rgba.size(), 255)};
  for (std::size_t at = 0; at < a.rgba.size(); at += 4) {
    int largest = 0;
    for (std::size_t k = 0; k < 4; ++k)
      largest = std::max(largest, std::abs(a.rgba[at + k] - b.rgba[at + k]));
    if (largest == 0) continue;
    ++difference.pixels;
    difference.largest = std::max(difference.largest, static_cast<unsigned>(largest));
    const auto rest = static_cast<std::uint8_t>(191 - largest * 191 / 255);
    difference.image.rgba[at + 1] = difference.image.rgba[at + 2] = rest;
  }
  return difference;
}

}  // namespace warpjit::tool
