#include "ir/analysis/lane_order.h"

#include <algorithm>
#include <array>

#include "ir/analysis/dominators.h"
#include "ir/analysis/loops.h"
#include "ir/analysis/post_dominators.h"
#include "ir/function.h"

namespace warpjit::ir {
bool order_matters_in(const Function& f, Block b) {
  for (Inst i : f.insts(b)) {
    const OpcodeInfo& row = info(f.inst(i).opcode);
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

// Do lanes that part at the end of a block do nothing that is seen before they all are together again? They
// are if the block where they meet stands behind all that they may run on the way there.
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

}  // namespace

// No structured form is known to keep the lowest address first for every graph (of random ones a few
// differed): where lanes that parted do what is seen, the dispatcher gives it.
bool blocks_keep_lane_order(const Function& f, const Loops& loops) {
  if (f.lane_order != LaneOrder::lowest_address_first) return true;
  const std::vector<Block>& order = loops.order();
  if (std::ranges::none_of(order, [&](Block b) { return order_matters_in(f, b); })) return true;
  PartedLanes parted(f, loops);
  return std::ranges::all_of(order, [&](Block b) {
    const Inst end = f.terminator(b);
    const bool parts =
        f.inst(end).operand_count != 0 && f.value(f.operand(end, 0)).uniformity == Uniformity::varying;
    return !parts || parted.do_nothing_seen(b);
  });
}

}  // namespace warpjit::ir
