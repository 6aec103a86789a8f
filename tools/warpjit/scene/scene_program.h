// The fragment program of a scene's draw.
#pragma once

#include "program.h"

namespace warpjit::tool {

// Translates the draw that `input` names, or the first one, and then says so in a note on stderr. Errors: bad_input
// for a draw that the scene does not have; those of jobs before it.
Result<Translated> translate_scene_draw(const ProgramInput& input);

}  // namespace warpjit::tool
