// USSE (PowerVR SGX543MP4+) instructions, decoded and encoded through the one table encoding.inc. An
// instruction is a word of 64 bits. Decoding resolves every field: banks, doubled numbers and internal
// registers, swizzles, modifiers. Nothing is lost: encode(decode(w)) gives w but for bits that no field has,
// which `unused` keeps.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warpjit::usse {

enum class Opcode : std::uint8_t {
#define USSE_OPCODE(opcode, mnemonic) opcode,
#include "frontend/usse/encoding/encoding.inc"
};
inline constexpr int kOpcodeCount = 0
#define USSE_OPCODE(opcode, mnemonic) +1
#include "frontend/usse/encoding/encoding.inc"
    ;
// "vmad2".
std::string_view name(Opcode opcode);

// Instructions of one kind: what they have in common is how they compute.
enum class Group : std::uint8_t {
  vmad2,
  nmad,
  mad,
  dp,
  dual,
  comp,
  mov,
  pck,
  tst,
  bits,
  sop,
  i8mad,
  i16mad,
  i32mad,
  i32mad2,
  smp,
  memory,
  flow,
  moe,
  limm,
  depthf,
};

enum class Predicate : std::uint8_t { always, p0, p1, p2, p3, not_p0, not_p1, not_p2, pn };
// The first eight are codes of VPCK.
enum class Type : std::uint8_t { u8, s8, o8, u16, s16, f16, f32, c10, i8, i16, i32, native };
// Operations of dual instructions: V* are of vectors, F* of their x.
enum class Operation : std::uint8_t {
  vmad,
  vdp,
  vssq,
  vmul,
  vadd,
  vmov,
  frsq,
  frcp,
  fmad,
  fadd,
  fmul,
  fsubflr,
  fexp,
  flog,
};
enum class Condition : std::uint8_t { zero, not_zero, negative, not_positive };
// ALU operations of tests: 16 times the unit, and the code.
enum class Alu : std::uint8_t {
  add = 2,
  frc,
  rcp,
  rsq,
  log,
  exp,
  dp,
  min,
  max,
  dsx,
  dsy,
  mul,
  sub,
  iadd16 = 22,
  isub16,
  imul16,
  iaddu16,
  isubu16,
  imulu16,
  iadd32,
  iaddu32,
  isub32,
  isubu32,
  iadd8 = 32,
  isub8,
  iaddu8,
  isubu8,
  imul8,
  fpmul8,
  imulu8,
  fpadd8,
  fpsub8,
  and_ = 48,
  or_,
  xor_,
  shl,
  shr,
  rol,
  asr = 55,
};
enum class SignTest : std::uint8_t { none, negative, positive, reserved };
enum class ZeroTest : std::uint8_t { none, zero, not_zero, reserved };
enum class MaskType : std::uint8_t { bytes, halves, numbers };
enum class SumOperation : std::uint8_t { add, sub, min, max };
enum class Factor : std::uint8_t { zero, saturate, s0, s0a, s1, s1a, s2, s2a, special, code7 };
enum class RepeatMode : std::uint8_t { external, internal, both, moe };

// SMP: how many coordinates there are, less one; where the level of detail comes from; what is given instead
// of a filtered texel.
enum class SampleDimension : std::uint8_t { d1, d2, cube };
enum class LodMode : std::uint8_t { quad, bias, replace, gradients };
enum class Gather : std::uint8_t { none, texels, info, texels_and_weights };

enum class Bank : std::uint8_t {
  r,          // temporaries
  pa,         // primary attributes
  sa,         // secondary attributes
  o,          // outputs
  i,          // internal registers, four words each
  c,          // special constants
  g,          // global values
  immediate,  // the number itself
  idx,        // idx1 and idx2, as destinations
};
std::string_view name(Bank bank);
// The only global value whose meaning is known: bit 0 says which way round a fragment's primitive is.
inline constexpr std::uint16_t kFaceRegister = 16;

// A register, or the first of several.
struct Register {
  Bank bank = Bank::r;
  // 1, 2: the number is an offset from idx1 or idx2, which count units of `index_words` words.
  std::uint8_t index = 0, index_words = 1;
  std::uint16_t number = 0;  // of the word in r, pa, sa and o
  bool operator==(const Register&) const = default;
};

// Which component of a source, or which constant (0, 1, 2, 1/2), a component is.
enum class Select : std::uint8_t { x, y, z, w, zero, one, two, half };
using Swizzle = std::array<Select, 4>;
inline constexpr Swizzle kIdentity{Select::x, Select::y, Select::z, Select::w};

struct Source : Register {
  Swizzle swizzle = kIdentity;
  bool negate = false, absolute = false;  // the absolute value is negated
  bool operator==(const Source&) const = default;
};
struct Destination : Register {
  std::uint8_t mask = 0;  // bit n: component n
  bool operator==(const Destination&) const = default;
};

enum class Immediate : std::uint8_t {
  offset,  // of branches, words
  value,   // of LIMM
  rot,     // of the second source, to the left
  d,       // of SMLSI and SMBO: for the destination
  s0,      // ... and each source
  s1,
  s2,
  temp,  // limits of SMLSI
  pa,
  sa,
  mode,  // of PHAS
  rate,
  wait,
  temps,
  address,
  feedback,  // of DEPTHF
};
inline constexpr std::size_t kImmediates = static_cast<std::size_t>(Immediate::feedback) + 1;

