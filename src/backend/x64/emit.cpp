#include <asmjit/x86.h>

#include <array>
#include <cstddef>
#include <limits>

#include "backend/emit/emitter.h"
#include "backend/x64/calling_convention.h"
#include "backend/x64/halves_encoding.h"
#include "backend/x64/host.h"

namespace warpjit::backend::x64 {
namespace {

namespace x86 = asmjit::x86;
using asmjit::InstId;
using asmjit::Label;
using lir::Inst;
using lir::MemBase;
using lir::Reg;

struct Encoding {
  Form form = Form::none;
  InstId ids[2] = {};  // with AVX2, with AVX-512
};
const Encoding& encoding(Op op) {
  static constexpr std::array<Encoding, kOpCount> kEncodings = [] {
    std::array<Encoding, kOpCount> table;
#define X64_OP(name, form, v3, v4) \
  table[static_cast<std::size_t>(Op::name)] = {Form::form, {x86::Inst::kId##v3, x86::Inst::kId##v4}};
#include "backend/x64/opcodes.inc"
#undef X64_OP
    return table;
  }();
  return kEncodings[static_cast<std::size_t>(op)];
}

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
    if (inst.mem.broadcast) m = m._1to16();
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

  // Of the next instruction.
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

  void enter(const EntryCode& entry) override {
    const CallingConvention abi = calling_convention(options_.abi);
    std::uint32_t scalars = written(lir::RegClass::scalar);
    if (abi.argument == x86::rcx) scalars |= 1u << 6 | 1u << 7;
    saved_scalars_ = abi.saved_scalars & scalars;
    saved_vectors_ = abi.saved_vectors & written(lir::RegClass::vector);
    a_.push(x86::rbp);
    a_.mov(x86::rbp, x86::rsp);
    pushed_ = 0;
    for (std::uint32_t reg = 0; reg < 16; ++reg)
      if (saved_scalars_ >> reg & 1) {
        a_.push(gp64(reg));
        pushed_ += 8;
      }
    // Frame, from rsp: fuel and modes (64 bytes), the lowering's area, spill slots, saved vectors, what calls
    // keep.
    constexpr std::int32_t kFuelBytes = 64;
    frame_base_ = kFuelBytes;
    spill_base_ = frame_base_ + static_cast<std::int32_t>((entry.code->frame_bytes + 63) / 64 * 64);
    vectors_base_ = spill_base_ + static_cast<std::int32_t>((allocation_->spill_bytes + 63) / 64 * 64);
    calls_base_ = vectors_base_ + 16 * 16;
    a_.sub(x86::rsp, calls_base_ + (calls_ ? kCallSaves : 0));
    a_.and_(x86::rsp, -64);
    for (std::uint32_t v = 0; v < 16; ++v)
      if (saved_vectors_ >> v & 1) a_.vmovups(saved_vector(v), x86::xmm(v));
    if (abi.argument != x86::rdi) a_.mov(x86::rdi, abi.argument);
    flushes_ = entry.code->flushes;
    if (flushes_) {
      a_.vstmxcsr(x86::dword_ptr(x86::rsp, kCallersMode));
      a_.mov(x86::dword_ptr(x86::rsp, kFlushMode), 0x9fc0);      // denormals are zeros, all masked
      a_.mov(x86::dword_ptr(x86::rsp, kFlushModeZero), 0xffc0);  // and rounding toward zero
      if (entry.code->flushes_between) a_.vldmxcsr(x86::dword_ptr(x86::rsp, kFlushMode));
    }
    a_.mov(x86::rsi, x86::ptr(x86::rdi, offsetof(KernelArgs, table)));
  }
  x86::Mem saved_vector(std::uint32_t v) const {
    return x86::ptr(x86::rsp, vectors_base_ + static_cast<std::int32_t>(v) * 16);
  }

  void refuel() override {
    a_.mov(x86::rax, x86::ptr(x86::rdi, offsetof(KernelArgs, fuel)));
    a_.mov(x86::ptr(x86::rsp), x86::rax);
  }

  void advance(const EntryCode& entry, const Label& group) override {
    const auto step = [&](std::size_t binding) {
      a_.mov(x86::rax, x86::ptr(x86::rdi, static_cast<std::int32_t>(binding + offsetof(Binding, step))));
      a_.add(x86::ptr(x86::rdi, static_cast<std::int32_t>(binding + offsetof(Binding, address))), x86::rax);
    };
    for (std::uint32_t n = 0; n < entry.inputs; ++n) step(offsetof(KernelArgs, inputs) + n * sizeof(Binding));
    for (std::uint32_t n = 0; n < entry.outputs; ++n)
      step(offsetof(KernelArgs, outputs) + n * sizeof(Binding));
    if (entry.reads_pixels) {
      const auto go_on = [&](std::size_t records, std::uint32_t bytes) {
        a_.add(x86::qword_ptr(x86::rdi, static_cast<std::int32_t>(records)), bytes);
      };
      go_on(offsetof(KernelArgs, quads), quad_bytes(out_.lanes));
      go_on(offsetof(KernelArgs, groups), sizeof(pixels::GroupRecord));
    }
    if (entry.counts_groups) a_.inc(x86::dword_ptr(x86::rdi, offsetof(KernelArgs, group_index)));
    a_.dec(x86::qword_ptr(x86::rdi, offsetof(KernelArgs, group_count)));
    a_.jnz(group);
    if (entry.counts_groups) next_block(group);
  }

  // KernelArgs::next_block.
  void next_block(const Label& group) {
    const Label done = a_.newLabel();
    const auto field = [](std::size_t offset) {
      return x86::dword_ptr(x86::rdi, static_cast<std::int32_t>(offset));
    };
    constexpr std::size_t kBlock = offsetof(KernelArgs, block);
    a_.sub(x86::qword_ptr(x86::rdi, offsetof(KernelArgs, more_blocks)), 1);
    a_.jb(done);
    a_.mov(x86::eax, x86::dword_ptr(x86::rdi, offsetof(KernelArgs, block_groups)));
    a_.mov(x86::qword_ptr(x86::rdi, offsetof(KernelArgs, group_count)), x86::rax);
    a_.mov(x86::dword_ptr(x86::rdi, offsetof(KernelArgs, group_index)), 0);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      a_.mov(x86::eax, field(kBlock + 4 * axis));
      a_.inc(x86::eax);
      a_.mov(field(kBlock + 4 * axis), x86::eax);
      a_.cmp(x86::eax, field(offsetof(KernelArgs, grid_columns) + 4 * axis));
      a_.jb(group);
      a_.mov(field(kBlock + 4 * axis), 0);
    }
    a_.inc(field(kBlock + 8));
    a_.jmp(group);
    a_.bind(done);
  }

  void leave() override {
    if (flushes_) a_.vldmxcsr(x86::dword_ptr(x86::rsp, kCallersMode));
    for (std::uint32_t v = 0; v < 16; ++v)
      if (saved_vectors_ >> v & 1) a_.vmovups(x86::xmm(v), saved_vector(v));
    a_.vzeroupper();
    a_.lea(x86::rsp, x86::ptr(x86::rbp, -pushed_));
    for (std::uint32_t reg = 16; reg-- > 0;)
      if (saved_scalars_ >> reg & 1) a_.pop(gp64(reg));
    a_.pop(x86::rbp);
    a_.ret();
  }

  void note(std::size_t field, std::uint32_t word) override {
    a_.mov(x86::dword_ptr(x86::rdi, static_cast<std::int32_t>(field)), word);
  }

  void call(std::uint32_t site) override {
    put(x86::Inst::kIdMov, x86::eax, asmjit::Imm(site));
    put(x86::Inst::kIdCall, thunk_);
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

  // Called with the number of the call site in eax. Behind the registers that it keeps stand two words: the
  // caller's MXCSR, and the one that C++ expects.
  void thunk() override {
    const CallingConvention abi = calling_convention(options_.abi);
    const bool win64 = abi.argument == x86::rcx;
    constexpr std::int32_t kReturnAddress = 8;
    const std::int32_t room = win64 ? 40 : 8;  // keeps rsp aligned, with the shadow space of Win64
    a_.sub(x86::rsp, room);
    const std::int32_t base = calls_base_ + room + kReturnAddress;
    for_each_kept(base, [&](const auto& reg, const x86::Mem& slot, InstId id) { a_.emit(id, slot, reg); });
    const x86::Mem mode = x86::dword_ptr(x86::rsp, base + kCallSaves - 64),
                   plain = x86::dword_ptr(x86::rsp, base + kCallSaves - 60);
    constexpr std::uint32_t kPlainMode = 0x1f80;
    a_.stmxcsr(mode);
    a_.mov(plain, kPlainMode);
    a_.ldmxcsr(plain);
    a_.vzeroupper();
    const x86::Mem words = x86::ptr(x86::rsp, frame_base_ + call_words_ + room + kReturnAddress);
    const x86::Mem callee = x86::qword_ptr(abi.argument, offsetof(KernelArgs, call));
    if (win64) {
      a_.mov(x86::rcx, x86::rdi);
      a_.lea(x86::r8, words);
      a_.mov(x86::edx, x86::eax);
    } else {
      a_.mov(x86::esi, x86::eax);
      a_.lea(x86::rdx, words);
    }
    a_.call(callee);
    a_.ldmxcsr(mode);
    for_each_kept(base, [&](const auto& reg, const x86::Mem& slot, InstId id) { a_.emit(id, reg, slot); });
    a_.add(x86::rsp, room);
    a_.ret();
  }

  void subroutines() override {
    if (!multiply_add_.isValid()) return;
    mark(ir::kNoAddress);
    a_.bind(multiply_add_);
    multiply_add_truncated();
    multiply_add_.reset();
  }

  // The product in f64, where it is exact, without the fraction bits that f32 lacks; the sum in f64, then
  // rounded to f32. Where the addend is zero: the product rounded to nearest (docs/guests/tesla.md 8.3).
  // Keeps every register. A subroutine, because it is rarely needed and longer than the rest of a
  // multiply-add.
  void multiply_add_truncated() {
    constexpr std::int32_t kReturnAddress = 8, kKept = 4;
    constexpr int kDropped = 29;  // fraction bits of f64 that f32 lacks
    const bool v4 = host_.mask_registers;
    const auto bytes = static_cast<std::int32_t>(host_.vector_bytes), half = bytes / 2, room = kKept * bytes;
    const auto at = [&](std::int32_t offset) { return x86::ptr(x86::rsp, offset); };
    const auto half_vec = [&](Reg r) -> x86::Vec {
      return v4 ? x86::Vec(x86::ymm(r)) : x86::Vec(x86::xmm(r));
    };
    const std::int32_t left = room + kReturnAddress + frame_base_ + multiply_add_words_, right = left + bytes,
                       addend = right + bytes;
    namespace I = x86::Inst;
    a_.sub(x86::rsp, room);
    for (Reg r = 0; r < kKept; ++r) a_.emit(I::kIdVmovups, at(static_cast<std::int32_t>(r) * bytes), vec(r));
    if (v4) a_.kmovw(x86::eax, x86::k1);
    for (Reg n : {0u, 1u}) {
      const std::int32_t from = static_cast<std::int32_t>(n) * half;
      a_.emit(I::kIdVcvtps2pd, vec(0), at(left + from));
      a_.emit(I::kIdVcvtps2pd, vec(1), at(right + from));
      a_.emit(I::kIdVmulpd, vec(0), vec(0), vec(1));
      a_.emit(I::kIdVpsrlq, vec(0), vec(0), asmjit::Imm(kDropped));
      a_.emit(I::kIdVpsllq, vec(0), vec(0), asmjit::Imm(kDropped));
      a_.emit(I::kIdVcvtps2pd, vec(1), at(addend + from));
      a_.emit(I::kIdVaddpd, vec(0), vec(0), vec(1));
      a_.emit(I::kIdVcvtpd2ps, half_vec(2 + n), vec(0));
    }
    a_.emit(v4 ? I::kIdVinsertf64x4 : I::kIdVinsertf128, vec(2), vec(2), half_vec(3), asmjit::Imm(1));
    a_.emit(I::kIdVmovups, vec(0), at(left));
    a_.emit(I::kIdVmulps, vec(0), vec(0), at(right));
    a_.emit(I::kIdVmovups, vec(1), at(addend));
    a_.emit(I::kIdVaddps, vec(0), vec(0), vec(1));
    a_.vxorps(x86::xmm3, x86::xmm3, x86::xmm3);
    if (v4) {
      a_.emit(I::kIdVcmpps, x86::k1, vec(1), vec(3), asmjit::Imm(predicate::kEq));
      a_.setExtraReg(x86::k1);
      a_.emit(I::kIdVblendmps, vec(2), vec(2), vec(0));
      a_.kmovw(x86::k1, x86::eax);
    } else {
      a_.emit(I::kIdVcmpps, vec(3), vec(1), vec(3), asmjit::Imm(predicate::kEq));
      a_.emit(I::kIdVblendvps, vec(2), vec(2), vec(0), vec(3));
    }
    a_.emit(I::kIdVmovups, at(left), vec(2));
    for (Reg r = 0; r < kKept; ++r) a_.emit(I::kIdVmovups, vec(r), at(static_cast<std::int32_t>(r) * bytes));
    a_.add(x86::rsp, room);
    a_.ret();
  }

  void jump(const Label& target) override { a_.jmp(target); }

  void encode(const Inst& inst) override {
    const Op op = static_cast<Op>(inst.op);
    const Encoding& e = encoding(op);
    const InstId id = e.ids[host_.encoding];
    const asmjit::Imm imm(inst.imm);
    switch (e.form) {
      case Form::vvv:
        return put(id, vec(inst.def), vec(inst.use[0]), operand(inst, 1));
      case Form::vv:
        return put(id, vec(inst.def), operand(inst, 0));
      case Form::round: {  // no precision exception
        const int mode = op == Op::Floor ? 1 : op == Op::Ceil ? 2 : op == Op::Trunc ? 3 : 0;
        return put(id, vec(inst.def), operand(inst, 0), asmjit::Imm(8 | mode));
      }
      case Form::vvv_zero:
        toward_zero();
        return put(id, vec(inst.def), vec(inst.use[0]), vec(inst.use[1]));
      case Form::vv_zero:
        toward_zero();
        return put(id, vec(inst.def), vec(inst.use[0]));
      case Form::fma_down:
      case Form::fma_up:
        a_.addInstOptions(
            asmjit::InstOptions::kX86_ER |
            (e.form == Form::fma_down ? asmjit::InstOptions::kX86_RD_SAE : asmjit::InstOptions::kX86_RU_SAE));
        return put(id, vec(inst.def), vec(inst.use[1]), vec(inst.use[2]));
      case Form::fma_zero:
        toward_zero();
        return put(id, vec(inst.def), vec(inst.use[1]), vec(inst.use[2]));
      case Form::range:
        return put(id, vec(inst.def), vec(inst.use[0]), operand(inst, 1),
                   asmjit::Imm(op == Op::RangeMin ? 4 : 5));
      case Form::subroutine:
        if (!multiply_add_.isValid()) multiply_add_ = a_.newLabel();
        multiply_add_words_ = inst.mem.displacement;
        return put(id, multiply_add_);
      case Form::set_float_mode: {
        constexpr std::int32_t kModes[] = {kFlushMode, kFlushModeZero, kCallersMode};
        return put(id, x86::dword_ptr(x86::rsp, kModes[inst.imm]));
      }
      case Form::store_float_flags:
        return put(id, memory(inst, 4));
      case Form::vv_imm:
        return put(id, vec(inst.def), operand(inst, 0), imm);
      case Form::vvv_imm:
        return put(id, vec(inst.def), vec(inst.use[0]), operand(inst, 1), imm);
      case Form::vvvv_imm:
        return put(id, vec(inst.def), vec(inst.use[1]), operand(inst, 2), imm);
      case Form::shift:
        return put(id, vec(inst.def), vec(inst.use[0]), imm);
      case Form::fma:
        return fma(inst);
      case Form::look_up:
        return put(id, vec(inst.def), vec(inst.use[1]), operand(inst, 2));
      case Form::to_halves:
        return put(id, lower_half(inst.def), vec(inst.use[0]));
      case Form::to_halves_imm:
        return put(id, lower_half(inst.def), vec(inst.use[0]), imm);
      case Form::from_halves:
        return put(id, vec(inst.def), lower_half(inst.use[0]));
      case Form::upper_half:
        if (host_.vector_bytes == 64)
          return put(id, x86::ymm(inst.def), x86::zmm(inst.use[0]), asmjit::Imm(1));
        return put(id, x86::xmm(inst.def), x86::ymm(inst.use[0]), asmjit::Imm(1));
      case Form::upper_quarter: {
        Reg s = inst.use[0];  // registers 16 and up need the EVEX form
        return put(x86::Inst::kIdVextracti32x4, x86::xmm(inst.def), x86::ymm(s), asmjit::Imm(1));
      }
      case Form::compare:
        if (host_.mask_registers) return put(id, k(inst.def), vec(inst.use[0]), operand(inst, 1), imm);
        return put(id, vec(inst.def), vec(inst.use[0]), operand(inst, 1), imm);
      case Form::compare_masked:
        return put_masked(id, inst.use[2], false, k(inst.def), vec(inst.use[0]), operand(inst, 1), imm);
      case Form::test:
        return put(id, k(inst.def), vec(inst.use[0]), operand(inst, 1));
      case Form::test_masked:
        return put_masked(id, inst.use[2], false, k(inst.def), vec(inst.use[0]), operand(inst, 1));
      case Form::blend:
        if (host_.mask_registers)
          return put_masked(id, inst.use[2], false, vec(inst.def), vec(inst.use[0]), operand(inst, 1));
        return put(id, vec(inst.def), vec(inst.use[0]), operand(inst, 1), vec(inst.use[2]));
      case Form::vv_zero_mask:
        return put_masked(id, inst.use[1], true, vec(inst.def), operand(inst, 0));
      case Form::merge_zero:
        return put_masked(id, inst.use[1], false, vec(inst.def), vec(inst.def), vec(inst.def));
      case Form::kkk:
        return put(id, k(inst.def), k(inst.use[0]), k(inst.use[1]));
      case Form::kk:
        return put(id, k(inst.def), k(inst.use[0]));
      case Form::k_constant:
        return put(id, k(inst.def), k(inst.def), k(inst.def));
      case Form::v_from_k:
        return put(id, vec(inst.def), k(inst.use[0]));
      case Form::k_from_v:
        return put(id, k(inst.def), vec(inst.use[0]));
      case Form::k_from_scalar:
        return put(id, k(inst.def), gp32(inst.use[0]));
      case Form::k_to_scalar:
        return put(id, gp32(inst.def), k(inst.use[0]));
      case Form::mask_to_scalar:
        return put(id, gp32(inst.def), x86::ymm(inst.use[0]));
      case Form::k_load:
        return put(id, k(inst.def), memory(inst, 2));
      case Form::k_store:
        return put(id, memory(inst, 2), k(inst.use[0]));
      case Form::v_constant:
        if (op == Op::Zero) return clear(inst.def);
        if (host_.mask_registers)
          return put(id, vec(inst.def), vec(inst.def), vec(inst.def), asmjit::Imm(0xff));
        return put(id, vec(inst.def), vec(inst.def), vec(inst.def));
      case Form::load_broadcast:
        return put(id, vec(inst.def), memory(inst, 4));
      case Form::broadcast_masked:
        return put_masked(id, inst.use[0], true, vec(inst.def), memory(inst, 4));
      case Form::broadcast_scalar:
        if (host_.mask_registers) return put(id, vec(inst.def), gp32(inst.use[0]));
        put(x86::Inst::kIdVmovd, x86::xmm(inst.def), gp32(inst.use[0]));
        return put(id, vec(inst.def), x86::xmm(inst.def));
      case Form::v_to_scalar:
        return put(id, gp32(inst.def), x86::xmm(inst.use[0]));
      case Form::load_full:
        return put(id, vec(inst.def), memory(inst, host_.vector_bytes));
      case Form::load_full_ahead: {
        x86::Mem ahead = memory(inst, host_.vector_bytes);
        put(id, vec(inst.def), ahead);
        ahead.addOffset(inst.imm);
        ahead.setSize(0);
        return put(x86::Inst::kIdPrefetcht0, ahead);
      }
      case Form::store_full:
        return put(id, memory(inst, host_.vector_bytes), vec(inst.use[0]));
      case Form::store_masked:
        if (host_.mask_registers)
          return put_masked(id, inst.use[1], false, memory(inst, host_.vector_bytes), vec(inst.use[0]));
        return put(id, memory(inst, host_.vector_bytes), vec(inst.use[1]), vec(inst.use[0]));
      case Form::load_masked:
        if (host_.mask_registers)
          return put_masked(id, inst.use[0], true, vec(inst.def), memory(inst, host_.vector_bytes));
        return put(id, vec(inst.def), vec(inst.use[0]), memory(inst, host_.vector_bytes));
      case Form::spread_first:
        return put(id, vec(inst.def), x86::xmm(inst.use[0]));
      case Form::gather: {
        clear(inst.def);  // lanes without guard would wait for what it held
        const x86::Mem from = lanes_of(inst, inst.use[0]);
        if (!host_.mask_registers) return put(id, vec(inst.def), from, vec(inst.use[1]));
        return put_masked(id, inst.use[1], false, vec(inst.def), from);
      }
      case Form::gather_pairs: {
        clear(inst.def);
        x86::Mem from = lanes_of(inst, inst.use[0]);
        from.setIndex(lower_half(inst.use[0]));
        if (!host_.mask_registers) return put(id, vec(inst.def), from, vec(inst.use[1]));
        return put_masked(id, inst.use[1], false, vec(inst.def), from);
      }
      case Form::scatter:
        return put_masked(id, inst.use[2], false, lanes_of(inst, inst.use[1]), vec(inst.use[0]));
      case Form::load_row:
        return put(id, x86::xmm(inst.def), memory(inst, 16));
      case Form::insert_row:
        return put(id, vec(inst.def), vec(inst.use[0]), memory(inst, 16), imm);
      case Form::store_row:
        return put(id, memory(inst, 16), x86::xmm(inst.use[0]));
      case Form::extract_row:
        return put(id, memory(inst, 16), vec(inst.use[0]), imm);
      case Form::store_word:
        return put(id, memory(inst, 4), x86::xmm(inst.use[0]));
      case Form::s_imm:
        if (inst.imm == 0)
          return put(x86::Inst::kIdMov, gp32(inst.def), asmjit::Imm(0));  // flags may be live: no xor
        return put(id, gp32(inst.def), imm);
      case Form::s_load:
        return put(id, gp32(inst.def), memory(inst, 4));
      case Form::s_load8:
        return put(id, gp32(inst.def), memory(inst, 1));
      case Form::s_load16:
        return put(id, gp32(inst.def), memory(inst, 2));
      case Form::s_load64:
        return put(id, gp64(inst.def), memory(inst, 8));
      case Form::s_store:
        return put(id, memory(inst, 8), gp64(inst.use[0]));
      case Form::s_store_word:
        return put(id, memory(inst, 4), gp32(inst.use[0]));
      case Form::s_store_byte:
        return put(id, memory(inst, 1), x86::gpb_lo(inst.use[0]));
      case Form::s_copy:
        return put(id, gp64(inst.def), gp64(inst.use[0]));
      case Form::s_lea:
        return put(id, gp64(inst.def), memory(inst));
      case Form::s_tied:
        return put(id, gp32(inst.def), gp32(inst.use[1]));
      case Form::s_tied_imm:
        return put(id, gp32(inst.def), imm);
      case Form::s_neg:
        return put(id, gp32(inst.def));
      case Form::s_compare:
        scalar_compare(inst);
        put(set_condition(inst), x86::al);
        return put(x86::Inst::kIdMovzx, gp32(inst.def), x86::al);
      case Form::s_extreme: {
        const bool is_signed = unpack_condition(inst.imm) == Condition::less_s;
        const bool least = static_cast<Op>(inst.op) == Op::SMin;
        put(x86::Inst::kIdCmp, gp32(inst.def), gp32(inst.use[1]));
        return put(!is_signed ? id
                   : least    ? x86::Inst::kIdCmovnl
                              : x86::Inst::kIdCmovl,
                   gp32(inst.def), gp32(inst.use[1]));
      }
      case Form::s_select:
        put(x86::Inst::kIdTest, gp32(inst.use[2]), gp32(inst.use[2]));
        return put(id, gp32(inst.def), gp32(inst.use[1]));
      case Form::s_select64:
        put(x86::Inst::kIdTest, gp32(inst.use[2]), gp32(inst.use[2]));
        return put(id, gp64(inst.def), gp64(inst.use[1]));
      case Form::s_sign_extend:
        return put(id, gp64(inst.def), gp32(inst.use[0]));
      case Form::s_bit_scan:
        return put(id, gp32(inst.def), gp32(inst.use[0]));
      case Form::s_atomic:
        return atomic(inst);
      case Form::halves:
        return put_halves({half_instruction(op), inst.def, inst.use[0], inst.use[1]});
      case Form::halves_fma:
        return fma_of_halves(inst);
      case Form::halves_compare:  // k0 is no one's
        put_halves({kCompareHalves, 0, inst.use[0], inst.use[1], static_cast<std::uint8_t>(inst.imm)});
        return put(id, vec(inst.def), x86::k0);
      case Form::none:
        break;
    }
    assert(false && "the x64 lowering does not make this");
  }

  void put_halves(const HalfCode& code) {
    const auto bytes = code.bytes();
    put_bytes({bytes.data(), code.size()}, options_.listing ? code.text() : std::string());
  }
  // As fma().
  void fma_of_halves(const Inst& inst) {
    const Reg d = inst.def, x = inst.use[0], y = inst.use[1], z = inst.use[2];
    if (d == z) return put_halves({kFma231OfHalves, d, x, y});
    if (d == y) return put_halves({kFma213OfHalves, d, x, z});
    if (d != x) {
      put(x86::Inst::kIdVmovaps, vec(d), vec(x));
      ++out_.statistics.moves;
    }
    put_halves({kFma213OfHalves, d, y, z});
  }

  // use[0]*use[1] + use[2], or less use[2], or use[2] less the product, in the form in which the definition
  // overwrites what ends here, if anything does.
  void fma(const Inst& inst) {
    struct Forms {
      InstId id132, id213, id231;
    };
    static constexpr Forms kSum{x86::Inst::kIdVfmadd132ps, x86::Inst::kIdVfmadd213ps,
                                x86::Inst::kIdVfmadd231ps},
        kDifference{x86::Inst::kIdVfmsub132ps, x86::Inst::kIdVfmsub213ps, x86::Inst::kIdVfmsub231ps},
        kLessProduct{x86::Inst::kIdVfnmadd132ps, x86::Inst::kIdVfnmadd213ps, x86::Inst::kIdVfnmadd231ps};
    const Op op = static_cast<Op>(inst.op);
    const Forms& forms = op == Op::Fms ? kDifference : op == Op::Fnma ? kLessProduct : kSum;
    Reg d = inst.def, x = inst.use[0], y = inst.use[1], z = inst.use[2];
    if (d == z && z != lir::kNoReg) {
      if (x == lir::kNoReg) return put(forms.id231, vec(d), vec(y), operand(inst, 0));
      return put(forms.id231, vec(d), vec(x), operand(inst, 1));
    }
    int first = d == y && y != lir::kNoReg ? 1 : 0;  // the factor that d holds
    int second = 1 - first;
    if (inst.use[first] == lir::kNoReg) std::swap(first, second);
    if (inst.use[first] != d) {
      // d holds no operand that is still to be read: it has its own register, or that of an operand, which
      // the cases above handle.
      put(x86::Inst::kIdVmovaps, vec(d), vec(inst.use[first]));
      ++out_.statistics.moves;
    }
    if (inst.use[second] == lir::kNoReg) return put(forms.id132, vec(d), vec(z), operand(inst, second));
    put(forms.id213, vec(d), vec(inst.use[second]), operand(inst, 2));
  }

  template <class... Operands>
  void put_locked(bool locked, InstId id, const Operands&... operands) {
    if (locked) a_.addInstOptions(asmjit::InstOptions::kX86_Lock);
    put(id, operands...);
  }
  // The definition is none of the operands. rax holds what the word may be compared with.
  void atomic(const Inst& inst) {
    using Function = ir::AtomicFunction;
    namespace I = x86::Inst;
    const auto [function, shared] = unpack_atomic(inst.imm);
    const x86::Gp d = gp32(inst.def), b = gp32(inst.use[0]), old = x86::eax;
    const x86::Mem word = memory(inst, 4);
    switch (function) {
      case Function::add:
        put(I::kIdMov, d, b);
        return put_locked(shared, I::kIdXadd, word, d);
      case Function::exchange:
        if (shared) {
          put(I::kIdMov, d, b);
          return put(I::kIdXchg, word, d);
        }
        put(I::kIdMov, d, word);
        return put(I::kIdMov, word, b);
      case Function::compare_exchange:
        put(I::kIdMov, old, b);
        put_locked(shared, I::kIdCmpxchg, word, gp32(inst.use[1]));
        return put(I::kIdMov, d, old);
      default:
        break;
    }
    const Label again = a_.newLabel();
    put(I::kIdMov, old, word);
    a_.bind(again);
    after(function, d, old, b);
    if (shared) {
      put_locked(true, I::kIdCmpxchg, word, d);
      put(I::kIdJne, again);
    } else {
      put(I::kIdMov, word, d);
    }
    put(I::kIdMov, d, old);
  }
  // What an atomic leaves in place of the old value.
  void after(ir::AtomicFunction function, const x86::Gp& d, const x86::Gp& old, const x86::Gp& b) {
    using Function = ir::AtomicFunction;
    namespace I = x86::Inst;
    const auto operation = [&](InstId id) {
      put(I::kIdMov, d, b);
      put(id, d, old);
    };
    const auto old_if = [&](InstId move) {
      put(I::kIdMov, d, b);
      put(I::kIdCmp, old, b);
      put(move, d, old);
    };
    switch (function) {
      case Function::increment: {
        const Label done = a_.newLabel();
        put(I::kIdMov, d, asmjit::Imm(0));
        put(I::kIdCmp, old, b);
        put(I::kIdJae, done);
        put(I::kIdLea, d, x86::ptr(old.r64(), 1));
        a_.bind(done);
        return;
      }
      case Function::decrement:
        put(I::kIdLea, d, x86::ptr(old.r64(), -1));
        put(I::kIdCmp, d, b);
        return put(I::kIdCmova, d, b);
      case Function::max_s:
        return old_if(I::kIdCmovg);
      case Function::max_u:
        return old_if(I::kIdCmova);
      case Function::min_s:
        return old_if(I::kIdCmovl);
      case Function::min_u:
        return old_if(I::kIdCmovb);
      case Function::add_saturated_u:
      case Function::add_saturated_s: {
        const bool is_signed = function == Function::add_saturated_s;
        const Label done = a_.newLabel();
        operation(I::kIdAdd);
        put(is_signed ? I::kIdJno : I::kIdJnc, done);
        if (is_signed) {  // what has overflown has the sign that the end of the range has not
          put(I::kIdSar, d, asmjit::Imm(31));
          put(I::kIdXor, d, asmjit::Imm(std::numeric_limits<std::int32_t>::min()));
        } else {
          put(I::kIdMov, d, asmjit::Imm(-1));
        }
        a_.bind(done);
        return;
      }
      case Function::and_:
        return operation(I::kIdAnd);
      case Function::or_:
        return operation(I::kIdOr);
      default:
        return operation(I::kIdXor);
    }
  }

  void scalar_compare(const Inst& inst) {
    if (inst.imm & kCompareImmediate)
      put(x86::Inst::kIdCmp, gp32(inst.use[0]), asmjit::Imm(unpack_constant(inst.imm)));
    else if (static_cast<Op>(inst.op) == Op::BranchCompare64)
      put(x86::Inst::kIdCmp, gp64(inst.use[0]), gp64(inst.use[1]));
    else
      put(x86::Inst::kIdCmp, gp32(inst.use[0]), gp32(inst.use[1]));
  }
  static InstId set_condition(const Inst& inst) {
    static constexpr InstId kIds[] = {x86::Inst::kIdSete,  x86::Inst::kIdSetne, x86::Inst::kIdSetl,
                                      x86::Inst::kIdSetle, x86::Inst::kIdSetb,  x86::Inst::kIdSetbe};
    return kIds[static_cast<std::size_t>(unpack_condition(inst.imm))];
  }

  void branch(const Inst& inst, bool sense, const Label& target) override {
    static constexpr InstId kNotZero[] = {x86::Inst::kIdJz, x86::Inst::kIdJnz};
    switch (static_cast<Op>(inst.op)) {
      case Op::BranchScalar:
        put(x86::Inst::kIdTest, gp32(inst.use[0]), gp32(inst.use[0]));
        return put(kNotZero[sense], target);
      case Op::BranchBits:
        put(x86::Inst::kIdTest, gp32(inst.use[0]), asmjit::Imm(inst.imm));
        return put(kNotZero[sense], target);
      case Op::BranchMask:
        if (inst.use_count == 2)
          put(x86::Inst::kIdKortestw, k(inst.use[0]), k(inst.use[1]));
        else
          test_mask(inst.use[0]);
        return put(kNotZero[sense], target);
      case Op::BranchUnlessAll:  // the carry flag: all ones
        test_mask(inst.use[0]);
        return put(sense ? x86::Inst::kIdJnc : x86::Inst::kIdJc, target);
      case Op::BranchUnlessBits:
        put(x86::Inst::kIdVptest, vec(inst.use[0]), operand(inst, 1));
        return put(sense ? x86::Inst::kIdJnc : x86::Inst::kIdJc, target);
      default: {
        scalar_compare(inst);
        static constexpr InstId kJumps[][2] = {
            {x86::Inst::kIdJne, x86::Inst::kIdJe}, {x86::Inst::kIdJe, x86::Inst::kIdJne},
            {x86::Inst::kIdJge, x86::Inst::kIdJl}, {x86::Inst::kIdJg, x86::Inst::kIdJle},
            {x86::Inst::kIdJae, x86::Inst::kIdJb}, {x86::Inst::kIdJa, x86::Inst::kIdJbe}};
        return put(kJumps[static_cast<std::size_t>(unpack_condition(inst.imm))][sense], target);
      }
    }
  }

  void test_mask(Reg mask) {
    if (host_.mask_registers)
      put(x86::Inst::kIdKortestw, k(mask), k(mask));
    else
      put(x86::Inst::kIdVtestps, x86::ymm(mask), x86::ymm(mask));
  }
  void jump_if_any(Reg mask, const Label& target) override {
    test_mask(mask);
    put(x86::Inst::kIdJnz, target);
  }

  void jump_if_at_least(Reg index, std::uint32_t bound, const Label& target) override {
    put(x86::Inst::kIdCmp, gp32(index), asmjit::Imm(bound));
    put(x86::Inst::kIdJae, target);
  }

  void burn_fuel(const Label& used_up, const Label& cancelled) override {
    put(x86::Inst::kIdSub, x86::qword_ptr(x86::rsp), asmjit::Imm(1));
    put(x86::Inst::kIdJs, used_up);
    put(x86::Inst::kIdMov, x86::rax, x86::qword_ptr(x86::rdi, offsetof(KernelArgs, cancel)));
    put(x86::Inst::kIdCmp, x86::dword_ptr(x86::rax), asmjit::Imm(0));
    put(x86::Inst::kIdJne, cancelled);
  }

  void leave_if_stopped() override {
    static_assert(static_cast<int>(KernelStatus::done) == 0);
    put(x86::Inst::kIdCmp, x86::dword_ptr(x86::rdi, offsetof(KernelArgs, status)), asmjit::Imm(0));
    put(x86::Inst::kIdJne, leave_);
  }

  const asmjit::OperandSignature vector_signature_ =
      host_.vector_bytes == 64 ? x86::zmm0.signature() : x86::ymm0.signature();
  x86::Assembler a_;
  // Words of the frame behind the fuel.
  static constexpr std::int32_t kCallersMode = 16, kFlushMode = 20, kFlushModeZero = 24;
  bool flushes_ = false;
  Label multiply_add_;  // of the entry, once it is called
  std::int32_t multiply_add_words_ = 0;
  // Bytes for the registers that a call keeps: vectors, masks, scalars, two words of MXCSR.
  static constexpr std::int32_t kCallSaves = 32 * 64 + 64 + 64 + 64;
  std::int32_t frame_base_ = 0, spill_base_ = 0, vectors_base_ = 0, calls_base_ = 0, pushed_ = 0;
  std::uint32_t saved_scalars_ = 0, saved_vectors_ = 0;  // bit per register number
};

}  // namespace

Status emit(const EntryCode& kernel, const EntryCode* preamble, const Host& host, const ConstantPool& pool,
            const CompileOptions& options, MachineCode& out) {
  return X64Emitter(host, options, out).run(kernel, preamble, pool);
}

}  // namespace warpjit::backend::x64
