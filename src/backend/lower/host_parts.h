// What a host makes of the operations that hosts do differently. The classes below are the whole list; what
// they share with the rest of lowering is in FunctionLowering. Vectors and masks are of part p of the values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "backend/lower/value_forms.h"
#include "base/sfu_lanes.h"
#include "ir/callout.h"
#include "ir/memory.h"

namespace warpjit::backend {

// Constants, and words of the uniform table.
class HostConstants {
 public:
  // A word in all lanes; a word of the uniform table in all lanes. Made anew at each call.
  virtual lir::Reg make_constant(std::uint32_t word) = 0;
  virtual lir::Reg make_uniform(std::int32_t offset) = 0;
  // The same as operands.
  virtual Source constant_source(std::uint32_t word) = 0;
  virtual Source uniform_source(ir::Value v) = 0;

 protected:
  ~HostConstants() = default;
};

class HostArithmetic {
 public:
  using Reg = lir::Reg;
  using Value = ir::Value;
  enum class Shift : std::uint8_t { left, right_unsigned, right_signed };

  virtual Reg multiply(Value a, Value b, std::uint32_t p) = 0;
  virtual Reg multiply_zero_inf(Value a, Value b, std::uint32_t p) = 0;
  virtual Reg multiply_add(Value a, Value b, Value c, std::uint32_t p) = 0;
  // FFmaOdd32; on hosts without Host::embedded_rounding of operands that hold halves.
  virtual Reg multiply_add_odd(Value a, Value b, Value c, std::uint32_t p) = 0;
  // 1/x and 1/sqrt(x) of an x that a half holds, as good as rounding to a half needs. With Host::reciprocals.
  virtual Reg reciprocal_for_half(Reg) { return lir::kNoReg; }
  virtual Reg reciprocal_root_for_half(Reg) { return lir::kNoReg; }
  virtual Reg negate(Value a, std::uint32_t p) = 0;
  virtual Reg absolute(Value a, std::uint32_t p) = 0;
  virtual Reg max_select(Value a, Value b, std::uint32_t p) = 0;  // FMaxSelect32
  virtual Reg min_select(Value a, Value b, std::uint32_t p) = 0;
  virtual Reg canonicalize_nan(Value a, std::uint32_t p) = 0;
  virtual Reg canonicalize_nan_ones(Value a, std::uint32_t p) = 0;
  // Ends with a branch that holds where a lane of any is a NaN. False: nothing was made, because making each
  // canonical costs no more.
  virtual bool branch_if_nan(std::span<const Reg>) { return false; }
  virtual Reg saturate_to_int(Value a, std::uint32_t p) = 0;
  virtual Reg int_or_lowest(Value a, std::uint32_t p) = 0;
  // Numbers below 256 as the bytes of words, the first lowest, if that is better than shifts: else kNoReg.
  virtual Reg pack_bytes(const std::array<Value, 4>&, std::uint32_t) { return lir::kNoReg; }
  // And, Or or Xor of three words. With Host::three_operand_logic.
  virtual Reg join_three(ir::Opcode, Reg, Reg, const Source&) { return lir::kNoReg; }
  // a & mask | b, or, if `clears`, a & mask | b & ~mask. With Host::three_operand_logic.
  virtual Reg merge(Reg, Reg, std::uint32_t, bool /*clears*/) { return lir::kNoReg; }
  virtual Reg saturate_to_unsigned(Value a, std::uint32_t p) = 0;
  virtual Reg unsigned_to_float(Value a, std::uint32_t p) = 0;
  virtual Reg extreme_number(bool greater, Value a, Value b, std::uint32_t p) = 0;
  Reg max_number(Value a, Value b, std::uint32_t p) { return extreme_number(true, a, b, p); }   // FMaxNum32
  Reg min_number(Value a, Value b, std::uint32_t p) { return extreme_number(false, a, b, p); }  // FMinNum32
  virtual Reg shift_by_vector(Shift kind, Value a, Value count, std::uint32_t p) = 0;

 protected:
  ~HostArithmetic() = default;
};

// Words in vectors: what WordOps (lower/words.h) needs that hosts do differently.
class HostWords {
 public:
  using Reg = lir::Reg;
  using Shift = HostArithmetic::Shift;

