// Guards that compare a lane's number with a number that all lanes share: whether all lanes have them is one
// comparison of scalars.
#pragma once

#include <optional>

#include "backend/lower/value_forms.h"

namespace warpjit::backend {

// A guard that the lanes have whose number is at least `number` (else: below it), or that plus one.
struct LaneBound {
  ir::Value number;
  bool at_least, plus_one, is_unsigned;
};

class LaneGuards : protected ValueForms {
 public:
  explicit LaneGuards(State& state) : ValueForms(state) {}

  // None: the guard is another one.
  static std::optional<LaneBound> bound(const ir::Function& f, ir::Value guard);
  // Branches where some lane lacks the guard, if one comparison of scalars tells that. False: it does not.
  bool branch_unless_all(ir::Value guard);
  // The number of the first lane that has the guard, or the number after the last one that has it: from 0 to
  // the lanes there are.
  Reg clamped(const LaneBound& bound);
  // True if branch_unless_all would branch.
  bool tells_all(ir::Value guard) const;
};

}  // namespace warpjit::backend
