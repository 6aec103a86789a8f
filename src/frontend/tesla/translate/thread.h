// A thread of a Tesla program of any stage: along blocks, where control flow was resolved statically, or with
// the warp's control stack.
#pragma once

#include <vector>

#include "frontend/flow/ssa_blocks.h"
#include "frontend/tesla/flow/lane_order.h"
#include "frontend/tesla/translate/instruction.h"

namespace warpjit::tesla {

class ThreadTranslator : protected InstructionTranslator {
 public:
  virtual ~ThreadTranslator() = default;

  // One of these, once. Thread form.
  Status run(const ControlFlow& flow) {
    return blocks_.run(
        flow.successors(), flow.order(), [&](std::uint32_t number) { return flow.blocks[number].first; },
        [&] { begin(); }, [&](std::uint32_t number) { translate_block(flow.blocks[number]); },
        [&] { end(); });
  }
  // Group form (translate/stack.cpp).
  // Errors: resource_limit; unsupported for branches through c[] to very many places.
  Status run_stack();

  ir::Function& function() { return function_; }
  // The IR block of a block of the control flow.
  ir::Block block(std::uint32_t number) const { return blocks_[number]; }

 protected:
  ThreadTranslator(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
                   const SampledTextures& textures)
      : InstructionTranslator(program, facts, code, textures), code_(code), blocks_(function_, b_, ssa_) {}

  // Fills the entry, and ends it by enter().
  virtual void begin() = 0;
  // Fills the exit, where all lanes come.
  virtual void end() {}
  // Where lanes go, in thread form, that enter() does not let in.
  virtual ir::Block outside() { return exit(); }
  // After an instruction of a block, in thread form, that transfers no control.
  virtual void behind(const FlowBlock&, std::uint32_t /*pc*/) {}

  // These lanes begin the program, the others end.
  void enter(I1 lanes);
  ir::Block exit() const { return blocks_.exit(); }
  // How lanes come and go with a control stack; null: along blocks.
  class Stack {
   public:
    virtual ~Stack() = default;
    virtual void enter(I1 lanes) = 0;
    virtual void end_lanes(I1 ended) = 0;
  };
  Stack* stack() const { return stack_; }

  const ReachedCode& code_;

 private:
  friend class StackControl;
  ir::Block start() const { return blocks_[0]; }
  ir::Block target(const FlowEdge& edge) const {
    return edge.target == kThreadEnds ? blocks_.exit() : blocks_[edge.target];
  }
  void edge_made(std::uint32_t target) {
    if (target != kThreadEnds) blocks_.edge_made(target);
  }
  void translate_block(const FlowBlock& block);
  void end_block(const FlowBlock& block, const Instruction& last);

  Stack* stack_ = nullptr;
  flow::SsaBlocks blocks_;
};

}  // namespace warpjit::tesla
