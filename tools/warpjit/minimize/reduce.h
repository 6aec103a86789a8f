// Makes frames smaller, part by part, as long as something still holds: delta debugging.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "capture/frames.h"

namespace warpjit::tool {

// True if they still show what they must. Errors end the search: cancelled.
using StillShows = std::function<Result<bool>(const capture::Frames&)>;

struct Reduction {
  std::shared_ptr<const capture::Frames> best;
  std::uint64_t runs = 0;
  bool ended = true;  // false: of `most_runs`
};
struct ReduceOptions {
  std::uint64_t most_runs = 5000;
  // Told after each run: what is the best now, whether it is a new one, of which kind parts are left out, runs so far.
  std::function<void(const std::shared_ptr<const capture::Frames>& best, bool better, capture::Part part,
                     std::uint64_t runs)>
      step;
};
// By frames, jobs, draws, state, vertices, memory and what is expected, again until nothing more can be left out.
// `frames` show it. `result` is right also after an error.
Status reduce(std::shared_ptr<const capture::Frames> frames, const StillShows& shows,
              const ReduceOptions& options, Reduction& result);

const char* name(capture::Part part);  // "draws"

}  // namespace warpjit::tool
