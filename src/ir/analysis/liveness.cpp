#include "ir/analysis/liveness.h"

#include "ir/analysis/dominators.h"

namespace warpjit::ir {

Liveness::Liveness(const Function& f)
    : words_((f.value_count() + 63) / 64), bits_(f.block_count() * 2 * words_) {
  const std::vector<Block> order = reverse_postorder(f);
  // used: read before any definition of the block, phis aside; defined: in the block.
  std::vector<std::uint64_t> local(f.block_count() * 2 * words_);
  const auto set = [](std::uint64_t* bits, Value v) { bits[v.id / 64] |= std::uint64_t{1} << (v.id % 64); };
  for (Block b : order) {
    std::uint64_t* used = local.data() + row(b, 0);
    std::uint64_t* defined = local.data() + row(b, 1);
    for (Inst i : f.insts(b)) {
      if (f.inst(i).opcode == Opcode::Phi) {
        const auto& predecessors = f.block(b).predecessors;
        for (std::uint32_t k = 0; k < predecessors.size(); ++k)
          set(bits_.data() + row(predecessors[k], 1), f.operand(i, k));
      } else {
        for (Value v : f.operands(i))
          if (((defined[v.id / 64] >> (v.id % 64)) & 1) == 0) set(used, v);
      }
      for (std::uint32_t k = 0; k < f.inst(i).result_count; ++k) set(defined, f.result(i, k));
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = order.size(); k-- > 0;) {
      const Block b = order[k];
      std::uint64_t* in = bits_.data() + row(b, 0);
      std::uint64_t* out = bits_.data() + row(b, 1);
      for (Block s : f.block(b).successors)
        for (std::size_t w = 0; w < words_; ++w) out[w] |= bits_[row(s, 0) + w];
      const std::uint64_t* used = local.data() + row(b, 0);
      const std::uint64_t* defined = local.data() + row(b, 1);
      for (std::size_t w = 0; w < words_; ++w) {
        const std::uint64_t live = in[w] | used[w] | (out[w] & ~defined[w]);
        if (live != in[w]) in[w] = live, changed = true;
      }
    }
  }
}

}  // namespace warpjit::ir
