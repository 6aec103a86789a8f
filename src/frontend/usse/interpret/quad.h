// Four threads of a USSE program and their registers, as the guest interpreter has them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "frontend/usse/container/program.h"
#include "frontend/usse/encoding/decode.h"

namespace warpjit::usse {

inline constexpr unsigned kLanes = 4;

using LaneWords = std::array<std::uint32_t, kLanes>;

// What a repeated instruction adds to its operands in turn k: increments times k plus the offset, or a step
// of two bits for each turn.
struct MoeState {
  std::array<std::int32_t, 4> increment{1, 1, 1, 1};  // of the destination and the sources
  std::array<bool, 4> swizzled{};
  std::array<std::int32_t, 4> offset{};

  std::int32_t step(std::size_t operand, unsigned turn) const {
    const std::int32_t k = static_cast<std::int32_t>(turn) + offset[operand];
    if (!swizzled[operand]) return increment[operand] * k;
    return increment[operand] >> (k & 3) * 2 & 3;
  }
};

struct Quad {
  std::array<LaneWords, kMaxRegisters> r{}, pa{}, o{};
  std::array<std::array<LaneWords, 4>, 4> i{};
  std::array<std::uint8_t, 4> p{};  // bit n: lane n
  std::array<LaneWords, 2> idx{};
  std::array<MoeState, kLanes> moe{};
  bool fault = false;  // a register outside the program's was named
};

// What registers a program has, and those that all its threads share.
struct RegisterFile {
  std::span<std::uint32_t> sa;
  std::uint32_t r = kMaxRegisters, pa = kMaxRegisters, o = kMaxRegisters;
  bool secondary = false;  // r, pa, o and sa all mean sa
};

// The 64 special constants, two words each.
std::span<const std::array<std::uint32_t, 2>, 64> special_constants();

// Runs single instructions on a quad. All lanes read before any writes.
class QuadAlu {
 public:
  QuadAlu(Quad& quad, const RegisterFile& file) : quad_(quad), file_(file) {}

  // In the lanes of `lanes` for which the predicate holds. The instruction is one that check_executes() takes
  // and no flow, memory or texture instruction.
  void execute(const Instruction& instruction, unsigned lanes);

  // Lanes for which the predicate holds.
  unsigned holds(Predicate predicate) const;

  // A component of a register, without swizzle and modifiers.
  float raw_component(const Register& reg, Type type, unsigned component, unsigned lane);
  // A word of a register, `word` words behind the first; of i its component.
  std::uint32_t read_word(const Register& reg, unsigned word, unsigned lane);
  void write_word(const Register& reg, unsigned word, unsigned lane, std::uint32_t value,
                  std::uint32_t mask = ~0U);
  void commit();

 private:
  struct Write {
    std::uint32_t* word;
    std::uint32_t mask, value;
  };

  // The place of a word; null: there is none.
  std::uint32_t* place(const Register& reg, unsigned word, unsigned lane);

  // ---- Typed components, of a source behind its swizzle and modifiers
  float component(const Source& source, Type type, unsigned k, unsigned lane);
  void write_component(const Register& reg, Type type, unsigned k, unsigned lane, float value);
  // As write_component for all components of a mask.
  void write_masked(const Destination& destination, Type type, unsigned mask, unsigned lane,
                    const std::array<float, 4>& values);
  // Component k of `to` becomes component `select` of `from`; bits are kept where both have one layout.
  void copy_component(const Register& to, Type to_type, unsigned k, const Register& from, Type from_type,
                      unsigned select, unsigned lane);
  // An element of so many bits; of an immediate the number.
  std::uint32_t element(const Register& reg, unsigned bits, unsigned k, unsigned lane);
  float test_float(const Instruction& i, unsigned k, unsigned lane);

  void mad2(const Instruction& i, unsigned lane);
  void nmad(const Instruction& i, unsigned lane);
  void mad(const Instruction& i, unsigned lane);
  void dot(const Instruction& i, unsigned lane, unsigned turn);
  std::array<float, 4> operation(const Instruction& i, bool second, unsigned lane);
  void dual(const Instruction& i, unsigned lane);
  void complex(const Instruction& i, unsigned lane);
  void move(const Instruction& i, unsigned lane);
  void pack(const Instruction& i, unsigned lane);
  void test(const Instruction& i, unsigned lane);
  void bitwise(const Instruction& i, unsigned lane);
  void sum_of_products(const Instruction& i, unsigned lane);
  void mad8(const Instruction& i, unsigned lane);
  void mad16(const Instruction& i, unsigned lane);
  void mad32(const Instruction& i, unsigned lane);
  void mad32_step(const Instruction& i, unsigned lane);
  void move_word(const Instruction& i, unsigned lane);
  void execute_turn(const Instruction& i, unsigned lane, unsigned turn);

  Quad& quad_;
  const RegisterFile& file_;
  std::vector<Write> writes_;
  struct PredicateWrite {
    std::uint8_t predicate, lane;
    bool value;
  };
  std::vector<PredicateWrite> predicate_writes_;
};

// The instruction of a turn of a repeated one.
Instruction turned(const Instruction& instruction, unsigned turn, const MoeState& moe);

// Whether what this instruction does is defined (section 11). Errors: unsupported, naming the field.
Status check_executes(const Instruction& instruction);
// Whether a program may have this instruction, wherever it stands: `last`, nothing is behind it. Errors: the
// same.
Status check_instruction(const Instruction& instruction, bool last, const Program& program, bool secondary);
// Whether a primary program may: all threads read what this one would write. Errors: the same.
Status check_not_shared(const Instruction& instruction);

}  // namespace warpjit::usse
