// Random data for launches: the same seed gives the same data on every host.
#pragma once

#include <cstdint>

#include "launch/launch_file.h"

namespace warpjit::tool {

// Replaces the data of a launch; the expectations no longer hold and are dropped.
//  - All inputs (of a geometry launch those of its vertex stage) become `count` rows of random f32x4, a
//    quarter of them special values (NaN, infinities, zeros, denormals, extremes).
//  - A kernel's grid stays. The contents of memory that the file gives as data become random: floats in the
//    same way, integers between the least and the greatest that it had there. Filled memory, parameters and
//    addresses stay.
// Errors: a launch without such data.
Status randomize_data(LaunchFile& launch, std::uint64_t count, std::uint64_t seed);

// Random values for a launch that a template made: of all uniforms that the container does not give; of a
// kernel all memory, and parameters that may be addresses or small numbers. Then as above.
Status randomize_template(LaunchFile& launch, std::uint64_t count, std::uint64_t seed);

}  // namespace warpjit::tool
