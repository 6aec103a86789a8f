#include <warpjit/warpjit.hpp>

void example(const warpjit::Engine& engine, const warpjit::Launch& launch,
             const warpjit::Launch& next_launch) {
  // the block
}
