// What lies in an output of a scene: as pixels in rows, and compared with what is expected.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "capture/pica200/scene.h"

namespace warpjit::pica200 {

// It has expected bytes, as many as these.
CaptureComparison compare_output(const SceneOutput& output, std::span<const std::byte> bytes);

// The first row in memory first; 4 bytes a pixel.
struct OutputPixels {
  PixelFormat format = PixelFormat::rgba8;  // or d24s8
  std::vector<std::byte> bytes;
};
// None of an output without pixels.
std::optional<OutputPixels> output_pixels(const SceneOutput& output, std::span<const std::byte> bytes);

}  // namespace warpjit::pica200
