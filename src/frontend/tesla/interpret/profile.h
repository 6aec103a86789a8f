// Records what a launch does (Profile): the guest interpreter reports every instruction to the profiler
// before it executes it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "frontend/tesla/interpret/op.h"

namespace warpjit::tesla {

using LaneCounts = std::array<std::uint32_t, kLanes>;

class Profiler {
 public:
  // `counts`: of each lane the instructions for which it is active are added there, and nothing else is seen.
  explicit Profiler(const Program& program, LaneCounts* counts = nullptr);

  // Before the first instruction of a block.
  // The first `written` bytes of s[] are the header and the parameters.
  void begin_block(BlockContext& context, std::size_t warps, std::size_t written);
  // A warp is about to run an instruction, of its active lanes the `executing` ones.
  void instruction(BlockContext& context, const Warp& warp, const WarpOp& op, std::uint32_t executing);
  // The lanes of that instruction, a `bra c[]`, go to different targets.
  void parted(const WarpOp& op) { ++line(op.pc).diverged; }
  // The access of that instruction that is faulting.
  void fault(const WarpOp& op) { ++line(op.pc).faults; }

  // What was seen since the profiler was made.
  Profile result(const RunReport& report) const;

 private:
  using Line = Profile::Instruction;
  // Which lanes have written a half of a register, a $a, a $c.
  struct Written {
    std::array<std::array<std::uint32_t, 2>, kMaxRegisters> r{};
    std::array<std::uint32_t, 8> a{};
    std::array<std::uint32_t, 4> c{};
  };
  struct WarpState {
    Written written;
    std::uint32_t interval = 1;  // barriers passed, plus one
  };
  // The last accesses of a byte of s[]. Interval 0: none.
  struct Access {
    std::uint32_t interval = 0, pc = 0, thread = 0;
    bool lock = false;
  };
  struct SharedByte {
    Access store, load;
    Access other_load;  // of another warp than load, in the same interval
    bool written = false;
  };
  struct RaceKey {
    std::uint32_t first, second;
    auto operator<=>(const RaceKey&) const = default;
  };

  Line& line(std::uint32_t pc) { return lines_[pc / 4]; }
  void reads(BlockContext& context, const Warp& warp, const WarpOp& op, std::uint32_t executing);
  void writes(const Warp& warp, const WarpOp& op, std::uint32_t executing);
  void missing(BlockContext& context, const Warp& warp, const WarpOp& op, std::uint32_t lanes,
               const char* name, std::uint32_t number);
  void shared(BlockContext& context, const Warp& warp, const WarpOp& op, const Operand& operand,
              bool is_store, std::uint32_t executing);
  void race(BlockContext& context, const Access& first, bool first_stores, const Access& second,
            bool second_stores, std::uint32_t address);

  const Program& program_;
  LaneCounts* counts_;
  std::vector<Line> lines_;  // by word of the code
  std::vector<WarpState> warps_;
  std::vector<SharedByte> shared_;
  std::array<std::uint64_t, kLanes + 1> active_lanes_{};
  std::map<RaceKey, Profile::Race> races_;
  std::uint64_t further_races_ = 0;
};

}  // namespace warpjit::tesla
