#include <algorithm>

#include "ir/analysis/dominators.h"
#include "ir/analysis/loops.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

// A test and its branch cost about as much as this many vector instructions. With 4 to 99 in
// its place the rates of the examples on an EPYC of Zen 5 are 0.96 to 1.05 of what they are;
// most have no block of that size.
constexpr std::uint32_t kWorthATest = 8;

std::uint32_t cost(const Function& f, Inst i) {
  const InstData& data = f.inst(i);
  const std::uint32_t cost = info(data.opcode).cost;
  const bool uniform = data.result_count != 0 && f.value(data.first_result).uniformity != Uniformity::varying;
  if (uniform && data.opcode == Opcode::LoadUniformRow) return 1;
  return uniform && cost == 1 ? 0 : cost;
}

}  // namespace

void insert_skips(Function& f) {
  const Dominators dominators(f);
  const Loops loops(f, dominators);
  if (!loops.reducible()) return;
  // What runs only if the block does: the blocks that it dominates within its level of loops.
  std::vector<std::uint32_t> total(f.block_count());
  const auto& order = loops.order();
  for (std::size_t at = order.size(); at-- > 0;) {
    const Block b = order[at];
    // A loop is tested for in any case; better before what leads up to it.
    if (loops.is_header(b)) total[b.id] = std::uint32_t{kMemoryCost};
    for (Inst i : f.insts(b)) total[b.id] = std::min(total[b.id] + cost(f, i), std::uint32_t{kMemoryCost});
    f.block(b).worth_skipping = total[b.id] > kWorthATest;
    if (const Block parent = loops.level_dominator(b); parent.valid())
      total[parent.id] = std::min(total[parent.id] + total[b.id], std::uint32_t{kMemoryCost});
  }
}

}  // namespace warpjit::ir
