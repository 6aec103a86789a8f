#pragma once

#include <cstdint>

#include "backend/host.h"
#include "ir/function.h"

namespace warpjit::backend {

struct PartHints {
  bool large_primitives = false;         // groups of pixels are full, however wide they are
  std::uint32_t most_rows = UINT32_MAX;  // of a group that may have few threads
};
// How many vectors each value should be made of.
std::uint32_t choose_parts(const ir::Function& f, const Host& host, const PartHints& hints = {});

// True if a function over pixels should get covered pixels alone, not their quads, if most primitives are not large,
// or even small. No lane of it reads others, or tells which ones are with it.
bool single_pixels_pay(const ir::Function& f, const Host& host, bool small_primitives);

}  // namespace warpjit::backend
