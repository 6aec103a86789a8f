// The small vocabulary of the IR: value types, opcodes and their properties (from opcodes.inc), entity
// indices, and shapes (how a value varies over the threads of a launch).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/stop_reason.h"

namespace warpjit::ir {

enum class Type : std::uint8_t { none, i1, i32, f32 };
std::string_view name(Type type);

// How a value varies. The order matters: the uniformity of an operation is at least the
// maximum of those of its operands.
enum class Uniformity : std::uint8_t {
  launch,   // the same for every thread of the launch: known before the groups run
  group,    // the same for every lane of a group
  varying,  // may differ from lane to lane
};
std::string_view name(Uniformity uniformity);

enum class Opcode : std::uint8_t {
#define WARPJIT_IR_OP(name, ...) name,
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP
};

inline constexpr int kOpcodeCount = 0
#define WARPJIT_IR_OP(name, ...) +1
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP
    ;

// What passes and backends treat alike.
enum class Family : std::uint8_t {
  constant,
  float_arithmetic,  // of IEEE 754
  float_flush,       // of machines without denormals
  half_arithmetic,   // of two halves in a word
  canonical_nan,     // makes the bits of NaN definite
  transcendental,    // expand_math replaces it
  float_comparison,
  conversion,  // between integers and floats
  cast,        // of bits
  integer_arithmetic,
  integer_comparison,
  look_up,  // in a table that is part of the code
  callout,  // pure ones
  logic,    // of i1
  selection,
  uniform,  // the launch's table
  binding,  // inputs and outputs of threads
  pixel,    // records and tiles of work over pixels
  texel,    // memory of textures
  sample,   // expand_samples replaces it
  slot,     // of a thread
  memory,
  place,    // of a thread in its launch
  lanes,    // look at other lanes
  control,  // ends or delays what runs
  frame,    // of a group
  phi,
  terminator,
};

// What an immediate holds. The verifier checks it.
enum class ImmediateKind : std::uint8_t {
  none,
  truth,             // 0 or 1
  word,              // 32 bits
  uniform_offset,    // bytes into the uniform table, a multiple of 4
  uniform_rows,      // bits 0-31 such an offset, bits 32-63 a count of 16-byte rows
  input,             // bits 0-31 an input binding, bits 32-63 none (0) or 1 + another one
  output,            // an output binding
  input_rows,        // bits 0-31 an input binding, bits 32-63 a count of rows
  output_rows,       // the same of an output binding
  slot,              // of a thread
  primitive_offset,  // bytes into the primitive's record, a multiple of 4
  tile_plane,        // of the tile
  texture,           // of the function
  sample,            // a SampleUse (ir/sample.h)
  frame_slot,        // of a group
  frame_rows,        // bits 0-31 the first slot of the group, bits 32-63 their number, a power of two
  access,            // a MemoryAccess (ir/memory.h)
  axis,              // of a grid: into BlockPosition
  quad,              // four numbers of lanes in a quad, 2 bits each
  stop_reason,       // a StopReason
  barrier,           // a BarrierForm (ir/barrier.h)
  look_up_table,     // ir/look_up.h
  special_function,  // these five: ir/callout.h
  rounding,
  integer_rounding,
  is_signed,
  f64_operation,
};

// OpcodeInfo::cost of an operation that is worth a skip test by itself.
inline constexpr std::uint8_t kMemoryCost = 100;

// One row of opcodes.inc, decoded.
struct OpcodeInfo {
  std::string_view name;
  std::string_view results;   // type letters
  std::string_view operands;  // type letters
  Family family;
  ImmediateKind immediate;
  std::uint8_t cost;
  bool pure, commutative, reads, writes, convergent, terminator, per_lane, guarded, masked, callout,
      group_only, preamble_only, free_to_repeat, easy_to_repeat, hands_on_all, hands_on_last, chooses,
      makes_denormals;

