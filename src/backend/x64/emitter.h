// Emission for x86-64: its instructions, in emit.cpp; what stands around them, in emit_entry.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "backend/emit/asmjit.h"
#include "backend/emit/emitter.h"
#include "backend/x64/halves_encoding.h"
#include "backend/x64/host.h"

namespace warpjit::backend::x64 {

using asmjit::InstId;
using asmjit::Label;
using lir::Inst;
using lir::MemBase;
using lir::Reg;

class X64Emitter final : public Emitter {
 public:
  using Emitter::Emitter;

 private:
  asmjit::Arch arch() const override { return asmjit::Arch::kX64; }
  asmjit::BaseAssembler& assembler() override { return a_; }

  static x86::Gp gp64(Reg r) { return x86::gpq(r); }
  static x86::Gp gp32(Reg r) { return x86::gpd(r); }
  x86::Vec vec(Reg r) const { return {vector_signature_, r}; }
  static x86::KReg k(Reg r) { return x86::k(r); }

  x86::Mem memory(const Inst& inst, std::uint32_t size = 0) const {
    x86::Mem m;
    const lir::Mem& from = inst.mem;
    std::int32_t displacement = from.displacement;
    auto with_index = [&](const x86::Gp& base) {
      return from.index_use == 0xff
                 ? x86::ptr(base, displacement)
                 : x86::ptr(base, gp64(inst.use[from.index_use]), from.scale_log2, displacement);
    };
    switch (from.base) {
      case MemBase::table:
        m = with_index(x86::rsi);
        break;
      case MemBase::args:
        m = with_index(x86::rdi);
        break;
      case MemBase::frame:
        displacement += frame_base_;
        m = with_index(x86::rsp);
        break;
      case MemBase::spill:
        m = x86::ptr(x86::rsp, spill_base_ + spill_offset(from));
        break;
      case MemBase::reg:
        m = with_index(gp64(inst.use[from.base_use]));
        break;
      case MemBase::pool:
        m = x86::ptr(pool_, displacement);
        break;
      case MemBase::none:
        break;
    }
    if (size != 0) m.setSize(size);
    return m;
  }
  // A vector operand: the register of a use, or the memory operand that stands in its place.
  asmjit::Operand operand(const Inst& inst, int index) const {
    if (inst.use[index] != lir::kNoReg) return vec(inst.use[index]);
    x86::Mem m = memory(inst);
    if (inst.mem.broadcast) m = host_.lanes == 16 ? m._1to16() : m._1to8();
    return m;
  }

  template <class... Operands>
  void put(InstId id, const Operands&... operands) {
    a_.emit(id, operands...);
    ++out_.statistics.instructions;
  }
  template <class... Operands>
  void put_masked(InstId id, Reg mask, bool zero, const Operands&... operands) {
    a_.setExtraReg(k(mask));
    if (zero) a_.addInstOptions(asmjit::InstOptions::kX86_ZMask);
    put(id, operands...);
  }

  // Makes the next instruction round toward zero.
  void toward_zero() { a_.addInstOptions(asmjit::InstOptions::kX86_ER | asmjit::InstOptions::kX86_RZ_SAE); }

  // The short form clears the whole register.
  void clear(Reg r) {
    if (r < 16) return put(x86::Inst::kIdVxorps, x86::xmm(r), x86::xmm(r), x86::xmm(r));
    put(x86::Inst::kIdVpxord, vec(r), vec(r), vec(r));
  }
  // The memory operand at offsets in the lanes of a vector.
  x86::Mem lanes_of(const Inst& inst, Reg offsets) const {
    return x86::ptr(gp64(inst.use[inst.mem.base_use]), vec(offsets), inst.mem.scale_log2,
                    inst.mem.displacement);
  }

  x86::Vec lower_half(Reg r) const {
    return host_.vector_bytes == 64 ? x86::Vec(x86::ymm(r)) : x86::Vec(x86::xmm(r));
  }

