// A warp, and what executes instructions in it: what programs of all stages have in common
// (docs/guests/valhall.md 6 to 8.3).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "base/fuel.h"
#include "frontend/interpret/observer.h"
#include "frontend/valhall/facts/register_file.h"
#include "frontend/valhall/interpret/interpret.h"
#include "frontend/valhall/interpret/lanes.h"
#include "frontend/valhall/interpret/memory.h"
#include "frontend/valhall/interpret/op.h"

namespace warpjit::valhall {

// Calls `each` with the numbers of the lanes in the mask, the lowest first.
template <class Each>
void for_lanes(std::uint32_t lanes, const Each& each) {
  for (; lanes != 0; lanes &= lanes - 1) each(static_cast<unsigned>(std::countr_zero(lanes)));
}

// The values of a source, and those of all sources.
using LaneValues = std::array<std::uint64_t, kWarpLanes>;
using LaneSources = std::array<LaneValues, 4>;

struct Warp {
  std::uint32_t registers[64][kWarpLanes] = {};
  std::uint32_t pc[kWarpLanes] = {};  // of lanes that are not in front
  std::uint32_t running = 0;          // lanes that have not ended
  std::uint32_t waiting = 0;          // of these, at a barrier
  std::uint32_t front = 0;            // the lanes that step next, all runnable ones at front_pc; 0: pc tells
  std::uint32_t front_pc = 0;         // their program counter
  std::uint32_t next_pc = 0;          // the lowest one of the other runnable lanes; ~0: no others
  std::uint32_t first_thread = 0;     // of its workgroup
  std::uint32_t number = 0;           // in the grid
  std::int64_t fuel = 0;              // group_fuel
  std::uint64_t of_all_lanes = 0;     // transfers made by all lanes that have not ended
  FuelCounts counts{0};
  interpret::Observer* observer = nullptr;  // null: it is not observed

  std::uint32_t runnable() const { return running & ~waiting; }
  std::uint64_t pair(unsigned first, unsigned lane) const {
    return registers[first][lane] | std::uint64_t{registers[first + 1][lane]} << 32;
  }

  // How instructions read and write registers.
  std::uint32_t get(unsigned number, unsigned lane) const {
    if (observer != nullptr) [[unlikely]]
      observer->read(register_word(number), lane, registers[number][lane]);
    return registers[number][lane];
  }
  void set(unsigned number, unsigned lane, std::uint32_t value) {
    if (observer != nullptr) [[unlikely]]
      observer->wrote(register_word(number), lane, registers[number][lane], value);
    registers[number][lane] = value;
  }
};

class WarpRun {
 public:
  virtual ~WarpRun() = default;

 protected:
  // All must outlive it.
  WarpRun(const Interpreter& interpreter, const frontend::Grid& launch, const frontend::CheckedGrid& checked,
          const RunLimits& limits);

  // Clears a warp; `lanes` run from the program's entry on.
  void start_warp(Warp& warp, std::uint32_t lanes) const;
  // Asks the observer, if there is one, whether it is to see the warp, whose registers are as they are at its start.
  void show(Warp& warp, const interpret::ObservedGroup& group) const;
  // Runs the warp until no lane is runnable.
  Status run_warp(Warp& warp);

  // To the warp's observer, if it has one: an access to memory at an address, of which `at` is the place.
  void show_access(const Warp& warp, unsigned lane, std::uint64_t address, unsigned size,
                   const std::byte* at) const;

  static GroupMemory::Accessor by(const Warp& warp, const WarpOp& op, unsigned lane) {
    return {op.address, warp.first_thread + lane};
  }

  // ---- What programs of one stage have
  // Executes an operation of the stage's own.
  virtual void execute_own(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneSources& source) = 0;
  // The active lanes whose stores and atomics count, and those that go on after flow `discard`.
  virtual std::uint32_t storing(std::uint32_t active) const { return active; }
  virtual std::uint32_t kept(std::uint32_t active) const { return active; }
  virtual std::string place_text(const Warp& warp) const = 0;  // for messages

  const Program& program_;
  const std::vector<WarpOp>& ops_;
  const std::vector<std::uint32_t>& op_of_word_;
  const frontend::Grid& launch_;
  const frontend::CheckedGrid& checked_;
  const RunLimits limits_;
  GroupMemory memory_;
  RunReport report_;
  std::uint64_t framebuffer_size_ = 0;                         // the special value
  std::uint32_t last_lane_id_ = kWarpLanes - 1;                // numbers of lanes are modulo one more
  std::array<std::uint32_t, kWarpLanes>* executed_ = nullptr;  // if not null, counts what lanes execute

 private:
  static void find_front(Warp& warp);
  void show_read(const Warp& warp, const Source& source, std::uint32_t active) const;
  // One instruction of the lanes with the lowest program counter. Some lane must be runnable.
  Status step(Warp& warp);
  // The same, of which the observer is told.
  Status observed_step(Warp& warp);
  Status go_on(Warp& warp, const WarpOp& op, std::uint32_t active, std::uint32_t taken);
  Error stopped(const Warp& warp, const WarpOp& op, ErrorCode code, const char* what) const;
  void execute(Warp& warp, const WarpOp& op, std::uint32_t active, std::uint32_t& taken);
  void fetch(const Warp& warp, const WarpOp& op, const Source& source, std::uint32_t active,
             LaneValues& values);
  std::uint64_t special(const Warp& warp, const WarpOp& op, std::uint8_t value, unsigned lane) const;
  void compute(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneSources& source) const;
  using LoadedWords = std::array<std::array<std::uint32_t, kWarpLanes>, 4>;
  void load(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneValues& addresses);
  void load_buffer(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneSources& source);
  void buffer_address(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneSources& source);
  void show_store(const Warp& warp, unsigned lane, std::uint64_t address, unsigned size, const std::byte* at,
                  std::uint32_t value) const;
  static void take_part(LoadedWords& words, const AccessPart& part, unsigned lane, const std::byte* at);
  static void set_loaded(Warp& warp, const WarpOp& op, std::uint32_t active, const LoadedWords& words);
  void store(const Warp& warp, const WarpOp& op, std::uint32_t active, const LaneValues& address);
  // LD_TEX, LEA_TEX and ST_CVT (image.cpp).
  void image(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneSources& source);
  void store_texel(const Warp& warp, const WarpOp& op, std::uint32_t active, const LaneSources& source);
  void sample(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneValues& handles);  // texture.cpp
  template <class Word>
  void atomic(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneValues& address);
};

}  // namespace warpjit::valhall
