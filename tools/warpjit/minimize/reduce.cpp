#include "minimize/reduce.h"

#include <algorithm>
#include <utility>

namespace warpjit::tool {
namespace {

using capture::Frames;
using capture::kParts;
using capture::Part;

class Reducer {
 public:
  Reducer(const StillShows& shows, const ReduceOptions& options, Reduction& result)
      : shows_(shows), options_(options), result_(result) {}

  Status run() {
    for (bool smaller = true; smaller && result_.ended;) {
      smaller = false;
      for (std::size_t n = 0; n < kParts && result_.ended; ++n) {
        WARPJIT_TRY(const bool less, reduce(static_cast<Part>(n)));
        smaller = smaller || less;
      }
    }
    return {};
  }

 private:
  // Without many at once, then fewer, from the last one to the first: what comes later is needed less often.
  Result<bool> reduce(Part part) {
    bool smaller = false;
    for (std::size_t size = result_.best->parts(part); size != 0; size /= 2)
      for (std::size_t end = result_.best->parts(part); end != 0;) {
        const std::size_t count = result_.best->parts(part), begin = end - std::min(size, end);
        std::vector<bool> left_out(count);
        std::fill(left_out.begin() + static_cast<std::ptrdiff_t>(begin),
                  left_out.begin() + static_cast<std::ptrdiff_t>(end), true);
        WARPJIT_TRY(const bool less, attempt(part, left_out));
        if (!result_.ended) return smaller;
        smaller = smaller || less;
        // Where parts are divided anew, their numbers are others.
        end = std::min(begin, result_.best->parts(part));
      }
    return smaller;
  }

  Result<bool> attempt(Part part, const std::vector<bool>& left_out) {
    if (result_.runs >= options_.most_runs) {
      result_.ended = false;
      return false;
    }
    const std::size_t before = size_of(*result_.best, part);
    std::shared_ptr<const Frames> less = result_.best->without(part, left_out);
    if (less == nullptr || size_of(*less, part) >= before) return false;
    // A count of vertices that is left out may give a draw more of them, which would go round and round.
    if (less->vertices() > result_.best->vertices()) return false;
    ++result_.runs;
    WARPJIT_TRY(const bool shows, shows_(*less));
    if (shows) result_.best = std::move(less);
    if (options_.step) options_.step(result_.best, shows, part, result_.runs);
    return shows;
  }

  // Parts of vertices are divided anew when there are fewer: how many there are says it.
  static std::size_t size_of(const Frames& frames, Part part) {
    return part == Part::vertices ? frames.vertices() : frames.parts(part);
  }

  const StillShows& shows_;
  const ReduceOptions& options_;
  Reduction& result_;
};

}  // namespace

Status reduce(std::shared_ptr<const Frames> frames, const StillShows& shows, const ReduceOptions& options,
              Reduction& result) {
  result.best = std::move(frames);
  return Reducer(shows, options, result).run();
}

const char* name(Part part) {
  constexpr const char* kNames[kParts] = {"frames",   "jobs",  "draws",   "states",
                                          "vertices", "pages", "expected"};
  return kNames[static_cast<std::size_t>(part)];
}

}  // namespace warpjit::tool
