// A lane that leaves a loop takes values out of it. While other lanes go round, selects keep these values,
// one for each in each turn: kept' = select(lanes, value, kept). If lanes that have left keep what the loop
// carries instead, they compute the same values again in each turn, and those selects can go. Numbers of
// turns, which are the same in all lanes, become select(lanes, kept + 1, kept).
#include <algorithm>
#include <array>
#include <vector>

#include "ir/analysis/dominators.h"
#include "ir/analysis/loops.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

// The guard of all that runs, at the start: lanes without it are seen by nobody.
bool is_all_lanes(const Function& f, Value mask) {
  const InstData& made = f.definition_of(mask);
  return made.opcode == Opcode::PixelCovered || (made.opcode == Opcode::ConstI1 && made.immediate != 0);
}

// True if lanes look at others, some of which may have left.
bool looks_at_lanes(Opcode opcode) {
  return family(opcode) == Family::lanes && opcode != Opcode::AnyLane && opcode != Opcode::MinLaneU32;
}

// The same from turn to turn for a lane whose operands are. What pure operations read does not change.
bool is_function_of_operands(const OpcodeInfo& row) {
  return row.pure && !row.convergent && row.family != Family::phi;
}

class Freezer {
 public:
  Freezer(Function& f, const Dominators& dominators, const Loops& loops, bool masks_are_numbers)
      : f_(f),
        dominators_(dominators),
        loops_(loops),
        masks_are_numbers_(masks_are_numbers),
        steady_(f.value_count(), 0),
        marked_(f.value_count(), 0),
        replacement_(f.value_count()),
        keeping_mask_(f.value_count()) {
    if (masks_are_numbers_) find_keeping_masks();
  }

  bool run() {
    std::vector<char> innermost(loops_.loops().size(), 1);
    for (const Loops::Loop& loop : loops_.loops())
      if (loop.parent != Loops::kNone) innermost[loop.parent] = 0;
    bool changed = false;
    for (std::uint32_t n = 0; n < innermost.size(); ++n)
      if (innermost[n] != 0 && freeze(n)) changed = true;
    if (changed) f_.replace_values(replacement_);
    return changed;
  }

 private:
  // By value v: the mask m, if each reader of v is select(m, x, v).
  void find_keeping_masks() {
    std::vector<char> seen(f_.value_count(), 0);
    for (std::uint32_t b = 0; b < f_.block_count(); ++b)
      for (Inst i : f_.insts(Block{b})) {
        const bool selects = f_.inst(i).opcode == Opcode::SelectI32;
        const auto operands = f_.operands(i);
        for (std::uint32_t k = 0; k < operands.size(); ++k) {
          const Value v = operands[k];
          const Value mask = selects && k == 2 ? operands[0] : Value();
          if (seen[v.id] == 0)
            keeping_mask_[v.id] = mask;
          else if (keeping_mask_[v.id] != mask)
            keeping_mask_[v.id] = Value();
          seen[v.id] = 1;
        }
      }
  }

  bool inside(Value v) const { return loops_.contains(loop_, f_.definition_of(v).block); }
  bool is_phi_of_header(Value v) const {
    return f_.definition_of(v).opcode == Opcode::Phi && f_.definition_of(v).block == header_;
  }
  Value back(Value phi) const { return f_.operand(f_.definition(phi), back_); }

  // True if it is a select that keeps a value for lanes that have left.
  bool keeps(Value phi) const {
    const Value v = back(phi);
    const InstData& made = f_.definition_of(v);
    if (made.opcode != Opcode::SelectI32 && made.opcode != Opcode::SelectF32) return false;
    const Inst i = f_.definition(v);
    return f_.operand(i, 0) == lanes_ && f_.operand(i, 2) == phi;
  }

  // True if it holds only in lanes of the mask `lanes_`.
  bool is_part_of_lanes(Value mask, int depth = 4) const {
    if (mask == lanes_) return true;
    if (depth == 0 || !inside(mask)) return false;
    const Inst i = f_.definition(mask);
    const Opcode opcode = f_.inst(i).opcode;
    if (opcode != Opcode::And1 && opcode != Opcode::AndNot1) return false;
    return is_part_of_lanes(f_.operand(i, 0), depth - 1) ||
           (opcode == Opcode::And1 && is_part_of_lanes(f_.operand(i, 1), depth - 1));
  }

