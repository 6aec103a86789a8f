#include "backend/emit/loop_costs.h"

#include <algorithm>
#include <unordered_map>

#include "backend/cost.h"

namespace warpjit::backend {
namespace {

using lir::Inst;
using lir::Mem;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

constexpr std::size_t at(Bound bound) { return static_cast<std::size_t>(bound); }

// Follows when operations end, if nothing but operands and the window, if it counts, holds them up.
class Waiting {
 public:
  Waiting(const Host& host, const EntryCode& entry, bool window)
      : host_(host), entry_(entry), window_(window) {
    for (auto& registers : ready_) registers.assign(lir::kMaxRegisters, 0);
  }

  void turn(std::span<const BlockPlace> places) {
    const std::vector<std::uint32_t>& first = entry_.allocation->block_first;
    for (const BlockPlace& place : places)
      for (std::uint32_t i = first[place.block]; i < first[place.block + 1]; ++i) operation(i);
  }
  double latest() const { return latest_; }

 private:
  RegClass class_of_use(std::uint32_t i, std::uint32_t k) const {
    const std::uint32_t origin = entry_.allocation->origin[i];
    if (origin == lir::kInserted) return class_of_def(entry_.allocation->insts[i]);
    const Reg use = entry_.code->insts[origin].use[k];
    return use == lir::kNoReg ? RegClass::scalar : entry_.code->classes[use];
  }
  RegClass class_of_def(const Inst& inst) const {
    return inst.virtual_def == lir::kNoReg ? RegClass::vector : entry_.code->classes[inst.virtual_def];
  }
  // True if it is the same word in each turn.
  static bool has_place(const Mem& mem) {
    return mem.base == MemBase::spill || mem.base == MemBase::frame || mem.base == MemBase::table;
  }
  double& place(const Mem& mem) {
    return places_[static_cast<std::int64_t>(mem.base) << 32 | static_cast<std::uint32_t>(mem.displacement)];
  }

  void operation(std::uint32_t i) {
    const Inst& inst = entry_.allocation->insts[i];
    const OpInfo& row = info(static_cast<Op>(inst.op));
    double begin = 0, address = 0;
    for (std::uint32_t k = 0; k < inst.use_count; ++k) {
      if (inst.use[k] == lir::kNoReg) continue;
      const double ready = ready_[static_cast<std::size_t>(class_of_use(i, k))][inst.use[k]];
      const bool in_address =
          inst.mem.base != MemBase::none &&
          ((inst.mem.base == MemBase::reg && inst.mem.base_use == k) || inst.mem.index_use == k);
      (in_address ? address : begin) = std::max(in_address ? address : begin, ready);
    }
    const bool loads = inst.mem.base != MemBase::none && !row.writes && !row.takes_address;
    if (loads) address += kLoadLatency;
    if (loads && has_place(inst.mem)) address = std::max(address, place(inst.mem));
    begin = std::max(begin, address);
    if (window_) {
      issued_ = std::max(issued_ + 1 / kIssue, ended_[operation_ % kReorderWindow]);
      begin = std::max(begin, issued_);
    }
    if (row.writes && has_place(inst.mem)) place(inst.mem) = begin + kForwardLatency;
    double end = begin;
    if (inst.def != lir::kNoReg) {
      end += latency_of(host_.target, static_cast<Op>(inst.op));
      ready_[static_cast<std::size_t>(class_of_def(inst))][inst.def] = end;
    }
    latest_ = std::max(latest_, end);
    ended_[operation_++ % kReorderWindow] = latest_;
  }

