// Lowering of the operations that hosts do differently (lower/host_parts.h), for AVX2 and AVX-512.
#pragma once

#include <vector>

#include "backend/lower/host_parts.h"
#include "backend/x64/host.h"
#include "ir/analysis/masked_bounds.h"

namespace warpjit::backend::x64 {

// What several parts need.
class Tools : protected ValueForms {
 protected:
  using ValueForms::ValueForms;
  Reg compare(Op op, Reg a, const Source& b, int predicate);
  Reg zero_where_not(Reg r, Reg mask);
  Reg nan_as(std::uint32_t word, Reg r);                   // this word where r is a NaN
  Reg with_halves(Op op, Reg r, std::int64_t imm = 0);     // to halves beside each other, or from such
  void branch_unless_all_have(Reg r, std::uint32_t bits);  // AVX2: in each lane
  Reg upper_part(Op extract, Reg r);  // of UpperHalf and UpperQuarter, whose source is always a register
  // Calls visit(lane, scalar) for the lanes of r, words without sign, in order.
  template <class Visit>
  void for_each_lane(Reg r, Visit visit) {
    const bool extracts = role_.tuning.extracts_lanes && !host_.mask_registers;
    if (!extracts) {
      if (lane_words_ < 0) lane_words_ = reserve_frame(host_.vector_bytes);
      store(Op::StoreFull, r, frame(lane_words_));
    }
    Reg upper = lir::kNoReg;
    for (std::uint32_t lane = 0; lane < host_.lanes; ++lane) {
      if (!extracts) {
        visit(lane, load(Op::SLoad, lir::RegClass::scalar,
                         frame(lane_words_ + static_cast<std::int32_t>(4 * lane))));
        continue;
      }
      if (lane == 4) upper = upper_part(Op::UpperHalf, r);
      const lir::InstRef inst = add(Op::LaneToScalar, lir::RegClass::scalar);
      inst->imm = lane % 4;
      use(inst, lane < 4 ? r : upper);
      visit(lane, inst->def);
    }
  }
  // The vectors k of rows at `base` plus the lanes' offsets: those of lanes k, k + 4, ...
  std::array<Reg, 4> rows_of_lanes(Reg base, Reg offsets);
  // AVX-512: a function of three bits, its value for 4a + 2b + c in that bit.
  Reg ternary(int function, Reg a, Reg b, const Source& c);
  // AVX-512: r, or what a row of `classes`, four bits for each class of floats, puts in its place by the
  // class of x.
  Reg fix_up(Reg r, Reg x, std::uint32_t classes);

 private:
  std::int32_t lane_words_ = -1;  // frame area of for_each_lane
};

class Constants final : public HostConstants, private Tools {
 public:
  explicit Constants(State& state) : Tools(state) {}
  Reg make_constant(std::uint32_t word) override;
  Reg make_uniform(std::int32_t offset) override;
  Source constant_source(std::uint32_t word) override;
  Source uniform_source(Value v) override;
};

class Arithmetic final : public HostArithmetic, private Tools {
 public:
  using Reg = lir::Reg;
  using Value = ir::Value;
  explicit Arithmetic(State& state) : Tools(state) {}
  Reg multiply(Value a, Value b, std::uint32_t p) override;
  Reg multiply_zero_inf(Value a, Value b, std::uint32_t p) override;
  Reg multiply_add(Value a, Value b, Value c, std::uint32_t p) override;
  Reg multiply_add_odd(Value a, Value b, Value c, std::uint32_t p) override;
  Reg reciprocal_for_half(Reg x) override;
  Reg reciprocal_root_for_half(Reg x) override;
  Reg negate(Value a, std::uint32_t p) override;
  Reg absolute(Value a, std::uint32_t p) override;
  Reg max_select(Value a, Value b, std::uint32_t p) override;
  Reg min_select(Value a, Value b, std::uint32_t p) override;
  Reg canonicalize_nan(Value a, std::uint32_t p) override;
  Reg canonicalize_nan_ones(Value a, std::uint32_t p) override;
  bool branch_if_nan(std::span<const Reg> values) override;
  Reg saturate_to_int(Value a, std::uint32_t p) override;
  Reg int_or_lowest(Value a, std::uint32_t p) override;
  Reg pack_bytes(const std::array<Value, 4>& bytes, std::uint32_t p) override;
  Reg join_three(ir::Opcode opcode, Reg a, Reg b, const Source& c) override;
  Reg merge(Reg a, Reg b, std::uint32_t mask, bool clears) override;
  Reg saturate_to_unsigned(Value a, std::uint32_t p) override;
  Reg unsigned_to_float(Value a, std::uint32_t p) override;
  Reg extreme_number(bool greater, Value a, Value b, std::uint32_t p) override;
  Reg shift_by_vector(Shift kind, Value a, Value count, std::uint32_t p) override;

