#include "ir/analysis/uniformity.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "ir/analysis/post_dominators.h"
#include "ir/memory.h"

namespace warpjit::ir {
namespace {

// The uniformity of what a load gives, for any address.
Uniformity loaded(const InstData& load) {
  return MemoryAccess::unpack(load.immediate).space == Space::local ? Uniformity::varying : Uniformity::group;
}

// The optimistic start.
Uniformity own_uniformity(const InstData& data) {
  const OpcodeInfo& row = info(data.opcode);
  if (data.opcode == Opcode::LoadMemory) return loaded(data);
  if (row.per_lane) return Uniformity::varying;
  return row.convergent || data.opcode == Opcode::Phi ? Uniformity::group : Uniformity::launch;
}

void set_uniformity(Function& f, Inst i, Uniformity uniformity) {
  for (std::uint32_t k = 0; k < f.inst(i).result_count; ++k) f.value(f.result(i, k)).uniformity = uniformity;
}

// True if the result varies as the operand does.
bool counts(const Function& f, Inst user, Value v) {
  const Opcode opcode = f.inst(user).opcode;
  // Lanes without guard may have the others' word.
  if (opcode == Opcode::LoadMemory) return v == f.operand(user, 1);
  return !info(opcode).masked || v != f.operand(user, info(opcode).guard());
}

// The users of each value, as one array with a range per value.
class Users {
 public:
  Users() = default;
  Users(const Function& f, std::span<const Block> blocks) : first_(f.value_count() + 2) {
    for (Block b : blocks)
      for (Inst i : f.insts(b))
        for (Value v : f.operands(i)) ++first_[v.id + 2];
    for (std::size_t k = 2; k < first_.size(); ++k) first_[k] += first_[k - 1];
    users_.resize(first_.back());
    for (Block b : blocks)
      for (Inst i : f.insts(b))
        for (Value v : f.operands(i)) users_[first_[v.id + 1]++] = i;
  }
  std::span<const Inst> of(Value v) const {
    return {users_.data() + first_[v.id], first_[v.id + 1] - first_[v.id]};
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<Inst> users_;
};

class UniformityAnalysis {
 public:
  UniformityAnalysis(Function& f, const Loops& loops) : f_(f), loops_(loops) {}

  // False if it took too long.
  bool run() {
    for (Block b : loops_.order())
      for (Inst i : f_.insts(b)) set_uniformity(f_, i, own_uniformity(f_.inst(i)));
    first_visits();
    if (!changed_.empty()) users_ = Users(f_, loops_.order());
    while (!changed_.empty()) {
      const Value v = changed_.back();
      changed_.pop_back();
      for (Inst user : users_.of(v)) visit_user(user, v);
      if (walked_ > kMaxWalk * (loops_.order().size() + 100)) return false;
    }
    return true;
  }

 private:
  // How often each block may be passed, on average; and how often before it pays to look for shorter ways.
  static constexpr std::size_t kMaxWalk = 100, kFewSteps = 2;

  // In the order of the blocks operands come before what uses them, phis of loops excepted.
  void first_visits() {
    for (Block b : loops_.order())
      for (Inst i : f_.insts(b)) {
        visited_ = i;
        visit(i);
      }
    visited_ = {};
    for (const Loops::Loop& loop : loops_.loops())
      for (Inst i : f_.insts(loop.header)) {
        if (f_.inst(i).opcode != Opcode::Phi) break;
        for (Value v : f_.operands(i)) visit_user(i, v);
      }
  }

  void visit(Inst i) {
    const auto operands = f_.operands(i);
    const Opcode opcode = f_.inst(i).opcode;
    if (!divergent_loop_.empty() || opcode == Opcode::LoadMemory || info(opcode).masked) {
      for (Value v : operands) visit_user(i, v);
      return;
    }
    Uniformity uniformity = Uniformity::launch;
    for (Value v : operands) uniformity = std::max(uniformity, f_.value(v).uniformity);
    take(i, uniformity);
  }

  void visit_user(Inst user, Value v) {
    const InstData& data = f_.inst(user);
    const Uniformity uniformity = leaves_divergently(v, data) ? Uniformity::varying : f_.value(v).uniformity;
    if (counts(f_, user, v)) take(user, uniformity);
  }

  // An operand that counts has this uniformity.
  void take(Inst user, Uniformity uniformity) {
    const InstData& data = f_.inst(user);
    const OpcodeInfo& row = info(data.opcode);
    if (row.terminator) {
      if (uniformity == Uniformity::varying) diverge(data.block);
    } else if (!row.convergent) {
      raise(user, uniformity);
    }
  }

