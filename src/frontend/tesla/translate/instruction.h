// Tesla instructions as IR, one thread's worth; a file for each family.
// Control transfers are in translate.cpp.
#pragma once

#include "frontend/tesla/facts/reach.h"
#include "frontend/tesla/translate/texture.h"
#include "frontend/tesla/translate/translate.h"
#include "ir/barrier.h"
#include "ir/builder.h"
#include "ir/callout.h"
#include "ir/memory.h"
#include "ir/pass/samples/filter.h"
#include "ir/pass/ssa.h"

namespace warpjit::tesla {

// Guest registers as SSA variables: $r and $a are words, each of the four flags of a $c is a truth value.
// After them the state of a warp whose stack is kept (translate/stack.cpp): lane masks, then words.
inline constexpr std::uint32_t kVarR = 0, kVarA = 128, kVarC = 136, kVarMasks = kVarC + 16,
                               kVarWords = kVarMasks + 4, kVariables = kVarWords + 6;
// Variables of graphics programs, after these: the lane's results count; vertices that it emitted, and strips
// that it ended; how much of l[] is clear; the words of o[].
inline constexpr std::uint32_t kVarLive = kVariables, kVarEmitted = kVarLive + 1, kVarStrip = kVarEmitted + 1,
                               kVarCleared = kVarStrip + 1, kVarOutput = kVarCleared + 1, kOutputWords = 128,
                               kGraphicsVariables = kVarOutput + kOutputWords;

inline bool is_static(const Operand& operand) { return operand.address == 0 && !operand.post_increment; }

// The mode that rounds -x as `rounding` rounds x; without `mirror` the same mode.
constexpr Rounding mirrored(Rounding rounding, bool mirror) {
  if (!mirror) return rounding;
  return rounding == Rounding::down ? Rounding::up : rounding == Rounding::up ? Rounding::down : rounding;
}

// A count is of threads, as in the interpreter; a warp counts for 32.
ir::BarrierForm barrier_form(const Instruction& i);

class InstructionTranslator {
 protected:
  using F32 = ir::F32;
  using I1 = ir::I1;
  using I32 = ir::I32;

  InstructionTranslator(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
                        const SampledTextures& textures);
  virtual ~InstructionTranslator() = default;

  // What graphics programs do otherwise, or alone (translate/graphics.cpp).
  virtual I32 load(const Operand& operand, unsigned word = 0);
  virtual I32 attribute(const Operand&) { return word(0); }
  virtual void interp(const Instruction&) {}
  // What a vote gives its lanes, and $physid.
  virtual I1 voted(VoteOperation operation, I1 condition);
  virtual I32 physical_id();
  virtual void emit(I1 /*where*/) {}
  virtual void restart(I1 /*where*/) {}
  // True if it stored the word, which then is not stored to memory.
  virtual bool stored_local(const Operand&, unsigned /*word*/, I32 /*value*/) { return false; }
  virtual void discard(I1 /*where*/) {}
  // The lanes, of those that execute a store or an atomic, for which it does something.
  virtual I1 changing_memory(I1 where) { return where; }
  // What a sample gives its lanes.
  std::array<I32, 4> sampled(const ir::samples::Operands& from, const ir::SampleUse& use);
  virtual void register_written(std::uint32_t /*index*/, I1 /*guard*/, I32 /*value*/) {}
  // A word of each lane, as lanes of its quad see it.
  virtual I32 neighbours_register(std::uint32_t index) { return gpr(index); }

  // One instruction that transfers no control.
  void instruction(const Instruction& i);
  // What a `bar` does for the warp.
  void barrier(const Instruction& i);
  // The word of c[] that a `bra c[]` reads; all ones if it is outside.
  ir::I32 branch_target(const Instruction& i);
  // Whether the flags meet the instruction's condition (tesla.md 2.4).
  ir::I1 condition(const Instruction& i);
  // The thread's number in its block.
  ir::I32 thread_index();
  // $r0 at the start (tesla.md 10.1).
  void begin_thread(ir::I32 thread);

  template <class T>
  T read(std::uint32_t variable) {
    return T{ssa_.read(b_.block(), variable)};
  }
  void write(std::uint32_t variable, ir::Value v) { ssa_.write(b_.block(), variable, v); }
  I32 word(std::uint32_t value) { return b_.constant(value); }
  I1 no() { return b_.constant(false); }
  I1 is_zero(I32 x) { return b_.IEq32(x, word(0)); }
  I32 gpr(std::uint32_t index);
  I32 read_output(std::uint32_t index) { return read<I32>(kVarOutput + index); }
  F32 float_source(const Instruction& i, unsigned n);  // with abs and neg
  void set_destination(const Instruction& i, I32 value);
  void set_float(const Instruction& i, F32 value);
  I32 as_bits(F32 x) { return b_.BitcastF32ToI32(b_.CanonicalizeNaNOnes32(x)); }
  F32 flushed(F32 x) { return b_.FFlush32(x); }
  F32 saturated(F32 x);
  I32 address(const Operand& operand);
  static ir::MemoryAccess access(const Operand& operand, unsigned word = 0);
  I32 address_register(std::uint32_t index);
  F32 multiply(F32 a, F32 b, bool toward_zero);
  void set_gpr(std::uint32_t index, I32 value);  // where the guard holds; so do all that follow

