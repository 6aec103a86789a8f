#pragma once

#include <cstdint>

#include "backend/host.h"
#include "ir/function.h"

namespace warpjit::backend {

// Vectors per value so that the code's live values about fit the registers. Pixels of large primitives get
// more: their groups are full, however wide they are.
std::uint32_t choose_parts(const ir::Function& f, const Host& host, bool large_primitives = false);

}  // namespace warpjit::backend
