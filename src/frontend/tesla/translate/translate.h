// From Tesla compute kernels to the thread form of the IR, whose groups are the warps of a block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "frontend/tesla/facts/limits.h"
#include "frontend/tesla/facts/reach.h"
#include "frontend/tesla/translate/texture.h"
#include "ir/function.h"

namespace warpjit::tesla {

// What is fixed for one translation. Everything here is part of the code cache's key.
struct ComputeFacts {
  std::array<std::uint32_t, 3> block{1, 1, 1};                  // threads; within the limits of Launch
  std::uint32_t shared_bytes = 0;                               // of s[], header and parameters included
  std::uint32_t local_bytes = 0;                                // of l[]
  std::array<std::uint32_t, kConstantSpaces> constant_bytes{};  // of c0 to c15
  BranchTargets branch_targets;                                 // of programs that may have a `bra c[]`
  Modes modes;

  std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
  bool operator==(const ComputeFacts&) const = default;
};

// Guest addresses in the IR are byte addresses. Thread form where edges can express the control flow
// (control_flow.h) and an order of blocks keeps the order of diverged lanes (lane_order.h). Else, and always
// if `dispatch_all`: group form, a warp with its control stack (translate/stack.cpp). Errors: those of
// Interpreter::prepare; resource_limit; unsupported, with the reason and the address, for what only the
// interpreter can run: branches through c[] to very many places. Samples need what they sample.
Result<ir::Function> translate(const Program& program, const ComputeFacts& facts, bool dispatch_all = false,
                               const SampledTextures& textures = {});

// What a translation depends on besides the facts: the reachable code (`code` was found without
// targets), and the modes.
std::vector<std::byte> code_key(const Program& program, const ReachedCode& code);
void append_modes(const Modes& modes, std::vector<std::byte>& key);

}  // namespace warpjit::tesla