  virtual Reg shift_by(Shift kind, Reg value, Reg count) = 0;  // by 32 or more: 0
  virtual Reg greater_than(Reg a, const Source& b) = 0;        // signed; gives a mask
  virtual Reg equal(Reg a, const Source& b) = 0;
  virtual Reg multiply_add(Reg a, Reg b, const Source& c) = 0;  // a*b + c, rounded once
  // Two numbers are compared, or b is a NaN, which is the result then.
  virtual Reg float_min(Reg a, const Source& b) = 0;
  virtual Reg float_max(Reg a, const Source& b) = 0;
  virtual Reg float_less(Reg a, const Source& b) = 0;   // ordered; gives a mask
  virtual Reg number_or(Reg a, std::uint32_t nan) = 0;  // a, or this where a is a NaN
  // Word n mod words.size() for each n of `index`; words.size() is a power of two.
  virtual Reg look_up(std::span<const std::uint32_t> words, Reg index) = 0;
  // In two tables of equal size, by the bits of a word from `bit` on. kNoReg: two look-ups are better.
  virtual std::array<Reg, 2> look_up_rows(std::span<const std::uint32_t> /*first*/,
                                          std::span<const std::uint32_t> /*second*/, Reg, int /*bit*/) {
    return {lir::kNoReg, lir::kNoReg};
  }
  // Products of numbers below 2^15, in the lower halves of words; the upper half of at least one of the two
  // is 0. kNoReg: the host multiplies whole words as fast.
  virtual Reg multiply_lower_halves(Reg, Reg) { return lir::kNoReg; }
  // TeslaF32ToF16 and TeslaF16ToF32. kNoReg: the host has no instructions for it.
  virtual Reg to_half(Reg, ir::RoundingMode) { return lir::kNoReg; }
  virtual Reg from_half(Reg) { return lir::kNoReg; }
  // FRoundHalf32, F32ToHalf and HalfToF32. kNoReg: the host has no instructions for it.
  virtual Reg round_to_half(Reg) { return lir::kNoReg; }
  virtual Reg half_of(Reg) { return lir::kNoReg; }
  virtual Reg number_of_half(Reg) { return lir::kNoReg; }
  // A branch where some lane lacks one of these bits, if the host has such an instruction.
  virtual bool tests_bits() const { return false; }
  virtual void branch_unless_bits(Reg, std::uint32_t /*bits*/) {}
  // kNoReg: there is no better way than that of base/sfu_lanes.h. `all_ones`: of NaNs only 0x7fffffff comes.
  virtual Reg special_function(sfu::Function, Reg, bool /*all_ones*/) { return lir::kNoReg; }

 protected:
  ~HostWords() = default;
};

// Two halves in each word (ir/opcodes.inc). Optional: a host without leaves them to callouts.
enum class HalfCondition : std::uint8_t { equal, less, less_equal };
class HostHalves {
 public:
  using Reg = lir::Reg;

  virtual Reg add_halves(Reg a, Reg b) = 0;
  virtual Reg multiply(Reg a, Reg b) = 0;
  virtual Reg multiply_add(Reg a, Reg b, Reg c) = 0;
  // HalvesMaxNum, HalvesMinNum. `constant`: what b is, if that is known.
  virtual Reg extreme_number(bool greater, Reg a, Reg b, std::optional<std::uint32_t> constant) = 0;
  virtual Reg compare(HalfCondition condition, Reg a, Reg b) = 0;  // all ones in halves where it holds
  virtual Reg repeat_low(Reg a) = 0;
  virtual Reg repeat_high(Reg a) = 0;
  virtual Reg swap(Reg a) = 0;
  virtual Reg low_bytes(Reg a, Reg b) = 0;      // HalvesLowBytes
  virtual Reg of_bytes(Reg a, bool upper) = 0;  // HalvesOfBytes, HalvesOfUpperBytes
  virtual Reg of_singles(Reg a, Reg b) = 0;     // HalvesOfF32
  virtual Reg twice(Reg a) = 0;                 // HalvesOfF32 of a and a
  virtual Reg canonicalize_nan(Reg a) = 0;

 protected:
  ~HostHalves() = default;
};

// Arithmetic without denormals.
class HostFlushing {
 public:
  // Where code looks for unusual operands of truncated multiply-adds, and of what else the host names.
  //   at_once             at each operation, or in the subroutine that it calls
  //   deferred            after several operations
  //   deferred_but_zeros  the same, but not for addends that are sums of 0, whose results are right
  //   none                nowhere, as all lanes are computed as though they were unusual
  enum class Checks : std::uint8_t { at_once, deferred, deferred_but_zeros, none };

