#include "backend/lower/value_forms.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "backend/lower/host_parts.h"
#include "ir/analysis/lane_comparison.h"
#include "ir/callout.h"

namespace warpjit::backend {

using ir::Opcode;
using ir::Type;
using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

Condition integer_condition(Opcode op) {
  switch (op) {
    case Opcode::IEq32:
      return Condition::equal;
    case Opcode::INe32:
      return Condition::not_equal;
    case Opcode::ILtS32:
      return Condition::less_s;
    case Opcode::ILeS32:
      return Condition::less_equal_s;
    case Opcode::ILtU32:
      return Condition::less_u;
    default:
      return Condition::less_equal_u;
  }
}

bool ValueForms::is_uniform_load(Value v) const {
  Opcode op = f_.definition_of(v).opcode;
  return op == Opcode::LoadUniformF32 || op == Opcode::LoadUniformI32;
}

bool ValueForms::only_feeds_branch(ir::Inst i) const {
  ir::Inst end = f_.terminator(f_.inst(i).block);
  return use_count(f_.result(i)) == 1 && f_.inst(end).opcode == Opcode::Branch &&
         f_.operand(end, 0) == f_.result(i);
}

RegClass ValueForms::class_of(Value v) const {
  const Type type = f_.value(v).type;
  if (varying(v)) return type == Type::i1 ? mask_class() : RegClass::vector;
  return type == Type::f32 ? RegClass::vector : RegClass::scalar;
}

void ValueForms::define_mask(Value v, std::uint32_t part, Mask m) {
  define(v, part, m.reg);
  state_.inverted[v.id] = m.inverted;
}

void ValueForms::define_from_vector(ir::Inst i, Reg r) { define(f_.result(i), 0, vector_to_scalar(r)); }

// ---- vectors and scalars

Reg ValueForms::constant_vector(std::uint32_t word) {
  for (auto& [value, cached] : state_.constant_cache)
    if (value == word && cached.block == current_block()) return cached.reg;
  Reg r = state_.constants->make_constant(word);
  state_.constant_cache.push_back({word, {r, current_block()}});
  return r;
}

Source ValueForms::constant_source(std::uint32_t word) { return state_.constants->constant_source(word); }

Reg ValueForms::vector(Value v, std::uint32_t part) {
  if (varying(v)) {
    if (is_lane_number(v)) return lane_numbers(part);
    if (slot(v, part) == lir::kNoReg && f_.definition_of(v).opcode == Opcode::LoadInput)
      state_.inputs->load_input(f_.definition(v));
    return slot(v, part);
  }
  if (is_constant(v)) return constant_vector(static_cast<std::uint32_t>(constant(v)));
  if (f_.value(v).type == Type::f32 && !is_uniform_load(v)) return slot(v, 0);
  Cached& cached = state_.vector_cache[v.id];
  if (cached.block == current_block()) return cached.reg;
  Reg r = is_uniform_load(v) ? state_.constants->make_uniform(table_offset(v)) : spread(scalar(v));
  cached = {r, current_block()};
  return r;
}

Source ValueForms::source(Value v, std::uint32_t part) {
  if (!varying(v)) {
    if (is_constant(v)) return constant_source(static_cast<std::uint32_t>(constant(v)));
    if (is_uniform_load(v)) return state_.constants->uniform_source(v);
  } else if (is_lane_number(v) && host_.memory_operands) {
    return {lir::kNoReg, numbers_of_lanes(part)};
  }
  return reg_source(vector(v, part));
}

Reg ValueForms::scalar(Value v) {
  if (slot(v, 0) != lir::kNoReg && f_.value(v).type != Type::f32) return slot(v, 0);
  Cached& cached = state_.scalar_cache[v.id];
  if (cached.block == current_block()) return cached.reg;
  Reg r;
  if (is_constant(v)) {
    r = scalar_imm(static_cast<std::uint32_t>(constant(v)));
  } else if (is_uniform_load(v)) {
    const InstRef inst = add(Op::SLoad, RegClass::scalar);
    inst->mem.base = MemBase::table;
    inst->mem.displacement = table_offset(v);
    inst->flags |= lir::kRemat;
    r = inst->def;
  } else {
    r = vector_to_scalar(slot(v, 0));  // a uniform f32
  }
  cached = {r, current_block()};
  return r;
}

// ---- masks

Reg ValueForms::mask(Value v, std::uint32_t part) {
  const Mask m = mask_or_inverse(v, part);
  if (!m.inverted) return m.reg;
  Cached& cached = state_.upright_cache[std::size_t{v.id} * parts_ + part];
  if (cached.block != current_block()) cached = {state_.masks->mask_not(m.reg), current_block()};
  return cached.reg;
}

PartLanes ValueForms::lanes_of(Value mask, std::uint32_t part) const {
  const ir::LaneSet* set = state_.lane_sets.find(mask);
  if (set == nullptr) return PartLanes::unknown;
  const std::uint64_t every = (std::uint64_t{1} << host_.lanes) - 1;
  const std::uint64_t lanes = (*set >> (part * host_.lanes) & ir::LaneSet(every)).to_ullong();
  return lanes == 0 ? PartLanes::none : lanes == every ? PartLanes::all : PartLanes::some;
}

std::optional<std::uint32_t> ValueForms::last_lane_of(Value mask) const {
  if (is_constant(mask) && constant(mask) != 0 && !state_.has_idle_lanes) return parts_ * host_.lanes - 1;
  const ir::LaneSet* set = state_.lane_sets.find(mask);
  if (set == nullptr || set->none()) return std::nullopt;
  std::uint32_t last = parts_ * host_.lanes - 1;
  while (!(*set)[last]) --last;
  return last;
}

Mask ValueForms::mask_or_inverse(Value v, std::uint32_t part) {
  if (is_made_where_read(v)) {
    const ir::Inst i = f_.definition(v);
    const Value a = operand(i, 0);
    if (f_.inst(i).opcode != Opcode::Not1)
      return state_.masks->compare_integers(integer_condition(f_.inst(i).opcode), a, operand(i, 1), part);
    const Mask m = mask_or_inverse(a, part);
    return {m.reg, !m.inverted};
  }
  if (varying(v)) {
    const bool inverted = state_.inverted[v.id] != 0;  // in all parts alike
    const PartLanes lanes = lanes_of(v, part);
    if (lanes != PartLanes::none && lanes != PartLanes::all) return {slot(v, part), inverted};
    const bool set = (lanes == PartLanes::all) != inverted;
    Cached& constant = set ? state_.all_lanes : state_.no_lanes;
    if (constant.block != current_block()) constant = {state_.masks->mask_constant(set), current_block()};
    return {constant.reg, inverted};
  }
  Cached& cached = state_.mask_cache[v.id];
  if (cached.block != current_block()) {
    Reg r = is_constant(v) ? state_.masks->mask_constant(constant(v) != 0)
                           : state_.masks->mask_from_bool(scalar(v));
    cached = {r, current_block()};
  }
  return {cached.reg, false};
}

bool ValueForms::is_made_where_read(Value v) const {
  return parts_ >= kManyParts && varying(v) && ir::lane_comparison(f_, v).has_value();
}

Value ValueForms::step_from(Value from, Value to) const {
  const ir::Inst made = f_.definition(to);
  if (f_.inst(made).opcode != ir::Opcode::IAdd32 || use_count(to) != 1 || !varying(to)) return {};
  for (std::uint32_t k = 0; k < 2; ++k) {
    const Value step = f_.operand(made, k);
    if (f_.operand(made, 1 - k) == from && is_constant(step) &&
        (constant(step) == 1 || constant(step) == ~std::uint32_t{0}))
      return step;
  }
  return {};
}

Reg ValueForms::any_part(Value v) {
  Mask any = among_live(mask_or_inverse(v, 0));
  for (std::uint32_t p = 1; p < parts_of(v); ++p)
    if (lanes_of(v, p) != PartLanes::none) any = combine(MaskOp::or_, any, mask_or_inverse(v, p));
  return any.inverted ? state_.masks->mask_not(any.reg) : any.reg;
}

Reg ValueForms::live_lanes() {
  Cached& cached = state_.live_lanes;
  if (cached.block != current_block()) {
    std::array<std::uint32_t, kMostHostLanes> lanes{};
    std::fill_n(lanes.begin(), f_.group_lanes, ~0u);
    cached = {state_.masks->mask_from_vector(vector_of({lanes.data(), host_.lanes})), current_block()};
  }
  return cached.reg;
}

Mask ValueForms::among_live(Mask m) {
  return state_.has_idle_lanes ? combine(MaskOp::and_, m, {live_lanes(), false}) : m;
}

Reg ValueForms::guarding_mask(Value guard, std::uint32_t p) {
  const bool always = is_constant(guard) && constant(guard) != 0;
  if (!state_.has_idle_lanes) return always ? lir::kNoReg : mask(guard, p);
  return always ? live_lanes() : among_live({mask(guard, p), false}).reg;
}

// Negations of operands and results are kept apart from the registers: De Morgan in place of instructions.
Mask ValueForms::combine(MaskOp op, Mask a, Mask b) {
  HostMasks& masks = *state_.masks;
  switch (op) {
    case MaskOp::xor_:
      return {masks.mask_op(op, a.reg, b.reg), a.inverted != b.inverted};
    case MaskOp::or_: {
      const Mask both = combine(MaskOp::and_, {a.reg, !a.inverted}, {b.reg, !b.inverted});
      return {both.reg, !both.inverted};
    }
    case MaskOp::and_not:
      return combine(MaskOp::and_, {a.reg, !a.inverted}, b);
    case MaskOp::and_:
      break;
  }
  if (a.inverted && b.inverted) return {masks.mask_op(MaskOp::or_, a.reg, b.reg), true};
  if (a.inverted) return {masks.mask_op(MaskOp::and_not, a.reg, b.reg), false};
  if (b.inverted) return {masks.mask_op(MaskOp::and_not, b.reg, a.reg), false};
  return {masks.mask_op(MaskOp::and_, a.reg, b.reg), false};
}

void ValueForms::branch_if_any(Reg mask) {
  Reg tested = state_.masks->to_test(mask);
  use(add(Op::BranchMask), tested);
}

// ---- numbers of lanes

lir::Mem ValueForms::numbers_of_lanes(std::uint32_t part) {
  std::array<std::uint32_t, kMostHostLanes> lanes{};
  std::iota(lanes.begin(), lanes.end(), part * host_.lanes);
  return pool_mem({lanes.data(), host_.lanes});
}

Reg ValueForms::lane_numbers(std::uint32_t part) {
  Cached& cached = state_.lane_numbers[part];
  if (cached.block != current_block()) cached = {load_constant(numbers_of_lanes(part)), current_block()};
  return cached.reg;
}

// ---- floats without denormals

// The host makes zeros of denormal operands: no one need do so before. It does not
// matter which NaN an operand is.
Value ValueForms::unflushed(Value v) const {
  const auto passes = [&](Opcode opcode) {
    return opcode == Opcode::FFlush32 || opcode == Opcode::CanonicalizeNaN32 ||
           opcode == Opcode::CanonicalizeNaNOnes32;
  };
  while (state_.flushing && passes(f_.definition_of(v).opcode)) v = f_.operand(f_.definition(v), 0);
  return v;
}

int ValueForms::exponent_bound(Value v, int depth) const {
  constexpr int kNone = 128;
  const ir::InstData& made = f_.definition_of(v);
  if (depth == 0 && made.opcode != Opcode::ConstF32) return kNone;
  const auto of = [&](std::uint32_t k) { return exponent_bound(f_.operand(f_.definition(v), k), depth - 1); };
  const auto with = [&](ir::TeslaSpecialFunction function) {
    return static_cast<ir::TeslaSpecialFunction>(made.immediate) == function;
  };
  switch (made.opcode) {
    case Opcode::ConstF32: {
      const auto exponent = static_cast<int>(made.immediate >> 23 & 255);
      return std::min(exponent - 126, kNone);
    }
    case Opcode::TeslaSpecialFunction32: {
      using enum sfu::Function;
      return with(sin) || with(cos) || with(fast_sin) || with(fast_cos) ? 1
             : with(rsqrt) || with(fast_rsqrt)                          ? 64
             : with(lg2) || with(fast_lg2)                              ? 8
                                                                        : kNone;
    }
    case Opcode::I32ToF32:
    case Opcode::U32ToF32:
      return 33;
    case Opcode::FFlush32:
    case Opcode::FNeg32:
    case Opcode::FAbs32:
    case Opcode::CanonicalizeNaN32:
    case Opcode::CanonicalizeNaNOnes32:
      return of(0);
    case Opcode::FMulFlush32:
      return std::min(of(0) + of(1), kNone);
    case Opcode::FAddFlush32:
    case Opcode::FSubFlush32:
      return std::min(std::max(of(0), of(1)) + 1, kNone);
    case Opcode::FMadTruncFlush32:
    case Opcode::FFmaFlush32:
      return std::min(std::max(of(0) + of(1), of(2)) + 1, kNone);
    case Opcode::SelectF32:
      return std::max(of(1), of(2));
    default:
      return kNone;
  }
}

}  // namespace warpjit::backend
