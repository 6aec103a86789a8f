// What AVX2 and AVX-512 make of the operations that hosts do differently: vectors, arithmetic, comparisons.
#include "backend/x64/lower.h"

namespace warpjit::backend::x64 {

using ir::Opcode;
using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

namespace {
constexpr std::uint32_t kSignBit = 0x80000000u;
constexpr std::uint32_t kCanonicalNaN = 0x7fc00000u;
constexpr std::uint32_t kTwoTo16 = 0x47800000u, kTwoTo31 = 0x4f000000u, kTwoTo32 = 0x4f800000u;  // as f32
}  // namespace

// Code with an operation that knows no denormals runs without them.
Lowering::Lowering(const ir::Function& f, const Host& host, const Role& role, ConstantPool& pool,
                   std::uint32_t parts, lir::Code& code)
    : backend::Lowering(f, host, role, pool, parts, code) {
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (ir::Inst i : f.insts(ir::Block{b})) {
      const Opcode opcode = f.inst(i).opcode;
      code.flushes |= opcode >= Opcode::FFlush32 && opcode <= Opcode::FMulZeroFlush32;
    }
}

void lower(const ir::Function& f, const Host& host, const Role& role, ConstantPool& pool, std::uint32_t parts,
           lir::Code& code) {
  Lowering(f, host, role, pool, parts, code).run();
}

// ---- constants and uniforms

Source Lowering::constant_source(std::uint32_t word) {
  if (word == 0 && !v4()) return reg_source(constant_vector(0));
  Source s;
  s.mem.base = MemBase::pool;
  s.mem.displacement = pool_.offset(word);
  s.mem.broadcast = v4();
  return s;
}

Source Lowering::uniform_source(Value v) {
  if (!v4()) return reg_source(vector(v, 0));
  Source s;
  s.mem.base = MemBase::table;
  s.mem.displacement = table_offset(v);
  s.mem.broadcast = true;
  return s;
}

Reg Lowering::make_constant(std::uint32_t word) {
  if (word == 0 || word == ~0u) {
    const InstRef inst = add(word == 0 ? Op::Zero : Op::Ones, RegClass::vector);
    inst->flags |= lir::kRemat;
    return inst->def;
  }
  const std::int32_t offset = pool_.offset(word);
  const InstRef inst = add(v4() ? Op::Broadcast : Op::LoadConstant, RegClass::vector);
  inst->mem.base = MemBase::pool;
  inst->mem.displacement = offset;
  inst->mem.broadcast = v4();
  inst->flags |= lir::kRemat | lir::kRematFolds;
  return inst->def;
}

Reg Lowering::make_uniform(std::int32_t offset) {
  const InstRef inst = add(Op::Broadcast, RegClass::vector);
  inst->mem.base = MemBase::table;
  inst->mem.displacement = offset;
  inst->mem.broadcast = true;
  inst->flags |= lir::kRemat | (v4() ? lir::kRematFolds : 0);
  return inst->def;
}

// ---- arithmetic

Reg Lowering::multiply(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p);
  Reg product = vvv(Op::Mul, left, source(b, p));
  code_.insts.back().prefer = 3;
  return product;
}

// a*b, then +0 where the product is NaN although both operands are ordered: only 0 * inf does that.
Reg Lowering::multiply_zero_inf(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p);
  Source right = source(b, p);
  Reg product = vvv(Op::Mul, left, right);
  if (v4()) {
    Reg is_nan = compare(Op::CmpF, product, reg_source(product), predicate::kUnordered);
    const InstRef invalid = add(Op::CmpFMasked, RegClass::mask);
    use(invalid, left);
    use_source(invalid, right);
    use(invalid, is_nan);
    invalid->imm = predicate::kOrdered;
    Reg where = invalid->def;
    const InstRef inst = add(Op::MergeZero, RegClass::vector);
    inst->flags |= lir::kTied;
    use(inst, product);
    use(inst, where);
    return inst->def;
  }
  Reg operand_nan = compare(Op::CmpF, left, right, predicate::kUnordered);
  Reg is_nan = compare(Op::CmpF, product, reg_source(product), predicate::kUnordered);
  Reg invalid = vvv(Op::AndNot, operand_nan, is_nan);
  return vvv(Op::AndNot, invalid, product);
}

Reg Lowering::multiply_add(Value a, Value b, Value c, std::uint32_t p) {
  auto folds = [&](Value v) { return !varying(v) && (is_constant(v) || (v4() && is_uniform_load(v))); };
  if (folds(a)) std::swap(a, b);
  Reg left = vector(a, p);
  Source addend = folds(c) ? source(c, p) : reg_source(vector(c, p));
  Source right = addend.in_memory() ? reg_source(vector(b, p)) : source(b, p);
  const InstRef inst = add(Op::Fma, RegClass::vector);
  use(inst, left);
  use_source(inst, right);
  use_source(inst, addend);
  if (right.in_memory() || addend.in_memory()) inst->fold = 0;
  inst->prefer = 7;
  return inst->def;
}

