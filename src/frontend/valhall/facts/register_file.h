// The words of a thread's registers, as observers of the guest interpreter number them.
#pragma once

#include <array>

#include "frontend/register_bank.h"
#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/facts/varyings.h"

namespace warpjit::valhall {

inline constexpr unsigned kRegistersOfThread = 64;
// The hardware sets some of these before the first instruction (docs/guests/valhall.md 8.2, 10.1).
inline constexpr unsigned kFirstSetRegister = 55, kLastSetRegister = 62;

constexpr unsigned register_word(unsigned number) { return number; }
constexpr unsigned uniform_word(unsigned number) { return kRegistersOfThread + number; }
constexpr unsigned varying_word(unsigned slot) { return kRegistersOfThread + kMaxUniformWords + slot; }

inline constexpr std::array<frontend::RegisterBank, 3> kRegisterBanks{{
    {.name = "r", .first = register_word(0), .registers = kRegistersOfThread},
    {.name = "u",
     .first = uniform_word(0),
     .registers = kMaxUniformWords,
     .of = frontend::RegisterBank::Of::launch},
    {.name = "slot",
     .first = varying_word(0),
     .registers = kMaxSlots,
     .of = frontend::RegisterBank::Of::varying},
}};

}  // namespace warpjit::valhall
