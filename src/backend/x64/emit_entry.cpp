// Entry and exit of kernels, the way to the next group, calls, and the subroutine of multiply-adds.
#include <algorithm>
#include <bit>

#include "backend/x64/calling_convention.h"
#include "backend/x64/emitter.h"
#include "backend/x64/unwind_info.h"

namespace warpjit::backend::x64 {

void X64Emitter::enter(const EntryCode& entry) {
  const CallingConvention abi = calling_convention(options_.abi);
  std::uint32_t scalars = written(lir::RegClass::scalar);
  win64_ = abi.argument == x86::rcx;
  if (win64_) scalars |= 1u << 6 | 1u << 7;
  saved_scalars_ = abi.saved_scalars & scalars;
  saved_vectors_ = abi.saved_vectors & written(lir::RegClass::vector);
  if (win64_)
    save_for_win64();
  else
    save_for_system_v();
  // The frame, from rsp on: fuel and modes (64 bytes), the lowering's area, spill slots, what calls keep.
  constexpr std::int32_t kFuelBytes = 64;
  frame_base_ = kFuelBytes;
  spill_base_ = frame_base_ + static_cast<std::int32_t>((entry.code->frame_bytes + 63) / 64 * 64);
  calls_base_ = spill_base_ + static_cast<std::int32_t>((allocation_->spill_bytes + 63) / 64 * 64);
  grow_stack(static_cast<std::uint32_t>(calls_base_ + (calls_ ? kCallSaves : 0)));
  a_.and_(x86::rsp, -64);
  if (abi.argument != x86::rdi) a_.mov(x86::rdi, abi.argument);
  flushes_ = entry.code->flushes;
  number_modes();
  if (flushes_) {
    a_.vstmxcsr(x86::dword_ptr(x86::rsp, kCallersMode));
    a_.mov(x86::dword_ptr(x86::rsp, kFlushMode), 0x9fc0);      // denormals are zeros, all masked
    a_.mov(x86::dword_ptr(x86::rsp, kFlushModeZero), 0xffc0);  // and rounding toward zero
    if (entry.code->flushes_between) change_mode(lir::FloatMode::flush);
  }
  a_.mov(x86::rsi, x86::ptr(x86::rdi, offsetof(KernelArgs, table)));
  if (host_.mask_registers) read_pool();
}

// Frames are found through rbp, as profilers do.
void X64Emitter::save_for_system_v() {
  a_.push(x86::rbp);
  a_.mov(x86::rbp, x86::rsp);
  saved_bytes_ = 0;
  for (std::uint32_t reg = 0; reg < 16; ++reg)
    if (saved_scalars_ >> reg & 1) {
      a_.push(gp64(reg));
      saved_bytes_ -= 8;
    }
}

// As its unwinder wants it: rbp lies below all that is saved, so that the rest of the frame may have any size.
void X64Emitter::save_for_win64() {
  const std::size_t begin = a_.offset();
  UnwindInfo info;
  const auto after = [&] { return a_.offset() - begin; };
  std::uint32_t pushed = 0;
  const auto push = [&](std::uint32_t reg) {
    a_.push(gp64(reg));
    info.push(after(), reg);
    ++pushed;
  };
  constexpr std::uint32_t kFrame = 5;  // rbp
  push(kFrame);
  for (std::uint32_t reg = 0; reg < 16; ++reg)
    if (saved_scalars_ >> reg & 1) push(reg);
  // The return address lies above what is pushed: rbp is a multiple of 16.
  saved_bytes_ = 16 * std::popcount(saved_vectors_) + (pushed % 2 == 0 ? 8 : 0);
  if (saved_bytes_ != 0) {
    a_.sub(x86::rsp, saved_bytes_);
    info.allocate(after(), static_cast<std::uint32_t>(saved_bytes_));
  }
  a_.mov(x86::rbp, x86::rsp);
  info.set_frame(after(), kFrame);
  for_each_saved_vector([&](std::uint32_t v, std::uint32_t offset) {
    a_.vmovups(x86::ptr(x86::rbp, static_cast<std::int32_t>(offset)), x86::xmm(v));
    info.save_vector(after(), v, offset);
  });
  begin_unwinding(begin, info.bytes());
}

// A subroutine, which has the frame of its caller but for `room` bytes.
void X64Emitter::make_room(std::int32_t room) {
  const std::size_t begin = a_.offset();
  a_.sub(x86::rsp, room);
  if (!win64_) return;
  UnwindInfo info;
  info.allocate(a_.offset() - begin, static_cast<std::uint32_t>(room));
  begin_unwinding(begin, info.bytes());
}

// Only rax may change.
void X64Emitter::grow_stack(std::uint32_t bytes) {
  constexpr std::uint32_t kMostUnrolled = 4;
  const StackSteps steps(bytes);
  const auto page = [&] {
    a_.sub(x86::rsp, StackSteps::kPage);
    a_.mov(x86::dword_ptr(x86::rsp), x86::eax);
  };
  if (steps.pages <= kMostUnrolled) {
    for (std::uint32_t n = 0; n < steps.pages; ++n) page();
  } else {
    const Label next = a_.newLabel();
    a_.mov(x86::eax, steps.pages);
    a_.bind(next);
    page();
    a_.dec(x86::eax);
    a_.jnz(next);
  }
  if (steps.rest != 0) a_.sub(x86::rsp, steps.rest);
}

// A masked load of no lanes raises no page fault, so that a page that is not mapped stays so, and each such
// load takes some 700 clocks. Reading a word of each page of the constants maps them.
void X64Emitter::read_pool() {
  if (pool_bytes_ == 0) return;
  for (std::int32_t at = 0; at < pool_bytes_; at += kLeastPage) a_.mov(x86::eax, x86::dword_ptr(pool_, at));
  a_.mov(x86::eax, x86::dword_ptr(pool_, pool_bytes_ - 4));
}

void X64Emitter::refuel() {
  a_.mov(x86::rax, x86::ptr(x86::rdi, offsetof(KernelArgs, fuel)));
  a_.mov(x86::ptr(x86::rsp), x86::rax);
}

void X64Emitter::advance(const EntryCode& entry, const Label& group) {
  const auto step = [&](std::size_t binding) {
    a_.mov(x86::rax, x86::ptr(x86::rdi, static_cast<std::int32_t>(binding + offsetof(Binding, step))));
    a_.add(x86::ptr(x86::rdi, static_cast<std::int32_t>(binding + offsetof(Binding, address))), x86::rax);
  };
  for (std::uint32_t n = 0; n < entry.inputs; ++n) step(offsetof(KernelArgs, inputs) + n * sizeof(Binding));
  for (std::uint32_t n = 0; n < entry.outputs; ++n) step(offsetof(KernelArgs, outputs) + n * sizeof(Binding));
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
  if (entry.counts_groups) next_block(entry, group);
}

// KernelArgs::next_block.
void X64Emitter::next_block(const EntryCode& entry, const Label& group) {
  const Label done = a_.newLabel(), begin = entry.begins_shared ? a_.newLabel() : group;
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
    a_.jb(begin);
    a_.mov(field(kBlock + 4 * axis), 0);
  }
  a_.inc(field(kBlock + 8));
  if (entry.begins_shared) {
    a_.bind(begin);
    begin_shared();
  }
  a_.jmp(group);
  a_.bind(done);
}

