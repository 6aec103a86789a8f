// Emission for AArch64: its instructions, in emit.cpp; what stands around them, in emit_entry.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/a64/host.h"
#include "backend/emit/asmjit.h"
#include "backend/emit/emitter.h"

namespace warpjit::backend::a64 {

using Gp = arm::GpX;
using Id = asmjit::a64::Inst::Id;
namespace SysReg = asmjit::a64::Predicate::SysReg;
using asmjit::Label;
using lir::Inst;
using lir::MemBase;
using lir::Reg;

// Values of FPCR: one NaN, as in all code (base/float_environment.h); no denormals; rounding toward zero.
inline constexpr std::uint32_t kPlainMode = 1u << 25, kFlushMode = kPlainMode | 1u << 24,
                               kFlushModeZero = kFlushMode | 3u << 22;

class A64Emitter final : public Emitter {
 public:
  using Emitter::Emitter;

 private:
  asmjit::Arch arch() const override { return asmjit::Arch::kAArch64; }
  asmjit::BaseAssembler& assembler() override { return a_; }

  static Gp x(Reg r) { return arm::GpX(r); }
  static arm::GpW w(Reg r) { return arm::GpW(r); }
  static arm::Vec words(Reg r) { return arm::VecV(r).s4(); }
  static arm::Vec halves(Reg r) { return arm::VecV(r).h4(); }
  static arm::Vec all_halves(Reg r) { return arm::VecV(r).h8(); }
  static arm::Vec bits(Reg r) { return arm::VecV(r).b16(); }
  static arm::Vec pairs(Reg r) { return arm::VecV(r).d2(); }
  static arm::Vec whole(Reg r) { return arm::VecV(r); }
  static arm::Vec lane(Reg r, std::int64_t n) { return arm::VecV(r).s(static_cast<std::uint32_t>(n)); }

  // base + offset as an operand of an access of `size` bytes; through a scratch register if it does not fit.
  arm::Mem at(const Gp& base, std::int32_t offset, std::int32_t size, Reg scratch = kScratch);
  arm::Mem memory(const Inst& inst, std::int32_t size);
  // The address of the memory operand, whose base is a register, in kScratch.
  void address_in_scratch(const Inst& inst);
  void put_sum(Reg to, const Gp& base, std::int32_t amount);
  void skip_unless(Reg guard, std::uint32_t n, const Label& skip);
  // A vector side by side, of which lanes without guard are not touched: all at once, or lane by lane.
  void access_masked(asmjit::InstId of_lane, asmjit::InstId of_vector, const Inst& inst, Reg vector,
                     Reg guard);
  // Words at offsets, lane by lane.
  void access_lanes(asmjit::InstId id, const Inst& inst, Reg vector, Reg offsets, Reg guard);
  void put_large(asmjit::InstId id, const Gp& to, const Gp& from, std::uint32_t amount);

  // Entry and exit, the way to the next group, calls (emit_entry.cpp).
  void enter(const EntryCode& entry) override;
  template <class Visit>
  void for_each_saved(Visit visit) {
    std::int32_t offset = saved_base_;
    for (std::uint32_t r = 0; r < 32; ++r)
      if (saved_scalars_ >> r & 1) {
        visit(x(r), offset, Id::kIdStr, Id::kIdLdr);
        offset += 8;
      }
    for (std::uint32_t r = 0; r < 32; ++r)
      if (saved_vectors_ >> r & 1) {
        visit(arm::VecD(r), offset, Id::kIdStr_v, Id::kIdLdr_v);
        offset += 8;
      }
  }

  void refuel() override { a_.emit(Id::kIdLdr, x(kFuel), arm::ptr(x(kArgs), offsetof(KernelArgs, fuel))); }
  void advance(const EntryCode& entry, const Label& group) override;
  // KernelArgs::next_block.
  void next_block(const EntryCode& entry, const Label& group);
  void grow_stack(std::uint32_t bytes);
  // KernelArgs::begin_shared. Between groups no register but those of the arguments holds anything; these
  // are the caller's.
  void begin_shared();
  void set_mode(std::uint32_t mode);
  void leave() override;
  void note(std::size_t field, std::uint32_t word) override;
  void call(std::uint32_t site) override;
  // Called with the number of the call site in kScratch.
  void thunk() override;

  // Instructions (emit.cpp).
  void jump(const Label& target) override { a_.emit(Id::kIdB, target); }
  // A scalar register with a 32-bit constant, for instructions that cannot encode it.
  arm::GpW constant(std::int64_t value);
  void encode(const Inst& inst) override;
  // m ? t : f, in the form that overwrites the operand whose register the definition got.
  void blend(Reg d, Reg f, Reg t, Reg m);
  void vector_imm(Reg d, std::uint32_t word);
  // asmjit 1.9 sets the lowest bit of the register number in FMOV (vector, immediate): encoded here.
  void put_fmov(Reg d, std::uint8_t imm8, std::uint32_t word);
  static arm::CondCode condition_code(const Inst& inst, bool sense);
  static asmjit::Imm condition(const Inst& inst, bool sense);
  void scalar_compare(const Inst& inst);
  void compare_with(Reg r, std::uint32_t value);
  void branch(const Inst& inst, bool sense, const Label& target) override;
  void jump_if_any(Reg pairs, const Label& target) override;
  void branch_on(arm::CondCode code, const Label& target);
  void jump_if_at_least(Reg index, std::uint32_t bound, const Label& target) override;
  void burn_fuel(const Label& used_up, const Label& cancelled) override;
  void leave_if_stopped() override;

  asmjit::a64::Assembler a_;
  // Bytes for the registers that a call keeps: vectors, x0 to x15, the link, FPCR with FPSR.
  static constexpr std::int32_t kCallSaves = 32 * 16 + 18 * 8;
  std::int32_t spill_base_ = 0, saved_base_ = 0, calls_base_ = 0;
  bool flushes_ = false;                                 // some code of the entry runs without denormals
  std::uint32_t saved_scalars_ = 0, saved_vectors_ = 0;  // bit per register number
};

}  // namespace warpjit::backend::a64
