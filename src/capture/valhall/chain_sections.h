// Chains of jobs as sections of a capture, and back; files that hold some.
#pragma once

#include <span>
#include <string>

#include "capture/frames.h"
#include "frontend/valhall/container/capture_file.h"

namespace warpjit::valhall {

// A capture of version 2; changes of memory stay in the file's bytes. Errors name the byte and what was expected
// there: bad_input, resource_limit.
Result<CaptureFile> read_chain_sections(const capture::SectionFile& sections, capture::FileOwner owner,
                                        const ImageLimits& limits = {});
// Without its names and notes, and the end.
void write_chains(capture::SectionWriter& file, const CaptureFile& chains);
// All of it.
Status write_capture(const CaptureFile& chains, CaptureSink sink, void* context);

// One file of any kind and version, or several texts of one run in their order. Errors: bad_input,
// resource_limit; unsupported for another guest.
// `expected`: as of read_captures.
Result<CaptureFile> load_captures(std::span<const CaptureBytes> files, const ImageLimits& limits = {},
                                  bool expected = false);

// True for what load_captures reads, but for memory records, which have no sign: the first bytes say so.
bool is_chain_file(std::span<const std::byte> bytes);

}  // namespace warpjit::valhall
