#include "frontend/tesla/flow/lane_order.h"

#include <algorithm>
#include <bit>

namespace warpjit::tesla {
namespace {

constexpr std::uint32_t kResult = 1U << 30, kLock = 3U << 28;  // bits of Memory::atomics beside operations

void add_operand(LaneEffects& effects, const Operand& operand, bool is_store) {
  if (operand.kind != Operand::Kind::shared && operand.kind != Operand::Kind::global) return;
  LaneEffects::Memory& memory = effects.memory[operand.kind == Operand::Kind::shared ? 0 : 1 + operand.space];
  (is_store ? memory.store : memory.load) = true;
}

std::uint32_t atomic_bits(const Instruction& i, std::uint32_t registers) {
  std::uint32_t bits = 1U << i.operation;
  const auto operation = static_cast<AtomicOperation>(i.operation);
  const bool commutes = operation == AtomicOperation::add || operation >= AtomicOperation::max;
  // Signed and unsigned extremes are different functions.
  if ((operation == AtomicOperation::max || operation == AtomicOperation::min) && is_signed(i.type))
    bits <<= 16;
  const bool has_result = i.opcode == Opcode::atom_g && i.dst.value < registers;
  return has_result || !commutes ? bits | kResult : bits;
}

bool conflict(const LaneEffects::Memory& x, const LaneEffects::Memory& y) {
  if (x.load && (y.store || y.atomics != 0)) return true;
  if (x.store && (y.load || y.atomics != 0)) return true;
  return x.atomics != 0 &&
         (y.load || y.store || (y.atomics != 0 && std::popcount(x.atomics | y.atomics) > 1));
}

// True if the order matters in which some lanes do x and others do y. Two plain stores to one address are a
// race, whose result no engine promises.
bool conflict(const LaneEffects& x, const LaneEffects& y) {
  const auto acts = [](const LaneEffects& e) { return e.barrier || e.touches_memory(); };
  if ((x.barrier && acts(y)) || (y.barrier && acts(x))) return true;
  if ((x.needs_all_lanes && y.writes_neighbours) || (y.needs_all_lanes && x.writes_neighbours)) return true;
  for (std::size_t k = 0; k < x.memory.size(); ++k)
    if (conflict(x.memory[k], y.memory[k])) return true;
  return false;
}

// Blocks that control reaches from some edges while a given number of stack entries stays.
class Region {
 public:
  Region(const LaneOrder& order, std::uint32_t depth)
      : order_(order), depth_(depth), inside_(order.flow.blocks.size()) {}

  void enter(std::uint32_t block) {
    if (block == kThreadEnds) return;
    if (order_.flow.blocks[block].depth < depth_) {
      first_outside_ = std::min(first_outside_, order_.position[block]);
      outside_.push_back(block);
      return;
    }
    if (inside_[block]) return;
    inside_[block] = true;
    blocks_.push_back(block);
  }
  void enter_edges(const FlowBlock& block) {
    for (unsigned k = 0; k < block.edge_count; ++k) enter(block.edges[k].target);
  }
  void walk() {
    for (std::size_t k = 0; k < blocks_.size(); ++k) enter_edges(order_.flow.blocks[blocks_[k]]);
  }

  const std::vector<std::uint32_t>& blocks() const { return blocks_; }
  bool holds(std::uint32_t block) const { return inside_[block]; }
  std::uint32_t first_outside() const { return first_outside_; }  // position
  // The block at an address where control goes on outside, or kThreadEnds.
  std::uint32_t outside_at(std::uint32_t pc) const {
    for (const std::uint32_t block : outside_)
      if (order_.flow.blocks[block].first == pc) return block;
    return kThreadEnds;
  }

 private:
  const LaneOrder& order_;
  const std::uint32_t depth_;
  std::vector<bool> inside_;
  std::vector<std::uint32_t> blocks_, outside_;
  std::uint32_t first_outside_ = ~0U;
};

// Effects of some blocks, and the positions between which they lie.
struct Summary {
  LaneEffects effects;
  std::uint32_t first = ~0U, last = 0;
  void add(const LaneOrder& order, std::uint32_t block) {
    if (!order.effects[block].any()) return;
    effects.add(order.effects[block]);
    first = std::min(first, order.position[block]);
    last = std::max(last, order.position[block]);
  }
};

class Check {
 public:
  explicit Check(const LaneOrder& order) : order_(order) {
    for (std::uint32_t b = 0; b < blocks().size(); ++b) all_.add(order_, b);
  }

  OrderProblem run() {
    if (!all_.effects.any()) return {};
    for (std::uint32_t b = 0; b < blocks().size(); ++b) {
      // The work grows with blocks times branches.
      if (work_ > kMaxWork) return {"too many blocks to find out in which order lanes run", b, {}};
      for (std::uint32_t k = blocks()[b].first_push; k < blocks()[b].end_push; ++k)
        check_push(b, order_.flow.pushes[k].depth);
      if (order_.diverges[b] && blocks()[b].is_bra) check_bra(b);
      if (order_.effects[b].needs_all_lanes && !order_.has_all_lanes[b])
        give_up("a quad operation where not all lanes are", b);
    }
    return std::move(problem_);
  }

