#include "ir/pass/ssa.h"

#include <cassert>

namespace warpjit::ir {

Value SsaBuilder::new_phi(Block block, std::uint32_t variable) {
  Value phi = builder_.phi(block, types_[variable]);
  phis_.push_back(phi);
  return phi;
}

Value SsaBuilder::read(Block block, std::uint32_t variable) {
  if (Value known = at(block, variable); known.valid()) return resolve(known);
  Value value;
  if (!state(block).sealed) {
    value = new_phi(block, variable);
    state(block).incomplete.emplace_back(variable, value);
  } else {
    const auto& predecessors = builder_.function().block(block).predecessors;
    assert(!predecessors.empty() && "a variable is read that was never written");
    if (predecessors.size() == 1) {
      value = read(predecessors[0], variable);
    } else {
      value = new_phi(block, variable);  // breaks cycles: the predecessors may ask for it
      write(block, variable, value);
      value = complete(value, variable);
    }
  }
  write(block, variable, value);
  return value;
}

// Gives a phi its operands; the result is what stands for it.
Value SsaBuilder::complete(Value phi, std::uint32_t variable) {
  Function& f = builder_.function();
  Inst inst = f.definition(phi);
  const std::vector<Block> predecessors = f.block(f.inst(inst).block).predecessors;
  const std::size_t first = operands_.size();  // reads may nest
  for (Block predecessor : predecessors) {
    Value v = read(predecessor, variable);
    operands_.push_back(v);
  }
  f.set_operands(inst, std::span<const Value>(operands_).subspan(first));
  operands_.resize(first);
  if (Value only = only_operand(phi); only.valid()) {
    replace(phi, only);
    return only;
  }
  return phi;
}

// The one value other than itself that a phi merges, if there is just one.
Value SsaBuilder::only_operand(Value phi) const {
  const Function& f = builder_.function();
  Value only;
  for (Value v : f.operands(f.definition(phi))) {
    v = resolve(v);
    if (v == phi || v == only) continue;
    if (only.valid()) return Value{};
    only = v;
  }
  return only;
}

void SsaBuilder::replace(Value phi, Value by) {
  if (replacement_.size() <= phi.id) replacement_.resize(phi.id + 1);
  replacement_[phi.id] = by;
}

void SsaBuilder::seal(Block block) {
  state(block).sealed = true;
  for (std::size_t k = 0; k < state(block).incomplete.size(); ++k) {
    auto [variable, phi] = state(block).incomplete[k];
    complete(phi, variable);
  }
  state(block).incomplete.clear();
}

void SsaBuilder::finish() {
  Function& f = builder_.function();
  // A removed phi can make another one trivial; a few rounds find nearly all, simplify finds the rest.
  bool changed = true;
  for (int round = 0; changed && round < 4; ++round) {
    changed = false;
    for (Value phi : phis_) {
      if (phi.id < replacement_.size() && replacement_[phi.id].valid()) continue;
      if (Value only = only_operand(phi); only.valid()) {
        replace(phi, only);
        changed = true;
      }
    }
  }
  f.replace_values(replacement_);
  for (Value phi : phis_)
    if (phi.id < replacement_.size() && replacement_[phi.id].valid()) f.remove(f.definition(phi));
}

}  // namespace warpjit::ir