  const Host& host_;
  const EntryCode& entry_;
  const bool window_;
  std::array<std::vector<double>, lir::kClassCount> ready_;
  std::unordered_map<std::int64_t, double> places_;  // when stored words can be loaded
  std::array<double, kReorderWindow> ended_{};  // of the operations before: when it and all before it ended
  std::size_t operation_ = 0;
  double issued_ = 0, latest_ = 0;
};

// The clocks of a turn among many.
double clocks_of_turn(Waiting waiting, std::span<const BlockPlace> places) {
  constexpr int kFirst = 4, kTurns = 12;  // those before the first do not count
  double before = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    if (turn == kFirst) before = waiting.latest();
    waiting.turn(places);
  }
  return (waiting.latest() - before) / (kTurns - kFirst);
}

LoopCost cost_of(const Host& host, const EntryCode& entry, std::span<const BlockPlace> places) {
  LoopCost cost;
  cost.begin = places.front().begin;
  cost.end = places.back().end;
  const std::vector<std::uint32_t>& first = entry.allocation->block_first;
  const double ports = vector_ports(host.target);
  const auto add = [&](Bound bound, double clocks) { cost.clocks[at(bound)] += clocks; };
  for (const BlockPlace& place : places)
    for (std::uint32_t i = first[place.block]; i < first[place.block + 1]; ++i) {
      const Inst& inst = entry.allocation->insts[i];
      const auto op = static_cast<Op>(inst.op);
      const OpInfo& row = info(op);
      if (row.kind == OpKind::move && inst.def == inst.use[0]) continue;
      ++cost.operations;
      add(Bound::issue, 1 / kIssue);
      const double clocks = clocks_of(host.target, op);
      const bool in_memory = inst.mem.base != MemBase::none && !row.takes_address;
      if (row.writes) {
        add(Bound::stores, std::max(clocks, clocks_of(host.target, Op::StoreFull)));
      } else if (in_memory || row.reads) {
        const double load = clocks_of(host.target, Op::LoadFull);
        add(Bound::loads, row.reads ? std::max(clocks, load) : load);
      }
      const Unit unit = unit_of(op);
      if (unit == Unit::none) continue;
      add(Bound::vectors, 1 / ports);
      if (unit == Unit::multiplier) add(Bound::multiplications, clocks);
      if (unit == Unit::adder)
        add(adds_where_it_multiplies() ? Bound::multiplications : Bound::additions, clocks);
      if (unit == Unit::shuffler) add(Bound::shuffles, clocks);
    }
  cost.clocks[at(Bound::chain)] = clocks_of_turn(Waiting(host, entry, false), places);
  // The window takes all of the others' time, too: it counts where that is more.
  const double window = clocks_of_turn(Waiting(host, entry, true), places);
  if (window > 1.02 * std::max(cost.clocks[at(Bound::chain)], cost.clocks[at(Bound::issue)]))
    cost.clocks[at(Bound::window)] = window;
  return cost;
}

}  // namespace

std::string_view name(Bound bound) {
  constexpr std::array<std::string_view, kBoundCount> kNames = {
      "issue", "vectors", "multiplications", "additions", "shuffles", "loads", "stores", "chain", "window"};
  return kNames[at(bound)];
}

Bound LoopCost::bound() const {
  return static_cast<Bound>(std::max_element(clocks.begin(), clocks.end()) - clocks.begin());
}

std::vector<LoopCost> loop_costs(const Host& host, const EntryCode& entry,
                                 std::span<const BlockPlace> places) {
  // The last place from which control goes back to each.
  std::vector<std::uint32_t> last(places.size(), 0), place_of(entry.code->blocks.size(), lir::kNoBlock);
  for (std::uint32_t p = 0; p < places.size(); ++p) place_of[places[p].block] = p;
  std::vector<bool> begins(places.size());
  for (std::uint32_t p = 0; p < places.size(); ++p)
    for (const std::uint32_t successor : entry.code->blocks[places[p].block].successors)
      if (const std::uint32_t q = place_of[successor]; q <= p) begins[q] = true, last[q] = p;
  std::vector<LoopCost> costs;
  if (entry.loops_over_groups && !places.empty()) costs.push_back(cost_of(host, entry, places));
  for (std::uint32_t p = 0; p < places.size(); ++p)
    if (begins[p]) costs.push_back(cost_of(host, entry, places.subspan(p, last[p] - p + 1)));
  for (LoopCost& loop : costs)
    loop.depth = static_cast<std::uint32_t>(std::ranges::count_if(costs, [&](const LoopCost& around) {
      return &around < &loop && around.begin <= loop.begin && loop.end <= around.end;
    }));
  return costs;
}

}  // namespace warpjit::backend
