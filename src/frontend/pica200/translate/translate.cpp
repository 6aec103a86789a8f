#include "frontend/pica200/translate/translate.h"

#include "frontend/flow/ssa_blocks.h"
#include "frontend/pica200/flow/control_flow.h"
#include "frontend/pica200/translate/instruction.h"

namespace warpjit::pica200 {
namespace {

using ir::I1;
using ir::I32;

// Translation along control flow that was resolved statically.
class StaticTranslator : private InstructionTranslator {
 public:
  StaticTranslator(const Program& program, const TranslationFacts& facts, const UnitAccess& unit,
                   const ReachedCode& code, const ControlFlow& flow)
      : InstructionTranslator(program, facts, unit, kStaticVariables),
        code_(code),
        flow_(flow),
        history_(unit.history),
        blocks_(function_, builder_, ssa_) {}

  Result<ir::Function> run() {
    const flow::Successors successors = flow_.successors();
    WARPJIT_CHECK(blocks_.run(
        successors, flow::reverse_post_order(successors),
        [&](std::uint32_t number) { return flow_.blocks[number].first; },
        [&] {
          begin_thread();
          builder_.jump(blocks_[0]);
        },
        [&](std::uint32_t number) { translate_block(flow_.blocks[number]); },
        [&] {
          if (reaches_end_) end_thread();
        },
        history_ + 1));
    return std::move(function_);
  }

 private:
  void translate_block(const FlowBlock& block) {
    for (std::uint32_t pc = block.first; pc < block.end; ++pc) {
      builder_.set_guest_address(pc);
      instruction(*code_.code.at(pc));
    }
    builder_.set_guest_address(block.address);
    if (block.runs_off) return stay(builder_.block(), block.address);
    if (block.ends_thread) {
      reaches_end_ = true;
      builder_.jump(blocks_.exit());
      return;
    }
    if (block.edge_count == 1) {
      apply(block.edges[0].effect);
      builder_.jump(blocks_[block.edges[0].target], block.edges[0].backward);
      blocks_.edge_made(block.edges[0].target);
      return;
    }
    I1 condition = test(block);
    // An effect on one way only, or equal targets, take a block of their own.
    std::array<ir::Block, 2> targets;
    std::uint64_t backward = 0;
    const bool same = block.edges[0].target == block.edges[1].target;
    for (unsigned k = 0; k < 2; ++k) {
      bool direct = block.edges[k].effect.kind == EdgeEffect::Kind::none && !same;
      targets[k] = direct ? blocks_[block.edges[k].target] : function_.add_block(block.address);
      if (direct && block.edges[k].backward) backward |= std::uint64_t{1} << k;
    }
    builder_.branch(condition, targets[0], targets[1], backward);
    for (unsigned k = 0; k < 2; ++k) {
      const FlowBlock::Edge& edge = block.edges[k];
      if (targets[k] != blocks_[edge.target]) {
        builder_.set_block(targets[k]);
        ssa_.seal(targets[k]);
        apply(edge.effect);
        builder_.jump(blocks_[edge.target], edge.backward);
      }
      blocks_.edge_made(edge.target);
    }
  }

  I1 test(const FlowBlock& block) {
    switch (block.test) {
      case Test::boolean:
        return boolean(block.uniform);
      case Test::loop: {
        I32 step = builder_.LoadUniformI32(facts_.layout.i(block.uniform) + 8);
        write(kVarAL, builder_.IAdd32(read<I32>(kVarAL), step));
        I32 count = read<I32>(kVarCounter + block.slot);
        write(kVarCounter + block.slot, builder_.IAdd32(count, builder_.constant(std::int32_t{-1})));
        return builder_.INe32(count, builder_.constant(std::int32_t{0}));
      }
      default:
        return condition(*code_.code.at(block.address));
    }
  }

  void apply(const EdgeEffect& effect) {
    switch (effect.kind) {
      case EdgeEffect::Kind::none:
        break;
      case EdgeEffect::Kind::begin_loop: {
        std::uint32_t uniform = facts_.layout.i(effect.uniform);
        write(kVarSaved + effect.slot, read<I32>(kVarAL));
        write(kVarCounter + effect.slot, builder_.LoadUniformI32(uniform));
        write(kVarAL, builder_.LoadUniformI32(uniform + 4));
        break;
      }
      case EdgeEffect::Kind::restore_aL:
        write(kVarAL, read<I32>(kVarSaved + effect.slot));
        break;
    }
  }

  const ReachedCode& code_;
  const ControlFlow& flow_;
  unsigned history_;
  flow::SsaBlocks blocks_;
  bool reaches_end_ = false;
};

}  // namespace

Result<ir::Function> translate(const Program& program, std::uint32_t entry, const TranslationFacts& facts) {
  return translate(program, entry, facts, UnitAccess());
}

Result<ir::Function> translate(const Program& program, std::uint32_t entry, const TranslationFacts& facts,
                               const UnitAccess& unit) {
  const ReachedCode code = find_reached(program, entry);
  const Result<ControlFlow> flow = discover(program, code, entry, facts.bools_known, facts.bools);
  if (flow) return StaticTranslator(program, facts, unit, code, *flow).run();
  if (flow.error().code != ErrorCode::resource_limit || unit.history != 0) return flow.error();
  if (program.structural_scopes)
    return Error{ErrorCode::unsupported, flow.error().message + ", with structural scopes",
                 flow.error().where};
  return translate_dynamic(program, entry, facts, unit);
}

}  // namespace warpjit::pica200
