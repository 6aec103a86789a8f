#pragma once

#include <cstdint>

#include "backend/host.h"
#include "ir/function.h"

namespace warpjit::backend {

// Vectors per value so that the code's live values about fit the registers.
std::uint32_t choose_parts(const ir::Function& f, const Host& host, bool large_primitives);

}  // namespace warpjit::backend
