// Lowering of the operations that hosts do differently (lower/host_parts.h), for NEON. Atomics, locks and
// what is rare of arithmetic without denormals are callouts.
#pragma once

#include <vector>

#include "backend/a64/host.h"
#include "backend/lower/host_parts.h"

namespace warpjit::backend::a64 {

inline constexpr std::uint32_t kSignBit = 0x80000000u, kInfinity = 0x7f800000u;

// A constant that is neither NaN nor the word `except`.
bool is_constant_number(const ir::Function& f, ir::Value v, std::uint32_t except);

// Four words of the uniform table in one register, of which products take a lane.
class Quads : private ValueForms {
 public:
  explicit Quads(State& state) : ValueForms(state), quads_(f_.uniform_bytes / 16 + 1) {}
  // With the word at `offset`.
  lir::Reg of(std::int32_t offset);
  static std::int64_t lane_of(std::int32_t offset) { return offset / 4 % 4; }

 private:
  struct Quad {
    lir::Reg reg = lir::kNoReg;
    std::uint32_t block = ~0u, epoch = 0;
  };
  std::vector<Quad> quads_;  // by byte offset / 16
};

class Constants final : public HostConstants, private ValueForms {
 public:
  Constants(State& state, Quads& quads) : ValueForms(state), quads_(quads) {}
  Reg make_constant(std::uint32_t word) override;
  Reg make_uniform(std::int32_t offset) override;
  Source constant_source(std::uint32_t word) override;
  Source uniform_source(Value v) override;

 private:
  Quads& quads_;
};

class Arithmetic final : public HostArithmetic, private ValueForms {
 public:
  using Reg = lir::Reg;
  using Value = ir::Value;
  Arithmetic(State& state, Quads& quads) : ValueForms(state), quads_(quads) {}
  Reg multiply(Value a, Value b, std::uint32_t p) override;
  Reg multiply_zero_inf(Value a, Value b, std::uint32_t p) override;
  Reg multiply_add(Value a, Value b, Value c, std::uint32_t p) override;
  Reg multiply_add_odd(Value a, Value b, Value c, std::uint32_t p) override;
  Reg negate(Value a, std::uint32_t p) override { return vv(Op::Neg, vector(a, p)); }
  Reg absolute(Value a, std::uint32_t p) override { return vv(Op::Abs, vector(a, p)); }
  Reg max_select(Value a, Value b, std::uint32_t p) override;
  Reg min_select(Value a, Value b, std::uint32_t p) override;
  Reg canonicalize_nan(Value a, std::uint32_t p) override;
  Reg canonicalize_nan_ones(Value a, std::uint32_t p) override;
  Reg saturate_to_int(Value a, std::uint32_t p) override;
  Reg int_or_lowest(Value a, std::uint32_t p) override;
  Reg saturate_to_unsigned(Value a, std::uint32_t p) override { return vv(Op::CvtToU, vector(a, p)); }
  Reg unsigned_to_float(Value a, std::uint32_t p) override { return vv(Op::CvtToFU, vector(a, p)); }
  Reg extreme_number(bool greater, Value a, Value b, std::uint32_t p) override;
  Reg shift_by_vector(Shift kind, Value a, Value count, std::uint32_t p) override;

 private:
  bool gives_default_nan(Value v) const;
  bool quiet(Value v) const;
  Reg lane_product(Op op, Reg a, Value uniform);
  Reg compare(Op op, Reg a, Reg b) { return vvv(op, a, b); }

  Quads& quads_;
};

// Arithmetic without denormals, by FPCR.FZ. It makes zeros of results that are below 2^-126 before they are
// rounded, where the IR rounds first (ir/evaluate.h): products and fused sums are right unless FPSR.UFC tells
// that there was such a result, and are made only where a look at it follows (DeferredChecks). If it is set,
// the row is made again by calls. Sums below 2^-126 are exact.
class Flushing final : public HostFlushing, private ValueForms {
 public:
  using Reg = lir::Reg;
  explicit Flushing(State& state) : ValueForms(state) {}
  void set_float_mode(lir::FloatMode mode) override;
  Reg add_toward_zero(Reg a, Reg b) override { return vvv(Op::Add, a, b); }
  Reg multiply_toward_zero(Reg a, Reg b) override { return vvv(Op::Mul, a, b); }
  void round_toward_zero(bool zero) override {
    set_float_mode(zero ? lir::FloatMode::flush_toward_zero : lir::FloatMode::flush);
  }
  lir::Regs multiply_add_truncated(ir::Inst i, std::uint32_t parts) override;
  bool must_call(ir::Inst i) const override;
  bool may_defer_check(ir::Inst i, bool in_loop) const override;
  void set_checks(Checks checks, bool in_loop) override;
  bool branch_if_doubtful() override;