// In the place of a source that an instruction does not have.
inline constexpr Source kNoSource{{.bank = Bank::immediate}};

struct Instruction {
  std::uint64_t raw = 0;     // the word
  std::uint64_t unused = 0;  // bits in which it differs from what encode() would give
  Opcode opcode = Opcode::nop;
  Group group = Group::flow;
  Predicate predicate = Predicate::always;
  Type type = Type::u8;         // of the result, where there are several of all
  Type source_type = Type::u8;  // of sources, where it differs
  std::uint8_t repeat = 0;      // how often it is done again; of memory, words less one
  RepeatMode repeat_mode = RepeatMode::external;
  bool skip_invalid = false, no_schedule = false, sync_start = false, sync_end = false;
  bool end = false;  // the last instruction of its phase

  std::array<Destination, 2> d{};
  std::array<Source, 4> s{kNoSource, kNoSource, kNoSource, kNoSource};
  std::array<std::int32_t, kImmediates> immediates{};
  std::int32_t value(Immediate immediate) const { return immediates[static_cast<std::size_t>(immediate)]; }

  // ---- Vectors
  bool clip = false;
  std::uint8_t plane = 0;
  Operation operation1{}, operation2{};  // of dual instructions
  std::uint8_t config = 0;               // which sources they have
  bool primary_unified = false;          // operation1 writes d[0], and operation2 d[1]
  Condition condition{};
  bool test_swizzled = false;
  bool scale = false;  // of VPCK: normalized integers

  // ---- Tests
  Alu alu{};
  SignTest sign_test{};
  ZeroTest zero_test{};
  bool test_both = false;
  std::uint8_t channel = 0, predicate_written = 0;
  MaskType mask_type{};
  bool once = false, scalar2 = false, write_back = false;

  // ---- Integers
  bool half = false, invert = false, repeat_select = false, high = false;
  SumOperation rgb_op{}, alpha_op{};
  Factor rgb_factor1{}, rgb_factor2{}, alpha_factor1{}, alpha_factor2{};
  bool rgb_complement1 = false, rgb_complement2 = false, alpha_complement1 = false, alpha_complement2 = false;
  bool source_complement1 = false, alpha_source_mod = false, destination_mod = false;
  std::uint8_t rgb_add = 0, alpha_add = 0;
  bool splat1 = false, splat2 = false, rgb_mod0 = false, alpha_mod0 = false;
  bool saturate = false, is_signed = false, absolute = false;
  std::uint8_t mode16 = 0, format1 = 0, format2 = 0, or_shift = 0, width2 = 0, step = 0;
  bool high0 = false, high1 = false, high2 = false;

  // ---- Textures and memory
  bool min_pack = false;
  SampleDimension dimension{};
  LodMode lod_mode{};
  Gather gather{};
  std::uint8_t sample_count = 0, fence = 0;
  std::uint8_t cache = 0, address_mode = 0, increment_mode = 0, size = 0;
  bool moe = false, range = false, decrement = false;

  // ---- Control
  bool link = false, any = false, all = false;
  bool exception = false, predicate_wait = false, sync_external = false, monitor = false;
  bool immediate_phase = false, sprvv = false;
  bool swizzled_d = false, swizzled_0 = false, swizzled_1 = false, swizzled_2 = false;
  bool two_sided = false;

  bool operator==(const Instruction&) const = default;
};

// Errors say what the word lacks and have no `where`: bad_input, or unsupported for what is
// known by name alone.
Result<Instruction> decode(std::uint64_t word);
// The word of an instruction, `raw` and `unused` aside. Errors name the field whose value does not fit.
Result<std::uint64_t> encode(const Instruction& instruction);

// Coordinates that a sample has.
inline constexpr unsigned coordinate_count(const Instruction& sample) {
  return static_cast<unsigned>(sample.dimension) + 1;
}
// True if a sample gives the texels of a footprint.
inline constexpr bool gathers(const Instruction& sample) {
  return sample.gather == Gather::texels || sample.gather == Gather::texels_and_weights;
}

// True if an instruction reads source k; false if it only names it.
bool reads_source(const Instruction& instruction, unsigned k);

// Sources that an operation of a dual instruction has.
unsigned source_count(Operation operation);
// Where operand `index` of an operation comes from: 0 to 2 gpi0 to gpi2, 3 the unified source.
unsigned dual_operand(const Instruction& dual, bool second, unsigned index);
// True if the unified register of a dual instruction is that of vectors, whose numbers are doubled.
bool unified_is_vector(const Instruction& dual, bool destination);
// True if an operation reads vectors; if it writes one. Dot products and sums of squares are numbers.
inline constexpr bool reads_vectors(Operation operation) { return operation <= Operation::vmov; }
inline constexpr bool writes_vector(Operation operation) {
  return reads_vectors(operation) && operation != Operation::vdp && operation != Operation::vssq;
}

}  // namespace warpjit::usse
