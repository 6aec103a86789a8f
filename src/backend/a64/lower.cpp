// What NEON makes of the operations that hosts do differently: constants, arithmetic, comparisons.
#include "backend/a64/lower.h"

#include "backend/a64/immediate.h"
#include "ir/analysis/range.h"

namespace warpjit::backend::a64 {

using ir::Opcode;
using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

namespace {
constexpr std::uint32_t kSignBit = 0x80000000u, kInfinity = 0x7f800000u;
}  // namespace

void lower(const ir::Function& f, const Host& host, const Role& role, ConstantPool& pool, std::uint32_t parts,
           lir::Code& code) {
  Lowering(f, host, role, pool, parts, code).run();
}

Lowering::Lowering(const ir::Function& f, const Host& host, const Role& role, ConstantPool& pool,
                   std::uint32_t parts, lir::Code& code)
    : backend::Lowering(f, host, role, pool, parts, code), quads_(f.uniform_bytes / 16 + 1) {}

// ---- constants and uniforms

Reg Lowering::make_constant(std::uint32_t word) {
  if (vector_immediate(word)) {
    const InstRef inst = add(Op::VectorImm, RegClass::vector);
    inst->imm = word;
    inst->flags |= lir::kRemat;
    return inst->def;
  }
  const std::int32_t offset = pool_.offset(word);
  const InstRef inst = add(Op::LoadConstant, RegClass::vector);
  inst->mem.base = MemBase::pool;
  inst->mem.displacement = offset;
  inst->flags |= lir::kRemat;
  return inst->def;
}

// The table is 64-byte aligned, so that the words beside the one asked for may be read, too.
Reg Lowering::quad_of(std::int32_t offset) {
  Quad& quad = quads_[static_cast<std::size_t>(offset) / 16];
  if (quad.block == current_block() && quad.epoch == table_epoch()) return quad.reg;
  const InstRef inst = add(Op::LoadQuad, RegClass::vector);
  inst->mem.base = MemBase::table;
  inst->mem.displacement = offset & ~15;
  inst->flags |= lir::kRemat;
  quad = {inst->def, current_block(), table_epoch()};
  return quad.reg;
}

Reg Lowering::make_uniform(std::int32_t offset) {
  return with_immediate(Op::DupLane, quad_of(offset), lane_of(offset));
}

// ---- arithmetic

// a * uniform, by a lane of the uniform's quad.
Reg Lowering::lane_product(Op op, Reg a, Value uniform) {
  const std::int32_t offset = table_offset(uniform);
  Reg r = vvv(op, a, quad_of(offset));
  code_.insts.back().imm = lane_of(offset);
  return r;
}

Reg Lowering::multiply(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p);
  if (!varying(b) && is_uniform_load(b)) return lane_product(Op::MulLane, left, b);
  return vvv(Op::Mul, left, vector(b, p));
}

// FMULX is FMUL but for 0 * inf, where it gives 2 and FMUL a NaN; and only there the bits of the two differ.
Reg Lowering::multiply_zero_inf(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p), product, extended;
  if (!varying(b) && is_uniform_load(b)) {
    product = lane_product(Op::MulLane, left, b);
    extended = lane_product(Op::MulXLane, left, b);
  } else {
    Reg right = vector(b, p);
    product = vvv(Op::Mul, left, right);
    extended = vvv(Op::MulX, left, right);
  }
  return vvv(Op::And, product, vvv(Op::ICmpEq, product, extended));
}

Reg Lowering::multiply_add(Value a, Value b, Value c, std::uint32_t p) {
  auto in_table = [&](Value v) { return !varying(v) && is_uniform_load(v); };
  if (in_table(a)) std::swap(a, b);
  Reg left = vector(a, p);
  const bool by_lane = in_table(b);
  Reg right = by_lane ? quad_of(table_offset(b)) : vector(b, p);
  Reg addend = vector(c, p);
  const InstRef inst = add(by_lane ? Op::FmlaLane : Op::Fmla, RegClass::vector);
  inst->flags |= lir::kTied;
  use(inst, addend);
  use(inst, left);
  use(inst, right);
  if (by_lane) inst->imm = lane_of(table_offset(b));
  return inst->def;
}

// Is a NaN of this value, as NEON computes it with FPCR.DN set, always the default one, 0x7fc00000?
bool Lowering::gives_default_nan(Value v) const {
  switch (f_.definition_of(v).opcode) {
    case Opcode::FAdd32:
    case Opcode::FSub32:
    case Opcode::FMul32:
    case Opcode::FMulZeroInf32:
    case Opcode::FDiv32:
    case Opcode::FSqrt32:
    case Opcode::FFma32:
    case Opcode::FFloor32:
    case Opcode::CanonicalizeNaN32:
    case Opcode::I32ToF32:
      return true;
    default:
      return false;
  }
}

// Is the value never a signaling NaN?
bool Lowering::quiet(Value v) const {
  const Opcode op = f_.definition_of(v).opcode;
  if (op == Opcode::FNeg32 || op == Opcode::FAbs32) v = f_.operand(f_.definition(v), 0);
  return gives_default_nan(v);
}

