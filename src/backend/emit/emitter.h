// Emission: allocated LIR to machine code, through asmjit. Walks entries and blocks, falls through where it
// can, keeps the address map, the listing and the statistics; a host derives a class that encodes.
// Only this header, emitter.cpp and the emit.cpp of hosts see asmjit.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/emit/asmjit.h"
#include "backend/emit/loop_costs.h"
#include "backend/host.h"

namespace warpjit::backend {

class Emitter {
 public:
  Emitter(const Host& host, const CompileOptions& options, MachineCode& out);
  virtual ~Emitter() = default;
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;
  Status run(const EntryCode& kernel, const EntryCode* preamble, const ConstantPool& pool);

 protected:
  using Label = asmjit::Label;
  using Inst = lir::Inst;
  using Reg = lir::Reg;

  // ---- What a host encodes

  virtual asmjit::Arch arch() const = 0;
  virtual asmjit::BaseAssembler& assembler() = 0;
  // Saves what the calling convention requires, makes the frame, loads the fixed registers.
  virtual void enter(const EntryCode& entry) = 0;
  // At the begin of every group: the fuel is full.
  virtual void refuel() = 0;
  // After a group: advances the bindings and goes back to `group` while there are more.
  virtual void advance(const EntryCode& entry, const Label& group) = 0;
  virtual void leave() = 0;
  // Out of line, before leaving: notes a word of the KernelArgs.
  virtual void note(std::size_t field, std::uint32_t word) = 0;
  // A call of the thunk, for a call site; and the thunk: calls KernelArgs::call and keeps every register.
  virtual void call(std::uint32_t site) = 0;
  virtual void thunk() = 0;
  // Subroutines that the instructions of the entry call, after all blocks.
  virtual void subroutines() {}
  virtual void jump(const Label& target) = 0;
  // Goes to `target` if the condition of a branch instruction is `sense`; else on.
  virtual void branch(const Inst& inst, bool sense, const Label& target) = 0;
  virtual void jump_if_at_least(Reg index, std::uint32_t bound, const Label& target) = 0;
  virtual void jump_if_any(Reg mask, const Label& target) = 0;
  virtual void burn_fuel(const Label& used_up, const Label& cancelled) = 0;
  // Goes to leave_ unless KernelArgs::status is still `done`.
  virtual void leave_if_stopped() = 0;
  // Any other instruction.
  virtual void encode(const Inst& inst) = 0;

  // ---- For hosts

  // The code from there on, up to the next such place or the end, has this UNWIND_INFO.
  void begin_unwinding(std::size_t offset, std::vector<std::uint8_t> info) {
    unwinding_.push_back({offset, std::move(info)});
  }
  // The following code belongs to this guest instruction.
  void mark(std::uint32_t guest_address);

  template <class... Operands>
  void put(asmjit::InstId id, const Operands&... operands) {
    assembler().emit(id, operands...);
    ++out_.statistics.instructions;
  }
  // An instruction that the host encodes itself.
  void put_bytes(std::span<const std::uint8_t> bytes, const std::string& text);
  std::int32_t spill_offset(const lir::Mem& mem) const {
    return static_cast<std::int32_t>(allocation_->slot_offset[static_cast<std::size_t>(mem.displacement)]);
  }
  // How the stack grows by a frame: by whole pages, each of which is touched, so that none is beyond the guard
  // page of its stack, then by the rest.
  struct StackSteps {
    static constexpr std::uint32_t kPage = 4096;   // the smallest one of any system
    static constexpr std::uint32_t kBeyond = 128;  // bytes that alignment and a call may add
    explicit StackSteps(std::uint32_t frame_bytes)
        : pages((frame_bytes + kBeyond) / kPage), rest(frame_bytes - std::min(frame_bytes, pages * kPage)) {}
    std::uint32_t pages, rest;
  };
  std::uint32_t written(lir::RegClass c) const { return allocation_->written[static_cast<std::size_t>(c)]; }

  const Host& host_;
  const CompileOptions& options_;
  MachineCode& out_;
  const lir::Allocation* allocation_ = nullptr;
  Label pool_, leave_, thunk_;
  std::int32_t pool_bytes_ = 0;
  bool burns_fuel_ = false, calls_ = false;  // true if the entry does that
  std::int32_t call_words_ = 0;              // byte in the lowering's frame area

 private:
  // The first thing that asmjit refuses.
  class ErrorCatcher : public asmjit::ErrorHandler {
   public:
    void handleError(asmjit::Error error, const char* message, asmjit::BaseEmitter*) override;
    // The result of a call that reports to no handler.
    void check(asmjit::Error error) { note(error, asmjit::DebugUtils::errorAsString(error)); }
    void note(asmjit::Error error, const char* message);
    asmjit::Error first = asmjit::kErrorOk;
    std::array<char, 200> text{};  // no string: that could throw through asmjit
  };
  // asmjit's own text of every instruction, with its offset.
  class Listing : public asmjit::Logger {
   public:
    Listing(Emitter& emitter) : emitter_(emitter) {}
    asmjit::Error _log(const char* data, size_t size) noexcept override;

   private:
    Emitter& emitter_;
  };
  struct Unwinding {
    std::size_t begin;
    std::vector<std::uint8_t> info;
  };
  std::vector<Unwinding> unwinding_;
  struct Stop {
    Label label;
    KernelStatus status;
    std::uint32_t guest_address;
    std::uint32_t reason = 0;  // StopReason
  };

  // Everything that asmjit makes of the entries.
  void assemble(asmjit::CodeHolder& holder, const EntryCode& kernel, const EntryCode* preamble,
                const ConstantPool& pool);
  void make_entry(const EntryCode& r);
  void find_order();
  void find_targets();
  void block(std::uint32_t b);
  void note_cost(const Inst& inst);
  bool falls_to(std::uint32_t b, std::uint32_t target) const;
  void jump_unless_next(std::uint32_t b, std::uint32_t target);
  void instruction(std::uint32_t b, const Inst& inst);
  void switch_between(std::uint32_t b, Reg index, std::uint32_t first, std::uint32_t end, bool last);
  Label stop_label(KernelStatus status, std::uint32_t guest_address, std::uint32_t reason = 0);
  std::uint32_t successor(std::uint32_t b, std::size_t k) const {
    return target_[code_->blocks[b].successors[k]];
  }

  ErrorCatcher errors_;
  Listing listing_;
  const lir::Code* code_ = nullptr;
  Label next_group_;
  std::vector<Label> labels_;
  std::vector<std::uint32_t> order_;   // of emission: blocks, cold ones last
  std::vector<std::uint32_t> place_;   // of a block in order_
  std::vector<std::uint32_t> target_;  // of a block that only jumps: where to
  std::vector<Stop> stops_;
  std::vector<BlockPlace> places_;  // with CompileOptions::costs
  std::uint32_t address_ = ir::kNoAddress;
};

}  // namespace warpjit::backend
