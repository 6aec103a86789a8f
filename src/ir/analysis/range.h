// Cheap bounds of integer values, for dropping checks of indices.
#pragma once

#include <cstdint>

#include "ir/function.h"

namespace warpjit::ir {

inline constexpr std::uint64_t kMaxWord = 0xffffffff;

// An upper bound of the i32 value v seen as unsigned, at most 2^32 - 1. Looks through a few operations;
// constant time. Holds in every lane in which the operands of v are defined, garbage in dead lanes included.
std::uint64_t upper_bound(const Function& f, Value v, int depth = 6);

// How many of the lowest bits of the i32 value v are 0 at least, at most 32. The same limits.
std::uint32_t trailing_zeros(const Function& f, Value v);

// True if the f32 value v, rounded toward zero, is surely an i32, by its bounds (float_bounds.h).
bool fits_i32(const Function& f, Value v);

// True if every number of the f32 value v is surely one of f16. Looks through a few operations.
bool holds_half(const Function& f, Value v, int depth = 6);

// True if the f32 value v can be a denormal, as far as a few operations tell.
bool may_be_denormal(const Function& f, Value v, int depth = 4);

}  // namespace warpjit::ir
