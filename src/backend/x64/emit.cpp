#include "backend/x64/emit.h"

#include <asmjit/x86.h>

#include <cstddef>
#include <cstring>

namespace warpjit::backend::x64 {
namespace {

namespace x86 = asmjit::x86;
using asmjit::InstId;
using asmjit::Label;
using lir::Inst;
using lir::MemBase;
using lir::Reg;

InstId instruction(Op op, bool v4) {
  static constexpr InstId kIds[][2] = {
#define X64_OP(name, form, v3, v4) {x86::Inst::kId##v3, x86::Inst::kId##v4},
#include "backend/x64/opcodes.inc"
#undef X64_OP
  };
  return kIds[static_cast<std::size_t>(op)][v4 ? 1 : 0];
}

// A calling convention as data: where the argument comes in, what must be kept.
struct AbiTraits {
  x86::Gp argument;
  std::uint32_t saved_scalars;  // bit per register number
  std::uint32_t saved_vectors;
};
AbiTraits traits(Abi abi) {
  constexpr std::uint32_t kSystemV = 1u << 3 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 15;
  if (abi == Abi::win64)
    return {x86::rcx, kSystemV | 1u << 6 | 1u << 7, 0xffc0};  // rdi and rsi, xmm6 to xmm15
  return {x86::rdi, kSystemV, 0};
}

class ErrorCatcher : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error error, const char* message, asmjit::BaseEmitter*) override {
    if (first == asmjit::kErrorOk) {
      first = error;
      text = message;
    }
  }
  asmjit::Error first = asmjit::kErrorOk;
  std::string text;
};

class Emitter {
 public:
  Emitter(const Host& host, const CompileOptions& options, MachineCode& out)
      : host_(host), options_(options), out_(out) {}

  Status run(const Routine& kernel, const Routine* preamble, const ConstantPool& pool) {
    asmjit::CodeHolder holder;
    asmjit::Environment environment(asmjit::Arch::kX64);
    holder.init(environment);
    holder.setErrorHandler(&errors_);
    x86::Assembler assembler(&holder);
    assembler.addEncodingOptions(asmjit::EncodingOptions::kOptimizedAlign);  // long nops
    if (options_.validate) assembler.addDiagnosticOptions(asmjit::DiagnosticOptions::kValidateAssembler);
    a_ = &assembler;
    pool_ = a_->newLabel();
    out_.kernel_offset = 0;
    routine(kernel);
    out_.statistics.group_instructions = out_.statistics.instructions;
    if (preamble != nullptr) {
      a_->align(asmjit::AlignMode::kCode, 16);
      out_.preamble_offset = static_cast<std::uint32_t>(a_->offset());
      routine(*preamble);
    }
    out_.code_size = static_cast<std::uint32_t>(a_->offset());
    a_->align(asmjit::AlignMode::kData, 64);
    a_->bind(pool_);
    if (!pool.words().empty()) a_->embed(pool.words().data(), pool.words().size() * 4);
    holder.flatten();
    holder.resolveUnresolvedLinks();
    if (errors_.first != asmjit::kErrorOk)
      return Error{ErrorCode::internal, "asmjit refused an instruction: " + errors_.text, "x64 emission"};
    out_.bytes.resize(holder.codeSize());
    holder.copyFlattenedData(out_.bytes.data(), out_.bytes.size());
    return {};
  }

