// Four threads of a USSE program and their registers, as the guest interpreter has them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "base/compiler.h"
#include "base/small_vector.h"
#include "frontend/usse/container/program.h"
#include "frontend/usse/encoding/decode.h"

namespace warpjit::interpret {
class Observer;
}

namespace warpjit::usse {

inline constexpr unsigned kLanes = 4;

using LaneWords = std::array<std::uint32_t, kLanes>;
using LaneFloats = std::array<float, kLanes>;

// Calls `visit` with the numbers of the lanes in the mask, the lowest first.
template <class Visit>
void for_lanes(unsigned lanes, const Visit& visit) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((lanes >> lane & 1) != 0) visit(lane);
}

// What a repeated instruction adds to its operands in turn k: increments times k plus the offset, or a step
// of two bits for each turn.
struct MoeState {
  std::array<std::int32_t, 4> increment{1, 1, 1, 1};  // of the destination and the sources
  std::array<bool, 4> swizzled{};
  std::array<std::int32_t, 4> offset{};

  // True if the operands of the first turn are those of the instruction.
  bool starts_in_place() const {
    return (offset[0] | offset[1] | offset[2] | offset[3]) == 0 &&
           !(swizzled[0] || swizzled[1] || swizzled[2] || swizzled[3]);
  }
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
  bool anticlockwise = false;  // of fragments: their primitive is, with row 0 at the top
  bool fault = false;          // a register outside the program's was named
};

// What registers a program has, and those that all its threads share.
struct RegisterFile {
  std::span<std::uint32_t> sa;
  std::uint32_t r = kMaxRegisters, pa = kMaxRegisters, o = kMaxRegisters;
  bool secondary = false;  // r, pa, o and sa all mean sa
};

// Runs single instructions on a quad. All lanes read before any writes.
class QuadAlu {
 public:
  QuadAlu(Quad& quad, const RegisterFile& file) : quad_(quad), file_(file) {}

  // In the lanes of `lanes` for which the predicate holds. The instruction is one that check_executes() takes
  // and no flow, memory or texture instruction.
  void execute(const Instruction& instruction, unsigned lanes);

  // Lanes for which the predicate holds.
  unsigned holds(Predicate predicate) const;

  // From now on the observer, which is in the midst of an event, is told of what instructions read and write in these
  // lanes.
  void observe(interpret::Observer& observer, unsigned lanes) {
    observer_ = &observer;
    shown_ = lanes;
  }
  void show_predicate(Predicate predicate, unsigned lanes);
  void show_increments(const Instruction& instruction, const std::array<MoeState, kLanes>& before);

  // Functions that are not inlined put what they read of several lanes into an array of the caller: a result
  // would be handed over in two halves, and a host waits where it reads as one what was written as two.

  // A component of a register in each of the lanes, without swizzle and modifiers; in other lanes anything.
  void raw_components(const Register& reg, Type type, unsigned component, unsigned lanes, LaneFloats& values);
  float raw_component(const Register& reg, Type type, unsigned component, unsigned lane) {
    LaneFloats values;
    raw_components(reg, type, component, 1U << lane, values);
    return values[lane];
  }
  // A word of a register, `word` words after the first; of i its component. `bits`: those that the caller looks at.
  void read_words(const Register& reg, unsigned word, unsigned lanes, LaneWords& words,
                  std::uint32_t bits = ~0U);
  std::uint32_t read_word(const Register& reg, unsigned word, unsigned lane, std::uint32_t bits = ~0U) {
    LaneWords words;
    read_words(reg, word, 1U << lane, words, bits);
    return words[lane];
  }
  void write_words(const Register& reg, unsigned word, unsigned lanes, const LaneWords& values,
                   std::uint32_t mask = ~0U);
  void write_word(const Register& reg, unsigned word, unsigned lane, std::uint32_t value,
                  std::uint32_t mask = ~0U) {
    write_words(reg, word, 1U << lane, {value, value, value, value}, mask);
  }
  void commit();

 private:
  struct Write {
    std::uint32_t* word;
    std::uint32_t mask, value;
  };

  // The place of a word; null: there is no such word. In shared banks all lanes have the same place. In
  // others, without an index register, lane n's is n words after that of lane 0.
  std::uint32_t* place(const Register& reg, unsigned word, unsigned lane);
  bool is_shared(Bank bank) const {
    return bank == Bank::sa || (file_.secondary && (bank == Bank::r || bank == Bank::pa || bank == Bank::o));
  }

