// The blocks of a USSE program: control is followed with the stack of return addresses and the increments of
// repeats as part of the state, so that calls are inlined and repeats can be unrolled.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "frontend/flow/graph.h"
#include "frontend/usse/container/program.h"
#include "frontend/usse/encoding/decode.h"

namespace warpjit::usse {

// What repeated instructions add to their operands: those of the destination and of the sources.
struct Increments {
  std::array<std::int32_t, 4> increment{1, 1, 1, 1};
  std::array<std::int32_t, 4> swizzled{};
  std::array<std::int32_t, 4> offset{};

  // SMLSI or SMBO.
  void set(const Instruction& i);
  // In registers.
  std::int32_t step(std::size_t operand, unsigned turn) const;
  auto operator<=>(const Increments&) const = default;
};

inline constexpr std::uint32_t kThreadEnds = ~0U;   // instead of a block
inline constexpr std::uint32_t kMostCalls = 8;      // that have not returned
inline constexpr std::size_t kMostIncrements = 64;  // that lanes may have at one address

struct FlowEdge {
  std::uint32_t target = kThreadEnds;  // a block
  bool backward = false;               // to an address that is not above its own: it takes fuel
};

// Code [first, end), words. With two edges the last instruction is a branch or a return: edge 0 is where it
// goes if it is taken. Blocks without code choose between the targets of a return.
struct FlowBlock {
  std::uint32_t first = 0, end = 0;
  std::vector<Increments> increments;      // what lanes may have set at the start, each once
  std::optional<std::uint32_t> return_to;  // edge 0 is for lanes that return to this address
  std::array<FlowEdge, 2> edges{};
  std::uint8_t edge_count = 1;
};

struct ControlFlow {
  std::vector<FlowBlock> blocks;  // that of the entry first
  // If calls are not unfolded: how many there are at most that have not returned.
  std::uint32_t most_calls = 0;
  flow::Successors successors() const;
};

// Errors, with the word: bad_input or unsupported of what does not decode or execute; unsupported for control
// that leaves the code, returns without a call, or unfolds into too many blocks or instructions.
class Code {
 public:
  // `writes_shared`: also of primary programs that write what all threads read.
  static Result<Code> decode(const Program& program, bool secondary, bool writes_shared = false);

  std::span<const Instruction> instructions() const { return instructions_; }
  Result<ControlFlow> find_blocks() const;
  // Each address in one block, so that all lanes which are there can be together: lanes keep the addresses
  // that they return to, and which increments they have set. Errors: the same; unsupported where lanes may
  // have more than kMostIncrements.
  Result<ControlFlow> find_blocks_of_addresses() const;
  bool secondary() const { return secondary_; }
  // By address: true if lanes of a quad may be elsewhere while others are here.
  std::vector<bool> parted_lanes() const;

 private:
  Code(const Program& program, bool secondary) : program_(&program), secondary_(secondary) {}
  Error error(ErrorCode code, std::string message, std::size_t word) const;
  // With all backward transfers.
  Result<ControlFlow> unfold() const;

  const Program* program_;
  bool secondary_;
  std::vector<Instruction> instructions_;
};

// True if it has a field for repetitions.
bool repeats(const Instruction& i);
// True if its operands move by increments that code sets;
// else it does not repeat, or they move by its own ones.
bool takes_increments(const Instruction& i);
// The numbers of all registers that an instruction moves to which takes increments, turn by turn: with equal
// ones it does the same.
std::vector<std::uint16_t> moved_numbers(const Instruction& i, const Increments& increments);
// The operands of turn `turn` of a repeated instruction.
Instruction in_turn(const Instruction& i, unsigned turn, const Increments& increments);
bool is_branch(const Instruction& i);
// The address that a taken branch goes to; it may lie outside the code.
std::int64_t branch_target(const Instruction& i, std::uint32_t address);

}  // namespace warpjit::usse
