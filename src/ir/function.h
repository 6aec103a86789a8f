// A function of the IR: blocks of instructions in SSA form. In thread form it says what one guest thread
// does; in group form (after linearize) every branch condition is uniform over the lanes of a group, masks
// are explicit i1 values, and every value has a uniformity.
//
// Entities are indices into flat tables. Instructions of a block form a doubly linked list: phis first, one
// terminator last. A block's predecessors are kept in an order that the operands of its phis follow.
#pragma once

#include <cassert>
#include <span>
#include <string>
#include <vector>

#include "base/small_vector.h"
#include "ir/analysis/lane_order.h"
#include "ir/sample.h"
#include "ir/types.h"

namespace warpjit::ir {

enum class Form : std::uint8_t { thread, group };

struct InstData {
  Opcode opcode = Opcode::Return;
  std::uint8_t result_count = 0;
  Type phi_type = Type::none;       // of a phi's result
  std::uint32_t first_operand = 0;  // into the operand pool
  std::uint32_t operand_count = 0;
  Value first_result;  // results are consecutive values
  std::uint32_t guest_address = kNoAddress;
  std::uint64_t immediate = 0;
  Block block;
  Inst previous, next;
};

struct ValueData {
  Inst definition;
  std::uint8_t result_index = 0;
  Type type = Type::none;
  Uniformity uniformity = Uniformity::varying;  // set by analysis/uniformity
};

using Edges = SmallVector<Block, 2>;  // the other ends of a block's edges

struct BlockData {
  Inst first, last;
  Edges predecessors;          // phi operands follow this order
  Edges successors;            // targets of the terminator, in its order
  std::uint64_t backward = 0;  // bit k: successor edge k is a guest backward transfer (burns fuel)
  std::uint32_t guest_address = kNoAddress;
  bool worth_skipping = false;  // set by insert_skips: test for "no lane" before coming here
};

// What a function is, apart from its code.
struct FunctionFacts {
  std::string name;
  Form form = Form::thread;
  // What the memory operations refer to: limits of their immediates.
  std::uint32_t input_count = 0;    // LoadInput, LoadInputRow
  std::uint32_t output_count = 0;   // StoreOutput, StoreOutputRow
  std::uint32_t uniform_bytes = 0;  // LoadUniform*: the launch's table
  std::uint32_t slot_count = 0;     // LoadSlot, StoreSlot; the dispatcher adds its own
  std::uint32_t frame_slots = 0;    // LoadFrame, StoreFrame, LoadFrameUniform, StoreFrameUniform
  // Work over pixels: a thread is a pixel, a group holds whole quads of one primitive (pixels/records.h).
  bool pixels = false;
  std::uint32_t primitive_bytes = 0;  // of a primitive's record, whole rows: PrimitiveF32, PrimitiveI32
  std::uint32_t tile_planes = 0;      // LoadTile, StoreTile
  std::uint32_t texture_count = 0;    // LoadTexel, LoadTexelPair
  std::vector<SampleSource> samples;  // Sample; as many as textures, or none
  std::uint32_t group_lanes = 0;      // threads of a group, where lanes communicate; 0: the host chooses
  std::uint32_t block_groups = 0;     // groups of a block; 0: there are no blocks
  std::uint32_t inner_groups = 1;     // that the function itself runs through (pass schedule_groups)
  // Not none: the result of some instruction depends on which lanes run it together, or in which order.
  // Passes must keep that order.
  LaneOrder lane_order = LaneOrder::none;
  // Groups may be widened to a multiple of group_lanes: nothing but ThreadIndex depends on which threads form
  // a group, and all lanes of a group reach its barriers together.
  bool may_widen = false;
};

class Function : public FunctionFacts {
 public:
  // Blocks. Block 0 is the entry and has no predecessors.
  Block add_block(std::uint32_t guest_address = kNoAddress);
  std::size_t block_count() const { return blocks_.size(); }
  BlockData& block(Block b) { return blocks_[b.id]; }
  const BlockData& block(Block b) const { return blocks_[b.id]; }
  static constexpr Block entry() { return Block{0}; }
  Inst terminator(Block b) const { return blocks_[b.id].last; }

  // Instructions.
  std::size_t inst_count() const { return insts_.size(); }
  InstData& inst(Inst i) { return insts_[i.id]; }
  const InstData& inst(Inst i) const { return insts_[i.id]; }
  std::span<Value> operands(Inst i) {
    return {operands_.data() + insts_[i.id].first_operand, insts_[i.id].operand_count};
  }
  std::span<const Value> operands(Inst i) const {
    return {operands_.data() + insts_[i.id].first_operand, insts_[i.id].operand_count};
  }
  Value operand(Inst i, std::uint32_t k) const {
    assert(k < insts_[i.id].operand_count);
    return operands_[insts_[i.id].first_operand + k];
  }
  void set_operand(Inst i, std::uint32_t k, Value v) { operands_[insts_[i.id].first_operand + k] = v; }
  // Replaces the whole operand list (any length; used for phis).
  void set_operands(Inst i, std::span<const Value> values);

