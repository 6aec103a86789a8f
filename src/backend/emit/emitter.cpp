#include "backend/emit/emitter.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdio>
#include <new>

#include "backend/cost.h"

namespace warpjit::backend {

using lir::Inst;
using lir::Reg;

void Emitter::ErrorCatcher::handleError(asmjit::Error error, const char* message, asmjit::BaseEmitter*) {
  note(error, message);
}
void Emitter::ErrorCatcher::note(asmjit::Error error, const char* message) {
  if (error == asmjit::kErrorOk || first != asmjit::kErrorOk) return;
  first = error;
  std::snprintf(text.data(), text.size(), "%s", message);
}

asmjit::Error Emitter::Listing::_log(const char* data, size_t size) noexcept {
  if (size == SIZE_MAX) size = std::char_traits<char>::length(data);
  try {
    std::string line(data, size);
    line.erase(line.find_last_not_of(" \n") + 1);
    line.erase(0, line.find_first_not_of(' '));
    const bool instruction =
        !line.empty() && line[0] != '.' && line.back() != ':' && line.rfind("align", 0) != 0;
    if (instruction)  // asmjit logs it before it goes on to the next offset
      emitter_.out_.listing.push_back({static_cast<std::uint32_t>(emitter_.assembler().offset()), line});
  } catch (const std::bad_alloc&) {
    emitter_.errors_.check(asmjit::kErrorOutOfMemory);
  }
  return asmjit::kErrorOk;
}

Emitter::Emitter(const Host& host, const CompileOptions& options, MachineCode& out)
    : host_(host), options_(options), out_(out), listing_(*this) {}

Status Emitter::run(const EntryCode& kernel, const EntryCode* preamble, const ConstantPool& pool) {
  asmjit::CodeHolder holder;
  errors_.check(holder.init(asmjit::Environment(arch())));
  if (errors_.first == asmjit::kErrorOk) assemble(holder, kernel, preamble, pool);
  if (errors_.first == asmjit::kErrorOutOfMemory) throw std::bad_alloc();
  if (out_.bytes.size() > host_.max_code_bytes)
    return Error{ErrorCode::resource_limit,
                 "the program's code is larger than " + std::to_string(host_.max_code_bytes) + " bytes", ""};
  if (errors_.first != asmjit::kErrorOk)
    return Error{ErrorCode::internal, std::string("asmjit refused an instruction: ") + errors_.text.data(),
                 std::string(name(host_.target)) + " emission"};
  return {};
}

void Emitter::assemble(asmjit::CodeHolder& holder, const EntryCode& kernel, const EntryCode* preamble,
                       const ConstantPool& pool) {
  holder.setErrorHandler(&errors_);
  if (options_.listing) holder.setLogger(&listing_);
  asmjit::BaseAssembler& a = assembler();
  errors_.check(holder.attach(&a));
  a.addEncodingOptions(asmjit::EncodingOptions::kOptimizedAlign);  // long nops
  if (options_.validate) a.addDiagnosticOptions(asmjit::DiagnosticOptions::kValidateAssembler);
  pool_ = a.newLabel();
  pool_bytes_ = static_cast<std::int32_t>(pool.words().size() * 4);
  out_.kernel_offset = 0;
  make_entry(kernel);
  out_.statistics.group_instructions = out_.statistics.instructions;
  if (options_.costs && !backend::costs(host_.target).empty())
    out_.loops = loop_costs(host_, kernel, places_);
  if (preamble != nullptr) {
    errors_.check(a.align(asmjit::AlignMode::kCode, 16));
    out_.preamble_offset = static_cast<std::uint32_t>(a.offset());
    const double group_clocks = out_.statistics.group_clocks;
    make_entry(*preamble);
    out_.statistics.group_clocks = group_clocks;
  }
  out_.code_size = static_cast<std::uint32_t>(a.offset());
  errors_.check(a.align(asmjit::AlignMode::kData, 64));
  errors_.check(a.bind(pool_));
  if (!pool.words().empty()) errors_.check(a.embed(pool.words().data(), pool.words().size() * 4));
  for (std::size_t n = 0; n < unwinding_.size(); ++n) {
    errors_.check(a.align(asmjit::AlignMode::kData, 4));
    const std::size_t end = n + 1 < unwinding_.size() ? unwinding_[n + 1].begin : out_.code_size;
    out_.unwinding.push_back({static_cast<std::uint32_t>(unwinding_[n].begin),
                              static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(a.offset())});
    errors_.check(a.embed(unwinding_[n].info.data(), unwinding_[n].info.size()));
  }
  out_.bytes.resize(a.offset());
  errors_.check(holder.flatten());
  errors_.check(holder.resolveUnresolvedLinks());
  if (errors_.first != asmjit::kErrorOk || out_.bytes.size() > host_.max_code_bytes) return;
  out_.bytes.resize(holder.codeSize());
  errors_.check(holder.copyFlattenedData(out_.bytes.data(), out_.bytes.size()));
}

void Emitter::make_entry(const EntryCode& r) {
  asmjit::BaseAssembler& a = assembler();
  allocation_ = r.allocation;
  code_ = r.code;
  burns_fuel_ = calls_ = false;
  for (const Inst& inst : r.allocation->insts) {
    burns_fuel_ |= static_cast<Op>(inst.op) == Op::BurnFuel;
    if (static_cast<Op>(inst.op) != Op::Call && static_cast<Op>(inst.op) != Op::CountFuel) continue;
    calls_ = true;
    call_words_ = inst.mem.displacement;
  }

  a.align(asmjit::AlignMode::kCode, 16);
  mark(ir::kNoAddress);
  labels_.clear();
  for (std::size_t b = 0; b < code_->blocks.size(); ++b) labels_.push_back(a.newLabel());
  next_group_ = a.newLabel();
  leave_ = a.newLabel();
  thunk_ = a.newLabel();
  stops_.clear();
  const Label group = a.newLabel();
  enter(r);
  find_targets();
  find_order();
  const auto first_cold =
      std::find_if(order_.begin(), order_.end(), [&](std::uint32_t b) { return code_->blocks[b].cold; });
  std::for_each(order_.begin(), first_cold, [&](std::uint32_t b) {
    if (b == 0) {
      a.align(asmjit::AlignMode::kCode, 32);
      a.bind(group);
      if (burns_fuel_) refuel();
    }
    block(b);
  });
  a.bind(next_group_);
  mark(ir::kNoAddress);
  if (r.loops_over_groups) advance(r, group);
  a.bind(leave_);
  leave();
  for (const Stop& s : stops_) {
    a.bind(s.label);
    note(offsetof(KernelArgs, status), static_cast<std::uint32_t>(s.status));
    note(offsetof(KernelArgs, guest_address), s.guest_address);
    if (s.status == KernelStatus::stopped) note(offsetof(KernelArgs, stop_reason), s.reason);
    jump(leave_);
  }
  std::for_each(first_cold, order_.end(), [&](std::uint32_t b) { block(b); });
  if (calls_) {
    mark(ir::kNoAddress);
    a.bind(thunk_);
    thunk();
  }
  subroutines();
  out_.statistics.spill_stores += r.allocation->spill_stores;
  out_.statistics.spill_loads += r.allocation->spill_loads;
  out_.statistics.rematerialized += r.allocation->rematerialized;
  out_.statistics.moves += r.allocation->moves;
}

void Emitter::find_order() {
  const auto count = static_cast<std::uint32_t>(code_->blocks.size());
  order_.clear();
  place_.resize(count);
  for (bool cold : {false, true})
    for (std::uint32_t b = 0; b < count; ++b) {
      if (code_->blocks[b].cold != cold || (b != 0 && target_[b] != b)) continue;
      place_[b] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(b);
    }
}

// Jumps to a block that only jumps go straight to its target, so that the block is not emitted.
void Emitter::find_targets() {
  target_.resize(code_->blocks.size());
  for (std::uint32_t b = static_cast<std::uint32_t>(code_->blocks.size()); b-- > 0;) {
    target_[b] = b;
    const std::uint32_t first = allocation_->block_first[b], end = allocation_->block_first[b + 1];
    if (end - first == 1 && static_cast<Op>(allocation_->insts[first].op) == Op::Jump &&
        code_->blocks[b].successors[0] > b)
      target_[b] = successor(b, 0);
  }
}

void Emitter::block(std::uint32_t b) {
  assembler().bind(labels_[b]);
  const std::uint32_t instructions = out_.statistics.instructions;
  const auto begin = static_cast<std::uint32_t>(assembler().offset());
  for (std::uint32_t i = allocation_->block_first[b]; i < allocation_->block_first[b + 1]; ++i) {
    const Inst& inst = allocation_->insts[i];
    if (inst.guest_address != address_) mark(inst.guest_address);
    if (options_.costs) note_cost(inst);
    instruction(b, inst);
  }
  if (code_->blocks[b].rare) out_.statistics.instructions = instructions;
  if (code_->blocks[b].cold) return;
  if (options_.costs) places_.push_back({b, begin, static_cast<std::uint32_t>(assembler().offset())});
  const auto clocks = clocks_by_operation(host_.target);
  for (std::uint32_t i = allocation_->block_first[b]; i < allocation_->block_first[b + 1]; ++i)
    out_.statistics.group_clocks += clocks[allocation_->insts[i].op];
}

void Emitter::note_cost(const Inst& inst) {
  const auto op = static_cast<Op>(inst.op);
  if (backend::costs(host_.target).empty() || (info(op).kind == OpKind::move && inst.def == inst.use[0]))
    return;
  out_.costs.push_back({static_cast<std::uint32_t>(assembler().offset()), clocks_of(host_.target, op),
                        latency_of(host_.target, op)});
}

void Emitter::mark(std::uint32_t guest_address) {
  address_ = guest_address;
  const auto offset = static_cast<std::uint32_t>(assembler().offset());
  if (!out_.map.empty() && out_.map.back().offset == offset)
    out_.map.back().guest_address = guest_address;
  else
    out_.map.push_back({offset, guest_address});
}

// True if block b falls through to `target`.
bool Emitter::falls_to(std::uint32_t b, std::uint32_t target) const {
  const std::size_t next = place_[b] + std::size_t{1};
  return next < order_.size() && order_[next] == target &&
         code_->blocks[target].cold == code_->blocks[b].cold;
}

void Emitter::jump_unless_next(std::uint32_t b, std::uint32_t target) {
  if (falls_to(b, target)) return;
  jump(labels_[target]);
  ++out_.statistics.instructions;
}

void Emitter::instruction(std::uint32_t b, const Inst& inst) {
  switch (static_cast<Op>(inst.op)) {
    case Op::Jump:
      return jump_unless_next(b, successor(b, 0));
    case Op::BranchScalar:
    case Op::BranchCompare:
    case Op::BranchCompare64:
    case Op::BranchBits:
    case Op::BranchMask:
    case Op::BranchUnlessAll:
    case Op::BranchUnlessBits: {
      const std::uint32_t if_true = successor(b, 0), if_false = successor(b, 1);
      if (falls_to(b, if_true)) return branch(inst, false, labels_[if_false]);
      branch(inst, true, labels_[if_true]);
      return jump_unless_next(b, if_false);
    }
    case Op::Switch:
      return switch_between(b, inst.use[0], 0, static_cast<std::uint32_t>(code_->blocks[b].successors.size()),
                            true);
    case Op::Return:
      if (place_[b] + 1 == order_.size() || code_->blocks[order_[place_[b] + 1]].cold) return;
      jump(next_group_);
      ++out_.statistics.instructions;
      return;
    case Op::BurnFuel: {
      const std::uint32_t used_up = successor(b, 0), goes_on = successor(b, 1);
      burn_fuel(labels_[used_up], stop_label(KernelStatus::cancelled, inst.guest_address));
      return jump_unless_next(b, goes_on);
    }
    case Op::CountFuel:
      call(static_cast<std::uint32_t>(inst.imm));
      return leave_if_stopped();
    case Op::StopIfAny:
      return jump_if_any(inst.use[0], stop_label(KernelStatus::stopped, inst.guest_address,
                                                 static_cast<std::uint32_t>(inst.imm)));
    case Op::Call:
      return call(static_cast<std::uint32_t>(inst.imm));
    default:
      break;
  }
  const OpKind k = info(static_cast<Op>(inst.op)).kind;
  if (k == OpKind::arithmetic) ++out_.statistics.vector_arithmetic;
  if (k == OpKind::operand) ++out_.statistics.vector_operands;
  if (k == OpKind::move && inst.def == inst.use[0]) return;
  encode(inst);
}

void Emitter::put_bytes(std::span<const std::uint8_t> bytes, const std::string& text) {
  if (options_.listing) out_.listing.push_back({static_cast<std::uint32_t>(assembler().offset()), text});
  assembler().embed(bytes.data(), bytes.size());
  ++out_.statistics.instructions;
}

// A tree of compares: successor min(index, count - 1). `last`: the block's code ends after it.
void Emitter::switch_between(std::uint32_t b, Reg index, std::uint32_t first, std::uint32_t end, bool last) {
  if (end - first == 1) {
    if (last) return jump_unless_next(b, successor(b, first));
    jump(labels_[successor(b, first)]);
    ++out_.statistics.instructions;
    return;
  }
  const std::uint32_t middle = first + (end - first) / 2;
  if (end - middle == 1) {
    jump_if_at_least(index, middle, labels_[successor(b, middle)]);
    return switch_between(b, index, first, middle, last);
  }
  const Label upper = assembler().newLabel();
  jump_if_at_least(index, middle, upper);
  switch_between(b, index, first, middle, false);
  assembler().bind(upper);
  switch_between(b, index, middle, end, last);
}

Emitter::Label Emitter::stop_label(KernelStatus status, std::uint32_t guest_address, std::uint32_t reason) {
  stops_.push_back({assembler().newLabel(), status, guest_address, reason});
  return stops_.back().label;
}

}  // namespace warpjit::backend
