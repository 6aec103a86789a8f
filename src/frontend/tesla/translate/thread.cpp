#include "frontend/tesla/translate/thread.h"

namespace warpjit::tesla {

void ThreadTranslator::translate_block(const FlowBlock& block) {
  const Instruction* i = nullptr;
  for (std::uint32_t pc = block.first; pc < block.end; pc += 4 * i->words()) {
    i = code_.at(pc);
    b_.set_guest_address(pc);
    instruction(*i);
    if (pc != block.last) behind(block, pc);
    if (i->opcode == Opcode::bar) barrier(*i);
  }
  end_block(block, *i);
}

void ThreadTranslator::enter(I1 lanes) {
  if (stack_ != nullptr) return stack_->enter(lanes);
  if (function_.is_constant(lanes) && function_.constant(lanes) != 0)
    b_.jump(start());
  else
    b_.branch(lanes, start(), outside());
}

void ThreadTranslator::end_block(const FlowBlock& block, const Instruction& last) {
  if (last.opcode == Opcode::trap)
    b_.Stop(b_.constant(true), static_cast<std::uint64_t>(ir::StopReason::trap));
  if (block.before != kThreadEnds) {
    // No such group exists: this edge is never taken, and only fixes the order of the blocks.
    const ir::I1 never = b_.IEq32(b_.GroupIndex(), b_.constant(~0U));
    b_.branch(never, blocks_[block.before], blocks_.exit());
    edge_made(block.before);
  } else if (block.edge_count == 1) {
    b_.jump(target(block.edges[0]), block.edges[0].backward);
  } else {
    // What the last successor leads to comes first in the order of the blocks.
    const unsigned last_edge = block.first_edge, first_edge = 1 - last_edge;
    const ir::I1 holds = condition(last);
    const FlowEdge &a = block.edges[first_edge], &b = block.edges[last_edge];
    b_.branch(first_edge == 0 ? holds : b_.Not1(holds), target(a), target(b),
              (a.backward ? 1U : 0U) | (b.backward ? 2U : 0U));
  }
  for (unsigned k = 0; k < block.edge_count; ++k) edge_made(block.edges[k].target);
}

}  // namespace warpjit::tesla
