// Valhall (Mali v9) instructions, decoded and encoded through the one table encoding.inc. An instruction is a
// word of 64 bits. Decoding resolves every field: an operand says what it is, which part of it is taken and
// how that is changed. Nothing is lost: encode(decode(w)) gives w for every word with a defined opcode.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warpjit::valhall {

enum class Opcode : std::uint8_t {
#define VALHALL_OPCODE(opcode, mnemonic) opcode,
#include "frontend/valhall/encoding/encoding.inc"
};
inline constexpr int kOpcodeCount = 0
#define VALHALL_OPCODE(opcode, mnemonic) +1
#include "frontend/valhall/encoding/encoding.inc"
    ;
// "FADD": the mnemonic without its type.
std::string_view name(Opcode opcode);

// What a mnemonic ends with: the elements that an instruction works on, or how much a message moves.
enum class Type : std::uint8_t {
  none,
  i8,
  i16,
  i24,
  i32,
  i48,
  i64,
  i96,
  i128,
  u32,
  s32,
  v2i16,
  v2u16,
  v2s16,
  v2i8,
  v4i8,
  v4u8,
  v4s8,
  u64,
  s64,
  f16,
  f32,
  v2f16,
  u4,  // the low bits of a word, an index
  u6,
};
inline constexpr int kTypeCount = static_cast<int>(Type::u6) + 1;
std::string_view name(Type type);
// The elements that a value of the type has, for a move of memory what it moves as a whole.
struct Elements {
  unsigned bits, count;
  bool is_signed = false;
};
// Interpreters need it for each lane, so it is a table.
inline constexpr auto kElements = [] {
  constexpr auto elements = [](Type type) -> Elements {
    switch (type) {
      case Type::i8:
        return {8, 1};
      case Type::v2i8:
        return {8, 2};
      case Type::v4i8:
      case Type::v4u8:
        return {8, 4};
      case Type::v4s8:
        return {8, 4, true};
      case Type::i16:
        return {16, 1};
      case Type::v2i16:
      case Type::v2u16:
      case Type::v2f16:
      case Type::f16:
        return {16, 2};
      case Type::v2s16:
        return {16, 2, true};
      case Type::s32:
        return {32, 1, true};
      case Type::i64:
      case Type::u64:
        return {64, 1};
      case Type::s64:
        return {64, 1, true};
      default:
        return {32, 1};
    }
  };
  std::array<Elements, kTypeCount> all{};
  for (int n = 0; n < kTypeCount; ++n) all[static_cast<std::size_t>(n)] = elements(static_cast<Type>(n));
  return all;
}();
constexpr const Elements& elements_of(Type type) { return kElements[static_cast<std::size_t>(type)]; }

// The part of a source that is taken: a half h, a byte b or a word w of it; for vectors, the half or byte
// that each element is made of, the lowest element first.
enum class Lanes : std::uint8_t {
  none_,  // all of it
  h0,
  h1,
  b0,
  b1,
  b2,
  b3,
  w0,
  w1,
  both,     // of a branch: neither half is zero
  lowbits,  // of a branch: the lowest bit of each half
  h00,
  h10,
  h01,
  h11,
  b00,  // element 0 is byte (this - b00) % 4, element 1 is byte (this - b00) / 4
  b10,
  b20,
  b30,
  b01,
  b11,
  b21,
  b31,
  b02,
  b12,
  b22,
  b32,
  b03,
  b13,
  b23,
  b33,
  b0123,
  b3210,
  b0101,
  b2323,
  b0000,
  b1111,
  b2222,
  b3333,
  b2301,
  b1032,
  b0011,
  b2233,
  reserved,
};
std::string_view name(Lanes lanes);

// What happens after an instruction. A machine whose messages complete at once need not wait.
enum class Flow : std::uint8_t {
  none,
  wait0126 = 8,
  wait = 9,  // also where a barrier's threads meet
  reconverge = 10,
  discard = 13,  // threads without a pixel end
  end = 15,
};
enum class Condition : std::uint8_t { eq, gt, ge, ne, lt, le, gtlt, total };
enum class ResultType : std::uint8_t { i1, f1, m1, u1 };
enum class Clamp : std::uint8_t { none, zero_to_infinity, minus_one_to_one, zero_to_one };
enum class Round : std::uint8_t { nearest_even, up, down, to_zero };
enum class Mux : std::uint8_t { negative, int_zero, fp_zero, bit };
enum class Subgroup : std::uint8_t { two, four, eight, sixteen };
enum class LaneOperation : std::uint8_t { none, exclusive_or, accumulate, shift, rotate };
// Where a load puts less than a register.
enum class LoadLane : std::uint8_t { b0, b1, b2, b3, h0, h1, w0, d0, whole };
enum class Atomic : std::uint8_t {
  saturating_uadd,
  saturating_sadd,
  add,
  smin = 8,
  smax,
  umin,
  umax,
  and_,
  or_,
  xor_,
  exchange,
  increment,  // from here on without a value
  decrement,
  umax_one,
  smax_one,
  or_one,
};
enum class RegisterFormat : std::uint8_t { automatic, f32 = 2, f16, s32, s16, u32, u16 };

// Uniforms and special values come in pages of 64 words.
inline constexpr unsigned kUniformPage = 64;

