// Scenes of the PICA200, `"format": "pica-frame 1"`: memory, jobs, and what they leave in memory
// (docs/pica-pixels.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "capture/pica200/output_pixels.h"
#include "capture/pica200/scene.h"
#include "files.h"
#include "picture_file.h"
#include "warpjit/pica200.hpp"

namespace warpjit::tool {

using pica200::CommandList;
using pica200::compare_output;
using pica200::MemoryLoad;
using pica200::Scene;
using pica200::SceneJob;
using pica200::SceneMemory;
using pica200::SceneOutput;
using pica200::StateLoad;

// True if the text of a file says that it is one.
bool is_scene_text(std::string_view text);
// Errors name the field. `name`: of the file, for messages; files that it names lie in `folder`.
Result<Scene> read_scene(std::string_view text, const std::string& name, const std::filesystem::path& folder);

// The picture of an output, the first row in memory on top; depth is grey. None of an output without pixels.
std::optional<Image> output_picture(const SceneOutput& output, std::span<const std::byte> bytes);

}  // namespace warpjit::tool