  bool freeze(std::uint32_t loop) {
    loop_ = loop;
    header_ = loops_.loop(loop).header;
    const Edges& from = f_.block(header_).predecessors;
    if (from.size() != 2) return false;
    back_ = loops_.contains(loop, from[0]) ? 0 : 1;
    latch_ = from[back_];
    if (!loops_.contains(loop, latch_) || loops_.contains(loop, from[1 - back_])) return false;
    if (!find_lanes()) return false;
    const bool counted = masks_are_numbers_ && count_turns();
    find_steady();
    find_kept();
    if (kept_phis_.empty()) return counted;
    mark_needed();
    if (kept_phis_.size() <= frozen_.size()) return counted;
    apply();
    return true;
  }

  // The mask of the lanes that have not left.
  bool find_lanes() {
    for (Inst i : f_.insts(header_)) {
      if (f_.inst(i).opcode != Opcode::Phi) break;
      lanes_ = f_.result(i);
      if (f_.value(lanes_).type == Type::i1 && back(lanes_) != lanes_ && is_part_of_lanes(back(lanes_)) &&
          is_all_lanes(f_, f_.operand(i, 1 - back_)))
        return true;
    }
    return false;
  }

  // A lane keeps a number that all lanes step in each turn. It can step its own copy instead: a lane that
  // begins a turn has taken part in all turns before.
  bool count_turns() {
    bool any = false;
    for (Inst i : f_.insts(header_)) {
      if (f_.inst(i).opcode != Opcode::Phi) break;
      const Value phi = f_.result(i);
      if (f_.value(phi).type != Type::i32 || !keeps(phi) || keeping_mask_[phi.id] != lanes_) continue;
      const Inst select = f_.definition(back(phi));
      const Value kept = f_.operand(select, 1);  // the number of the turn, or of the next one
      const Value number = number_of(kept);
      if (!number.valid() || !dominators_.dominates(f_.inst(select).block, latch_)) continue;
      const Value first = f_.operand(f_.definition(number), 1 - back_), step = step_of(number);
      if (!step.valid() || !f_.is_constant(first)) continue;
      const std::uint64_t before =
          (f_.constant(first) - (kept == number ? f_.constant(step) : 0)) & 0xffffffff;
      const Inst sum = f_.make(Opcode::IAdd32, std::array{phi, step});
      f_.inst(sum).guest_address = f_.inst(select).guest_address;
      f_.insert_before(select, sum);
      f_.set_operand(select, 1, f_.result(sum));
      f_.set_operand(i, 1 - back_, f_.constant_value(Type::i32, before));
      any = true;
    }
    if (any) {
      steady_.resize(f_.value_count());
      marked_.resize(f_.value_count());
      replacement_.resize(f_.value_count());
    }
    return any;
  }

  // The header's phi that the value is, or that becomes it over the way back; else invalid.
  Value number_of(Value kept) const {
    if (!inside(kept)) return {};
    if (is_phi_of_header(kept)) return kept;
    const Inst sum = f_.definition(kept);
    if (f_.inst(sum).opcode != Opcode::IAdd32) return {};
    for (const Value v : f_.operands(sum))
      if (inside(v) && is_phi_of_header(v) && back(v) == kept) return v;
    return {};
  }

  // 1 or -1, if the number of all lanes changes by that in each turn; else invalid.
  Value step_of(Value number) const {
    if (f_.value(number).uniformity == Uniformity::varying) return {};
    const Inst sum = f_.definition(back(number));
    if (f_.inst(sum).opcode != Opcode::IAdd32) return {};
    for (std::uint32_t k = 0; k < 2; ++k) {
      const Value step = f_.operand(sum, k);
      if (f_.operand(sum, 1 - k) == number && f_.is_constant(step) &&
          (f_.constant(step) == 1 || f_.constant(step) == 0xffffffff))
        return step;
    }
    return {};
  }

