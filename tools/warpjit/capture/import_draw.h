// A draw of the Vita in JSON, with its programs as GXP files beside it, as a capture (docs/captures.md).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpjit::tool {

// True for an object with `vertex`, `fragment` and `target`, and no `warpjit`, which launch files have.
bool is_draw_text(std::string_view text);
// The bytes of the capture. The draw runs once, so that what the console or warpjit refuses is an error here.
// Errors name the field or the draw's own place.
Result<std::vector<std::byte>> import_draw(std::string_view text, const std::string& name,
                                           const std::filesystem::path& folder);

}  // namespace warpjit::tool
