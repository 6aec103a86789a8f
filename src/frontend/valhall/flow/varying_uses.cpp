#include "frontend/valhall/flow/varying_uses.h"

#include <algorithm>
#include <tuple>

namespace warpjit::valhall {

std::vector<pixels::SlotUse> fragment_uses(const Program& program, const ReachedCode& code) {
  std::vector<pixels::SlotUse> all;
  for (const auto& reached : code.instructions())
    for (const pixels::SlotUse& use : slot_uses(reached.instruction, program.fragment)) all.push_back(use);
  std::ranges::sort(all, {}, [](const pixels::SlotUse& use) {
    return std::tuple(use.slot, use.plane, use.sprite, use.part);
  });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace warpjit::valhall
