// What the interpreter runs: instructions with what is known of them before a launch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "frontend/valhall/container/program.h"
#include "frontend/valhall/facts/attribute.h"
#include "frontend/valhall/interpret/arithmetic.h"

namespace warpjit::valhall {

struct WarpOp {
  enum class Kind : std::uint8_t {
    nothing,
    arithmetic,
    exchange,
    load,
    load_buffer,
    buffer_address,
    store,
    atomic,
    branch,
    barrier,
    result_address,
    load_attribute,
    attribute_address,
    load_texel,
    texel_address,
    store_texel,
    varying,
    special_varying,
    discard,
    coverage,
    depth,
    blend,
    load_tile,
    store_tile,
    texture
  };
  Instruction i;
  Kind kind = Kind::nothing;
  Operation operation{};      // of arithmetic
  std::uint32_t address = 0;  // byte in the code
  std::int64_t target = 0;    // of a branch: byte in the code, or outside of it
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
// True if a branch whose source has this value is taken.
bool takes_branch(const Instruction& branch, std::uint32_t value);

// True if it is LD_TEX, LEA_TEX, an immediate form of these or ST_CVT.
bool is_of_images(Opcode opcode);
// "MNEMONIC: why", unsupported.
Error refused(const Instruction& instruction, const std::string& why);
// Checks that a message has `count` staging registers. Errors: the same.
Status check_count(const Instruction& instruction, const Staging& staging, unsigned count);

// Decides how an instruction at this byte of a program of this stage runs.
// Errors: unsupported, without `where`.
Result<WarpOp> make_op(const Instruction& instruction, std::uint32_t address, Stage stage);

}  // namespace warpjit::valhall
