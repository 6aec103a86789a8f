// Checks that a function is well-formed IR: what every pass, interpreter and backend may rely on.
#pragma once

#include "base/result.h"
#include "ir/function.h"

namespace warpjit::ir {

// Limits on what a function may declare, so that a hostile text cannot make its reader allocate at will.
inline constexpr std::uint32_t kMaxBindings = 256;             // input_count, output_count
inline constexpr std::uint32_t kMaxUniformBytes = 1u << 24;    // uniform_bytes
inline constexpr std::uint32_t kMaxSlots = 1u << 16;           // slot_count
inline constexpr std::uint32_t kMaxPrimitiveBytes = 1u << 16;  // primitive_bytes
inline constexpr std::uint32_t kMaxTilePlanes = 256;           // tile_planes
inline constexpr std::uint32_t kMaxTextureCount = 256;         // texture_count

// Ok, or ErrorCode::internal with function, block and the text of the instruction that breaks a rule.
// Checked, in linear time but for the dominators:
//  - lists: instructions belong to their block, phis come first, the one terminator is last; results, operand
//    counts and types are those of opcodes.inc; constants fit their type.
//  - edges: successors and predecessors agree, targets of a terminator are distinct, the entry has no
//    predecessor; a phi has one operand per predecessor. A block without instructions has no edges.
//  - every use in a reachable block is dominated by its definition.
//  - immediates lie within the function's inputs, outputs, uniform bytes (multiples of 4), slots, primitive
//    record (multiples of 4) and planes. Opcodes of the family `pixel` stand in functions over pixels only.
//  - AnyLane, MinLaneU32, BurnFuel and QuadSwizzle1 stand in group form only; StoreUniform* in a
//    straight-line group form (a preamble) only. An edge is marked backward only in thread form, or in group
//    form before insert_fuel.
//  - group form: conditions of Branch and Switch are not varying; no pure lane-wise result claims a narrower
//    uniformity than its operands; MinLaneU32 of a varying value reads a select, slot, frame row or phi (an
//    explicit value for dead lanes).
Status verify(const Function& f);

}  // namespace warpjit::ir
