#include "ir/analysis/overwritten_planes.h"

namespace warpjit::ir {

std::uint64_t overwritten_planes(const Function& f) {
  constexpr std::uint64_t kMostPlanes = 64;
  std::uint64_t stored = 0, loaded = 0;
  std::uint32_t ends = 0;
  for (std::uint32_t b = 0; b < f.block_count(); ++b) {
    // All threads come to the only block that returns.
    const bool is_end = f.inst(f.terminator(Block{b})).opcode == Opcode::Return;
    if (is_end) ++ends;
    for (Inst i : f.insts(Block{b})) {
      const InstData& data = f.inst(i);
      if (data.opcode != Opcode::LoadTile && data.opcode != Opcode::StoreTile) continue;
      if (data.immediate >= kMostPlanes) continue;
      const std::uint64_t plane = std::uint64_t{1} << data.immediate;
      if (data.opcode == Opcode::LoadTile)
        loaded |= plane;
      else if (is_end && f.definition_of(f.operand(i, 0)).opcode == Opcode::PixelCovered)
        stored |= plane;
    }
  }
  return ends == 1 ? stored & ~loaded : 0;
}

}  // namespace warpjit::ir
