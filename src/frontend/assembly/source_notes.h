// What code does not keep of the source that it was assembled from.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpjit::assembly {

// Addresses are those of listings.
struct SourceNotes {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lines;  // address and line, from 1 on; ascending
  std::vector<std::pair<std::uint32_t, std::string>> labels;   // address and name, ascending
};

}  // namespace warpjit::assembly