  virtual void set_float_mode(lir::FloatMode mode) = 0;
  // Between round_toward_zero(true) and round_toward_zero(false).
  virtual lir::Reg add_toward_zero(lir::Reg a, lir::Reg b) = 0;
  virtual lir::Reg multiply_toward_zero(lir::Reg a, lir::Reg b) = 0;
  virtual void round_toward_zero(bool zero) = 0;
  // FMadTruncFlush32: all parts.
  virtual lir::Regs multiply_add_truncated(ir::Inst i, std::uint32_t parts) = 0;
  // True if the host can make this operation only where one look after several operations follows
  // (may_defer_check), and none follows now. It is called then.
  virtual bool must_call(ir::Inst) const { return false; }
  // Vectors of results from which on such a look pays.
  virtual std::size_t fewest_deferred() const { return 1; }
  // True if its code looks for unusual operands, so that one look after several operations would do
  // (DeferredChecks).
  virtual bool may_defer_check(ir::Inst, bool /*in_loop*/) const { return false; }
  // From here on multiply_add_truncated leaves that look to branch_if_doubtful, as far as may_defer_check.
  virtual void set_checks(Checks, bool /*in_loop*/) {}
  // Ends with a branch that holds where a result since then may be wrong. False: none may, nothing was made.
  virtual bool branch_if_doubtful() { return false; }

 protected:
  ~HostFlushing() = default;
};

class HostMasks {
 public:
  using Reg = lir::Reg;
  using Value = ir::Value;

  virtual Mask compare_floats(ir::Opcode op, Value a, Value b, std::uint32_t p) = 0;
  virtual Mask compare_integers(Condition condition, Value a, Value b, std::uint32_t p) = 0;
  virtual Reg select_lanes(Mask m, Value a, Value b, std::uint32_t p) = 0;  // m ? a : b
  virtual Reg select_masks(Reg m, Reg a, Reg b) = 0;
  virtual Reg mask_op(MaskOp op, Reg a, Reg b) = 0;
  virtual Reg mask_not(Reg a) = 0;
  virtual Reg mask_constant(bool value) = 0;
  virtual Reg mask_from_bool(Reg scalar) = 0;  // 0 or 1 to all lanes
  virtual Reg bool_from_mask(Reg mask) = 0;    // of lane 0, as 0 or 1
  virtual Reg any_bits(Reg mask) = 0;          // a scalar that is 0 if no lane is set
  virtual Reg to_test(Reg mask) = 0;           // what BranchMask and StopIfAny look at in the mask's place
  // All ones or zeros in each lane of a vector.
  virtual Reg vector_from_mask(Reg mask) = 0;
  virtual Reg mask_from_vector(Reg r) = 0;
  // The lanes of r that have the one bit that their word of the constant pool has.
  virtual Reg lanes_with_bits(Reg r, const lir::Mem& bits) = 0;

 protected:
  ~HostMasks() = default;
};

// Across lanes.
class HostLanes {
 public:
  virtual lir::Reg min_over_lanes(lir::Reg r) = 0;  // in lane 0, unsigned
  // Lane n of each four from lane (lanes >> 2n) & 3.
  virtual lir::Reg swizzle_quads(lir::Reg r, std::uint64_t lanes) = 0;
  virtual lir::Reg swizzle_masks(lir::Reg mask, std::uint64_t lanes) = 0;

 protected:
  ~HostLanes() = default;
};

// Rows of the uniform table that are read by one index, which varies.
struct TableRow {
  ir::Inst load;        // LoadUniformRow
  std::int32_t offset;  // of row 0 in the table
  std::uint32_t count;  // at least 1
  bool may_exceed;      // the index may be `count` or more
};

// Rows of the uniform table, and vectors in memory that is this group's alone.
class HostRows {
 public:
  using Reg = lir::Reg;

