// Arithmetic toward zero, in code that runs without denormals: by the instruction where it can hold the
// rounding, else by the mode. The truncated multiply-add.
#include <algorithm>
#include <bit>

#include "backend/x64/lower.h"

namespace warpjit::backend::x64 {

using ir::Value;
using lir::InstRef;
using lir::Reg;
using lir::RegClass;
using lir::Regs;

void Flushing::round_toward_zero(bool zero) {
  if (!host_.embedded_rounding)
    set_float_mode(zero ? lir::FloatMode::flush_toward_zero : lir::FloatMode::flush);
}

void Flushing::set_float_mode(lir::FloatMode mode) {
  if (needs_flags_) keep_flags();  // which this clears
  add(Op::SetFloatMode)->imm = static_cast<std::int64_t>(mode);
}

// Rounding that stands in the instruction leaves no room for a memory operand.
Reg Flushing::toward_zero(Op op, Reg a, Reg b) {
  const InstRef inst = add(op, RegClass::vector);
  use(inst, a);
  use(inst, b);
  inst->prefer = 3;
  return inst->def;
}

// Bounds by words: 2^-95, below which an addend of AVX-512 is small, and 2^-72, of AVX2; 2^-98, below which a
// constant factor leaves little of a scaled product.
constexpr std::uint32_t kHigherExponents = 0x70000000, kFew = 0x1b800000, kLowProduct = 0x0e800000;
constexpr std::uint32_t kGreatest = 0x7f7fffff, kTooLarge = 0x7f800000;
constexpr std::uint32_t kMagnitude = 0x7fffffff;
// AVX2: a float has this bit if it is 2 or more, infinite or a NaN. The bit is tested of addends
// times 2^73, of products times 2^-126, or -2^-25 where scaled ones are there and a second look is
// cheap, and of low ones times 2^99.
constexpr std::uint32_t kTwoOrMore = 0x40000000, kOfAddends = 0x64000000, kOfProducts = 0x00800000;
constexpr std::uint32_t kOfLowProducts = 0x71000000;
constexpr std::uint32_t kNextTowardZero = 0xb2ffffff;  // -2^-25 times (1 - 2^-24), which rounds
constexpr std::uint32_t kFewOfErrors = 0x26800000;     // 2^-50: see truncated_by_error()

// Sums of c and truncated products, with exponents in the range of f32. This is the result, but in unusual
// lanes: where the product may exceed the greatest finite value; where c is so small that the rounding of the
// sum would see what a low product lost; and where c is zero, with which the product is rounded to nearest.
// If such lanes exist and matter, all lanes are computed again. But fragment programs often add to zero
// (colours that are black, coordinates that a driver moves by nothing): their zeros are seen to before.
Regs Flushing::multiply_add_truncated(ir::Inst i, std::uint32_t parts) {
  const Value a = unflushed(operand(i, 0)), b = unflushed(operand(i, 1)), c = unflushed(operand(i, 2));
  const auto plain = [&](Reg left, Reg right, Reg addend) {
    return vvv(Op::Add, vvv(Op::Mul, left, right), addend);
  };
  if (is_plain(c) || has_exact_product(a, c) || has_exact_product(b, c)) {
    Regs made;
    for (std::uint32_t p = 0; p < parts; ++p)
      made.push_back(is_plain(c) ? plain(vector(a, p), vector(b, p), vector(c, p)) : fused(a, b, c, p));
    return made;
  }
  if (checks_ != Checks::at_once && may_defer_check(i, in_loop_))
    return multiply_add_unchecked(i, doubts_of(i), parts);
  Doubts doubts = doubts_of(i);
  const bool all_matter = all_lanes_matter(i);
  const bool sees_to_zeros = f_.pixels && doubts.small_addend;
  doubts.again_at_once = all_matter && !sees_to_zeros;
  doubts.join_products = host_.mask_registers && parts > 1;
  doubts.join_addends = doubts.join_products && is_made_beside(c, i);
  std::vector<Product> all;
  all.reserve(parts);
  for (std::uint32_t p = 0; p < parts; ++p) all.push_back({{}, vector(a, p), vector(b, p), vector(c, p)});
  Regs sums;
  for (Product& made : all) {
    if (host_.embedded_rounding) {
      made.truncated = multiply_toward_zero(made.left, made.right);
    } else if (doubts.by_error) {
      made.truncated = truncated_by_error(made);
    } else {
      made.scaled = scaled_by_constant(made, a, b);
      truncate(made);
    }
  }
  for (const Product& p : all) sums.push_back(vvv(Op::Add, p.truncated, p.addend));
  if (!doubts.any()) return sums;
  const Reg least = branch_if_unusual(all, doubts);
  const auto again = [&] {
    Regs made;
    for (const Product& p : all) made.push_back(add_again(p));
    return made;
  };
  const auto cold = [&] {
    Regs right = sums;
    if (doubts.again_at_once && doubts.join_products && doubts.large_product) {
      // An infinite product is usual, but joined it hides one that is too large.
      Doubts apart = doubts;
      apart.join_products = false;
      Reg known = least;
      branch_if_any(state_.masks->mask_not(usual_in_all_parts(all, apart, known)));
    } else if (doubts.again_at_once) {
      return again();
    } else {
      right = look_again(all, sums, doubts, sees_to_zeros, all_matter ? Value() : operand(i, 3));
    }
    return either_way_behind(again, [&] { return right; });
  };
  return hot_or_cold([&] { return sums; }, cold);
}

// True for a result of arithmetic, which is no signaling NaN, in the same block: no test of it can stand
// before a loop.
bool Flushing::is_made_beside(Value v, ir::Inst i) const {
  if (f_.inst(f_.definition(v)).block != f_.inst(i).block) return false;
  switch (f_.definition_of(v).opcode) {
    case ir::Opcode::FMadTruncFlush32:
    case ir::Opcode::FAddFlush32:
    case ir::Opcode::FSubFlush32:
    case ir::Opcode::FMulFlush32:
      return varying(v);
    default:
      return false;
  }
}

// What is finite stays so if a factor is below 1. The product of an infinite factor needs no look where the
// instruction rounds toward zero.
Flushing::Doubts Flushing::doubts_of(ir::Inst i) const {
  const Value a = unflushed(operand(i, 0)), b = unflushed(operand(i, 1)), c = unflushed(operand(i, 2));
  if (is_plain(c) || has_exact_product(a, c) || has_exact_product(b, c)) return {false, false};
  constexpr int kGreatestExponent = 127;
  std::optional<ir::FactorBounds> bounds;  // a result for all lanes matters where none has the mask, too
  if (varying(f_.result(i))) bounds = ir::factor_bounds(f_, operand(i, 3), a, b);
  if (bounds && bounds->first + bounds->second <= kGreatestExponent) return {false, may_be_small(c)};
  const int of_a = exponent_bound(a), of_b = exponent_bound(b);
  Doubts doubts{of_a + of_b > kGreatestExponent && std::min(of_a, of_b) > 0, may_be_small(c)};
  if (host_.embedded_rounding || doubts.large_product || !(may_be_infinite(a) || may_be_infinite(b)))
    return doubts;
  doubts.by_error = is_constant(c) && (constant(c) & kMagnitude) >= kFewOfErrors;
  doubts.large_product = !doubts.by_error;
  return doubts;
}

bool Flushing::all_lanes_matter(ir::Inst i) const {
  return !varying(f_.result(i)) || is_constant(operand(i, 3));
}

// ---- Without a look at each. The sticky flags tell of products that are too large or lose their end: what
// would make half a unit of such a one is below the least normal number. An infinite factor gives a NaN.

bool Flushing::may_defer_check(ir::Inst i, bool in_loop) const {
  if (f_.inst(i).opcode != ir::Opcode::FMadTruncFlush32) return false;
  // What lanes that have left a loop go on to compute would raise flags.
  if (host_.embedded_rounding || f_.pixels || (in_loop && !all_lanes_matter(i))) return false;
  return doubts_of(i).any();
}

void Flushing::set_checks(Checks checks, bool in_loop) {
  checks_ = checks;
  in_loop_ = in_loop;
  unchecked_.clear();
  needs_flags_ = false;
  scaled_.clear();
  flag_words_.clear();
  addend_ = least_ = lir::kNoReg;
  unchecked_at_.resize(f_.value_count());
}

Regs Flushing::multiply_add_unchecked(ir::Inst i, const Doubts& doubts, std::uint32_t parts) {
  const Value a = unflushed(operand(i, 0)), b = unflushed(operand(i, 1)), c = unflushed(operand(i, 2));
  Regs sums;
  if (checks_ == Checks::none) {
    for (std::uint32_t p = 0; p < parts; ++p)
      sums.push_back(add_again({{}, vector(a, p), vector(b, p), vector(c, p)}));
    return sums;
  }
  Unchecked made{f_.result(i), may_be_infinite(a) || may_be_infinite(b)};
  const std::uint32_t at = unchecked_at_[c.id];
  Unchecked* const before = at < unchecked_.size() && unchecked_[at].sum == c ? &unchecked_[at] : nullptr;
  if (before != nullptr) {
    before->is_addend = true;
    made.may_be_nan = made.may_be_nan || before->may_be_nan;
  }
  // A sum of +0 or of what is not 0 is no -0, unless the flags tell.
  const bool later = checks_ == Checks::deferred && in_loop_ && doubts.small_addend && before != nullptr;
  made.may_be_negative_zero = !later;
  Reg addend_before = lir::kNoReg, zero = lir::kNoReg;
  SmallVector<Product, 4> products;
  for (std::uint32_t p = 0; p < parts; ++p)
    products.push_back({{}, vector(a, p), vector(b, p), vector(c, p)});
  Value left = a, right = b;
  if (scales_right(products, a, b)) {
    std::swap(left, right);
    for (Product& product : products) std::swap(product.left, product.right);
  }
  needs_flags_ = true;
  for (Product& product : products) {
    if (later)
      note_addend(before->may_be_negative_zero ? vvv(Op::IAdd, product.addend, product.addend)
                                               : product.addend);
    else if (doubts.small_addend && product.addend != addend_before)
      zero = compare(Op::CmpF, product.addend, reg_source(constant_vector(0)), predicate::kEq);
    addend_before = product.addend;
    product.scaled = scaled_by_constant(product, left, right);
    if (product.scaled == lir::kNoReg)
      product.scaled = vvv(Op::Mul, scaled_factor(product.left), product.right);
    truncate(product, zero);
    sums.push_back(vvv(Op::Add, product.truncated, product.addend));
  }
  unchecked_at_[made.sum.id] = static_cast<std::uint32_t>(unchecked_.size());
  unchecked_.push_back(made);
  return sums;
}

// True if the right factors should be scaled, because fewer of them are not scaled yet.
bool Flushing::scales_right(std::span<const Product> products, Value left, Value right) {
  const auto count = [&](Reg Product::*factor) {
    std::size_t to_scale = 0;
    Reg before = lir::kNoReg;
    for (const Product& p : products) {
      if (p.*factor != before && is_scaled(p.*factor) == nullptr) ++to_scale;
      before = p.*factor;
    }
    return to_scale;
  };
  const std::size_t of_left = count(&Product::left), of_right = count(&Product::right);
  if (of_left != of_right) return of_right < of_left;
  return use_count(right) > use_count(left);
}

const Flushing::Scaled* Flushing::is_scaled(Reg factor) const {
  if (factor >= scaled_at_.size()) return nullptr;
  const std::uint32_t at = scaled_at_[factor];
  if (at >= scaled_.size() || scaled_[at].factor != factor || scaled_[at].block != current_block())
    return nullptr;
  return &scaled_[at];
}

// The product with a constant, scaled in one operation; kNoReg: of others.
Reg Flushing::scaled_by_constant(const Product& p, Value left, Value right) {
  for (const auto& [factor, other] : {std::pair(left, p.right), std::pair(right, p.left)}) {
    if (!is_constant(factor)) continue;
    const auto word = static_cast<std::uint32_t>(constant(factor));
    if ((word & kMagnitude) < kLowProduct) continue;  // there would be little of it
    const float scaled = std::bit_cast<float>(word) * std::bit_cast<float>(kNextTowardZero);
    return vvv(Op::Mul, other, constant_source(std::bit_cast<std::uint32_t>(scaled)));
  }
  return lir::kNoReg;
}

// The flags tell of one whose product with kNextTowardZero is too low.
Reg Flushing::scaled_factor(Reg factor) {
  if (const Scaled* made = is_scaled(factor)) return made->scaled;
  Reg scaled = vvv(Op::Mul, factor, constant_source(kNextTowardZero));
  if (factor >= scaled_at_.size()) scaled_at_.resize(std::size_t{factor} + 1);
  scaled_at_[factor] = static_cast<std::uint32_t>(scaled_.size());
  scaled_.push_back({factor, scaled, current_block()});
  return scaled;
}

// The halves of two addends, saturated, so that they are 0 where those are.
void Flushing::note_addend(Reg addend) {
  if (addend_ == lir::kNoReg) {
    addend_ = addend;
    return;
  }
  Reg both = vvv(Op::PackWords, addend_, addend);
  least_ = least_ == lir::kNoReg ? both : vvv(Op::IMinHalves, least_, both);
  addend_ = lir::kNoReg;
}

// In memory: not all ways may come here.
void Flushing::keep_flags() {
  needs_flags_ = false;
  flag_words_.push_back(reserve_frame(host_.vector_bytes));  // what follows stays aligned
  add(Op::StoreFloatFlags)->mem = frame(flag_words_.back());
}

bool Flushing::branch_if_doubtful() {
  if (unchecked_.empty()) return false;
  if (addend_ != lir::kNoReg) note_addend(addend_);
  if (needs_flags_) keep_flags();
  constexpr std::uint32_t kOverflowOrUnderflow = 0x18;
  Reg flags = lir::kNoReg;
  for (const std::int32_t word : flag_words_) {
    Reg r = load(Op::Broadcast, RegClass::vector, frame(word));
    flags = flags == lir::kNoReg ? r : vvv(Op::Or, flags, r);
  }
  Reg doubtful =
      vvv(Op::ICmpGt, vvv(Op::And, flags, constant_source(kOverflowOrUnderflow)), constant_vector(0));
  if (least_ != lir::kNoReg) {  // to the sign of words
    Reg zero = vvv(Op::ICmpEqHalves, least_, constant_vector(0));
    doubtful = vvv(Op::Or, vvv(Op::Or, doubtful, zero), with_immediate(Op::Shl, zero, 16));
  }
  Regs ends;
  for (const Unchecked& one : unchecked_)
    if (!one.is_addend && one.may_be_nan)
      for (std::uint32_t p = 0; p < parts_of(one.sum); ++p) ends.push_back(slot(one.sum, p));
  for (std::size_t n = 0; n < ends.size(); n += 2)  // one comparison looks at two
    doubtful = vvv(Op::Or, doubtful,
                   compare(Op::CmpF, ends[n], reg_source(ends[std::min(n + 1, ends.size() - 1)]),
                           predicate::kUnordered));
  branch_if_any(doubtful);
  return true;
}

bool Flushing::may_be_small(Value addend) const {
  if (!is_constant(addend)) return true;
  const auto word = static_cast<std::uint32_t>(constant(addend));
  return host_.mask_registers ? (word & kHigherExponents) == 0 : (word & kMagnitude) < kFew;
}

// What is lost of a product below 2^-126 matters only to the sign of a zero, and that where c is zero.
bool Flushing::has_exact_product(Value factor, Value c) const {
  if (!is_constant(factor)) return false;
  const auto word = static_cast<std::uint32_t>(constant(factor)) & kMagnitude;
  const bool zero_or_power = (word & 0x7fffff) == 0;  // or infinite
  return zero_or_power && (word == 0 || word >= 0x3f800000 || is_constant(c));
}

// What follows an exact product is one rounding.
Reg Flushing::fused(Value a, Value b, Value c, std::uint32_t p) {
  if (is_constant(a)) std::swap(a, b);
  Reg left = vector(a, p), right = vector(b, p), addend = vector(c, p);
  const InstRef sum = add(Op::Fma, RegClass::vector);
  use(sum, left);
  use_source(sum, reg_source(right));
  use_source(sum, reg_source(addend));
  sum->prefer = 7;
  return sum->def;
}

// What bounds of finite values do not say.
bool Flushing::may_be_infinite(Value v, int depth) const {
  const ir::InstData& made = f_.definition_of(v);
  const auto of = [&](std::uint32_t k) {
    return may_be_infinite(f_.operand(f_.definition(v), k), depth - 1);
  };
  switch (made.opcode) {
    case ir::Opcode::ConstF32:
      return (made.immediate & kMagnitude) == kTooLarge;
    case ir::Opcode::TeslaSpecialFunction32: {
      using enum sfu::Function;
      const auto function = static_cast<sfu::Function>(made.immediate);
      return function != sin && function != cos;
    }
    case ir::Opcode::I32ToF32:
    case ir::Opcode::U32ToF32:
      return false;
    case ir::Opcode::FFlush32:
    case ir::Opcode::FNeg32:
    case ir::Opcode::FAbs32:
    case ir::Opcode::CanonicalizeNaN32:
    case ir::Opcode::CanonicalizeNaNOnes32:
      return depth == 0 || of(0);
    case ir::Opcode::FMulFlush32:
    case ir::Opcode::FAddFlush32:
    case ir::Opcode::FSubFlush32:
      return depth == 0 || exponent_bound(v) > 127 || of(0) || of(1);
    default:
      return true;
  }
}

// The product less almost half of a unit in the last place, rounded to nearest. Products are multiples of
// 2^-24 units: half of a unit less 2^-25 is what takes each to the number toward zero, and leaves those that
// are exact. Units are those of the number next to the nearest product toward zero, because a power of two
// has smaller ones below it; `scaled` may as well be a scaled factor times the other one, which is rounded
// twice: then the unit changes up to 1.5 units next to the power, where either unit truncates right. A
// product below 2^-101, of a scaled factor 2^-99, has none, which does not matter to a c of 2^-72 or more. An
// infinite one gives a NaN: such lanes are unusual. Where `nearest`, a mask, holds, the nearest one: the
// addend is a zero there, which leaves the sign to the sum.
void Flushing::truncate(Product& p, Reg nearest) {
  constexpr std::uint32_t kFraction = 0x007fffff;
  if (p.scaled == lir::kNoReg)
    p.scaled = vvv(Op::Mul, vvv(Op::Mul, p.left, p.right), constant_source(kNextTowardZero));
  Reg half_unit = vvv(Op::Or, p.scaled, constant_source(kFraction));
  if (nearest != lir::kNoReg) half_unit = blend(half_unit, reg_source(p.addend), nearest);
  const InstRef less = add(Op::Fma, RegClass::vector);
  for (Reg r : {p.left, p.right, half_unit}) use(less, r);
  less->prefer = 4;
  p.truncated = less->def;
}

// Keeps infinities: the nearest product, less one in the last place where its error says that it is too
// large. The error is lost where the product is below 2^-78; then it does not matter to a c of 2^-50 or more.
Reg Flushing::truncated_by_error(const Product& p) {
  Reg nearest = vvv(Op::Mul, p.left, p.right);
  const InstRef error = add(Op::Fms, RegClass::vector);
  for (Reg r : {p.left, p.right, nearest}) use(error, r);
  error->prefer = 7;
  // The word's negative is negative, too, where the float is positive.
  Reg outward = vvv(Op::ISign, error->def, nearest);  // negative: inward
  Reg too_large = compare(Op::CmpF, outward, reg_source(constant_vector(0)), predicate::kLt);
  return vvv(Op::IAdd, nearest, too_large);
}

// If any lane is, of any part. Gives the least addends that usual_in_all_parts() joined.
Reg Flushing::branch_if_unusual(std::vector<Product>& products, const Doubts& doubts) {
  if (host_.mask_registers) {
    Reg least = lir::kNoReg;
    const Reg usual = usual_in_all_parts(products, doubts, least);
    use(add(Op::BranchUnlessAll), usual);
    return least;
  }
  Reg usual = lir::kNoReg, large = lir::kNoReg;
  for (std::size_t p = 0; p < products.size(); ++p) {
    const Product& made = products[p];
    if (doubts.large_product)
      join(Op::Or, large,
           made.scaled == lir::kNoReg || doubts.again_at_once
               ? vvv(Op::Mul, made.truncated, constant_source(kOfProducts))
               : made.scaled);
    if (doubts.small_addend && (p == 0 || made.addend != products[p - 1].addend))
      join(Op::And, usual, vvv(Op::Mul, made.addend, constant_source(kOfAddends)));
  }
  if (usual == lir::kNoReg)
    usual = vvv(Op::AndNot, large, constant_source(kTwoOrMore));
  else if (large != lir::kNoReg)
    usual = vvv(Op::AndNot, large, usual);
  branch_unless_usual(usual);
  return lir::kNoReg;
}

void Flushing::join(Op op, Reg& joined, Reg r) { joined = joined == lir::kNoReg ? r : vvv(op, joined, r); }

// AVX-512: one chain of comparisons. Magnitudes of several parts are joined before it, as comparisons cost
// more; those of addends are `least`, if they are known, and are put there if not.
Reg Flushing::usual_in_all_parts(std::vector<Product>& products, const Doubts& doubts, Reg& least) {
  Reg usual = lir::kNoReg, largest = lir::kNoReg;
  const bool known = least != lir::kNoReg;
  const auto chain = [&](Op first, Op masked, Reg r, std::uint32_t word, int predicate) {
    const InstRef inst = add(usual == lir::kNoReg ? first : masked, RegClass::mask);
    use(inst, r);
    use_source(inst, constant_source(word));
    if (usual != lir::kNoReg) use(inst, usual);
    inst->imm = predicate;
    usual = inst->def;
  };
  for (std::size_t p = 0; p < products.size(); ++p) {
    Product& made = products[p];
    if (doubts.large_product && doubts.join_products) {
      join(Op::RangeMaxAbs, largest, made.truncated);
    } else if (doubts.large_product) {
      made.doubled = vvv(Op::IAdd, made.truncated, made.truncated);
      chain(Op::CmpU, Op::CmpUMasked, made.doubled, 2 * kGreatest, integer_predicate::kNe);
    }
    if (!doubts.small_addend || known || (p != 0 && made.addend == products[p - 1].addend)) continue;
    if (doubts.join_addends)
      join(Op::RangeMinAbs, least, made.addend);
    else
      chain(Op::TestBits, Op::TestMasked, made.addend, kHigherExponents, 0);
  }
  if (largest != lir::kNoReg) chain(Op::CmpU, Op::CmpUMasked, largest, kGreatest, integer_predicate::kLt);
  if (least != lir::kNoReg) chain(Op::TestBits, Op::TestMasked, least, kHigherExponents, 0);
  return usual;
}

// Branches where a lane is unusual that matters (none: all do). Gives sums for the other way: if
// `sees_to_zeros`, lanes whose addend is a zero are right there.
Regs Flushing::look_again(const std::vector<Product>& products, const Regs& sums, const Doubts& doubts,
                          bool sees_to_zeros, Value matters) {
  Regs right;
  Reg usual = lir::kNoReg;
  Mask unusual;
  for (std::uint32_t p = 0; p < products.size(); ++p) {
    const Product& made = products[p];
    Reg product = lir::kNoReg, zero = lir::kNoReg;
    if (sees_to_zeros || !host_.mask_registers) product = vvv(Op::Mul, made.left, made.right);
    right.push_back(sums[p]);
    if (sees_to_zeros) {
      zero = compare(Op::CmpF, made.addend, reg_source(constant_vector(0)), predicate::kEq);
      right.back() = blend(sums[p], reg_source(vvv(Op::Add, product, made.addend)), zero);
    }
    if (host_.mask_registers) {
      Mask lanes = unusual_lanes(made, doubts, zero);
      if (matters.valid()) lanes = combine(MaskOp::and_, lanes, mask_or_inverse(matters, p));
      unusual = p == 0 ? lanes : combine(MaskOp::or_, unusual, lanes);
      continue;
    }
    Reg bits = lir::kNoReg;
    if (doubts.small_addend) bits = vvv(Op::Mul, made.addend, constant_source(kOfAddends));
    if (zero != lir::kNoReg) {
      bits = vvv(Op::Or, zero, bits);
      bits = vvv(Op::Or, bits, vvv(Op::Mul, product, constant_source(kOfLowProducts)));
    }
    if (doubts.large_product) {
      Reg large = vvv(Op::Mul, product, constant_source(kOfProducts));
      bits = vvv(Op::AndNot, large, bits != lir::kNoReg ? bits : constant_vector(~0u));
    }
    if (matters.valid()) {
      const Mask counts = mask_or_inverse(matters, p);
      bits = vvv(Op::Or, bits, counts.inverted ? counts.reg : state_.masks->mask_not(counts.reg));
    }
    join(Op::And, usual, bits);
  }
  if (host_.mask_registers)
    branch_if_any(unusual.inverted ? state_.masks->mask_not(unusual.reg) : unusual.reg);
  else
    branch_unless_usual(usual);
  return right;
}

// AVX2: in all lanes.
void Flushing::branch_unless_usual(Reg bits) { branch_unless_all_have(bits, kTwoOrMore); }

// AVX-512: the lanes that are; none of those where the addend is a zero, if `zero` tells.
Mask Flushing::unusual_lanes(const Product& p, const Doubts& doubts, Reg zero) {
  Reg doubled = p.doubled;
  if (doubled == lir::kNoReg && (doubts.large_product || zero != lir::kNoReg))
    doubled = vvv(Op::IAdd, p.truncated, p.truncated);
  Mask small, large;
  if (doubts.small_addend && zero != lir::kNoReg) {  // where the product is low, too
    Reg bits = vvv(Op::And, p.addend, constant_source(kHigherExponents));
    small = {compare(Op::CmpI, vvv(Op::Or, bits, doubled), reg_source(constant_vector(0)),
                     integer_predicate::kEq)};
  } else if (doubts.small_addend) {
    const InstRef usual = add(Op::TestBits, RegClass::mask);
    use(usual, p.addend);
    use_source(usual, constant_source(kHigherExponents));
    small = {usual->def, true};
  }
  if (doubts.large_product)
    large = {compare(Op::CmpU, doubled, constant_source(2 * kGreatest), integer_predicate::kEq)};
  const Mask either = !doubts.large_product ? small
                      : doubts.small_addend ? combine(MaskOp::or_, small, large)
                                            : large;
  return zero != lir::kNoReg ? combine(MaskOp::and_not, {zero}, either) : either;
}

// By a subroutine (emit_entry.cpp), which reads its operands from the frame.
Reg Flushing::add_again(const Product& p) {
  const auto bytes = static_cast<std::int32_t>(host_.vector_bytes);
  if (again_words_ < 0) again_words_ = reserve_frame(3 * host_.vector_bytes);
  std::int32_t offset = again_words_;
  for (Reg r : {p.left, p.right, p.addend}) {
    store(Op::StoreFull, r, frame(offset));
    offset += bytes;
  }
  add(Op::MultiplyAddTruncated)->mem = frame(again_words_);
  return load(Op::LoadFull, RegClass::vector, frame(again_words_));
}

}  // namespace warpjit::backend::x64