// KernelArgs::begin_shared. Between groups no register but those of the arguments holds anything; these are
// the caller's in all conventions.
void X64Emitter::begin_shared() {
  const auto field = [](std::size_t offset) {
    return x86::qword_ptr(x86::rdi, static_cast<std::int32_t>(offset));
  };
  const auto half = [](std::size_t offset) {
    return x86::dword_ptr(x86::rdi, static_cast<std::int32_t>(offset));
  };
  const bool whole_lines = host_.vector_bytes == kSharedLine;
  const auto line = [&](const x86::Gp& base, auto move) {
    if (whole_lines) return move(x86::Vec(x86::zmm0), x86::ptr(base, x86::r8));
    move(x86::Vec(x86::ymm0), x86::ptr(base, x86::r8));
    move(x86::Vec(x86::ymm1), x86::ptr(base, x86::r8, 0, 32));
  };
  const auto load = [&](const x86::Vec& v, const x86::Mem& m) { a_.vmovups(v, m); };
  const auto store = [&](const x86::Vec& v, const x86::Mem& m) { a_.vmovups(m, v); };
  const auto next_line = [&](std::size_t size, const Label& turn) {
    a_.add(x86::r8, kSharedLine);
    a_.cmp(x86::r8, field(size));
    a_.jb(turn);
  };
  const Label of_head = a_.newLabel(), of_rest = a_.newLabel(), position = a_.newLabel();
  a_.mov(x86::rax, field(offsetof(KernelArgs, shared)));
  a_.mov(x86::rcx, field(offsetof(KernelArgs, head)));
  a_.xor_(x86::r8d, x86::r8d);
  a_.bind(of_head);
  line(x86::rcx, load);
  line(x86::rax, store);
  next_line(offsetof(KernelArgs, head_bytes), of_head);
  a_.cmp(x86::r8, field(offsetof(KernelArgs, shared_bytes)));
  a_.jae(position);
  a_.vxorps(x86::xmm0, x86::xmm0, x86::xmm0);
  if (!whole_lines) a_.vxorps(x86::xmm1, x86::xmm1, x86::xmm1);
  a_.bind(of_rest);
  line(x86::rax, store);
  next_line(offsetof(KernelArgs, shared_bytes), of_rest);
  a_.bind(position);
  a_.movzx(x86::eax, x86::word_ptr(x86::rdi, offsetof(KernelArgs, block)));
  a_.mov(x86::ecx, half(offsetof(KernelArgs, block) + 4));
  a_.shl(x86::ecx, 16);
  a_.or_(x86::eax, x86::ecx);
  a_.mov(x86::rcx, field(offsetof(KernelArgs, position)));
  a_.mov(x86::dword_ptr(x86::rcx), x86::eax);
}

