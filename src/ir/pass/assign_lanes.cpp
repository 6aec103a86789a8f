// Groups of their final width. Several of the guest's warps may be one group, if nothing that they do can
// tell: their chains of operations do not wait for each other.
#include <cassert>

#include "ir/builder.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {

void assign_lanes(Function& f, std::uint32_t lanes) {
  assert(f.may_widen ? f.form == Form::group : lanes == f.group_lanes);
  assert(f.block_groups * f.group_lanes % lanes == 0);
  f.block_groups = f.block_groups * f.group_lanes / lanes;
  f.group_lanes = lanes;
  std::vector<Value> places(f.value_count());
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b})) {
      if (f.inst(i).opcode != Opcode::ThreadIndex) continue;
      Builder builder(f);
      builder.set_before(i);
      builder.set_guest_address(f.inst(i).guest_address);
      const I32 first = builder.IMul32(builder.GroupIndex(), builder.constant(lanes));
      const I32 thread = builder.IAdd32(first, builder.LaneIndex());
      for (const Value v : {Value(first), Value(f.operand(f.definition(first), 0))})
        f.value(v).uniformity = Uniformity::group;
      for (const Value v : {Value(thread), Value(f.operand(f.definition(thread), 1))})
        f.value(v).uniformity = Uniformity::varying;
      places.resize(f.value_count());
      places[f.result(i).id] = thread;
      f.remove(i);
    }
  f.replace_values(places);
}

}  // namespace warpjit::ir