// A constant that is neither NaN nor the word `except`.
bool Lowering::is_constant_number(Value v, std::uint32_t except) const {
  return is_constant(v) && constant(v) != except && (constant(v) & ~kSignBit) <= kInfinity;
}

// The IR's maximum gives b when an operand is NaN or both are equal. maxNum differs from it for a signaling
// NaN, for b a NaN and for the order of zeros; with a constant on one side none of that can come.
Reg Lowering::max_select(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p), right = vector(b, p);
  if (is_constant_number(b, kSignBit) && quiet(a)) return vvv(Op::MaxNum, left, right);
  if (is_constant_number(a, 0)) return vvv(Op::MaxIeee, left, right);
  return blend(right, reg_source(left), compare(Op::CmpGt, left, right));
}
Reg Lowering::min_select(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p), right = vector(b, p);
  if (is_constant_number(b, 0) && quiet(a)) return vvv(Op::MinNum, left, right);
  if (is_constant_number(a, kSignBit)) return vvv(Op::MinIeee, left, right);
  return blend(right, reg_source(left), compare(Op::CmpGt, right, left));
}

// Where a NaN may have other bits, an operation that keeps numbers makes it the default one.
Reg Lowering::canonicalize_nan(Value a, std::uint32_t p) {
  Reg r = vector(a, p);
  return gives_default_nan(a) ? r : vvv(Op::MaxIeee, r, r);
}

Reg Lowering::canonicalize_nan_ones(Value a, std::uint32_t p) {
  Reg r = vector(a, p);
  return blend(constant_vector(0x7fffffff), reg_source(r), compare(Op::CmpEq, r, r));
}

// maxNum gives the other operand for a quiet NaN only: a signaling one is replaced by that before.
Reg Lowering::extreme_number(bool greater, Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p), right = vector(b, p);
  Reg first = quiet(a) ? left : blend(right, reg_source(left), compare(Op::CmpEq, left, left));
  Reg second = quiet(b) ? right : blend(left, reg_source(right), compare(Op::CmpEq, right, right));
  return vvv(greater ? Op::MaxNum : Op::MinNum, first, second);
}

// The host shifts by the low byte of the count, to the left or, if it is negative, to the right; by 32 or
// more it does what the IR says.
Reg Lowering::shift_by_vector(Shift kind, Value a, Value count, std::uint32_t p) {
  Reg value = vector(a, p), by = vector(count, p);
  if (ir::upper_bound(f_, count) > 127) by = vvv(Op::IMinU, by, constant_vector(32));
  if (kind != Shift::left) by = vv(Op::INeg, by);
  return vvv(kind == Shift::right_signed ? Op::ShlSignedA : Op::ShlSigned, value, by);
}

// ---- comparisons

Mask Lowering::compare_floats(Opcode op, Value a, Value b, std::uint32_t p) {
  auto is_zero = [&](Value v) { return is_constant(v) && (constant(v) & ~kSignBit) == 0; };
  struct Row {
    Opcode op;
    Op straight, with_zero;
    bool swap, inverted;
  };
  static constexpr Row kRows[] = {{Opcode::FEq32, Op::CmpEq, Op::CmpEqZero, false, false},
                                  {Opcode::FNe32, Op::CmpEq, Op::CmpEqZero, false, true},
                                  {Opcode::FGt32, Op::CmpGt, Op::CmpGtZero, false, false},
                                  {Opcode::FGe32, Op::CmpGe, Op::CmpGeZero, false, false},
                                  {Opcode::FLt32, Op::CmpGt, Op::CmpLtZero, true, false},
                                  {Opcode::FLe32, Op::CmpGe, Op::CmpLeZero, true, false}};
  for (const Row& row : kRows) {
    if (row.op != op) continue;
    Reg left = vector(a, p);
    if (is_zero(b)) return {compare_zero(row.with_zero, left), row.inverted};
    Reg right = vector(b, p);
    return {row.swap ? compare(row.straight, right, left) : compare(row.straight, left, right), row.inverted};
  }
  // Unordered: not (a equals itself and b equals itself).
  auto ordered = [&](Value v) {
    Reg r = vector(v, p);
    return compare(Op::CmpEq, r, r);
  };
  if (a == b || is_constant_number(b, ~0u)) return {ordered(a), true};
  if (is_constant_number(a, ~0u)) return {ordered(b), true};
  Reg left = ordered(a), right = ordered(b);
  return {vvv(Op::And, left, right), true};
}

Mask Lowering::compare_integers(Condition condition, Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p), right = vector(b, p);
  switch (condition) {
    case Condition::equal:
      return {compare(Op::ICmpEq, left, right)};
    case Condition::not_equal:
      return {compare(Op::ICmpEq, left, right), true};
    case Condition::less_s:
      return {compare(Op::ICmpGt, right, left)};
    case Condition::less_equal_s:
      return {compare(Op::ICmpGe, right, left)};
    case Condition::less_u:
      return {compare(Op::ICmpHi, right, left)};
    case Condition::less_equal_u:
      break;
  }
  return {compare(Op::ICmpHs, right, left)};
}

}  // namespace warpjit::backend::a64
