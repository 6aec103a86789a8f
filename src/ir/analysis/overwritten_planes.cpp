#include "ir/analysis/overwritten_planes.h"

#include <vector>

namespace warpjit::ir {
namespace {

bool is_covered(const Function& f, Value v) { return f.definition_of(v).opcode == Opcode::PixelCovered; }

// True if all covered threads that return come through the block.
bool all_covered_come(const Function& f, Block through) {
  std::vector<char> seen(f.block_count(), 0);
  std::vector<Block> waiting{Function::entry()};
  seen[Function::entry().id] = 1;
  while (!waiting.empty()) {
    const Block b = waiting.back();
    waiting.pop_back();
    if (b.id == through.id) continue;
    const Inst end = f.terminator(b);
    if (f.inst(end).opcode == Opcode::Return) return false;
    const Edges& successors = f.block(b).successors;
    const bool one_way = f.inst(end).opcode == Opcode::Branch && is_covered(f, f.operand(end, 0));
    for (std::size_t k = 0; k < (one_way ? 1 : successors.size()); ++k) {
      if (seen[successors[k].id] != 0) continue;
      seen[successors[k].id] = 1;
      waiting.push_back(successors[k]);
    }
  }
  return true;
}

}  // namespace

std::uint64_t overwritten_planes(const Function& f) {
  constexpr std::uint64_t kMostPlanes = 64;
  std::uint64_t stored = 0, loaded = 0;
  for (std::uint32_t b = 0; b < f.block_count(); ++b) {
    std::uint64_t here = 0;
    for (Inst i : f.insts(Block{b})) {
      const InstData& data = f.inst(i);
      if (data.opcode != Opcode::LoadTile && data.opcode != Opcode::StoreTile) continue;
      if (data.immediate >= kMostPlanes) continue;
      const std::uint64_t plane = std::uint64_t{1} << data.immediate;
      if (data.opcode == Opcode::LoadTile)
        loaded |= plane;
      else if (is_covered(f, f.operand(i, 0)))
        here |= plane;
    }
    if ((here & ~stored) != 0 && all_covered_come(f, Block{b})) stored |= here;
  }
  return stored & ~loaded;
}

}  // namespace warpjit::ir
