// How many instructions each pixel of a target executed, as a picture with a legend.
#pragma once

#include <cstdint>
#include <span>

#include "picture.h"

namespace warpjit::tool {

struct HeatSummary {
  std::uint32_t most = 0;  // of a pixel
  std::uint64_t total = 0;
  std::uint64_t pixels = 0;  // that executed any
};
HeatSummary summarize(std::span<const std::uint32_t> counts);

// `counts` of width * height pixels, row 0 first; the top row of the picture is the last one. Black is 0,
// white is `most`; at the right stand a bar of the colours and the numbers that they mean.
Image heat_image(std::span<const std::uint32_t> counts, std::uint32_t width, std::uint32_t height,
                 std::uint32_t most);

}  // namespace warpjit::tool
