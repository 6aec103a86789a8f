// Reads the text that ir/printer.h writes: parse(print(f)) prints the same. The text may come from anyone.
#pragma once

#include <string_view>

#include "base/result.h"
#include "ir/function.h"

namespace warpjit::ir {

// Limits of a text; beyond them it is refused.
inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 24;
inline constexpr std::uint32_t kMaxTextBlocks = 1u << 14;  // block numbers are below
inline constexpr std::uint32_t kMaxSwitchTargets = 1u << 12;

// One function, checked by the verifier. Errors are bad_input (resource_limit beyond a limit) with
// "line:column" as their place. White space does not matter; `;` starts a comment that ends with the line.
// Value numbers are free names; block numbers are kept.
Result<Function> parse(std::string_view text);

}  // namespace warpjit::ir
