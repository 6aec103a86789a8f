// The registers that hold the same constant whenever control comes to an instruction, followed over all
// blocks: compilers put the words that name textures and targets into registers shortly before they are read.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "frontend/valhall/flow/control_flow.h"

namespace warpjit::valhall {

using RegisterConstants = std::array<std::optional<std::uint32_t>, 64>;

// A fragment program begins with zeros, but for what stands in r48 and above.
RegisterConstants constants_at_start();

// The whole word of a source, or the one after it.
std::optional<std::uint32_t> constant_of(const Source& source, const RegisterConstants& registers,
                                         unsigned half = 0);

// Calls `visit` with the address of each instruction that control reaches and what is known before it.
// Returns false for programs of more than 2^16 blocks or too many steps, which are not followed.
bool follow_constants(const Program& program, const ReachedCode& code, const RegisterConstants& at_start,
                      const std::function<void(std::uint32_t, const RegisterConstants&)>& visit);

}  // namespace warpjit::valhall
