// Dead code: what no effect and no terminator needs, found by marking backward from those.
#include "ir/pass/passes.h"

namespace warpjit::ir {

void eliminate_dead_code(Function& f) {
  std::vector<char> live(f.inst_count(), 0);
  std::vector<Inst> work;
  work.reserve(f.inst_count());
  auto mark = [&](Inst i) {
    if (live[i.id]) return;
    live[i.id] = 1;
    work.push_back(i);
  };
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b})) {
      const OpcodeInfo& row = info(f.inst(i).opcode);
      if (row.terminator || row.writes) mark(i);
    }
  while (!work.empty()) {
    const Inst i = work.back();
    work.pop_back();
    for (Value v : f.operands(i)) mark(f.definition(v));
  }
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b}))
      if (!live[i.id]) f.remove(i);
}

}  // namespace warpjit::ir
