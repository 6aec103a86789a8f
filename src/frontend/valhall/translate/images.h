// Images that programs read and write by coordinates (valhall.md 8.5): what a translation depends on, and
// what it finds in the uniform table.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "frontend/grid.h"

namespace warpjit::valhall {

// Facts of one image.
struct ImageFacts {
  bool exists = false, interleaved = false, is_3d = false;
  std::uint8_t window = 0;      // whose high word its texels have
  std::uint32_t alignment = 1;  // of every texel: 1, 2 or 4
  std::uint32_t format = 0;
};
std::vector<ImageFacts> image_facts(const frontend::Grid& launch);

// The words of an image in the uniform table: the low half of the address of texel (0, 0, 0), extents in
// texels, strides in bytes.
enum class ImageWord : std::uint32_t { address, width, height, depth, row_stride, slice_stride };
inline constexpr std::uint32_t kImageWords = 6;
void fill_image_words(std::span<const frontend::ImageSource> images, std::span<std::uint32_t> table);

}  // namespace warpjit::valhall
