// What a recorder did not write down: a trace is replayed without pixels before anyone runs its scene.
#pragma once

#include <string>

#include "scene/citrace.h"

namespace warpjit::tool {

// Leaves out loads of textures that the trace's own jobs wrote since the last load there: the recorder had them from
// memory that its renderer may not have brought up to date. Adds notes about these, and about memory that is read
// before anything wrote it. Ends where a job fails; running the scene tells why. `name`: of the file.
void replay_trace(ImportedScene& imported, const std::string& name);

}  // namespace warpjit::tool
