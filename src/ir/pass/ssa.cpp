#include "ir/pass/ssa.h"

#include <algorithm>

namespace warpjit::ir {

SsaBuilder::SsaBuilder(Builder& builder, std::span<const Type> types)
    : builder_(builder), types_(types.begin(), types.end()) {}

std::size_t SsaBuilder::place_of(Block block, std::uint32_t variable) {
  if (block.id >= rows_.size())
    rows_.resize(std::max<std::size_t>(builder_.function().block_count(), block.id + 1));
  Row& row = rows_[block.id];
  if (row.first == kNone) {
    row.first = static_cast<std::uint32_t>(definitions_.size());
    definitions_.resize(definitions_.size() + types_.size());
  }
  return row.first + variable;
}

// Follows replacements and shortens the chain after it.
Value SsaBuilder::resolve(Value value) {
  Value last = value;
  while (last.id < replacement_.size() && replacement_[last.id].valid()) last = replacement_[last.id];
  while (value != last) {
    const Value next = replacement_[value.id];
    replacement_[value.id] = last;
    value = next;
  }
  return last;
}

Value SsaBuilder::zero(std::uint32_t variable) {
  return builder_.function().constant_value(types_[variable], 0);
}

void SsaBuilder::write(Block block, std::uint32_t variable, Value value) {
  definitions_[place_of(block, variable)] = value;
}

Value SsaBuilder::read(Block block, std::uint32_t variable) {
  const Value found = look_up(block, variable);
  work_off();
  return resolve(found);
}

std::uint32_t SsaBuilder::make_phi(Block block, std::uint32_t variable) {
  const auto index = static_cast<std::uint32_t>(phis_.size());
  const Value value = builder_.phi(block, types_[variable]);
  phis_.push_back({value, block, variable, kNone, kNone, false});
  if (phi_index_.size() <= value.id) phi_index_.resize(value.id + 1 + value.id / 2, kNone);
  phi_index_[value.id] = index;
  definitions_[place_of(block, variable)] = value;
  return index;
}

// Walks up single predecessors to a definition, or to a block that needs a phi; every block on the way then
// knows the value. A new phi of a sealed block waits in to_fill_ for its operands.
Value SsaBuilder::look_up(Block block, std::uint32_t variable) {
  path_.clear();
  Value found;
  for (;;) {
    const Value known = definitions_[place_of(block, variable)];
    if (known.valid()) {
      found = resolve(known);
      break;
    }
    const auto& predecessors = builder_.function().block(block).predecessors;
    const bool sealed = rows_[block.id].sealed || block == Function::entry();
    // A cycle of single predecessors is unreachable: it has no way in.
    const bool goes_on = sealed && predecessors.size() == 1 && path_.size() <= rows_.size();
    if (goes_on) {
      path_.push_back(block);
      block = predecessors[0];
      continue;
    }
    if (overflowed_ || (sealed && predecessors.size() <= 1)) {
      found = zero(variable);
      break;
    }
    if (phis_.size() >= kMaxPhis) {
      overflowed_ = true;
      found = zero(variable);
      break;
    }
    const std::uint32_t phi = make_phi(block, variable);
    found = phis_[phi].value;
    if (sealed) {
      to_fill_.push_back(phi);
    } else {
      phis_[phi].next_incomplete = rows_[block.id].incomplete;
      rows_[block.id].incomplete = phi;
    }
    break;
  }
  definitions_[place_of(block, variable)] = found;
  for (Block passed : path_) definitions_[place_of(passed, variable)] = found;
  return found;
}

void SsaBuilder::add_operands(std::uint32_t phi) {
  Function& f = builder_.function();
  const Block block = phis_[phi].block;
  const std::uint32_t variable = phis_[phi].variable;
  std::vector<Value> operands;
  operands.swap(operands_);
  operands.clear();
  const std::size_t count = f.block(block).predecessors.size();
  for (std::size_t k = 0; k < count; ++k) {
    const Value operand = look_up(f.block(block).predecessors[k], variable);
    operands.push_back(operand);
    const std::uint32_t source = phi_of(operand);
    if (source != kNone && source != phi) {
      users_.push_back({phi, phis_[source].users});
      phis_[source].users = static_cast<std::uint32_t>(users_.size() - 1);
    }
  }
  f.set_operands(f.definition(phis_[phi].value), operands);
  operands_.swap(operands);
}

// Fills the phis that wait, which may make more, then looks at each for triviality, the last one first.
void SsaBuilder::work_off() {
  if (to_fill_.empty()) return;
  filled_.clear();
  while (!to_fill_.empty()) {
    const std::uint32_t phi = to_fill_.back();
    to_fill_.pop_back();
    add_operands(phi);
    filled_.push_back(phi);
  }
  for (std::size_t k = filled_.size(); k-- > 0;) try_remove(filled_[k]);
}

// A phi that merges one value and itself is that value; then its users may be trivial too.
void SsaBuilder::try_remove(std::uint32_t first) {
  Function& f = builder_.function();
  to_check_.assign(1, first);
  while (!to_check_.empty()) {
    const std::uint32_t index = to_check_.back();
    to_check_.pop_back();
    PhiInfo& phi = phis_[index];
    const Inst inst = f.definition(phi.value);
    if (phi.removed || !rows_[phi.block.id].sealed) continue;  // an unsealed one has no operands yet
    Value same;
    bool trivial = true;
    for (Value operand : f.operands(inst)) {
      const Value value = resolve(operand);
      if (value == phi.value || value == same) continue;
      if (same.valid()) {
        trivial = false;
        break;
      }
      same = value;
    }
    if (!trivial) continue;
    if (!same.valid()) same = zero(phi.variable);  // only itself: unreachable
    phi.removed = true;
    f.remove(inst);
    if (replacement_.size() <= phi.value.id) replacement_.resize(phi.value.id + 1 + phi.value.id / 2);
    replacement_[phi.value.id] = same;
    const std::uint32_t heir = phi_of(same);
    for (std::uint32_t u = phi.users; u != kNone;) {
      const std::uint32_t next = users_[u].next;
      if (!phis_[users_[u].phi].removed) {
        to_check_.push_back(users_[u].phi);
        if (heir != kNone && users_[u].phi != heir) {  // who read this phi now reads `same`
          users_[u].next = phis_[heir].users;
          phis_[heir].users = u;
        }
      }
      u = next;
    }
    phi.users = kNone;
  }
}

void SsaBuilder::seal(Block block) {
  if (block.id >= rows_.size())
    rows_.resize(std::max<std::size_t>(builder_.function().block_count(), block.id + 1));
  Row& row = rows_[block.id];
  if (row.sealed) return;
  row.sealed = true;
  for (std::uint32_t phi = row.incomplete; phi != kNone; phi = phis_[phi].next_incomplete)
    to_fill_.push_back(phi);
  row.incomplete = kNone;
  work_off();
}

Status SsaBuilder::finish() {
  Function& f = builder_.function();
  for (std::uint32_t b = 0; b < f.block_count(); ++b) seal(Block{b});
  if (overflowed_)
    return Error{ErrorCode::resource_limit, "the program's control flow needs too many merged registers", ""};
  bool any = false;
  // resolve() also shortens the chains that replace_values follows.
  for (std::uint32_t v = 0; v < replacement_.size(); ++v)
    if (replacement_[v].valid()) any = resolve(Value{v}).valid();
  if (any) f.replace_values(replacement_);
  return {};
}

}  // namespace warpjit::ir
