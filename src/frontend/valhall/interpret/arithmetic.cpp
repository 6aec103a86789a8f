#include "frontend/valhall/interpret/arithmetic.h"

#include "frontend/valhall/interpret/families.h"

namespace warpjit::valhall {
namespace {

Compute find_compute(Opcode opcode) {
  for (const auto& family : {integer_meanings(), float_meanings(), conversion_meanings()})
    for (const Meaning& meaning : family)
      if (meaning.opcode == opcode) return meaning.compute;
  return nullptr;
}

}  // namespace

Result<Operation> find_operation(const Instruction& i) {
  WARPJIT_TRY(const ResultShape result, arithmetic_result(i));
  return Operation{find_compute(i.opcode), result};
}

std::uint64_t merged(const Operation& operation, const Instruction& instruction, const Inputs& inputs,
                     std::uint64_t value) {
  if (operation.result == ResultShape::single) {
    // A second rounding, always to nearest even.
    const double single = static_cast<double>(to_float(static_cast<std::uint32_t>(value)));
    const std::uint32_t half = finish(kHalf, single, Instruction{}, inputs.mode);
    value = half | half << 16;
  }
  const std::uint32_t written = instruction.write_mask == 1   ? 0x0000ffff
                                : instruction.write_mask == 2 ? 0xffff0000
                                                              : 0xffffffff;
  return (value & written) | (inputs.destination & 0xffffffff & ~std::uint64_t{written});
}

}  // namespace warpjit::valhall
