#include <asmjit/core.h>
#if __has_include(<asmjit/a64.h>)
#include <asmjit/a64.h>
#else
#include <asmjit/arm/a64assembler.h>
#include <asmjit/arm/a64utils.h>
#endif

#include <array>
#include <cstddef>
#include <cstdio>

#include "backend/a64/host.h"
#include "backend/a64/immediate.h"
#include "backend/emit/emitter.h"

namespace warpjit::backend::a64 {
namespace {

namespace arm = asmjit::arm;
using Gp = arm::GpX;
using Id = asmjit::a64::Inst::Id;
namespace SysReg = asmjit::a64::Predicate::SysReg;
using lir::Inst;
using lir::MemBase;
using lir::Reg;

struct Encoding {
  Form form = Form::none;
  asmjit::InstId id = 0;
};
const Encoding& encoding(Op op) {
  static constexpr std::array<Encoding, kOpCount> kEncodings = [] {
    std::array<Encoding, kOpCount> table;
#define A64_OP(name, form, id) table[static_cast<std::size_t>(Op::name)] = {Form::form, Id::kId##id};
#include "backend/a64/opcodes.inc"
#undef A64_OP
    return table;
  }();
  return kEncodings[static_cast<std::size_t>(op)];
}

constexpr std::uint32_t kFramePointer = 29, kLink = 30;
// Of FPCR: one NaN, as in all code (base/float_environment.h); no denormals; rounding toward zero.
constexpr std::uint32_t kPlainMode = 1u << 25, kFlushMode = kPlainMode | 1u << 24,
                        kFlushModeZero = kFlushMode | 3u << 22;
// The registers that AAPCS64 preserves: x19 to x28, the low halves of v8 to v15.
constexpr std::uint32_t kSavedScalars = 0x1ff80000u, kSavedVectors = 0xff00u;

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
  arm::Mem at(const Gp& base, std::int32_t offset, std::int32_t size, Reg scratch = kScratch) {
    if (offset >= 0 && offset % size == 0 && offset / size < 4096) return arm::ptr(base, offset);
    put(Id::kIdMov, x(scratch), asmjit::Imm(offset));
    return arm::ptr(base, x(scratch));
  }
  arm::Mem memory(const Inst& inst, std::int32_t size) {
    const lir::Mem& from = inst.mem;
    switch (from.base) {
      case MemBase::table:
        return at(x(kTable), from.displacement, size);
      case MemBase::args:
        return at(x(kArgs), from.displacement, size);
      case MemBase::frame:
        return at(asmjit::a64::sp, from.displacement, size);
      case MemBase::spill:
        return at(asmjit::a64::sp, spill_base_ + spill_offset(from), size);
      case MemBase::pool:
        return arm::ptr(pool_, from.displacement);
      case MemBase::reg:
        break;
      case MemBase::none:
        assert(false && "no memory operand");
    }
    const Gp base = x(inst.use[from.base_use]);
    if (from.index_use == 0xff) return at(base, from.displacement, size);
    if (from.displacement == 0) return arm::ptr(base, x(inst.use[from.index_use]), arm::lsl(from.scale_log2));
    put(Id::kIdAdd, x(kScratch), base, x(inst.use[from.index_use]), asmjit::Imm(arm::lsl(from.scale_log2)));
    return at(x(kScratch), from.displacement, size, kScratch2);
  }
  // The address of the memory operand, whose base is a register, in kScratch.
  void address_in_scratch(const Inst& inst) {
    const lir::Mem& from = inst.mem;
    const Gp base = x(inst.use[from.base_use]);
    if (from.index_use == 0xff) return put_sum(kScratch, base, from.displacement);
    put(Id::kIdAdd, x(kScratch), base, x(inst.use[from.index_use]), asmjit::Imm(arm::lsl(from.scale_log2)));
    if (from.displacement != 0) put_sum(kScratch, x(kScratch), from.displacement);
  }
  void put_sum(Reg to, const Gp& base, std::int32_t amount) {
    if (amount >= 0 && amount < 4096) return put(Id::kIdAdd, x(to), base, asmjit::Imm(amount));
    if (amount < 0 && amount > -4096) return put(Id::kIdSub, x(to), base, asmjit::Imm(-amount));
    put(Id::kIdMov, x(kScratch2), asmjit::Imm(std::int64_t{amount}));
    put(Id::kIdAdd, x(to), base, x(kScratch2));
  }
  void skip_unless(Reg guard, std::uint32_t n, const Label& skip) {
    put(Id::kIdUmov_v, w(kScratch2), lane(guard, n));
    put(Id::kIdCbz, w(kScratch2), skip);
  }
  // A vector side by side, of which lanes without guard are not touched: all at once, or lane by lane.
  void access_masked(asmjit::InstId of_lane, asmjit::InstId of_vector, const Inst& inst, Reg vector,
                     Reg guard) {
    const Label some = a_.newLabel(), done = a_.newLabel();
    address_in_scratch(inst);
    for (std::uint32_t half : {0u, 1u}) {
      put(Id::kIdUmov_v, x(kScratch2), arm::VecV(guard).d(half));
      put(Id::kIdCmn, x(kScratch2), asmjit::Imm(1));
      branch_on(arm::CondCode::kNE, some);
    }
    put(of_vector, whole(vector), arm::ptr(x(kScratch)));
    put(Id::kIdB, done);
    a_.bind(some);
    for (std::uint32_t n = 0; n < 4; ++n) {
      const Label skip = a_.newLabel();
      skip_unless(guard, n, skip);
      if (n != 0) put(Id::kIdAdd, x(kScratch2), x(kScratch), asmjit::Imm(4 * n));
      put(of_lane, lane(vector, n), arm::ptr(x(n == 0 ? kScratch : kScratch2)));
      a_.bind(skip);
    }
    a_.bind(done);
  }
  // Words at offsets, lane by lane.
  void access_lanes(asmjit::InstId id, const Inst& inst, Reg vector, Reg offsets, Reg guard) {
    address_in_scratch(inst);
    for (std::uint32_t n = 0; n < 4; ++n) {
      const Label skip = a_.newLabel();
      if (guard != lir::kNoReg) skip_unless(guard, n, skip);
      put(Id::kIdUmov_v, w(kScratch2), lane(offsets, n));
      put(Id::kIdAdd, x(kScratch2), x(kScratch), x(kScratch2));
      put(id, lane(vector, n), arm::ptr(x(kScratch2)));
      a_.bind(skip);
    }
  }

