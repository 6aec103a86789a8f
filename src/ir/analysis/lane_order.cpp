#include "ir/analysis/lane_order.h"

#include <algorithm>
#include <array>

#include "ir/analysis/dominators.h"
#include "ir/analysis/loops.h"
#include "ir/analysis/post_dominators.h"
#include "ir/function.h"

namespace warpjit::ir {
namespace {

// True if the level of detail of a sample comes from other lanes.
bool looks_at_quads(const Function& f, Inst sample) {
  const SampleUse use = SampleUse::unpack(f.inst(sample).immediate);
  if (!f.pixels && !use.from_quad) return false;
  if (use.operation == SampleOperation::query_lod) return true;
  return (use.operation == SampleOperation::automatic || use.operation == SampleOperation::bias) &&
         f.samples[use.source].key.needs_lod();
}

}  // namespace

bool order_matters_in(const Function& f, Block b) {
  for (Inst i : f.insts(b)) {
    const OpcodeInfo& row = info(f.inst(i).opcode);
    if (f.inst(i).opcode == Opcode::Sample) {
      if (looks_at_quads(f, i)) return true;
      continue;
    }
    if (row.writes || (row.convergent && !row.pure)) return true;
  }
  return false;
}

std::string_view name(LaneOrder order) {
  constexpr std::array<std::string_view, 3> kNames = {"none", "taken_first", "lowest_address_first"};
  return kNames[static_cast<std::size_t>(order)];
}

std::vector<std::uint32_t> waiting_addresses(const Function& f) {
  std::vector<std::uint32_t> addresses(f.block_count(), kNoAddress);
  const std::vector<Block> order = reverse_postorder(f);
  for (std::size_t k = order.size(); k-- > 0;) {
    const BlockData& block = f.block(order[k]);
    std::uint32_t& address = addresses[order[k].id];
    address = block.guest_address;
    if (address != kNoAddress) continue;
    // Over a back edge the target's own address is all there is.
    for (Block s : block.successors) address = std::min({address, addresses[s.id], f.block(s).guest_address});
  }
  return addresses;
}

namespace {

// Tells whether lanes that part at the end of a block do nothing that is seen before they all are together
// again. They are if the block where they meet stands after all that they may run on the way there.
class PartedLanes {
 public:
  PartedLanes(const Function& f, const Loops& loops)
      : f_(f), turns_(f, loops), addresses_(waiting_addresses(f)), seen_for_(f.block_count()) {}

  bool do_nothing_seen(Block parting) {
    const Block meeting = turns_.immediate(parting);
    const std::uint32_t behind = meeting.valid() ? addresses_[meeting.id] : kNoAddress;
    to_visit_.clear();
    enter_targets(parting, parting, meeting);
    while (!to_visit_.empty()) {
      const Block b = to_visit_.back();
      to_visit_.pop_back();
      if (++visits_ > kMostVisits || order_matters_in(f_, b) || addresses_[b.id] >= behind) return false;
      enter_targets(b, parting, meeting);
    }
    return true;
  }

 private:
  static constexpr std::size_t kMostVisits = 1 << 16;

  void enter_targets(Block b, Block parting, Block meeting) {
    for (Block s : f_.block(b).successors) {
      if (s == meeting || seen_for_[s.id] == parting) continue;
      seen_for_[s.id] = parting;
      to_visit_.push_back(s);
    }
  }

  const Function& f_;
  const PostDominators turns_;
  const std::vector<std::uint32_t> addresses_;
  std::vector<Block> seen_for_;  // per block: the parting that it was visited for last
  std::vector<Block> to_visit_;
  std::size_t visits_ = 0;
};

// True if blocks are in the order of their addresses, and each loop goes back only from its last block.
// Then lanes at the lowest address are always those that the order comes to next: they wait for no others,
// and others only come after them.
bool in_address_order(const Function& f, const Loops& loops) {
  const std::vector<std::uint32_t> addresses = waiting_addresses(f);
  const std::vector<Block>& order = loops.order();
  std::uint32_t before = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Block b = order[k];
    const BlockData& data = f.block(b);
    if (data.successors.size() == 1) {
      const bool goes_on = loops.position(data.successors[0]) > k;
      // From where nothing is seen lanes go on to a higher address and wait there: it does not matter when.
      const bool upward = addresses[b.id] <= addresses[data.successors[0].id];
      if (goes_on && upward && !order_matters_in(f, b)) continue;
      // A block after the last one of a loop, which only goes back, belongs to that one.
      const bool only_jumps = data.first == data.last;
      if (!goes_on && only_jumps && data.predecessors.size() == 1 && k != 0 &&
          data.predecessors[0] == order[k - 1])
        continue;
    }
    if (addresses[b.id] < before) return false;
    before = addresses[b.id];
  }
  for (const Loops::Loop& loop : loops.loops())
    for (std::uint32_t at = loop.first; at + 1 < loop.end; ++at)
      for (const Block s : f.block(order[at]).successors)
        if (s == loop.header) return false;
  return true;
}

}  // namespace

// Where neither holds, no structured form is known that keeps the lowest address first for every graph: the
// dispatcher gives it.
bool blocks_keep_lane_order(const Function& f, const Loops& loops) {
  if (f.lane_order != LaneOrder::lowest_address_first) return true;
  const std::vector<Block>& order = loops.order();
  if (std::ranges::none_of(order, [&](Block b) { return order_matters_in(f, b); })) return true;
  if (in_address_order(f, loops)) return true;
  PartedLanes parted(f, loops);
  return std::ranges::all_of(order, [&](Block b) {
    const Inst end = f.terminator(b);
    const bool parts =
        f.inst(end).operand_count != 0 && f.value(f.operand(end, 0)).uniformity == Uniformity::varying;
    return !parts || parted.do_nothing_seen(b);
  });
}

}  // namespace warpjit::ir
