// What the x64 backend knows of its two targets: operations, their forms, registers and calling conventions.
#pragma once

#include <cstdint>

#include "backend/lir.h"
#include "backend/regalloc.h"
#include "backend/target.h"

namespace warpjit::backend::x64 {

// Operand patterns. d = definition; s0, s1, ... = uses; "|m" = or memory.
enum class Form : std::uint8_t {
  vvv,
  vv,
  vv_imm,
  shift,
  fma,
  upper_half,
  upper_quarter,
  compare,
  compare_masked,
  blend,
  vv_zero_mask,
  merge_zero,
  merge_move,
  kkk,
  kk,
  k_constant,
  k_from_scalar,
  k_to_scalar,
  mask_to_scalar,
  k_load,
  k_store,
  v_constant,
  load_broadcast,
  broadcast_scalar,
  v_to_scalar,
  load_full,
  store_full,
  store_masked,
  load_row,
  insert_row,
  store_row,
  extract_row,
  store_word,
  s_imm,
  s_load,
  s_load64,
  s_store,
  s_store_word,
  s_copy,
  s_lea,
  s_tied,
  s_tied_imm,
  s_neg,
  s_compare,
  s_select,
  jump,
  branch,
  switch_,
  return_,
  burn_fuel,
};

enum class Op : std::uint16_t {
#define X64_OP(name, form, v3, v4) name,
#include "backend/x64/opcodes.inc"
#undef X64_OP
};
Form form(Op op);

// Integer conditions of scalar compares and branches.
enum class Condition : std::uint8_t { equal, not_equal, less_s, less_equal_s, less_u, less_equal_u };
inline constexpr std::int64_t kCompareImmediate = std::int64_t{1}
                                                  << 40;  // imm: condition | flag | constant << 8
constexpr std::int64_t pack_condition(Condition c) { return static_cast<std::int64_t>(c); }
constexpr std::int64_t pack_condition(Condition c, std::int32_t constant) {
  return static_cast<std::int64_t>(c) | kCompareImmediate |
         static_cast<std::int64_t>(static_cast<std::uint32_t>(constant)) << 8;
}

// vcmpps predicates, quiet.
namespace predicate {
inline constexpr int kEq = 0x00, kNe = 0x04, kLt = 0x11, kLe = 0x12, kGt = 0x1E, kGe = 0x1D,
                     kUnordered = 0x03, kOrdered = 0x07;
}
// vpcmpd / vpcmpud predicates.
namespace integer_predicate {
inline constexpr int kEq = 0, kLt = 1, kLe = 2, kNe = 4;
}

// The differences between the targets, as data.
struct Host {
  Target target;
  std::uint32_t lanes;  // 32-bit lanes of a vector
  std::uint32_t vector_bytes;
  bool mask_registers;  // masks are in k registers, and operands broadcast from memory
};
const Host& host(Target target);

// Registers the allocator may use; `limit` per class if not 0.
const lir::RegisterFile register_file(const Host& host, std::uint32_t limit);

// 32-bit words that code reads relative to itself. On AVX2 each word is repeated over a whole vector, so that
// it can be a memory operand.
class ConstantPool {
 public:
  explicit ConstantPool(const Host& host) : host_(host) {}
  // Byte offset of the constant in the pool.
  std::int32_t offset(std::uint32_t word);
  const std::vector<std::uint32_t>& words() const { return words_; }

 private:
  const Host& host_;
  std::vector<std::uint32_t> words_;  // as laid out
  std::vector<std::uint32_t> distinct_;
};

}  // namespace warpjit::backend::x64
