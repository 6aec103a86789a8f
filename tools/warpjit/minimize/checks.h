// What a smaller capture must still show.
#pragma once

#include <string>

#include "engines.h"
#include "minimize/reduce.h"
#include "warpjit/engine.hpp"

namespace warpjit::tool {

// An outcome of the engines that must be there: made from what the frames show as they are. Errors: bad_input if they
// do not show it; those of runs. `engine` must outlive it.

// A draw gives the pixels that draw `number` changed, in the same targets, the same bytes as that. What a target held
// before its first draw is not known: then all its pixels count.
Result<StillShows> same_draw(const Engine& engine, const RunOptions& options, const capture::Frames& frames,
                             std::uint64_t number);
// Two engines leave different targets, outputs or errors; without a second one, an output is not as it expects.
Result<StillShows> engines_differ(const Engine& engine, const RunOptions& first, const RunOptions* second,
                                  const capture::Frames& frames);
// A run ends with an error that has this text, which is not empty, beside the name of the file.
Result<StillShows> same_error(const Engine& engine, const RunOptions& options, const capture::Frames& frames,
                              const std::string& text, const std::string& file);

}  // namespace warpjit::tool
