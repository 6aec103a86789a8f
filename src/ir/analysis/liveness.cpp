#include "ir/analysis/liveness.h"

#include "ir/analysis/dominators.h"

namespace warpjit::ir {
namespace {

// Where values are needed beyond the block that makes them, value by value.
class Needs {
 public:
  Needs(const Function& f, Liveness::Uses uses) : first_(f.value_count(), kNone) {
    const std::vector<Block> order = reverse_postorder(f);
    for (Block b : order)
      for (Inst i : f.insts(b)) {
        const bool of_lanes = uses == Liveness::Uses::of_lanes;
        if (of_lanes && f.inst(i).opcode == Opcode::BurnFuel) continue;
        const auto wanted = [&](Value v) {
          return !of_lanes || f.value(v).uniformity == Uniformity::varying;
        };
        const std::span<const Value> operands = f.operands(i);
        if (f.inst(i).opcode == Opcode::Phi) {
          const auto& predecessors = f.block(b).predecessors;
          for (std::uint32_t k = 0; k < predecessors.size(); ++k)
            if (wanted(operands[k])) add(operands[k], predecessors[k], true);
        } else {
          for (Value v : operands)
            if (f.definition_of(v).block != b && wanted(v)) add(v, b, false);
        }
      }
  }

  bool has(Value v) const { return first_[v.id] != kNone; }
  // visit(block, at its end?) for each need of v.
  template <class Visit>
  void for_each(Value v, Visit visit) const {
    for (std::uint32_t k = first_[v.id]; k != kNone; k = needs_[k].next)
      visit(needs_[k].block, needs_[k].at_end);
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Need {
    Block block;
    bool at_end;
    std::uint32_t next;
  };

  void add(Value v, Block b, bool at_end) {
    std::uint32_t& first = first_[v.id];
    if (first != kNone && needs_[first].block == b && needs_[first].at_end == at_end) return;
    needs_.push_back({b, at_end, first});
    first = static_cast<std::uint32_t>(needs_.size() - 1);
  }

  std::vector<std::uint32_t> first_;  // per value: into needs_
  std::vector<Need> needs_;
};

}  // namespace

void Liveness::Sets::finish(std::size_t blocks) {
  first_.assign(blocks + 1, 0);
  for (const Added& added : added_) ++first_[added.block.id + 1];
  for (std::size_t b = 0; b < blocks; ++b) first_[b + 1] += first_[b];
  values_.resize(added_.size());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const Added& added : added_) values_[next[added.block.id]++] = added.value;
  added_ = {};
}

// Each value by itself: from where it is needed up to where it is made.
Liveness::Liveness(const Function& f, Uses uses) {
  const Needs needs(f, uses);
  std::vector<Value> seen_in(f.block_count()), seen_out(f.block_count());  // the last value seen there
  std::vector<Block> to_visit;
  for (std::uint32_t id = 0; id < f.value_count(); ++id) {
    const Value v{id};
    if (!needs.has(v)) continue;
    const Block home = f.definition_of(v).block;
    const auto need_in = [&](Block b) {
      if (b == home || seen_in[b.id] == v) return;
      seen_in[b.id] = v;
      in_.add(b, v);
      to_visit.push_back(b);
    };
    const auto need_out = [&](Block b) {
      if (seen_out[b.id] == v) return;
      seen_out[b.id] = v;
      out_.add(b, v);
      need_in(b);
    };
    needs.for_each(v, [&](Block b, bool at_end) { at_end ? need_out(b) : need_in(b); });
    while (!to_visit.empty()) {
      const Block b = to_visit.back();
      to_visit.pop_back();
      for (Block p : f.block(b).predecessors) need_out(p);
    }
  }
  in_.finish(f.block_count());
  out_.finish(f.block_count());
}

}  // namespace warpjit::ir
