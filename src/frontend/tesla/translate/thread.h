// A thread of a Tesla program of any stage, from control flow that was resolved statically.
#pragma once

#include <vector>

#include "frontend/flow/ssa_blocks.h"
#include "frontend/tesla/flow/lane_order.h"
#include "frontend/tesla/translate/instruction.h"

namespace warpjit::tesla {

class ThreadTranslator : protected InstructionTranslator {
 public:
  virtual ~ThreadTranslator() = default;

  Status run() {
    return blocks_.run(
        flow_.successors(), flow_.order(), [&](std::uint32_t number) { return flow_.blocks[number].first; },
        [&] { begin(); }, [&](std::uint32_t number) { translate_block(flow_.blocks[number]); },
        [&] { end(); });
  }

  ir::Function& function() { return function_; }
  // Of a block of the control flow.
  ir::Block block(std::uint32_t number) const { return blocks_[number]; }

 protected:
  ThreadTranslator(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
                   const ControlFlow& flow, const SampledTextures& textures)
      : InstructionTranslator(program, facts, code, textures),
        code_(code),
        flow_(flow),
        blocks_(function_, b_, ssa_) {}

  // Fills the entry, and ends it with an edge to start().
  virtual void begin() = 0;
  // Fills the exit, where all lanes come.
  virtual void end() {}
  // Behind an instruction of a block that transfers no control.
  virtual void behind(const FlowBlock&, std::uint32_t /*pc*/) {}

  ir::Block start() const { return blocks_[0]; }
  ir::Block exit() const { return blocks_.exit(); }

  const ReachedCode& code_;

 private:
  ir::Block target(const FlowEdge& edge) const {
    return edge.target == kThreadEnds ? blocks_.exit() : blocks_[edge.target];
  }
  void edge_made(std::uint32_t target) {
    if (target != kThreadEnds) blocks_.edge_made(target);
  }
  void translate_block(const FlowBlock& block);
  void end_block(const FlowBlock& block, const Instruction& last);

  const ControlFlow& flow_;
  flow::SsaBlocks blocks_;
};

}  // namespace warpjit::tesla
