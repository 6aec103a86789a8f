// The operations of LIR by name, with their effects (opcodes.inc), and the conditions that scalar compares
// and branches hold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ir/memory.h"

namespace warpjit::backend {

enum class Op : std::uint16_t {
#define LIR_OP(name, ...) name,
#include "backend/lir/opcodes.inc"
#undef LIR_OP
};
inline constexpr std::size_t kOpCount = 0
#define LIR_OP(name, ...) +1
#include "backend/lir/opcodes.inc"
#undef LIR_OP
    ;
enum class OpKind : std::uint8_t { arithmetic, operand, move, other };

// One row of opcodes.inc, decoded.
struct OpInfo {
  OpKind kind;
  bool commutes, reads, writes, takes_address, sets_mode, ends_block, may_stop;
  std::uint8_t clears;  // which use; kNoUse: none

  static constexpr std::uint8_t kNoUse = 0xff;
  // True if the instruction may be removed where its definition is unused.
  constexpr bool pure() const { return !writes && !sets_mode && !ends_block && !may_stop; }
};
namespace operations_detail {
constexpr OpInfo decode_row(OpKind kind, std::string_view effects) {
  const auto has = [&](char effect) { return effects.find(effect) != std::string_view::npos; };
  const std::uint8_t clears = has('1') ? 1 : has('2') ? 2 : OpInfo::kNoUse;
  return {kind, has('C'), has('R'), has('W'), has('A'), has('S'), has('T'), has('X'), clears};
}
inline constexpr std::array<OpInfo, kOpCount> kRows = {{
#define LIR_OP(name, kind, effects, ...) decode_row(OpKind::kind, effects),
#include "backend/lir/opcodes.inc"
#undef LIR_OP
}};
}  // namespace operations_detail
constexpr const OpInfo& info(Op op) { return operations_detail::kRows[static_cast<std::size_t>(op)]; }

// Integer conditions of scalar compares and branches, as they stand in Inst::imm.
enum class Condition : std::uint8_t { equal, not_equal, less_s, less_equal_s, less_u, less_equal_u };
inline constexpr std::int64_t kCompareImmediate = std::int64_t{1}
                                                  << 40;  // imm: condition | flag | constant << 8
constexpr std::int64_t pack_condition(Condition c) { return static_cast<std::int64_t>(c); }
constexpr std::int64_t pack_condition(Condition c, std::int32_t constant) {
  return static_cast<std::int64_t>(c) | kCompareImmediate |
         static_cast<std::int64_t>(static_cast<std::uint32_t>(constant)) << 8;
}
constexpr Condition unpack_condition(std::int64_t imm) { return static_cast<Condition>(imm & 0xff); }
constexpr std::int32_t unpack_constant(std::int64_t imm) { return static_cast<std::int32_t>(imm >> 8); }

// The immediate of SAtomic.
struct AtomicKind {
  ir::AtomicFunction function;
  bool shared;  // other host threads may access the word at the same time
};
constexpr std::int64_t pack_atomic(AtomicKind kind) {
  return static_cast<std::int64_t>(kind.function) | (kind.shared ? 0x100 : 0);
}
constexpr AtomicKind unpack_atomic(std::int64_t imm) {
  return {static_cast<ir::AtomicFunction>(imm & 0xff), (imm & 0x100) != 0};
}

}  // namespace warpjit::backend
