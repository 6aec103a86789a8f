// The small vocabulary of the IR: value types, opcodes and their properties (from opcodes.inc), entity
// indices, and shapes (how a value varies over the threads of a launch).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpjit::ir {

enum class Type : std::uint8_t { none, i1, i8, i16, i32, i64, f16, f32, f64 };
std::string_view name(Type type);

// How a value varies. The order matters: the shape of an operation is at least the maximum of its operands'.
enum class Shape : std::uint8_t {
  launch,   // the same for every thread of the launch: known before the groups run
  group,    // the same for every lane of a group
  varying,  // may differ from lane to lane
};
std::string_view name(Shape shape);

enum class Opcode : std::uint8_t {
#define WARPJIT_IR_OP(name, results, operands, flags) name,
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP
};

inline constexpr int kOpcodeCount = 0
#define WARPJIT_IR_OP(name, results, operands, flags) +1
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP
    ;

// One row of opcodes.inc, decoded.
struct OpcodeInfo {
  std::string_view name;
  std::string_view results;   // type letters
  std::string_view operands;  // type letters
  bool pure, commutative, reads, writes, convergent, terminator, immediate, per_lane, guarded, callout,
      masked;

  bool is_mask(std::size_t operand) const { return masked && operand + 1 == operands.size(); }
  // The operand that says in which lanes the operation matters; none: kNoGuard.
  static constexpr std::uint32_t kNoGuard = ~0u;
  constexpr std::uint32_t guard() const {
    return guarded ? 0 : masked ? static_cast<std::uint32_t>(operands.size()) - 1 : kNoGuard;
  }
};
namespace types_detail {
constexpr OpcodeInfo decode_row(std::string_view name, std::string_view results, std::string_view operands,
                                std::string_view flags) {
  auto has = [&](char flag) { return flags.find(flag) != std::string_view::npos; };
  return {name,     results,  operands, has('P'), has('C'), has('R'), has('W'),
          has('X'), has('T'), has('I'), has('V'), has('G'), has('O'), has('M')};
}
inline constexpr std::array<OpcodeInfo, kOpcodeCount> kOpcodes = {{
#define WARPJIT_IR_OP(name, results, operands, flags) decode_row(#name, results, operands, flags),
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP
}};
}  // namespace types_detail
constexpr const OpcodeInfo& info(Opcode opcode) {
  return types_detail::kOpcodes[static_cast<std::size_t>(opcode)];
}
constexpr Type type_of_letter(char letter) {
  switch (letter) {
    case 'b':
      return Type::i1;
    case 'i':
      return Type::i32;
    case 'l':
      return Type::i64;
    case 'f':
      return Type::f32;
    case 'd':
      return Type::f64;
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

// Why Stop ends a run.
enum class StopReason : std::uint8_t {
  barrier_never_complete,  // groups wait at different barriers
  bad_control,             // the guest's control stack does not fit what it does
  trap,                    // the guest asked for it
};
inline constexpr std::uint32_t kStopReasons = 3;
std::string_view message(StopReason reason);

}  // namespace warpjit::ir
