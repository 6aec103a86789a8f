// Random data for launches: the same seed gives the same data on every host.
#pragma once

#include <cstdint>

#include "launch_file.h"

namespace warpjit::tool {

// Replaces all inputs by `count` rows of random f32x4, a quarter of them special values (NaN, infinities,
// zeros, denormals, extremes); the expectations no longer hold and are dropped.
void randomize_inputs(LaunchFile& launch, std::uint64_t count, std::uint64_t seed);

// A launch of a program alone: random inputs, random uniforms where the container presets none, all
// outputs that the program declares (else o0-o15).
LaunchFile random_launch(const pica200::Program& program, std::uint64_t count, std::uint64_t seed);

}  // namespace warpjit::tool
