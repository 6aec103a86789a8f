// Scenes as sections of a capture, and back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capture/memory_reader.h"
#include "capture/pica200/scene.h"
#include "capture/section_file.h"

namespace warpjit::pica200 {

struct SceneLimits {
  // All of it, gaps between more than kMaxMemoryRanges pieces included.
  std::uint64_t memory = capture::kMaxCaptureMemory;
  std::uint64_t loads = std::uint64_t{1} << 30;  // bytes that are written between jobs
};

// A capture of version 2. What its jobs load stays in the file's bytes. Errors name the byte and what was expected
// there: bad_input, resource_limit; unsupported for another version or guest.
Result<Scene> read_capture(capture::FileOwner bytes, std::string name, const SceneLimits& limits = {});
Result<Scene> read_scene(const capture::SectionFile& sections, capture::FileOwner owner,
                         const SceneLimits& limits = {});

// Errors: bad_input for a scene that must be refused; io for a sink that does not take bytes.
Status write_capture(const Scene& scene, CaptureSink sink, void* context);
// Without its texts and the end.
void write_scene(capture::SectionWriter& file, const Scene& scene);

// Parts of files, for writers.
void write_job(capture::SectionWriter& file, const CommandList& job);
void write_job(capture::SectionWriter& file, const CallList& job);
void write_job(capture::SectionWriter& file, const MemoryFill& job);
void write_job(capture::SectionWriter& file, const DisplayTransfer& job);
void write_job(capture::SectionWriter& file, const TextureCopy& job);
void write_output(capture::SectionWriter& file, const SceneOutput& output);

}  // namespace warpjit::pica200
