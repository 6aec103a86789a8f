// Runs of which one program is run by the guest interpreter while an observer sees it (frontend/interpret/observer.h).
// What else runs, runs in the engine's own kernels. All on the caller's thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "runtime/engine/engine.h"

namespace warpjit::runtime {

// Which threads of a launch are to be seen.
struct ObservedPart {
  // The program: the launch's own, or that of a stage before its rasterizer.
  enum class Program : std::uint8_t { own, vertex, geometry };
  Program program = Program::own;
  bool whole = false;  // all of them: what follows does not count
  // Rows: a thread, which runs with those of its kernel's group. Grids: the block.
  std::uint64_t unit = 0;
  std::uint64_t* first_row = nullptr;  // gets the first thread of that group
  // Pixels: all but these are left out; their extents are not 0.
  RasterState::Rectangle pixels{};
};

// The raster's row that a row of the targets' memory has, and back: some memory begins with the last row.
inline std::uint32_t other_row(const LaunchPixels& pixels, std::uint32_t row) {
  const bool last_first = pixels.color_blocks.last_first || pixels.depth_blocks.last_first;
  return last_first && row < pixels.height ? pixels.height - 1 - row : row;
}

// What holds that program; null: the launch has no such stage.
const LaunchData* holder_of(const LaunchData& launch, ObservedPart::Program program);

// Memory that a run of the launch may write, in pieces, some of which may overlap.
std::vector<std::span<std::byte>> written_memory(const LaunchState& launch);

// Runs that part; of a grid also the blocks before and after it, of draws what gives the part its inputs. Errors: as of
// a run; cancelled if the observer has ended it; bad_input for a part that is not there.
Status run_observed(EngineState& engine, LaunchState& launch, const ObservedPart& part,
                    interpret::Observer& observer, const RunOptions& options);

// Runs a launch in the guest interpreter, its vertex stage in the engine's kernels; `profile` gets what was seen, also
// if the run ends with an error. Errors: as of a run; unsupported for guests whose interpreters nobody can observe.
Result<Report> run_profiled(EngineState& engine, LaunchState& launch, Profile& profile,
                            const RunOptions& options);

// Draws the quad of the observer's pixel: vertices in the engine's own kernels, fragments in the guest interpreter, which
// tells the observer. Also pixels outside of the scissor. Errors: as of a run.
Status run_observed(EngineState& engine, LaunchState& launch, interpret::PixelObserver& observer,
                    const RunOptions& options);
// Memory that this may write.
std::vector<std::span<std::byte>> written_memory(const LaunchState& launch,
                                                 const interpret::PixelObserver& observer);

// Is told of each run of an engine.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  // The launch is about to run. An error is the run's.
  virtual Status before(LaunchState& launch, const RunOptions& options) = 0;
  virtual Status after(LaunchState& launch) = 0;
};

}  // namespace warpjit::runtime
