// What the interpreter runs: instructions with what is known of them before a launch.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "frontend/valhall/interpret/arithmetic.h"

namespace warpjit::valhall {

struct WarpOp {
  enum class Kind : std::uint8_t {
    nothing,
    arithmetic,
    exchange,
    load,
    load_buffer,
    store,
    atomic,
    branch,
    barrier
  };
  Instruction i;
  Kind kind = Kind::nothing;
  Operation operation{};      // of arithmetic
  std::uint32_t address = 0;  // byte in the code
  std::int64_t target = 0;    // of a branch, likewise, wherever that is
};

// One of the accesses that make up a load or store of one lane: `size` bytes at the address + `offset`, which
// are bits from `shift` on of a staging register.
struct AccessPart {
  std::uint8_t offset, size, staging, shift;
};
// How much a memory message moves, and what its address is a multiple of.
struct AccessShape {
  std::span<const AccessPart> parts;
  std::uint8_t bytes, alignment;
};
AccessShape shape_of(Type type);

// How a branch comes out whose source is a constant.
enum class Known : std::uint8_t { no, taken, not_taken };
Known known_branch(const Instruction& branch);
// Does a branch whose source has this value leave?
bool takes_branch(const Instruction& branch, std::uint32_t value);

// Decides how an instruction at this byte of a compute program runs. Errors: unsupported, without `where`.
Result<WarpOp> make_op(const Instruction& instruction, std::uint32_t address);

}  // namespace warpjit::valhall
