// Lowering of what groups keep between their instructions: local slots, frames of the groups of a block; the
// groups' numbers; and the end of a run.
#pragma once

#include "backend/lower/host_parts.h"

namespace warpjit::backend {

// clang-format off
#define WARPJIT_LOWERED_AS_FRAMES(OP) \
  OP(GroupIndex) OP(BlockIndex) OP(ThreadIndex) OP(SetGroup) OP(Barrier) OP(Stop) OP(LoadSlot) \
  OP(StoreSlot) OP(LoadFrame) OP(StoreFrame) OP(LoadFrameRow) OP(StoreFrameRow) OP(LoadFrameUniform) \
  OP(StoreFrameUniform)
// clang-format on

class FrameLowering : protected ValueForms {
 public:
  FrameLowering(State& state, HostMasks& masks, HostRows& rows);

#define WARPJIT_DECLARE(name) void lower_##name(ir::Inst i);
  WARPJIT_LOWERED_AS_FRAMES(WARPJIT_DECLARE)
#undef WARPJIT_DECLARE

 private:
  lir::Mem slot_part(ir::Inst i, std::uint32_t p) const;
  // Of a frame.
  std::uint32_t slot_bytes() const {
    return state_.has_idle_lanes ? f_.group_lanes * 4 : parts_ * host_.vector_bytes;
  }
  Reg make_frame_base(Value group);
  // The words of slot `immediate` of the group that operand 0 numbers; of rows, of the first one.
  lir::Mem frame_slot(ir::Inst i, Reg& base);
  void load_frame(ir::Inst i);
  void store_frame(ir::Inst i, Value value);
  void store_slot_part(Reg r, lir::Mem mem, Reg base);

  HostMasks& masks_;
  HostRows& rows_;
  std::int32_t slots_ = -1;  // frame area of the local slots
  Value group_;              // of SetGroup, whose frame begins at group_frame_ in all blocks behind
  Reg group_frame_ = lir::kNoReg;
  Value frame_group_;  // whose frame begins at frame_base_, this block's
  Cached frame_base_;
};

}  // namespace warpjit::backend
