// Draws of a fragment program in the guest interpreter, over the rasterizer of all guest interpreters
// (docs/guests/usse.md 8).
#pragma once

#include <vector>

#include "frontend/interpret/pixels.h"
#include "frontend/shader.h"
#include "frontend/usse/interpret/run.h"

namespace warpjit::usse {

// What a launch gives to both programs.
std::vector<std::uint32_t> secondary_attributes(const frontend::Values& values);
std::vector<MemoryPiece> pieces_of(const frontend::Grid& grid);

// Errors: those of the programs; unsupported for targets that native colours do not have.
Status draw_fragments(const Interpreter& interpreter, const frontend::Values& values,
                      const interpret::PixelWork& work, const RunLimits& limits);

}  // namespace warpjit::usse
