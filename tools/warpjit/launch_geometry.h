// What the launch files of geometry programs have besides: how inputs come, and the triangles to expect.
#pragma once

#include <vector>

#include "json_field.h"
#include "launch_file.h"

namespace warpjit::tool {

// The key `geometry`: what it does not give stays as it is in `input`.
Status read_geometry_input(const JsonField& field, GeometryInput& input,
                           std::vector<std::uint32_t>& primitives);

// The key `expect.triangles`. `program` gives names of outputs.
Result<std::vector<WantedTriangle>> read_triangles(const JsonField& field, const pica200::Program& program);

}  // namespace warpjit::tool
