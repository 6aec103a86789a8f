#include "ir/pass/passes.h"

namespace warpjit::ir {

bool assume_no_zero_inf(Function& f) {
  bool changed = false;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b})) {
      InstData& data = f.inst(i);
      if (data.opcode != Opcode::FMulZeroInf32) continue;
      data.opcode = Opcode::FMul32;
      changed = true;
    }
  return changed;
}

}  // namespace warpjit::ir
