#include "ir/evaluate.h"

namespace warpjit::ir {

bool can_evaluate(Opcode opcode) {
  static constexpr std::array<bool, kOpcodeCount> kDefined = {
#define WARPJIT_IR_OP(name, results, operands, flags) Evaluator<Opcode::name>::kDefined,
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP
  };
  return kDefined[static_cast<std::size_t>(opcode)];
}

std::uint64_t evaluate(Opcode opcode, std::span<const std::uint64_t> operands) {
  const std::uint64_t a = operands.size() > 0 ? operands[0] : 0, b = operands.size() > 1 ? operands[1] : 0,
                      c = operands.size() > 2 ? operands[2] : 0;
  switch (opcode) {
#define WARPJIT_IR_OP(name, results, operands, flags) \
  case Opcode::name:                                  \
    return Evaluator<Opcode::name>::apply(a, b, c);
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP
  }
  return 0;
}

}  // namespace warpjit::ir
