#include <cstddef>
#include <span>

#include "warpjit/valhall.hpp"

warpjit::Status example(std::span<const std::byte> bytes, const warpjit::Engine& engine) {
  // the block
  return {};
}
