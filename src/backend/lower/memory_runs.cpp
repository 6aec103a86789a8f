// Which accesses make a run, and what a run becomes.
#include <algorithm>
#include <cstddef>

#include "backend/lower/definitions.h"
#include "backend/lower/memory_runs.h"

namespace warpjit::backend {

using ir::Element;
using ir::LaneShape;
using ir::MemoryAccess;
using ir::Opcode;
using ir::Space;
using ir::Value;
using lir::Reg;
using lir::Regs;

RunLowering::RunLowering(State& state, const HostParts& host, HostMemory& memory, WindowFields& windows,
                         CalloutLowering& callouts, DeferredChecks& checks, InstLowering& insts)
    : ValueForms(state),
      memory_(memory),
      masks_(host.masks),
      windows_(windows),
      callouts_(callouts),
      checks_(checks),
      insts_(insts),
      lane_guards_(state),
      lane_addresses_(state),
      stored_(state, memory),
      shapes_(f_),
      defined_in_run_(f_.inst_count(), 0) {}

ir::Inst RunLowering::lower_run(ir::Inst first) {
  const Run run = run_from(first);
  lower_run(run);
  return run.last;
}

std::uint32_t RunLowering::shared_phase() const {
  return static_cast<std::uint32_t>(std::max_element(phases_.begin(), phases_.end()) - phases_.begin()) * 16;
}

// True if anyone may read what is in shared memory after this instruction. The next block finds it anew.
bool RunLowering::reads_shared_behind(ir::Inst last) {
  if (f_.block_groups != 1) return true;
  if (reads_later_.empty()) find_reads_of_shared();
  const std::uint32_t block = f_.inst(last).block.id;
  return reads_later_[block] != 0 || last_read_[block] > place_[last.id];
}

void RunLowering::find_reads_of_shared() {
  reads_later_.resize(f_.block_count(), 0);
  last_read_.resize(f_.block_count(), 0);
  place_.resize(f_.inst_count(), 0);
  std::vector<ir::Block> pending;
  const auto come_from = [&](ir::Block b) {
    for (const ir::Block from : f_.block(b).predecessors)
      if (reads_later_[from.id] == 0) {
        reads_later_[from.id] = 1;
        pending.push_back(from);
      }
  };
  for (std::uint32_t b = 0; b < f_.block_count(); ++b) {
    std::uint32_t place = 0;
    for (ir::Inst i : f_.insts(ir::Block{b})) {
      const ir::InstData& data = f_.inst(i);
      place_[i.id] = ++place;
      if (data.opcode == Opcode::Barrier ||
          (family(data.opcode) == ir::Family::memory && data.opcode != Opcode::StoreMemory &&
           MemoryAccess::unpack(data.immediate).space == Space::shared))
        last_read_[b] = place;
    }
    if (last_read_[b] != 0) come_from(ir::Block{b});
  }
  while (!pending.empty()) {
    const ir::Block b = pending.back();
    pending.pop_back();
    come_from(b);
  }
}

// How the lanes of each vector have their addresses, if that is known and simple.
RunLowering::Arranged RunLowering::arranged(ir::Inst i) const {
  const ir::InstData& data = f_.inst(i);
  const bool load = data.opcode == Opcode::LoadMemory;
  if (!load && data.opcode != Opcode::StoreMemory) return Arranged::no;
  const MemoryAccess access = MemoryAccess::unpack(data.immediate);
  const LaneShape& shape = shapes_[operand(i, 1)];
  const Value guard = operand(i, 0);
  if (access.element != Element::word || access.space == Space::local || access.alignment < 4 ||
      access.offset % 4 != 0 || !shape.told || (is_constant(guard) && constant(guard) == 0))
    return Arranged::no;
  if (const ir::LaneSet* lanes = state_.lane_sets.find(guard); lanes != nullptr && lanes->none())
    return Arranged::no;
  if (shape.kind != LaneShape::Kind::exact &&
      (shape.kind != LaneShape::Kind::wrapped16 || access.space != Space::shared))
    return Arranged::no;
  const std::uint32_t step = shape.strides[0].coefficient;
  for (std::uint32_t k = 0; 1u << k < host_.lanes; ++k)
    if (shape.strides[k].factor.valid() || shape.strides[k].coefficient != step << k) return Arranged::no;
  if (step == 4 && access.alignment == 4) return Arranged::consecutive;
  if (step != 0 || !load) return Arranged::no;
  for (const LaneShape::Stride& stride : shape.strides)  // all lanes are aligned if the base is
    if (stride.coefficient % access.alignment != 0) return Arranged::no;
  return Arranged::equal;
}

// All lanes of the group have words side by side in shared memory, with such a guard.
bool RunLowering::can_narrow(ir::Inst i) const {
  const MemoryAccess access = MemoryAccess::unpack(f_.inst(i).immediate);
  const Value guard = operand(i, 0);
  if (access.space != Space::shared || access.extent != 4 || is_constant(guard) || !varying(guard) ||
      arranged(i) != Arranged::consecutive || !LaneGuards::bound(f_, guard))
    return false;
  const LaneShape& shape = shapes_[operand(i, 1)];
  for (std::uint32_t k = 0; 1u << k < parts_ * host_.lanes; ++k)
    if (shape.strides[k].factor.valid() || shape.strides[k].coefficient != 4u << k) return false;
  return true;
}

// From the access `first` on to the last one that is like it, with nothing but arithmetic between; and a bit
// beyond, where loads may become operands.
RunLowering::Run RunLowering::run_from(ir::Inst first) {
  Run run{first, first, {}, {}, {}, {}, {}};
  constexpr std::size_t kMostAccesses = 64, kMostBetween = 48;  // all of it is lowered twice
  const auto space_of = [&](ir::Inst i) {
    const MemoryAccess access = MemoryAccess::unpack(f_.inst(i).immediate);
    return MemoryWindows::number(access.space, access.index);
  };
  const std::uint32_t stamp = ++run_stamp_;
  std::size_t before = 0;
  const auto ready = [&](Value v) { return !v.valid() || defined_in_run_[f_.definition(v).id] != stamp; };
  std::size_t between = 0;
  for (ir::Inst i = first; run.accesses.size() < kMostAccesses && between <= kMostBetween;
       i = f_.inst(i).next, ++between) {
    const ir::InstData& data = f_.inst(i);
    const ir::OpcodeInfo& row = ir::info(data.opcode);
    if (arranged(i) != Arranged::no && space_of(i) == space_of(first)) {
      const LaneShape& shape = shapes_[operand(i, 1)];
      if (!ready(shape.base) || !std::all_of(shape.strides.begin(), shape.strides.end(),
                                             [&](const LaneShape::Stride& s) { return ready(s.factor); }))
        break;
      run.accesses.push_back(i);
      const bool apart = arranged(i) == Arranged::consecutive && !is_constant(operand(i, 0));
      const ir::LaneSet* lanes = apart ? state_.lane_sets.find(operand(i, 0)) : nullptr;
      run.lanes.push_back(lanes);
      const bool narrowed =
          lanes == nullptr && can_narrow(i) && ready(LaneGuards::bound(f_, operand(i, 0))->number);
      run.guards.push_back(narrowed ? operand(i, 0) : Value{});
      run.windows.push_back(windows_.place_of(MemoryAccess::unpack(data.immediate), operand(i, 1)));
      run.last = i;
      before = run.before.size();
      between = 0;
    } else if (!row.pure || row.callout || row.terminator || data.opcode == Opcode::LoadInput) {
      break;
    }
    const auto operands = f_.operands(i);
    if (ir::info(data.opcode).easy_to_repeat && !varying(data.first_result) &&
        std::all_of(operands.begin(), operands.end(), ready))
      run.before.push_back(i);
    else
      defined_in_run_[i.id] = stamp;
  }
  run.before.resize(before);
  constexpr int kBehind = 4;
  for (int n = 0; n < kBehind; ++n) {
    const ir::Inst next = f_.inst(run.last).next;
    const ir::OpcodeInfo& row = ir::info(f_.inst(next).opcode);
    if (!row.pure || row.callout || row.terminator || f_.inst(next).opcode == Opcode::LoadInput ||
        row.family == ir::Family::canonical_nan)  // a row of them is made as one
      break;
    run.last = next;
  }
  return run;
}

void RunLowering::lower_run(const Run& run) {
  for (ir::Inst i : run.before) insts_.lower(i);
  state_.guest_address = f_.inst(run.first).guest_address;
  std::vector<Span> spans;
  std::vector<Placed> placed;  // by access and part
  placed.reserve(run.accesses.size() * parts_);
  for (std::size_t n = 0; n < run.accesses.size(); ++n)
    for (std::uint32_t p = 0; p < parts_; ++p) placed.push_back(place(spans, run, n, p));

  Definitions made(state_);
  const ir::Inst behind = f_.inst(run.last).next;
  constexpr std::size_t kNoAccess = ~std::size_t{0};
  SmallVector<ir::Inst, 16> insts;
  SmallVector<std::size_t, 16> access_of;  // by instruction: its number among the accesses
  std::size_t before = 0, accesses = 0;
  for (ir::Inst i = run.first; i != behind; i = f_.inst(i).next) {
    if (before < run.before.size() && run.before[before] == i) {
      ++before;
      continue;
    }
    insts.push_back(i);
    const bool is_access = accesses < run.accesses.size() && run.accesses[accesses] == i;
    access_of.push_back(is_access ? accesses++ : kNoAccess);
    made.add(i);
  }

  const auto lower_all = [&](auto lower_access) {
    checks_.each({insts.data(), insts.size()}, [&](std::size_t n) {
      if (access_of[n] != kNoAccess)
        lower_access(insts[n], access_of[n]);
      else
        insts_.lower(insts[n]);
    });
    return made.registers();
  };
  const auto stores = [&](ir::Inst i) { return f_.inst(i).opcode == Opcode::StoreMemory; };
  const MemoryAccess first_access = MemoryAccess::unpack(f_.inst(run.first).immediate);
  const bool shared = first_access.space == Space::shared;
  const bool repeatable = std::none_of(run.accesses.begin(), run.accesses.end(), stores);

  const CacheState at_parting = cache_state();
  const bool flushing = state_.flushing;
  bool flushing_behind = flushing;
  lir::Edges ways_out;
  Regs begins, sizes;  // by span
  for (Span& span : spans) {
    const WindowFields::Window window = windows_.window_at(first_access, span.window);
    const auto field = [&](Op op, std::size_t place) { return windows_.load_field(op, window, place); };
    begins.push_back(window.shifted ? field(Op::SLoad, offsetof(MemoryWindow, address)) : lir::kNoReg);
    sizes.push_back(field(Op::SLoad, offsetof(MemoryWindow, limits)));  // for single bytes
    span.bytes = field(Op::SLoad64, offsetof(MemoryWindow, bytes));
  }
  for (std::size_t k = 0; k < spans.size(); ++k) check_span(spans[k], begins[k], sizes[k], ways_out);
  const Regs joined = hot_or_out(
      at_parting, ways_out,
      [&] {
        const auto all_inside = [&] {
          std::vector<StoredWords::Access> accesses;
          for (std::size_t n = 0; n < run.accesses.size(); ++n)
            accesses.push_back(stored_access(run.accesses[n], placed.data() + n * parts_));
          stored_.begin(std::move(accesses), !shared || reads_shared_behind(run.last));
          return lower_all(
              [&](ir::Inst i, std::size_t n) { access_inside(n, i, spans, placed.data() + n * parts_); });
        };
        Regs inside = repeatable ? checks_.lower({insts.data(), insts.size()}, all_inside) : all_inside();
        flushing_behind = state_.flushing;
        return inside;
      },
      [&] {
        state_.flushing = flushing;  // as where the ways part
        Regs anywhere = lower_all([&](ir::Inst i, std::size_t n) {
          access_anywhere(i, run.guards[n].valid() || (run.lanes[n] != nullptr && shared));
        });
        checks_.set_flushing(flushing_behind);
        return anywhere;
      });
  made.redefine(joined);
}

}  // namespace warpjit::backend