 private:
  Reg multiplied(Op op, Reg a, Reg b, Reg c);
  Reg unless_nan(Reg r, Reg otherwise);
  bool quiet(Value v, int depth = 4) const;
};

class Words final : public HostWords, private Tools {
 public:
  using Reg = lir::Reg;
  explicit Words(State& state) : Tools(state) {}
  Reg shift_by(Shift kind, Reg value, Reg count) override;
  Reg greater_than(Reg a, const Source& b) override;
  Reg equal(Reg a, const Source& b) override;
  Reg multiply_add(Reg a, Reg b, const Source& c) override;
  Reg float_min(Reg a, const Source& b) override { return vvv(Op::Min, a, b); }
  Reg float_max(Reg a, const Source& b) override { return vvv(Op::Max, a, b); }
  Reg float_less(Reg a, const Source& b) override { return compare(Op::CmpF, a, b, predicate::kLt); }
  Reg number_or(Reg a, std::uint32_t nan) override { return nan_as(nan, a); }
  Reg look_up(std::span<const std::uint32_t> words, Reg index) override;
  std::array<Reg, 2> look_up_rows(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second,
                                  Reg word, int bit) override;
  Reg multiply_lower_halves(Reg a, Reg b) override;
  Reg to_half(Reg x, ir::RoundingMode mode) override;
  Reg from_half(Reg half) override;
  Reg round_to_half(Reg x) override;
  Reg half_of(Reg x) override;
  Reg number_of_half(Reg half) override;
  bool tests_bits() const override { return !host_.mask_registers; }
  void branch_unless_bits(Reg a, std::uint32_t bits) override { branch_unless_all_have(a, bits); }
  Reg special_function(sfu::Function function, Reg x, bool all_ones) override;

 private:
  Reg lower_halves(Reg words);
  bool permutes(std::size_t words) const;
  Reg table_address(std::span<const std::uint32_t> words);
  Reg permute(std::span<const std::uint32_t> words, Reg index);
  static bool is_wave(std::span<const std::uint32_t> words);
  Reg look_up_wave(std::span<const std::uint32_t> words, Reg index);
  Reg bit_to_sign(Reg index, std::uint32_t bit);  // `bit` is a power of two
  Reg has_bit(Reg index, std::uint32_t bit);
  Reg gather(std::span<const std::uint32_t> words, Reg index);

  // For AVX-512 (lower_special_functions.cpp).
  Reg rcp(Reg x, bool all_ones);
  Reg rsqrt(Reg x);
  Reg lg2(Reg x);
  Reg times_turns(Reg magnitude);
  Reg presin(Reg x);
  Reg preex2(Reg x);
  Reg sin_of(Reg quadrants, Reg sign, Reg fixed);
  Reg ex2(Reg fixed);
  Reg half_pair_source(Op op, Reg a, std::uint32_t halves);
  struct Square {
    Reg truncated;
    Reg both;  // the 16 bits in both halves
  };
  Square square(Reg upper);
  std::array<Reg, 2> entry_of(sfu::Table bases, sfu::Table slopes, Reg segment);
  struct Sum {
    Reg high, low;
  };
  Sum interpolate(sfu::Table bases, sfu::Table slopes, std::uint32_t half, Reg x, bool falls,
                  bool adds_square);
  Reg fma_zero(Reg a, std::uint32_t b, Reg c);
  Reg bits_in(Reg a, std::uint32_t bits);
  Reg special_fixed(Reg magnitude, Reg r, std::uint32_t last_finite);

