// Pictures of targets: 8 bits a channel, PNG files, differences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/bound_launch.h"

namespace warpjit::tool {

// Red, green, blue and alpha of each pixel, the top row first.
struct Image {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
};

// A target as a picture whose top row is the target's last one: window y goes up. Floats are limited to 0 to
// 1; integers show their low bits; depth is grey, near is dark.
Image to_image(const BoundLaunch::Picture& picture, std::uint32_t width, std::uint32_t height);

std::vector<std::byte> write_png(const Image& image);
// An animated PNG that repeats for ever. All images have one size. `milliseconds` each.
std::vector<std::byte> write_apng(std::span<const Image> images, unsigned milliseconds);
// Errors: bad_input for what is no PNG, resource_limit for more than 2^28 pixels.
Result<Image> read_png(std::span<const std::byte> bytes, const std::string& name);

// The largest difference of a channel, in how many pixels there is one, and a picture of it: white pixels are
// equal, the redder the more they differ. The sizes are equal.
struct Difference {
  unsigned largest = 0;
  std::uint64_t pixels = 0;
  Image image;
};
Difference compare_images(const Image& a, const Image& b);

}  // namespace warpjit::tool
