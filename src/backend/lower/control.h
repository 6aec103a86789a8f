// Lowering of what ends blocks, and of edges between them.
#pragma once

#include <vector>

#include "backend/lower/callouts.h"
#include "backend/lower/rows.h"

namespace warpjit::backend {

class ControlLowering : protected ValueForms {
 public:
  ControlLowering(State& state, RowLowering& rows, CalloutLowering& callouts);

  // The LIR block of an IR block begins here.
  void begin_block(ir::Block b);
  // After the last block: resolves edges, finds predecessors and loops.
  void finish();

  void phi(ir::Inst i);
  void jump(ir::Inst i);
  void branch(ir::Inst i);
  void switch_between(ir::Inst i);
  void end_group();
  void burn_fuel(ir::Inst i);

 private:
  // Ends the LIR block `lir_from` with an edge to `to`.
  void connect(ir::Block from, ir::Block to, std::uint32_t lir_from);
  void connect_by_edge(ir::Block from, ir::Block to, std::uint32_t lir_from);
  void find_loops();

  RowLowering& rows_;
  CalloutLowering& callouts_;
  std::vector<std::uint32_t> lir_block_;  // of an IR block
};

}  // namespace warpjit::backend
