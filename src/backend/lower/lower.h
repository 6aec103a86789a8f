// Lowering: a function of the IR in group form to LIR. A varying value becomes one vector (or mask) register
// per part, a uniform f32 one vector with equal lanes, a uniform i32 or i1 a scalar register. Constants and
// words of the uniform table have no register of their own: they are memory operands where the host allows
// it, else they are brought into registers where they are used.
//
// What hosts share is done here: blocks, edges, forms of values, scalars, rows. A host derives a class that
// makes the instructions which differ: the pure virtual functions below are the whole list.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "backend/host.h"
#include "ir/analysis/lane_shape.h"
#include "ir/function.h"
#include "ir/memory.h"

namespace warpjit::backend {

// A register or a memory operand.
struct Source {
  lir::Reg reg = lir::kNoReg;
  lir::Mem mem;
  bool in_memory() const { return mem.base != lir::MemBase::none; }
};

// A mask, or its complement: negation costs nothing until someone needs the mask itself.
struct Mask {
  lir::Reg reg = lir::kNoReg;
  bool inverted = false;
};

// The condition of an integer comparison, IEq32 to ILeU32.
Condition integer_condition(ir::Opcode op);

// There are not as many mask registers: comparisons of lanes with one number are not kept.
inline constexpr std::uint32_t kManyParts = 8;

// Vectors per value so that the code's live values about fit the registers.
std::uint32_t choose_parts(const ir::Function& f, const Host& host);

class Lowering {
 public:
  // Fills `code`, which keeps the memory it had.
  Lowering(const ir::Function& f, const Host& host, const Role& role, ConstantPool& pool, std::uint32_t parts,
           lir::Code& code);
  virtual ~Lowering() = default;
  Lowering(const Lowering&) = delete;
  Lowering& operator=(const Lowering&) = delete;
  void run();

 protected:
  using Reg = lir::Reg;
  using Regs = lir::Regs;
  using Value = ir::Value;
  enum class Shift : std::uint8_t { left, right_unsigned, right_signed };

  // ---- What a host makes. Vectors and masks are of part p of the values.

  // A word in all lanes; a word of the uniform table in all lanes. Made anew at each call.
  virtual Reg make_constant(std::uint32_t word) = 0;
  virtual Reg make_uniform(std::int32_t offset) = 0;
  // The same as operands. The defaults give registers.
  virtual Source constant_source(std::uint32_t word) { return reg_source(constant_vector(word)); }
  virtual Source uniform_source(Value v) { return reg_source(vector(v, 0)); }
  // The four words at the table's byte `offset` plus the scalar `bytes`, each in all lanes.
  virtual std::array<Reg, 4> broadcast_row(Reg bytes, std::int32_t offset) = 0;

  virtual Reg multiply(Value a, Value b, std::uint32_t p) = 0;
  virtual Reg multiply_zero_inf(Value a, Value b, std::uint32_t p) = 0;
  virtual Reg multiply_add(Value a, Value b, Value c, std::uint32_t p) = 0;
  virtual Reg negate(Value a, std::uint32_t p) = 0;
  virtual Reg absolute(Value a, std::uint32_t p) = 0;
  virtual Reg max_select(Value a, Value b, std::uint32_t p) = 0;  // FMaxSelect32
  virtual Reg min_select(Value a, Value b, std::uint32_t p) = 0;
  virtual Reg canonicalize_nan(Value a, std::uint32_t p) = 0;
  virtual Reg canonicalize_nan_ones(Value a, std::uint32_t p) = 0;
  virtual Reg saturate_to_int(Value a, std::uint32_t p) = 0;
  virtual Reg saturate_to_unsigned(Value a, std::uint32_t p) = 0;
  virtual Reg unsigned_to_float(Value a, std::uint32_t p) = 0;
  virtual Reg extreme_number(bool greater, Value a, Value b, std::uint32_t p) = 0;  // FMaxNum32, FMinNum32
  // With lir::Code::flushes only.
  virtual Reg add_toward_zero(Reg /*a*/, Reg /*b*/) { return {}; }
  virtual Reg multiply_toward_zero(Reg /*a*/, Reg /*b*/) { return {}; }
  virtual void round_toward_zero(bool /*zero*/) {}
  // FMadTruncFlush32: all parts.
  virtual Regs multiply_add_truncated(ir::Inst /*i*/, std::uint32_t /*parts*/) { return {}; }
  virtual Reg shift_by_vector(Shift kind, Value a, Value count, std::uint32_t p) = 0;
  virtual Reg min_over_lanes(Reg r) = 0;  // in lane 0, unsigned