  void put_large(asmjit::InstId id, const Gp& to, const Gp& from, std::uint32_t amount) {
    if (amount < 4096) return put(id, to, from, asmjit::Imm(amount));
    put(Id::kIdMov, x(kScratch), asmjit::Imm(amount));
    put(id, to, from, x(kScratch));
  }

  void enter(const EntryCode& entry) override {
    saved_scalars_ = kSavedScalars & written(lir::RegClass::scalar);
    saved_vectors_ = kSavedVectors & written(lir::RegClass::vector);
    // Frame, from sp: the lowering's area, spill slots, saved registers, what calls keep.
    spill_base_ = static_cast<std::int32_t>((entry.code->frame_bytes + 15) / 16 * 16);
    saved_base_ = spill_base_ + static_cast<std::int32_t>((allocation_->spill_bytes + 15) / 16 * 16);
    calls_base_ = saved_base_ + 18 * 8;
    frame_bytes_ = static_cast<std::uint32_t>(calls_base_ + (calls_ ? kCallSaves : 0));
    a_.emit(Id::kIdStp, x(kFramePointer), x(kLink), arm::ptr_pre(asmjit::a64::sp, -16));
    a_.emit(Id::kIdMov, x(kFramePointer), asmjit::a64::sp);
    if (frame_bytes_ < 4096) {
      a_.emit(Id::kIdSub, asmjit::a64::sp, asmjit::a64::sp, asmjit::Imm(frame_bytes_));
    } else {
      a_.emit(Id::kIdMov, x(kScratch), asmjit::Imm(frame_bytes_));
      a_.emit(Id::kIdSub, asmjit::a64::sp, asmjit::a64::sp, x(kScratch));
    }
    for_each_saved([&](auto reg, std::int32_t offset, asmjit::InstId store, asmjit::InstId) {
      a_.emit(store, reg, at(asmjit::a64::sp, offset, 8));
    });
    flushes_ = entry.code->flushes;
    if (flushes_) a_.emit(Id::kIdMsr, asmjit::Imm(SysReg::kFPSR), asmjit::a64::xzr);
    if (entry.code->flushes_between) set_mode(kFlushMode);
    a_.emit(Id::kIdLdr, x(kTable), arm::ptr(x(kArgs), offsetof(KernelArgs, table)));
    if (burns_fuel_) a_.emit(Id::kIdLdr, x(kCancel), arm::ptr(x(kArgs), offsetof(KernelArgs, cancel)));
  }
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

