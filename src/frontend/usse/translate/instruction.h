// USSE instructions as IR, one thread's worth; a file for each family (docs/guests/usse.md 5).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/bits.h"
#include "frontend/usse/facts/texels.h"
#include "frontend/usse/flow/control_flow.h"
#include "frontend/usse/translate/translate.h"
#include "ir/builder.h"
#include "ir/pass/ssa.h"

namespace warpjit::usse {

// SSA variables: i0 to i3, idx1 and idx2, a replaced depth, the addresses to return to, the last one first,
// and the one that a lane returns to; what it has set as increments and as offsets of repeats; then flags;
// then the words of the other banks.
inline constexpr std::uint32_t kVarInternal = 0, kVarIndex = 16, kVarDepth = 18, kVarReturn = 19,
                               kVarReturnTo = kVarReturn + kMostCalls, kVarIncrements = kVarReturnTo + 1,
                               kVarOffsets = kVarIncrements + 1, kVarPredicate = kVarOffsets + 1,
                               kVarLive = kVarPredicate + 4, kVarDepthSet = kVarLive + 1,
                               kVarBanks = kVarDepthSet + 1;

// Where the words of the banks are among the variables.
struct RegisterFile32 {
  std::uint32_t r = 0, pa = 0, o = 0, sa = 0;  // how many there are
  std::uint32_t first_pa() const { return kVarBanks + r; }
  std::uint32_t first_o() const { return first_pa() + pa; }
  std::uint32_t first_sa() const { return first_o() + o; }
  std::uint32_t end() const { return first_sa() + sa; }
};

RegisterFile32 register_file(const Program& program);

class InstructionTranslator {
 protected:
  using F32 = ir::F32;
  using I1 = ir::I1;
  using I32 = ir::I32;

  InstructionTranslator(const Program& program, const RegisterFile32& file, const UniformTable& table);
  virtual ~InstructionTranslator() = default;

  // Whose registers an operand is of: those of the lane itself, which are the others' if all lanes are
  // here; those that each lane had last, wherever it is; those of lanes that have not begun, as the
  // secondary program sees them: `i` and `idx` are 0, but `sa`, which all lanes share, is read as that
  // program has it by now.
  enum class View : std::uint8_t { own, last, unbegun };

  // One instruction with its repeats that transfers no control. `increments`: what lanes may have set, one
  // if tells_increments_ is not set. Errors: unsupported; resource_limit for too much code.
  Status instruction(const Instruction& i, std::span<const Increments> increments, std::uint32_t address);
  // The lanes in which a predicate holds; none: in all.
  I1 predicate(Predicate predicate);
  // Memory may be changed only where this holds, too.
  virtual I1 changing_memory() { return I1(); }
  virtual Status sample(const Instruction& i) { return unsupported(i, "no textures here"); }
  // 1 in fragments whose primitive is anticlockwise, else 0.
  virtual I32 anticlockwise() { return word(0); }
  // SMLSI or SMBO: lanes have set these increments.
  void set_increments(const Instruction& i, const Increments& increments);
  // Lanes that are at one address may have set different increments: they keep which.
  bool tells_increments_ = false;
  // How the registers of the other lanes are read at this instruction.
  virtual View view_of_others() { return View::own; }

  Error unsupported(const Instruction& i, const std::string& why) const;

  I32 word(std::uint32_t value) { return b_.constant(value); }
  I1 truth(bool value) { return b_.constant(value); }
  F32 real(float value) { return b_.constant(value); }
  I32 read(std::uint32_t variable);
  I1 flag(std::uint32_t variable) { return ssa_.read<I1>(b_.block(), variable); }
  void write(std::uint32_t variable, ir::Value value);
  // Evaluates with operands of that view.
  template <class Function>
  auto seen(View view, const Function& function) {
    view_ = view;
    const auto result = function();
    view_ = View::own;
    return result;
  }

