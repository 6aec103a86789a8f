// Pictures of targets: 8 bits a channel, differences.
#pragma once

#include <cstdint>

#include "launch/bound_launch.h"
#include "picture_file.h"

namespace warpjit::tool {

// A target as a picture whose top row is the target's last one: window y goes up. Floats are limited to 0 to
// 1; integers show their low bits; depth is grey, near is dark.
Image to_image(const BoundLaunch::Picture& picture, std::uint32_t width, std::uint32_t height);

// The largest difference of a channel, in how many pixels there is one, and a picture of it: white pixels are
// equal, the redder the more they differ. The sizes are equal.
struct Difference {
  unsigned largest = 0;
  std::uint64_t pixels = 0;
  Image image;
};
Difference compare_images(const Image& a, const Image& b);

}  // namespace warpjit::tool
