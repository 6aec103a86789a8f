// The vertices of a draw's primitives (docs/guests/valhall.md 11).
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/valhall/container/job.h"
#include "warpjit/pixels.hpp"

namespace warpjit::valhall {

inline constexpr std::uint64_t kMaxDrawIndices = std::uint64_t{1} << 26;

struct Primitives {
  Topology topology = Topology::triangles;
  bool indexed = false;                // else the vertices in order
  std::vector<std::uint32_t> indices;  // as memory has them
};
// Errors: indices outside of the image (bad_input), too many of them (resource_limit).
Result<Primitives> assemble_primitives(const Image& image, const Job& job, bool first_provoking);

}  // namespace warpjit::valhall
