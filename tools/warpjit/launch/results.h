// What a launch lists of the results of its last run: as text, as JSON, as bytes.
#pragma once

#include <cstddef>
#include <vector>

#include "launch/bound_launch.h"

namespace warpjit::tool {

// Prints the first threads, triangles and words of each range, or all.
void print_results(const BoundLaunch& bound, bool all);
// {"outputs": [{"name", "format", "data"}]}, and of geometry programs "triangles" like those of `expect`.
// Floats are bit patterns.
void add_results(const BoundLaunch& bound, Json& json);
// Little-endian words: one packed row a thread, then the triangles, three vertices each, then the ranges.
std::vector<std::byte> result_bytes(const BoundLaunch& bound);

}  // namespace warpjit::tool
