// Makes NaNs canonical only where someone looks at bits, and where they are not already. Of other values it
// does not matter which NaN they are: one that goes around a loop from one arithmetic operation to the next
// needs no canonical one.
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

// Pure operations on floats give the same for every NaN, or some NaN; callouts take raw words.
bool looks_at_bits(const OpcodeInfo& row, std::uint32_t k) {
  return !row.pure || row.callout || row.operands[k] != 'f';
}

// By value: may its bits, if it is a NaN, show in anything but the payload of another NaN? Linear.
std::vector<char> seen_as_bits(const Function& f) {
  std::vector<char> seen(f.value_count(), 0);
  std::vector<Value> work;
  const auto see = [&](Value v) {
    if (seen[v.id] != 0) return;
    seen[v.id] = 1;
    work.push_back(v);
  };
  const auto each_operand = [&](Inst i, auto visit) {
    const auto operands = f.operands(i);
    for (std::uint32_t k = 0; k < operands.size(); ++k) visit(f.inst(i).opcode, k, operands[k]);
  };
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b}))
      each_operand(i, [&](Opcode opcode, std::uint32_t k, Value v) {
        if (!info(opcode).hands_on(k) && looks_at_bits(info(opcode), k)) see(v);
      });
  while (!work.empty()) {
    const Value v = work.back();
    work.pop_back();
    each_operand(f.definition(v), [&](Opcode opcode, std::uint32_t k, Value from) {
      if (info(opcode).hands_on(k)) see(from);
    });
  }
  return seen;
}

// NaNs that special functions give are all ones; fixed-point numbers are none.
bool is_canonical(const Function& f, Inst canonical) {
  const Opcode made = f.definition_of(f.operand(canonical, 0)).opcode;
  return f.inst(canonical).opcode == Opcode::CanonicalizeNaNOnes32 && made == Opcode::TeslaSpecialFunction32;
}

}  // namespace

void drop_canonical_nans(Function& f) {
  std::vector<Inst> canonical;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b}))
      if (family(f.inst(i).opcode) == Family::canonical_nan) canonical.push_back(i);
  if (canonical.empty()) return;
  const std::vector<char> seen = seen_as_bits(f);
  std::vector<Value> replacement(f.value_count());
  for (Inst i : canonical) {
    if (seen[f.result(i).id] != 0 && !is_canonical(f, i)) continue;
    replacement[f.result(i).id] = f.operand(i, 0);
    f.remove(i);
  }
  f.replace_values(replacement);
}

}  // namespace warpjit::ir
