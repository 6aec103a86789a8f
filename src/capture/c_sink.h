// Sinks of the C interface as those of the C++ one.
#pragma once

#include <cstddef>
#include <span>

#include "warpjit/types.h"

namespace warpjit::capture {

// The context of write_to; lives as long as what writes.
struct CSink {
  warpjit_capture_sink sink = nullptr;
  void* context = nullptr;
};
inline bool write_to(void* sink, std::span<const std::byte> bytes) {
  const CSink& to = *static_cast<const CSink*>(sink);
  return to.sink(to.context, bytes.data(), bytes.size()) != 0;
}

}  // namespace warpjit::capture