  // The four words at the table's byte `offset` plus the scalar `bytes`, each in all lanes.
  virtual std::array<Reg, 4> broadcast_row(Reg bytes, std::int32_t offset) = 0;
  // The four words at an address, each in all lanes.
  virtual std::array<Reg, 4> broadcast_words(Reg address) = 0;
  // The word at an address plus `offset`, in all lanes; the 16 bytes in whose row it lies are readable.
  virtual Reg broadcast_word(Reg address, std::int32_t offset) = 0;
  // Components x, y, z, w of the rows at `offset` of the table plus 16 times each lane's index, which varies;
  // zeros for an index of `count` or more, if one may come.
  virtual std::array<Reg, 4> load_rows(ir::Value index, std::int32_t offset, std::uint32_t count,
                                       bool may_exceed, std::uint32_t p) = 0;
  // Components of the rows at `base` plus each lane's offset, below 2^31.
  virtual std::array<Reg, 4> rows_at(Reg base, Reg offsets) = 0;
  // Components of some of the rows, from the first on: of all parts of each, one after the other. None: there
  // is no better way than row by row.
  virtual lir::Regs load_rows_together(ir::Value index, std::span<const TableRow> rows) = 0;
  // Word (index modulo 16) of the 16 at `offset` of the table; and of scalars word `number` there.
  virtual Reg look_up(Reg index, std::int32_t offset) = 0;
  virtual Reg table_word(Reg number, std::int32_t offset) = 0;
  // Stores the lanes that have the mask; `base` is use 2 of the memory operand, if it has one.
  virtual void store_where(Reg r, Reg mask, const lir::Mem& mem, Reg base = lir::kNoReg) = 0;

 protected:
  ~HostRows() = default;
};

// Memory of threads, where lanes have addresses of their own. Optional: a host that does not have these
// leaves all of it to callouts. A guard of kNoReg holds everywhere.
class HostMemory {
 public:
  using Reg = lir::Reg;

  // The lanes in which r, unsigned, is not below the word at base + displacement.
  virtual Reg lanes_from(Reg r, Reg base, std::int32_t displacement, Reg guard) = 0;
  virtual Reg lanes_that_differ(Reg a, Reg b, Reg guard) = 0;
  virtual Reg lanes_with_bits(Reg r, std::uint32_t bits, Reg guard) = 0;
  // Words at base + offset + displacement; lanes without guard get anything.
  virtual Reg load_lanes(Reg offset, Reg base, std::int32_t displacement, Reg guard) = 0;
  virtual void store_lanes(Reg r, Reg offset, Reg base, std::int32_t displacement, Reg guard) = 0;
  // A vector at base + index + displacement, of which only lanes with guard need to be in memory.
  virtual Reg load_together(Reg guard, Reg base, Reg index, std::int32_t displacement) = 0;
  virtual void store_together(Reg r, Reg guard, Reg base, Reg index, std::int32_t displacement) = 0;
  // The word at base + index + displacement in all lanes; it need not be in memory if no lane has the guard.
  // Without Host::guarded_broadcasts: only for a guard that holds everywhere.
  virtual Reg load_same(Reg guard, Reg base, Reg index, std::int32_t displacement) = 0;
  virtual Reg spread_first_lane(Reg r) = 0;
  // A vector of the words of `low` and then of `high`, from number `first` on, which is not 0.
  virtual Reg words_from(Reg low, Reg high, std::uint32_t first) = 0;

 protected:
  ~HostMemory() = default;
};

// Atomics and locks, lane by lane. Optional, too.
class HostAtomics {
 public:
  using Reg = lir::Reg;

  virtual Reg lane_bits(Reg mask) = 0;    // bit n: lane n
  virtual Reg lowest_bit(Reg bits) = 0;   // number of the lowest bit that is set; there is one
  virtual Reg highest_bit(Reg bits) = 0;  // number of the highest bit that is set; there is one
  // Puts ir::AtomicFunction of the word at base + index + displacement, b and c in its
  // place; gives what the word was.
  virtual Reg atomic(AtomicKind kind, Reg base, Reg index, std::int32_t displacement, Reg b, Reg c) = 0;

 protected:
  ~HostAtomics() = default;
};

// Texels: words anywhere in memory that can be read. Lanes' offsets are below 2^31.
class HostTexels {
 public:
  using Reg = lir::Reg;

  virtual Reg load_texels(Reg offsets, Reg base) = 0;
  // The words at the offsets, and those after them.
  virtual std::array<Reg, 2> load_texel_pairs(Reg offsets, Reg base) = 0;

 protected:
  ~HostTexels() = default;
};

struct HostParts {
  HostConstants& constants;
  HostArithmetic& arithmetic;
  HostWords& words;
  HostMasks& masks;
  HostLanes& lanes;
  HostRows& rows;
  HostTexels& texels;
  HostHalves* halves;  // null: the host has none
  HostFlushing& flushing;
  HostMemory* memory;
  HostAtomics* atomics;
};

}  // namespace warpjit::backend
