#include "backend/lower/deferred_checks.h"

#include <algorithm>

namespace warpjit::backend {

bool DeferredChecks::worthwhile(std::span<const ir::Inst> insts) const {
  if (!code_.flushes) return false;
  const auto count = std::count_if(insts.begin(), insts.end(), [&](ir::Inst i) { return defers(i); });
  return static_cast<std::size_t>(count) * parts_ >= flushing_.fewest_deferred();
}

ir::Inst DeferredChecks::last_from(ir::Inst first) const {
  constexpr int kMost = 128;  // all of it is lowered twice
  if (!code_.flushes || !defers(first)) return {};
  std::size_t count = 0;
  ir::Inst last, i = first;
  for (int n = 0; n < kMost; ++n, i = f_.inst(i).next) {
    const ir::OpcodeInfo& row = ir::info(f_.inst(i).opcode);
    if (!row.pure || row.callout || row.terminator || f_.inst(i).opcode == ir::Opcode::LoadInput) break;
    if (defers(i)) last = i, ++count;
  }
  return count * parts_ >= flushing_.fewest_deferred() ? last : ir::Inst{};
}

}  // namespace warpjit::backend
