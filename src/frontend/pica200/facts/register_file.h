// The words of a thread's registers, as observers of the guest interpreter number them.
#pragma once

#include <array>
#include <span>

#include "frontend/register_bank.h"

namespace warpjit::pica200 {

// v, o and r as ThreadState has them, the address registers and flags, uniforms, and what SETEMIT latched.
struct RegisterWords {
  static constexpr unsigned kV = 0, kO = 64, kR = 128, kA0 = 192, kAL = 194, kCmp = 195, kC = 197,
                            kI = kC + 4 * 96, kB = kI + 4 * 4, kEmit = kB + 16, kCount = kEmit + 3;
};

inline constexpr std::array<frontend::RegisterBank, 10> kRegisterBanks{{
    {.name = "v",
     .first = RegisterWords::kV,
     .registers = 16,
     .components = 4,
     .reading = frontend::RegisterBank::Reading::f32},
    {.name = "o",
     .first = RegisterWords::kO,
     .registers = 16,
     .components = 4,
     .reading = frontend::RegisterBank::Reading::f32},
    {.name = "r",
     .first = RegisterWords::kR,
     .registers = 16,
     .components = 4,
     .reading = frontend::RegisterBank::Reading::f32},
    {.name = "a0",
     .first = RegisterWords::kA0,
     .registers = 1,
     .components = 2,
     .reading = frontend::RegisterBank::Reading::word},
    {.name = "aL",
     .first = RegisterWords::kAL,
     .registers = 1,
     .reading = frontend::RegisterBank::Reading::word},
    {.name = "cmp",
     .first = RegisterWords::kCmp,
     .registers = 1,
     .components = 2,
     .reading = frontend::RegisterBank::Reading::boolean},
    {.name = "c",
     .first = RegisterWords::kC,
     .registers = 96,
     .components = 4,
     .reading = frontend::RegisterBank::Reading::f32,
     .of = frontend::RegisterBank::Of::launch},
    {.name = "i",
     .first = RegisterWords::kI,
     .registers = 4,
     .components = 4,
     .reading = frontend::RegisterBank::Reading::word,
     .of = frontend::RegisterBank::Of::launch},
    {.name = "b",
     .first = RegisterWords::kB,
     .registers = 16,
     .reading = frontend::RegisterBank::Reading::boolean,
     .of = frontend::RegisterBank::Of::launch},
    // x: the vertex, y: a primitive is emitted, z: its winding. Vertex programs do without.
    {.name = "emit",
     .first = RegisterWords::kEmit,
     .registers = 1,
     .components = 3,
     .reading = frontend::RegisterBank::Reading::word},
}};
constexpr std::span<const frontend::RegisterBank> register_banks_of(bool geometry) {
  return std::span(kRegisterBanks).first(kRegisterBanks.size() - (geometry ? 0 : 1));
}

}  // namespace warpjit::pica200
