// Tesla (sm_10 to sm_13) instructions, decoded and encoded through the one table encoding.inc. Decoding
// resolves every field: operands say what they are, where they lie and how wide they are, and the
// different forms of an operation give the same opcode. Nothing is lost: encode(decode(w)) == w for every
// word with a defined opcode.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warpjit::tesla {

// What a program is for; a few operands mean different things in each (docs/guests/tesla.md 2.2).
enum class ProgramType : std::uint8_t { compute, vertex, geometry, fragment };
std::string_view name(ProgramType type);
std::optional<ProgramType> find_program_type(std::string_view name);

enum class Form : std::uint8_t { short_, short_control, long_, immediate, control };

enum class Opcode : std::uint8_t {
  mov,
  mov_from_c,   // src[0]: a flag register
  mov_from_a,   // src[0]: an address register
  mov_from_sr,  // src[0]: a special register
  mov_to_c,     // writes `flags`
  shl_a,        // dst: an address register; count: `number`
  add_a,        // dst, src[0]: address registers; addend: `number`
  // Memory: the memory operand is src[0] of loads, dst of stores, whose data is src[0].
  ld_a,
  st_o,
  ld_c,
  ld_s,  // `lock`: the result goes to `flags`
  st_s,
  ld_l,
  st_l,
  ld_g,
  st_g,
  red_g,   // dst: memory; src[0]: data; operation: AtomicOperation
  atom_g,  // dst: old value; src[0]: memory, src[1]: data or what to compare with, src[2]: what cas stores
  vote,    // operation: VoteOperation
  // Graphics programs
  interp,   // src[0]: v[]; src[1]: what it is multiplied by, or none
  discard,  // of the fragment
  emit,     // a vertex: what o[] holds
  restart,  // ends the strip
  // Textures. dst: the first register, of the arguments and of the results alike; results are packed.
  // number: the texture, count: the sampler.
  texauto,      // the arguments are those that the texture and the sampler need
  texbias,      // and a bias after them
  texlod,       // and a level of detail after them
  texfetch,     // one texel by its integers
  texsize,      // what sizes a level has
  texprep,      // a cube's face and place
  texquerylod,  // which level of detail texauto would take
  texgather,    // four texels
  // Integers; `type` is their width and sign.
  iadd,  // operation: AddOperation
  iset,
  imax,
  imin,
  shl,  // the count is src[1], of kind number if constant
  shr,
  imul,  // type: of src[0], u16, s16, u24 or s24; source_type: of src[1] of 16-bit ones
  imad,  // as imul, both sources of the same type; operation: AddOperation on product and src[2]
  sad,
  logop,  // operation: LogicOperation
  cvt_i2i,
  cvt_i2f,
  cvt_f2i,
  cvt_f2f,
  // Floats
  fadd,
  fmul,
  fmad,  // negate[0]: of the product
  fset,
  fmax,
  fmin,
  fslct,
  rcp,
  rsqrt,
  lg2,
  sin,
  cos,
  ex2,
  presin,
  preex2,
  quadop,
  dfma,  // negate[0]: of the product
  dadd,
  dmul,
  dmin,
  dmax,
  dset,
  // Control; an address is `target`.
  bra,
  bra_c,
  call,
  ret,
  prebrk,
  brk,
  joinat,
  preret,
  quadon,
  quadpop,
  bar,  // barrier `number`; `count` threads; `all` or kWholeBlock: all of the block
  trap,
  brkpt,
  nop,
  pmevent,
};
constexpr bool is_texture(Opcode opcode) { return opcode >= Opcode::texauto && opcode <= Opcode::texgather; }
constexpr bool needs_texture(Opcode opcode) { return is_texture(opcode) && opcode != Opcode::texprep; }
constexpr bool needs_sampler(Opcode opcode) {
  return needs_texture(opcode) && opcode != Opcode::texfetch && opcode != Opcode::texsize;
}
inline constexpr int kOpcodeCount = static_cast<int>(Opcode::pmevent) + 1;

// Registers have b16 to b128 (a half, one, two, four), operations and memory any.
enum class Type : std::uint8_t {
  none,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  s8,
  u16,
  s16,
  u24,
  s24,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64
};
std::string_view name(Type type);
unsigned size_of(Type type);  // bytes; 24-bit types take 4
bool is_signed(Type type);

enum class AddOperation : std::uint8_t { add, sub, subr, addc };
enum class LogicOperation : std::uint8_t { and_, or_, xor_, mov2 };
enum class VoteOperation : std::uint8_t { any = 1, all = 2 };
enum class AtomicOperation : std::uint8_t { add, exch, cas, inc = 4, dec, max, min, and_ = 10, or_, xor_ };
enum class QuadOperation : std::uint8_t { add, subr, sub, mov2 };
enum class Rounding : std::uint8_t { nearest, down, up, zero };

// Set bits of Instruction::compare.
inline constexpr std::uint8_t kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8;
// Bits of a flag register.
inline constexpr std::uint8_t kZero = 1, kSign = 2, kCarry = 4, kOverflow = 8;

