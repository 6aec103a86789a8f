// The way of a value backwards through a trace.
#pragma once

#include "debug/trace.h"
#include "warpjit/debug.hpp"

namespace warpjit::debug {

// Where the value of a word in a lane before a step comes from. The trace has all steps before it. There are at most
// `most` nodes.
// `special`: only NaNs and infinities are followed.
DebugOrigin find_origin(const Trace& trace, std::span<const frontend::RegisterBank> banks,
                        const CodeFacts& code, unsigned word, unsigned lane, std::uint64_t step, bool special,
                        std::size_t most);

}  // namespace warpjit::debug
