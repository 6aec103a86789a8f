// The words of a thread's registers, as observers of the guest interpreter number them. In a secondary program
// r, pa, o and sa all mean sa.
#pragma once

#include <array>

#include "frontend/register_bank.h"
#include "frontend/usse/container/program.h"
#include "frontend/usse/facts/slots.h"

namespace warpjit::usse {

inline constexpr unsigned kRWords = 0, kPaWords = kRWords + kMaxRegisters, kOWords = kPaWords + kMaxRegisters,
                          kSaWords = kOWords + kMaxRegisters, kIWords = kSaWords + kMaxRegisters,
                          kPWords = kIWords + 16, kIdxWords = kPWords + 4;
// What repeats of instructions add to the numbers of their registers (docs/guests/usse.md 5.6): increments, whether
// these are steps of two bits, and offsets; of the destination, then of the three sources.
inline constexpr unsigned kIncrementWords = kIdxWords + 3, kSwizzledWords = kIncrementWords + 4,
                          kOffsetWords = kSwizzledWords + 4;
inline constexpr unsigned kSlotWords = kOffsetWords + 4;

inline constexpr std::array<frontend::RegisterBank, 11> kRegisterBanks{{
    {.name = "r", .first = kRWords, .registers = kMaxRegisters},
    {.name = "pa", .first = kPaWords, .registers = kMaxRegisters},
    {.name = "o", .first = kOWords, .registers = kMaxRegisters},
    {.name = "sa", .first = kSaWords, .registers = kMaxRegisters, .of = frontend::RegisterBank::Of::launch},
    {.name = "i",
     .first = kIWords,
     .registers = 4,
     .components = 4,
     .reading = frontend::RegisterBank::Reading::f32},
    {.name = "p", .first = kPWords, .registers = 4, .reading = frontend::RegisterBank::Reading::boolean},
    // idx1 and idx2; there is no idx0.
    {.name = "idx", .first = kIdxWords, .registers = 3, .reading = frontend::RegisterBank::Reading::word},
    {.name = "increment",
     .first = kIncrementWords,
     .registers = 4,
     .reading = frontend::RegisterBank::Reading::word},
    {.name = "swizzled",
     .first = kSwizzledWords,
     .registers = 4,
     .reading = frontend::RegisterBank::Reading::boolean},
    {.name = "offset",
     .first = kOffsetWords,
     .registers = 4,
     .reading = frontend::RegisterBank::Reading::word},
    // What rasterizers read of a primitive's vertices before the program begins (slots.h).
    {.name = "slot", .first = kSlotWords, .registers = kSlots, .of = frontend::RegisterBank::Of::varying},
}};

}  // namespace warpjit::usse