  void advance(const EntryCode& entry, const Label& group) override {
    const auto step = [&](std::size_t binding) {
      const arm::Mem address =
          arm::ptr(x(kArgs), static_cast<std::int32_t>(binding + offsetof(Binding, address)));
      a_.emit(Id::kIdLdr, x(kScratch), address);
      a_.emit(Id::kIdLdr, x(kScratch2),
              arm::ptr(x(kArgs), static_cast<std::int32_t>(binding + offsetof(Binding, step))));
      a_.emit(Id::kIdAdd, x(kScratch), x(kScratch), x(kScratch2));
      a_.emit(Id::kIdStr, x(kScratch), address);
    };
    for (std::uint32_t n = 0; n < entry.inputs; ++n) step(offsetof(KernelArgs, inputs) + n * sizeof(Binding));
    for (std::uint32_t n = 0; n < entry.outputs; ++n)
      step(offsetof(KernelArgs, outputs) + n * sizeof(Binding));
    if (entry.reads_pixels) {
      const auto go_on = [&](std::size_t records, std::uint32_t bytes) {
        const arm::Mem at = arm::ptr(x(kArgs), static_cast<std::int32_t>(records));
        a_.emit(Id::kIdLdr, x(kScratch), at);
        a_.emit(Id::kIdAdd, x(kScratch), x(kScratch), asmjit::Imm(bytes));
        a_.emit(Id::kIdStr, x(kScratch), at);
      };
      go_on(offsetof(KernelArgs, quads), quad_bytes(out_.lanes));
      go_on(offsetof(KernelArgs, groups), sizeof(pixels::GroupRecord));
    }
    if (entry.counts_groups) {
      const arm::Mem index = arm::ptr(x(kArgs), offsetof(KernelArgs, group_index));
      a_.emit(Id::kIdLdr, w(kScratch), index);
      a_.emit(Id::kIdAdd, w(kScratch), w(kScratch), asmjit::Imm(1));
      a_.emit(Id::kIdStr, w(kScratch), index);
    }
    const arm::Mem count = arm::ptr(x(kArgs), offsetof(KernelArgs, group_count));
    a_.emit(Id::kIdLdr, x(kScratch), count);
    a_.emit(Id::kIdSub, x(kScratch), x(kScratch), asmjit::Imm(1));
    a_.emit(Id::kIdStr, x(kScratch), count);
    a_.emit(Id::kIdCbnz, x(kScratch), group);
    if (entry.counts_groups) next_block(entry, group);
  }

  // KernelArgs::next_block.
  void next_block(const EntryCode& entry, const Label& group) {
    const auto field = [&](std::size_t offset) {
      return arm::ptr(x(kArgs), static_cast<std::int32_t>(offset));
    };
    const arm::Mem more = field(offsetof(KernelArgs, more_blocks));
    const Label done = a_.newLabel(), begin = entry.begins_shared ? a_.newLabel() : group;
    a_.emit(Id::kIdLdr, x(kScratch), more);
    a_.emit(Id::kIdCbz, x(kScratch), done);
    a_.emit(Id::kIdSub, x(kScratch), x(kScratch), asmjit::Imm(1));
    a_.emit(Id::kIdStr, x(kScratch), more);
    a_.emit(Id::kIdLdr, w(kScratch), field(offsetof(KernelArgs, block_groups)));
    a_.emit(Id::kIdStr, x(kScratch), field(offsetof(KernelArgs, group_count)));
    a_.emit(Id::kIdStr, asmjit::a64::wzr, field(offsetof(KernelArgs, group_index)));
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const arm::Mem number = field(offsetof(KernelArgs, block) + 4 * axis);
      a_.emit(Id::kIdLdr, w(kScratch), number);
      a_.emit(Id::kIdAdd, w(kScratch), w(kScratch), asmjit::Imm(1));
      a_.emit(Id::kIdStr, w(kScratch), number);
      a_.emit(Id::kIdLdr, w(kScratch2), field(offsetof(KernelArgs, grid_columns) + 4 * axis));
      a_.emit(Id::kIdSub, w(kScratch2), w(kScratch2), w(kScratch));
      a_.emit(Id::kIdCbnz, w(kScratch2), begin);
      a_.emit(Id::kIdStr, asmjit::a64::wzr, number);
    }
    const arm::Mem plane = field(offsetof(KernelArgs, block) + 8);
    a_.emit(Id::kIdLdr, w(kScratch), plane);
    a_.emit(Id::kIdAdd, w(kScratch), w(kScratch), asmjit::Imm(1));
    a_.emit(Id::kIdStr, w(kScratch), plane);
    if (entry.begins_shared) {
      a_.bind(begin);
      begin_shared();
    }
    a_.emit(Id::kIdB, group);
    a_.bind(done);
  }

