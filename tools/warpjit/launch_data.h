// Numbers of launch files as the bytes and words that engines read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "json_field.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::tool {

// The string that `field` holds ("f32x3", "unorm8x4", "s16") as a format.
Result<Format> read_format(const JsonField& field);

// Appends the numbers of an array as stored components, little-endian. Normalized formats are given as the
// integers that are stored.
Status append_components(const JsonField& array, ComponentType type, std::vector<std::byte>& bytes);

}  // namespace warpjit::tool
