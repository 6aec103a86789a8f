// The target of the a64 backend: forms of operations. NEON has 4 lanes; masks are vectors of all ones and
// zeros; vector operands are registers, of which a product may take one lane.
#pragma once

#include <cstdint>

#include "backend/host.h"

namespace warpjit::backend::a64 {

// Operand patterns; the number counts registers, definition included. words: .4s, bits: .16b, pairs: .2d.
enum class Form : std::uint8_t {
  none,  // not of this backend
  words3,
  words_from,
  words2,
  halves3,  // .8h
  halves2,
  halves_fmla,
  to_halves,    // .4h from .4s
  from_halves,  // .4s from .4h
  widen,        // .4s from .4h, by a shift of 0
  bits3,
  bits3_swapped,
  bits2,
  pairs3,
  pairwise,   // both operands are use[0]
  across,     // a lane from all lanes
  with_zero,  // compares use[0] with 0.0
  shift,
  fmla,  // made in the register of use[0]
  fmla_lane,
  lane3,
  blend,
  vector_imm,
  dup_lane,
  dup_scalar,
  lane_to_scalar,
  low_to_scalar,
  load_word,
  insert_word,
  load_quad,
  store_quad,
  store_word,
  load_broadcast,
  load_masked,
  store_masked,
  load_lanes,
  store_lanes,
  set_float_mode,
  store_float_flags,
  s_imm,
  s_load,
  s_load64,
  s_load8,
  s_load16,
  s_store,
  s_store64,
  s_copy,
  s_address,
  s_table_address,
  s_pool_address,
  s3,
  s2,
  s_add_imm,
  s_logic_imm,
  s_shift_imm,
  s_compare,
  s_extreme,
  s_select,
  s_sign_extend,
};

// Scalar registers with a fixed use; the allocator has the others. x18 belongs to the platform.
inline constexpr std::uint32_t kArgs = 0, kTable = 1, kCancel = 14, kFuel = 15, kScratch = 16, kScratch2 = 17;

extern const Host kNeon, kNeonFp16;

void lower(const ir::Function& f, const Host& host, const Role& role, ConstantPool& pool, std::uint32_t parts,
           lir::Code& code);
Status emit(const EntryCode& kernel, const EntryCode* preamble, const Host& host, const ConstantPool& pool,
            const CompileOptions& options, MachineCode& out);

}  // namespace warpjit::backend::a64
