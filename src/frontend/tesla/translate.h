// From Tesla compute kernels to the thread form of the IR, whose groups are the warps of a block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "frontend/tesla/interpret.h"
#include "ir/function.h"

namespace warpjit::tesla {

// What is fixed for one translation. Everything here is part of the code cache's key.
struct ComputeFacts {
  std::array<std::uint32_t, 3> block{1, 1, 1};                  // threads; within the limits of Launch
  std::uint32_t shared_bytes = 0;                               // of s[], header and parameters included
  std::uint32_t local_bytes = 0;                                // of l[]
  std::array<std::uint32_t, kConstantSpaces> constant_bytes{};  // of c0 to c15
  Modes modes;

  std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
  bool operator==(const ComputeFacts&) const = default;
};

// Guest addresses in the IR are byte addresses. Errors: those of Interpreter::prepare; unsupported, with the
// reason and the address, for what only the interpreter can run: control flow that edges cannot say
// (control_flow.h), code whose meaning depends on the order in which the hardware runs lanes that parted
// (lane_order.h), barriers with a count or that only arrive or wait.
Result<ir::Function> translate(const Program& program, const ComputeFacts& facts);

// Adds all that a translation depends on: the code that can be reached, and the facts. Errors: as translate.
Status append_key(const Program& program, const ComputeFacts& facts, std::vector<std::byte>& key);

}  // namespace warpjit::tesla
