// Truncated multiply-adds, or what else a host says, without a test of each for unusual operands: one test
// after them all tells whether any result may be wrong. If so, everything since the first is computed again,
// out of line.
#pragma once

#include <vector>

#include "backend/lower/arithmetic.h"

namespace warpjit::backend {

class DeferredChecks : protected ValueForms {
 public:
  DeferredChecks(State& state, HostFlushing& flushing, ArithmeticLowering& arithmetic)
      : ValueForms(state), flushing_(flushing), arithmetic_(arithmetic) {}

  void begin_block(bool in_loop) { in_loop_ = in_loop; }
  // The last of the instructions from `first` on, all of them arithmetic, whose checks are worth deferring;
  // none: they are not.
  ir::Inst last_from(ir::Inst first) const;
  // Lowers instructions by `lower_all`, which goes through them by each() and gives the registers that they
  // define; it is called up to three times.
  template <class LowerAll>
  Regs lower(std::span<const ir::Inst> insts, LowerAll lower_all) {
    if (lowering_ || !worthwhile(insts)) return lower_all();
    lowering_ = true;
    if (defers(insts[0])) arithmetic_.set_flushing(true);  // before flags count
    const Regs made = lower_with(HostFlushing::Checks::deferred, lower_all);
    lowering_ = false;
    flushing_.set_checks(HostFlushing::Checks::at_once, in_loop_);
    forget_cached();  // forms of what may have been made again
    return made;
  }
  // lower_one(n) lowers instruction n of these.
  template <class LowerOne>
  void each(std::span<const ir::Inst> insts, LowerOne lower_one) {
    for (std::size_t n = 0; n < insts.size(); ++n) {
      state_.guest_address = f_.inst(insts[n]).guest_address;
      lower_one(n);
    }
  }
  void set_flushing(bool flushing) { arithmetic_.set_flushing(flushing); }
  // True if the host would call it now, unless a test of its own followed.
  bool needs_look(ir::Inst i) const { return code_.flushes && !lowering_ && flushing_.must_call(i); }

 private:
  bool defers(ir::Inst i) const {
    return ir::family(f_.inst(i).opcode) == ir::Family::float_flush && flushing_.may_defer_check(i, in_loop_);
  }
  template <class LowerAll>
  Regs lower_with(HostFlushing::Checks checks, LowerAll lower_all) {
    flushing_.set_checks(checks, in_loop_);
    if (checks != HostFlushing::Checks::deferred)
      flushing_.set_float_mode(lir::FloatMode::flush);  // no flags
    const Regs made = lower_all();
    arithmetic_.set_flushing(true);
    if (checks == HostFlushing::Checks::none || !flushing_.branch_if_doubtful()) return made;
    // Zeros cost less than what else is unusual.
    const bool zeros = checks == HostFlushing::Checks::deferred && in_loop_;
    const auto next = zeros ? HostFlushing::Checks::deferred_but_zeros : HostFlushing::Checks::none;
    return hot_or_cold([&] { return made; }, [&] { return lower_with(next, lower_all); });
  }
  bool worthwhile(std::span<const ir::Inst> insts) const;

  HostFlushing& flushing_;
  ArithmeticLowering& arithmetic_;
  bool in_loop_ = false;
  bool lowering_ = false;  // between begin and end of lower()
};

}  // namespace warpjit::backend