 private:
  static constexpr std::size_t kMaxWork = 1 << 22;

  const std::vector<FlowBlock>& blocks() const { return order_.flow.blocks; }
  void fail(const char* reason, std::uint32_t block) {
    if (problem_.reason != nullptr) return;
    problem_.reason = reason;
    problem_.block = block;
  }
  // Splitting blocks does not help.
  void give_up(const char* reason, std::uint32_t block) {
    if (!hopeless_) problem_ = {};
    hopeless_ = true;
    problem_.splits.clear();
    fail(reason, block);
  }

  // Effects of lanes while a stack entry is present precede the effects after it.
  void check_push(std::uint32_t b, std::uint32_t depth) {
    Region region(order_, depth);
    region.enter_edges(blocks()[b]);
    region.walk();
    work_ += region.blocks().size() + 1;
    bool parts = order_.diverges[b];
    Summary inside;
    for (const std::uint32_t block : region.blocks()) {
      parts = parts || order_.diverges[block];
      inside.add(order_, block);
    }
    if (parts && inside.effects.any() && inside.last > region.first_outside() &&
        conflict(inside.effects, all_.effects))
      give_up("lanes that leave by another way touch memory before the others go on", b);
  }

  void check_bra(std::uint32_t b) {
    const FlowBlock& block = blocks()[b];
    std::array<Region, 2> sides{Region(order_, block.meeting_depth), Region(order_, block.meeting_depth)};
    for (unsigned k = 0; k < 2; ++k) {
      sides[k].enter(block.edges[k].target);
      sides[k].walk();
      work_ += sides[k].blocks().size() + 1;
    }
    Summary both;
    std::array<Summary, 2> only;
    for (unsigned k = 0; k < 2; ++k)
      for (const std::uint32_t inside : sides[k].blocks())
        (sides[1 - k].holds(inside) ? both : only[k]).add(order_, inside);
    // Effects of the taken side alone come before those of blocks that both sides reach.
    const bool late = conflict(both.effects, only[0].effects) && only[0].last > both.first;
    if (both.effects.reads_lanes || conflict(both.effects, both.effects) ||
        conflict(both.effects, only[1].effects) || late) {
      const char* reason = "lanes that parted come to the same order-sensitive code one after the other";
      if (std::ranges::any_of(sides, [&](const Region& side) { return holds_bra(side, block.last); }))
        return give_up(reason, b);
      fail(reason, b);
      if (!hopeless_) problem_.splits.push_back(b);
    } else if (conflict(only[0].effects, only[1].effects) && only[0].last > only[1].first) {
      give_up("the sides of a branch touch the same memory, and not in the order of the blocks", b);
    }
  }
  bool holds_bra(const Region& side, std::uint32_t address) const {
    return std::ranges::any_of(side.blocks(), [&](std::uint32_t b) { return blocks()[b].last == address; });
  }

  const LaneOrder& order_;
  Summary all_;
  OrderProblem problem_;
  bool hopeless_ = false;
  std::size_t work_ = 0;
};

class Arrangement {
 public:
  Arrangement(ControlFlow& flow, const std::vector<LaneEffects>& effects)
      : flow_(flow), effects_(effects), order_{flow, effects, {}, {}, {}} {
    order_.position.resize(flow.blocks.size());
    for (const LaneEffects& e : effects) all_.add(e);
  }

  void run() {
    for (std::uint32_t b = 0; b < flow_.blocks.size() && work_ < kMaxWork; ++b) {
      FlowBlock& block = flow_.blocks[b];
      // The lanes that a break or ret leaves go on first.
      if (block.edge_count == 2) block.first_edge = block.is_bra ? first_side(block) : 1;
      for (std::uint32_t k = block.first_push; k < block.end_push; ++k) end_before(block, flow_.pushes[k]);
    }
  }

 private:
  static constexpr std::size_t kMaxWork = 1 << 20;

  std::uint8_t first_side(const FlowBlock& block) {
    std::array<Region, 2> sides{Region(order_, block.meeting_depth), Region(order_, block.meeting_depth)};
    for (unsigned k = 0; k < 2; ++k) {
      sides[k].enter(block.edges[k].target);
      walk(sides[k]);
    }
    const auto acts = [&](unsigned side) {
      return std::ranges::any_of(sides[side].blocks(), [&](std::uint32_t b) {
        return effects_[b].any() && !sides[1 - side].holds(b);
      });
    };
    return !acts(0) && acts(1) ? 1 : 0;
  }