  const Program& program_;
  const RegisterFile32 file_;
  const UniformTable table_;
  ir::Function function_;
  ir::Builder b_;
  ir::SsaBuilder ssa_;

  // The secondary program runs: r, pa, o and sa all mean sa.
  bool secondary_ = false;
  View view_ = View::own;
  // By variable: the slot that keeps each lane's last value for the others of its quad.
  std::vector<std::uint32_t> kept_;
  static constexpr std::uint32_t kNotKept = ~0U;
  void keep(std::uint32_t variable);
  static bool same_in_all_lanes(const Register& reg);
  // What an operand of quad operations may read.
  void keep_operand(const Register& reg, bool repeated);
  // Words of sa that the secondary program may write; the others are those of the table.
  std::vector<bool> written_sa_;

  // ---- Operands (operand.cpp)

  // A word of a register, `word` words after the first; of i its component. What does not exist is 0.
  I32 read_word(const Register& reg, std::uint32_t offset);
  I32 read_bank(Bank bank, std::uint32_t number);
  // Writes wait for commit(), as all sources are read before.
  void write_word(const Register& reg, std::uint32_t offset, I32 value, std::uint32_t mask = ~0U,
                  bool keeps_index = false);
  void write_predicate(std::uint32_t number, I1 value);
  void commit(I1 where);

  // Bits of a word, extended.
  I32 bits_of(I32 value, unsigned low, unsigned count, bool is_signed);
  // Component k of registers as a number; of a source after swizzle and modifiers.
  F32 raw_component(const Register& reg, Type type, unsigned k);
  F32 selected(const Register& reg, Type type, Select select);
  F32 component(const Source& source, Type type, unsigned k);
  F32 changed(const Source& source, F32 value);
  // What a component becomes as bits of a word of its register.
  struct Part {
    std::uint32_t offset = 0, mask = ~0U;
    I32 value;
  };
  Part part_of(const Register& reg, Type type, unsigned k, F32 value);
  void write_part(const Register& reg, const Part& part) {
    write_word(reg, part.offset, part.value, part.mask);
  }
  void write_component(const Register& reg, Type type, unsigned k, F32 value) {
    write_part(reg, part_of(reg, type, k, value));
  }
  void write_masked(const Destination& d, Type type, unsigned mask, const std::array<F32, 4>& values);
  // Component k of `to` becomes component `select` of `from`; bits are kept where both have one layout.
  Part copied(const Register& to, Type to_type, unsigned k, const Register& from, Type from_type,
              Select select);
  // Element k, of `bits` bits, extended; of an immediate the number.
  I32 element(const Register& reg, unsigned bits, unsigned k, bool is_signed);
  // The same of a word; of an immediate its bits.
  I32 field(const Register& reg, unsigned bits, unsigned k, bool is_signed) {
    return bits_of(read_word(reg, 0), k * bits, bits, is_signed);
  }
  void write_element(const Register& reg, unsigned bits, unsigned k, I32 value);

