#include "ir/evaluate.h"

namespace warpjit::ir {

std::uint64_t evaluate(Opcode opcode, std::span<const std::uint64_t> operands) {
  const std::uint64_t a = operands.size() > 0 ? operands[0] : 0, b = operands.size() > 1 ? operands[1] : 0,
                      c = operands.size() > 2 ? operands[2] : 0;
  switch (opcode) {
#define WARPJIT_IR_OP(name, ...) \
  case Opcode::name:             \
    return Evaluator<Opcode::name>::apply(a, b, c);
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP
  }
  return 0;
}

}  // namespace warpjit::ir