Reg Lowering::negate(Value a, std::uint32_t p) {
  Reg r = vector(a, p);
  return vvv(Op::Xor, r, constant_source(kSignBit));
}
Reg Lowering::absolute(Value a, std::uint32_t p) {
  Reg r = vector(a, p);
  return vvv(Op::And, r, constant_source(~kSignBit));
}
// The host's minimum and maximum are the IR's.
Reg Lowering::max_select(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p);
  return vvv(Op::Max, left, source(b, p));
}
Reg Lowering::min_select(Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p);
  return vvv(Op::Min, left, source(b, p));
}

Reg Lowering::make_nans(std::uint32_t word, Value a, std::uint32_t p) {
  Reg r = vector(a, p);
  Reg is_nan = compare(Op::CmpF, r, reg_source(r), predicate::kUnordered);
  return blend(r, constant_source(word), is_nan);
}
Reg Lowering::canonicalize_nan(Value a, std::uint32_t p) { return make_nans(kCanonicalNaN, a, p); }
Reg Lowering::canonicalize_nan_ones(Value a, std::uint32_t p) { return make_nans(0x7fffffff, a, p); }

// With the maximum NaN becomes 0. AVX-512 converts what is too large to all ones; AVX2 converts the upper
// half of the range less 2^31.
Reg Lowering::saturate_to_unsigned(Value a, std::uint32_t p) {
  Reg x = vvv(Op::Max, vector(a, p), constant_vector(0));
  if (v4()) return vv(Op::CvtToU, x);
  Reg high = compare(Op::CmpF, x, constant_source(kTwoTo31), predicate::kGe);
  Reg low = vvv(Op::Sub, x, vvv(Op::And, high, constant_vector(kTwoTo31)));
  Reg converted = vvv(Op::Xor, vv(Op::CvtToI, low), with_immediate(Op::Shl, high, 31));
  return vvv(Op::Or, converted, compare(Op::CmpF, x, constant_source(kTwoTo32), predicate::kGe));
}

// Both halves are exact, so that the sum is rounded once.
Reg Lowering::unsigned_to_float(Value a, std::uint32_t p) {
  Reg x = vector(a, p);
  if (v4()) return vv(Op::CvtToFU, x);
  Reg high = vv(Op::CvtToF, with_immediate(Op::ShrU, x, 16));
  Reg low = vv(Op::CvtToF, vvv(Op::And, x, constant_source(0xffff)));
  Reg scale = constant_vector(kTwoTo16);
  const InstRef inst = add(Op::Fma, RegClass::vector);
  for (Reg r : {high, scale, low}) use(inst, r);
  inst->prefer = 7;
  return inst->def;
}

// Is a NaN of this value never a signaling one?
bool Lowering::quiet(Value v) const {
  const Opcode opcode = f_.definition_of(v).opcode;
  switch (opcode) {
    case Opcode::FNeg32:
    case Opcode::FAbs32:
      return quiet(f_.operand(f_.definition(v), 0));
    case Opcode::ConstF32:
      return (constant(v) & 0x7fffffff) <= 0x7f800000;
    case Opcode::CanonicalizeNaNOnes32:
      return true;
    case Opcode::FFlush32:
      return may_be_denormal(f_.operand(f_.definition(v), 0));
    case Opcode::FMaxSelect32:
    case Opcode::FMinSelect32:
    case Opcode::FMaxNum32:
    case Opcode::FMinNum32:
      return false;
    default:
      return opcode >= Opcode::FAdd32 && opcode <= Opcode::FMulZeroFlush32;
  }
}

Reg Lowering::extreme_number(bool greater, Value a, Value b, std::uint32_t p) {
  Reg left = vector(a, p), right = vector(b, p);
  if (v4() && quiet(a) && quiet(b)) return vvv(greater ? Op::RangeMax : Op::RangeMin, left, right);
  // The host's gives b if the operands are equal, as zeros of different signs are, or unordered.
  Reg chosen = vvv(greater ? Op::Max : Op::Min, left, right);
  Reg equal = compare(Op::CmpF, left, reg_source(right), predicate::kEq);
  chosen = blend(chosen, reg_source(vvv(greater ? Op::And : Op::Or, left, right)), equal);
  Reg right_nan = compare(Op::CmpF, right, reg_source(right), predicate::kUnordered);
  return blend(chosen, reg_source(left), right_nan);
}

