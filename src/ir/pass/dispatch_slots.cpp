#include "ir/pass/dispatch_slots.h"

#include <algorithm>
#include <bit>

namespace warpjit::ir {
namespace {

constexpr std::size_t kMostContents = std::size_t{1} << 22;  // blocks times webs: 16 MiB
constexpr unsigned kMostRounds = 4;

// Pairs of a block and the root of a web.
class Pairs {
 public:
  explicit Pairs(std::size_t count) : slots_(std::bit_ceil(2 * count + 16), kFree) {}

  bool contains(std::uint32_t block, std::uint32_t web) const {
    const std::uint64_t pair = std::uint64_t{block} << 32 | web;
    return slots_[place(pair)] == pair;
  }
  void insert(std::uint32_t block, std::uint32_t web) {
    const std::uint64_t pair = std::uint64_t{block} << 32 | web;
    std::uint64_t& slot = slots_[place(pair)];
    if (slot == pair) return;
    slot = pair;
    if (2 * ++used_ <= slots_.size()) return;
    std::vector<std::uint64_t> before(2 * slots_.size(), kFree);
    before.swap(slots_);
    for (std::uint64_t old : before)
      if (old != kFree) slots_[place(old)] = old;
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  // Where the pair is, or would be.
  std::size_t place(std::uint64_t pair) const {
    std::size_t at = (pair * 0x9e3779b97f4a7c15u >> 20) & (slots_.size() - 1);
    while (slots_[at] != kFree && slots_[at] != pair) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<std::uint64_t> slots_;
  std::size_t used_ = 0;
};

}  // namespace

DispatchSlots::DispatchSlots(const Function& f, std::span<const Block> order, std::uint32_t first)
    : f_(f),
      order_(order),
      number_(f.block_count(), kNone),
      needed_(f.value_count()),
      web_(f.value_count(), kNone) {
  for (std::uint32_t k = 0; k < order_.size(); ++k) number_[order_[k].id] = k;
  find_needed();
  unite_phis();
  number_webs();
  for (unsigned round = 0; webs_ != 0; ++round) {
    find_contents();
    if (!part_conflicts()) break;
    if (round == kMostRounds) {
      std::fill(web_.begin(), web_.end(), kNone);
      webs_ = 0;
    }
  }
  number_slots(first);
}

// Constants, and what is cheaper to make again than to keep, are not.
bool DispatchSlots::is_kept(Value v) const {
  return !f_.is_constant(v) && !info(f_.definition_of(v).opcode).free_to_repeat;
}

template <class Visit>
void DispatchSlots::for_each_write(Block b, const Visit& visit) const {
  for (Block target : f_.block(b).successors) {
    const auto index = static_cast<std::uint32_t>(f_.predecessor_index(target, b));
    for (Inst phi : f_.insts(target)) {
      if (f_.inst(phi).opcode != Opcode::Phi) break;
      visit(f_.result(phi), f_.operand(phi, index), target);
    }
  }
}

void DispatchSlots::find_needed() {
  for (Block b : order_) {
    const auto need = [&](Value v) {
      if (!is_local(v, b)) needed_[v.id] = 1;
    };
    for (Inst i : f_.insts(b)) {
      if (f_.inst(i).opcode == Opcode::Phi) {
        needed_[f_.result(i).id] = 1;
        continue;
      }
      for (Value v : f_.operands(i)) need(v);
    }
    for_each_write(b, [&](Value, Value operand, Block) { need(operand); });
  }
}

std::uint32_t DispatchSlots::root(std::uint32_t value) {
  while (parent_[value] != value) value = parent_[value] = parent_[parent_[value]];
  return value;
}

// Unites phis with their operands, but never two phis of one block.
void DispatchSlots::unite_phis() {
  const std::size_t count = f_.value_count();
  parent_.resize(count);
  for (std::uint32_t v = 0; v < count; ++v) parent_[v] = v;
  // For each root: how many phis its web has, and these as a list.
  std::vector<std::uint32_t> phis(count), last(parent_), next(count, kNone);
  std::size_t all = 0;
  const auto for_each_phi = [&](const auto& visit) {
    for (Block b : order_)
      for (Inst i : f_.insts(b)) {
        if (f_.inst(i).opcode != Opcode::Phi) break;
        visit(i);
      }
  };
  for_each_phi([&](Inst) { ++all; });
  Pairs places(all);
  for_each_phi([&](Inst i) {
    phis[f_.result(i).id] = 1;
    places.insert(f_.inst(i).block.id, f_.result(i).id);
  });
  const auto block_of = [&](std::uint32_t phi) { return f_.definition_of(Value{phi}).block.id; };
  for_each_phi([&](Inst i) {
    for (Value v : f_.operands(i)) {
      if (!is_kept(v)) continue;
      std::uint32_t more = root(f_.result(i).id), fewer = root(v.id);
      if (more == fewer) continue;
      if (phis[more] < phis[fewer]) std::swap(more, fewer);
      if (phis[fewer] != 0) {
        bool meet = false;
        for (std::uint32_t phi = fewer; phi != kNone && !meet; phi = next[phi])
          meet = places.contains(block_of(phi), more);
        if (meet) continue;
        for (std::uint32_t phi = fewer; phi != kNone; phi = next[phi]) places.insert(block_of(phi), more);
        next[last[more]] = fewer;
        last[more] = last[fewer];
        phis[more] += phis[fewer];
      }
      parent_[fewer] = more;
    }
  });
}

// The largest ones, if there are very many.
void DispatchSlots::number_webs() {
  std::vector<std::uint32_t> size(f_.value_count()), roots;
  for (std::uint32_t v = 0; v < size.size(); ++v)
    if (++size[root(v)] == 2) roots.push_back(root(v));
  std::ranges::stable_sort(roots, [&](std::uint32_t a, std::uint32_t b) { return size[a] > size[b]; });
  roots.resize(std::min(roots.size(), kMostContents / order_.size()));
  webs_ = roots.size();
  std::fill(size.begin(), size.end(), kNone);
  for (std::uint32_t w = 0; w < webs_; ++w) size[roots[w]] = w;
  for (std::uint32_t v = 0; v < web_.size(); ++v) web_[v] = size[root(v)];
}

// Which value of each web its slot holds where each block begins, after the phis.
void DispatchSlots::find_contents() {
  definitions_.assign(order_.size(), {});
  for (std::uint32_t k = 0; k < order_.size(); ++k)
    for (Inst i : f_.insts(order_[k])) {
      if (f_.inst(i).opcode == Opcode::Phi) continue;
      for (std::uint32_t r = 0; r < f_.inst(i).result_count; ++r)
        if (const Value v = f_.result(i, r); web_[v.id] != kNone)
          definitions_[k].push_back({web_[v.id], v.id});
    }
  contents_.assign(order_.size() * webs_, kUnknown);
  std::vector<std::uint32_t> meeting(webs_), arriving(webs_);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t k = 0; k < order_.size(); ++k) {
      const Block b = order_[k];
      std::fill(meeting.begin(), meeting.end(), k == 0 ? kMixed : kUnknown);
      for (Block p : f_.block(b).predecessors) {
        if (number_[p.id] == kNone) continue;
        std::ranges::copy(row(p), arriving.begin());
        for (const Definition& d : definitions_[number_[p.id]]) arriving[d.web] = d.value;
        for (std::size_t w = 0; w < webs_; ++w) {
          const std::uint32_t here = meeting[w], there = arriving[w];
          meeting[w] = here == there || there == kUnknown ? here : here == kUnknown ? there : kMixed;
        }
      }
      for (Inst i : f_.insts(b)) {
        if (f_.inst(i).opcode != Opcode::Phi) break;
        if (const Value phi = f_.result(i); web_[phi.id] != kNone) meeting[web_[phi.id]] = phi.id;
      }
      if (std::ranges::equal(meeting, row(b))) continue;
      std::ranges::copy(meeting, row(b).begin());
      changed = true;
    }
  }
}

// Values that are read where their slot may hold another one become alone. True if there were any.
bool DispatchSlots::part_conflicts() {
  bool found = false;
  std::vector<std::uint32_t> at_end(webs_);
  std::vector<Value> conflicts;
  for (Block b : order_) {
    const std::span<const std::uint32_t> at_begin = row(b);
    const auto read = [&](Value v) {
      if (web_[v.id] != kNone && !is_local(v, b) && at_begin[web_[v.id]] != v.id) conflicts.push_back(v);
    };
    for (Inst i : f_.insts(b)) {
      if (f_.inst(i).opcode == Opcode::Phi) continue;
      for (Value v : f_.operands(i)) read(v);
    }
    std::ranges::copy(at_begin, at_end.begin());
    for (const Definition& d : definitions_[number_[b.id]]) at_end[d.web] = d.value;
    for_each_write(b, [&](Value phi, Value operand, Block) {
      const std::uint32_t web = web_[operand.id];
      if (web == kNone || (web == web_[phi.id] && at_end[web] == operand.id)) return;
      read(operand);
    });
  }
  for (Value v : conflicts) {
    found = true;
    web_[v.id] = kNone;
  }
  return found;
}

void DispatchSlots::number_slots(std::uint32_t first) {
  first_ = first;
  end_ = first + static_cast<std::uint32_t>(webs_);
  slot_.assign(f_.value_count(), kNone);
  for (Block b : order_)
    for (Inst i : f_.insts(b))
      for (std::uint32_t r = 0; r < f_.inst(i).result_count; ++r) {
        const Value v = f_.result(i, r);
        if (web_[v.id] != kNone)
          slot_[v.id] = first + web_[v.id];
        else if (needed_[v.id] != 0 && is_kept(v))
          slot_[v.id] = end_++;
      }
}

Value DispatchSlots::at_begin(Block b, std::uint32_t slot) const {
  if (slot == kNone || slot - first_ >= webs_) return {};
  const std::uint32_t value = contents_[number_[b.id] * webs_ + (slot - first_)];
  return value >= kMixed ? Value{} : Value{value};
}

}  // namespace warpjit::ir
