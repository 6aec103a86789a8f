// What hosts can do: a row for each instruction set. Code reads these, never which host it is. What differs
// between processors of one instruction set is in processor.h.
#pragma once

#include <cstdint>

#include "backend/target.h"

namespace warpjit::backend {

inline constexpr std::uint32_t kCacheLine = 64;  // bytes; of some hosts it is longer

struct Capabilities {
  std::uint32_t lanes;  // 32-bit lanes of a vector
  std::uint32_t vector_bytes;
  std::uint32_t vector_registers;
  std::uint32_t vector_ports;    // instructions on vectors that begin in a clock
  std::uint32_t pool_repeat;     // words of the constant pool for one constant
  std::uint32_t max_code_bytes;  // that branches and the constant pool reach across
  // Forms of instructions.
  std::uint32_t mask_registers;  // of masks, a bit a lane, that values may be in; 0: masks are vectors
  bool memory_operands;          // a vector operand may be in memory
  bool broadcast_operands;       // it may be one word in memory, for all lanes
  bool two_operand_scalars;      // scalar arithmetic overwrites its first operand
  bool scaled_row_index;         // a row may be addressed as base + 2 * stride
  bool blend_overwrites;         // a select is made in the register of one of its operands
  bool embedded_rounding;        // an instruction can name its rounding, toward zero
  // Instructions that the host has.
  bool unsigned_conversions;  // between f32 and u32
  bool number_extremes;       // minimum and maximum that prefer numbers to quiet NaNs
  bool rotates;               // of lanes, by a constant
  bool scatters;
  bool guarded_broadcasts;  // a word of memory to all lanes, not read if no lane has the guard
  bool three_operand_logic;
  bool packs_bytes;              // four numbers to the bytes of a word, better than shifts
  bool reciprocals;              // about 1/x and 1/sqrt(x)
  bool half_arithmetic;          // of two halves in a word
  bool table_look_ups;           // of words of a table for a vector, in a few instructions
  bool flushes_first;            // the mode without denormals flushes results before they are rounded
  std::uint32_t permuted_words;  // most words of a table that permutations look up; larger ones are gathered
  // Optimizations that pay.
  bool loads_ahead;    // code prefetches cache lines of later blocks and of later rows in streams
  bool one_row_test;   // code tests if all lanes read the same row of the uniform table
  bool single_pixels;  // groups of pixels without their quads
};

// On AVX2 each constant is repeated over a whole vector, so that it can be a memory operand.
inline constexpr Capabilities kAvx2 = {
    .lanes = 8,
    .vector_bytes = 32,
    .vector_registers = 16,
    .vector_ports = 3,
    .pool_repeat = 8,
    .max_code_bytes = 1u << 30,
    .mask_registers = 0,
    .memory_operands = true,
    .broadcast_operands = false,
    .two_operand_scalars = true,
    .scaled_row_index = true,
    .blend_overwrites = false,
    .embedded_rounding = false,
    .unsigned_conversions = false,
    .number_extremes = false,
    .rotates = false,
    .scatters = false,
    .guarded_broadcasts = false,
    .three_operand_logic = false,
    .packs_bytes = true,
    .reciprocals = false,  // division takes as long
    .half_arithmetic = false,
    .table_look_ups = true,
    .flushes_first = false,
    .permuted_words = 32,  // of 8 each, four and three selects
    .loads_ahead = true,
    .one_row_test = true,
    .single_pixels = true,
};

inline constexpr Capabilities kAvx512 = {
    .lanes = 16,
    .vector_bytes = 64,
    .vector_registers = 32,
    .vector_ports = 2,
    .pool_repeat = 1,
    .max_code_bytes = 1u << 30,
    .mask_registers = 7,
    .memory_operands = true,
    .broadcast_operands = true,
    .two_operand_scalars = true,
    .scaled_row_index = true,
    .blend_overwrites = false,
    .embedded_rounding = true,
    .unsigned_conversions = true,
    .number_extremes = true,
    .rotates = true,
    .scatters = true,
    .guarded_broadcasts = true,
    .three_operand_logic = true,
    .packs_bytes = false,  // shuffles of 512 bits have one port
    .reciprocals = true,
    .half_arithmetic = false,
    .table_look_ups = true,
    .flushes_first = false,
    .permuted_words = 128,
    .loads_ahead = true,
    .one_row_test = false,
    .single_pixels = true,
};

// Conditional branches and loads of constants reach 1 MiB.
inline constexpr Capabilities kNeon = {
    .lanes = 4,
    .vector_bytes = 16,
    .vector_registers = 32,
    .vector_ports = 2,
    .pool_repeat = 4,
    .max_code_bytes = 1u << 20,
    .mask_registers = 0,
    .memory_operands = false,
    .broadcast_operands = false,
    .two_operand_scalars = false,
    .scaled_row_index = false,
    .blend_overwrites = true,
    .embedded_rounding = false,
    .unsigned_conversions = true,
    .number_extremes = true,
    .rotates = false,
    .scatters = false,
    .guarded_broadcasts = false,
    .three_operand_logic = false,
    .packs_bytes = false,
    .reciprocals = false,
    .half_arithmetic = false,
    .table_look_ups = false,
    .flushes_first = true,
    .permuted_words = 0,
    .loads_ahead = false,  // not measured
    .one_row_test = false,
    .single_pixels = false,
};

constexpr Capabilities capabilities(Target target) {
  Capabilities found = kNeon;
  if (plain(target) == Target::x64_v3) found = kAvx2;
  if (plain(target) == Target::x64_v4) found = kAvx512;
  found.half_arithmetic = has_half_arithmetic(target);
  return found;
}
static_assert(kAvx2.lanes <= kMostHostLanes && kAvx512.lanes <= kMostHostLanes &&
              kNeon.lanes <= kMostHostLanes);

}  // namespace warpjit::backend