  // KernelArgs::begin_shared. Between groups no register but those of the arguments holds anything; these
  // are the caller's.
  void begin_shared() {
    constexpr std::uint32_t kTo = 9, kFrom = 10, kLeft = 11, kBytes = 12;
    const auto load_field = [&](std::uint32_t to, std::size_t offset) {
      a_.emit(Id::kIdLdr, x(to), arm::ptr(x(kArgs), static_cast<std::int32_t>(offset)));
    };
    const auto each_line = [&](bool copies) {
      const Label turn = a_.newLabel();
      a_.bind(turn);
      for (std::uint32_t n = 0; n < kSharedLine; n += 16) {
        if (copies) a_.emit(Id::kIdLdr_v, asmjit::a64::q0, arm::ptr_post(x(kFrom), 16));
        a_.emit(Id::kIdStr_v, asmjit::a64::q0, arm::ptr_post(x(kTo), 16));
      }
      a_.emit(Id::kIdSub, x(kLeft), x(kLeft), asmjit::Imm(kSharedLine));
      a_.emit(Id::kIdCbnz, x(kLeft), turn);
    };
    const Label position = a_.newLabel();
    load_field(kTo, offsetof(KernelArgs, shared));
    load_field(kFrom, offsetof(KernelArgs, head));
    load_field(kLeft, offsetof(KernelArgs, head_bytes));
    load_field(kBytes, offsetof(KernelArgs, shared_bytes));
    a_.emit(Id::kIdSub, x(kBytes), x(kBytes), x(kLeft));
    each_line(true);
    a_.emit(Id::kIdCbz, x(kBytes), position);
    a_.emit(Id::kIdMov, x(kLeft), x(kBytes));
    a_.emit(Id::kIdMovi_v, asmjit::a64::v0.d2(), asmjit::Imm(0));
    each_line(false);
    a_.bind(position);
    a_.emit(Id::kIdLdrh, w(kScratch), arm::ptr(x(kArgs), offsetof(KernelArgs, block)));
    a_.emit(Id::kIdLdr, w(kScratch2), arm::ptr(x(kArgs), offsetof(KernelArgs, block) + 4));
    a_.emit(Id::kIdOrr, w(kScratch), w(kScratch), w(kScratch2), asmjit::Imm(arm::lsl(16)));
    load_field(kTo, offsetof(KernelArgs, position));
    a_.emit(Id::kIdStr, w(kScratch), arm::ptr(x(kTo)));
  }

  void set_mode(std::uint32_t mode) {
    a_.emit(Id::kIdMov, x(kScratch), asmjit::Imm(mode));
    a_.emit(Id::kIdMsr, asmjit::Imm(SysReg::kFPCR), x(kScratch));
  }

  void leave() override {
    if (flushes_) set_mode(kPlainMode);
    for_each_saved([&](auto reg, std::int32_t offset, asmjit::InstId, asmjit::InstId load) {
      a_.emit(load, reg, at(asmjit::a64::sp, offset, 8));
    });
    a_.emit(Id::kIdMov, asmjit::a64::sp, x(kFramePointer));
    a_.emit(Id::kIdLdp, x(kFramePointer), x(kLink), arm::ptr_post(asmjit::a64::sp, 16));
    a_.emit(Id::kIdRet, x(kLink));
  }

  void note(std::size_t field, std::uint32_t word) override {
    a_.emit(Id::kIdMov, w(kScratch), asmjit::Imm(word));
    a_.emit(Id::kIdStr, w(kScratch), arm::ptr(x(kArgs), static_cast<std::int32_t>(field)));
  }

  void call(std::uint32_t site) override {
    put(Id::kIdMov, w(kScratch), asmjit::Imm(site));
    put(Id::kIdBl, thunk_);
  }

