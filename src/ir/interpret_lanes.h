// The inner loop of the IR interpreter: one switch per operation, one loop over lanes each.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/fuel.h"
#include "ir/interpret.h"

namespace warpjit::ir {

// What one group needs besides its frame.
struct GroupContext {
  const Interpreter::Operation* operations;
  const std::uint32_t* lists;
  const InputBinding* inputs;
  const OutputBinding* outputs;
  std::uint32_t* uniform;
  const std::atomic<std::uint32_t>* cancel;
  std::uint32_t first_slot;    // word offset
  std::uint64_t first_thread;  // of this group; SetGroup changes it
  std::uint32_t lanes;         // of the group
  std::uint32_t active;        // lanes that are threads: 1 .. lanes
  std::int64_t fuel;           // group_fuel
  FuelCounts* fuel_counts;
  bool inner;   // a call runs several groups, which share `fuel`
  bool blocks;  // groups belong to blocks; else each in its turn has all local memory
  BlockMemory* block;
  std::uint32_t* block_frame;
  std::uint32_t frame_slots;  // of a group
  std::uint32_t group_lanes;  // of LaneIndex and GroupIndex
  const pixels::QuadRecord* quads;
  const pixels::GroupRecord* groups;
  std::byte* tile;
  std::uint32_t record_lanes;  // threads of a group record
  const TexelView* textures;
};

// Operand of a BurnFuel that stands for all lanes.
inline constexpr std::uint32_t kAllLanes = ~0u;

enum class GroupEnd : std::uint8_t { done, out_of_fuel, cancelled, stopped };
struct GroupOutcome {
  GroupEnd end;
  std::uint32_t guest_address;  // where it stopped
  StopReason reason{};          // if stopped
};

using RunGroup = GroupOutcome (*)(GroupContext& context, std::uint32_t* frame);

// 1, or 4 to kMaxGroupLanes, a power of two.
bool is_group_width(unsigned lanes);
// The instance for such a width and the host's instruction set.
RunGroup run_group_for(unsigned lanes);

}  // namespace warpjit::ir