  virtual Mask compare_floats(ir::Opcode op, Value a, Value b, std::uint32_t p) = 0;
  virtual Mask compare_integers(Condition condition, Value a, Value b, std::uint32_t p) = 0;
  virtual Reg select_lanes(Mask m, Value a, Value b, std::uint32_t p) = 0;  // m ? a : b
  virtual Reg select_masks(Reg m, Reg a, Reg b) = 0;
  enum class MaskOp : std::uint8_t { and_, or_, xor_, and_not };  // and_not: ~a & b
  virtual Reg mask_op(MaskOp op, Reg a, Reg b) = 0;
  virtual Reg mask_not(Reg a) = 0;
  virtual Reg mask_constant(bool value) = 0;
  virtual Reg mask_from_bool(Reg scalar) = 0;  // 0 or 1 to all lanes
  virtual Reg bool_from_mask(Reg mask) = 0;    // of lane 0, as 0 or 1
  virtual Reg any_bits(Reg mask) = 0;          // a scalar that is 0 if no lane is set
  virtual void branch_if_any(Reg mask) { use(add(Op::BranchMask), mask); }
  virtual void stop_if_any(Reg mask, std::int64_t reason);
  // All ones or zeros in each lane of a vector.
  virtual Reg vector_from_mask(Reg mask) { return mask; }
  virtual Reg mask_from_vector(Reg r) { return r; }
  // Lane n of each four from lane (lanes >> 2n) & 3.
  virtual Reg swizzle_quads(Reg r, std::uint64_t lanes) = 0;
  // In memory that is this group's alone; `base` is use 2 of the memory operand, if it has one.
  virtual void store_where(Reg r, Reg mask, const lir::Mem& mem, Reg base = lir::kNoReg) = 0;
  // Components x, y, z, w of the rows at `offset` of the table plus 16 times each lane's index, which varies;
  // zeros for an index of `count` or more, if one may come.
  virtual std::array<Reg, 4> load_rows(Value index, std::int32_t offset, std::uint32_t count, bool may_exceed,
                                       std::uint32_t p) = 0;

  // Memory of threads, where lanes have addresses of their own. Hosts that do not have these leave all of it
  // to calls. A guard of kNoReg holds everywhere.
  virtual bool reaches_memory() const { return false; }
  virtual bool stores_lanes() const { return false; }
  virtual bool rotates_lanes() const { return false; }
  // The lanes in which r, unsigned, is not below the word at base + displacement.
  virtual Reg lanes_from(Reg /*r*/, Reg /*base*/, std::int32_t /*displacement*/, Reg /*guard*/) { return {}; }
  virtual Reg lanes_that_differ(Reg /*a*/, Reg /*b*/, Reg /*guard*/) { return {}; }
  virtual Reg lanes_with_bits(Reg /*r*/, std::uint32_t /*bits*/, Reg /*guard*/) { return {}; }
  // Elements at base + offset + displacement; lanes without guard get anything.
  virtual Reg load_lanes(ir::Element /*element*/, Reg /*offset*/, Reg /*base*/, std::int32_t /*displacement*/,
                         Reg /*guard*/) {
    return {};
  }
  virtual void store_lanes(Reg /*r*/, Reg /*offset*/, Reg /*base*/, std::int32_t /*displacement*/,
                           Reg /*guard*/) {}
  // A vector at base + index + displacement, of which only lanes with guard need to be in memory.
  virtual Reg load_together(Reg /*guard*/, Reg /*base*/, Reg /*index*/, std::int32_t /*displacement*/) {
    return {};
  }
  virtual void store_together(Reg /*r*/, Reg /*guard*/, Reg /*base*/, Reg /*index*/,
                              std::int32_t /*displacement*/) {}
  // The word at base + index + displacement in all lanes; it need not be in memory if no lane has the guard.
  // False: only for a guard that holds everywhere.
  virtual bool loads_same_guarded() const { return false; }
  virtual Reg load_same(Reg /*guard*/, Reg /*base*/, Reg /*index*/, std::int32_t /*displacement*/) {
    return {};
  }
  virtual Reg spread_first_lane(Reg /*r*/) { return {}; }