void X64Emitter::leave() {
  if (flushes_) change_mode(lir::FloatMode::keep_denormals);
  for_each_saved_vector([&](std::uint32_t v, std::uint32_t offset) {
    a_.vmovups(x86::xmm(v), x86::ptr(x86::rbp, static_cast<std::int32_t>(offset)));
  });
  a_.vzeroupper();
  a_.lea(x86::rsp, x86::ptr(x86::rbp, saved_bytes_));
  for (std::uint32_t reg = 16; reg-- > 0;)
    if (saved_scalars_ >> reg & 1) a_.pop(gp64(reg));
  a_.pop(x86::rbp);
  a_.ret();
}

// Where the processor guesses modes, the lower bits of the numbers of changes tell the modes that
// instructions change to: one bit tells two of them, two tell three. The code's address, a multiple of 512 or
// 1,024, changes this bit or these of all numbers alike.
void X64Emitter::number_modes() {
  mode_numbers_ = {};
  mode_mask_ = 0;
  std::uint32_t count = 0;
  for (const Inst& inst : allocation_->insts) {
    if (static_cast<Op>(inst.op) != Op::SetFloatMode) continue;
    std::optional<std::uint32_t>& number = mode_numbers_[static_cast<std::size_t>(inst.imm)];
    if (!number) number = count++;
  }
  if (!options_.tuning.guesses_modes || count < 2) return;
  mode_mask_ = count == 2 ? 1 : 3;
  out_.alignment = std::max(out_.alignment, count == 2 ? 512U : 1024U);
}

