#include "ir/analysis/lane_order.h"

#include <algorithm>
#include <array>

#include "ir/analysis/dominators.h"
#include "ir/analysis/loops.h"
#include "ir/function.h"

namespace warpjit::ir {
bool order_matters_in(const Function& f, Block b) {
  for (Inst i : f.insts(b)) {
    const OpcodeInfo& row = info(f.inst(i).opcode);
    if (row.writes || (row.convergent && row.family != Family::place)) return true;
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

// No structured form is known to keep the lowest address first for every graph (of random ones a few
// differed): where the order can be seen, the dispatcher gives it.
bool blocks_keep_lane_order(const Function& f, const Loops& loops) {
  if (f.lane_order != LaneOrder::lowest_address_first) return true;
  return std::ranges::none_of(loops.order(), [&](Block b) { return order_matters_in(f, b); });
}

}  // namespace warpjit::ir
