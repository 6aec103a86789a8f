// On-the-fly SSA construction for numbered variables (Braun, Buchwald, Hack, Leissa, Mallon, Zwinkau:
// "Simple and Efficient Construction of Static Single Assignment Form", CC 2013).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ir/builder.h"

namespace warpjit::ir {

// A frontend writes and reads variables block by block. A block is sealed when all its predecessors are known
// and terminated; until then reads of what it does not define make phis that are completed at sealing.
// Reading a variable that nothing wrote on some way from the entry is a programming error.
class SsaBuilder {
 public:
  SsaBuilder(Builder& builder, std::vector<Type> variables) : builder_(builder), types_(std::move(variables)) {}

  void write(Block block, std::uint32_t variable, Value value) { at(block, variable) = value; }
  Value read(Block block, std::uint32_t variable);
  void seal(Block block);
  // After all blocks are sealed: removes phis that merge one value with itself and rewrites their uses.
  void finish();

 private:
  struct BlockState {
    std::vector<Value> values;                                 // by variable; empty until the first access
    std::vector<std::pair<std::uint32_t, Value>> incomplete;   // phis to complete at sealing
    bool sealed = false;
  };

  BlockState& state(Block block) {
    if (blocks_.size() <= block.id) blocks_.resize(block.id + 1);
    return blocks_[block.id];
  }
  Value& at(Block block, std::uint32_t variable) {
    BlockState& s = state(block);
    if (s.values.empty()) s.values.resize(types_.size());
    return s.values[variable];
  }
  Value resolve(Value v) const {
    while (v.id < replacement_.size() && replacement_[v.id].valid()) v = replacement_[v.id];
    return v;
  }
  Value new_phi(Block block, std::uint32_t variable);
  Value complete(Value phi, std::uint32_t variable);
  Value only_operand(Value phi) const;
  void replace(Value phi, Value by);

  Builder& builder_;
  std::vector<Type> types_;
  std::vector<BlockState> blocks_;
  std::vector<Value> replacement_;
  std::vector<Value> phis_;
  std::vector<Value> operands_;  // scratch of complete()
};

}  // namespace warpjit::ir
