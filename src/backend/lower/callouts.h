// Lowering of callouts (ir/callout.h): operations that a call out of the code computes. Operands go through
// the frame as words; the emitter's call changes no register.
#pragma once

#include "backend/lower/host_parts.h"
#include "backend/lower/lane_addresses.h"

namespace warpjit::backend {

class CalloutLowering : protected ValueForms {
 public:
  CalloutLowering(State& state, HostMasks& masks)
      : ValueForms(state), masks_(masks), lane_addresses_(state) {}

  // Any operation by a call, its results defined.
  void call(ir::Inst i);
  // The same in two steps. The address of lane 0 stands for all, if it is given how they differ.
  void make_call(ir::Inst i, const ir::LaneShape* address = nullptr) { make_call({&i, 1}, address); }
  // Part p of result k of the call that was just made, by a load.
  Reg load_result(ir::Inst i, std::uint32_t k, std::uint32_t p, Op op, lir::RegClass cls);
  // A call, and all parts of what it loads, if it is LoadMemory.
  Regs call_for_parts(ir::Inst i, const ir::LaneShape* address = nullptr) {
    return call_for_record({&i, 1}, address);
  }
  // The same for accesses with one guard: at most four words side by side, the first one's first. What they
  // load, one after the other.
  Regs call_for_record(std::span<const ir::Inst> accesses, const ir::LaneShape* address = nullptr);
  // The frame area for the operands and results of calls: kMostWords vectors for all parts.
  static constexpr std::uint32_t kMostWords = 8;  // TeslaF64Operation, AtomicMemory64
  std::int32_t words();

  // The call that counts the transfers of the lanes of a BurnFuel.
  void count_fuel(ir::Inst i);

 private:
  void make_call(std::span<const ir::Inst> together, const ir::LaneShape* address);
  std::int64_t call_site(ir::Inst i);
  void store_words(Value v, Value guard, std::int32_t place);
  Reg vector_of_mask(Value v, std::uint32_t p);

  HostMasks& masks_;
  LaneAddresses lane_addresses_;
  std::int32_t words_ = -1;  // frame area for operands and results
};

}  // namespace warpjit::backend
