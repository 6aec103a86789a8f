// The two targets of the x64 backend: forms of operations, and predicates of comparisons.
#pragma once

#include <cstdint>

#include "backend/host.h"

namespace warpjit::backend::x64 {

inline constexpr std::int32_t kLeastPage = 4096;  // bytes

// Operand patterns. d = definition; s0, s1, ... = uses; "|m" = or memory.
enum class Form : std::uint8_t {
  none,  // not of this backend
  vvv,
  vv,
  round,
  vvv_zero,
  vv_zero,
  fma_zero,
  fma_down,
  fma_up,
  range,
  vv_imm,
  vvv_imm,
  vvvv_imm,
  shift,
  fma,
  look_up,
  upper_half,
  upper_quarter,
  compare,
  compare_masked,
  test,
  test_masked,
  blend,
  vv_zero_mask,
  merge_zero,
  kkk,
  kk,
  k_constant,
  v_from_k,
  k_from_v,
  k_from_scalar,
  k_to_scalar,
  mask_to_scalar,
  k_load,
  k_store,
  v_constant,
  load_broadcast,
  broadcast_masked,
  broadcast_scalar,
  v_to_scalar,
  lane_to_scalar,
  load_full,
  store_full,
  load_full_ahead,
  store_masked,
  load_masked,
  spread_first,
  gather,
  gather_pairs,
  scatter,
  ask,
  load_row,
  insert_row,
  store_row,
  extract_row,
  store_word,
  s_imm,
  s_load,
  s_load64,
  s_load8,
  s_load16,
  s_store,
  s_store_word,
  s_store_byte,
  s_copy,
  s_lea,
  s_tied,
  s_tied_imm,
  s_neg,
  s_compare,
  s_extreme,
  s_select,
  s_select64,
  s_sign_extend,
  s_bit_scan,
  s_atomic,
  s_compare_exchange,
  subroutine,
  set_float_mode,
  store_float_flags,
  to_halves,
  to_halves_imm,
  from_halves,
  halves,
  halves_fma,
  halves_compare,
};

// vcmpps predicates, quiet.
namespace predicate {
inline constexpr int kEq = 0x00, kNe = 0x04, kLt = 0x11, kLe = 0x12, kGt = 0x1E, kGe = 0x1D,
                     kUnordered = 0x03, kOrdered = 0x07, kNeOrdered = 0x0C,
                     kLtSignaling = 0x01;  // raises the invalid flag for any NaN
}
// vpcmpd / vpcmpud predicates.
namespace integer_predicate {
inline constexpr int kEq = 0, kLt = 1, kLe = 2, kNe = 4, kGe = 5, kGt = 6;
}

extern const Host kV3, kV4, kV4Fp16;

void lower(const ir::Function& f, const Host& host, const Role& role, ConstantPool& pool, std::uint32_t parts,
           lir::Code& code);
RowTables choose_row_tables(const ir::Function& kernel);
Status emit(const EntryCode& kernel, const EntryCode* preamble, const Host& host, const ConstantPool& pool,
            const CompileOptions& options, MachineCode& out);

}  // namespace warpjit::backend::x64
