// What the interpreter runs: instructions with their operands resolved to words of lanes.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/fuel.h"
#include "frontend/interpret/fault.h"
#include "frontend/interpret/observer.h"
#include "frontend/tesla/interpret/interpret.h"

namespace warpjit::tesla {

// How an operand becomes 32 words, one of each lane.
struct Source {
  enum class Kind : std::uint8_t { zero, whole, low_half, high_half, pool, memory };
  Kind kind = Kind::zero;
  std::uint16_t index = 0;  // of the register or of the pool
};

struct WarpOp {
  Instruction i;
  std::uint32_t pc = 0;
  std::uint32_t next = 0;        // address after it
  std::uint16_t holds = 0xffff;  // bit f: the condition holds for flags f
  std::array<Source, 3> src{};
  bool post_increments = false;     // of some operand
  std::uint8_t register_count = 0;  // 32-bit registers of a memory access or double
};

struct StackEntry {
  enum class Type : std::uint8_t { branch = 1, call, limited_call, break_, quadon, joinat };
  Type type{};
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
};

struct Warp {
  WarpRegisters registers;
  std::uint32_t pc = 0;
  std::uint32_t active = 0;
  std::uint32_t exited = 0, broken = 0, returned = 0;  // lane states (tesla.md 12.2); the others are alive
  std::vector<StackEntry> stack;
  std::uint32_t first_thread = 0;  // of its block
  bool done = false;
  std::int8_t waiting = -1;        // barrier it waits at
  std::uint32_t waiting_pc = 0;    // of that `bar`
  std::int64_t fuel = 0;           // group_fuel
  std::uint64_t of_all_lanes = 0;  // transfers made by all lanes that have not exited
  FuelCounts counts{0};
  interpret::Observer* observer = nullptr;  // null: it is not observed
  std::uint32_t observed = 0;               // the lanes that it sees

  std::uint32_t alive(std::uint32_t mask) const { return mask & ~(exited | broken | returned); }
};

using LaneCounts = std::array<std::uint32_t, kLanes>;
struct GraphicsWarp;  // graphics.h

// State of one block while it runs.
struct BlockContext {
  const Launch* launch = nullptr;
  const Program* program = nullptr;
  const Modes* modes = nullptr;
  const WarpOp* ops = nullptr;
  const std::uint32_t* op_of_word = nullptr;
  std::size_t code_words = 0;
  const std::array<std::uint32_t, kLanes>* pool = nullptr;
  std::array<std::span<const std::byte>, kConstantSpaces> constants{};
  std::uint32_t registers = 0;

  ir::BlockPosition block{};
  std::vector<std::byte> shared;
  std::vector<std::uint8_t> locked;                 // of each word of s[]
  std::vector<std::byte> local;                     // of all threads, one after the other
  std::array<std::uint32_t, kBarriers> arrived{};   // warps at each barrier
  std::array<std::uint32_t, kBarriers> expected{};  // that complete it; 0: all that have not exited
  RunReport report;
  LaneCounts* counts = nullptr;      // if not null, counts the instructions for which each lane is active
  GraphicsWarp* graphics = nullptr;  // of graphics programs
  std::uint32_t first_number = 0;    // of the threads in what is reported, added to Warp::first_thread
  RunLimits limits{0};
  interpret::Stop stop;

  void cancel_at(std::uint32_t address) { stop = {ErrorCode::cancelled, kCancelledMessage, address}; }
};

// Brings a warp to the entry, with its first `lanes` lanes.
void start_warp(Warp& warp, const Program& program, unsigned lanes, std::uint64_t fuel);

// Asks the observer of the run, if there is one, whether it is to see the warp, which is as it is at its start.
void show_warp(const BlockContext& context, Warp& warp, interpret::ObservedGroup group);

// Counts a transfer of these lanes; false: some thread has made too many. Only where the warp's fuel, which
// went down by one, is below 0.
bool count_transfer(Warp& warp, std::uint32_t lanes);

enum class WarpOutcome : std::uint8_t { finished, at_barrier, stopped };

// Runs a warp until it ends, waits or stops with the context's message.
WarpOutcome run_warp_baseline(BlockContext& context, Warp& warp);
WarpOutcome run_warp_avx2(BlockContext& context, Warp& warp);
// The same, seen by the warp's observer.
WarpOutcome run_warp_observed(BlockContext& context, Warp& warp);
using RunWarp = WarpOutcome (*)(BlockContext&, Warp&);
RunWarp loop_for(HostCode code);

// Doubles with a rounding mode (interpret/double.cpp).
std::uint64_t round_dadd(std::uint64_t a, std::uint64_t b, Rounding rounding);
std::uint64_t round_dmul(std::uint64_t a, std::uint64_t b, Rounding rounding);
std::uint64_t round_dfma(std::uint64_t a, std::uint64_t b, std::uint64_t c, Rounding rounding);
}  // namespace warpjit::tesla