  struct Tested {
    Reg index = lir::kNoReg, mask = lir::kNoReg;
    std::uint32_t bit = 0, block = ~0u;
  };
  std::array<Tested, 2> tested_{};  // the last tests, in turn
  std::size_t next_tested_ = 0;
};

class Halves final : public HostHalves, private Tools {
 public:
  using Reg = lir::Reg;
  explicit Halves(State& state) : Tools(state) {}
  Reg add_halves(Reg a, Reg b) override { return binary(Op::HalvesAdd, a, b); }
  Reg multiply(Reg a, Reg b) override { return binary(Op::HalvesMul, a, b); }
  Reg multiply_add(Reg a, Reg b, Reg c) override;
  Reg extreme_number(bool greater, Reg a, Reg b, std::optional<std::uint32_t> constant) override;
  Reg compare(HalfCondition condition, Reg a, Reg b) override;
  Reg repeat_low(Reg a) override;
  Reg repeat_high(Reg a) override;
  Reg swap(Reg a) override;
  Reg low_bytes(Reg a, Reg b) override;
  Reg of_bytes(Reg a, bool upper) override;
  Reg of_singles(Reg a, Reg b) override;
  Reg twice(Reg a) override;
  Reg canonicalize_nan(Reg a) override;

 private:
  static constexpr int kWhere = 0xac;  // for ternary(): a ? c : b
  Reg binary(Op op, Reg a, Reg b);
  Reg compared(int predicate, Reg a, Reg b);
  Reg shuffled(Reg a, std::uint32_t bytes_of_first);
};

class Masks final : public HostMasks, private Tools {
 public:
  using Reg = lir::Reg;
  using Value = ir::Value;
  explicit Masks(State& state) : Tools(state) {}
  Mask compare_floats(ir::Opcode op, Value a, Value b, std::uint32_t p) override;
  Mask compare_integers(Condition condition, Value a, Value b, std::uint32_t p) override;
  Reg select_lanes(Mask m, Value a, Value b, std::uint32_t p) override;
  Reg select_masks(Reg m, Reg a, Reg b) override;
  Reg mask_op(MaskOp op, Reg a, Reg b) override;
  Reg mask_not(Reg a) override;
  Reg mask_constant(bool value) override;
  Reg mask_from_bool(Reg scalar) override;
  Reg bool_from_mask(Reg mask) override;
  Reg any_bits(Reg mask) override;
  Reg to_test(Reg mask) override { return mask; }
  Reg vector_from_mask(Reg mask) override;
  Reg mask_from_vector(Reg r) override;
  Reg lanes_with_bits(Reg r, const lir::Mem& bits) override;
};

class Lanes final : public HostLanes, private Tools {
 public:
  explicit Lanes(State& state) : Tools(state) {}
  Reg min_over_lanes(Reg r) override;
  Reg swizzle_quads(Reg r, std::uint64_t lanes) override;
  Reg swizzle_masks(Reg mask, std::uint64_t lanes) override;
};

class Rows final : public HostRows, private Tools {
 public:
  using Reg = lir::Reg;
  explicit Rows(State& state) : Tools(state) {}
  std::array<Reg, 4> broadcast_row(Reg bytes, std::int32_t offset) override;
  std::array<Reg, 4> broadcast_words(Reg address) override;
  Reg broadcast_word(Reg address, std::int32_t offset) override;
  std::array<Reg, 4> load_rows(Value index, std::int32_t offset, std::uint32_t count, bool may_exceed,
                               std::uint32_t p) override;
  void store_where(Reg r, Reg mask, const lir::Mem& mem, Reg base) override;
  std::array<Reg, 4> rows_at(Reg base, Reg offsets) override {
    return transpose(rows_of_lanes(base, offsets));
  }
  // By tables of the rows (lower_row_tables.cpp).
  Regs load_rows_together(Value index, std::span<const TableRow> rows) override;
  Reg look_up(Reg index, std::int32_t offset) override;
  Reg table_word(Reg number, std::int32_t offset) override;