  // What is a function of the loop's phis and of what is outside of it, in each turn that comes to its end.
  void find_steady() {
    const std::uint32_t stamp = loop_ + 1;
    const Loops::Loop& loop = loops_.loop(loop_);
    for (std::uint32_t at = loop.first; at < loop.end; ++at) {
      const Block b = loops_.order()[at];
      if (!dominators_.dominates(b, latch_)) continue;
      for (Inst i : f_.insts(b)) {
        const OpcodeInfo& row = info(f_.inst(i).opcode);
        bool steady = is_function_of_operands(row);
        for (std::uint32_t k = 0; k < f_.inst(i).operand_count && steady; ++k) {
          const Value v = f_.operand(i, k);
          steady = !inside(v) || steady_[v.id] == stamp || (row.is_mask(k) && v == lanes_);
        }
        if (f_.inst(i).opcode == Opcode::Phi && b == header_) {
          const Value phi = f_.result(i);
          steady = f_.value(phi).type != Type::i1 && f_.value(phi).uniformity == Uniformity::varying &&
                   !keeps(phi);
        }
        if (!steady) continue;
        for (std::uint32_t r = 0; r < f_.inst(i).result_count; ++r) steady_[f_.result(i, r).id] = stamp;
      }
    }
  }

  // Phis of values that are kept and need not be.
  void find_kept() {
    kept_phis_.clear();
    const std::uint32_t stamp = loop_ + 1;
    for (Inst i : f_.insts(header_)) {
      if (f_.inst(i).opcode != Opcode::Phi) break;
      const Value phi = f_.result(i);
      if (!keeps(phi)) continue;
      const Inst select = f_.definition(back(phi));
      const Value value = f_.operand(select, 1);
      if (inside(value) && steady_[value.id] != stamp) continue;
      if (!dominators_.dominates(f_.inst(select).block, latch_)) continue;
      kept_phis_.push_back(phi);
    }
  }

  // The phis that these values depend on, and the operations that matter in lanes that have left, then.
  void mark_needed() {
    frozen_.clear();
    masked_.clear();
    pending_.clear();
    const auto need = [&](Value v) {
      if (!inside(v) || marked_[v.id] != 0) return;
      marked_[v.id] = 1;
      pending_.push_back(v);
    };
    for (Value phi : kept_phis_) need(f_.operand(f_.definition(back(phi)), 1));
    while (!pending_.empty()) {
      const Value v = pending_.back();
      pending_.pop_back();
      if (is_phi_of_header(v)) {
        if (back(v) != v) frozen_.push_back(v);
        continue;
      }
      const Inst i = f_.definition(v);
      const OpcodeInfo& row = info(f_.inst(i).opcode);
      for (std::uint32_t k = 0; k < f_.inst(i).operand_count; ++k) {
        if (row.is_mask(k) && f_.operand(i, k) == lanes_)
          masked_.push_back(i);
        else
          need(f_.operand(i, k));
      }
    }
  }

  void apply() {
    const Value staying = back(lanes_);
    for (Value phi : frozen_) {
      const Opcode select = f_.value(phi).type == Type::f32 ? Opcode::SelectF32 : Opcode::SelectI32;
      const Inst i = f_.make(select, std::array{staying, back(phi), phi});
      f_.inst(i).guest_address = f_.definition_of(back(phi)).guest_address;
      f_.insert_before(f_.terminator(latch_), i);
      f_.set_operand(f_.definition(phi), back_, f_.result(i));
    }
    const Value all = f_.operand(f_.definition(lanes_), 1 - back_);
    for (Inst i : masked_) f_.set_operand(i, f_.inst(i).operand_count - 1, all);
    for (Value phi : kept_phis_) {
      const Value kept = back(phi);
      replacement_[kept.id] = f_.operand(f_.definition(kept), 1);
    }
    replacement_.resize(f_.value_count());
  }

  Function& f_;
  const Dominators& dominators_;
  const Loops& loops_;
  const bool masks_are_numbers_;
  std::vector<std::uint32_t> steady_;  // by value: the number of the loop in which it is, plus 1
  std::vector<char> marked_;           // by value
  std::vector<Value> replacement_;
  std::vector<Value> keeping_mask_;  // see find_keeping_masks()
  // The loop that is looked at.
  std::uint32_t loop_ = 0, back_ = 0;  // back_: the place of the latch among the predecessors
  Block header_, latch_;
  Value lanes_;
  std::vector<Value> kept_phis_, frozen_, pending_;
  std::vector<Inst> masked_;
};

}  // namespace

bool freeze_left_lanes(Function& f, bool masks_are_numbers) {
  bool has_loops = false;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b})) {
      if (looks_at_lanes(f.inst(i).opcode)) return false;
      has_loops = has_loops || f.inst(i).opcode == Opcode::BurnFuel;
    }
  if (!has_loops) return false;
  const Dominators dominators(f);
  const Loops loops(f, dominators);
  return loops.reducible() && Freezer(f, dominators, loops, masks_are_numbers).run();
}

}  // namespace warpjit::ir
