// PICA200 instruction words and operand descriptors, decoded and encoded through the one table encoding.inc.
// Decoding loses nothing: encode(decode(w)) == w for every word with a defined opcode, because bits that no
// field covers are kept.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warpjit::pica200 {

enum class Format : std::uint8_t {
#define PICA_FORMAT(name, ...) name,
#include "frontend/pica200/encoding/encoding.inc"
};

enum class Opcode : std::uint8_t {
#define PICA_OPCODE(name, ...) name,
#include "frontend/pica200/encoding/encoding.inc"
};

#define PICA_OPCODE(...) +1
inline constexpr int kOpcodeCount = 0
#include "frontend/pica200/encoding/encoding.inc"
    ;

// Component sets as operand descriptors have them: bit 3 = x ... bit 0 = w.
inline constexpr std::uint8_t kX = 8, kY = 4, kXY = 12, kYZ = 6, kYW = 5, kXYZ = 14, kXYW = 13, kXYZW = 15;
// In OpcodeInfo::reads: the components that the destination mask names.
inline constexpr std::uint8_t kLanes = 0x10;

// Traits of an opcode.
inline constexpr std::uint16_t kWritesDest = 1;     // writes o or r under the descriptor's mask
inline constexpr std::uint16_t kReplicates = 2;     // one scalar result goes to every enabled component
inline constexpr std::uint16_t kWritesAddress = 4;  // MOVA
inline constexpr std::uint16_t kWritesFlags = 8;    // writes cmp.x and cmp.y
inline constexpr std::uint16_t kReadsFlags = 16;    // has a condition on cmp.x and cmp.y
inline constexpr std::uint16_t kFlow = 32;          // may change the program counter
inline constexpr std::uint16_t kTarget = 64;        // names a program address
inline constexpr std::uint16_t kGeometry = 128;     // geometry stage only

struct OpcodeInfo {
  std::string_view name;  // the assembler's mnemonic
  Format format = Format::none;
  std::uint16_t traits = 0;
  std::array<std::uint8_t, 3> reads{};
  Opcode swapped{};
};
const OpcodeInfo& info(Opcode opcode);
// The opcode of a mnemonic (lower case), if there is one.
std::optional<Opcode> find_opcode(std::string_view mnemonic);
// Which source (1 to 3) of a format may name c registers and be addressed relatively; 0: none.
int wide_source(Format format);

enum class RegisterFile : std::uint8_t { v, r, c, o, i, b };

struct Register {
  RegisterFile file = RegisterFile::v;
  std::uint8_t index = 0;
  bool operator==(const Register&) const = default;
};
std::string name(Register reg);           // "c12"
Register source_register(unsigned code);  // pica200.md 2: 0x00 v, 0x10 r, 0x20 c
Register dest_register(unsigned code);    // 0x00 o, 0x10 r
// The field value of a register, or nothing if that file cannot be named there.
std::optional<unsigned> source_code(Register reg);
std::optional<unsigned> dest_code(Register reg);
// "v3", "r15", "c95", "o2", "i1", "b7", if in range.
std::optional<Register> parse_register(std::string_view text);

// One instruction. Members that the opcode's format lacks are 0.
struct Instruction {
  Opcode opcode = Opcode::nop;
  std::uint32_t raw = 0;         // the word it was decoded from
  std::uint32_t unused = 0;      // its don't-care bits, in place
  std::uint16_t descriptor = 0;  // index of the operand descriptor
  std::uint16_t dst = 0;         // register codes, see dest_register and source_register
  std::uint16_t src1 = 0, src2 = 0, src3 = 0;
  std::uint16_t idx = 0;               // 0 none, 1 a0.x, 2 a0.y, 3 aL
  std::uint16_t cmp_x = 0, cmp_y = 0;  // pica200.md 8
  std::uint16_t num = 0, target = 0;   // flow: length or flag, address in words
  std::uint16_t condition = 0;         // 0 or, 1 and, 2 x, 3 y
  std::uint16_t ref_x = 0, ref_y = 0;
  std::uint16_t uniform = 0;                             // b or i register of a flow instruction
  std::uint16_t vertex = 0, primitive = 0, winding = 0;  // SETEMIT

  const OpcodeInfo& info() const { return pica200::info(opcode); }
  std::uint16_t source(int n) const { return n == 1 ? src1 : n == 2 ? src2 : src3; }
  // How many sources the opcode reads (0 to 3).
  int source_count() const;
};

// A field of an instruction, for what walks over all of them.
struct Field {
  enum class Kind : std::uint8_t { number, source, dest };
  std::string_view name;
  std::uint16_t Instruction::*member = nullptr;
  std::uint8_t low = 0, width = 0;
  Kind kind = Kind::number;
};
// The lowest first.
std::span<const Field> fields(Opcode opcode);
// Bits of a word that neither the opcode nor a field covers.
std::uint32_t unused_bits(Opcode opcode);

// An undefined opcode is an error that names address, file and word.
Result<Instruction> decode(std::uint32_t word, std::uint32_t address, const std::string& file = {});
// As decode, without a message.
std::optional<Instruction> try_decode(std::uint32_t word);
// Fields are cut to their width; `raw` is ignored.
std::uint32_t encode(const Instruction& instruction);

// pica200.md 4. A selector holds four component numbers, the result's x in bits 7:6 ... w in 1:0.
struct Descriptor {
  std::uint8_t mask = 0;  // bit 3 = x ... bit 0 = w
  std::array<std::uint8_t, 3> negate{};
  std::array<std::uint8_t, 3> selector{};
  std::uint8_t unused = 0;
  bool operator==(const Descriptor&) const = default;
};
inline constexpr std::uint8_t kIdentitySelector = 0x1B;

Descriptor decode_descriptor(std::uint32_t word);
std::uint32_t encode_descriptor(const Descriptor& descriptor);
// Which component of the register becomes component `lane` (0 = x) of the operand.
constexpr unsigned selected(std::uint8_t selector, unsigned lane) { return selector >> (6 - 2 * lane) & 3; }
// Whether a mask enables component `lane` (0 = x).
constexpr bool enables(std::uint8_t mask, unsigned lane) { return (mask >> (3 - lane) & 1) != 0; }

// Whether a flow instruction's condition holds (pica200.md 8).
constexpr bool holds(const Instruction& i, bool x, bool y) {
  const bool a = x == (i.ref_x != 0), b = y == (i.ref_y != 0);
  return i.condition == 0 ? a || b : i.condition == 1 ? a && b : i.condition == 2 ? a : b;
}

}  // namespace warpjit::pica200
