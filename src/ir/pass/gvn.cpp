// Global value numbering over the dominator tree: a pure instruction that computes what a dominating one
// computes is that one's value. Reads of inputs and uniforms count as pure: nobody writes them meanwhile.
// After a branch its condition is a constant.
#include <algorithm>
#include <array>

#include "ir/analysis/dominators.h"
#include "ir/pass/fold.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

class Numbering {
 public:
  explicit Numbering(Function& f) : f_(f), dominators_(f), replacement_(f.value_count()) {}

  bool run() {
    std::size_t count = 0;
    if (f_.form == Form::group) uses_.resize(f_.value_count());
    for (Block b : dominators_.order())
      for (Inst i : f_.insts(b)) {
        count += f_.inst(i).result_count != 0;
        if (f_.form != Form::group) continue;
        for (Value v : f_.operands(i)) ++uses_[v.id];
      }
    std::size_t size = 64;
    while (size < count * 2) size *= 2;
    table_.resize(size);
    bool any = false;    // an instruction changed or went
    bool again = false;  // simplify has more to do
    for (Block b : dominators_.order())
      for (Inst i : f_.insts(b)) {
        bool changed = false;
        for (Value& v : f_.operands(i)) {
          const Value now = resolve(v);
          changed |= now != v;
          v = now;
        }
        const bool phi = f_.inst(i).opcode == Opcode::Phi;
        Value known = phi ? only_value_of(i) : Value{};
        if (!known.valid() && know_conditions(i)) {
          changed = any = true;
          const OpcodeInfo& row = info(f_.inst(i).opcode);
          again = again || row.terminator || row.guarded;
        }
        if (f_.inst(i).opcode == Opcode::Branch) note_branch(i);
        if (f_.inst(i).result_count == 0) continue;
        // Operands that became equal can make more simple.
        if (!phi && changed) known = simplify_in_place(f_, i);
        if (known.valid()) {
          replace(f_.result(i), known);
        } else {
          const InstData& data = f_.inst(i);
          if (!depends_on_operands_alone(info(data.opcode))) continue;
          if (f_.form == Form::group) negate_opposite(i);
          const Inst same = find(i);
          if (!same.valid()) continue;
          for (std::uint32_t k = 0; k < data.result_count; ++k) {
            // As much may be known of one as of the other, and what reads it relies on that.
            Uniformity& known_of_same = f_.value(f_.result(same, k)).uniformity;
            known_of_same = std::min(known_of_same, f_.value(f_.result(i, k)).uniformity);
            replace(f_.result(i, k), f_.result(same, k));
          }
        }
        f_.remove(i);
        any = true;
      }
    if (!any) return false;
    // What stands after a definition has its operands by now, but for phis, of which some are simple now.
    for (Block b : dominators_.order())
      for (Inst i : f_.insts(b)) {
        if (f_.inst(i).opcode != Opcode::Phi) break;
        for (Value& v : f_.operands(i)) v = resolve(v);
        const Value known = only_value_of(i);
        if (!known.valid()) continue;
        replace(f_.result(i), known);
        f_.remove(i);
        again = true;
      }
    if (again || !are_all(f_, dominators_.order())) f_.replace_values(replacement_);
    return again;
  }

 private:
  struct Entry {
    std::uint32_t tag = 0;
    Inst inst;
  };

  Value resolve(Value v) const {
    while (v.id < replacement_.size() && replacement_[v.id].valid()) v = replacement_[v.id];
    return v;
  }
  void replace(Value old, Value by) {
    if (replacement_.size() <= old.id) replacement_.resize(f_.value_count());
    replacement_[old.id] = by;
  }

  // The first branch on each condition, and on one that is its opposite.
  struct OnCondition {
    Block block;
    bool opposite = false;
  };
  void note_branch(Inst last) {
    const Block block = f_.inst(last).block;
    const Edges& ways = f_.block(block).successors;
    const Value condition = f_.operand(last, 0);
    if (ways[0] == ways[1] || f_.is_constant(condition)) return;
    note_branch(condition, {block, false});
    const Inst made = f_.definition(condition);
    const auto [opcode, swapped] = opposite_comparison(f_.inst(made).opcode);
    if (opcode == Opcode::Not1) return;
    std::array<Value, 2> operands = {f_.operand(made, 0), f_.operand(made, 1)};
    if (swapped) std::swap(operands[0], operands[1]);
    const Inst opposite = place_of({opcode, 0, operands, {}, Type::none}).inst;
    if (opposite.valid()) note_branch(f_.result(opposite), {block, true});
  }
  void note_branch(Value condition, OnCondition branch) {
    if (branch_on_.size() <= condition.id) branch_on_.resize(f_.value_count());
    if (!branch_on_[condition.id].block.valid()) branch_on_[condition.id] = branch;
  }