  // True if a user sees v from outside a loop that lanes leave in different turns. A phi then holds what each
  // lane left with. Without a phi v itself must.
  bool leaves_divergently(Value v, const InstData& user) {
    if (divergent_loop_.empty() || f_.value(v).uniformity == Uniformity::launch) return false;
    const Block home = f_.definition_of(v).block;
    for (std::uint32_t loop = loops_.innermost(home); !loops_.contains(loop, user.block);
         loop = loops_.loop(loop).parent) {
      if (divergent_loop_[loop] == 0) continue;
      if (user.opcode != Opcode::Phi) raise(f_.definition(v), Uniformity::varying);
      return true;
    }
    return false;
  }

  void raise(Inst i, Uniformity uniformity) {
    for (std::uint32_t k = 0; k < f_.inst(i).result_count; ++k) {
      const Value v = f_.result(i, k);
      if (f_.value(v).uniformity >= uniformity) continue;
      f_.value(v).uniformity = uniformity;
      if (i != visited_) changed_.push_back(v);
    }
  }

  // Lanes that came over different edges meet at b: its phis choose by lane, unless there is only one choice.
  void join(Block b) {
    if (joined_[b.id] != 0) return;
    joined_[b.id] = 1;
    for (Inst i : f_.insts(b)) {
      if (f_.inst(i).opcode != Opcode::Phi) break;
      const auto operands = f_.operands(i);
      if (std::any_of(operands.begin(), operands.end(), [&](Value v) { return v != operands[0]; }))
        raise(i, Uniformity::varying);
    }
  }

  // The branch at the end of `branch` sends lanes different ways.
  void diverge(Block branch) {
    if (diverged_.empty()) {
      diverged_.resize(f_.block_count());
      divergent_loop_.resize(loops_.loops().size());
      joined_.resize(f_.block_count());
      label_.resize(f_.block_count());
      stamp_.resize(f_.block_count());
    }
    if (diverged_[branch.id] != 0) return;
    diverged_[branch.id] = 1;
    start_walk(loops_.innermost(branch));
    for (Block s : f_.block(branch).successors) flow(branch, s, s);
    walk();
  }

  // Lanes are at several blocks of one turn of a loop (of the function if kNone). Walks what they reach until
  // all meet again, carrying as a label the block where a path last was alone: two labels at one block are a
  // join. Each block waiting to be walked through is a place where lanes are; so is the header, for those
  // that turn back.
  void start_walk(std::uint32_t loop) {
    ++generation_;
    walk_loop_ = loop;
    places_.clear();
    turned_back_ = false;
    left_ = false;
  }

  void walk() {
    const std::uint32_t loop = walk_loop_;
    while (places_.size() + (turned_back_ ? 1 : 0) > 1) {
      std::ranges::pop_heap(places_, std::greater());
      const Block b = loops_.order()[places_.back()];
      places_.pop_back();
      ++walked_;
      if (const Block meeting = next_meeting(b); meeting.valid())
        flow(b, meeting, label_[b.id]);
      else
        for (Block s : f_.block(b).successors) flow(b, s, label_[b.id]);
    }
    if (left_) leave_divergently(loop);
  }

  // Where all lanes that are at b meet again, before any others come there; what is on the way need not be
  // walked through. Invalid if it is not known, as where it would hardly save anything.
  Block next_meeting(Block b) {
    if (walked_ < kFewSteps * (loops_.order().size() + 16) || loops_.innermost(b) != walk_loop_) return {};
    if (!turns_) turns_.emplace(f_, loops_);
    const Block meeting = turns_->immediate(b);
    if (!meeting.valid() || loops_.innermost(meeting) != walk_loop_) return {};
    const std::uint32_t position = loops_.position(meeting);
    if (position <= loops_.position(b) || (!places_.empty() && places_.front() < position)) return {};
    return meeting;
  }

  void flow(Block from, Block to, Block label) {
    if (!loops_.contains(walk_loop_, to)) {
      left_ = true;
      return;
    }
    const bool back = loops_.position(to) <= loops_.position(from);
    // Lanes that turn back in an inner loop stay with the others there.
    if (back && (walk_loop_ == Loops::kNone || to != loops_.loop(walk_loop_).header)) return;
    if (stamp_[to.id] != generation_) {
      stamp_[to.id] = generation_;
      label_[to.id] = label;
      if (back) {
        turned_back_ = true;
      } else {
        places_.push_back(loops_.position(to));
        std::ranges::push_heap(places_, std::greater());
      }
    } else if (label_[to.id] != label) {
      label_[to.id] = to;
      join(to);
    }
  }