inline constexpr std::uint8_t kAlways = 15;  // the condition that always holds

struct Operand {
  enum class Kind : std::uint8_t {
    none,
    discarded,    // a destination that nobody gets: o[] word 127
    gpr,          // value: register; a half (b16) has register * 2, + 1 for the upper one
    flags,        // value: $c
    address,      // value: $a; 0 reads 0
    special,      // value: $sr
    number,       // value
    immediate,    // value: 32 bits
    constant,     // memory with a byte offset; c[]
    shared,       // s[]
    local,        // l[]
    attribute,    // a[]
    vertex,       // p[]
    output,       // o[]
    interpolant,  // v[]
    global,       // g[]; value: the register that holds the address
  };
  Kind kind = Kind::none;
  Type type = Type::none;       // registers: width; memory: element
  std::uint8_t space = 0;       // c0 to c15, g0 to g15
  std::uint8_t address = 0;     // $a that is added to the offset; 0: none
  bool post_increment = false;  // the address is $a alone; `value` (signed) is added to $a afterwards
  std::uint32_t value = 0;

  bool is_memory() const { return kind >= Kind::constant; }
  bool operator==(const Operand&) const = default;
};

// One instruction. Members that its opcode does not use have the values here.
struct Instruction {
  Opcode opcode = Opcode::nop;
  Form form = Form::long_;
  std::uint64_t raw = 0;  // the words it was decoded from, the second one in the upper half
  // raw XOR the canonical encoding of what follows: bits without a meaning, and which of several encodings.
  std::uint64_t unused = 0;

  enum class Marker : std::uint8_t { none, exit, join };
  Marker marker = Marker::none;
  std::uint8_t condition = kAlways;     // tesla.md 2.4
  std::uint8_t condition_register = 0;  // $c it looks at; also the $c that addc and mov read
  std::uint8_t lanes = 15;              // bit n: lane n of each quad takes part
  std::int8_t flags = -1;               // $c that gets the flags; -1: none

  Operand dst;
  std::array<Operand, 3> src{};
  std::array<std::uint8_t, 3> negate{}, absolute{}, invert{};  // of sources: absolute before negate

  Type type = Type::none;         // of the operation or result
  Type source_type = Type::none;  // of a conversion's source
  std::uint8_t operation = 0;     // an AddOperation, ... as the opcode says
  std::uint8_t compare = 0;       // set: kLess | ...
  std::uint8_t rounding = 0;      // Rounding
  std::uint8_t saturate = 0, high = 0, to_integral = 0, lock = 0, sfu_hint = 0;
  std::uint8_t flat = 0, centroid = 0;         // interp
  std::array<std::uint8_t, 4> quad{};          // QuadOperation of each lane
  std::uint8_t quad_lane = 0;                  // 0 to 3: that lane; 4, 6: lane ^ 1; 5, 7: lane ^ 2
  std::uint8_t limited = 0;                    // call, preret
  std::uint8_t cube = 0, live = 0, deriv = 0;  // tex*
  std::uint8_t arguments = 0;                  // of tex*: 1 to 4 registers
  std::uint8_t results = 0;                    // of tex*: bit n: component n is wanted
  std::array<std::int8_t, 3> offsets{};        // of tex*: texels
  std::uint8_t arrive = 0, wait = 0, all = 0;  // bar
  std::uint32_t number = 0;
  std::uint32_t count = 0;
  std::uint32_t target = 0;  // byte address

  bool is_long() const { return form != Form::short_ && form != Form::short_control; }
  unsigned words() const { return is_long() ? 2 : 1; }
  bool operator==(const Instruction&) const = default;
};
inline constexpr std::uint32_t kWholeBlock = 0xfff;

// Whether an instruction with this first word takes two words.
constexpr bool is_long_word(std::uint32_t w0) { return (w0 & 1) != 0; }

// Decodes one instruction from `w0` and, if it is long, `w1`.
// Nothing if the opcode is undefined or not covered.
std::optional<Instruction> try_decode(ProgramType type, std::uint32_t w0, std::uint32_t w1);

// Decodes the instruction at byte address `address` of `code`. Errors (bad_input; unsupported for opcodes
// that are known but not covered) name file, address and word: undefined opcodes, an address that is no
// multiple of 4 or outside the code, a long instruction that is not aligned to 8 bytes or is cut off.
Result<Instruction> decode(ProgramType type, std::span<const std::uint32_t> code, std::uint32_t address,
                           const std::string& file = {});

// The words of an instruction, w1 in the upper half. `raw` is ignored. Nothing if no encoding of that form
// has these operands; values too large for their fields are cut.
std::optional<std::uint64_t> encode(ProgramType type, const Instruction& instruction);

// Whether the 5-bit condition is defined, and whether it holds for 4 flag bits (tesla.md 2.4).
bool condition_defined(unsigned condition);
bool condition_holds(unsigned condition, unsigned flags);

// "file, byte 0x18 (0x20008409)".
std::string where_byte(const std::string& file, std::uint32_t address, std::uint32_t word);

}  // namespace warpjit::tesla