  // Called with the number of the call site in kScratch.
  void thunk() override {
    const auto at_call = [&](std::int32_t offset, std::int32_t size) {
      if (offset / size < 4096) return arm::ptr(asmjit::a64::sp, offset);
      a_.emit(Id::kIdMov, x(kScratch2), asmjit::Imm(offset));
      return arm::ptr(asmjit::a64::sp, x(kScratch2));
    };
    const auto for_each_kept = [&](asmjit::InstId vector_id, asmjit::InstId scalar_id) {
      std::int32_t offset = calls_base_;
      for (std::uint32_t r = 0; r < 32; ++r, offset += 16)
        if (written(lir::RegClass::vector) >> r & 1) a_.emit(vector_id, whole(r), at_call(offset, 16));
      for (std::uint32_t r = 0; r < kScratch; ++r, offset += 8) a_.emit(scalar_id, x(r), at_call(offset, 8));
      a_.emit(scalar_id, x(kLink), at_call(offset, 8));
    };
    for_each_kept(Id::kIdStr_v, Id::kIdStr);
    a_.emit(Id::kIdMov, w(1), w(kScratch));
    const std::int32_t modes = calls_base_ + kCallSaves - 8;  // FPCR, FPSR
    constexpr SysReg::Id kModes[] = {SysReg::kFPCR, SysReg::kFPSR};
    for (std::int32_t n = 0; flushes_ && n < 2; ++n) {
      a_.emit(Id::kIdMrs, x(kScratch), asmjit::Imm(kModes[n]));
      a_.emit(Id::kIdStr, w(kScratch), at_call(modes + 4 * n, 4));
    }
    if (flushes_) set_mode(kPlainMode);
    a_.emit(Id::kIdMov, x(kScratch), asmjit::Imm(call_words_));
    a_.emit(Id::kIdMov, x(2), asmjit::a64::sp);
    a_.emit(Id::kIdAdd, x(2), x(2), x(kScratch));
    a_.emit(Id::kIdLdr, x(kScratch2), arm::ptr(x(kArgs), offsetof(KernelArgs, call)));
    a_.emit(Id::kIdBlr, x(kScratch2));
    for (std::int32_t n = 0; flushes_ && n < 2; ++n) {
      a_.emit(Id::kIdLdr, w(kScratch), at_call(modes + 4 * n, 4));
      a_.emit(Id::kIdMsr, asmjit::Imm(kModes[n]), x(kScratch));
    }
    for_each_kept(Id::kIdLdr_v, Id::kIdLdr);
    a_.emit(Id::kIdRet, x(kLink));
  }

  void jump(const Label& target) override { a_.emit(Id::kIdB, target); }

  // A scalar register with a 32-bit constant, for instructions that cannot encode it.
  arm::GpW constant(std::int64_t value) {
    put(Id::kIdMov, w(kScratch), asmjit::Imm(static_cast<std::uint32_t>(value)));
    return w(kScratch);
  }

