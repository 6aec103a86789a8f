// The forms that values have in LIR. A varying value is one vector (or mask) register per part, a uniform f32
// one vector with equal lanes, a uniform i32 or i1 a scalar register. Constants and words of the uniform
// table have no register of their own: they are memory operands where the host allows it, else they are
// brought into registers where they are used.
#pragma once

#include <cstdint>
#include <optional>

#include "backend/lower/builder.h"
#include "ir/analysis/range.h"

namespace warpjit::backend {

// A mask, or its complement: negation costs nothing until someone needs the mask itself.
struct Mask {
  lir::Reg reg = lir::kNoReg;
  bool inverted = false;
};
enum class MaskOp : std::uint8_t { and_, or_, xor_, and_not };  // and_not: ~a & b

// Which lanes of a part have a mask, as far as that is known (ir/analysis/lane_sets).
enum class PartLanes : std::uint8_t { unknown, none, some, all };

// The condition of an opcode of the family integer_comparison.
Condition integer_condition(ir::Opcode op);

// There are not as many mask registers: comparisons of lanes with one number are not kept.
inline constexpr std::uint32_t kManyParts = 8;

class ValueForms : protected Builder {
 protected:
  using Value = ir::Value;

  explicit ValueForms(State& state) : Builder(state), f_(state.f) {}

  std::uint32_t parts_of(Value v) const { return varying(v) ? parts_ : 1; }
  bool varying(Value v) const { return f_.value(v).uniformity == ir::Uniformity::varying; }
  Value operand(ir::Inst i, std::uint32_t k) const { return f_.operand(i, k); }
  std::uint64_t constant(Value v) const { return f_.constant(v); }
  bool is_constant(Value v) const { return f_.is_constant(v); }
  bool is_uniform_load(Value v) const;
  bool has_no_register(Value v) const { return !varying(v) && (is_constant(v) || is_uniform_load(v)); }
  std::int32_t table_offset(Value v) const {
    return static_cast<std::int32_t>(f_.definition_of(v).immediate);
  }
  bool is_lane_number(Value v) const { return f_.definition_of(v).opcode == ir::Opcode::LaneIndex; }
  // True if only the branch of its block reads the result, so that it becomes part of the branch.
  bool only_feeds_branch(ir::Inst i) const;
  std::uint32_t use_count(Value v) const { return state_.use_count[v.id]; }
  // Registers made before another store to the table may hold another state of it.
  std::uint32_t table_epoch() const { return state_.table_epoch; }

  // The registers of a value itself.
  Reg& slot(Value v, std::uint32_t part) { return state_.regs[std::size_t{v.id} * parts_ + part]; }
  void define(Value v, std::uint32_t part, Reg r) { slot(v, part) = r; }
  void define_mask(Value v, std::uint32_t part, Mask m);
  void define_from_vector(ir::Inst i, Reg r);  // a uniform i32 computed in a vector
  // Each part of the result by make(part), as a vector.
  template <class Make>
  void define_parts(ir::Inst i, Make make) {
    const Value result = f_.result(i);
    if (class_of(result) == lir::RegClass::scalar) return define_from_vector(i, make(0));
    for (std::uint32_t p = 0; p < parts_of(result); ++p) define(result, p, make(p));
  }
  // The vector form of a uniform value that has just been defined as a scalar.
  void define_vector_form(Value v, Reg r) { state_.vector_cache[v.id] = {r, current_block()}; }
  Reg vector_form(Value v) const { return state_.vector_cache[v.id].reg; }
  lir::RegClass class_of(Value v) const;
  lir::RegClass mask_class() const {
    return host_.mask_registers ? lir::RegClass::mask : lir::RegClass::vector;
  }

  // The value as a vector register, as a vector operand, as a scalar register, as a mask.
  Reg vector(Value v, std::uint32_t part);
  Source source(Value v, std::uint32_t part);
  Reg scalar(Value v);
  Reg mask(Value v, std::uint32_t part);
  PartLanes lanes_of(Value mask, std::uint32_t part) const;
  // Without a value: not known, or there is no such lane.
  std::optional<std::uint32_t> last_lane_of(Value mask) const;
  Mask mask_or_inverse(Value v, std::uint32_t part);
  // With many parts: an ir::LaneComparison. It is one instruction, made where its mask is read.
  bool is_made_where_read(Value v) const;
  // What `v` is the nearest integer of, ties to even; else invalid.
  Value rounded_even(Value v) const {
    const bool rounds = f_.definition_of(v).opcode == ir::Opcode::FRoundEven32;
    return rounds ? f_.operand(f_.definition(v), 0) : Value();
  }
  // 1 or -1, where `to` is `from` plus that, and nothing else reads it; else invalid.
  Value step_from(Value from, Value to) const;
  // Such a step where the mask holds, which is a vector.
  Reg step_where(Reg from, Value step, Reg mask) {
    return vvv(constant(step) == 1 ? Op::ISub : Op::IAdd, from, mask);
  }
  Reg any_part(Value mask);  // where a part has the mask
  // Groups narrower than a vector leave lanes idle (State::has_idle_lanes): votes, stores and loads from
  // addresses of their own leave those out.
  Reg live_lanes();
  Mask among_live(Mask m);
  // The lanes that take part in an access of part p with this guard; kNoReg: all.
  Reg guarding_mask(Value guard, std::uint32_t p);
  Mask combine(MaskOp op, Mask a, Mask b);
  Reg constant_vector(std::uint32_t word);
  Source constant_source(std::uint32_t word);

