#include "frontend/valhall/translate/program.h"

#include <algorithm>

namespace warpjit::valhall {

Effects::Effects(const ReachedCode& code, const LaunchFacts& facts) {
  std::uint32_t functions = 0;
  // True if some buffers are memory that stores change.
  const bool buffers_change = std::ranges::any_of(
      facts.buffers, [&](const BufferFacts& buffer) { return !facts.has_constant_buffer(buffer.handle); });
  for (const auto& reached : code.instructions()) {
    const Instruction& i = reached.instruction;
    switch (i.opcode) {
      case Opcode::load:
      case Opcode::ld_tex:
      case Opcode::ld_tex_imm:
        loads = true;
        break;
      case Opcode::ld_buffer:
        buffers = true;
        loads = loads || buffers_change;
        break;
      case Opcode::store:
      case Opcode::st_cvt:
        stores = true;
        break;
      case Opcode::atom_return:
      case Opcode::atom1_return:
        results_of_atomics = results_of_atomics || i.write.count != 0;
        [[fallthrough]];
      case Opcode::atom:
        atomics = true;
        functions |= 1U << static_cast<unsigned>(i.atomic);
        break;
      case Opcode::clper:
      case Opcode::wmask:
        other_lanes = true;
        whole_warps = whole_warps || sees_warp(i);
        break;
      case Opcode::barrier:
        barriers = true;
        break;
      default:
        break;
    }
  }
  several_functions = (functions & (functions - 1)) != 0;
}

ProgramTranslator::ProgramTranslator(const Program& program, const LaunchFacts& facts,
                                     const ReachedCode& code)
    : InstructionTranslator(program, facts, code),
      code_(code),
      flow_(find_blocks(program, code)),
      blocks_(function_, b_, ssa_) {
  if (Effects(code, facts).order_matters()) function_.lane_order = ir::LaneOrder::lowest_address_first;
}

Result<ir::Function> ProgramTranslator::run() {
  Status status;
  const flow::Successors successors = flow_.successors();
  WARPJIT_CHECK(blocks_.run(
      successors, flow::reverse_post_order(successors),
      [&](std::uint32_t number) { return flow_.blocks[number].first; }, [&] { begin(); },
      [&](std::uint32_t number) {
        const Status translated = translate_block(flow_.blocks[number]);
        if (status && !translated) status = translated;
      },
      [&] { end(); }));
  WARPJIT_CHECK(status);
  return std::move(function_);
}

Status ProgramTranslator::translate_block(const FlowBlock& block) {
  Status status;
  for (std::uint32_t pc = block.first; pc < block.end && status; pc += 8) {
    b_.set_guest_address(pc);
    const Instruction& i = *code_.at(pc);
    if (i.opcode != Opcode::branchz) status = instruction(i, pc);
    flow(i);
  }
  end_block(block);
  return status;
}

void ProgramTranslator::end_block(const FlowBlock& block) {
  const auto target = [&](const FlowEdge& edge) {
    return edge.target == kThreadEnds ? blocks_.exit() : blocks_[edge.target];
  };
  const auto made = [&](const FlowEdge& edge) {
    if (edge.target != kThreadEnds) blocks_.edge_made(edge.target);
  };
  if (block.edge_count == 1) {
    b_.jump(target(block.edges[0]), block.edges[0].backward);
    return made(block.edges[0]);
  }
  // What the last successor leads to comes first in the order of the blocks: here the next address.
  const FlowEdge &branch = block.edges[0], &next = block.edges[1];
  const I1 condition = taken(*code_.at(block.end - 8));
  if (target(branch) == target(next))
    b_.jump(target(branch), branch.backward || next.backward);
  else
    b_.branch(condition, target(branch), target(next), branch.backward ? 1 : 0);
  made(branch);
  made(next);
}

namespace {

// Special values that programs of a stage have: those of operand.cpp.
bool has_special(Stage stage, unsigned page, unsigned entry) {
  constexpr std::pair<unsigned, unsigned> kOfAll[] = {{1, 1}, {3, 1}, {3, 3}, {3, 15}},
                                          kOfThreads[] = {{0, 2}, {1, 3}}, kOfPixels[] = {{0, 4}};
  const std::pair wanted{page, entry};
  if (std::ranges::find(kOfAll, wanted) != std::end(kOfAll)) return true;
  return stage == Stage::fragment ? std::ranges::find(kOfPixels, wanted) != std::end(kOfPixels)
                                  : std::ranges::find(kOfThreads, wanted) != std::end(kOfThreads);
}

// Sources of messages that mean nothing, or that the message itself looks at. A move may take what ATEST
// reads, any value, to a register.
bool is_read(const Instruction& i, unsigned n, Stage stage) {
  constexpr std::uint8_t kExplicit = 3;
  constexpr std::pair kAtestDatum(0U, 5U);
  const Source& source = i.source[n];
  switch (i.opcode) {
    case Opcode::mov:
      return stage != Stage::fragment ||
             std::pair(special_page(source.value), special_entry(source.value)) != kAtestDatum;
    case Opcode::blend:
      return n != 0;
    case Opcode::atest:
    case Opcode::ld_tile:
      return n == 0;
    case Opcode::st_tile:
      return n <= 1;
    case Opcode::ld_var_buf_imm:
    case Opcode::ld_var_imm:
      return i.sample == kExplicit;
    case Opcode::ld_var_buf:
    case Opcode::ld_var:
      return n != 0 || i.sample == kExplicit;
    case Opcode::ld_var_special:
      return i.index != 3 && i.sample == kExplicit;
    default:
      return true;
  }
}

}  // namespace

Status check_special_values(const Program& program, const ReachedCode& code) {
  for (const auto& [address, i] : code.instructions())
    for (unsigned n = 0; n < i.source.size(); ++n) {
      const Source& source = i.source[n];
      if (source.kind == Source::Kind::special && is_read(i, n, program.stage) &&
          !has_special(program.stage, special_page(source.value), special_entry(source.value)))
        return Error{ErrorCode::unsupported, "a special value that programs of this stage do not have",
                     program.where(address)};
    }
  return {};
}

}  // namespace warpjit::valhall