  void encode(const Inst& inst) override {
    const Encoding& e = encoding(static_cast<Op>(inst.op));
    const asmjit::Imm imm(inst.imm);
    const Reg d = inst.def;
    const auto& use = inst.use;
    switch (e.form) {
      case Form::words3:
        return put(e.id, words(d), words(use[0]), words(use[1]));
      case Form::words_from:  // counts bytes
        return put(e.id, bits(d), bits(use[0]), bits(use[1]), asmjit::Imm(4 * inst.imm));
      case Form::words2:
        return put(e.id, words(d), words(use[0]));
      case Form::halves3:
        return put(e.id, all_halves(d), all_halves(use[0]), all_halves(use[1]));
      case Form::halves2:
        return put(e.id, all_halves(d), all_halves(use[0]));
      case Form::halves_fmla:
        return put(e.id, all_halves(d), all_halves(use[1]), all_halves(use[2]));
      case Form::bits3:
        return put(e.id, bits(d), bits(use[0]), bits(use[1]));
      case Form::bits3_swapped:
        return put(e.id, bits(d), bits(use[1]), bits(use[0]));
      case Form::bits2:
        return put(e.id, bits(d), bits(use[0]));
      case Form::pairs3:
        return put(e.id, pairs(d), pairs(use[0]), pairs(use[1]));
      case Form::to_halves:
        return put(e.id, halves(d), words(use[0]));
      case Form::from_halves:
        return put(e.id, words(d), halves(use[0]));
      case Form::widen:
        return put(e.id, words(d), halves(use[0]), asmjit::Imm(0));
      case Form::pairwise:
        return put(e.id, words(d), words(use[0]), words(use[0]));
      case Form::across:
        return put(e.id, arm::VecS(d), words(use[0]));
      case Form::with_zero:
        return put(e.id, words(d), words(use[0]), asmjit::Imm(0));
      case Form::shift:
        if (inst.imm == 0) return put(Id::kIdMov_v, bits(d), bits(use[0]));
        return put(e.id, words(d), words(use[0]), imm);
      case Form::fmla:
        return put(e.id, words(d), words(use[1]), words(use[2]));
      case Form::fmla_lane:
        return put(e.id, words(d), words(use[1]), lane(use[2], inst.imm));
      case Form::lane3:
        return put(e.id, words(d), words(use[0]), lane(use[1], inst.imm));
      case Form::blend:
        return blend(d, use[0], use[1], use[2]);
      case Form::vector_imm:
        return vector_imm(d, static_cast<std::uint32_t>(inst.imm));
      case Form::dup_lane:
        return put(e.id, words(d), lane(use[0], inst.imm));
      case Form::dup_scalar:
        return put(e.id, words(d), w(use[0]));
      case Form::lane_to_scalar:
        return put(e.id, w(d), lane(use[0], inst.imm));
      case Form::low_to_scalar:
        return put(e.id, w(d), arm::VecS(use[0]));
      case Form::load_word:
        return put(e.id, arm::VecS(d), memory(inst, 4));
      case Form::insert_word:
        return put(e.id, lane(d, inst.imm), arm::ptr(x(use[1])));
      case Form::load_quad:
        return put(e.id, whole(d), memory(inst, 16));
      case Form::store_quad:
        return put(e.id, whole(use[0]), memory(inst, 16));
      case Form::store_word:
        return put(e.id, arm::VecS(use[0]), memory(inst, 4));
      case Form::load_broadcast:
        put(e.id, arm::VecS(d), memory(inst, 4));
        return put(Id::kIdDup_v, words(d), lane(d, 0));
      case Form::load_masked:
        put(Id::kIdMovi_v, bits(d), asmjit::Imm(0));
        return access_masked(e.id, Id::kIdLdr_v, inst, d, use[0]);
      case Form::store_masked:
        return access_masked(e.id, Id::kIdStr_v, inst, use[0], use[1]);
      case Form::load_lanes:
        return access_lanes(e.id, inst, d, use[0], inst.mem.base_use == 2 ? use[1] : lir::kNoReg);
      case Form::store_lanes:
        return access_lanes(e.id, inst, use[0], use[1], inst.mem.base_use == 3 ? use[2] : lir::kNoReg);
      case Form::set_float_mode: {
        constexpr std::uint32_t kModes[] = {kFlushMode, kFlushModeZero, kPlainMode};
        put(Id::kIdMov, x(kScratch), asmjit::Imm(kModes[inst.imm]));
        put(e.id, asmjit::Imm(SysReg::kFPCR), x(kScratch));
        return put(e.id, asmjit::Imm(SysReg::kFPSR), asmjit::a64::xzr);
      }
      case Form::store_float_flags:
        put(e.id, x(kScratch2), asmjit::Imm(SysReg::kFPSR));
        return put(Id::kIdStr, w(kScratch2), memory(inst, 4));  // whose address may take kScratch
      case Form::s_imm:
        return put(e.id, w(d), asmjit::Imm(static_cast<std::uint32_t>(inst.imm)));
      case Form::s_load:
        return put(e.id, w(d), memory(inst, 4));
      case Form::s_load64:
        return put(e.id, x(d), memory(inst, 8));
      case Form::s_load8:
        return put(e.id, w(d), memory(inst, 1));
      case Form::s_load16:
        return put(e.id, w(d), memory(inst, 2));
      case Form::s_store:
        return put(e.id, w(use[0]), memory(inst, 4));
      case Form::s_store64:
        return put(e.id, x(use[0]), memory(inst, 8));
      case Form::s_copy:
        return put(e.id, x(d), x(use[0]));
      case Form::s_address:
        if (inst.mem.base == MemBase::frame) return put_sum(d, asmjit::a64::sp, inst.mem.displacement);
        if (inst.mem.index_use == 0xff) return put_sum(d, x(use[0]), inst.mem.displacement);
        if (inst.mem.scale_log2 == 0) return put(e.id, x(d), x(use[0]), x(use[1]));
        return put(e.id, x(d), x(use[0]), x(use[1]), asmjit::Imm(arm::lsl(inst.mem.scale_log2)));
      case Form::s_table_address:
        return put_large(e.id, x(d), x(kTable), static_cast<std::uint32_t>(inst.mem.displacement));
      case Form::s_pool_address:
        put(e.id, x(d), pool_);
        if (inst.mem.displacement != 0)
          put_large(Id::kIdAdd, x(d), x(d), static_cast<std::uint32_t>(inst.mem.displacement));
        return;
      case Form::s3:
        return put(e.id, w(d), w(use[0]), w(use[1]));
      case Form::s2:
        return put(e.id, w(d), w(use[0]));
      case Form::s_add_imm: {
        const auto value = static_cast<std::int32_t>(inst.imm);
        if (value >= 0 && value < 4096) return put(e.id, w(d), w(use[0]), asmjit::Imm(value));
        if (value < 0 && value > -4096) return put(Id::kIdSub, w(d), w(use[0]), asmjit::Imm(-value));
        return put(e.id, w(d), w(use[0]), constant(value));
      }
      case Form::s_logic_imm: {
        const auto value = static_cast<std::uint32_t>(inst.imm);
        if (asmjit::a64::Utils::isLogicalImm(value, 32))
          return put(e.id, w(d), w(use[0]), asmjit::Imm(value));
        return put(e.id, w(d), w(use[0]), constant(value));
      }
      case Form::s_shift_imm:
        if (inst.imm == 0) return put(Id::kIdMov, w(d), w(use[0]));
        return put(e.id, w(d), w(use[0]), imm);
      case Form::s_compare:
        scalar_compare(inst);
        return put(Id::kIdCset, w(d), condition(inst, true));
      case Form::s_extreme:
        put(Id::kIdCmp, w(use[0]), w(use[1]));
        return put(e.id, w(d), w(use[1]), w(use[0]), condition(inst, static_cast<Op>(inst.op) == Op::SMax));
      case Form::s_select:
        put(Id::kIdCmp, w(use[2]), asmjit::Imm(0));
        return put(e.id, w(d), w(use[1]), w(use[0]), asmjit::Imm(arm::CondCode::kNE));
      case Form::s_sign_extend:
        return put(e.id, x(d), w(use[0]));
      case Form::none:
        break;
    }
    assert(false && "the a64 lowering does not make this");
  }

