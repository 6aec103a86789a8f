// Masks of which it is known what lanes have them (analysis/lane_sets): what logic makes of two of them may
// be one of these, and whether any lane has them is a constant.
#include "ir/analysis/lane_sets.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {

bool fold_lane_sets(Function& f) {
  const LaneSets sets(f, Opcode::LaneIndex, f.group_lanes);
  if (!sets.any()) return false;
  std::vector<Value> replacement(f.value_count());
  bool changed = false;
  const auto replace = [&](Inst i, Value by) {
    replacement.resize(f.value_count());
    replacement[f.result(i).id] = by;
    f.remove(i);
    changed = true;
  };
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b})) {
      const InstData data = f.inst(i);
      if (data.opcode == Opcode::AnyLane) {
        if (const LaneSet* set = sets.find(f.operand(i, 0)); set != nullptr)
          replace(i, f.constant_value(Type::i1, set->any()));
        continue;
      }
      if (data.result_count != 1 || data.opcode == Opcode::ConstI1) continue;
      const LaneSet* made = sets.find(f.result(i));
      if (made == nullptr) continue;
      if (made->none() || *made == sets.all()) {
        replace(i, f.constant_value(Type::i1, made->any()));
        continue;
      }
      for (const Value v : f.operands(i))
        if (const LaneSet* set = sets.find(v); set != nullptr && *set == *made) {
          replace(i, v);
          break;
        }
    }
  if (changed) f.replace_values(replacement);
  return changed;
}

}  // namespace warpjit::ir
