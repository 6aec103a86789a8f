// Captures: frames of a GPU as files (docs/captures.md).
#pragma once

#include <cstddef>
#include <span>

namespace warpjit {

// Takes the next bytes of a file that is being written, which are valid during the call. False: they cannot be
// taken, and the file is given up.
using CaptureSink = bool (*)(void* context, std::span<const std::byte> bytes);

}  // namespace warpjit
