// Changes of a page with a draw.
#pragma once

#include <functional>

#include "valhall/draw_page.h"

namespace warpjit::valhall {

using PageChange = std::function<void(ImagePage&)>;

inline PageChange word(std::uint32_t offset, std::uint32_t value) {
  return [=](ImagePage& page) { page.u32(offset, value); };
}

}  // namespace warpjit::valhall
