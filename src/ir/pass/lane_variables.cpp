#include "ir/pass/lane_variables.h"

#include <algorithm>

namespace warpjit::ir {

void LaneVariables::declare(Block b, bool own_mask) {
  Variables& variables = blocks_[b.id];
  variables.own_mask = own_mask;
  variables.first_type = static_cast<std::uint32_t>(types_.size());
  if (own_mask) types_.push_back(Type::i1);
  for (Inst i : f_.insts(b)) {
    if (f_.inst(i).opcode != Opcode::Phi) break;
    types_.push_back(f_.inst(i).phi_type);
  }
  variables.count = static_cast<std::uint32_t>(types_.size()) - variables.first_type;
}

Type LaneVariables::type(Block b, std::uint32_t index) const {
  return types_[blocks_[b.id].first_type + index];
}

void LaneVariables::enter(Block b) {
  way_.clear();
  shared_ = static_cast<std::uint32_t>(elements_.size());
  if (blocks_[b.id].first_arrival == kNone) return;  // the entry
  const Arrival& first = first_arrival(b);
  way_.assign(pending_.begin() + first.first, pending_.begin() + first.first + first.count);
  if (first.next == kNone) return;
  for (std::uint32_t a = first.next; a != kNone; a = arrivals_[a].next)
    for (std::uint32_t k = 0; k < arrivals_[a].count; ++k) way_.push_back(pending_[arrivals_[a].first + k]);
  std::stable_sort(way_.begin(), way_.end(), [&](const Pending& x, const Pending& y) {
    return loops_.position(x.target) < loops_.position(y.target);
  });
  way_.erase(std::unique(way_.begin(), way_.end(),
                         [](const Pending& x, const Pending& y) { return x.target == y.target; }),
             way_.end());
  places_.clear();  // in each arrival: the first pending block that does not come before
  for (std::uint32_t a = blocks_[b.id].first_arrival; a != kNone; a = arrivals_[a].next)
    places_.push_back(arrivals_[a].first);
  for (Pending& pending : way_) {
    const std::uint32_t number = count(pending.target), position = loops_.position(pending.target);
    const auto merged = static_cast<std::uint32_t>(elements_.size());
    elements_.resize(elements_.size() + number);
    std::size_t way = 0;
    for (std::uint32_t a = blocks_[b.id].first_arrival; a != kNone; a = arrivals_[a].next, ++way)
      while (places_[way] != arrivals_[a].first + arrivals_[a].count &&
             loops_.position(pending_[places_[way]].target) < position)
        ++places_[way];
    for (std::uint32_t k = 0; k < number; ++k) {
      arriving_.clear();
      way = 0;
      for (std::uint32_t a = blocks_[b.id].first_arrival; a != kNone; a = arrivals_[a].next, ++way) {
        const bool waits = places_[way] != arrivals_[a].first + arrivals_[a].count &&
                           pending_[places_[way]].target == pending.target;
        arriving_.push_back(waits ? elements_[pending_[places_[way]].first + k] : Mask{});
      }
      elements_[merged + k] = merge(b, type(pending.target, k), arriving_);
    }
    pending.first = merged;
  }
}

bool LaneVariables::always_populated(Block b) const {
  for (std::uint32_t a = blocks_[b.id].first_arrival; a != kNone; a = arrivals_[a].next)
    if (!arrivals_[a].populated) return false;
  return true;
}

Mask LaneVariables::own(Block b, std::uint32_t index, Type type) {
  arriving_.clear();
  for (std::uint32_t a = blocks_[b.id].first_arrival; a != kNone; a = arrivals_[a].next)
    arriving_.push_back(elements_[arrivals_[a].own + index]);
  return merge(b, type, arriving_);
}

Mask LaneVariables::merge(Block b, Type type, std::span<const Mask> arriving) {
  if (std::all_of(arriving.begin(), arriving.end(), [&](const Mask& m) { return m == arriving[0]; }))
    return arriving[0];
  operands_.clear();
  std::uint32_t k = 0;
  for (std::uint32_t a = blocks_[b.id].first_arrival; a != kNone; a = arrivals_[a].next, ++k) {
    if (arriving[k].negated) builder_.set_before(f_.terminator(arrivals_[a].from));
    operands_.push_back(definite(arriving[k], type));
  }
  return {new_phi(b, type, operands_), false};
}

Value LaneVariables::definite(Mask element, Type type) {
  if (element.none()) return f_.constant_value(type, 0);
  return element.negated ? Value(masks_.value(element)) : element.value;
}

Value LaneVariables::new_phi(Block b, Type type, std::span<const Value> operands) {
  const Inst phi = f_.make(Opcode::Phi, operands, 0, type);
  f_.insert_front(b, phi);
  return f_.result(phi);
}

void LaneVariables::go_back(const Way& way) {
  way_ = way;
  shared_ = static_cast<std::uint32_t>(elements_.size());
}

LaneVariables::Pending LaneVariables::take_first() {
  const Pending first = way_.front();
  way_.erase(way_.begin());
  return first;
}

void LaneVariables::arrive(Block from, const Pending& at, bool populated) {
  const auto id = static_cast<std::uint32_t>(arrivals_.size());
  arrivals_.push_back({from, static_cast<std::uint32_t>(pending_.size()),
                       static_cast<std::uint32_t>(way_.size()), at.first, populated, kNone});
  pending_.insert(pending_.end(), way_.begin(), way_.end());
  Variables& target = blocks_[at.target.id];
  (target.first_arrival == kNone ? target.first_arrival : arrivals_[target.last_arrival].next) = id;
  target.last_arrival = id;
}

std::uint32_t LaneVariables::writable(Block target) {
  auto at = way_.begin();
  while (at != way_.end() && loops_.position(at->target) < loops_.position(target)) ++at;
  const bool known = at != way_.end() && at->target == target;
  if (known && at->first >= shared_) return at->first;
  const auto first = static_cast<std::uint32_t>(elements_.size());
  if (known) {
    for (std::uint32_t k = 0; k < count(target); ++k) {
      const Mask element = elements_[at->first + k];
      elements_.push_back(element);
    }
    at->first = first;
  } else {
    elements_.resize(elements_.size() + count(target));
    way_.insert(at, {target, first});
  }
  return first;
}

Mask LaneVariables::pending(Block target, std::uint32_t index) const {
  const auto found =
      std::find_if(way_.begin(), way_.end(), [&](const Pending& p) { return p.target == target; });
  return elements_[found->first + index];
}

}  // namespace warpjit::ir