  constexpr bool has_immediate() const { return immediate != ImmediateKind::none; }
  // True if it is a function of its operands alone, lane by lane, with one result. ir/evaluate.h says which.
  constexpr bool lane_wise() const {
    return pure && !reads && !convergent && !per_lane && !callout && !has_immediate() &&
           family != Family::phi;
  }
  // True if the bits of operand k, up to the sign of a float, may become those of the result.
  constexpr bool hands_on(std::size_t k) const {
    if (hands_on_last) return k + 1 == operands.size();
    return hands_on_all && (family == Family::phi || operands[k] != 'b');
  }
  constexpr bool is_mask(std::size_t operand) const { return masked && operand + 1 == operands.size(); }
  // The operand that says in which lanes the operation matters; none: kNoGuard.
  static constexpr std::uint32_t kNoGuard = ~0u;
  constexpr std::uint32_t guard() const {
    return guarded ? 0 : masked ? static_cast<std::uint32_t>(operands.size()) - 1 : kNoGuard;
  }
};
namespace types_detail {
constexpr OpcodeInfo decode_row(std::string_view name, std::string_view results, std::string_view operands,
                                std::string_view flags, Family family, std::uint8_t cost,
                                ImmediateKind immediate) {
  auto has = [&](char flag) { return flags.find(flag) != std::string_view::npos; };
  return {.name = name,
          .results = results,
          .operands = operands,
          .family = family,
          .immediate = immediate,
          .cost = cost,
          .pure = has('P'),
          .commutative = has('C'),
          .reads = has('R'),
          .writes = has('W'),
          .convergent = has('X'),
          .terminator = has('T'),
          .per_lane = has('V'),
          .guarded = has('G'),
          .masked = has('M'),
          .callout = has('O'),
          .group_only = has('F'),
          .preamble_only = has('U'),
          .free_to_repeat = has('Z'),
          .easy_to_repeat = has('E'),
          .hands_on_all = has('H'),
          .hands_on_last = has('L'),
          .chooses = has('K'),
          .makes_denormals = has('D')};
}
inline constexpr std::array<OpcodeInfo, kOpcodeCount> kOpcodes = {{
#define WARPJIT_IR_OP(name, results, operands, flags, family, cost, immediate) \
  decode_row(#name, results, operands, flags, Family::family, cost, ImmediateKind::immediate),
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP
}};
// The families by themselves: the most frequent query.
inline constexpr std::array<Family, kOpcodeCount> kFamilies = [] {
  std::array<Family, kOpcodeCount> families{};
  for (std::size_t k = 0; k < families.size(); ++k) families[k] = kOpcodes[k].family;
  return families;
}();
constexpr std::size_t most(auto count) {
  std::size_t most = 0;
  for (const OpcodeInfo& row : kOpcodes) most = count(row) > most ? count(row) : most;
  return most;
}
static_assert(most([](const OpcodeInfo& row) -> std::size_t {
                return row.free_to_repeat && !row.operands.empty() ? 1 : 0;
              }) == 0,
              "what is free to make again has no operands");
}  // namespace types_detail

// The most that a row has; phis may have more operands.
inline constexpr std::size_t kMaxOperands =
    types_detail::most([](const OpcodeInfo& row) { return row.operands.size(); });
inline constexpr std::size_t kMaxResults =
    types_detail::most([](const OpcodeInfo& row) { return row.results.size(); });
// The most that a row with a callout has.
inline constexpr std::size_t kMaxCalloutResults =
    types_detail::most([](const OpcodeInfo& row) { return row.callout ? row.results.size() : 0; });

constexpr const OpcodeInfo& info(Opcode opcode) {
  return types_detail::kOpcodes[static_cast<std::size_t>(opcode)];
}
constexpr Family family(Opcode opcode) { return types_detail::kFamilies[static_cast<std::size_t>(opcode)]; }
constexpr bool is_constant(Opcode opcode) { return family(opcode) == Family::constant; }
constexpr Type type_of_letter(char letter) {
  switch (letter) {
    case 'b':
      return Type::i1;
    case 'i':
      return Type::i32;
    case 'f':
      return Type::f32;
    default:
      return Type::none;
  }
}

// Typed indices into the tables of a Function.
template <class Tag>
struct Index {
  std::uint32_t id = ~0u;
  constexpr bool valid() const { return id != ~0u; }
  friend constexpr bool operator==(Index, Index) = default;
  friend constexpr auto operator<=>(Index, Index) = default;
};
using Value = Index<struct ValueTag>;
using Inst = Index<struct InstTag>;
using Block = Index<struct BlockTag>;

// Guest addresses are in the guest's own unit (PICA200: words). kNoAddress: made by no guest instruction.
inline constexpr std::uint32_t kNoAddress = ~0u;

// Rows that a thread may have in one binding (LoadInputRow, StoreOutputRow).
inline constexpr std::uint32_t kMaxRows = 1u << 16;

// Lanes of a group, and groups of a block (Function::group_lanes, block_groups).
inline constexpr std::uint32_t kMaxGroupLanes = 256;
inline constexpr std::uint32_t kMaxBlockGroups = 64;
inline constexpr std::uint32_t kMaxGridExtent = 65535;
// Where a block is in its grid: column, row, plane.
using BlockPosition = std::array<std::uint32_t, 3>;

using warpjit::StopReason;  // the immediate of Stop

}  // namespace warpjit::ir
