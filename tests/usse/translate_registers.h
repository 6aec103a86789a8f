// A translator whose threads have all registers in memory, so that single instructions can be compared.
#pragma once

#include <cstdint>

#include "frontend/usse/translate/translate.h"

namespace warpjit::usse {

// Both programs on registers that are given in memory: a thread has kRegisterRows rows in input 0, and leaves
// in output 0 those that change. Of sa only the words are there that the primary program changes; it reads
// the table's.
inline constexpr std::uint32_t kRegistersOfBank = 256;
inline constexpr std::uint32_t kFirstInternalWord = 4 * kRegistersOfBank;  // after r, pa, o and sa
inline constexpr std::uint32_t kFirstPredicateWord = kFirstInternalWord + 16;
inline constexpr std::uint32_t kFirstIndexWord = kFirstPredicateWord + 4;
inline constexpr std::uint32_t kRegisterRows = (kFirstIndexWord + 4) / 4;
Result<ir::Function> translate_registers(const Program& program);

}  // namespace warpjit::usse
