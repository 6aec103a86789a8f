// The textures of a draw of the PICA200, as visitors of captures see them.
#pragma once

#include <functional>

#include "base/result.h"
#include "capture/texture_picture.h"
#include "device/pica200/draw_view.h"
#include "frontend/pica200/facts/fragment_memory.h"
#include "warpjit/capture.hpp"

namespace warpjit::pica200 {

// In the order in which drawing finds them, and as it fails: visit(unit, found).
using VisitTexture = std::function<Status(unsigned unit, const FoundTexture& found)>;
Status find_textures(const DrawView& draw, const VisitTexture& visit);

// Shows the first level that the unit may sample, each face: visit(texture). False ends it.
bool show_texture(const DrawView& draw, unsigned unit, const FoundTexture& found, std::uint32_t most,
                  capture::TextureNumbers& numbers, const std::function<bool(const CaptureTexture&)>& visit);

}  // namespace warpjit::pica200