// cvttps2dq gives 0x80000000 for what does not fit: right for what is too small, mended for what is too large
// and for NaN.
Reg Lowering::saturate_to_int(Value a, std::uint32_t p) {
  Reg x = vector(a, p);
  Reg large = compare(Op::CmpF, x, constant_source(kTwoTo31), predicate::kGe);
  Reg ordered = compare(Op::CmpF, x, reg_source(x), predicate::kOrdered);
  if (v4()) {
    const InstRef inst = add(Op::CvtToIZeroMask, RegClass::vector);
    use(inst, x);
    use(inst, ordered);
    return blend(inst->def, constant_source(0x7fffffffu), large);
  }
  Reg converted = vvv(Op::And, vv(Op::CvtToI, x), ordered);
  return blend(converted, constant_source(0x7fffffffu), large);
}

// Counts of 32 and more do what the IR says.
Reg Lowering::shift_by_vector(Shift kind, Value a, Value count, std::uint32_t p) {
  static constexpr Op kOps[] = {Op::ShlV, Op::ShrUV, Op::ShrSV};
  Reg value = vector(a, p);
  return vvv(kOps[static_cast<std::size_t>(kind)], value, source(count, p));
}

Reg Lowering::min_over_lanes(Reg least) {
  auto with_upper = [&](Op extract) {  // whose source is always a register
    const InstRef inst = add(extract, RegClass::vector);
    use(inst, least);
    least = vvv(Op::IMinU, least, inst->def);
  };
  with_upper(Op::UpperHalf);
  if (v4()) with_upper(Op::UpperQuarter);
  for (std::int64_t swap : {0x4e, 0xb1})  // the halves of 128 bits, then of 64
    least = vvv(Op::IMinU, least, vv(Op::Shuffle32, least, swap));
  return least;
}

// ---- comparisons

Reg Lowering::compare(Op op, Reg a, const Source& b, int predicate) {
  const InstRef inst = add(op, mask_class());
  use(inst, a);
  use_source(inst, b);
  inst->imm = predicate;
  return inst->def;
}

Mask Lowering::compare_floats(Opcode op, Value a, Value b, std::uint32_t p) {
  struct Predicate {
    Opcode op;
    int straight, mirrored;  // mirrored: with the operands the other way round
  };
  static constexpr Predicate kPredicates[] = {
      {Opcode::FEq32, predicate::kEq, predicate::kEq}, {Opcode::FNe32, predicate::kNe, predicate::kNe},
      {Opcode::FLt32, predicate::kLt, predicate::kGt}, {Opcode::FLe32, predicate::kLe, predicate::kGe},
      {Opcode::FGt32, predicate::kGt, predicate::kLt}, {Opcode::FGe32, predicate::kGe, predicate::kLe}};
  int straight = predicate::kUnordered, mirrored = predicate::kUnordered;
  for (const Predicate& known : kPredicates)
    if (known.op == op) straight = known.straight, mirrored = known.mirrored;
  const bool swap = has_no_register(a);
  if (swap) std::swap(a, b);
  Reg left = vector(a, p);
  return {compare(Op::CmpF, left, source(b, p), swap ? mirrored : straight)};
}

Mask Lowering::compare_integers(Condition condition, Value a, Value b, std::uint32_t p) {
  if (v4()) {
    struct Predicate {
      int straight, mirrored;
    };
    static constexpr Predicate kEqual{integer_predicate::kEq, integer_predicate::kEq},
        kNotEqual{integer_predicate::kNe, integer_predicate::kNe},
        kLess{integer_predicate::kLt, integer_predicate::kGt},
        kLessEqual{integer_predicate::kLe, integer_predicate::kGe};
    static constexpr Predicate kPredicates[] = {kEqual, kNotEqual, kLess, kLessEqual, kLess, kLessEqual};
    const Predicate predicate = kPredicates[static_cast<int>(condition)];
    const bool is_unsigned = condition >= Condition::less_u;
    // What stands in memory is the second operand.
    const bool swap = has_no_register(a) || is_lane_number(a);
    if (swap) std::swap(a, b);
    Reg left = vector(a, p);
    return {compare(is_unsigned ? Op::CmpU : Op::CmpI, left, source(b, p),
                    swap ? predicate.mirrored : predicate.straight)};
  }
  const auto equal = [&] { return vvv(Op::ICmpEq, vector(a, p), source(b, p)); };
  switch (condition) {
    case Condition::equal:
      return {equal()};
    case Condition::not_equal:
      return {equal(), true};
    case Condition::less_s:
      return {vvv(Op::ICmpGt, vector(b, p), source(a, p))};
    case Condition::less_equal_s:
      return {vvv(Op::ICmpGt, vector(a, p), source(b, p)), true};
    case Condition::less_equal_u:
      return {vvv(Op::ICmpEq, vvv(Op::IMinU, vector(a, p), source(b, p)), vector(a, p))};
    case Condition::less_u:
      break;
  }
  return {vvv(Op::ICmpEq, vvv(Op::IMinU, vector(b, p), source(a, p)), vector(b, p)), true};
}

}  // namespace warpjit::backend::x64