 private:
  void keep_flags();

  Checks checks_ = Checks::at_once;
  Reg large_ = lir::kNoReg;               // a mask: lanes with products that may be too large
  std::vector<std::int32_t> flag_words_;  // of the frame
  std::size_t kept_ = 0;                  // of these, since the row began
};

class LaneLoads : protected ValueForms {
 protected:
  using ValueForms::ValueForms;
  // The word at base + 4 * its number for each lane.
  lir::Reg load_words(lir::Reg base, lir::Reg numbers);
};

class Words final : public HostWords, private LaneLoads {
 public:
  using Reg = lir::Reg;
  explicit Words(State& state) : LaneLoads(state) {}
  Reg shift_by(Shift kind, Reg value, Reg count) override;
  Reg greater_than(Reg a, const Source& b) override { return vvv(Op::ICmpGt, a, b); }
  Reg equal(Reg a, const Source& b) override { return vvv(Op::ICmpEq, a, b); }
  Reg multiply_add(Reg a, Reg b, const Source& c) override;
  Reg float_min(Reg a, const Source& b) override { return vvv(Op::MinIeee, a, b); }
  Reg float_max(Reg a, const Source& b) override { return vvv(Op::MaxIeee, a, b); }
  Reg float_less(Reg a, const Source& b) override { return vvv(Op::CmpGt, b.reg, a); }
  Reg number_or(Reg a, std::uint32_t nan) override {
    return blend(constant_vector(nan), reg_source(a), vvv(Op::CmpEq, a, a));
  }
  Reg look_up(std::span<const std::uint32_t> words, Reg index) override;
  // FPCR.DN makes 0x7e00 of every NaN.
  Reg round_to_half(Reg x) override { return vv(Op::CvtFromHalves, vv(Op::CvtToHalves, x)); }
  Reg half_of(Reg x) override { return vv(Op::WordsOfHalves, vv(Op::CvtToHalves, x)); }
  Reg number_of_half(Reg half) override { return vv(Op::CvtFromHalves, vv(Op::HalvesOfWords, half)); }
};

class Halves final : public HostHalves, private ValueForms {
 public:
  using Reg = lir::Reg;
  explicit Halves(State& state) : ValueForms(state) {}
  Reg add_halves(Reg a, Reg b) override { return vvv(Op::HalvesAdd, a, b); }
  Reg multiply(Reg a, Reg b) override { return vvv(Op::HalvesMul, a, b); }
  Reg multiply_add(Reg a, Reg b, Reg c) override;
  Reg extreme_number(bool greater, Reg a, Reg b, std::optional<std::uint32_t> constant) override;
  Reg compare(HalfCondition condition, Reg a, Reg b) override;
  Reg repeat_low(Reg a) override { return vvv(Op::HalvesLow, a, a); }
  Reg repeat_high(Reg a) override { return vvv(Op::HalvesHigh, a, a); }
  Reg swap(Reg a) override { return vv(Op::HalvesSwap, a); }
  Reg low_bytes(Reg a, Reg b) override;
  Reg of_bytes(Reg a, bool upper) override;
  Reg of_singles(Reg a, Reg b) override {
    const Reg low = vv(Op::CvtToHalves, a);
    return vvv(Op::HalvesZip, low, vv(Op::CvtToHalves, b));
  }
  Reg twice(Reg a) override {
    const Reg halves = vv(Op::CvtToHalves, a);
    return vvv(Op::HalvesZip, halves, halves);
  }
  Reg canonicalize_nan(Reg a) override { return vvv(Op::HalvesMaxIeee, a, a); }
};

class Texels final : public HostTexels, private ValueForms {
 public:
  using Reg = lir::Reg;
  explicit Texels(State& state) : ValueForms(state) {}
  Reg load_texels(Reg offsets, Reg base) override;
  std::array<Reg, 2> load_texel_pairs(Reg offsets, Reg base) override;

