// What NEON makes of the operations that hosts do differently.
#pragma once

#include "backend/a64/host.h"
#include "backend/lower/lower.h"

namespace warpjit::backend::a64 {

class Lowering final : public backend::Lowering {
 public:
  Lowering(const ir::Function& f, const Host& host, const Role& role, ConstantPool& pool, std::uint32_t parts,
           lir::Code& code);

 private:
  // Four words of the uniform table in one register, of which products take a lane.
  struct Quad {
    Reg reg = lir::kNoReg;
    std::uint32_t block = ~0u, epoch = 0;
  };
  Reg quad_of(std::int32_t offset);
  static std::int64_t lane_of(std::int32_t offset) { return offset / 4 % 4; }

  bool gives_default_nan(Value v) const;
  bool quiet(Value v) const;
  bool is_constant_number(Value v, std::uint32_t except) const;
  Reg lane_product(Op op, Reg a, Value uniform);
  Reg compare(Op op, Reg a, Reg b) { return vvv(op, a, b); }
  Reg compare_zero(Op op, Reg a) { return vv(op, a); }
  Reg table_address(std::int32_t offset);

  // lower.cpp
  Reg make_constant(std::uint32_t word) override;
  Reg make_uniform(std::int32_t offset) override;
  Reg multiply(Value a, Value b, std::uint32_t p) override;
  Reg multiply_zero_inf(Value a, Value b, std::uint32_t p) override;
  Reg multiply_add(Value a, Value b, Value c, std::uint32_t p) override;
  Reg negate(Value a, std::uint32_t p) override { return vv(Op::Neg, vector(a, p)); }
  Reg absolute(Value a, std::uint32_t p) override { return vv(Op::Abs, vector(a, p)); }
  Reg max_select(Value a, Value b, std::uint32_t p) override;
  Reg min_select(Value a, Value b, std::uint32_t p) override;
  Reg canonicalize_nan(Value a, std::uint32_t p) override;
  Reg saturate_to_int(Value a, std::uint32_t p) override { return vv(Op::CvtToI, vector(a, p)); }
  Reg canonicalize_nan_ones(Value a, std::uint32_t p) override;
  Reg saturate_to_unsigned(Value a, std::uint32_t p) override { return vv(Op::CvtToU, vector(a, p)); }
  Reg unsigned_to_float(Value a, std::uint32_t p) override { return vv(Op::CvtToFU, vector(a, p)); }
  Reg extreme_number(bool greater, Value a, Value b, std::uint32_t p) override;
  Reg shift_by_vector(Shift kind, Value a, Value count, std::uint32_t p) override;
  Reg min_over_lanes(Reg r) override { return vv(Op::MinAcross, r); }
  Mask compare_floats(ir::Opcode op, Value a, Value b, std::uint32_t p) override;
  Mask compare_integers(Condition condition, Value a, Value b, std::uint32_t p) override;

  // lower_mask.cpp
  Reg select_lanes(Mask m, Value a, Value b, std::uint32_t p) override;
  Reg select_masks(Reg m, Reg a, Reg b) override { return blend(b, reg_source(a), m); }
  Reg mask_op(MaskOp op, Reg a, Reg b) override;
  Reg mask_not(Reg a) override { return vv(Op::Not, a); }
  Reg mask_constant(bool value) override { return constant_vector(value ? ~0u : 0); }
  Reg mask_from_bool(Reg scalar) override;
  Reg bool_from_mask(Reg mask) override { return scalar_op_imm(Op::SAndImm, vector_to_scalar(mask), 1); }
  Reg any_bits(Reg mask) override { return vector_to_scalar(vv(Op::MaxAcross, mask)); }
  void branch_if_any(Reg mask) override;
  void stop_if_any(Reg mask, std::int64_t reason) override {
    backend::Lowering::stop_if_any(vv(Op::AnyPairs, mask), reason);
  }
  Reg swizzle_quads(Reg r, std::uint64_t lanes) override;

  // lower_memory.cpp
  std::array<Reg, 4> broadcast_row(Reg bytes, std::int32_t offset) override;
  void store_where(Reg r, Reg mask, const lir::Mem& mem, Reg base) override;
  std::array<Reg, 4> load_rows(Value index, std::int32_t offset, std::uint32_t count, bool may_exceed,
                               std::uint32_t p) override;

  std::vector<Quad> quads_;  // by byte offset / 16
};

}  // namespace warpjit::backend::a64
