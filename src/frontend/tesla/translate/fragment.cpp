// Fragment programs.
#include <algorithm>
#include <memory>
#include <optional>

#include "frontend/pixels/fragment_frame.h"
#include "frontend/tesla/container/graphics.h"
#include "frontend/tesla/translate/graphics.h"
#include "frontend/tesla/translate/quads.h"
#include "frontend/tesla/translate/stage.h"

namespace warpjit::tesla {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

bool uses_memory(const ReachedCode& code, bool stores) {
  return std::ranges::any_of(code.instructions(), [&](const ReachedInstruction& reached) {
    const Opcode opcode = reached.instruction.opcode;
    const bool is_store = opcode == Opcode::st_g || opcode == Opcode::red_g || opcode == Opcode::atom_g;
    return is_store || (!stores && opcode == Opcode::ld_g);
  });
}
// Whether a lane that is not live could do harm: turn in a loop for long, trap, or load from outside.
bool is_for_live_lanes(const ReachedCode& code, const ControlFlow& flow) {
  if (uses_memory(code, false)) return true;
  const flow::Successors successors = flow.successors();
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    if (code.at(flow.blocks[b].last)->opcode == Opcode::trap) return true;
    for (const std::uint32_t to : successors[b])
      if (flow.blocks[to].first <= flow.blocks[b].first) return true;
  }
  return false;
}

// From where on no one notices whether dead lanes run: lanes of quads no longer see each other, and there are
// no loops, traps and accesses to memory.
class QuietRest {
 public:
  QuietRest(const Program& program, const ReachedCode& code, const ControlFlow& flow,
            const SampledTextures& textures, const Modes& modes)
      : program_(program), code_(code), textures_(textures), modes_(modes) {
    loud_.resize(flow.blocks.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
        if (loud_[b] || quiet_from(flow.blocks[b], flow.blocks[b].first)) continue;
        loud_[b] = changed = true;
      }
    }
  }
  bool behind(const FlowBlock& block, std::uint32_t pc) const {
    return quiet_from(block, pc + 4 * code_.at(pc)->words());
  }

 private:
  bool quiet_from(const FlowBlock& block, std::uint32_t pc) const {
    for (unsigned k = 0; k < block.edge_count; ++k)
      if (block.edges[k].backward || (block.edges[k].target != kThreadEnds && loud_[block.edges[k].target]))
        return false;
    for (; pc < block.end; pc += 4 * code_.at(pc)->words()) {
      const Instruction& i = *code_.at(pc);
      const bool has_memory = i.opcode == Opcode::ld_g || i.opcode == Opcode::st_g ||
                              i.opcode == Opcode::red_g || i.opcode == Opcode::atom_g;
      if (has_memory || i.opcode == Opcode::trap || i.opcode == Opcode::quadpop ||
          reads_quad(i, program_, textures_, modes_))
        return false;
    }
    return true;
  }

  const Program& program_;
  const ReachedCode& code_;
  const SampledTextures& textures_;
  const Modes& modes_;
  std::vector<bool> loud_;  // blocks
};

bool discards(const ReachedCode& code) {
  return std::ranges::any_of(code.instructions(), [](const ReachedInstruction& reached) {
    return reached.instruction.opcode == Opcode::discard;
  });
}

class FragmentTranslator final : public StageTranslator {
 public:
  FragmentTranslator(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
                     const ConstantTable& constants, const SampledTextures& textures,
                     const frontend::PixelFacts& pixels)
      : StageTranslator(program, facts, code, constants, textures),
        inputs_(fragment_inputs(program.graphics)),
        results_(fragment_results(program.graphics)),
        frame_(b_, pixels),
        reads_quads_(reads_quads(program, code, textures, facts.modes)) {
    function_.uniform_bytes = textures.table.end();  // of which FragmentFrame knows the beginning alone
  }

  void plan(const ControlFlow& flow, const std::vector<LaneEffects>& effects) override {
    for_live_lanes_ = is_for_live_lanes(code_, flow);
    if (reads_quads_ && (discards(code_) || frame_.tests_first()))
      quiet_.emplace(program_, code_, flow, textures_, facts_.modes);
    StageTranslator::plan(flow, effects);
  }

 private:
  void begin() override {
    lanes_ = b_.constant(true);
    const I1 live = frame_.begin({discards(code_), results_.depth.has_value(), uses_memory(code_, true)});
    live_at_start_ = live;
    write(kVarLive, live);
    clear_kept();
    // Quads without live lanes neither load nor use up fuel. Those that only fill a group do as the one
    // whose place they have, unless they load. A group without live lanes needs no run; without early tests
    // every group has one.
    const bool shows = for_live_lanes_ && (frame_.tests_first() || uses_memory(code_, false));
    if (reads_quads_)
      enter(shows ? voted(VoteOperation::any, live) : lanes_);
    else
      enter(for_live_lanes_ || frame_.tests_first() ? live : lanes_);
  }