  // In the mode `flush`: what an operation on floats may read in place of v.
  Value unflushed(Value v) const;
  bool may_be_denormal(Value v) const { return ir::may_be_denormal(f_, v); }
  // Every finite value of the float is below 2^n in magnitude.
  int exponent_bound(Value v, int depth = 3) const;

  // Numbers of the lanes of a part, in the group.
  lir::Mem numbers_of_lanes(std::uint32_t part);
  Reg lane_numbers(std::uint32_t part);

  void branch_if_any(Reg mask);
  // Control goes two ways, where a lane of `mask` is set through what `if_any` makes, else through what
  // `if_none` makes: both give equally many vectors. Gives what comes out of either.
  template <class IfAny, class IfNone>
  Regs either_way(Reg mask, IfAny if_any, IfNone if_none) {
    branch_if_any(mask);
    return either_way_behind(if_any, if_none);
  }
  // The same after a branch that was just made.
  template <class IfAny, class IfNone>
  Regs either_way_behind(IfAny if_any, IfNone if_none) {
    const CacheState at_parting = cache_state();
    const std::uint32_t at = last_block();
    end_block(at);
    begin_edge(at);
    const Regs from_any = if_any();  // which may part ways, too
    const std::uint32_t any = last_block();
    end_edge(any, from_any);
    begin_edge(at);
    const Regs from_none = if_none();
    const std::uint32_t none = last_block();
    end_edge(none, from_none);
    restore(at_parting);
    return join_edges(any, none);
  }
  // Where ways join again, what was cached before they parted is still there, and nothing that came later.
  struct CacheState {
    std::uint32_t block;
    std::size_t constants;
  };
  CacheState cache_state() const { return {state_.current_block, state_.constant_cache.size()}; }
  void restore(const CacheState& cached) {
    state_.current_block = cached.block;
    state_.constant_cache.resize(cached.constants);
  }

  void forget_cached() {
    state_.current_block = 0x80000000u + static_cast<std::uint32_t>(code_.blocks.size());
  }

  // After a branch that was just made: where it holds, control goes through what `cold` makes, which stands
  // out of line, else through what `hot` makes; both give the same number of registers of the same classes.
  template <class Hot, class Cold>
  Regs hot_or_cold(Hot hot, Cold cold) {
    const CacheState at_parting = cache_state();
    const std::uint32_t at = last_block();
    end_block(at);
    begin_edge(at);
    const Regs from_hot = hot();
    const std::uint32_t hot_end = last_block();
    end_edge(hot_end, from_hot);
    const std::uint32_t cold_first = begin_edge(at);
    const Regs from_cold = cold();  // which may part ways, too
    const std::uint32_t cold_end = last_block();
    end_edge(cold_end, from_cold);
    for (std::uint32_t b = cold_first; b <= cold_end; ++b) code_.blocks[b].cold = true;
    std::swap(code_.blocks[at].successors[0], code_.blocks[at].successors[1]);
    restore(at_parting);
    return join_edges(hot_end, cold_end);
  }
  // The same for several branches that lead out: ways_out are the blocks that branch_out has ended since the
  // time of `at_parting`.
  template <class Hot, class Cold>
  Regs hot_or_out(const CacheState& at_parting, const lir::Edges& ways_out, Hot hot, Cold cold) {
    const Regs from_hot = hot();
    const std::uint32_t hot_end = last_block();
    end_edge(hot_end, from_hot);
    lir::Edges edges;
    for (const std::uint32_t at : ways_out) {
      edges.push_back(begin_edge(at));
      code_.blocks.back().cold = true;
      end_edge(edges.back(), {});
      std::swap(code_.blocks[at].successors[0], code_.blocks[at].successors[1]);
    }
    const std::uint32_t cold_first = begin_block();
    for (const std::uint32_t edge : edges) code_.blocks[edge].successors.push_back(cold_first);
    state_.current_block = 0x40000000u + cold_first;
    const Regs from_cold = cold();
    const std::uint32_t cold_end = last_block();
    end_edge(cold_end, from_cold);
    for (std::uint32_t b = cold_first; b <= cold_end; ++b) code_.blocks[b].cold = true;
    restore(at_parting);
    return join_edges(hot_end, cold_end);
  }
  // Ends the block with a branch that was just made, to where a way out leads if it holds.
  void branch_out(lir::Edges& ways_out) {
    const std::uint32_t at = last_block();
    end_block(at);
    begin_edge(at);
    ways_out.push_back(at);
  }
  // `compare`: BranchCompare or BranchCompare64.
  void branch_out_if(Op compare, Condition condition, Reg a, Reg b, lir::Edges& ways_out) {
    const lir::InstRef branch = add(compare);
    use(branch, a);
    use(branch, b);
    branch->imm = pack_condition(condition);
    branch_out(ways_out);
  }
  void branch_out_if_bits(Reg a, std::uint32_t bits, lir::Edges& ways_out) {
    const lir::InstRef branch = add(Op::BranchBits);
    use(branch, a);
    branch->imm = bits;
    branch_out(ways_out);
  }

  const ir::Function& f_;
};

}  // namespace warpjit::backend
