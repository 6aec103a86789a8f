// Messages for what stops a run of a guest interpreter, and for its memory faults.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ir/types.h"

namespace warpjit::interpret {

// What stopped a run, and the guest address of the instruction that did.
struct Stop {
  ErrorCode code = ErrorCode::internal;
  const char* message = nullptr;
  std::uint32_t address = 0;
};

// " of block (0, 1)", or with the plane " of block (0, 1, 2)" if that is not 0.
std::string block_text(const ir::BlockPosition& block);

// "store to g14[0x1000] by thread 3 of block (0, 1)". `space` is its name, "g14".
std::string access_text(bool is_store, std::string_view space, std::uint32_t address, std::uint32_t thread,
                        const ir::BlockPosition& block);

}  // namespace warpjit::interpret
