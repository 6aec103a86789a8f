// Lowering of runs of loads and stores whose addresses the lanes of a vector share, or have side by side
// (ir/analysis/lane_shape). Before a run each base that its addresses have is looked at once, as a scalar:
// if all bytes from the least address of any lane to the greatest lie in the window, the accesses are plain
// loads and stores of words and vectors; if not, the run is made in the general way, out of line.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "backend/lower/callouts.h"
#include "backend/lower/deferred_checks.h"
#include "backend/lower/lane_guards.h"
#include "backend/lower/stored_words.h"
#include "backend/lower/windows.h"
#include "ir/analysis/lane_shape.h"

namespace warpjit::backend {

// Lowers any instruction.
class InstLowering {
 public:
  virtual void lower(ir::Inst i) = 0;

 protected:
  ~InstLowering() = default;
};

class RunLowering : protected ValueForms {
 public:
  RunLowering(State& state, const HostParts& host, HostMemory& memory, WindowFields& windows,
              CalloutLowering& callouts, DeferredChecks& checks, InstLowering& insts);

  // True if a run begins with this instruction. Then lower_run makes it all, and gives its last instruction.
  bool begins_run(ir::Inst i) const { return arranged(i) != Arranged::no; }
  ir::Inst lower_run(ir::Inst first);
  const ir::LaneShapes& shapes() const { return shapes_; }
  // lir::Code::shared_phase of the accesses made so far.
  std::uint32_t shared_phase() const;

 private:
  enum class Arranged : std::uint8_t { no, equal, consecutive };
  using Factors = LaneAddresses::Factors;
  // Accesses of one space from `first` to `last` in a block, and what bases need of what stands between.
  struct Run {
    ir::Inst first, last;
    SmallVector<ir::Inst, 8> accesses, before;
    SmallVector<Value, 8> guards;  // by access: what narrows it, or none
    // By access: the lanes that take part, if these are known; else null.
    SmallVector<const ir::LaneSet*, 8> lanes;
    SmallVector<std::int32_t, 8> windows;  // by access: WindowFields::place_of
  };
  bool can_narrow(ir::Inst i) const;
  // Addresses base + factors + [low, high), seen from one base; those of other lanes included.
  struct Span {
    Value base;
    Factors factors;
    bool wrapped;             // modulo 2^16
    std::int64_t low, high;   // from the base on: the least address, the end of the last access
    std::uint32_t alignment;  // of base + factors + low; 1: nothing to look at
    Value guard;              // if valid: only what lanes access that have it must be inside
    std::int32_t window;      // WindowFields::place_of; what it is in
    Reg bytes = lir::kNoReg;  // of the window
    Reg start = lir::kNoReg;
  };
  // Where a part is: the span it is in, and where from the base on its first lane is.
  struct Placed {
    std::size_t span;  // kNoSpan: no lane takes part, and none was found
    std::int64_t first;
  };
  static constexpr std::size_t kNoSpan = ~std::size_t{0};
  Arranged arranged(ir::Inst i) const;
  Run run_from(ir::Inst first);
  void lower_run(const Run& run);
  Placed place(std::vector<Span>& spans, const Run& run, std::size_t n, std::uint32_t p) const;
  void check_span(Span& span, Reg begin, Reg size, lir::Edges& ways_out);
  void check_narrowed(Span& span, Reg size, lir::Edges& ways_out);
  bool is_contiguous(const Placed* placed) const;
  bool reads_shared_behind(ir::Inst last);
  void find_reads_of_shared();
  StoredWords::Access stored_access(ir::Inst i, const Placed* placed) const;
  // Access n of the run, whose spans are all inside.
  void access_inside(std::size_t n, ir::Inst i, const std::vector<Span>& spans, const Placed* placed);
  void access_anywhere(ir::Inst i, bool narrowed);
  Regs access_guarded(ir::Inst i);
  Regs call_with_addresses(ir::Inst i);

  HostMemory& memory_;
  HostMasks& masks_;
  WindowFields& windows_;
  CalloutLowering& callouts_;
  DeferredChecks& checks_;
  InstLowering& insts_;
  LaneGuards lane_guards_;
  LaneAddresses lane_addresses_;
  StoredWords stored_;
  ir::LaneShapes shapes_;
  // By instruction: its number in its block. By block: the number of the last one that reads shared memory.
  std::vector<std::uint32_t> place_, last_read_;
  std::vector<char> reads_later_;              // by block: true if one that follows reads shared memory
  std::vector<std::uint32_t> defined_in_run_;  // by instruction: the number of the run
  std::uint32_t run_stamp_ = 0;
  std::array<std::uint32_t, 4> phases_{};  // of lir::Code::shared_phase, in 16 bytes: how many accesses
};

}  // namespace warpjit::backend
