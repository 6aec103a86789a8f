// The interpreter's micro-operations: guest instructions with resolved register offsets, selectors and
// targets. Private to interpret_*.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frontend/pica200/interpret/interpret.h"

namespace warpjit::pica200 {

// Arithmetic: PICA_ALU_OP(name, sources, value). `w` is the wide operand, `n` and `m` the narrow ones in the
// order of the instruction. Each gives three kinds: plain (no swizzle, negation or relative address),
// general, and indexed. Rules: docs/guests/pica200.md 6, 7 and 13.
#define PICA_ALU_OPS(X)                                \
  X(add, 2, w + n)                                     \
  X(mul, 2, multiply(w, n))                            \
  X(sge, 2, one_where(w >= n))                         \
  X(slt, 2, one_where(w < n))                          \
  X(sgei, 2, one_where(n >= w))                        \
  X(slti, 2, one_where(n < w))                         \
  X(max, 2, select(w > n, w, n))                       \
  X(min, 2, select(w < n, w, n))                       \
  X(dp3, 2, sum3(multiply(w, n)))                      \
  X(dp4, 2, sum4(multiply(w, n)))                      \
  X(dph, 2, sum4(multiply(with_lane(w, 3, 1.0F), n)))  \
  X(dphi, 2, sum4(multiply(with_lane(n, 3, 1.0F), w))) \
  X(dst, 2, distance(w, n))                            \
  X(dsti, 2, distance(n, w))                           \
  X(mov, 1, w)                                         \
  X(flr, 1, floor_lanes(w))                            \
  X(rcp, 1, splat(rcp(w[0])))                          \
  X(rsq, 1, splat(rsqrt(w[0])))                        \
  X(ex2, 1, splat(exp2(w[0])))                         \
  X(lg2, 1, splat(log2(w[0])))                         \
  X(mad, 3, multiply(w, n) + m)                        \
  X(madi, 3, multiply(n, m) + w)

// The rest. Arithmetic that has only the general and indexed way of fetching comes first.
// clang-format off
#define PICA_OTHER_OPS(X)                                                                              \
  X(litp) X(mova) X(cmp) X(round) X(check) X(check_call) X(check_if) X(check_loop) X(nop) X(end) X(break_)      \
  X(breakc) X(call) X(callc) X(callu) X(ifc) X(ifu) X(loop) X(jmpc) X(jmpu) X(structural) X(emit) X(setemit)    \
  X(fault)
// clang-format on

enum class Kind : std::uint16_t {
#define PICA_KIND(name, ...) name##_plain, name##_general, name##_indexed,
  PICA_ALU_OPS(PICA_KIND)
#undef PICA_KIND
#define PICA_KIND(name) name,
      PICA_OTHER_OPS(PICA_KIND)
#undef PICA_KIND
};

struct MicroOp {
  Kind kind = Kind::fault;
  std::uint8_t wide_base = 0;  // 0: `wide` is an offset into ThreadState, 1: into Uniforms
  std::uint8_t idx = 0;        // address register of the wide operand
  std::uint16_t address = 0;   // of the guest instruction
  std::uint16_t dst = 0;       // byte offsets
  std::uint16_t wide = 0, narrow1 = 0, narrow2 = 0;
  std::uint8_t c_index = 0;           // of a relatively addressed wide operand
  std::uint8_t cmp_x = 0, cmp_y = 0;  // CMP: truth by outcome, see compare() in interpret/loop.inc
  std::uint8_t components = 0;        // MOVA: mask
  struct Alu {
    std::uint32_t sign_wide, sign1, sign2;  // xored into every lane
    std::uint32_t reads;   // lanes on which it depends: bits 0 to 3 of `wide`, 4 to 7 of `narrow1`, 8 to 11
    std::int32_t mask[4];  // -1: write this lane
    std::int32_t wide[4], narrow1[4], narrow2[4];  // selected component per lane
  };
  struct Flow {
    std::uint16_t target, num;
    std::uint16_t next;     // address + 1
    std::uint16_t truth;    // bit (cmp.x | cmp.y << 1): the condition holds
    std::uint8_t uniform;   // b or i register; SETEMIT: the vertex
    std::uint8_t argument;  // JMPU: the value that jumps; SETEMIT: bit 0 primitive, bit 1 winding
    bool checked;           // next is the end of a reachable scope
    Opcode opcode;          // Kind::structural: what to do; NOP after an instruction that is no flow
  };
  union {
    Alu alu;
    Flow flow;
  };
  MicroOp() : alu() {}
};

// The c register that a relatively addressed operand names; from 96 on there are ones. addresses: 0, a0.x, a0.y, aL.
inline unsigned relative_index(const MicroOp& op, const std::int32_t (&addresses)[4]) {
  std::int32_t offset = addresses[op.idx];
  if (offset < -128 || offset > 127) offset = 0;
  return static_cast<unsigned>(op.c_index + offset) & 0x7F;
}

// How a run ended.
enum Outcome : int { kDone, kOutOfFuel, kCancelled, kFault };

struct Ending {
  Outcome outcome;
  std::uint32_t address;
};

// `unit` is that of a geometry program, whose registers `state` is.
using RunLoop = Ending (*)(const MicroOp* ops, const std::uint32_t* op_of_address, std::uint32_t entry_op,
                           const Uniforms& uniforms, ThreadState& state, InterpretedUnit* unit,
                           const RunLimits& limits);
Ending run_loop_baseline(const MicroOp* ops, const std::uint32_t* op_of_address, std::uint32_t entry_op,
                         const Uniforms& uniforms, ThreadState& state, InterpretedUnit* unit,
                         const RunLimits& limits);
// The same source compiled for AVX2; only on x86-64, only to be called where the host has it.
Ending run_loop_avx2(const MicroOp* ops, const std::uint32_t* op_of_address, std::uint32_t entry_op,
                     const Uniforms& uniforms, ThreadState& state, InterpretedUnit* unit,
                     const RunLimits& limits);

// The same source with an observer.
Ending run_loop_observed(const MicroOp* ops, const std::uint32_t* op_of_address, std::uint32_t entry_op,
                         const Uniforms& uniforms, ThreadState& state, InterpretedUnit* unit,
                         const RunLimits& limits, interpret::Observer& observer);

}  // namespace warpjit::pica200
