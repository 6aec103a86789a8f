#include <cstdio>

#include "warpjit/debug.hpp"

warpjit::Status example(const warpjit::Capture& capture) {
  // the block
  return {};
}