 private:
  Reg load_row(Reg into, std::uint32_t lane, Reg bytes, std::int32_t offset);
  Reg look_up(std::uint32_t component, std::uint32_t first_row, Reg numbers);
  Reg at_least(Reg numbers, std::int64_t bound);
  void raise_invalid(Reg mask);

  std::int32_t scratch_ = -1;  // frame area for the byte offsets of per-lane rows
  ir::Value scratch_index_;    // whose offsets are there, since the block began
  std::uint32_t scratch_block_ = ~0u;
  // Which lanes want one of the upper 8 words of 16, of the index looked up last.
  Reg looked_up_ = lir::kNoReg;
  Cached upper_;
};

class Flushing final : public HostFlushing, private Tools {
 public:
  explicit Flushing(State& state) : Tools(state) {}
  Reg add_toward_zero(Reg a, Reg b) override {
    return toward_zero(host_.embedded_rounding ? Op::AddZero : Op::Add, a, b);
  }
  Reg multiply_toward_zero(Reg a, Reg b) override {
    return toward_zero(host_.embedded_rounding ? Op::MulZero : Op::Mul, a, b);
  }
  void round_toward_zero(bool zero) override;
  void set_float_mode(lir::FloatMode mode) override;
  Regs multiply_add_truncated(ir::Inst i, std::uint32_t parts) override;
  bool may_defer_check(ir::Inst i, bool in_loop) const override;
  // Reading the flags waits for all arithmetic before.
  std::size_t fewest_deferred() const override { return 16; }
  void set_checks(Checks checks, bool in_loop) override;
  bool branch_if_doubtful() override;

 private:
  struct Product {
    Reg truncated, left, right, addend;
    Reg doubled = lir::kNoReg;  // AVX-512: twice the bits of `truncated`, which has no sign
    Reg scaled = lir::kNoReg;   // AVX2: left times right times -2^-25
  };
  // What may make lanes unusual.
  struct Doubts {
    bool large_product, small_addend;
    bool by_error = false;       // AVX2: none, as the product's error tells how it is truncated
    bool again_at_once = false;  // if there are any: all lanes, without a look at which they are
    bool join_products = false;  // AVX-512: of several parts
    bool join_addends = false;   // AVX-512: of several parts, which are sums or products of the same block
    bool any() const { return large_product || small_addend; }
  };
  // A result that was made without a look at its operands.
  struct Unchecked {
    Value sum;
    bool may_be_nan;         // where a factor is infinite
    bool is_addend = false;  // of a later one, which then is a NaN, too
    bool may_be_negative_zero = true;
  };
  // AVX2: a factor times what truncate() scales products by.
  struct Scaled {
    Reg factor, scaled;
    std::uint32_t block;
  };
  Doubts doubts_of(ir::Inst i) const;
  bool is_made_beside(Value v, ir::Inst i) const;
  bool all_lanes_matter(ir::Inst i) const;
  // True if it is a zero, with which the product is rounded to nearest.
  bool is_plain(Value addend) const {
    return is_constant(addend) && (constant(addend) & 0x7fffffff) < 0x00800000;
  }
  Regs multiply_add_unchecked(ir::Inst i, const Doubts& doubts, std::uint32_t parts);
  bool scales_right(std::span<const Product> products, Value left, Value right);
  const Scaled* is_scaled(Reg factor) const;
  Reg scaled_factor(Reg factor);
  Reg scaled_by_constant(const Product& p, Value left, Value right);
  void note_addend(Reg addend);
  void keep_flags();
  bool may_be_small(Value addend) const;
  Reg toward_zero(Op op, Reg a, Reg b);
  bool has_exact_product(Value factor, Value c) const;
  bool may_be_infinite(Value v, int depth = 3) const;
  Reg fused(Value a, Value b, Value c, std::uint32_t p);
  void truncate(Product& p, Reg nearest = lir::kNoReg);
  Reg truncated_by_error(const Product& p);
  Reg branch_if_unusual(std::vector<Product>& products, const Doubts& doubts);
  Reg usual_in_all_parts(std::vector<Product>& products, const Doubts& doubts, Reg& least);
  Regs look_again(const std::vector<Product>& products, const Regs& sums, const Doubts& doubts,
                  bool sees_to_zeros, Value matters);
  void branch_unless_usual(Reg bits);
  Mask unusual_lanes(const Product& p, const Doubts& doubts, Reg zero);
  void join(Op op, Reg& joined, Reg r);
  Reg add_again(const Product& p);

