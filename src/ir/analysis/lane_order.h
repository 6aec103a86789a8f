// The order in which lanes run that have parted, where something tells them: a property of a function
// (Function::lane_order) that passes keep.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/types.h"

namespace warpjit::ir {

class Function;
class Loops;

enum class LaneOrder : std::uint8_t {
  none,  // nothing tells which lanes run an instruction together, or in which order
  // The taken side of a branch first, until its lanes come to where the others wait or end. If two blocks
  // may run for different lanes, the one that the later edge of a branch leads to comes first.
  taken_first,
  // Always those at the lowest guest address, all lanes together that are there. A block stands at its guest
  // address; one without, that a pass has made, where it leads to. Each block in which the order matters
  // has an address of its own.
  lowest_address_first,
};
std::string_view name(LaneOrder order);

// True if the block has an instruction that tells which lanes run it together, or in which order.
bool order_matters_in(const Function& f, Block b);

// By block: its address in the order lowest_address_first, kNoAddress where it leads nowhere.
std::vector<std::uint32_t> waiting_addresses(const Function& f);

// True if each block, run once for all lanes that come to it, in the order of `loops`, keeps the order of
// lanes. taken_first: its frontend has seen to it. Shapes must be set, and each loop must have a way out.
bool blocks_keep_lane_order(const Function& f, const Loops& loops);

}  // namespace warpjit::ir
