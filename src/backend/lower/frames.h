// Lowering of what groups keep between their instructions: local slots, frames of the groups of a block; the
// groups' numbers; and the end of a run.
#pragma once

#include "backend/lower/host_parts.h"

namespace warpjit::backend {

class FrameLowering : protected ValueForms {
 public:
  FrameLowering(State& state, HostMasks& masks, HostRows& rows);

  void argument_word(ir::Inst i, std::size_t member);  // of the KernelArgs
  void set_group(ir::Inst i);
  void stop(ir::Inst i);
  void load_slot(ir::Inst i);
  void store_slot(ir::Inst i);
  void load_frame(ir::Inst i);
  void store_frame(ir::Inst i, std::uint32_t value);  // which operand it stores
  void load_frame_uniform(ir::Inst i);
  void store_frame_uniform(ir::Inst i);

 private:
  lir::Mem slot_part(ir::Inst i, std::uint32_t p) const;
  // The size of a slot of a frame.
  std::uint32_t slot_bytes() const {
    return state_.has_idle_lanes ? f_.group_lanes * 4 : parts_ * host_.vector_bytes;
  }
  Reg make_frame_base(Value group);
  // The words of slot `immediate` of the group that operand 0 numbers; of rows, of the first one.
  lir::Mem frame_slot(ir::Inst i, Reg& base);
  void store_slot_part(Reg r, lir::Mem mem, Reg base);

  HostMasks& masks_;
  HostRows& rows_;
  std::int32_t slots_ = -1;  // frame area of the local slots
  Value group_;              // of SetGroup, whose frame begins at group_frame_ in all later blocks
  Reg group_frame_ = lir::kNoReg;
  Value frame_group_;  // whose frame begins at frame_base_, this block's
  Cached frame_base_;
};

}  // namespace warpjit::backend
