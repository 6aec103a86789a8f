// Global value numbering over the dominator tree: a pure instruction that computes what a dominating one
// computes is that one's value. Reads of inputs and uniforms count as pure: nobody writes them meanwhile.
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

  void run() {
    std::size_t count = 0;
    for (Block b : dominators_.order())
      for (Inst i : f_.insts(b)) count += f_.inst(i).result_count != 0;
    std::size_t size = 64;
    while (size < count * 2) size *= 2;
    table_.resize(size);
    bool replaced = false;
    for (Block b : dominators_.order())
      for (Inst i : f_.insts(b)) {
        bool changed = false;
        for (Value& v : f_.operands(i)) {
          const Value now = resolve(v);
          changed |= now != v;
          v = now;
        }
        if (f_.inst(i).result_count == 0) continue;
        // Operands that became equal can make more simple.
        if (const Value known = f_.inst(i).opcode == Opcode::Phi ? only_operand(i)
                                : changed                        ? simplify_in_place(f_, i)
                                                                 : Value{};
            known.valid()) {
          replace(f_.result(i), known);
        } else {
          const InstData& data = f_.inst(i);
          if (!info(data.opcode).pure) continue;
          const Inst same = find(i);
          if (!same.valid()) continue;
          for (std::uint32_t k = 0; k < data.result_count; ++k) replace(f_.result(i, k), f_.result(same, k));
        }
        f_.remove(i);
        replaced = true;
      }
    if (replaced) f_.replace_values(replacement_);
  }

 private:
  Value resolve(Value v) const {
    while (v.id < replacement_.size() && replacement_[v.id].valid()) v = replacement_[v.id];
    return v;
  }
  void replace(Value old, Value by) {
    if (replacement_.size() <= old.id) replacement_.resize(f_.value_count());
    replacement_[old.id] = by;
  }

  // What a phi merges, if that is one value only.
  Value only_operand(Inst phi) const {
    const std::span<const Value> operands = f_.operands(phi);
    for (Value v : operands)
      if (v != operands[0]) return {};
    return operands.empty() ? Value{} : operands[0];
  }

  // Operands 0 and 1 of a commutative row, in an order of their own.
  std::pair<Value, Value> first_two(Inst i) const {
    const Value a = f_.operand(i, 0), b = f_.operand(i, 1);
    return info(f_.inst(i).opcode).commutative && b < a ? std::pair{b, a} : std::pair{a, b};
  }

  std::uint64_t hash(Inst i) const {
    const InstData& data = f_.inst(i);
    auto mix = [](std::uint64_t h, std::uint64_t x) {
      h = (h ^ x) * 0x9e3779b97f4a7c15u;
      return h ^ (h >> 29);
    };
    std::uint64_t h = mix(static_cast<std::uint64_t>(data.opcode), data.immediate);
    const std::span<const Value> operands = f_.operands(i);
    std::size_t k = 0;
    if (operands.size() >= 2) {
      const auto [a, b] = first_two(i);
      h = mix(mix(h, a.id), b.id);
      k = 2;
    }
    for (; k < operands.size(); ++k) h = mix(h, operands[k].id);
    if (data.opcode == Opcode::Phi) h = mix(h, data.block.id);
    return h;
  }

  bool equal(Inst i, Inst j) const {
    const InstData &a = f_.inst(i), &b = f_.inst(j);
    if (a.opcode != b.opcode || a.immediate != b.immediate || a.operand_count != b.operand_count)
      return false;
    if (a.opcode == Opcode::Phi && (a.block != b.block || a.phi_type != b.phi_type)) return false;
    const std::span<const Value> x = f_.operands(i), y = f_.operands(j);
    std::size_t k = 0;
    if (x.size() >= 2) {
      if (first_two(i) != first_two(j)) return false;
      k = 2;
    }
    return std::equal(x.begin() + static_cast<std::ptrdiff_t>(k), x.end(),
                      y.begin() + static_cast<std::ptrdiff_t>(k));
  }

  // The dominating instruction equal to i; else i takes the place of what was there.
  Inst find(Inst i) {
    const std::size_t mask = table_.size() - 1;
    const auto tag = static_cast<std::uint32_t>(hash(i) >> 32);
    for (std::size_t k = tag & mask;; k = (k + 1) & mask) {
      Entry& entry = table_[k];
      if (!entry.inst.valid()) {
        entry = {tag, i};
        return {};
      }
      if (entry.tag != tag || !equal(entry.inst, i)) continue;
      if (dominators_.dominates(f_.inst(entry.inst).block, f_.inst(i).block)) return entry.inst;
      entry.inst = i;
      return {};
    }
  }

  struct Entry {
    std::uint32_t tag = 0;
    Inst inst;
  };
  Function& f_;
  Dominators dominators_;
  std::vector<Value> replacement_;
  std::vector<Entry> table_;
};

}  // namespace

void number_values(Function& f) { Numbering(f).run(); }

}  // namespace warpjit::ir
