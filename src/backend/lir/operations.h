// The operations of LIR by name (opcodes.inc), and the conditions that scalar compares and branches hold.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpjit::backend {

enum class Op : std::uint16_t {
#define LIR_OP(name, kind) name,
#include "backend/lir/opcodes.inc"
#undef LIR_OP
};
inline constexpr std::size_t kOpCount = 0
#define LIR_OP(name, kind) +1
#include "backend/lir/opcodes.inc"
#undef LIR_OP
    ;
enum class OpKind : std::uint8_t { arithmetic, operand, move, other };
OpKind kind(Op op);

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

}  // namespace warpjit::backend
