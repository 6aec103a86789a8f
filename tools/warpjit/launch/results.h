// What a launch lists of the results of its last run: as text, as JSON, as bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "launch/bound_launch.h"

namespace warpjit::tool {

// Which of them: the first ones, or all; of targets perhaps certain pixels.
struct ResultChoice {
  bool all = false;
  std::vector<std::array<std::uint32_t, 2>> pixels{};
};
// Prints the first threads, triangles, words of each range and pixels that changed, or all.
void print_results(const BoundLaunch& bound, const ResultChoice& choice);
// {"outputs": [{"name", "format", "data"}]}, of geometry programs "triangles" like those of `expect`, and of
// draws "targets", with the first 64 pixels that changed. Floats are bit patterns.
void add_results(const BoundLaunch& bound, const ResultChoice& choice, Json& json);
// Little-endian words: one packed row a thread, then the triangles, three vertices each, then the ranges.
std::vector<std::byte> result_bytes(const BoundLaunch& bound);

}  // namespace warpjit::tool