  // Entry and exit, the way to the next group, calls (emit_entry.cpp).
  void enter(const EntryCode& entry) override;
  void grow_stack(std::uint32_t bytes);
  void read_pool();
  void refuel() override;
  void advance(const EntryCode& entry, const Label& group) override;
  void next_block(const EntryCode& entry, const Label& group);
  void begin_shared();
  void leave() override;
  void number_modes();
  void change_mode(lir::FloatMode mode);
  void note(std::size_t field, std::uint32_t word) override;
  void call(std::uint32_t site) override;
  void thunk() override;
  void subroutines() override;
  void multiply_add_truncated();
  void burn_fuel(const Label& used_up, const Label& cancelled) override;
  void leave_if_stopped() override;
  void save_for_system_v();
  void save_for_win64();
  void make_room(std::int32_t room);
  // action(number, offset from rbp)
  void for_each_saved_vector(const auto& action) const {
    std::uint32_t offset = 0;
    for (std::uint32_t v = 0; v < 16; ++v)
      if (saved_vectors_ >> v & 1) {
        action(v, offset);
        offset += 16;
      }
  }

  // Visits, with its place from rsp on, each register that holds something and that a callee may change.
  template <class Visit>
  void for_each_kept(std::int32_t base, Visit visit) {
    for (std::uint32_t r = 0; r < 32; ++r)
      if (written(lir::RegClass::vector) >> r & 1)
        visit(vec(r), x86::ptr(x86::rsp, base + static_cast<std::int32_t>(r * 64)), x86::Inst::kIdVmovups);
    base += 32 * 64;
    for (std::uint32_t r = 0; r < 8; ++r, base += 8)
      if (host_.mask_registers && (written(lir::RegClass::mask) >> r & 1))
        visit(k(r), x86::word_ptr(x86::rsp, base), x86::Inst::kIdKmovw);
    for (std::uint32_t r : {1u, 2u, 6u, 7u, 8u, 9u, 10u, 11u}) {
      visit(gp64(r), x86::ptr(x86::rsp, base), x86::Inst::kIdMov);
      base += 8;
    }
  }

  // Instructions (emit.cpp).
  void encode(const Inst& inst) override;
  void fma_of_halves(const Inst& inst);
  void fma(const Inst& inst);
  void scalar_compare(const Inst& inst);
  static InstId set_condition(const Inst& inst);
  void branch(const Inst& inst, bool sense, const Label& target) override;
  void jump_if_any(Reg mask, const Label& target) override;
  void jump_if_at_least(Reg index, std::uint32_t bound, const Label& target) override;
  void jump(const Label& target) override { a_.jmp(target); }
  void put_halves(const HalfCode& code) {
    const auto bytes = code.bytes();
    put_bytes({bytes.data(), code.size()}, options_.listing ? code.text() : std::string());
  }
  void test_mask(Reg mask) {
    if (host_.mask_registers)
      put(x86::Inst::kIdKortestw, k(mask), k(mask));
    else
      put(x86::Inst::kIdVtestps, vec(mask), vec(mask));
  }

  // Atomics (emit_atomics.cpp).
  void atomic(const Inst& inst);
  void after(ir::AtomicFunction function, const x86::Gp& d, const x86::Gp& old, const x86::Gp& b);
  template <class... Operands>
  void put_locked(bool locked, InstId id, const Operands&... operands) {
    if (locked) a_.addInstOptions(asmjit::InstOptions::kX86_Lock);
    put(id, operands...);
  }

  const asmjit::OperandSignature vector_signature_ =
      host_.vector_bytes == 64 ? x86::zmm0.signature() : x86::ymm0.signature();
  x86::Assembler a_;
  // Words of the frame after the fuel.
  static constexpr std::int32_t kCallersMode = 16, kFlushMode = 20, kFlushModeZero = 24;
  // By FloatMode: of those that its instructions change to.
  std::array<std::optional<std::uint32_t>, 3> mode_numbers_;
  std::uint32_t mode_mask_ = 0;  // the bits that tell them; 0: any number will do
  bool flushes_ = false;
  Label multiply_add_;  // of the entry, once it is called
  std::int32_t multiply_add_words_ = 0;
  // Bytes for the registers that a call keeps: vectors, masks, scalars, two words of MXCSR.
  static constexpr std::int32_t kCallSaves = 32 * 64 + 64 + 64 + 64;
  std::int32_t frame_base_ = 0, spill_base_ = 0, calls_base_ = 0;
  std::int32_t saved_bytes_ = 0;  // from rbp to the registers that are popped
  bool win64_ = false;
  std::uint32_t saved_scalars_ = 0, saved_vectors_ = 0;  // bit per register number
};

}  // namespace warpjit::backend::x64