  const Program& program_;
  const ComputeFacts& facts_;
  const SampledTextures& textures_;
  ir::Function function_;
  ir::Builder b_;
  ir::SsaBuilder ssa_;
  I1 guard_;  // lanes where the instruction acts
  I1 lanes_;  // lanes that run, where instructions must know them; true in thread form

 private:
  friend class StackControl;
  struct Flags {
    I1 zero, sign, carry, overflow;
  };
  struct Pair {  // 64 bits
    I32 low, high;
  };

  // Operands (translate/operand.cpp).
  I1 is_negative(I32 x) { return b_.ILtS32(x, word(0)); }
  I1 has_bit(I32 x, unsigned bit);
  I32 truth(I1 condition, std::uint32_t value) { return b_.select(condition, word(value), word(0)); }
  void set_address_register(std::uint32_t index, I32 value);
  Flags flags(std::uint32_t index);
  void set_flags(const Instruction& i, const Flags& flags);
  I32 source(const Operand& operand);
  I32 source(const Instruction& i, unsigned n) { return source(i.src[n]); }
  void set_output(std::uint32_t index, Type type, I32 bit, I1 where, I32 value);
  void store_output(const Operand& dst, I32 value);
  Pair pair(const Operand& operand);
  void set_pair(const Instruction& i, Pair value);
  // Where the instruction is executed: its condition, and its lanes of each quad.
  I1 lanes_of(const Instruction& i);

  // Memory (translate/memory.cpp).
  // The header and the parameters of a launch, which stand in s[] (tesla.md 10.1): what is at an address of
  // such a program as stores nothing there. They follow the words of samples in the uniform table, except
  // for what is known.
  I32 launched(ir::Element element, std::uint32_t address);
  void memory(const Instruction& i);
  void load_registers(const Instruction& i);
  void store_registers(const Instruction& i);
  void store_shared(const Instruction& i);
  void load_locked(const Instruction& i);
  void atomic(const Instruction& i);
  void post_increment(const Instruction& i);

  // Moves (translate/move.cpp).
  void move(const Instruction& i);
  I32 special_register(std::uint32_t index);
  void vote(const Instruction& i);
  void quadop(const Instruction& i);
  F32 quad_operation(QuadOperation operation, F32 x, F32 y);

  // Textures (translate/texture.cpp).
  void sample(const Instruction& i);
  std::array<I32, 4> cube_place(const std::array<I32, 4>& from);

  // Integers (translate/integer.cpp).
  void integer(const Instruction& i);
  I32 extended(Type type, I32 x);
  Flags sign_flags(I32 value, bool is_16);
  void set_with_sign_flags(const Instruction& i, I32 value);
  void add(const Instruction& i, AddOperation operation, bool is_16, I32 x, I32 y);
  I32 product(const Instruction& i, Type second);
  I32 absolute_difference(Type type, I32 x, I32 y);
  I1 relation(const Instruction& i);
  void shift(const Instruction& i);
  I32 logic(const Instruction& i);

  // Floats (translate/float.cpp).
  void floating(const Instruction& i);
  F32 as_float(I32 bits) { return b_.BitcastI32ToF32(bits); }
  F32 modified(F32 x, bool absolute, bool negate);
  Flags float_flags(F32 x);
  I1 zero_wins(F32 a, F32 b);
  F32 multiply_add(F32 a, F32 b, F32 c);
  I1 compare(unsigned wanted, F32 a, F32 b);
  void select_by_sign(const Instruction& i);
  F32 special_function(const Instruction& i);

  // Conversions (translate/conversion.cpp).
  void convert(const Instruction& i);
  void convert_integers(const Instruction& i);
  void convert_from_integer(const Instruction& i);
  void convert_to_integer(const Instruction& i);
  void convert_floats(const Instruction& i);
  struct Magnitude {
    I32 value;
    bool is_signed;  // else nonnegative
    bool negated;    // the number is -value
  };
  Magnitude integer_source(const Instruction& i);
  F32 prepared(const Instruction& i);
  F32 rounded(F32 x, Rounding rounding);
  I32 clamped(Type type, Magnitude m);
  void set_half(const Instruction& i, I32 half);
  Flags half_flags(I32 half);

  // Doubles (translate/double.cpp).
  void double_arithmetic(const Instruction& i);
  void double_compare(const Instruction& i);
  void convert_wide(const Instruction& i);
  void convert_wide_from_integer(const Instruction& i);
  void convert_wide_to_integer(const Instruction& i);
  void convert_wide_floats(const Instruction& i);
  Pair f64(ir::TeslaF64Function function, Pair a, Pair b, Pair c, Rounding rounding = Rounding::nearest);
  Pair f64(ir::TeslaF64Function function, Pair a, Rounding rounding = Rounding::nearest);
  I1 is_nan(Pair x);
  Pair modified(Pair x, bool absolute, bool negate);
  Pair quieted(Pair x);
  Pair negated_integer(Pair x);
  Pair constant_pair(std::uint64_t value);
  I32 compared(Pair a, Pair b);
  I1 out_of_range(const Instruction& i, Pair source);
  Flags double_flags(Pair x);

  const bool stores_shared_;
};

}  // namespace warpjit::tesla
