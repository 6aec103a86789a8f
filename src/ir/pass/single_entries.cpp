// Cycles with several entries become loops: a new header in front of the entries knows by a phi which of
// them a thread wants to go to. What a thread does stays the same, so that only the cycle pays for its shape
// and all the rest is linearized as ever.
#include <algorithm>
#include <array>
#include <utility>

#include "ir/analysis/dominators.h"
#include "ir/analysis/loops.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

class EntryMerger {
 public:
  explicit EntryMerger(Function& f) : f_(f), builder_(f), order_(reverse_postorder(f)) {
    position_.assign(f.block_count(), kNone);
    for (std::uint32_t k = 0; k < order_.size(); ++k) position_[order_[k].id] = k;
    region_ = position_;
    for (Block b : order_) region_[b.id] = 0;
    index_.resize(f.block_count());
    lowest_.resize(f.block_count());
  }

  // From the outside in: a cycle without its header falls into the cycles inside it. False, with the function
  // half done, if cycles are nested too deeply, or headers would have too many phis. Also if a cycle with
  // several entries is inside another one: all blocks of a cycle run in each of its turns, with lanes ever
  // farther apart, so that the dispatcher costs less.
  bool run() {
    const std::size_t most_visits = kMostVisits * (order_.size() + 64);
    std::size_t visits = 0;
    to_split_.push_back({order_, false});
    while (!to_split_.empty()) {
      const Region region = std::move(to_split_.back());
      to_split_.pop_back();
      visits += region.blocks.size();
      if (visits > most_visits) return false;
      for (std::vector<Block>& cycle : cycles(region.blocks))
        if (!enter_once(cycle, region.within_merged)) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::size_t kMostVisits = 64;          // of a block, on average
  static constexpr std::size_t kMostOperands = 1u << 16;  // of the phis of a new header
  struct Region {
    std::vector<Block> blocks;
    bool within_merged;  // a cycle around it had several entries
  };
  // An edge into an entry of a cycle: from predecessor `slot` of entry number `entry`.
  struct Edge {
    Block from;
    std::uint32_t slot, entry;
  };

  // The strongly connected components of a region that hold a cycle, each as a region of its own (Tarjan).
  std::vector<std::vector<Block>> cycles(const std::vector<Block>& blocks) {
    struct Open {
      Block block;
      std::uint32_t edge;
    };
    const std::uint32_t region = region_[blocks[0].id];
    std::vector<std::vector<Block>> found;
    std::vector<Block> stack;
    std::vector<Open> path;
    std::uint32_t next = 0;
    for (Block b : blocks) index_[b.id] = kNone;
    const auto open = [&](Block b) {
      index_[b.id] = lowest_[b.id] = next++;
      stack.push_back(b);
      path.push_back({b, 0});
    };
    const auto close = [&](Block root) {
      const auto first = std::find(stack.rbegin(), stack.rend(), root).base() - 1;
      const Edges& targets = f_.block(root).successors;
      const bool cycle =
          stack.end() - first > 1 || std::find(targets.begin(), targets.end(), root) != targets.end();
      if (cycle) ++regions_;
      for (auto b = first; b != stack.end(); ++b) region_[b->id] = cycle ? regions_ : kNone;
      if (cycle) found.emplace_back(first, stack.end());
      stack.erase(first, stack.end());
    };
    for (Block start : blocks) {
      if (index_[start.id] != kNone) continue;
      open(start);
      while (!path.empty()) {
        const Block b = path.back().block;
        const Edges& targets = f_.block(b).successors;
        if (path.back().edge == targets.size()) {
          path.pop_back();
          if (!path.empty())
            lowest_[path.back().block.id] = std::min(lowest_[path.back().block.id], lowest_[b.id]);
          if (lowest_[b.id] == index_[b.id]) close(b);
          continue;
        }
        const Block target = targets[path.back().edge++];
        if (region_[target.id] != region) continue;  // also what is closed
        if (index_[target.id] == kNone)
          open(target);
        else
          lowest_[b.id] = std::min(lowest_[b.id], index_[target.id]);
      }
    }
    return found;
  }

  bool enter_once(std::vector<Block>& cycle, bool within_merged) {
    const std::uint32_t region = region_[cycle[0].id];
    std::vector<Block> entries;
    for (Block b : cycle) {
      const Edges& from = f_.block(b).predecessors;
      const auto outside = [&](Block p) { return region_[p.id] != region && is_reached(p); };
      if (std::any_of(from.begin(), from.end(), outside)) entries.push_back(b);
    }
    if (entries.size() == 1) {
      std::erase(cycle, entries[0]);
      region_[entries[0].id] = kNone;
    } else {
      std::sort(entries.begin(), entries.end(),
                [&](Block a, Block b) { return position_[a.id] < position_[b.id]; });
      if (within_merged || !add_header(entries)) return false;
      within_merged = true;
    }
    if (!cycle.empty()) to_split_.push_back({std::move(cycle), within_merged});
    return true;
  }

  // Blocks that are made here are reached.
  bool is_reached(Block b) const { return b.id >= position_.size() || position_[b.id] != kNone; }

  bool add_header(const std::vector<Block>& entries) {
    std::vector<Edge> edges;
    std::size_t phis = 1;
    for (std::uint32_t k = 0; k < entries.size(); ++k) {
      const Edges& from = f_.block(entries[k]).predecessors;
      for (std::uint32_t slot = 0; slot < from.size(); ++slot)
        if (is_reached(from[slot])) edges.push_back({from[slot], slot, k});
      for (Inst i : f_.insts(entries[k])) {
        if (f_.inst(i).opcode != Opcode::Phi) break;
        ++phis;
      }
    }
    if (phis * edges.size() > kMostOperands) return false;

    const Block header = f_.add_block(f_.block(entries[0]).guest_address);
    region_.resize(f_.block_count(), kNone);
    std::vector<Block> arriving;
    for (const Edge& edge : edges) arriving.push_back(lead_to(header, edge, entries[edge.entry]));
    const Value chosen = choice(header, edges, entries.size());
    for (std::uint32_t k = 0; k < entries.size(); ++k) move_phis(header, edges, entries[k], k);
    for (Block entry : entries) {
      Edges unreached;
      for (Block p : f_.block(entry).predecessors)
        if (!is_reached(p)) unreached.push_back(p);
      f_.block(entry).predecessors = unreached;
    }
    Edges& predecessors = f_.block(header).predecessors;
    for (Block b : arriving) predecessors.push_back(b);
    builder_.set_block(header);
    if (entries.size() == 2)
      builder_.branch(I1{chosen}, entries[0], entries[1]);
    else
      builder_.switch_(I32{chosen}, entries);
    return true;
  }

  // Turns an edge to the header; gives the block that it comes from then. Marks stay where they are.
  Block lead_to(Block header, const Edge& edge, Block entry) {
    Edges& targets = f_.block(edge.from).successors;
    Block& target = *std::find(targets.begin(), targets.end(), entry);
    if (targets.size() == 1) {
      target = header;
      return edge.from;
    }
    const Block middle = f_.add_block(f_.block(entry).guest_address);
    region_.resize(f_.block_count(), kNone);
    Edges& sides = f_.block(edge.from).successors;  // adding a block moves them
    *std::find(sides.begin(), sides.end(), entry) = middle;
    f_.append(middle, f_.make(Opcode::Jump, {}));
    f_.block(middle).predecessors = {edge.from};
    f_.block(middle).successors = {header};
    return middle;
  }

  // Which entry each edge wants: of two, whether it is the first.
  Value choice(Block header, const std::vector<Edge>& edges, std::size_t entries) {
    const Type type = entries == 2 ? Type::i1 : Type::i32;
    operands_.clear();
    for (const Edge& edge : edges)
      operands_.push_back(f_.constant_value(type, entries == 2 ? 1 - edge.entry : edge.entry));
    const Inst phi = f_.make(Opcode::Phi, operands_, 0, type);
    f_.append(header, phi);
    return f_.result(phi);
  }

  // A thread that wants another entry does not look at these phis.
  void move_phis(Block header, const std::vector<Edge>& edges, Block entry, std::uint32_t number) {
    for (Inst phi : f_.insts(entry)) {
      if (f_.inst(phi).opcode != Opcode::Phi) break;
      operands_.clear();
      const Value nothing = f_.constant_value(f_.inst(phi).phi_type, 0);
      for (const Edge& edge : edges)
        operands_.push_back(edge.entry == number ? f_.operand(phi, edge.slot) : nothing);
      f_.remove(phi);
      f_.set_operands(phi, operands_);
      f_.append(header, phi);
    }
  }

  Function& f_;
  Builder builder_;
  const std::vector<Block> order_;
  std::vector<std::uint32_t> position_;        // per block that there was at first: in order_
  std::vector<std::uint32_t> region_;          // per block: what it is looked at with; kNone: done
  std::vector<std::uint32_t> index_, lowest_;  // per block, in one search
  std::uint32_t regions_ = 0;
  std::vector<Region> to_split_;
  std::vector<Value> operands_;
};

// True if something tells in which order lanes run, or waits for all of them.
bool lanes_are_seen(const Function& f) {
  for (std::uint32_t id = 0; id < f.block_count(); ++id) {
    const Block b{id};
    if (f.lane_order != LaneOrder::none && order_matters_in(f, b)) return true;
    for (Inst i : f.insts(b))
      if (f.inst(i).opcode == Opcode::Barrier) return true;
  }
  return false;
}

}  // namespace

bool give_loops_one_entry(Function& f) {
  {
    const Dominators dominators(f);
    if (Loops(f, dominators).reducible() || lanes_are_seen(f)) return false;
  }
  Function merged = f;
  if (!EntryMerger(merged).run()) return false;
  f = std::move(merged);
  return true;
}

}  // namespace warpjit::ir
