#include "ir/pass/barrier_values.h"

#include <algorithm>

#include "ir/analysis/dominators.h"
#include "ir/analysis/liveness.h"
#include "ir/analysis/loops.h"

namespace warpjit::ir {
namespace {

// The most loads and stores at all barriers together, and the most rows of variables that
// SSA construction keeps.
constexpr std::uint64_t kMostKept = std::uint64_t{1} << 18, kMostRows = std::uint64_t{1} << 24;

}  // namespace

Result<BarrierValues> BarrierValues::find(const Function& f, const std::vector<Block>& order,
                                          std::uint32_t first_slot) {
  BarrierValues made(f, first_slot);
  made.find_remade(order);
  WARPJIT_CHECK(made.find_crossing(order));
  made.find_slots();
  return made;
}

// What is kept of a value: words have one type in the frame.
Value BarrierValues::kept(Value v) const {
  while (is_cast(v)) v = f_->operand(f_->definition(v), 0);
  return v;
}

void BarrierValues::find_remade(const std::vector<Block>& order) {
  remake_cost_.assign(f_->value_count(), kMaxRemakeCost + 1);
  for (Block b : order)
    for (Inst i : f_->insts(b)) {
      const InstData& data = f_->inst(i);
      if (data.result_count != 1 || data.opcode == Opcode::Phi) continue;
      std::uint32_t& cost = remake_cost_[data.first_result.id];
      const OpcodeInfo& row = info(data.opcode);
      if (row.free_to_repeat) {
        cost = 0;
      } else if (row.easy_to_repeat) {
        std::uint32_t sum = 1;
        for (Value operand : f_->operands(i)) sum += remake_cost_[operand.id];
        cost = std::min(sum, kMaxRemakeCost + 1);
      }
    }
}

Status BarrierValues::find_crossing(const std::vector<Block>& order) {
  const Error too_much{ErrorCode::resource_limit, "groups keep too much at barriers", f_->name};
  variable_.assign(f_->value_count(), kNone);
  place_.assign(f_->value_count(), kNone);
  const Liveness liveness(*f_);
  std::uint64_t sum = 0;
  for (Block b : order) {
    std::vector<Inst> barriers;
    for (Inst i : f_->insts(b))
      if (f_->inst(i).opcode == Opcode::Barrier && BarrierForm::unpack(f_->inst(i).immediate).waits)
        barriers.push_back(i);
    if (barriers.empty()) continue;
    const std::size_t first = stops_.size();
    find_stops(b, barriers, liveness);
    for (std::size_t k = first; k < stops_.size(); ++k) sum += stops_[k].live.size();
    if (sum > kMostKept) return too_much;
  }
  for (const Stop& stop : stops_)
    for (Value v : stop.live)
      if (variable_[v.id] == kNone) {
        variable_[v.id] = static_cast<std::uint32_t>(types_.size());
        types_.push_back(f_->value(v).type);
      }
  if (types_.size() * std::uint64_t{order.size() + 2 * stops_.size()} > kMostRows) return too_much;
  return {};
}

// One block, from its end backward.
void BarrierValues::find_stops(Block b, const std::vector<Inst>& barriers, const Liveness& liveness) {
  std::vector<Value> live;
  const auto add = [&](Value v) {
    if (place_[v.id] != kNone) return;
    place_[v.id] = static_cast<std::uint32_t>(live.size());
    live.push_back(v);
  };
  const auto remove = [&](Value v) {
    if (place_[v.id] == kNone) return;
    place_[live.back().id] = place_[v.id];
    live[place_[v.id]] = live.back();
    live.pop_back();
    place_[v.id] = kNone;
  };
  for (Value v : liveness.live_out(b)) add(kept(v));
  std::size_t left = barriers.size();
  const std::size_t first = stops_.size();
  for (Inst i = f_->block(b).last; i.valid(); i = f_->inst(i).previous) {
    const InstData& data = f_->inst(i);
    for (std::uint32_t k = 0; k < data.result_count; ++k) remove(f_->result(i, k));
    if (left != 0 && i == barriers[left - 1]) {
      --left;
      Stop stop{i};
      for (Value v : live)
        if (!remade(v)) stop.live.push_back(v);
      std::sort(stop.live.begin(), stop.live.end());
      stops_.push_back(std::move(stop));
    }
    if (data.opcode != Opcode::Phi)
      for (Value v : f_->operands(i)) add(kept(v));
  }
  for (Value v : live) place_[v.id] = kNone;
  std::reverse(stops_.begin() + static_cast<std::ptrdiff_t>(first), stops_.end());
}

// Each value has its own slot, and is stored once, where it is made; not where that is in a loop without
// barriers, nor if there are very many: then values are stored at barriers.
void BarrierValues::find_slots() {
  constexpr std::size_t kMostSlots = 256;
  slot_.assign(f_->value_count(), kNone);
  std::size_t most = 0;
  for (const Stop& stop : stops_) most = std::max(most, stop.live.size());
  const bool own = types_.size() <= kMostSlots;
  frame_slots_ = first_slot_ + static_cast<std::uint32_t>(own ? types_.size() : most);
  if (!own) return;
  const Dominators dominators(*f_);
  const Loops loops(*f_, dominators);
  std::vector<char> stops(loops.loops().size(), 0);  // true if a barrier is in the loop
  for (const Stop& stop : stops_)
    for (std::uint32_t loop = loops.innermost(f_->inst(stop.barrier).block); loop != Loops::kNone;
         loop = loops.loop(loop).parent)
      stops[loop] = 1;
  stored_where_made_.assign(f_->value_count(), 0);
  for (const Stop& stop : stops_)
    for (Value v : stop.live) {
      slot_[v.id] = first_slot_ + variable_[v.id];
      const std::uint32_t loop = loops.innermost(f_->definition_of(v).block);
      stored_where_made_[v.id] = loops.reducible() && (loop == Loops::kNone || stops[loop] != 0);
    }
}

}  // namespace warpjit::ir
