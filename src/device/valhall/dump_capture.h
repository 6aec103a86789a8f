// Captures of any kind, the texts of panfrost's driver among them, with what these lack (docs/captures.md).
#pragma once

#include <span>
#include <string>

#include "frontend/valhall/container/capture_file.h"

namespace warpjit::valhall {

// The GPU whose texts these are where nobody says: a Mali-G57.
inline constexpr std::uint32_t kAssumedGpu = 0x9093;

// One file of any kind but .wjcap of version 2, or several texts of one run in their order. Errors: those of DumpTextReader and of
// read_capture; bad_input for several files of which one is no text.
// `expected`: the texts come from hardware, so that colour targets in them, which were written after each chain
// had run, are what is expected. Errors: also no such target in any text (bad_input).
Result<CaptureFile> read_captures(std::span<const CaptureBytes> files, const ImageLimits& limits = {},
                                  bool expected = false);

}  // namespace warpjit::valhall
