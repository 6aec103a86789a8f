// Transcendentals become the exact operations of their definitions in base/math: the very same source, with
// the builder as its arithmetic.
#include "base/math.h"
#include "ir/builder_ops.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {

void expand_math(Function& f) {
  std::vector<Inst> expanded;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b})) {
      if (family(f.inst(i).opcode) == Family::transcendental) expanded.push_back(i);
    }
  if (expanded.empty()) return;
  Builder builder(f);
  BuilderOps ops{builder};
  std::vector<Value> replacement(f.value_count());
  for (Inst i : expanded) {
    builder.set_before(i);
    builder.set_guest_address(f.inst(i).guest_address);
    // Operands may have been expanded themselves; replace_values below chases chains.
    const F32 x{f.operand(i, 0)};
    Value result;
    switch (f.inst(i).opcode) {
      case Opcode::Exp2F32:
        result = math::exp2(ops, x);
        break;
      case Opcode::Log2F32:
        result = math::log2(ops, x);
        break;
      case Opcode::RcpF32:
        result = math::rcp(ops, x);
        break;
      default:
        result = math::rsqrt(ops, x);
        break;
    }
    replacement[f.result(i).id] = result;
  }
  f.replace_values(replacement);
  for (Inst i : expanded) f.remove(i);
}

}  // namespace warpjit::ir
