#include <algorithm>

#include "ir/analysis/dominators.h"
#include "ir/analysis/loops.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

// A test and its branch cost about as much as this many vector instructions.
constexpr std::uint32_t kWorthATest = 8;
constexpr std::uint32_t kMemory = 100;  // worth a test by itself

// About how many vector instructions of the host an operation takes.
std::uint32_t cost(const Function& f, Inst i) {
  const InstData& data = f.inst(i);
  if (info(data.opcode).callout) return kMemory;
  switch (data.opcode) {
    case Opcode::LoadInput:
    case Opcode::StoreOutput:
    case Opcode::LoadInputRow:
    case Opcode::StoreOutputRow:
    case Opcode::LoadMemory:
    case Opcode::StoreMemory:
    case Opcode::Barrier:
      return kMemory;
    case Opcode::LoadUniformRow:
      return f.value(data.first_result).shape == Shape::varying ? kMemory : 1;
    case Opcode::FDiv32:
    case Opcode::FSqrt32:
    case Opcode::FMulZeroInf32:
      return 5;
    case Opcode::Exp2F32:
    case Opcode::Log2F32:
    case Opcode::RcpF32:
    case Opcode::RsqrtF32:
      return 12;
    case Opcode::FMadTruncFlush32:
      return 7;
    case Opcode::CanonicalizeNaN32:
    case Opcode::CanonicalizeNaNOnes32:
    case Opcode::F32ToI32Sat:
    case Opcode::IMul32:
      return 2;
    default:
      return data.result_count != 0 && f.value(data.first_result).shape == Shape::varying ? 1 : 0;
  }
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
    if (loops.is_header(b)) total[b.id] = kMemory;
    for (Inst i : f.insts(b)) total[b.id] = std::min(total[b.id] + cost(f, i), kMemory);
    f.block(b).worth_skipping = total[b.id] > kWorthATest;
    if (const Block parent = loops.level_dominator(b); parent.valid())
      total[parent.id] = std::min(total[parent.id] + total[b.id], kMemory);
  }
}

}  // namespace warpjit::ir
