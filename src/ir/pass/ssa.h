// SSA construction on the fly for numbered variables (guest registers, flags), after Braun et al., "Simple
// and Efficient Construction of Static Single Assignment Form", CC 2013: a translator writes and reads
// variables per block, phis appear only where they are needed, and trivial ones vanish.
//
// Nothing recurses. Memory is one row of variables per block that writes or reads one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "ir/builder.h"

namespace warpjit::ir {

class SsaBuilder {
 public:
  // More phis than this and the program is refused (finish gives resource_limit).
  static constexpr std::uint32_t kMaxPhis = 1u << 20;

  // Variables are numbered 0 .. types.size() - 1. A read that no write reaches is zero or false.
  SsaBuilder(Builder& builder, std::span<const Type> types);

  void write(Block block, std::uint32_t variable, Value value);

  // The value of the variable at the end of what is written of `block` so far. Values that were read stay
  // valid to use, though finish() may replace some.
  Value read(Block block, std::uint32_t variable);
  template <class T>
  T read(Block block, std::uint32_t variable) {
    return T{read(block, variable)};
  }

  // Promises that `block` gets no more predecessors. Each block is sealed once; blocks that the translator
  // forgets are sealed by finish().
  void seal(Block block);

  // Ends the construction: replaces the values of phis that turned out trivial, everywhere.
  Status finish();

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Row {
    std::uint32_t first = kNone;       // into definitions_
    std::uint32_t incomplete = kNone;  // list of phis that wait for seal()
    bool sealed = false;
  };
  struct PhiInfo {
    Value value;
    Block block;
    std::uint32_t variable = 0;
    std::uint32_t next_incomplete = kNone;
    std::uint32_t users = kNone;  // list of phis that read this one
    bool removed = false;
  };
  struct User {
    std::uint32_t phi, next;
  };

  std::size_t place_of(Block block, std::uint32_t variable);  // in definitions_, which it may make longer
  Value resolve(Value value);
  Value zero(std::uint32_t variable);
  std::uint32_t phi_of(Value value) const {
    return value.id < phi_index_.size() ? phi_index_[value.id] : kNone;
  }
  std::uint32_t make_phi(Block block, std::uint32_t variable);
  Value look_up(Block block, std::uint32_t variable);
  void add_operands(std::uint32_t phi);
  void work_off();
  void try_remove(std::uint32_t phi);

  Builder& builder_;
  std::vector<Type> types_;
  std::vector<Row> rows_;
  std::vector<Value> definitions_;
  std::vector<PhiInfo> phis_;
  std::vector<User> users_;
  std::vector<std::uint32_t> phi_index_;  // per value: index into phis_
  std::vector<Value> replacement_;        // per value
  std::vector<std::uint32_t> to_fill_, filled_, to_check_;
  std::vector<Block> path_;
  std::vector<Value> operands_;
  bool overflowed_ = false;
};

}  // namespace warpjit::ir
