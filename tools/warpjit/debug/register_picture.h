// A register of every pixel as a picture.
#pragma once

#include <cstddef>

#include "picture.h"
#include "warpjit/debug.hpp"

namespace warpjit::tool {

struct RegisterPicture {
  // Grey from the least to the most; NaNs magenta, infinities yellow, what no fragment has dark blue.
  Image image;
  std::size_t pixels = 0, nans = 0, infinities = 0;
  float least = 0, most = 0;  // of the finite ones
};
RegisterPicture show_register(const DebugPicture& picture);

}  // namespace warpjit::tool
