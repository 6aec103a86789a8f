// Lowering of loads and stores of threads' memory. A check comes first: every lane that takes part must be
// inside the space's window, and aligned; if not, the whole access is a callout, out of line. What follows
// the check is the host's: one word for all, consecutive words, or lane by lane.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "backend/lower/callouts.h"
#include "backend/lower/windows.h"

namespace warpjit::backend {

class MemoryLowering : protected ValueForms {
 public:
  MemoryLowering(State& state, const HostParts& host, WindowFields& windows, CalloutLowering& callouts)
      : ValueForms(state),
        memory_(host.memory),
        atomics_(host.atomics),
        masks_(host.masks),
        words_(host.words),
        rows_(host.rows),
        windows_(windows),
        callouts_(callouts) {}

  void begin_block() { arrangements_.clear(); }
  // For an access whose lanes have addresses of their own: where in the window they are, which lanes take
  // part, and which of these are outside or not aligned.
  struct LanePlaces {
    Regs offsets, guards;
    Reg wrong = lir::kNoReg;
  };
  LanePlaces lane_places(ir::Inst i, const WindowFields::Window& window);

  // LoadMemory and StoreMemory; atomics and locks, one lane after the other. By a call if the host cannot.
  void access(ir::Inst i) {
    if (!access_windows(i)) callouts_.call(i);
  }
  void update(ir::Inst i) {
    if (!access_one_by_one(i)) callouts_.call(i);
  }

 private:
  // True if the host reaches windows itself. It always reaches those of threads' own memory.
  bool has_windows(ir::Space space) const {
    return memory_ != nullptr && (space == ir::Space::local || f_.group_lanes != 0 || f_.pixels);
  }
  bool access_windows(ir::Inst i);
  Reg offset_in(const WindowFields::Window& window, Value address);
  void load_uniform(ir::Inst i, const WindowFields::Window& window);
  void store_uniform(ir::Inst i, const WindowFields::Window& window);
  void access_own_words(ir::Inst i, const WindowFields::Window& window);
  void access_lanes(ir::Inst i, const WindowFields::Window& window);
  bool access_one_by_one(ir::Inst i);
  void access_lane(ir::Inst i, const ir::MemoryAccess& access, Reg lane, Reg base, Reg locks);
  Reg lanes_to_visit(const Regs& guards, std::uint32_t first_part, std::uint32_t parts);
  static constexpr std::uint32_t kLanesOfWord = 32;  // one scalar has a bit for each
  // Parts by as many as one scalar has bits for: the first one and how many, in order.
  template <class Visit>
  void for_lanes_together(Visit visit) {
    const std::uint32_t together = kLanesOfWord / host_.lanes;
    for (std::uint32_t first = 0; first < parts_; first += together)
      visit(first, std::min(together, parts_ - first));
  }
  // The lane's number in the group.
  Reg lane_of_bit(std::uint32_t first_part, Reg bit) {
    return first_part == 0
               ? bit
               : scalar_op_imm(Op::SAddImm, bit, static_cast<std::int64_t>(first_part * host_.lanes));
  }
  template <class Visit>
  void for_each_bit(Reg bits, Visit visit);
  lir::Mem lane_word(std::uint32_t k, std::uint8_t lane_use);
  Reg load_lane_word(std::uint32_t k, Reg lane);
  void store_lane_word(std::uint32_t k, Reg lane, Reg word);
  void branch_if_outside(ir::Inst i, const WindowFields::Window& window, Reg offset);
  std::uint32_t group_lanes() const { return f_.group_lanes != 0 ? f_.group_lanes : parts_ * host_.lanes; }
  // The words of a thread's own memory lie 1 << own_scale() times as far apart as if it were alone: the lanes
  // of a group have theirs side by side.
  std::uint8_t own_scale() const { return static_cast<std::uint8_t>(std::countr_zero(group_lanes())); }
  Reg own_memory(const WindowFields::Window& window);
  struct Arrangement {
    Reg scattered = lir::kNoReg, unequal = lir::kNoReg;
  };
  Reg scattered_lanes(const Regs& offsets, const Regs& guards);
  Reg unequal_lanes(const Regs& offsets, const Regs& guards);
  Arrangement arrangement_of_base(Value address);
  Reg bytes_of_lanes(std::uint32_t p);
  Reg load_elements(ir::Element element, Reg offset, Reg base, std::int32_t displacement, Reg guard);

  HostMemory* const memory_;    // null: all is a callout
  HostAtomics* const atomics_;  // null: these are
  HostMasks& masks_;
  HostWords& words_;
  HostRows& rows_;
  WindowFields& windows_;
  CalloutLowering& callouts_;
  struct ArrangedBase {
    Value base;
    std::uint32_t block;
    Arrangement arrangement;
  };
  std::vector<ArrangedBase> arrangements_;  // of addresses, this block's
};

}  // namespace warpjit::backend