  // m ? t : f, in the form that overwrites the operand whose register the definition got.
  void blend(Reg d, Reg f, Reg t, Reg m) {
    if (d == f) return put(Id::kIdBit_v, bits(d), bits(t), bits(m));
    if (d == t) return put(Id::kIdBif_v, bits(d), bits(f), bits(m));
    if (d != m) {
      put(Id::kIdMov_v, bits(d), bits(m));
      ++out_.statistics.moves;
    }
    put(Id::kIdBsl_v, bits(d), bits(t), bits(f));
  }

  void vector_imm(Reg d, std::uint32_t word) {
    using Kind = VectorImmediate::Kind;
    const VectorImmediate i = *vector_immediate(word);
    const asmjit::Imm imm8(i.imm8);
    const arm::Vec halves = arm::VecV(d).h8();
    switch (i.kind) {
      case Kind::words:
        return put(Id::kIdMovi_v, words(d), imm8, asmjit::Imm(arm::lsl(i.shift)));
      case Kind::words_inverted:
        return put(Id::kIdMvni_v, words(d), imm8, asmjit::Imm(arm::lsl(i.shift)));
      case Kind::ones:
        return put(Id::kIdMovi_v, words(d), imm8, asmjit::Imm(arm::msl(i.shift)));
      case Kind::ones_inverted:
        return put(Id::kIdMvni_v, words(d), imm8, asmjit::Imm(arm::msl(i.shift)));
      case Kind::halves:
        return put(Id::kIdMovi_v, halves, imm8, asmjit::Imm(arm::lsl(i.shift)));
      case Kind::halves_inverted:
        return put(Id::kIdMvni_v, halves, imm8, asmjit::Imm(arm::lsl(i.shift)));
      case Kind::bytes:
        return put(Id::kIdMovi_v, bits(d), imm8);
      case Kind::real:
        return put_fmov(d, i.imm8, word);
    }
  }

  // asmjit 1.9 sets the lowest bit of the register number in FMOV (vector, immediate): encoded here.
  void put_fmov(Reg d, std::uint8_t imm8, std::uint32_t word) {
    char text[48];
    std::snprintf(text, sizeof text, "fmov v%u.4s, %g", d, std::bit_cast<float>(word));
    const std::uint32_t code =
        0x4f00f400u | static_cast<std::uint32_t>(imm8 >> 5) << 16 | (imm8 & 31u) << 5 | d;
    put_bytes(std::bit_cast<std::array<std::uint8_t, 4>>(code), text);
  }

  static arm::CondCode condition_code(const Inst& inst, bool sense) {
    using Code = arm::CondCode;
    static constexpr Code kCodes[][2] = {{Code::kNE, Code::kEQ}, {Code::kEQ, Code::kNE},
                                         {Code::kGE, Code::kLT}, {Code::kGT, Code::kLE},
                                         {Code::kHS, Code::kLO}, {Code::kHI, Code::kLS}};
    return kCodes[static_cast<std::size_t>(unpack_condition(inst.imm))][sense];
  }
  static asmjit::Imm condition(const Inst& inst, bool sense) {
    return asmjit::Imm(condition_code(inst, sense));
  }