  // ---- Numbers (number.cpp)
  F32 as_float(I32 bits) { return b_.BitcastI32ToF32(bits); }
  I32 as_bits(F32 x) { return b_.BitcastF32ToI32(b_.CanonicalizeNaN32(x)); }
  F32 half_value(I32 half) { return b_.HalfToF32(half); }
  I32 to_half(F32 x) { return b_.F32ToHalf(x); }
  F32 c10_value(I32 bits);
  I32 to_c10(F32 x);
  F32 reciprocal(F32 x) { return b_.FDiv32(real(1.0F), x); }
  F32 reciprocal_root(F32 x) { return b_.FDiv32(real(1.0F), b_.FSqrt32(x)); }
  F32 logarithm(F32 x) { return b_.Log2F32(x); }
  F32 power_of_two(F32 x) { return b_.select(b_.FUnordered32(x, x), real(1.0F), b_.Exp2F32(x)); }
  F32 floor_difference(F32 a, F32 b) { return b_.FSub32(a, b_.FFloor32(b)); }
  F32 product_sum(F32 a, F32 b, F32 c) { return b_.FAdd32(b_.FMul32(a, b), c); }
  F32 dot(const std::array<F32, 4>& a, const std::array<F32, 4>& b, unsigned count);
  // Component j of the first source of lane 1 or 2 less component k of the second source of lane 0.
  F32 quad_difference(const Instruction& i, unsigned j, unsigned k, bool rows);
  // An integer of VPCK's types as a number, scaled or not, and back.
  F32 number_of(Type type, I32 field, bool scale);
  I32 field_of(Type type, F32 value, bool scale);
  // v limited to [least, most], as signed words.
  I32 limited(I32 v, std::int32_t least, std::int32_t most) {
    return b_.IMinS32(b_.IMaxS32(v, b_.constant(least)), b_.constant(most));
  }
  I32 byte_product(I32 a, I32 b);  // (a b + 127) / 255, of bytes

  // ---- Repeats (program.cpp)
  // What SMLSI and what SMBO have set, by numbers that lanes keep.
  struct Numbers {
    std::map<std::array<std::int32_t, 8>, std::uint32_t> increments;
    std::map<std::array<std::int32_t, 4>, std::uint32_t> offsets;
  } numbers_;
  std::uint32_t number_of_increments(const Increments& increments);
  std::uint32_t number_of_offsets(const Increments& increments);
  // Increments with which an instruction does the same, and the lanes that have such; none: all.
  struct Variant {
    Increments increments;
    I1 where;
  };
  std::vector<Variant> variants(const Instruction& i, std::span<const Increments> increments, I1 where);
  bool is_too_long() const { return function_.inst_count() > std::size_t{1} << 20; }
  Error too_long() const {
    return {ErrorCode::resource_limit, "the program becomes too long", program_.source_name};
  }

  // ---- Families
  Status turn(const Instruction& i, unsigned turn, I1 where);
  Status vector(const Instruction& i, unsigned turn);  // vector.cpp
  void dual(const Instruction& i);
  std::array<F32, 4> operation(const Instruction& i, bool second);
  void move(const Instruction& i);  // move.cpp
  I1 move_condition(const Instruction& i, unsigned k);
  void pack(const Instruction& i);
  Status test(const Instruction& i);  // test.cpp
  struct Tested {
    I1 negative, zero;
    I32 value;  // for write-back
    F32 number;
    bool is_float = false;
  };
  Tested tested(const Instruction& i, unsigned k);
  F32 tested_float(const Instruction& i, unsigned k);
  I1 test_result(const Instruction& i, const Tested& tested);
  void bitwise(const Instruction& i);  // integer.cpp
  void mad16(const Instruction& i);
  void mad32(const Instruction& i);
  void mad32_step(const Instruction& i);
  void write_bytes(const Register& reg, unsigned mask, const std::array<I32, 4>& bytes);
  void sum_of_products(const Instruction& i);  // bytes.cpp
  void mad8(const Instruction& i);
  I32 first_address(const Instruction& i, const Source* more);  // memory.cpp
  Status load(const Instruction& i, I1 where);
  Status store(const Instruction& i, I1 where);

  std::uint32_t address_ = 0;  // of the instruction that is translated

 private:
  struct Write {
    std::uint32_t variable = 0;
    std::uint32_t mask = ~0U;
    I32 value{};
    I1 flag{};        // of a predicate
    I1 only_where{};  // of registers by index
  };
  std::optional<std::uint32_t> variable_of(Bank bank, std::uint32_t number) const;
  std::uint32_t bank_size(Bank bank) const;
  I32 position(const Register& reg, std::uint32_t offset);
  std::vector<Write> writes_;
};

// Which components an instruction writes that writes pairs of words.
unsigned pair_mask(const Destination& d, Type type);

}  // namespace warpjit::usse