  // Conditions whose branch went one way on all ways to i are constants there.
  bool know_conditions(Inst i) {
    if (branch_on_.empty()) return false;
    bool changed = false;
    const bool phi = f_.inst(i).opcode == Opcode::Phi;
    for (std::uint32_t k = 0; k < f_.inst(i).operand_count; ++k) {
      const Value v = f_.operand(i, k);
      if (v.id >= branch_on_.size() || !branch_on_[v.id].block.valid()) continue;
      const auto [from, opposite] = branch_on_[v.id];
      const Block block = f_.inst(i).block;
      const Edges& ways = f_.block(from).successors;
      for (std::uint32_t way = 0; way < 2; ++way) {
        const bool over_edge = phi && ways[way] == block && f_.block(block).predecessors[k] == from;
        const Block place = phi ? f_.block(block).predecessors[k] : block;
        const bool behind =
            f_.block(ways[way]).predecessors.size() == 1 && dominators_.dominates(ways[way], place);
        if (!over_edge && !behind) continue;
        const Value known = f_.constant_value(Type::i1, (way == 0) != opposite ? 1 : 0);
        f_.set_operand(i, k, known);
        changed = true;
        break;
      }
    }
    return changed;
  }

  Value only_value_of(Inst phi) const {
    return only_value(f_, phi, [&](Value v) { return resolve(v); });
  }

  // In group form what looks at other lanes is a function of vectors.
  bool depends_on_operands_alone(const OpcodeInfo& row) const {
    return row.pure || (f_.form == Form::group && row.convergent && !row.reads && !row.writes);
  }

  // What makes two instructions give the same.
  struct Key {
    Opcode opcode;
    std::uint64_t immediate;
    std::span<const Value> operands;
    Block block;  // of a phi
    Type type;    // the same

    // Operands 0 and 1 of a commutative row, in an order of their own.
    std::pair<Value, Value> first_two() const {
      const Value a = operands[0], b = operands[1];
      return info(opcode).commutative && b < a ? std::pair{b, a} : std::pair{a, b};
    }
  };
  Key key(Inst i) const {
    const InstData& data = f_.inst(i);
    const bool phi = data.opcode == Opcode::Phi;
    return {data.opcode, data.immediate, f_.operands(i), phi ? data.block : Block{},
            phi ? data.phi_type : Type::none};
  }

  static std::uint64_t hash(const Key& key) {
    auto mix = [](std::uint64_t h, std::uint64_t x) {
      h = (h ^ x) * 0x9e3779b97f4a7c15u;
      return h ^ (h >> 29);
    };
    std::uint64_t h = mix(static_cast<std::uint64_t>(key.opcode), key.immediate);
    std::size_t k = 0;
    if (key.operands.size() >= 2) {
      const auto [a, b] = key.first_two();
      h = mix(mix(h, a.id), b.id);
      k = 2;
    }
    for (; k < key.operands.size(); ++k) h = mix(h, key.operands[k].id);
    if (key.opcode == Opcode::Phi) h = mix(h, key.block.id);
    return h;
  }

  static bool equal(const Key& a, const Key& b) {
    if (a.opcode != b.opcode || a.immediate != b.immediate || a.operands.size() != b.operands.size() ||
        a.block != b.block || a.type != b.type)
      return false;
    std::size_t k = 0;
    if (a.operands.size() >= 2) {
      if (a.first_two() != b.first_two()) return false;
      k = 2;
    }
    return std::equal(a.operands.begin() + static_cast<std::ptrdiff_t>(k), a.operands.end(),
                      b.operands.begin() + static_cast<std::ptrdiff_t>(k));
  }

  // Where the key's instruction is, or would go.
  Entry& place_of(const Key& wanted) {
    const std::size_t mask = table_.size() - 1;
    const auto tag = static_cast<std::uint32_t>(hash(wanted) >> 32);
    for (std::size_t k = tag & mask;; k = (k + 1) & mask) {
      Entry& at = table_[k];
      if (!at.inst.valid()) at.tag = tag;
      if (!at.inst.valid() || (at.tag == tag && equal(key(at.inst), wanted))) return at;
    }
  }
  bool dominates(Inst a, Inst b) const {
    return a.valid() && dominators_.dominates(f_.inst(a).block, f_.inst(b).block);
  }

  // The dominating instruction equal to i; else i takes the place of what was there.
  Inst find(Inst i) {
    Entry& there = place_of(key(i));
    if (dominates(there.inst, i)) return there.inst;
    there.inst = i;
    return {};
  }

  // In group form: a mask that others use is negated where it is used, which costs less than a second one.
  void negate_opposite(Inst i) {
    if (f_.value(f_.result(i)).uniformity != Uniformity::varying) return;
    const auto [opcode, swapped] = opposite_comparison(f_.inst(i).opcode);
    if (opcode == Opcode::Not1) return;
    std::array<Value, 2> operands = {f_.operand(i, 0), f_.operand(i, 1)};
    if (swapped) std::swap(operands[0], operands[1]);
    const Inst opposite = place_of({opcode, 0, operands, {}, Type::none}).inst;
    if (!dominates(opposite, i) || uses_[f_.result(opposite).id] == 0) return;
    f_.inst(i).opcode = Opcode::Not1;
    const std::array<Value, 1> negated = {f_.result(opposite)};
    f_.set_operands(i, negated);
  }

  Function& f_;
  Dominators dominators_;
  std::vector<Value> replacement_;
  std::vector<std::uint32_t> uses_;  // of each value, in group form
  std::vector<Entry> table_;
  std::vector<OnCondition> branch_on_;  // by value, as far as there are any
};

}  // namespace

bool number_values(Function& f) { return Numbering(f).run(); }

}  // namespace warpjit::ir