  // Lanes leave `loop` in different turns or over different exits: its values differ outside, and its exits
  // are where lanes are in the loop around it.
  void leave_divergently(std::uint32_t loop) {
    if (divergent_loop_[loop] != 0) return;
    divergent_loop_[loop] = 1;
    const auto& order = loops_.order();
    const Loops::Loop& data = loops_.loop(loop);
    start_walk(data.parent);
    for (std::uint32_t at = data.first; at < data.end; ++at)
      for (Block s : f_.block(order[at]).successors)
        if (!loops_.contains(loop, s)) {
          const bool twice = stamp_[s.id] == generation_;
          flow(order[at], s, s);
          if (twice) join(s);
        }
    walk();
    walked_ += data.end - data.first;
    for (std::uint32_t at = data.first; at < data.end; ++at)
      for (Inst i : f_.insts(order[at]))
        for (std::uint32_t k = 0; k < f_.inst(i).result_count; ++k)
          if (f_.value(f_.result(i, k)).uniformity != Uniformity::launch) changed_.push_back(f_.result(i, k));
  }

  Function& f_;
  const Loops& loops_;
  Users users_;
  std::vector<Value> changed_;                // whose users must hear of it
  Inst visited_;                              // by first_visits(): its users come later
  std::vector<std::uint8_t> diverged_;        // per block: diverge() has run
  std::vector<std::uint8_t> divergent_loop_;  // per loop
  std::vector<std::uint8_t> joined_;          // per block: join() has run
  std::vector<Block> label_;                  // per block, if its stamp is of this generation
  std::vector<std::uint32_t> stamp_;
  std::size_t walked_ = 0;
  std::uint32_t generation_ = 0;
  std::uint32_t walk_loop_ = Loops::kNone;
  std::vector<std::uint32_t> places_;  // positions, a heap with the lowest in front
  bool turned_back_ = false, left_ = false;
  std::optional<PostDominators> turns_;
};

// In group form all lanes take the same way: a phi varies if one of its operands does.
void analyze_data(Function& f) {
  const std::vector<Block> order = reverse_postorder(f);
  for (Block b : order)
    for (Inst i : f.insts(b)) set_uniformity(f, i, own_uniformity(f.inst(i)));
  std::vector<Value> changed;
  const auto raise = [&](Inst i, Uniformity uniformity) {
    const InstData& data = f.inst(i);
    if (data.result_count == 0 || f.value(data.first_result).uniformity >= uniformity) return;
    set_uniformity(f, i, uniformity);
    for (std::uint32_t k = 0; k < data.result_count; ++k) changed.push_back(f.result(i, k));
  };
  const auto visit = [&](Inst i) {
    if (info(f.inst(i).opcode).convergent) return;
    Uniformity uniformity = Uniformity::launch;
    for (Value v : f.operands(i))
      if (counts(f, i, v)) uniformity = std::max(uniformity, f.value(v).uniformity);
    raise(i, uniformity);
  };
  for (Block b : order)
    for (Inst i : f.insts(b)) visit(i);
  changed.clear();  // but operands of phis come later, too
  for (Block b : order)
    for (Inst i : f.insts(b)) {
      if (f.inst(i).opcode != Opcode::Phi) break;
      visit(i);
    }
  if (changed.empty()) return;
  const Users users(f, order);
  // One operand at a time: a phi may have very many.
  while (!changed.empty()) {
    const Value v = changed.back();
    changed.pop_back();
    const Uniformity uniformity = f.value(v).uniformity;
    for (Inst user : users.of(v))
      if (!info(f.inst(user).opcode).convergent && counts(f, user, v)) raise(user, uniformity);
  }
}

}  // namespace

void analyze_uniformity(Function& f, const Loops& loops) {
  if (f.form == Form::group) return analyze_data(f);
  if (loops.reducible() && UniformityAnalysis(f, loops).run()) return;
  for (Block b : reverse_postorder(f)) {
    for (Inst i : f.insts(b)) {
      const InstData& data = f.inst(i);
      const bool phi = data.opcode == Opcode::Phi;
      Uniformity uniformity = phi ? Uniformity::varying : own_uniformity(data);
      if (!phi && !info(data.opcode).convergent)
        for (Value v : f.operands(i))
          if (counts(f, i, v)) uniformity = std::max(uniformity, f.value(v).uniformity);
      set_uniformity(f, i, uniformity);
    }
  }
}

void analyze_uniformity(Function& f) {
  if (f.form == Form::group) return analyze_data(f);
  const Dominators dominators(f);
  analyze_uniformity(f, Loops(f, dominators));
}

}  // namespace warpjit::ir