 private:
  static x86::Gp gp64(Reg r) { return x86::gpq(r); }
  static x86::Gp gp32(Reg r) { return x86::gpd(r); }
  x86::Vec vec(Reg r) const {
    return host_.mask_registers ? static_cast<x86::Vec>(x86::zmm(r)) : static_cast<x86::Vec>(x86::ymm(r));
  }
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
        m = x86::ptr(x86::rsp, frame_base_ + displacement);
        break;
      case MemBase::spill:
        m = x86::ptr(x86::rsp,
                     spill_base_ + static_cast<std::int32_t>(
                                       allocation_->slot_offset[static_cast<std::size_t>(displacement)]));
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
    a_->emit(id, operands...);
    ++out_.statistics.instructions;
  }
  template <class... Operands>
  void put_masked(InstId id, Reg mask, bool zero, const Operands&... operands) {
    a_->setExtraReg(k(mask));
    if (zero) a_->addInstOptions(asmjit::InstOptions::kX86_ZMask);
    put(id, operands...);
  }

  void routine(const Routine& r) {
    allocation_ = r.allocation;
    const lir::Code& code = *r.code;
    const AbiTraits abi = traits(options_.abi);
    std::uint32_t scalars = r.allocation->written[static_cast<std::size_t>(lir::RegClass::scalar)];
    if (options_.abi == Abi::win64) scalars |= 1u << 6 | 1u << 7;
    const std::uint32_t saved = abi.saved_scalars & scalars;
    const std::uint32_t saved_vectors =
        abi.saved_vectors & r.allocation->written[static_cast<std::size_t>(lir::RegClass::vector)];
    bool burns = false;
    for (const Inst& inst : r.allocation->insts) burns |= static_cast<Op>(inst.op) == Op::BurnFuel;

    a_->align(asmjit::AlignMode::kCode, 16);
    mark(ir::kNoAddress);
    a_->push(x86::rbp);
    a_->mov(x86::rbp, x86::rsp);
    std::int32_t pushed = 0;
    for (std::uint32_t reg = 0; reg < 16; ++reg)
      if (saved >> reg & 1) {
        a_->push(gp64(reg));
        pushed += 8;
      }
    // Frame, from rsp: fuel (64 bytes), the lowering's area, spill slots, saved vectors.
    constexpr std::int32_t kFuelBytes = 64;
    frame_base_ = kFuelBytes;
    std::int32_t lowering_bytes = static_cast<std::int32_t>((code.frame_bytes + 63) / 64 * 64);
    spill_base_ = kFuelBytes + lowering_bytes;
    std::int32_t vectors_base =
        spill_base_ + static_cast<std::int32_t>((r.allocation->spill_bytes + 63) / 64 * 64);
    std::int32_t frame = vectors_base + 16 * 16;
    a_->sub(x86::rsp, frame);
    a_->and_(x86::rsp, -64);
    for (std::uint32_t v = 0; v < 16; ++v)
      if (saved_vectors >> v & 1)
        a_->vmovups(x86::ptr(x86::rsp, vectors_base + static_cast<std::int32_t>(v) * 16), x86::xmm(v));
    if (abi.argument != x86::rdi) a_->mov(x86::rdi, abi.argument);
    a_->mov(x86::rsi, x86::ptr(x86::rdi, offsetof(KernelArgs, table)));

    labels_.clear();
    for (std::size_t b = 0; b < code.blocks.size(); ++b) labels_.push_back(a_->newLabel());
    next_group_ = a_->newLabel();
    leave_ = a_->newLabel();
    stops_.clear();
    Label group = a_->newLabel();
    a_->align(asmjit::AlignMode::kCode, 32);
    a_->bind(group);
    if (burns) {
      a_->mov(x86::rax, x86::ptr(x86::rdi, offsetof(KernelArgs, fuel)));
      a_->mov(x86::ptr(x86::rsp), x86::rax);
    }
    find_targets(code);
    for (std::uint32_t b = 0; b < code.blocks.size(); ++b) block(code, b);
    a_->bind(next_group_);
    mark(ir::kNoAddress);
    if (r.loops_over_groups) {
      auto advance = [&](std::int32_t binding) {
        a_->mov(x86::rax, x86::ptr(x86::rdi, binding + static_cast<std::int32_t>(offsetof(Binding, step))));
        a_->add(x86::ptr(x86::rdi, binding + static_cast<std::int32_t>(offsetof(Binding, address))),
                x86::rax);
      };
      for (std::uint32_t n = 0; n < r.inputs; ++n)
        advance(static_cast<std::int32_t>(offsetof(KernelArgs, inputs) + n * sizeof(Binding)));
      for (std::uint32_t n = 0; n < r.outputs; ++n)
        advance(static_cast<std::int32_t>(offsetof(KernelArgs, outputs) + n * sizeof(Binding)));
      a_->dec(x86::qword_ptr(x86::rdi, offsetof(KernelArgs, group_count)));
      a_->jnz(group);
    }
    a_->bind(leave_);
    for (std::uint32_t v = 0; v < 16; ++v)
      if (saved_vectors >> v & 1)
        a_->vmovups(x86::xmm(v), x86::ptr(x86::rsp, vectors_base + static_cast<std::int32_t>(v) * 16));
    a_->vzeroupper();
    a_->lea(x86::rsp, x86::ptr(x86::rbp, -pushed));
    for (std::uint32_t reg = 16; reg-- > 0;)
      if (saved >> reg & 1) a_->pop(gp64(reg));
    a_->pop(x86::rbp);
    a_->ret();
    for (const Stop& stop : stops_) {  // out of line: leave early with a status
      a_->bind(stop.label);
      a_->mov(x86::dword_ptr(x86::rdi, offsetof(KernelArgs, status)),
              static_cast<std::uint32_t>(stop.status));
      a_->mov(x86::dword_ptr(x86::rdi, offsetof(KernelArgs, guest_address)), stop.guest_address);
      a_->jmp(leave_);
    }
    out_.statistics.spill_stores += r.allocation->spill_stores;
    out_.statistics.spill_loads += r.allocation->spill_loads;
    out_.statistics.rematerialized += r.allocation->rematerialized;
    out_.statistics.moves += r.allocation->moves;
  }

  // A block that only jumps is skipped by those that would jump to it.
  void find_targets(const lir::Code& code) {
    target_.resize(code.blocks.size());
    for (std::uint32_t b = 0; b < code.blocks.size(); ++b) target_[b] = b;
    for (std::uint32_t b = static_cast<std::uint32_t>(code.blocks.size()); b-- > 0;) {
      std::uint32_t first = allocation_->block_first[b], end = allocation_->block_first[b + 1];
      if (end - first == 1 && static_cast<Op>(allocation_->insts[first].op) == Op::Jump &&
          code.blocks[b].successors[0] > b)
        target_[b] = target_[code.blocks[b].successors[0]];
    }
  }

  void block(const lir::Code& code, std::uint32_t b) {
    a_->bind(labels_[b]);
    if (target_[b] != b) {  // reached only by falling through
      jump_unless_next(code, b, target_[b]);
      return;
    }
    for (std::uint32_t i = allocation_->block_first[b]; i < allocation_->block_first[b + 1]; ++i) {
      const Inst& inst = allocation_->insts[i];
      if (inst.guest_address != address_) mark(inst.guest_address);
      instruction(code, b, inst);
    }
  }

  void mark(std::uint32_t guest_address) {
    address_ = guest_address;
    auto offset = static_cast<std::uint32_t>(a_->offset());
    if (!out_.map.empty() && out_.map.back().offset == offset)
      out_.map.back().guest_address = guest_address;
    else
      out_.map.push_back({offset, guest_address});
  }

  // Is control at `target` after the code of block b if nothing jumps?
  bool falls_to(const lir::Code& code, std::uint32_t b, std::uint32_t target) const {
    for (std::uint32_t next = b + 1; next < code.blocks.size(); ++next) {
      if (next == target) return true;
      if (target_[next] == next) return false;  // has code of its own
      return target_[next] == target && falls_to(code, next, target);
    }
    return false;
  }
  void jump_unless_next(const lir::Code& code, std::uint32_t b, std::uint32_t target) {
    if (falls_to(code, b, target)) return;
    a_->jmp(labels_[target]);
    ++out_.statistics.instructions;
  }

  void instruction(const lir::Code& code, std::uint32_t b, const Inst& inst) {
    const Op op = static_cast<Op>(inst.op);
    const InstId id = x64::instruction(op, host_.mask_registers);
    const bool zero = (inst.flags & lir::kZeroMask) != 0;
    const asmjit::Imm imm(inst.imm);
    const Form f = form(op);
    if (f <= Form::merge_move) ++out_.statistics.vector_arithmetic;
    switch (f) {
      case Form::vvv:
        return put(id, vec(inst.def), vec(inst.use[0]), operand(inst, 1));
      case Form::vv:
        if (op == Op::Copy && inst.def == inst.use[0]) return;
        return put(id, vec(inst.def), operand(inst, 0));
      case Form::vv_imm:
        return put(id, vec(inst.def), operand(inst, 0), imm);
      case Form::shift:
        return put(id, vec(inst.def), vec(inst.use[0]), imm);
      case Form::fma:
        return fma(inst);
      case Form::upper_half:
        if (host_.mask_registers) return put(id, x86::ymm(inst.def), x86::zmm(inst.use[0]), asmjit::Imm(1));
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
      case Form::blend:
        if (host_.mask_registers)
          return put_masked(id, inst.use[2], false, vec(inst.def), vec(inst.use[0]), operand(inst, 1));
        return put(id, vec(inst.def), vec(inst.use[0]), operand(inst, 1), vec(inst.use[2]));
      case Form::vv_zero_mask:
        return put_masked(id, inst.use[1], true, vec(inst.def), operand(inst, 0));
      case Form::merge_zero:
        return put_masked(id, inst.use[1], false, vec(inst.def), vec(inst.def), vec(inst.def));
      case Form::merge_move:
        return put_masked(id, inst.use[2], zero, vec(inst.def), operand(inst, 1));
      case Form::kkk:
        return put(id, k(inst.def), k(inst.use[0]), k(inst.use[1]));
      case Form::kk:
        if (op == Op::KCopy && inst.def == inst.use[0]) return;
        return put(id, k(inst.def), k(inst.use[0]));
      case Form::k_constant:
        return put(id, k(inst.def), k(inst.def), k(inst.def));
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
        if (op == Op::Zero) {  // the short form clears the whole register
          if (inst.def < 16)
            return put(x86::Inst::kIdVxorps, x86::xmm(inst.def), x86::xmm(inst.def), x86::xmm(inst.def));
          return put(id, vec(inst.def), vec(inst.def), vec(inst.def));
        }
        if (host_.mask_registers)
          return put(id, vec(inst.def), vec(inst.def), vec(inst.def), asmjit::Imm(0xff));
        return put(id, vec(inst.def), vec(inst.def), vec(inst.def));
      case Form::load_broadcast:
        return put(id, vec(inst.def), memory(inst, 4));
      case Form::broadcast_scalar:
        if (host_.mask_registers) return put(id, vec(inst.def), gp32(inst.use[0]));
        put(x86::Inst::kIdVmovd, x86::xmm(inst.def), gp32(inst.use[0]));
        return put(id, vec(inst.def), x86::xmm(inst.def));
      case Form::v_to_scalar:
        return put(id, gp32(inst.def), x86::xmm(inst.use[0]));
      case Form::load_full:
        return put(id, vec(inst.def), memory(inst, host_.vector_bytes));
      case Form::store_full:
        return put(id, memory(inst, host_.vector_bytes), vec(inst.use[0]));
      case Form::store_masked:
        if (host_.mask_registers)
          return put_masked(id, inst.use[1], false, memory(inst, host_.vector_bytes), vec(inst.use[0]));
        return put(id, memory(inst, host_.vector_bytes), vec(inst.use[1]), vec(inst.use[0]));
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
      case Form::s_load64:
        return put(id, gp64(inst.def), memory(inst, 8));
      case Form::s_store:
        return put(id, memory(inst, 8), gp64(inst.use[0]));
      case Form::s_store_word:
        return put(id, memory(inst, 4), gp32(inst.use[0]));
      case Form::s_copy:
        if (inst.def == inst.use[0]) return;
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
      case Form::s_select:
        put(x86::Inst::kIdTest, gp32(inst.use[2]), gp32(inst.use[2]));
        return put(id, gp32(inst.def), gp32(inst.use[1]));
      case Form::jump:
        return jump_unless_next(code, b, target_[code.blocks[b].successors[0]]);
      case Form::branch:
        return branch(code, b, inst);
      case Form::switch_:
        return switch_between(code, b, inst.use[0], 0,
                              static_cast<std::uint32_t>(code.blocks[b].successors.size()));
      case Form::return_:
        if (b + 1 != code.blocks.size()) {
          a_->jmp(next_group_);
          ++out_.statistics.instructions;
        }
        return;
      case Form::burn_fuel:
        return burn_fuel(inst);
    }
  }

  // use[0]*use[1] + use[2] in the form in which the definition overwrites what ends here, if anything does.
  void fma(const Inst& inst) {
    Reg d = inst.def, x = inst.use[0], y = inst.use[1], z = inst.use[2];
    if (d == z && z != lir::kNoReg) {
      if (x == lir::kNoReg) return put(x86::Inst::kIdVfmadd231ps, vec(d), vec(y), operand(inst, 0));
      return put(x86::Inst::kIdVfmadd231ps, vec(d), vec(x), operand(inst, 1));
    }
    int first = d == y && y != lir::kNoReg ? 1 : 0;  // the factor that d holds
    int second = 1 - first;
    if (inst.use[first] == lir::kNoReg) std::swap(first, second);
    if (inst.use[first] != d) {
      // d may hold no operand that is still to be read: the allocator gave it a register of its own, or one
      // of an operand, which the cases above took.
      put(x86::Inst::kIdVmovaps, vec(d), vec(inst.use[first]));
      ++out_.statistics.moves;
    }
    if (inst.use[second] == lir::kNoReg)
      return put(x86::Inst::kIdVfmadd132ps, vec(d), vec(z), operand(inst, second));
    put(x86::Inst::kIdVfmadd213ps, vec(d), vec(inst.use[second]), operand(inst, 2));
  }

  static Condition condition(const Inst& inst) { return static_cast<Condition>(inst.imm & 0xff); }
  void scalar_compare(const Inst& inst) {
    if (inst.imm & kCompareImmediate)
      put(x86::Inst::kIdCmp, gp32(inst.use[0]), asmjit::Imm(static_cast<std::int32_t>(inst.imm >> 8)));
    else
      put(x86::Inst::kIdCmp, gp32(inst.use[0]), gp32(inst.use[1]));
  }
  static InstId set_condition(const Inst& inst) {
    static constexpr InstId kIds[] = {x86::Inst::kIdSete,  x86::Inst::kIdSetne, x86::Inst::kIdSetl,
                                      x86::Inst::kIdSetle, x86::Inst::kIdSetb,  x86::Inst::kIdSetbe};
    return kIds[static_cast<std::size_t>(condition(inst))];
  }

  void branch(const lir::Code& code, std::uint32_t b, const Inst& inst) {
    InstId taken = x86::Inst::kIdJnz, not_taken = x86::Inst::kIdJz;
    switch (static_cast<Op>(inst.op)) {
      case Op::BranchScalar:
        put(x86::Inst::kIdTest, gp32(inst.use[0]), gp32(inst.use[0]));
        break;
      case Op::BranchMask:
        if (host_.mask_registers)
          put(x86::Inst::kIdKortestw, k(inst.use[0]), k(inst.use[0]));
        else
          put(x86::Inst::kIdVtestps, x86::ymm(inst.use[0]), x86::ymm(inst.use[0]));
        break;
      default: {
        scalar_compare(inst);
        static constexpr InstId kTaken[] = {x86::Inst::kIdJe,  x86::Inst::kIdJne, x86::Inst::kIdJl,
                                            x86::Inst::kIdJle, x86::Inst::kIdJb,  x86::Inst::kIdJbe};
        static constexpr InstId kNotTaken[] = {x86::Inst::kIdJne, x86::Inst::kIdJe,  x86::Inst::kIdJge,
                                               x86::Inst::kIdJg,  x86::Inst::kIdJae, x86::Inst::kIdJa};
        taken = kTaken[static_cast<std::size_t>(condition(inst))];
        not_taken = kNotTaken[static_cast<std::size_t>(condition(inst))];
      }
    }
    std::uint32_t if_true = target_[code.blocks[b].successors[0]],
                  if_false = target_[code.blocks[b].successors[1]];
    if (falls_to(code, b, if_true)) return put(not_taken, labels_[if_false]);
    put(taken, labels_[if_true]);
    jump_unless_next(code, b, if_false);
  }

  // A tree of compares: successor min(index, count - 1).
  void switch_between(const lir::Code& code, std::uint32_t b, Reg index, std::uint32_t first,
                      std::uint32_t end) {
    if (end - first == 1) {
      a_->jmp(labels_[target_[code.blocks[b].successors[first]]]);
      ++out_.statistics.instructions;
      return;
    }
    std::uint32_t middle = first + (end - first) / 2;
    Label upper = a_->newLabel();
    put(x86::Inst::kIdCmp, gp32(index), asmjit::Imm(middle));
    put(x86::Inst::kIdJae, upper);
    switch_between(code, b, index, first, middle);
    a_->bind(upper);
    switch_between(code, b, index, middle, end);
  }

  struct Stop {
    Label label;
    KernelStatus status;
    std::uint32_t guest_address;
  };
  void burn_fuel(const Inst& inst) {
    Label out_of_fuel = a_->newLabel(), cancelled = a_->newLabel();
    stops_.push_back({out_of_fuel, KernelStatus::out_of_fuel, inst.guest_address});
    stops_.push_back({cancelled, KernelStatus::cancelled, inst.guest_address});
    put(x86::Inst::kIdSub, x86::qword_ptr(x86::rsp), asmjit::Imm(1));
    put(x86::Inst::kIdJb, out_of_fuel);
    put(x86::Inst::kIdMov, x86::rax, x86::qword_ptr(x86::rdi, offsetof(KernelArgs, cancel)));
    put(x86::Inst::kIdCmp, x86::dword_ptr(x86::rax), asmjit::Imm(0));
    put(x86::Inst::kIdJne, cancelled);
  }

  const Host& host_;
  const CompileOptions& options_;
  MachineCode& out_;
  ErrorCatcher errors_;
  x86::Assembler* a_ = nullptr;
  const lir::Allocation* allocation_ = nullptr;
  Label pool_, next_group_, leave_;
  std::vector<Label> labels_;
  std::vector<std::uint32_t> target_;
  std::vector<Stop> stops_;
  std::int32_t frame_base_ = 0, spill_base_ = 0;
  std::uint32_t address_ = ir::kNoAddress;
};

}  // namespace

Status emit(const Routine& kernel, const Routine* preamble, const Host& host, const ConstantPool& pool,
            const CompileOptions& options, MachineCode& out) {
  return Emitter(host, options, out).run(kernel, preamble, pool);
}

}  // namespace warpjit::backend::x64