  // Lanes that end while a stack entry is present have their effects before the others go on after it.
  void end_before(const FlowBlock& block, const FlowPush& push) {
    Region region(order_, push.depth);
    region.enter_edges(block);
    walk(region);
    const std::uint32_t behind = region.outside_at(push.pc);
    if (behind == kThreadEnds) return;
    LaneEffects inside;
    for (const std::uint32_t b : region.blocks()) inside.add(effects_[b]);
    if (!conflict(inside, all_)) return;
    for (const std::uint32_t b : region.blocks()) {
      FlowBlock& end = flow_.blocks[b];
      if (end.edge_count != 1 || end.edges[0].target != kThreadEnds) continue;
      if (end.before == kThreadEnds || flow_.blocks[end.before].depth < flow_.blocks[behind].depth)
        end.before = behind;
    }
  }

  void walk(Region& region) {
    region.walk();
    work_ += region.blocks().size() + flow_.blocks.size() / 64;
  }

  ControlFlow& flow_;
  const std::vector<LaneEffects>& effects_;
  LaneOrder order_;
  LaneEffects all_;
  std::size_t work_ = 0;
};

}  // namespace

void LaneEffects::add(const LaneEffects& other) {
  reads_lanes |= other.reads_lanes;
  needs_all_lanes |= other.needs_all_lanes;
  writes_neighbours |= other.writes_neighbours;
  barrier |= other.barrier;
  for (std::size_t k = 0; k < memory.size(); ++k) {
    memory[k].load |= other.memory[k].load;
    memory[k].store |= other.memory[k].store;
    memory[k].atomics |= other.memory[k].atomics;
  }
}

bool LaneEffects::touches_memory() const {
  return std::ranges::any_of(memory, [](const Memory& m) { return m.any(); });
}

bool shows_lanes(const Instruction& i) {
  const bool meets = i.opcode == Opcode::quadop || i.opcode == Opcode::quadon || i.opcode == Opcode::vote;
  return meets || i.lanes != 15 || (i.opcode == Opcode::mov_from_sr && i.src[0].value == 0) ||
         (is_texture(i.opcode) && i.deriv != 0);
}

LaneEffects effects_of(const Instruction& i, const Program& program) {
  LaneEffects effects;
  switch (i.opcode) {
    case Opcode::vote:
      effects.reads_lanes = true;
      return effects;
    case Opcode::quadon:
      effects.reads_lanes = effects.needs_all_lanes = true;
      return effects;
    case Opcode::quadop:
      effects.reads_lanes = effects.needs_all_lanes =
          i.quad_lane < 4 || program.type == ProgramType::fragment;
      return effects;
    case Opcode::bar:
      effects.barrier = true;
      return effects;
    case Opcode::red_g:
    case Opcode::atom_g:
      effects.memory[1 + (i.opcode == Opcode::red_g ? i.dst : i.src[0]).space].atomics =
          atomic_bits(i, program.registers);
      return effects;
    default:
      break;
  }
  if (i.lock != 0) effects.memory[0].atomics = kLock;
  for (const Operand& operand : i.src) add_operand(effects, operand, false);
  add_operand(effects, i.dst, true);
  return effects;
}

std::vector<LaneEffects> lane_effects(const ReachedCode& code, const ControlFlow& flow,
                                      const Program& program) {
  std::vector<LaneEffects> result(flow.blocks.size());
  for (std::size_t b = 0; b < result.size(); ++b)
    for (std::uint32_t pc = flow.blocks[b].first; pc < flow.blocks[b].end;) {
      const Instruction& i = *code.at(pc);
      result[b].add(effects_of(i, program));
      pc += 4 * i.words();
    }
  return result;
}

namespace {

LaneEffects sum(const std::vector<LaneEffects>& effects) {
  LaneEffects all;
  for (const LaneEffects& e : effects) all.add(e);
  return all;
}

}  // namespace

bool order_matters(const std::vector<LaneEffects>& effects) {
  const LaneEffects all = sum(effects);
  return all.reads_lanes || conflict(all, all);
}

bool warps_meet(const std::vector<LaneEffects>& effects) {
  const LaneEffects all = sum(effects);
  return all.reads_lanes || std::ranges::any_of(all.memory, [](const LaneEffects::Memory& m) {
           return m.atomics != 0 && conflict(m, m);
         });
}

void arrange(ControlFlow& flow, const std::vector<LaneEffects>& effects) { Arrangement(flow, effects).run(); }

OrderProblem check_lane_order(const LaneOrder& order) { return Check(order).run(); }

bool all_meet(const LaneOrder& order) {
  constexpr std::size_t kMaxWork = 1 << 20;
  if (!sum(order.effects).barrier) return true;
  std::size_t work = 0;
  for (std::uint32_t b = 0; b < order.flow.blocks.size(); ++b) {
    if (!order.diverges[b]) continue;
    const FlowBlock& block = order.flow.blocks[b];
    Region parted(order, block.meeting_depth);
    parted.enter_edges(block);
    parted.walk();
    work += parted.blocks().size() + order.flow.blocks.size() / 64;
    const auto waits = [&](std::uint32_t inside) { return order.effects[inside].barrier; };
    if (work > kMaxWork || std::ranges::any_of(parted.blocks(), waits)) return false;
  }
  return true;
}

}  // namespace warpjit::tesla
