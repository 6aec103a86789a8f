// Reads of other lanes of a quad become swizzles: of the value, and of the mask of the lanes that have it.
#include <array>

#include "ir/builder.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {

bool expand_quad_reads(Function& f) {
  std::vector<Inst> reads;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b}))
      if (f.inst(i).opcode == Opcode::QuadRead) reads.push_back(i);
  if (reads.empty()) return false;
  Builder builder(f);
  std::vector<Value> replacement(f.value_count());
  const auto resolve = [&](Value v) {
    while (v.id < replacement.size() && replacement[v.id].valid()) v = replacement[v.id];
    return v;
  };
  for (Inst i : reads) {
    builder.set_before(i);
    builder.set_guest_address(f.inst(i).guest_address);
    const std::uint64_t lanes = f.inst(i).immediate;
    const Value guard = resolve(f.operand(i, 0)), value = resolve(f.operand(i, 1));
    Value result = value;
    if (!f.is_constant(value)) result = builder.QuadSwizzle32(I32{value}, lanes);
    if (!f.is_constant(guard) || f.constant(guard) == 0)
      result =
          builder.select(builder.QuadSwizzle1(I1{guard}, lanes), I32{result}, I32{resolve(f.operand(i, 2))});
    replacement[f.result(i).id] = result;
  }
  f.replace_values(replacement);
  for (Inst i : reads) f.remove(i);
  return true;
}

}  // namespace warpjit::ir
