#include "frontend/pica200/translate/unit_marks.h"

#include <array>
#include <map>

namespace warpjit::pica200 {
namespace {

using ir::Inst;
using ir::Opcode;
using ir::Value;

// Follows the words that a function found at its start along the values that hold them unchanged.
class LeftWords {
 public:
  explicit LeftWords(ir::Function& f) : f_(f), origin_(f.value_count(), kNone) {}

  void start(const UnitWord& word) { origin_[word.value.id] = word.word; }

  // Finds all values that may hold a start. False if one may hold two, or a start is used in another way.
  bool follow(std::span<const UnitWord> ends, std::span<const Inst> stores) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t b = 0; b < f_.block_count(); ++b)
        for (Inst i : f_.insts(ir::Block{b}))
          if (f_.inst(i).result_count == 1 && !carry(i, changed)) return false;
    }
    std::vector<char> is_store(f_.inst_count(), 0);
    for (Inst i : stores) is_store[i.id] = 1;
    for (std::uint32_t b = 0; b < f_.block_count(); ++b)
      for (Inst i : f_.insts(ir::Block{b})) {
        if (is_store[i.id] != 0) continue;
        for (std::uint32_t k = 0; k < f_.inst(i).operand_count; ++k) {
          const std::uint32_t origin = origin_[f_.operand(i, k).id];
          if (origin != kNone && !(carries(i, k) && origin_[f_.result(i).id] == origin)) return false;
        }
      }
    for (const UnitWord& end : ends) {
      const std::uint32_t origin = origin_[end.value.id];
      if (origin != kNone && origin != end.word) return false;
    }
    return true;
  }

  bool may_hold(Value v) const { return origin_[v.id] != kNone; }

  // Whether v, which may, does hold the start.
  Value left(Value v) {
    if (v.id >= origin_.size() || origin_[v.id] == kNone) return f_.constant_value(ir::Type::i1, 0);
    if (left_.size() < origin_.size()) left_.resize(origin_.size());
    if (left_[v.id].valid()) return left_[v.id];
    const Inst i = f_.definition(v);
    Value result = f_.constant_value(ir::Type::i1, 1);  // the load
    switch (f_.inst(i).opcode) {
      case Opcode::Phi: {
        std::vector<Value> from;
        for (std::uint32_t k = 0; k < f_.inst(i).operand_count; ++k) from.push_back(left(f_.operand(i, k)));
        result = made(i, Opcode::Phi, from);
        break;
      }
      case Opcode::SelectF32:
      case Opcode::SelectI32:
      case Opcode::SelectI1:
        result = origin_[f_.operand(i, 0).id] != kNone
                     ? left(f_.operand(i, 0))
                     : made(i, Opcode::SelectI1,
                            {f_.operand(i, 0), left(f_.operand(i, 1)), left(f_.operand(i, 2))});
        break;
      case Opcode::LoadInputRow:
        break;
      default: {  // of words that hold several flags: all are written together
        const std::uint32_t k = origin_[f_.operand(i, 0).id] != kNone ? 0 : 1;
        result = left(f_.operand(i, k));
      }
    }
    left_[v.id] = result;
    return result;
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;

  // True if the result may be operand k, or a part of it.
  bool carries(Inst i, std::uint32_t k) const {
    const auto constant = [&](std::uint32_t n) { return f_.is_constant(f_.operand(i, n)); };
    switch (f_.inst(i).opcode) {
      case Opcode::Phi:
      case Opcode::BitcastF32ToI32:
      case Opcode::BitcastI32ToF32:
        return true;
      case Opcode::SelectF32:
      case Opcode::SelectI1:
        return k != 0;
      case Opcode::SelectI32:
        return k != 0 || (constant(1) && constant(2));
      case Opcode::IAnd32:
      case Opcode::INe32:
        return constant(1 - k);
      case Opcode::IOr32:
        return constant(1 - k) || origin_[f_.operand(i, 0).id] == origin_[f_.operand(i, 1).id];
      default:
        return false;
    }
  }

  // False if two starts meet.
  bool carry(Inst i, bool& changed) {
    std::uint32_t& origin = origin_[f_.result(i).id];
    for (std::uint32_t k = 0; k < f_.inst(i).operand_count; ++k) {
      const std::uint32_t from = origin_[f_.operand(i, k).id];
      if (from == kNone || from == origin || !carries(i, k)) continue;
      if (origin != kNone) return false;
      origin = from;
      changed = true;
    }
    return true;
  }

  Value made(Inst where, Opcode opcode, std::vector<Value> operands) {
    if (opcode == Opcode::Phi) {
      bool same = true;
      for (Value v : operands) same = same && v == operands[0];
      if (same) return operands[0];
    } else if (operands[1] == operands[2]) {
      return operands[1];
    }
    // Equal phis of a block are one. For other instructions the first one may not stand before all uses.
    std::vector<std::uint32_t> key = {f_.inst(where).block.id};
    for (Value v : operands) key.push_back(v.id);
    if (opcode == Opcode::Phi)
      if (const auto known = phis_.find(key); known != phis_.end()) return known->second;
    const Inst made = f_.make(opcode, operands, 0, opcode == Opcode::Phi ? ir::Type::i1 : ir::Type::none);
    f_.insert_before(where, made);
    if (opcode == Opcode::Phi) phis_[key] = f_.result(made);
    return f_.result(made);
  }

  ir::Function& f_;
  std::vector<std::uint32_t> origin_;  // by value: the start that it may hold
  std::vector<Value> left_;            // by value
  std::map<std::vector<std::uint32_t>, Value> phis_;
};

}  // namespace

std::optional<std::vector<Left>> find_left_words(ir::Function& f, std::span<const UnitWord> starts,
                                                 std::span<const UnitWord> ends,
                                                 std::span<const Inst> stores) {
  LeftWords words(f);
  for (const UnitWord& start : starts) words.start(start);
  if (!words.follow(ends, stores)) return std::nullopt;
  std::vector<Left> result;
  for (const UnitWord& end : ends)
    if (words.may_hold(end.value)) result.push_back({end.word, words.left(end.value)});
  return result;
}

}  // namespace warpjit::pica200