  // Rows of the uniform table that are read by one index, which varies.
  struct TableRow {
    ir::Inst load;        // LoadUniformRow
    std::int32_t offset;  // of row 0 in the table
    std::uint32_t count;  // at least 1
    bool may_exceed;      // the index may be `count` or more
  };
  // Makes some of the rows, from the first on, in a way that the host has for them together; returns how
  // many.
  virtual std::size_t load_rows_together(Value /*index*/, std::span<const TableRow> /*rows*/) { return 0; }

  // ---- Values in their forms

  std::uint32_t parts_of(Value v) const { return varying(v) ? parts_ : 1; }
  bool varying(Value v) const { return f_.value(v).shape == ir::Shape::varying; }
  Value operand(ir::Inst i, std::uint32_t k) const { return f_.operand(i, k); }
  std::uint64_t constant(Value v) const { return f_.constant(v); }
  bool is_constant(Value v) const { return f_.is_constant(v); }
  bool is_uniform_load(Value v) const;
  bool has_no_register(Value v) const { return !varying(v) && (is_constant(v) || is_uniform_load(v)); }
  std::int32_t table_offset(Value v) const {
    return static_cast<std::int32_t>(f_.definition_of(v).immediate);
  }
  bool is_lane_number(Value v) const { return f_.definition_of(v).opcode == ir::Opcode::LaneIndex; }
  lir::RegClass mask_class() const {
    return host_.mask_registers ? lir::RegClass::mask : lir::RegClass::vector;
  }

  // The value as a vector register, as a vector operand, as a scalar register, as a mask.
  Reg vector(Value v, std::uint32_t part);
  Source source(Value v, std::uint32_t part);
  Reg scalar(Value v);
  Reg mask(Value v, std::uint32_t part);
  Mask mask_or_inverse(Value v, std::uint32_t part);
  // With many parts: an ir::LaneComparison. It is one instruction, made where its mask is read.
  bool is_made_where_read(Value v) const;
  Mask combine(MaskOp op, Mask a, Mask b);
  Reg constant_vector(std::uint32_t word);

  // ---- Making instructions

