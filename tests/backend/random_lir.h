// Random LIR programs and what they mean: abstract operations whose result is a hash of the operation and its
// operands. A program is executed by virtual registers, or by registers and spill slots after allocation;
// both must show the same values to the instructions that cannot be removed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/allocate/allocator.h"
#include "backend/lir/lir.h"

namespace warpjit::lir {

// Opcodes of the moves that allocators insert for random programs: copy, load, store of each class.
inline constexpr std::uint16_t kFirstMove = 60'000;

// Registers 0 .. n-1 or others, `counts` of each class.
RegisterFile random_register_file(std::uint64_t seed, std::array<std::uint32_t, kClassCount> counts);

// Straight lines, diamonds, nested loops (tested at the top or at the bottom), switches; values of all
// classes, many of them live for long; tied, early-clobber, foldable and preferred operands, memory operands,
// values that can be made again. Needs 4 registers per class.
Code random_code(std::uint64_t seed, std::uint32_t size);

// What a removed or unmoved instruction would show: index of the instruction in Code::insts and its operands.
struct Event {
  std::uint32_t origin;
  std::uint16_t op;
  std::vector<std::uint64_t> values;
  friend bool operator==(const Event&, const Event&) = default;
};
using Trace = std::vector<Event>;

// Both stop after `blocks` blocks. Origins count from `code`.
Trace execute(const Code& code, std::uint32_t blocks);
Trace execute(const Code& code, const Allocation& allocation, const RegisterFile& file, std::uint32_t blocks);

std::string print(const Code& code);

}  // namespace warpjit::lir
