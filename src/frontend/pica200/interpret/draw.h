// A draw's fetch and output map for the guest interpreter: written from docs/guests/pica200.md 11 alone, over
// bytes in memory, one vertex at a time.
#pragma once

#include <span>

#include "frontend/pica200/interpret/interpret.h"
#include "frontend/shader.h"

namespace warpjit::pica200 {

// Sets v0-v15. `fixed`: v0-v15 as the launch gives them, of which the fixed ones count.
void fetch_vertex(const frontend::DrawFacts& draw, std::span<const frontend::Rows> bindings,
                  std::size_t thread, const std::uint32_t* fixed, ThreadState& state);
void store_vertex(const frontend::DrawFacts& draw, const ThreadState& state,
                  std::span<const frontend::Rows> bindings, std::size_t thread);

}  // namespace warpjit::pica200