  lir::InstRef add(Op op, lir::RegClass cls);  // with a definition
  lir::InstRef add(Op op);                     // without
  static void use(lir::InstRef inst, Reg r) { inst->use[inst->use_count++] = r; }
  void use_source(lir::InstRef inst, const Source& s) const;
  static Source reg_source(Reg r) { return {r, {}}; }
  Reg vvv(Op op, Reg a, const Source& b);
  Reg vvv(Op op, Reg a, Reg b) { return vvv(op, a, reg_source(b)); }
  Reg vv(Op op, const Source& a, std::int64_t imm = 0);
  Reg vv(Op op, Reg a, std::int64_t imm = 0) { return vv(op, reg_source(a), imm); }
  Reg with_immediate(Op op, Reg a, std::int64_t imm);
  Reg blend(Reg if_false, const Source& if_true, Reg mask);
  Reg scalar_op(Op op, Reg a, Reg b);
  Reg scalar_op_imm(Op op, Reg a, std::int64_t imm);
  Reg scalar_imm(std::uint32_t word);
  Reg scalar_compare_imm(Reg a, Condition condition, std::int32_t constant);
  Reg scalar_select(Reg bit, Reg if_true, Reg if_false);
  Reg vector_to_scalar(Reg r);
  lir::Mem frame(std::int32_t displacement) const;
  std::int32_t reserve_frame(std::uint32_t bytes);
  // Calls out of the code (lower_called.cpp).
  std::int32_t call_words();
  std::int64_t call_site(ir::Inst i, std::uint32_t first_part, std::uint32_t parts);
  // With lir::Code::flushes: what an operation on floats may read in place of v.
  Value unflushed(Value v) const;
  bool may_be_denormal(Value v, int depth = 4) const;
  Reg vector_of(std::span<const std::uint32_t> lanes);  // constants
  lir::Mem pool_mem(std::span<const std::uint32_t> lanes);
  Reg load_constant(const lir::Mem& mem);
  lir::Mem numbers_of_lanes(std::uint32_t part);
  Reg lane_numbers(std::uint32_t part);
  std::array<Reg, 4> transpose(const std::array<Reg, 4>& rows);
  // Row `number`, the same for all lanes.
  std::array<Reg, 4> uniform_row(Reg number, const TableRow& row);
  void define_row(const TableRow& row, std::uint32_t p, const std::array<Reg, 4>& components);
  // The components of all parts of each row, one after the other.
  void define_rows(std::span<const TableRow> rows, std::span<const Reg> components);
  // Control goes two ways, where a lane of `mask` is set through what `if_any` makes, else through what
  // `if_none` makes: both give equally many vectors. Gives what comes out of either.
  template <class IfAny, class IfNone>
  Regs either_way(Reg mask, IfAny if_any, IfNone if_none) {
    const CacheState at_parting = cache_state();
    const std::uint32_t at = branch_on_any(mask);
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
  // Behind a branch that was just made: where it holds, control goes through what `cold` makes, which stands
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
  // Where ways join again, what was cached before they parted is still there, and nothing that came later.
  struct CacheState {
    std::uint32_t block;
    std::size_t constants;
  };
  CacheState cache_state() const { return {current_block_, constant_cache_.size()}; }
  void restore(const CacheState& state) {
    current_block_ = state.block;
    constant_cache_.resize(state.constants);
  }
  // Registers made under another stamp may not dominate this place, or hold another state of the table.
  std::uint32_t current_block() const { return current_block_; }
  std::uint32_t table_epoch() const { return table_epoch_; }

  const ir::Function& f_;
  const Host& host_;
  const Role& role_;
  ConstantPool& pool_;
  std::uint32_t parts_;
  lir::Code& code_;

 private:
  // Blocks and edges (lower.cpp).
  void order_blocks();
  void lower_block(ir::Block b);
  void lower(ir::Inst i);
  void connect(ir::Block from, ir::Block to, std::uint32_t lir_from);
  std::uint32_t begin_edge(std::uint32_t from);
  std::uint32_t begin_block();
  std::uint32_t last_block() const { return static_cast<std::uint32_t>(code_.blocks.size() - 1); }
  std::uint32_t branch_on_any(Reg mask);
  void end_edge(std::uint32_t edge, Regs args);
  Regs join_edges(std::uint32_t a, std::uint32_t b);
  void end_block(std::uint32_t b) { code_.blocks[b].end = static_cast<std::uint32_t>(code_.insts.size()); }
  void finish_loops();
  lir::RegClass class_of(Value v) const;

  Reg& slot(Value v, std::uint32_t part) { return regs_[std::size_t{v.id} * parts_ + part]; }
  void define(Value v, std::uint32_t part, Reg r) { slot(v, part) = r; }
  void define_mask(Value v, std::uint32_t part, Mask m);
  void define_from_vector(ir::Inst i, Reg r);  // a uniform i32 computed in a vector

  // Patterns of arithmetic (lower_arithmetic.cpp).
  static constexpr Op kNoOp = static_cast<Op>(kOpCount);
  void binary(ir::Inst i, Op op, bool commutative);
  void unary(ir::Inst i, Op op);
  void round(ir::Inst i, Op op);
  void multiply_parts_toward_zero(ir::Inst i);
  template <class Make>
  void each_part(ir::Inst i, Make make);
  void binary(ir::Inst i, Op op, Value a, Value b, bool commutative);
  bool needs_denormals(ir::Inst i) const;
  bool always_needs_denormals(ir::Inst i) const;
  void integer_extreme(ir::Inst i, Op op, Condition less, bool greater);
  void float_compare(ir::Inst i);
  void integer_compare(ir::Inst i, Condition condition);
  void integer_binary(ir::Inst i, Op vector_op, Op scalar_op, Op scalar_imm_op, bool commutative);
  void integer_shift(ir::Inst i, Shift kind);
  // Masks (lower_mask.cpp).
  void select(ir::Inst i, bool floating);
  void logic(ir::Inst i, MaskOp op);
  Reg any_part(Value v);
  Reg any_both(Value a, Value b, bool negate_b);  // a scalar that is not 0 if so
  bool only_feeds_branch(ir::Inst i) const;

  // Calls out of the code, groups, frames (lower_called.cpp).
  void call(ir::Inst i);
  // The address of lane 0 stands for all, if it is given how they differ.
  void make_call(ir::Inst i, const ir::LaneShape* address = nullptr);
  Reg load_called(ir::Inst i, std::uint32_t k, std::uint32_t p, Op op, lir::RegClass cls);

  // Memory of threads (lower_access.cpp).
  struct Window {  // a MemoryWindow, and the access in it
    ir::MemoryAccess access;
    Reg table;           // address of all windows
    std::int32_t place;  // byte of this one
    std::int32_t limit;  // byte of the limit for the access's extent
    std::int32_t count;  // likewise, of the number of pieces of that size
    bool shifted;        // its address may not be 0
  };
  Window window_of(const ir::MemoryAccess& access);
  Reg load_field(Op op, const Window& window, std::size_t field);
  bool access(ir::Inst i);
  void load_uniform(ir::Inst i, const Window& window);
  void access_own_words(ir::Inst i, const Window& window);
  void access_lanes(ir::Inst i, const Window& window);
  void branch_if_outside(ir::Inst i, const Window& window, Reg offset);
  Regs load_called_parts(ir::Inst i, const ir::LaneShape* address = nullptr);
  Reg own_memory(const Window& window);
  struct Arrangement {
    Reg scattered = lir::kNoReg, unequal = lir::kNoReg;
  };
  Reg scattered_lanes(const Regs& offsets, const Regs& guards);
  Reg unequal_lanes(const Regs& offsets, const Regs& guards);
  Arrangement arrangement_of_base(Value address);
  Reg bytes_of_lanes(std::uint32_t p);

  // Memory of threads whose addresses are known to be arranged simply (lower_places.cpp).
  enum class Arranged : std::uint8_t { no, equal, consecutive };
  using Factors = std::array<ir::LaneShape::Stride, ir::LaneShape::kBits>;
  // Accesses of one space from `first` to `last` in a block, and what bases need of what stands between.
  struct Run {
    ir::Inst first, last;
    SmallVector<ir::Inst, 8> accesses, before;
    SmallVector<Value, 8> guards;  // by access: what narrows it, or none
  };
  // A guard that the lanes have whose number is at least `number` (else: below it), or that plus one.
  struct LaneBound {
    Value number;
    bool at_least, plus_one, is_unsigned;
  };
  std::optional<LaneBound> lane_bound(Value guard) const;
  bool can_narrow(ir::Inst i) const;
  Reg clamped(const LaneBound& bound);
  // Addresses base + factors + [low, high), seen from one base; those of other lanes included.
  struct Span {
    Value base;
    Factors factors;
    bool wrapped;             // modulo 2^16
    std::int64_t low, high;   // from the base on: the least address, the end of the last access
    std::uint32_t alignment;  // of base + factors + low; 1: nothing to look at
    Value guard;              // if valid: only what lanes access that have it must be inside
    Reg start = lir::kNoReg;
  };
  // Of a part: the span it is in, and where from the base on its first lane is.
  struct Placed {
    std::size_t span;
    std::int64_t first;
  };
  Arranged arranged(ir::Inst i) const;
  Run run_from(ir::Inst first);
  void lower_run(const Run& run);
  Placed place(std::vector<Span>& spans, ir::Inst i, std::uint32_t p, Value guard) const;
  void check_span(Span& span, Reg begin, Reg size, lir::Edges& ways_out);
  void check_narrowed(Span& span, Reg size, lir::Edges& ways_out);
  void branch_out(lir::Edges& ways_out);
  void branch_if_unaligned(Reg start, std::uint32_t alignment, lir::Edges& ways_out);
  void branch_if_behind(Reg end, Reg size, lir::Edges& ways_out);
  Factors factors_of(const ir::LaneShape& shape, std::uint32_t p) const;
  std::int64_t constant_distance(const ir::LaneShape& shape, std::uint32_t lane) const;
  Reg sum_of_bases(Value base, const Factors& factors);
  Reg addresses_of(const ir::LaneShape& shape, std::uint32_t p);
  void access_inside(ir::Inst i, const std::vector<Span>& spans, const Placed* placed, Reg bytes);
  void access_anywhere(ir::Inst i, bool narrowed);
  Regs access_guarded(ir::Inst i);
  Regs call_with_addresses(ir::Inst i);

  Reg make_frame_base(Value group);
  lir::Mem frame_slot(ir::Inst i, Reg& base);
  void load_frame(ir::Inst i);
  void store_frame(ir::Inst i, ir::Value value);

  // Rows (lower_memory.cpp).
  void flush_inputs();
  void load_input(ir::Inst i);
  void load_numbered_input(ir::Inst i);  // lower_fetch.cpp
  // Displacement from the KernelArgs of a binding.
  static std::int32_t input_displacement(std::uint64_t index);
  static std::int32_t output_displacement(std::uint64_t index);
  // Where a binding's rows are, one part at a time.
  struct RowPointers {
    std::array<Reg, 4> strides;       // times 1, 2 and 3: bytes from a row to later ones
    Reg next;                         // the pointer made last
    std::array<Reg, 4> every_fourth;  // rows 0, 4, 8, ... of the part
  };
  RowPointers row_pointers(std::int32_t binding);
  void point_at_part(RowPointers& rows, std::uint32_t part);
  void at_row(lir::InstRef inst, const RowPointers& rows, std::uint32_t lane, std::uint32_t k) const;
  std::array<Reg, 4> load_components(const RowPointers& rows);
  Reg load_binding(std::size_t displacement);
  // One row of several that a thread has (lower_rows.cpp).
  Reg clamped_offsets(Value index, std::uint32_t limit, std::uint32_t p);
  void point_at_rows(std::int32_t binding, std::uint64_t row, RowPointers& rows);
  template <class Visit>
  void each_row_address(RowPointers& rows, Reg offsets, std::uint32_t p, Visit visit);
  void store_components(const RowPointers& rows, const std::array<Reg, 4>& components);
  Reg address(Reg base, Reg index, std::uint8_t scale_log2);
  std::vector<TableRow> rows_of_index(ir::Inst first) const;
  void make_row_tables();

#define WARPJIT_IR_OP(name, results, operands, flags) void lower_##name(ir::Inst i);
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP

  struct ArrangedBase {
    Value base;
    std::uint32_t block;
    Arrangement arrangement;
  };
  std::vector<ArrangedBase> arrangements_;     // of addresses, this block's
  std::optional<ir::LaneShapes> shapes_;       // where the host makes use of them
  std::vector<std::uint32_t> defined_in_run_;  // by instruction: the number of the run
  std::uint32_t run_stamp_ = 0;
  std::vector<Reg> products_;             // of multiply_parts_toward_zero
  std::vector<Reg> regs_;                 // by value and part
  std::vector<char> inverted_;            // by value: the registers hold the complement of the mask
  std::vector<std::uint32_t> use_count_;  // of IR values
  std::vector<ir::Block> order_;
  std::vector<std::uint32_t> lir_block_;  // of an IR block
  struct Cached {
    Reg reg = lir::kNoReg;
    std::uint32_t block = ~0u;
  };
  // Other forms of values, this block's: of uniform ones by value, of inverted masks by value and part.
  std::vector<Cached> vector_cache_, scalar_cache_, mask_cache_, upright_cache_;
  std::array<std::uint32_t, 4> phases_{};  // of lir::Code::shared_phase, in 16 bytes: how many accesses
  std::vector<Cached> lane_numbers_;       // by part
  Cached windows_;                         // KernelArgs::windows
  struct LoadedField {
    Op op;
    std::int32_t displacement;
    Cached loaded;
  };
  std::vector<LoadedField> fields_;  // of windows, this block's
  Value group_;                      // of SetGroup, whose frame begins at group_frame_ in all blocks behind
  Reg group_frame_ = lir::kNoReg;
  Value frame_group_;  // whose frame begins at frame_base_, this block's
  Cached frame_base_;
  std::vector<std::pair<std::uint32_t, Cached>> constant_cache_;  // constants in registers, this block's
  std::vector<ir::Inst> pending_inputs_;  // loads of this block that nothing has asked for yet
  std::uint32_t current_block_ = 0;       // number of the IR block being lowered: the caches' stamp
  std::uint32_t table_epoch_ = 0;         // stores to the uniform table so far (in preambles)
  std::uint32_t guest_address_ = ir::kNoAddress;
  std::int32_t slots_ = -1;        // frame area of the IR's local slots
  std::int32_t call_words_ = -1;   // frame area for operands and results of calls
  std::int32_t row_offsets_ = -1;  // frame area for the byte offsets of lanes' rows, a part's worth
};

}  // namespace warpjit::backend
