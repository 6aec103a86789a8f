// Lowering: a function of the IR in group form to LIR. Each family of operations is lowered by a class of its
// own, which is given what it needs: the state that all share, the parts of the host (HostParts), and other
// families by name. This one puts them together, walks the blocks, and hands each instruction to its family.
#pragma once

#include <optional>
#include <vector>

#include "backend/lower/arithmetic.h"
#include "backend/lower/callouts.h"
#include "backend/lower/control.h"
#include "backend/lower/deferred_checks.h"
#include "backend/lower/frames.h"
#include "backend/lower/halves.h"
#include "backend/lower/lanes.h"
#include "backend/lower/masks.h"
#include "backend/lower/memory.h"
#include "backend/lower/memory_records.h"
#include "backend/lower/memory_runs.h"
#include "backend/lower/pixels.h"
#include "backend/lower/rows.h"
#include "backend/lower/texels.h"
#include "backend/lower/windows.h"
#include "backend/lower/words.h"

namespace warpjit::backend {

class FunctionLowering final : protected ValueForms, private InstLowering {
 public:
  FunctionLowering(State& state, const HostParts& host);
  void run();

 private:
  void order_blocks();
  void count_uses();
  void note_parts();
  void lower_block(ir::Block b);
  ir::Inst lower_with_deferred_checks(ir::Inst first, ir::Inst last);
  void lower(ir::Inst i) override;
  void lower_plainly(ir::Inst i);

  CalloutLowering callouts_;
  ArithmeticLowering arithmetic_;
  DeferredChecks checks_;
  WordLowering words_;
  HalfLowering halves_;
  MaskLowering masks_;
  LaneLowering lanes_;
  RowLowering rows_;
  FrameLowering frames_;
  PixelLowering pixels_;
  TexelLowering texels_;
  WindowFields windows_;
  MemoryLowering memory_;
  ControlLowering control_;
  // Where there is threads' memory, a host that reaches it, and no idle lane.
  std::optional<RunLowering> runs_;
  std::optional<RecordLowering> records_;
  std::vector<ir::Block> order_;
  std::vector<char> in_loop_;  // by block
};

}  // namespace warpjit::backend