  // Values.
  std::size_t value_count() const { return values_.size(); }
  ValueData& value(Value v) { return values_[v.id]; }
  const ValueData& value(Value v) const { return values_[v.id]; }
  Inst definition(Value v) const { return values_[v.id].definition; }
  const InstData& definition_of(Value v) const { return insts_[values_[v.id].definition.id]; }
  Value result(Inst i, std::uint32_t k = 0) const {
    assert(k < insts_[i.id].result_count);
    return Value{insts_[i.id].first_result.id + k};
  }
  bool is_constant(Value v) const { return ir::is_constant(definition_of(v).opcode); }
  std::uint64_t constant(Value v) const { return definition_of(v).immediate; }
  // The one constant of this type (i1, i32, f32) and bit pattern, at the front of the entry block so that it
  // dominates every use. Needs block 0 to exist. A constant that was removed as dead comes back.
  Value constant_value(Type type, std::uint64_t bits);

  // Makes room for `insts` more instructions, to spare reallocation.
  void reserve(std::size_t insts);

  // Makes an instruction with its results, in no block yet. phi_type is for Opcode::Phi only.
  Inst make(Opcode opcode, std::span<const Value> operands, std::uint64_t immediate = 0,
            Type phi_type = Type::none);
  void append(Block b, Inst i);  // at the end (before nothing: also terminators)
  void insert_before(Inst position, Inst i);
  void insert_front(Block b, Inst i);  // before everything: phis
  void remove(Inst i);                 // unlinks; its values must be unused by then

  // Edges. A terminator's edges are set together with it.
  void set_successors(Block b, std::span<const Block> targets);  // appends b to each target's predecessors
  // Removes the edge from predecessor slot `index` of `b` with the phi operands that came over it.
  void remove_predecessor(Block b, std::size_t index);
  std::size_t predecessor_index(Block b, Block predecessor) const;
  // Removes all edges into `b` from predecessors for which `is_gone` holds in the same way, in one pass.
  template <class IsGone>
  void remove_predecessors(Block b, IsGone is_gone);
  // Appends the only successor of b, whose only predecessor is b and which has no phis, to b. Leaves it
  // empty. The caller replaces it by b among the predecessors of its successors, for many blocks at once.
  void absorb_successor(Block b);
  // Moves `first` and what follows it to a new block, with the edges. Its block ends without a terminator.
  Block split_block(Inst first);
  // Unlinks all instructions of a block and its edges, with the phi operands that came over them.
  void clear_block(Block b);

  // Rewrites every operand v to map[v] where that is valid, chasing chains; linear.
  void replace_values(std::span<const Value> map);

  // Iteration: for (Inst i : f.insts(b)). Removing the current instruction while iterating is allowed.
  class InstRange {
   public:
    struct Iterator {
      const Function* function;
      Inst current, following;
      Inst operator*() const { return current; }
      Iterator& operator++() {
        current = following;
        following = current.valid() ? function->inst(current).next : Inst{};
        return *this;
      }
      bool operator!=(const Iterator& other) const { return current != other.current; }
    };
    InstRange(const Function* f, Inst first) : function_(f), first_(first) {}
    Iterator begin() const {
      return {function_, first_, first_.valid() ? function_->inst(first_).next : Inst{}};
    }
    Iterator end() const { return {function_, Inst{}, Inst{}}; }

   private:
    const Function* function_;
    Inst first_;
  };
  InstRange insts(Block b) const { return {this, blocks_[b.id].first}; }

 private:
  std::vector<BlockData> blocks_;
  std::vector<InstData> insts_;
  std::vector<ValueData> values_;
  std::vector<Value> operands_;
  std::vector<Value> constants_;  // open-addressing table of constant_value, a power of two long
  std::uint32_t constants_used_ = 0;
  std::size_t constant_slot(Opcode opcode, std::uint64_t bits) const;
};

template <class IsGone>
void Function::remove_predecessors(Block b, IsGone is_gone) {
  Edges& predecessors = blocks_[b.id].predecessors;
  for (Inst i : insts(b)) {
    if (insts_[i.id].opcode != Opcode::Phi) break;
    std::uint32_t kept = 0;
    for (std::uint32_t k = 0; k < predecessors.size(); ++k)
      if (!is_gone(predecessors[k])) set_operand(i, kept++, operand(i, k));
    insts_[i.id].operand_count = kept;
  }
  std::uint32_t kept = 0;
  for (std::uint32_t k = 0; k < predecessors.size(); ++k)
    if (!is_gone(predecessors[k])) predecessors[kept++] = predecessors[k];
  predecessors.resize(kept);
}

}  // namespace warpjit::ir
