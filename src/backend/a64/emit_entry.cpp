// Entry and exit of kernels, the way to the next group, and calls.
#include <cstddef>

#include "backend/a64/emitter.h"

namespace warpjit::backend::a64 {

namespace {

constexpr std::uint32_t kFramePointer = 29, kLink = 30;
// The registers that AAPCS64 preserves: x19 to x28, the low halves of v8 to v15.
constexpr std::uint32_t kSavedScalars = 0x1ff80000u, kSavedVectors = 0xff00u;

}  // namespace

void A64Emitter::enter(const EntryCode& entry) {
  saved_scalars_ = kSavedScalars & written(lir::RegClass::scalar);
  saved_vectors_ = kSavedVectors & written(lir::RegClass::vector);
  // Frame, from sp: the lowering's area, spill slots, saved registers, what calls keep.
  spill_base_ = static_cast<std::int32_t>((entry.code->frame_bytes + 15) / 16 * 16);
  saved_base_ = spill_base_ + static_cast<std::int32_t>((allocation_->spill_bytes + 15) / 16 * 16);
  calls_base_ = saved_base_ + 18 * 8;
  a_.emit(Id::kIdStp, x(kFramePointer), x(kLink), arm::ptr_pre(asmjit::a64::sp, -16));
  a_.emit(Id::kIdMov, x(kFramePointer), asmjit::a64::sp);
  grow_stack(static_cast<std::uint32_t>(calls_base_ + (calls_ ? kCallSaves : 0)));
  for_each_saved([&](auto reg, std::int32_t offset, asmjit::InstId store, asmjit::InstId) {
    a_.emit(store, reg, at(asmjit::a64::sp, offset, 8));
  });
  flushes_ = entry.code->flushes;
  if (flushes_) a_.emit(Id::kIdMsr, asmjit::Imm(SysReg::kFPSR), asmjit::a64::xzr);
  if (entry.code->flushes_between) set_mode(kFlushMode);
  a_.emit(Id::kIdLdr, x(kTable), arm::ptr(x(kArgs), offsetof(KernelArgs, table)));
  if (burns_fuel_) a_.emit(Id::kIdLdr, x(kCancel), arm::ptr(x(kArgs), offsetof(KernelArgs, cancel)));
}

// Only the scratch register may change.
void A64Emitter::grow_stack(std::uint32_t bytes) {
  constexpr std::uint32_t kMostUnrolled = 4;
  const StackSteps steps(bytes);
  const auto page = [&] {
    a_.emit(Id::kIdSub, asmjit::a64::sp, asmjit::a64::sp, asmjit::Imm(StackSteps::kPage));
    a_.emit(Id::kIdStr, asmjit::a64::xzr, arm::ptr(asmjit::a64::sp));
  };
  if (steps.pages <= kMostUnrolled) {
    for (std::uint32_t n = 0; n < steps.pages; ++n) page();
  } else {
    const Label next = a_.newLabel();
    a_.emit(Id::kIdMov, x(kScratch), asmjit::Imm(steps.pages));
    a_.bind(next);
    page();
    a_.emit(Id::kIdSub, x(kScratch), x(kScratch), asmjit::Imm(1));
    a_.emit(Id::kIdCbnz, x(kScratch), next);
  }
  if (steps.rest != 0) a_.emit(Id::kIdSub, asmjit::a64::sp, asmjit::a64::sp, asmjit::Imm(steps.rest));
}

void A64Emitter::advance(const EntryCode& entry, const Label& group) {
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
  for (std::uint32_t n = 0; n < entry.outputs; ++n) step(offsetof(KernelArgs, outputs) + n * sizeof(Binding));
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

void A64Emitter::next_block(const EntryCode& entry, const Label& group) {
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

void A64Emitter::begin_shared() {
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

void A64Emitter::set_mode(std::uint32_t mode) {
  a_.emit(Id::kIdMov, x(kScratch), asmjit::Imm(mode));
  a_.emit(Id::kIdMsr, asmjit::Imm(SysReg::kFPCR), x(kScratch));
}

void A64Emitter::leave() {
  if (flushes_) set_mode(kPlainMode);
  for_each_saved([&](auto reg, std::int32_t offset, asmjit::InstId, asmjit::InstId load) {
    a_.emit(load, reg, at(asmjit::a64::sp, offset, 8));
  });
  a_.emit(Id::kIdMov, asmjit::a64::sp, x(kFramePointer));
  a_.emit(Id::kIdLdp, x(kFramePointer), x(kLink), arm::ptr_post(asmjit::a64::sp, 16));
  a_.emit(Id::kIdRet, x(kLink));
}

void A64Emitter::note(std::size_t field, std::uint32_t word) {
  a_.emit(Id::kIdMov, w(kScratch), asmjit::Imm(word));
  a_.emit(Id::kIdStr, w(kScratch), arm::ptr(x(kArgs), static_cast<std::int32_t>(field)));
}

void A64Emitter::call(std::uint32_t site) {
  put(Id::kIdMov, w(kScratch), asmjit::Imm(site));
  put(Id::kIdBl, thunk_);
}

void A64Emitter::thunk() {
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

}  // namespace warpjit::backend::a64