  std::int32_t again_words_ = -1;  // frame area for operands of MultiplyAddTruncated
  Checks checks_ = Checks::at_once;
  bool in_loop_ = false;
  std::vector<Unchecked> unchecked_;
  std::vector<std::uint32_t> unchecked_at_;  // by value: its place in unchecked_, or one that is not its
  // True if what was made since the mode was set needs them. No way that parts within a
  // row may change the mode.
  bool needs_flags_ = false;
  std::vector<Scaled> scaled_;
  std::vector<std::uint32_t> scaled_at_;  // by register: its place in scaled_, or one that is not its
  Reg addend_ = lir::kNoReg;              // one that waits for another
  Reg least_ = lir::kNoReg;               // of halves of pairs of addends: 0 if one of these is +0
  std::vector<std::int32_t> flag_words_;  // of the frame
};

class Memory final : public HostMemory, public HostTexels, private Tools {
 public:
  using Reg = lir::Reg;
  Reg load_texels(Reg offsets, Reg base) override { return load_lanes(offsets, base, 0, lir::kNoReg); }
  std::array<Reg, 2> load_texel_pairs(Reg offsets, Reg base) override;
  explicit Memory(State& state) : Tools(state) {}
  Reg lanes_from(Reg r, Reg base, std::int32_t displacement, Reg guard) override;
  Reg lanes_that_differ(Reg a, Reg b, Reg guard) override;
  Reg lanes_with_bits(Reg r, std::uint32_t bits, Reg guard) override;
  Reg load_lanes(Reg offset, Reg base, std::int32_t displacement, Reg guard) override;
  void store_lanes(Reg r, Reg offset, Reg base, std::int32_t displacement, Reg guard) override;
  Reg load_together(Reg guard, Reg base, Reg index, std::int32_t displacement) override;
  void store_together(Reg r, Reg guard, Reg base, Reg index, std::int32_t displacement) override;
  Reg load_same(Reg guard, Reg base, Reg index, std::int32_t displacement) override;
  Reg spread_first_lane(Reg r) override;
  Reg words_from(Reg low, Reg high, std::uint32_t first) override;

 private:
  Reg mask_to_clear(Reg guard);
  Reg gather_pairs(Reg offset, Reg base);
  void store_words(Reg r, Reg offset, Reg base, std::int32_t displacement, Reg guard);

  std::int32_t words_ = -1;  // frame area for values, offsets and guards of lanes that store one by one
};

class Atomics final : public HostAtomics, private Tools {
 public:
  using Reg = lir::Reg;
  explicit Atomics(State& state) : Tools(state) {}
  Reg lane_bits(Reg mask) override { return state_.masks->any_bits(mask); }
  Reg lowest_bit(Reg bits) override;
  Reg highest_bit(Reg bits) override;
  Reg atomic(AtomicKind kind, Reg base, Reg index, std::int32_t displacement, Reg b, Reg c) override;

 private:
  Reg bit_scan(Op op, Reg bits);
};

}  // namespace warpjit::backend::x64