 private:
  std::array<Reg, 4> addresses(Reg offsets, Reg base);
  Reg load_words(const std::array<Reg, 4>& addresses);
};

class Masks final : public HostMasks, private ValueForms {
 public:
  using Reg = lir::Reg;
  using Value = ir::Value;
  explicit Masks(State& state) : ValueForms(state) {}
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
  Reg to_test(Reg mask) override;
  Reg vector_from_mask(Reg mask) override { return mask; }
  Reg mask_from_vector(Reg r) override { return r; }
  Reg lanes_with_bits(Reg r, const lir::Mem& bits) override {
    return vvv(Op::TestBits, r, load_constant(bits));
  }

 private:
  Reg compare(Op op, Reg a, Reg b) { return vvv(op, a, b); }
  Reg compare_zero(Op op, Reg a) { return vv(op, a); }
};

class Lanes final : public HostLanes, private ValueForms {
 public:
  explicit Lanes(State& state) : ValueForms(state) {}
  Reg min_over_lanes(Reg r) override;
  Reg swizzle_quads(Reg r, std::uint64_t lanes) override;
  Reg swizzle_masks(Reg mask, std::uint64_t lanes) override { return swizzle_quads(mask, lanes); }
};

class Rows final : public HostRows, private LaneLoads {
 public:
  using Reg = lir::Reg;
  explicit Rows(State& state) : LaneLoads(state) {}
  std::array<Reg, 4> broadcast_row(Reg bytes, std::int32_t offset) override;
  std::array<Reg, 4> broadcast_words(Reg address) override;
  Reg broadcast_word(Reg address, std::int32_t offset) override;
  std::array<Reg, 4> load_rows(Value index, std::int32_t offset, std::uint32_t count, bool may_exceed,
                               std::uint32_t p) override;
  std::array<Reg, 4> rows_at(Reg base, Reg offsets) override { return rows_of_lanes(base, offsets, 0); }
  lir::Regs load_rows_together(Value, std::span<const TableRow>) override { return {}; }
  Reg look_up(Reg index, std::int32_t offset) override;
  Reg table_word(Reg number, std::int32_t offset) override;
  void store_where(Reg r, Reg mask, const lir::Mem& mem, Reg base) override;

 private:
  std::array<Reg, 4> rows_of_lanes(Reg base, Reg numbers, std::uint8_t scale);
  Reg table_address(std::int32_t offset);
  Reg load_row(Reg address, std::int32_t offset);

  struct Row {
    Reg address = lir::kNoReg;
    std::int32_t offset = 0;
    Cached loaded;
  };
  Row row_;  // that broadcast_word has loaded last
};

class Memory final : public HostMemory, private ValueForms {
 public:
  using Reg = lir::Reg;
  explicit Memory(State& state) : ValueForms(state) {}
  Reg lanes_from(Reg r, Reg base, std::int32_t displacement, Reg guard) override;
  Reg lanes_that_differ(Reg a, Reg b, Reg guard) override;
  Reg lanes_with_bits(Reg r, std::uint32_t bits, Reg guard) override;
  Reg load_lanes(Reg offset, Reg base, std::int32_t displacement, Reg guard) override;
  void store_lanes(Reg r, Reg offset, Reg base, std::int32_t displacement, Reg guard) override;
  Reg load_together(Reg guard, Reg base, Reg index, std::int32_t displacement) override;
  void store_together(Reg r, Reg guard, Reg base, Reg index, std::int32_t displacement) override;
  Reg load_same(Reg guard, Reg base, Reg index, std::int32_t displacement) override;
  Reg spread_first_lane(Reg r) override { return vv(Op::SpreadFirst, r); }
  Reg words_from(Reg low, Reg high, std::uint32_t first) override {
    const lir::InstRef inst = add(Op::WordsFrom, lir::RegClass::vector);
    for (Reg r : {low, high}) use(inst, r);
    inst->imm = first;
    return inst->def;
  }
};

}  // namespace warpjit::backend::a64
