#include <memory>

#include "warpjit/debug.hpp"

void show(const warpjit::DebugStep& step);

warpjit::Status example(std::unique_ptr<warpjit::Capture> capture) {
  // the block
  return {};
}
