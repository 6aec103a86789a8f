// The fragment program of a scene's draw.
#pragma once

#include "program.h"

namespace warpjit::tool {

// Of the draw that `input` names, or of the first one, which a note on stderr then says. Errors: bad_input for a
// draw that the scene does not have; those of jobs before it.
Result<Translated> translate_scene_draw(const ProgramInput& input);

}  // namespace warpjit::tool