  void end() override {
    std::array<frontend::FragmentFrame::Words, kMaxColorTargets> colors;
    for (std::uint32_t k = 0; k < kMaxColorTargets; ++k)
      for (std::uint32_t c = 0; c < 4; ++c) colors[k][c] = gpr(results_.color(k) + c);
    std::optional<I32> depth;
    if (results_.depth) depth = gpr(*results_.depth);
    frame_.end(read<I1>(kVarLive), colors, depth);
    if (!gone_) return;
    b_.jump(*gone_);
    ssa_.seal(*gone_);
    b_.set_block(*gone_);
  }

  // Where lanes go that leave no results: after the exit, so that no value of theirs is needed there.
  ir::Block outside() override {
    if (!gone_) gone_ = function_.add_block();
    return *gone_;
  }

  void interp(const Instruction& i) override {
    if (is_static(i.src[0])) return set_destination(i, interpolated(i, (i.src[0].value & 0xffff) / 4));
    const I32 n = b_.IShrU32(address(i.src[0]), word(2));
    const auto at = [&](std::uint32_t k, I32 otherwise) {
      return b_.select(b_.IEq32(n, word(k)), interpolated(i, k), otherwise);
    };
    I32 value = at(kFrontFacingAddress / 4, word(0));
    for (std::uint32_t k = 0; k < inputs_.size(); ++k) value = at(k, value);
    set_destination(i, value);
  }

  // What an `interp` of word n of v[] gives.
  I32 interpolated(const Instruction& i, std::uint32_t n) {
    if (n == kFrontFacingAddress / 4) return frame_.front_facing();
    if (n >= inputs_.size()) return word(0);
    const FragmentInput& from = inputs_[n];
    if (from.kind == FragmentInput::Kind::primitive_id) return frame_.primitive_number();
    if (from.kind == FragmentInput::Kind::slot && (i.flat != 0 || !from.interpolated)) return flat(from);
    F32 value = plane(from);
    if (i.src[1].kind != Operand::Kind::none) value = multiply(value, float_source(i, 1), false);
    return as_bits(value);
  }

  I1 faces_front() { return b_.INe32(frame_.front_facing(), word(0)); }
  I32 flat(const FragmentInput& from) {
    const I32 front = frame_.flat(from.use);
    return from.back_use == from.use ? front : b_.select(faces_front(), front, frame_.flat(from.back_use));
  }
  F32 plane(const FragmentInput& from) {
    const bool integers = program_.graphics.pixel_center_integer;
    switch (from.kind) {
      case FragmentInput::Kind::x:
        return integers ? frame_.column() : frame_.center_x();
      case FragmentInput::Kind::y:
        return integers ? frame_.row() : frame_.center_y();
      case FragmentInput::Kind::depth:
        return frame_.depth();
      case FragmentInput::Kind::inverse_w:
        return frame_.inverse_w();
      default:
        break;
    }
    const F32 front = frame_.value(from.use);
    return from.back_use == from.use ? front : b_.select(faces_front(), front, frame_.value(from.back_use));
  }

  void discard(I1 where) override {
    write(kVarLive, b_.AndNot1(read<I1>(kVarLive), where));
    if (!reads_quads_) end_dead_lanes();  // else the lane goes on as a helper
  }

  // A lane that died before must not run on where no other one can see it any more.
  void behind(const FlowBlock& block, std::uint32_t pc) override {
    if (!quiet_ || !quiet_->behind(block, pc)) return;
    const Instruction& i = *code_.at(pc);
    const bool died =
        i.opcode == Opcode::discard || (reads_quad(i, program_, textures_, facts_.modes) &&
                                        (frame_.tests_first() || read<I1>(kVarLive).id != live_at_start_.id));
    if (died) end_dead_lanes();
  }

  void end_dead_lanes() {
    if (stack() != nullptr) return stack()->end_lanes(b_.Not1(read<I1>(kVarLive)));
    const ir::Block rest = function_.add_block(b_.guest_address());
    b_.branch(read<I1>(kVarLive), rest, outside());
    b_.set_block(rest);
    ssa_.seal(rest);
  }

  // Helper lanes leave no results.
  I1 changing_memory(I1 where) override { return b_.And1(where, read<I1>(kVarLive)); }

  const std::vector<FragmentInput> inputs_;
  const FragmentResults results_;
  frontend::FragmentFrame frame_;
  const bool reads_quads_;
  bool for_live_lanes_ = true;
  I1 live_at_start_;
  std::optional<QuietRest> quiet_;  // if lanes may die, and go on as helpers
  std::optional<ir::Block> gone_;
};

}  // namespace

Result<ir::Function> translate_fragment(const Program& program, const ComputeFacts& facts,
                                        const ReachedCode& code, const ConstantTable& constants,
                                        const SampledTextures& textures, const frontend::PixelFacts& pixels,
                                        bool dispatch_all) {
  WARPJIT_CHECK(check_supported(program, code, textures, facts.modes));
  const auto make = [&] {
    return std::make_unique<FragmentTranslator>(program, facts, code, constants, textures, pixels);
  };
  return translate_stage({program, facts, code, textures}, make, dispatch_all);
}

}  // namespace warpjit::tesla