  void scalar_compare(const Inst& inst) {
    if (static_cast<Op>(inst.op) == Op::BranchCompare64)
      return put(Id::kIdCmp, x(inst.use[0]), x(inst.use[1]));
    if (!(inst.imm & kCompareImmediate)) return put(Id::kIdCmp, w(inst.use[0]), w(inst.use[1]));
    compare_with(inst.use[0], static_cast<std::uint32_t>(unpack_constant(inst.imm)));
  }
  void compare_with(Reg r, std::uint32_t value) {
    if (value < 4096) return put(Id::kIdCmp, w(r), asmjit::Imm(value));
    if (value > 0xfffff000u) return put(Id::kIdCmn, w(r), asmjit::Imm(0u - value));
    put(Id::kIdCmp, w(r), constant(value));
  }

  void branch(const Inst& inst, bool sense, const Label& target) override {
    static constexpr asmjit::InstId kIfNotZero[] = {Id::kIdCbz, Id::kIdCbnz};
    switch (static_cast<Op>(inst.op)) {
      case Op::BranchScalar:
        return put(kIfNotZero[sense], w(inst.use[0]), target);
      case Op::BranchMask:
        put(Id::kIdFmov_v, x(kScratch), arm::VecD(inst.use[0]));
        return put(kIfNotZero[sense], x(kScratch), target);
      case Op::BranchBits:
        put(Id::kIdTst, w(inst.use[0]), asmjit::Imm(inst.imm));
        return branch_on(sense ? arm::CondCode::kNE : arm::CondCode::kEQ, target);
      default: {
        const Condition c = unpack_condition(inst.imm);
        const bool with_zero = (inst.imm & kCompareImmediate) && unpack_constant(inst.imm) == 0;
        if (with_zero && (c == Condition::equal || c == Condition::not_equal))
          return put(kIfNotZero[sense == (c == Condition::not_equal)], w(inst.use[0]), target);
        scalar_compare(inst);
        return branch_on(condition_code(inst, sense), target);
      }
    }
  }
  void jump_if_any(Reg pairs, const Label& target) override {
    put(Id::kIdFmov_v, x(kScratch), arm::VecD(pairs));
    put(Id::kIdCbnz, x(kScratch), target);
  }
  void branch_on(arm::CondCode code, const Label& target) {
    put(asmjit::BaseInst::composeARMInstId(Id::kIdB, code), target);
  }

  void jump_if_at_least(Reg index, std::uint32_t bound, const Label& target) override {
    compare_with(index, bound);
    branch_on(arm::CondCode::kHS, target);
  }

  void burn_fuel(const Label& used_up, const Label& cancelled) override {
    put(Id::kIdSubs, x(kFuel), x(kFuel), asmjit::Imm(1));
    branch_on(arm::CondCode::kMI, used_up);
    put(Id::kIdLdr, w(kScratch), arm::ptr(x(kCancel)));
    put(Id::kIdCbnz, w(kScratch), cancelled);
  }

  void leave_if_stopped() override {
    static_assert(static_cast<int>(KernelStatus::done) == 0);
    put(Id::kIdLdr, w(kScratch), arm::ptr(x(kArgs), offsetof(KernelArgs, status)));
    put(Id::kIdCbnz, w(kScratch), leave_);
  }

  asmjit::a64::Assembler a_;
  // Bytes for the registers that a call keeps: vectors, x0 to x15, the link, FPCR with FPSR.
  static constexpr std::int32_t kCallSaves = 32 * 16 + 18 * 8;
  std::int32_t spill_base_ = 0, saved_base_ = 0, calls_base_ = 0;
  std::uint32_t frame_bytes_ = 0;
  bool flushes_ = false;                                 // some code of the entry runs without denormals
  std::uint32_t saved_scalars_ = 0, saved_vectors_ = 0;  // bit per register number
};

}  // namespace

Status emit(const EntryCode& kernel, const EntryCode* preamble, const Host& host, const ConstantPool& pool,
            const CompileOptions& options, MachineCode& out) {
  if (options.abi == Abi::win64 || options.abi == Abi::system_v)
    return Error{ErrorCode::unsupported, "a64 code follows AAPCS64 only", ""};
  return A64Emitter(host, options, out).run(kernel, preamble, pool);
}

}  // namespace warpjit::backend::a64
