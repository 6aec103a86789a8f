// What lies in a launch's memory besides data, as launch files have it (docs/launch.md): members that are
// read and written alike.
#pragma once

#include "launch/fields.h"
#include "launch/launch_file.h"

namespace warpjit::tool {

const Fields<LaunchVertices>& first_vertex_fields();
const Fields<AttributeSource>& attribute_fields();  // without format and division
const Fields<ImageSource>& image_fields();          // without format
const Fields<BufferSource>& buffer_fields();

}  // namespace warpjit::tool
