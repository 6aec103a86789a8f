// Vertices of a draw, or threads of a launch, that are left out together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpjit::capture {

struct VertexSlices {
  std::uint64_t count = 0;  // of vertices

  // A triangle where they may be.
  std::uint64_t unit() const { return count % 3 == 0 ? 3 : 1; }
  std::size_t slices() const {
    constexpr std::uint64_t kMost = 64;
    return static_cast<std::size_t>(std::min(kMost, count / unit()));
  }
  std::uint64_t begin_of(std::size_t slice) const {
    return slices() == 0 ? 0 : count / unit() * slice / slices() * unit();
  }

  struct Range {
    std::uint64_t begin = 0, end = 0;
    std::uint64_t size() const { return end - begin; }
  };
  // From the first to the last slice that stays; all if none does. `flag`: of the first one.
  Range kept(const std::vector<bool>& left_out, std::size_t flag) const {
    std::size_t first = 0, last = slices();
    while (first < last && left_out[flag + first]) ++first;
    while (last > first && left_out[flag + last - 1]) --last;
    return first == last ? Range{0, count} : Range{begin_of(first), begin_of(last)};
  }
};

}  // namespace warpjit::capture
