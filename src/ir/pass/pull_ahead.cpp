// An operation after an exit of a loop that is the last to read two values which are made before the exit:
// ahead of the exit it leaves one value to keep there instead of two. It then runs in the last turn, too,
// where it may raise a flag of the host: who looks at flags then runs again without need. With `whole_turns`
// all the rest of a short turn also moves ahead: then a turn is one block, in which what a part of a value
// begins in registers it ends there. Measured on Zen 3: exact mandelbrot with AVX2, 1.06.
#include <vector>

#include "ir/analysis/dominators.h"
#include "ir/analysis/loops.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

class Puller {
 public:
  Puller(Function& f, const Loops& loops, bool whole_turns)
      : f_(f), loops_(loops), whole_turns_(whole_turns), readers_(f.value_count()) {
    count_readers();
  }

  bool run() {
    bool changed = false;
    for (Block block : loops_.order()) {
      const Block before = block_before_exit(block);
      if (!before.valid()) continue;
      if (whole_turns_ && ends_short_turn(block, before)) {
        for (Inst one : tree_) pull(one, before);
        changed = changed || !tree_.empty();
        continue;
      }
      for (Inst i : f_.insts(block))
        if (pays(i, before)) {
          for (Inst one : tree_) pull(one, before);
          changed = true;
        }
    }
    return changed;
  }

 private:
  // The readers of a value: all, and those in the block where it is made.
  struct Readers {
    std::uint32_t all = 0, beside = 0;
  };

  void count_readers() {
    for (std::uint32_t b = 0; b < f_.block_count(); ++b)
      for (Inst i : f_.insts(Block{b}))
        for (Value v : f_.operands(i)) {
          ++readers_[v.id].all;
          if (f_.definition_of(v).block == Block{b} && f_.inst(i).opcode != Opcode::Phi)
            ++readers_[v.id].beside;
        }
  }

  // The block that either comes to this one or leaves the loop; invalid if there is no such block.
  Block block_before_exit(Block block) const {
    const Edges& from = f_.block(block).predecessors;
    const std::uint32_t loop = loops_.innermost(block);
    if (loop == Loops::kNone || from.size() != 1 || loops_.innermost(from[0]) != loop) return {};
    const Edges& ways = f_.block(from[0]).successors;
    if (ways.size() != 2 || loops_.contains(loop, ways[ways[0] == block ? 1 : 0])) return {};
    return from[0];
  }

  bool is_varying(Value v) const { return f_.value(v).uniformity == Uniformity::varying; }

  // True if the block is the rest of a turn that lanes leave one by one, and little work. `tree_`: what can
  // stand ahead of the exit, which is all that differs between lanes.
  bool ends_short_turn(Block block, Block before) {
    constexpr int kMostCost = 24;
    tree_.clear();
    const Inst exit = f_.terminator(before);
    const Edges& ways = f_.block(block).successors;
    if (ways.size() != 1 || loops_.loop(loops_.innermost(block)).header != ways[0] ||
        f_.definition_of(f_.operand(exit, 0)).opcode != Opcode::AnyLane)
      return false;
    int cost = 0;
    for (Inst i : f_.insts(block)) {
      const InstData& data = f_.inst(i);
      if (data.opcode == Opcode::BurnFuel || data.opcode == Opcode::Jump) continue;
      const OpcodeInfo& row = info(data.opcode);
      if (!row.lane_wise()) return false;
      if (!is_varying(f_.result(i))) continue;
      for (Value v : f_.operands(i))  // which stay
        if (f_.definition_of(v).block == block && !is_varying(v)) return false;
      tree_.push_back(i);
      cost += row.cost;
    }
    return cost <= kMostCost;
  }

  // Counts the values made before the exit that i and what it alone is made of here are the last to read.
  // `tree_`: these operations, i last. Fails (false) where one cannot stand ahead of the exit.
  bool last_reads(Inst i, Block before, int depth, std::uint32_t& count) {
    constexpr int kMostCost = 2;
    const OpcodeInfo& row = info(f_.inst(i).opcode);
    if (!row.lane_wise() || row.cost > kMostCost || !is_varying(f_.result(i))) return false;
    for (std::uint32_t k = 0; k < f_.inst(i).operand_count; ++k) {
      const Value v = f_.operand(i, k);
      const Inst made = f_.definition(v);
      const Readers& readers = readers_[v.id];
      if (f_.inst(made).block == f_.inst(i).block) {
        if (depth == 0 || readers.all != 1 || !last_reads(made, before, depth - 1, count)) return false;
      } else if (f_.inst(made).block == before && readers.all == readers.beside + 1 && is_varying(v) &&
                 f_.value(v).type != Type::i1) {
        ++count;
      }
    }
    tree_.push_back(i);
    return true;
  }
  bool pays(Inst i, Block before) {
    constexpr int kDepth = 2;
    tree_.clear();
    std::uint32_t count = 0;
    return last_reads(i, before, kDepth, count) && count >= 2;
  }

  // After the last one in the block that makes or reads an operand, which is not far away.
  void pull(Inst i, Block before) {
    const auto operands = f_.operands(i);
    const auto meets = [&](Inst other) {
      for (Value v : operands) {
        if (f_.definition(v) == other) return true;
        for (Value read : f_.operands(other))
          if (read == v) return true;
      }
      return false;
    };
    constexpr int kFarthest = 32;
    Inst position = f_.terminator(before);
    for (int n = 0; n < kFarthest; ++n) {
      const Inst previous = f_.inst(position).previous;
      if (!previous.valid() || f_.inst(previous).opcode == Opcode::Phi || meets(previous)) break;
      position = previous;
    }
    for (Value v : operands)
      if (f_.definition_of(v).block == before) ++readers_[v.id].beside;
    f_.remove(i);
    f_.insert_before(position, i);
    readers_[f_.result(i).id].beside = 0;
  }

  Function& f_;
  const Loops& loops_;
  const bool whole_turns_;
  std::vector<Readers> readers_;  // by value
  std::vector<Inst> tree_;        // that pays
};

}  // namespace

bool pull_ahead_of_exits(Function& f, bool whole_turns) {
  const Dominators dominators(f);
  const Loops loops(f, dominators);
  return loops.reducible() && Puller(f, loops, whole_turns).run();
}

}  // namespace warpjit::ir
