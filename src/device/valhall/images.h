// Images of a Mali v9 (docs/guests/valhall.md 8.5, 11): what a table of textures says of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/valhall/tile.h"
#include "frontend/grid.h"
#include "frontend/valhall/container/texture.h"

namespace warpjit::valhall {

// The images of table 5 by their numbers, those that are named here; the others, and those that the table
// does not have, are not there. `memory`: memory that an image may not be in.
// Errors name descriptor and field.
Result<std::vector<frontend::ImageSource>> read_images(const Image& image, const Environment& environment,
                                                       std::span<const std::uint32_t> numbers,
                                                       const TargetMemory& memory = {});

}  // namespace warpjit::valhall
