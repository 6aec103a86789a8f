// Makes LIR: instructions, blocks and edges. Knows the habits of the host's instructions, and no IR. A
// builder is a view of a State: all parts of a lowering build at the same place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "backend/lower/state.h"

namespace warpjit::backend {

// A register or a memory operand.
struct Source {
  lir::Reg reg = lir::kNoReg;
  lir::Mem mem;
  bool in_memory() const { return mem.base != lir::MemBase::none; }
};

class Builder {
 protected:
  using Reg = lir::Reg;
  using Regs = lir::Regs;

  explicit Builder(State& state)
      : state_(state),
        host_(state.host),
        role_(state.role),
        pool_(state.pool),
        code_(state.code),
        parts_(state.parts) {}

  // ---- Instructions

  lir::InstRef add(Op op, lir::RegClass cls);  // with a definition
  lir::InstRef add(Op op);                     // without
  static void use(lir::InstRef inst, Reg r) { inst->use[inst->use_count++] = r; }
  void use_source(lir::InstRef inst, const Source& s) const;
  static Source reg_source(Reg r) { return {r, {}}; }
  // Vectors from vectors.
  Reg vvv(Op op, Reg a, const Source& b);
  Reg vvv(Op op, Reg a, Reg b) { return vvv(op, a, reg_source(b)); }
  Reg vv(Op op, const Source& a, std::int64_t imm = 0);
  Reg vv(Op op, Reg a, std::int64_t imm = 0) { return vv(op, reg_source(a), imm); }
  Reg with_immediate(Op op, Reg a, std::int64_t imm);
  Reg blend(Reg if_false, const Source& if_true, Reg mask);
  std::array<Reg, 4> transpose(const std::array<Reg, 4>& rows);
  // Scalars from scalars.
  Reg scalar_op(Op op, Reg a, Reg b);
  Reg scalar_op_imm(Op op, Reg a, std::int64_t imm);
  Reg scalar_extreme(Op op, Reg a, Reg b, Condition less);  // SMin, SMax
  Reg scalar_imm(std::uint32_t word);
  Reg scalar_compare(Reg a, Reg b, Condition condition);
  Reg scalar_compare_imm(Reg a, Condition condition, std::int32_t constant);
  Reg scalar_select(Reg bit, Reg if_true, Reg if_false);
  Reg sign_extend(Reg a);
  Reg address(Reg base, Reg index, std::uint8_t scale_log2);  // base + (index << scale_log2), 64 bits
  // From one to the other.
  Reg vector_to_scalar(Reg r);  // lane 0
  Reg spread(Reg scalar);       // to all lanes

  // Loads and stores; `base` is use 0 of a load, use 1 of a store.
  Reg load(Op op, lir::RegClass cls, const lir::Mem& mem, Reg base = lir::kNoReg);
  void store(Op op, Reg r, const lir::Mem& mem, Reg base = lir::kNoReg);
  Reg load_argument(std::size_t displacement);       // 64 bits of the KernelArgs, which stay
  Reg load_argument_word(std::size_t displacement);  // 32 bits, as they are now
  lir::Mem argument(std::size_t displacement) const;
  lir::Mem frame(std::int32_t displacement) const;
  std::int32_t reserve_frame(std::uint32_t bytes);
  Reg frame_address(std::int32_t displacement);
  // Constants that differ from lane to lane.
  Reg vector_of(std::span<const std::uint32_t> lanes);
  lir::Mem pool_mem(std::span<const std::uint32_t> lanes);
  Reg load_constant(const lir::Mem& mem);

  // ---- Blocks

  std::uint32_t begin_block();
  // A block of its own for an edge out of `from`. What is cached there is valid on this way only.
  std::uint32_t begin_edge(std::uint32_t from);
  std::uint32_t last_block() const { return static_cast<std::uint32_t>(code_.blocks.size() - 1); }
  void end_block(std::uint32_t b) { code_.blocks[b].end = static_cast<std::uint32_t>(code_.insts.size()); }
  void end_edge(std::uint32_t edge, Regs args);
  // Begins a block after both edges; gives its parameters, for the registers that come with them.
  Regs join_edges(std::uint32_t a, std::uint32_t b);
  std::uint32_t current_block() const { return state_.current_block; }

  State& state_;
  const Host& host_;
  const Role& role_;
  ConstantPool& pool_;
  lir::Code& code_;
  const std::uint32_t parts_;
};

}  // namespace warpjit::backend