struct Source {
  enum class Kind : std::uint8_t { none, gpr, uniform, constant, special };
  Kind kind = Kind::none;
  // Number of the register or of the 32-bit uniform; index in kConstants; of a special value: 32 for each
  // page, 2 for each entry and 1 for its high word.
  std::uint8_t value = 0;
  bool last_use = false;  // the register is not read again; a hint
  bool wide = false;      // 64 bits: a pair whose even word is named, a constant with a high word of 0
  bool negate = false, absolute = false;  // of floats; the absolute value is negated
  bool invert = false;
  Lanes lanes = Lanes::none_;
  bool operator==(const Source&) const = default;

  // True if it comes from uniforms, constants or special values.
  bool from_table() const { return kind != Kind::none && kind != Kind::gpr; }
};

// Registers that a message reads or writes, `count` from the first one on.
struct Staging {
  std::uint8_t first = 0, count = 0;
  bool operator==(const Staging&) const = default;
};

// For stores: lanes without a pixel that lives change their own memory, too.
inline constexpr std::uint8_t kForcedAccess = 3;

struct Instruction {
  std::uint64_t raw = 0;     // the word
  std::uint64_t unused = 0;  // bits in which it differs from what encode() would give
  Opcode opcode = Opcode::nop;
  Type type = Type::none;
  Flow flow = Flow::none;

  std::uint8_t destination = 0;  // a register
  std::uint8_t write_mask = 0;   // bit n: half n is written; 0: see the instruction
  std::array<Source, 4> source{};
  Staging write, read;
  std::int32_t offset = 0;     // bytes; of branches, words from the next instruction
  std::uint32_t constant = 0;  // of *_IMM
  std::uint8_t table = 0, index = 0, shift = 0, target = 0;

  // ---- Arithmetic
  Condition condition = Condition::eq;
  ResultType result_type = ResultType::i1;
  Clamp clamp = Clamp::none;
  Round round = Round::nearest_even;
  Mux mux = Mux::negative;
  bool saturate = false, not_result = false;
  bool arithmetic = false;                       // of shifts to the right
  bool propagate_nan = false;                    // of FMIN and FMAX
  bool mask_zero = false;                        // of CLZ
  bool negate_result = false;                    // of FREXPE
  bool round_up = false;                         // of HADD
  bool sqrt = false, log = false;                // which range FREXPM and FREXPE reduce to
  bool second = false;                           // of FATAN_ASSIST
  bool subtract = false, preserve_null = false;  // of SEG_ADD

  // ---- Control and other threads
  bool conservative = false, if_zero = false, absolute_target = false;
  Subgroup subgroup = Subgroup::two;
  LaneOperation lane_operation = LaneOperation::none;
  std::uint8_t inactive = 0;  // what a thread that is not active gives

  // ---- Messages
  std::uint8_t slot = 0;         // of the dependency
  std::uint8_t vector_size = 0;  // components less one
  RegisterFormat register_format = RegisterFormat::automatic;
  std::uint8_t source_format = 0;  // of varyings in memory
  std::uint8_t sample = 0, update = 0, sample_and_update = 0;
  std::uint8_t access = 0;  // a hint, but kForcedAccess
  LoadLane lane = LoadLane::b0;
  bool zero_extend = false;
  Atomic atomic{};
  bool compare = false;
  bool depth = false, stencil = false;

  // ---- Textures
  std::uint8_t register_type = 0, register_width = 0, second_width = 0;
  std::uint8_t channels = 0;  // bit n: channel n is written
  std::uint8_t dimension = 0, lod_mode = 0, component = 0;
  bool skip = false, wide_indices = false, array = false, texel_offset = false, shadow = false;
  bool integer_coordinates = false, lod_mode_0 = false, lod_mode_1 = false;
  // TEX_GRADIENT: it is given the gradients, not coordinates; what the level of detail is without.
  bool derivatives = false, forces_delta = false, without_bias = false, without_limits = false;

  bool operator==(const Instruction&) const = default;
};

// The 32 constants that a source can name.
extern const std::array<std::uint32_t, 32> kConstants;

// "lane_id" for an entry (0 to 15) of a page; empty: reserved.
std::string_view special_name(unsigned page, unsigned entry);
inline constexpr unsigned special_page(std::uint8_t value) { return value / 32U; }
inline constexpr unsigned special_entry(std::uint8_t value) { return value / 2U % 16; }

// Errors say which bits mean nothing and have no `where`: bad_input, or unsupported for an opcode that is
// known by name alone.
Result<Instruction> decode(std::uint64_t word);
// The instruction at a byte address of a program. Errors name file, address and word.
Result<Instruction> decode(std::span<const std::uint64_t> code, std::uint64_t address,
                           const std::string& file = {});

// The word of an instruction, `raw` and `unused` aside. Errors name the field whose value does not fit.
Result<std::uint64_t> encode(const Instruction& instruction);

// "FADD.f32".
std::string mnemonic(Opcode opcode, Type type);
inline std::string mnemonic(const Instruction& instruction) {
  return mnemonic(instruction.opcode, instruction.type);
}

// True if it is a message to another unit, with staging registers and a slot.
bool is_message(const Instruction& instruction);
// That pairs and groups of registers begin with an even one and end with the last. Errors name the rule.
Status check_registers(const Instruction& instruction);
// What the hardware requires and no field says: that, and how many values of tables one instruction may read.
Status check_operands(const Instruction& instruction);

// "file, byte 0x18 (0x00c0000000000000)".
std::string where_byte(const std::string& file, std::uint64_t address, std::uint64_t word);

}  // namespace warpjit::valhall
