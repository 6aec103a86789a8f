#include "backend/lower/function_lowering.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "backend/lower/definitions.h"
#include "ir/analysis/dominators.h"
#include "ir/analysis/loops.h"

namespace warpjit::backend {

using ir::Opcode;
using ir::Value;

namespace {

bool rounds_to_half(Opcode opcode) {
  return opcode == Opcode::FRoundHalf32 || opcode == Opcode::F32ToHalf || opcode == Opcode::HalvesOfF32;
}

// How many operations know no denormals, and how many keep them.
struct FloatOperations {
  std::size_t flush = 0, keep = 0;
};
FloatOperations float_operations(const ir::Function& f) {
  FloatOperations count;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (ir::Inst i : f.insts(ir::Block{b})) {
      const ir::OpcodeInfo& row = ir::info(f.inst(i).opcode);
      if (row.family == ir::Family::float_flush) ++count.flush;
      if (row.makes_denormals) ++count.keep;
    }
  return count;
}

}  // namespace

FunctionLowering::FunctionLowering(State& state, const HostParts& host)
    : ValueForms(state),
      callouts_(state, host.masks),
      arithmetic_(state, host, callouts_),
      checks_(state, host.flushing, arithmetic_),
      words_(state, host.words, callouts_),
      halves_(state, host.halves, callouts_),
      masks_(state, host.masks),
      lanes_(state, host.lanes),
      rows_(state, host.masks, host.rows),
      frames_(state, host.masks, host.rows),
      pixels_(state, host.masks, host.lanes, host.rows, host.memory),
      texels_(state, host.texels),
      windows_(state),
      memory_(state, host, windows_, callouts_),
      control_(state, rows_, callouts_) {
  state.constants = &host.constants;
  state.masks = &host.masks;
  state.inputs = &rows_;
  const FloatOperations floats = float_operations(f_);
  code_.flushes = floats.flush != 0;
  code_.flushes_between = code_.flushes && floats.flush >= floats.keep;
  if (f_.group_lanes != 0 && !state.has_idle_lanes && host.memory != nullptr) {
    runs_.emplace(state, host, *host.memory, windows_, callouts_, checks_, static_cast<InstLowering&>(*this));
    records_.emplace(state, host, runs_->shapes(), windows_, rows_, callouts_, memory_,
                     static_cast<InstLowering&>(*this));
  }
}

void FunctionLowering::run() {
  order_blocks();
  count_uses();
  for (ir::Block b : order_) {  // phis first: edges name them before their blocks are lowered
    for (ir::Inst i : f_.insts(b)) {
      if (f_.inst(i).opcode != Opcode::Phi) break;
      Value v = f_.result(i);
      for (std::uint32_t p = 0; p < parts_of(v); ++p) define(v, p, code_.new_reg(class_of(v)));
    }
  }
  for (ir::Block b : order_) lower_block(b);
  control_.finish();
  note_parts();
  if (runs_) code_.shared_phase = runs_->shared_phase();
}

// Loops stay together and follow their headers, so that the allocator sees them as ranges and jumps are few.
void FunctionLowering::order_blocks() {
  const ir::Dominators dominators(f_);
  const ir::Loops loops(f_, dominators);
  order_ = loops.reducible() ? loops.order() : dominators.order();
  in_loop_.assign(f_.block_count(), 1);
  if (!loops.reducible()) return;
  for (ir::Block b : order_) in_loop_[b.id] = loops.depth(b) != 0;
}

void FunctionLowering::count_uses() {
  for (ir::Block b : order_)
    for (ir::Inst i : f_.insts(b))
      for (Value v : f_.operands(i)) {
        ++state_.use_count[v.id];
        if (!rounds_to_half(f_.inst(i).opcode)) state_.read_whole[v.id] = 1;
      }
}

void FunctionLowering::note_parts() {
  code_.part_of.assign(code_.classes.size(), 0);
  for (std::uint32_t v = 0; v < f_.value_count(); ++v) {
    if (!varying(Value{v})) continue;
    for (std::uint32_t p = 1; p < parts_; ++p)
      if (const lir::Reg r = slot(Value{v}, p); r != lir::kNoReg && r != slot(Value{v}, p - 1))
        code_.part_of[r] = static_cast<std::uint8_t>(p);
  }
}

void FunctionLowering::lower_block(ir::Block b) {
  control_.begin_block(b);
  state_.constant_cache.clear();
  memory_.begin_block();
  windows_.begin_block();
  texels_.begin_block();
  checks_.begin_block(in_loop_[b.id] != 0);
  state_.flushing = code_.flushes_between;
  if (b == ir::Function::entry()) pixels_.begin_function();
  for (ir::Inst i = f_.block(b).first; i.valid(); i = f_.inst(i).next) {
    state_.guest_address = f_.inst(i).guest_address;
    if (runs_ && runs_->begins_run(i)) {
      i = runs_->lower_run(i);
      continue;
    }
    if (records_ && records_->begins_record(i)) {
      i = records_->lower_record();
      continue;
    }
    if (const ir::Inst last = checks_.last_from(i); last.valid()) {
      i = lower_with_deferred_checks(i, last);
      continue;
    }
    const ir::OpcodeInfo& row = ir::info(f_.inst(i).opcode);
    if (row.terminator || row.writes) rows_.flush_inputs();
    if (row.terminator) arithmetic_.set_flushing(code_.flushes_between);
    lower(i);
  }
}

ir::Inst FunctionLowering::lower_with_deferred_checks(ir::Inst first, ir::Inst last) {
  Definitions made(state_);
  SmallVector<ir::Inst, 16> insts;
  for (ir::Inst i = first; insts.empty() || insts.back() != last; i = f_.inst(i).next) {
    insts.push_back(i);
    made.add(i);
  }
  made.redefine(checks_.lower({insts.data(), insts.size()}, [&] {
    checks_.each({insts.data(), insts.size()}, [&](std::size_t n) { lower(insts[n]); });
    return made.registers();
  }));
  return last;
}

void FunctionLowering::lower(ir::Inst i) {
  if (checks_.needs_look(i))
    lower_with_deferred_checks(i, i);
  else
    lower_plainly(i);
}

namespace {
// Constants and the like: an operand where they are read.
void made_where_read() {}
// compile() refuses functions that still have one.
void removed_by([[maybe_unused]] const char* pass) { assert(!pass && "a pass removes it"); }
}  // namespace

void FunctionLowering::lower_plainly(ir::Inst i) {
  switch (f_.inst(i).opcode) {
#define LOWER(name, call) \
  case Opcode::name:      \
    return call;
#include "backend/lower/opcodes.inc"
#undef LOWER
  }
}

}  // namespace warpjit::backend