void X64Emitter::change_mode(lir::FloatMode mode) {
  constexpr std::int32_t kWords[] = {kFlushMode, kFlushModeZero, kCallersMode};
  const x86::Mem word = x86::dword_ptr(x86::rsp, kWords[static_cast<std::size_t>(mode)]);
  constexpr std::size_t kShort = 5, kLong = 6;  // bytes of ldmxcsr and vldmxcsr
  constexpr std::size_t kMostNops = 16;         // two are enough but next to borders of 256 bytes
  std::size_t nops = 0;
  const std::optional<std::uint32_t> number = mode_numbers_[static_cast<std::size_t>(mode)];
  const auto suits = [&](std::size_t size) {
    return !number || ((mode_guess_number(a_.offset() + nops + size) ^ *number) & mode_mask_) == 0;
  };
  while (nops < kMostNops && !suits(kLong) && !suits(kShort)) ++nops;
  const bool is_long = suits(kLong);
  for (std::size_t n = 0; n < nops; ++n) a_.nop();
  if (is_long)
    a_.vldmxcsr(word);
  else
    a_.ldmxcsr(word);
}

void X64Emitter::note(std::size_t field, std::uint32_t word) {
  a_.mov(x86::dword_ptr(x86::rdi, static_cast<std::int32_t>(field)), word);
}

void X64Emitter::call(std::uint32_t site) {
  put(x86::Inst::kIdMov, x86::eax, asmjit::Imm(site));
  put(x86::Inst::kIdCall, thunk_);
}

// Called with the number of the call site in eax. After the registers that it keeps stand two words: the
// caller's MXCSR, and the one that C++ expects.
void X64Emitter::thunk() {
  const CallingConvention abi = calling_convention(options_.abi);
  constexpr std::int32_t kReturnAddress = 8;
  const std::int32_t room = win64_ ? 40 : 8;  // keeps rsp aligned, with the shadow space of Win64
  make_room(room);
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
  if (win64_) {
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

void X64Emitter::subroutines() {
  if (!multiply_add_.isValid()) return;
  mark(ir::kNoAddress);
  a_.bind(multiply_add_);
  multiply_add_truncated();
  multiply_add_.reset();
}

// The product in f64, where it is exact, without the fraction bits that f32 lacks; the sum in f64, then
// rounded to f32. Where the addend is zero: the product rounded to nearest (docs/guests/tesla.md 8.3). Keeps
// every register. A subroutine, because it is rarely needed and longer than the rest of a multiply-add.
void X64Emitter::multiply_add_truncated() {
  constexpr std::int32_t kReturnAddress = 8, kKept = 4;
  constexpr int kDropped = 29;  // fraction bits of f64 that f32 lacks
  const bool v4 = host_.mask_registers;
  const auto bytes = static_cast<std::int32_t>(host_.vector_bytes), half = bytes / 2, room = kKept * bytes;
  const auto at = [&](std::int32_t offset) { return x86::ptr(x86::rsp, offset); };
  const auto half_vec = [&](Reg r) -> x86::Vec { return v4 ? x86::Vec(x86::ymm(r)) : x86::Vec(x86::xmm(r)); };
  const std::int32_t left = room + kReturnAddress + frame_base_ + multiply_add_words_, right = left + bytes,
                     addend = right + bytes;
  namespace I = x86::Inst;
  make_room(room);
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

void X64Emitter::burn_fuel(const Label& used_up, const Label& cancelled) {
  put(x86::Inst::kIdSub, x86::qword_ptr(x86::rsp), asmjit::Imm(1));
  put(x86::Inst::kIdJs, used_up);
  put(x86::Inst::kIdMov, x86::rax, x86::qword_ptr(x86::rdi, offsetof(KernelArgs, cancel)));
  put(x86::Inst::kIdCmp, x86::dword_ptr(x86::rax), asmjit::Imm(0));
  put(x86::Inst::kIdJne, cancelled);
}

void X64Emitter::leave_if_stopped() {
  static_assert(static_cast<int>(KernelStatus::done) == 0);
  put(x86::Inst::kIdCmp, x86::dword_ptr(x86::rdi, offsetof(KernelArgs, status)), asmjit::Imm(0));
  put(x86::Inst::kIdJne, leave_);
}

}  // namespace warpjit::backend::x64
