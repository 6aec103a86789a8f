// PICA200 instructions as IR, one thread's worth: operands, arithmetic, the state at the start and the
// outputs at the end. Control flow is the business of those who drive it (translate.cpp,
// translate_dynamic.cpp).
#pragma once

#include <array>
#include <vector>

#include "frontend/pica200/translate.h"
#include "ir/builder.h"
#include "ir/pass/ssa.h"

namespace warpjit::pica200 {

// Guest registers as SSA variables. LOOP counters and the aL that a LOOP saves have a place per open LOOP.
// Those from kVarCallEnd on are the scope stacks as run-time state: top entry first.
inline constexpr std::uint32_t kVarR = 0, kVarO = 64, kVarA0 = 128, kVarAL = 130, kVarCmp = 131,
                               kVarCounter = 133, kVarSaved = 137, kStaticVariables = 141;

class InstructionTranslator {
 protected:
  // `variables`: how many, all beyond kStaticVariables of type i32.
  InstructionTranslator(const Program& program, const Facts& facts, std::uint32_t variables);

  template <class T>
  T read(std::uint32_t variable) {
    return T{ssa_.read(builder_.block(), variable)};
  }
  void write(std::uint32_t variable, ir::Value v) { ssa_.write(builder_.block(), variable, v); }

  // Registers at the start of a thread; loads the inputs.
  void begin_thread();
  // Outputs as they are given out.
  void end_thread();
  // Where control has run past the last word, which only a run can tell: the thread stays until its fuel is
  // used up, and that is reported with this address. `block` gets no other successor and is sealed.
  void stay(ir::Block block, std::uint32_t address);
  // One instruction that is not flow control.
  void instruction(const Instruction& i);
  // Whether the flags meet a flow instruction's condition (section 8).
  ir::I1 condition(const Instruction& i);
  // b[number], as far as it is not known.
  ir::I1 boolean(unsigned number);

  const Program& program_;
  const Facts& facts_;
  ir::Function function_;
  ir::Builder builder_;
  ir::SsaBuilder ssa_;

 private:
  class Operand;
  ir::I1 compare(unsigned relation, ir::F32 a, ir::F32 b);
  ir::F32 round_f24(ir::F32 value);
  bool is_f24(ir::Value value, int depth) const;
  ir::F32 multiply(ir::F32 a, ir::F32 b) { return builder_.FMulZeroInf32(a, b); }
  ir::F32 scalar(Opcode op, Operand& s1, Operand& s2);
  ir::F32 component(Opcode op, unsigned c, Operand& s1, Operand& s2, Operand& s3);

  std::uint32_t variables_;
  std::array<std::array<ir::F32, 4>, 16> inputs_;
  std::vector<bool> rounded_;  // by value: made by round_f24
};

// Translation with the scope stacks as run-time state, for programs whose stacks unfold into too many blocks.
Result<ir::Function> translate_dynamic(const Program& program, std::uint32_t entry, const Facts& facts);

}  // namespace warpjit::pica200
