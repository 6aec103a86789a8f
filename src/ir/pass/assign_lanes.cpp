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
  const bool one_group = f.block_groups == 1;
  std::vector<Value> places(f.value_count());
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b})) {
      const Opcode opcode = f.inst(i).opcode;
      if (opcode != Opcode::ThreadIndex && !(opcode == Opcode::GroupIndex && one_group)) continue;
      Builder builder(f);
      builder.set_before(i);
      builder.set_guest_address(f.inst(i).guest_address);
      const auto with = [&](I32 v, Uniformity uniformity) {
        f.value(v).uniformity = uniformity;
        return v;
      };
      Value place;
      if (opcode == Opcode::GroupIndex) {
        place = builder.constant(0U);
      } else if (one_group) {
        place = with(builder.LaneIndex(), Uniformity::varying);
      } else {
        const I32 group = with(builder.GroupIndex(), Uniformity::group);
        const I32 first = with(builder.IMul32(group, builder.constant(lanes)), Uniformity::group);
        const I32 lane = with(builder.LaneIndex(), Uniformity::varying);
        place = with(builder.IAdd32(first, lane), Uniformity::varying);
      }
      places.resize(f.value_count());
      places[f.result(i).id] = place;
      f.remove(i);
    }
  f.replace_values(places);
}

}  // namespace warpjit::ir
