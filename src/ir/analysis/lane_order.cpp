#include "ir/analysis/lane_order.h"

#include <algorithm>
#include <array>

#include "ir/analysis/dominators.h"
#include "ir/analysis/loops.h"
#include "ir/function.h"

namespace warpjit::ir {
namespace {

// A block that a pass has made: lanes in it are where it leads to.
bool is_way_to_another(const Function& f, Block b) {
  const std::uint32_t address = f.block(b).guest_address;
  if (address == kNoAddress) return !order_matters_in(f, b);
  for (Inst i : f.insts(b))
    if (const Opcode opcode = f.inst(i).opcode; opcode != Opcode::Phi && opcode != Opcode::Jump) return false;
  const Edges& targets = f.block(b).successors;
  return targets.size() == 1 && f.block(targets[0]).guest_address == address;
}

}  // namespace

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

// In this order, with addresses that never fall, the first block where lanes wait is the lowest one; whoever
// comes to it at all has come by then. A loop goes on until all have left, because its exits lie higher.
bool blocks_keep_lane_order(const Function& f, const Loops& loops) {
  if (f.lane_order != LaneOrder::lowest_address_first) return true;
  std::int64_t last = -1;
  for (Block b : loops.order()) {
    const std::uint32_t address = f.block(b).guest_address;
    if (is_way_to_another(f, b)) continue;
    if (address == kNoAddress || address <= last) return false;
    last = address;
  }
  return true;
}

}  // namespace warpjit::ir
