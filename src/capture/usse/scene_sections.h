// Scenes of the Vita as sections of a capture, and back.
#pragma once

#include "capture/frames.h"
#include "capture/known_bytes.h"
#include "capture/usse/scene.h"

namespace warpjit::usse {

struct SceneLimits {
  std::uint64_t memory = capture::kMaxCaptureMemory;
  std::uint64_t loads = std::uint64_t{1} << 30;  // bytes that are written between draws
};
inline constexpr std::size_t kMaxPrograms = 4096, kMaxProgramBytes = std::size_t{1} << 24;
inline constexpr std::size_t kMaxNameBytes = 256;
inline constexpr std::size_t kMaxMemoryPieces = 256;
inline constexpr std::size_t kMaxStageUniforms = 4096;
inline constexpr std::size_t kMaxWords = 1 << 16;  // of a uniform or a buffer
inline constexpr std::size_t kMaxDrawIndices = 1 << 24;

// All bytes stay in the file's. Errors name the byte and what was expected there: bad_input, resource_limit.
Result<SceneList> read_scenes(const capture::SectionFile& sections, capture::FileOwner owner,
                              const SceneLimits& limits = {});
// Without its texts and the end.
void write_scenes(capture::SectionWriter& file, const SceneList& scenes);

// What is wrong with a draw that a file cannot have; nullptr: nothing.
const char* misfit(const DrawData& draw);

// Writes sections one by one. Bytes that occur again are named where they are.
class SceneWriter {
 public:
  explicit SceneWriter(capture::SectionWriter& file) : file_(file) {}
  void write(const ProgramData& program);
  void write(const SceneBegin& scene);
  void write(const DrawData& draw);  // which has no misfit
  void write(const SceneEnd& end);

 private:
  class Contents;
  capture::SectionWriter& file_;
  capture::KnownBytes places_;  // of bytes of sections before
};

}  // namespace warpjit::usse
