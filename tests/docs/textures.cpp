#include <cstdint>

#include "warpjit/warpjit.hpp"

warpjit::Status example(warpjit::Launch& launch) {
  static const std::uint16_t texels[64 * 64] = {};
  // the block
  return {};
}