  // ---- Typed components, of a source after its swizzle and modifiers; in lanes outside of `lanes` anything
  void read_components(const Source& source, Type type, unsigned k, unsigned lanes, LaneFloats& values);
  LaneFloats components(const Source& source, Type type, unsigned k, unsigned lanes) {
    LaneFloats values;
    read_components(source, type, k, lanes, values);
    return values;
  }
  float component(const Source& source, Type type, unsigned k, unsigned lane) {
    return components(source, type, k, 1U << lane)[lane];
  }
  void write_components(const Register& reg, Type type, unsigned k, unsigned lanes, const LaneFloats& values);
  void write_component(const Register& reg, Type type, unsigned k, unsigned lane, float value) {
    write_components(reg, type, k, 1U << lane, {value, value, value, value});
  }
  // As write_components for all components of a mask; NaNs become kNan.
  void write_masked(const Destination& destination, Type type, unsigned mask, unsigned lanes,
                    const std::array<LaneFloats, 4>& values);
  // Component k of `to` becomes component `select` of `from`; bits are kept where both have one layout.
  void copy_component(const Register& to, Type to_type, unsigned k, const Register& from, Type from_type,
                      unsigned select, unsigned lane);
  // An element of `bits` bits; of an immediate the number.
  std::uint32_t element(const Register& reg, unsigned bits, unsigned k, unsigned lane);
  LaneFloats test_floats(const Instruction& i, unsigned k, unsigned lanes);

  void mad2(const Instruction& i, unsigned lanes);
  void nmad(const Instruction& i, unsigned lanes);
  void mad(const Instruction& i, unsigned lanes);
  void dot(const Instruction& i, unsigned lanes, unsigned turn);
  std::array<LaneFloats, 4> operation(const Instruction& i, bool second, unsigned lanes);
  void dual(const Instruction& i, unsigned lanes);
  void complex(const Instruction& i, unsigned lanes);
  void test(const Instruction& i, unsigned lanes);
  void move(const Instruction& i, unsigned lane);
  void pack(const Instruction& i, unsigned lane);
  void bitwise(const Instruction& i, unsigned lane);
  void sum_of_products(const Instruction& i, unsigned lane);
  void mad8(const Instruction& i, unsigned lane);
  void mad16(const Instruction& i, unsigned lane);
  void mad32(const Instruction& i, unsigned lane);
  void mad32_step(const Instruction& i, unsigned lane);
  void move_word(const Instruction& i, unsigned lane);
  void execute_turn(const Instruction& i, unsigned lanes, unsigned turn);

  // ---- What the observer is told (observed.cpp)
  template <class Does>
  void unobserved(const Does& does) {
    interpret::Observer* const observer = std::exchange(observer_, nullptr);
    does();
    observer_ = observer;
  }
  // read_words(), with an observer. Apart from it, as the other one then need not keep what it is given.
  WARPJIT_COLD void read_and_show(const Register& reg, unsigned word, unsigned lanes, LaneWords& words,
                                  std::uint32_t bits);
  void show_index(const Register& reg, unsigned lanes);
  void show_read(unsigned word, unsigned lane, std::uint32_t value, std::uint32_t bits = ~0U);
  void show_write(unsigned word, unsigned lane, std::uint32_t before, std::uint32_t after,
                  std::uint32_t bits = ~0U);
  // Of an instruction that is repeated or moved: what its turns add to its operands.
  void show_moves(const Instruction& i, unsigned lanes);
  // Where a NaN went in, and a number came out.
  void show_lost_nan(unsigned lanes, const LaneFloats& in, const LaneFloats& out);
  // commit(), with an observer.
  WARPJIT_COLD void show_commit();

  Quad& quad_;
  const RegisterFile& file_;
  SmallVector<Write, 4 * kLanes> writes_;
  struct PredicateWrite {
    std::uint8_t predicate, lane;
    bool value;
  };
  SmallVector<PredicateWrite, kLanes> predicate_writes_;
  interpret::Observer* observer_ = nullptr;  // null: nobody is told
  unsigned shown_ = 0;
};

// The instruction of a turn of a repeated one.
Instruction turned(const Instruction& instruction, unsigned turn, const MoeState& moe);

}  // namespace warpjit::usse
