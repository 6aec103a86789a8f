// Lowering: a function of the IR in group form to LIR for AVX2 or AVX-512. A varying value becomes one vector
// (or mask) register per part, a uniform f32 one vector with equal lanes, a uniform i32 or i1 a scalar
// register. Constants and words of the uniform table have no register of their own: they are memory operands
// where the instruction allows it, else they are loaded where they are used.
#pragma once

#include <array>
#include <vector>

#include "backend/x64/host.h"
#include "ir/function.h"

namespace warpjit::backend::x64 {

// A register or a memory operand.
struct Source {
  lir::Reg reg = lir::kNoReg;
  lir::Mem mem;
  bool in_memory() const { return mem.base != lir::MemBase::none; }
};

// Displacements from the KernelArgs of an input's or output's binding.
std::int32_t input_displacement(std::uint32_t index);
std::int32_t output_displacement(std::uint32_t index);

// Vectors per value so that the code's live values about fit the registers.
std::uint32_t choose_parts(const ir::Function& f, const Host& host);

class Lowering {
 public:
  // Fills `code`, which keeps the memory it had.
  Lowering(const ir::Function& f, const Host& host, ConstantPool& pool, std::uint32_t parts, lir::Code& code);
  void run();

 private:
  // Blocks and values (lower.cpp).
  void order_blocks();
  void lower_block(ir::Block b);
  void lower(ir::Inst i);
  void flush_inputs();
  void connect(ir::Block from, ir::Block to, std::uint32_t lir_from);
  void finish_loops();

  std::uint32_t parts_of(ir::Value v) const { return varying(v) ? parts_ : 1; }
  bool varying(ir::Value v) const { return f_.value(v).shape == ir::Shape::varying; }
  lir::Reg& slot(ir::Value v, std::uint32_t part) { return regs_[std::size_t{v.id} * parts_ + part]; }
  void define(ir::Value v, std::uint32_t part, lir::Reg r) { slot(v, part) = r; }
  ir::Value operand(ir::Inst i, std::uint32_t k) const { return f_.operand(i, k); }
  std::uint64_t constant(ir::Value v) const { return f_.constant(v); }
  bool is_constant(ir::Value v) const { return f_.is_constant(v); }
  bool is_uniform_load(ir::Value v) const;

  // The value as a vector register, as a vector operand, as a scalar register, as a mask.
  lir::Reg vector(ir::Value v, std::uint32_t part);
  Source source(ir::Value v, std::uint32_t part);
  lir::Reg scalar(ir::Value v);
  lir::Reg mask(ir::Value v, std::uint32_t part);
  Source constant_source(std::uint32_t word);
  lir::Reg constant_vector(std::uint32_t word);

  // Making instructions.
  lir::Inst& add(Op op, lir::RegClass cls);  // with a definition
  lir::Inst& add(Op op);                     // without
  static void use(lir::Inst& inst, lir::Reg r) { inst.use[inst.use_count++] = r; }
  static void use_source(lir::Inst& inst, const Source& s);
  lir::Reg vvv(Op op, lir::Reg a, const Source& b);
  lir::Reg vv(Op op, const Source& a, std::int64_t imm = 0);
  lir::Reg shift(Op op, lir::Reg a, std::int64_t count);
  lir::Reg compare(Op op, lir::Reg a, const Source& b, int predicate);
  lir::Reg blend(lir::Reg if_false, const Source& if_true, lir::Reg mask);
  static Source reg_source(lir::Reg r) { return {r, {}}; }
  lir::Reg scalar_tied(Op op, lir::Reg a, lir::Reg b);
  lir::Reg scalar_tied_imm(Op op, lir::Reg a, std::int64_t imm);
  lir::Reg scalar_imm(std::uint32_t word);
  lir::Reg scalar_from_mask(lir::Reg mask);
  lir::Reg mask_op(ir::Opcode op, lir::Reg a, lir::Reg b);
  lir::Reg all_lanes(bool value);

  // Arithmetic patterns (lower_arithmetic.cpp).
  void binary(ir::Inst i, Op op, bool commutative);
  void unary(ir::Inst i, Op op, std::int64_t imm = 0);
  void with_constant(ir::Inst i, Op op, std::uint32_t word);
  void float_compare(ir::Inst i, int predicate, int mirrored);
  void integer_compare(ir::Inst i, Condition condition);
  void integer_binary(ir::Inst i, Op vector_op, Op scalar_op, Op scalar_imm_op, bool commutative);
  void integer_shift(ir::Inst i, Op by_vector, Op by_constant, Op scalar_by_constant);
  void define_from_vector(ir::Inst i, lir::Reg r);  // a uniform i32 computed in a vector
  void select(ir::Inst i, bool floating);
  void logic(ir::Inst i);
  lir::Reg multiply_zero_inf(ir::Value a, ir::Value b, std::uint32_t part);
  lir::Reg saturate_to_int(ir::Value a, std::uint32_t part);
  Condition branch_condition(ir::Opcode op) const;

  // Rows (lower_memory.cpp).
  void load_input(ir::Inst i);
  void load_uniform_row(ir::Inst i);
  // Where a binding's rows are, one part at a time.
  struct RowPointers {
    lir::Reg stride, stride3;              // bytes from a row to the next, and three times that
    lir::Reg next;                         // the pointer made last
    std::array<lir::Reg, 4> every_fourth;  // rows 0, 4, 8, ... of the part
  };
  RowPointers row_pointers(std::int32_t binding);
  void point_at_part(RowPointers& rows, std::uint32_t part);
  static void at_row(lir::Inst& inst, const RowPointers& rows, std::uint32_t lane, std::uint32_t k);
  std::array<lir::Reg, 4> load_components(const RowPointers& rows);
  lir::Reg load_binding(std::size_t displacement);
  lir::Reg address(lir::Reg base, lir::Reg index, std::uint8_t scale_log2);
  std::array<lir::Reg, 4> transpose(const std::array<lir::Reg, 4>& rows);
  lir::Reg row_scratch(ir::Value index);
  lir::Mem frame(std::int32_t displacement) const;

#define WARPJIT_IR_OP(name, results, operands, flags) void lower_##name(ir::Inst i);
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP

  const ir::Function& f_;
  const Host& host_;
  ConstantPool& pool_;
  std::uint32_t parts_;
  lir::Code& code_;
  std::vector<lir::Reg> regs_;            // by value and part
  std::vector<std::uint32_t> use_count_;  // of IR values
  std::vector<ir::Block> order_;
  std::vector<std::uint32_t> lir_block_;  // of an IR block
  struct Cached {
    lir::Reg reg = lir::kNoReg;
    std::uint32_t block = ~0u;
  };
  std::vector<Cached> vector_cache_, scalar_cache_,
      mask_cache_;  // other forms of uniform values, this block's
  std::vector<std::pair<std::uint32_t, Cached>> constant_cache_;  // constants in registers, this block's
  std::vector<ir::Inst> pending_inputs_;  // loads of this block that nothing has asked for yet
  std::uint32_t current_block_ = 0;       // number of the IR block being lowered: the caches' stamp
  std::uint32_t guest_address_ = ir::kNoAddress;
  std::int32_t scratch_ = -1;  // frame area for the byte offsets of per-lane rows
  ir::Value scratch_index_;
  std::uint32_t scratch_block_ = ~0u;
  std::int32_t slots_ = -1;  // frame area of the IR's local slots
};

}  // namespace warpjit::backend::x64
