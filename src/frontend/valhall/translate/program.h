// A program as IR: its blocks, and what all stages ask of its code.
#pragma once

#include "frontend/flow/ssa_blocks.h"
#include "frontend/valhall/translate/instruction.h"

namespace warpjit::valhall {

// What threads can see of each other.
struct Effects {
  bool loads = false, stores = false, atomics = false, results_of_atomics = false, several_functions = false;
  bool other_lanes = false, whole_warps = false, barriers = false;
  bool buffers = false;  // loads from them

  Effects(const ReachedCode& code, const LaunchFacts& facts);
  // Whether any result depends on which lanes run these together, or in which order.
  bool order_matters() const {
    return other_lanes || stores || results_of_atomics || (atomics && (loads || several_functions));
  }
  // Whether any depends on which lanes form a warp, or on the order of warps. A store by one warp and a load
  // by another with no barrier between them are a race.
  bool warps_meet() const {
    return whole_warps || (atomics && (results_of_atomics || loads || stores || several_functions));
  }
};

class ProgramTranslator : protected InstructionTranslator {
 public:
  virtual ~ProgramTranslator() = default;
  // Once.
  Result<ir::Function> run();

 protected:
  ProgramTranslator(const Program& program, const LaunchFacts& facts, const ReachedCode& code);

  // Ends the entry with an edge to start(), of which it need not tell, and perhaps others.
  virtual void begin() = 0;
  ir::Block start() const { return blocks_[0]; }
  ir::Block exit() const { return blocks_.exit(); }
  // Fills the exit, where threads end, up to its return.
  virtual void end() {}
  // What an instruction's flow does before control goes on or ends.
  virtual void flow(const Instruction&) {}

  const ReachedCode& code_;
  const ControlFlow flow_;

 private:
  Status translate_block(const FlowBlock& block);
  void end_block(const FlowBlock& block);

  flow::SsaBlocks blocks_;
};

// Errors: a special value that no instruction of the stage may name.
Status check_special_values(const Program& program, const ReachedCode& code);

}  // namespace warpjit::valhall
