#pragma once

#include <cstdint>

#include "backend/host.h"
#include "ir/function.h"

namespace warpjit::backend {

// Vectors per value so that the code's live values about fit the registers. Pixels of large primitives get
// more: their groups are full, however wide they are.
std::uint32_t choose_parts(const ir::Function& f, const Host& host, bool large_primitives = false);

// Should a function over pixels of small primitives get covered pixels alone, not their quads? No lane of it
// reads others, or tells which ones are with it.
bool single_pixels_pay(const ir::Function& f);

}  // namespace warpjit::backend
