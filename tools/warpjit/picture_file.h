// Pictures in PNG files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace warpjit::tool {

// Red, green, blue and alpha of each pixel, the top row first.
struct Image {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
};

// These give no bytes if there is no memory.
std::vector<std::byte> write_png(const Image& image);
// An animated PNG that repeats for ever. All images have one size. `milliseconds` each.
std::vector<std::byte> write_apng(std::span<const Image> images, unsigned milliseconds);
// Errors: bad_input for what is no PNG, or not all of one; resource_limit, before anything is allocated, for
// more pixels than `most` or more than `extent` in a direction.
inline constexpr std::uint64_t kMaxPicturePixels = std::uint64_t{1} << 28;
Result<Image> read_png(std::span<const std::byte> bytes, const std::string& name,
                       std::uint64_t most = kMaxPicturePixels, std::uint32_t extent = ~0U);

}  // namespace warpjit::tool
