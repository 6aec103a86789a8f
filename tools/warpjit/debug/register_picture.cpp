#include "debug/register_picture.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpjit::tool {

RegisterPicture show_register(const DebugPicture& picture) {
  RegisterPicture result;
  bool any = false;
  for (std::size_t k = 0; k < picture.values.size(); ++k) {
    if (picture.there[k] == 0) continue;
    ++result.pixels;
    const float value = std::bit_cast<float>(picture.values[k]);
    if (std::isnan(value)) ++result.nans;
    if (std::isinf(value)) ++result.infinities;
    if (!std::isfinite(value)) continue;
    result.least = any ? std::min(result.least, value) : value;
    result.most = any ? std::max(result.most, value) : value;
    any = true;
  }
  result.image.width = picture.width;
  result.image.height = picture.height;
  result.image.rgba.resize(4 * picture.values.size());
  const double range = static_cast<double>(result.most) - static_cast<double>(result.least);
  for (std::size_t k = 0; k < picture.values.size(); ++k) {
    const float value = std::bit_cast<float>(picture.values[k]);
    std::array<std::uint8_t, 3> color{16, 16, 64};
    if (picture.there[k] != 0) {
      const double part =
          range > 0 ? (static_cast<double>(value) - static_cast<double>(result.least)) / range : 0.5;
      const auto grey = static_cast<std::uint8_t>(std::isfinite(value) ? 255 * part : 0);
      color = {grey, grey, grey};
      if (std::isnan(value)) color = {255, 0, 255};
      if (std::isinf(value)) color = {255, 255, 0};
    }
    for (std::size_t c = 0; c < 3; ++c) result.image.rgba[4 * k + c] = color[c];
    result.image.rgba[4 * k + 3] = 255;
  }
  return result;
}

}  // namespace warpjit::tool
