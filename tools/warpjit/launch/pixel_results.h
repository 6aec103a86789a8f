// What a draw left in its targets: pixels as numbers, and why it left nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "launch/bound_launch.h"

namespace warpjit::tool {

// Which pixels of each target are listed.
struct PixelChoice {
  std::vector<std::array<std::uint32_t, 2>> places;  // these: column, row. Row 0 is that of the smallest y
  bool all = false;                                  // every one
  std::size_t most = 0;  // else the first `most` pixels that differ from what the target was cleared to
};

// "12,34" as a place of targets of that size. Errors: bad_input.
Result<std::array<std::uint32_t, 2>> parse_place(const std::string& text, std::uint32_t width,
                                                 std::uint32_t height);

// How many pixels differ from what the target was cleared to.
std::uint64_t changed_pixels(const BoundLaunch& bound, const BoundLaunch::Picture& picture);

// A line for each chosen pixel: the components of floats and depths as numbers, of unorm formats the integers
// that are stored.
void print_pixels(const BoundLaunch& bound, const BoundLaunch::Picture& picture, const PixelChoice& choice);
// [{"x", "y", "value"}]; floats are bit patterns.
Json pixels_json(const BoundLaunch& bound, const BoundLaunch::Picture& picture, const PixelChoice& choice);

Json draw_json(const DrawCounts& counts);

// Why no pixel of any target changed: what ended the primitives or the fragments, by counts. Empty: some did.
// Fragments are counted by the guest interpreter: it draws once more, for a second at most, if the report is
// another engine's.
std::string unchanged_note(const BoundLaunch& bound, const Report& report);

}  // namespace warpjit::tool
