// PICA200 instructions as IR, one thread's worth: operands, arithmetic, the state at the start and the
// outputs at the end. Control flow is in translate.cpp and translate/dynamic.cpp.
#pragma once

#include <array>
#include <bitset>
#include <vector>

#include "frontend/pica200/translate/translate.h"
#include "ir/builder.h"
#include "ir/pass/ssa.h"

namespace warpjit::pica200 {

// Guest registers as SSA variables. LOOP counters and the aL that a LOOP saves have a variable per open LOOP.
// Those from kVarCallEnd on are the scope stacks as run-time state: top entry first.
inline constexpr std::uint32_t kVarR = 0, kVarO = 64, kVarA0 = 128, kVarAL = 130, kVarCmp = 131,
                               kVarCounter = 133, kVarSaved = 137, kStaticVariables = 141;

// How a translation of a geometry program gets the state of the unit and leaves it.
struct UnitAccess {
  bool loads = false;   // all rows at the start; what is not needed is dead code
  bool stores = false;  // all rows at the end
  // So many invocations before its own run first, without triangles and outputs, each with its own inputs:
  // the bindings of inputs come once more for each, those of the invocation just before first.
  unsigned history = 0;
};

class InstructionTranslator {
 protected:
  // `variables`: how many, all beyond kStaticVariables of type i32;
  // those of geometry programs come after them.
  InstructionTranslator(const Program& program, const TranslationFacts& facts, const UnitAccess& unit,
                        std::uint32_t variables);

  template <class T>
  T read(std::uint32_t variable) {
    return T{ssa_.read(builder_.block(), variable)};
  }
  void write(std::uint32_t variable, ir::Value v) { ssa_.write(builder_.block(), variable, v); }

  // Registers at the start of a thread, or what follows an invocation of its history; loads the inputs.
  void begin_thread();
  // Outputs at the end of a thread, with canonical NaNs.
  void end_thread();
  // For control that runs past the last word, which is known only at run time: the thread loops until its
  // fuel is used up, and that is reported with this address. `block` gets no other successor and is sealed.
  void stay(ir::Block block, std::uint32_t address);
  // One instruction that is not flow control.
  void instruction(const Instruction& i);
  // Whether the flags meet a flow instruction's condition (pica200.md 8).
  ir::I1 condition(const Instruction& i);
  // b[number], if it is not known.
  ir::I1 boolean(unsigned number);

  const Program& program_;
  const TranslationFacts& facts_;
  ir::Function function_;
  ir::Builder builder_;
  ir::SsaBuilder ssa_;

 private:
  class Operand;

  // Geometry programs (translate/geometry.cpp).
  using Row = std::array<ir::F32, 4>;
  Row load_unit_row(std::uint32_t number);
  void store_unit_row(std::uint32_t number, const Row& row);
  Row read_row(std::uint32_t variable);
  void write_row(std::uint32_t variable, const Row& row);
  void load_inputs();
  void begin_emission();
  void load_unit();
  void end_invocation();
  void emit();
  void submit_triangle();
  void set_emit(const Instruction& i);
  void store_triangle(ir::I1 primitive, ir::I32 number);
  Row invocation_row(ir::I32 number);  // of the c registers that differ from invocation to invocation
  template <class Visit>
  void each_enabled(Visit visit);  // visit(register, its place among the enabled ones)
  bool is_geometry() const { return program_.stage == Stage::geometry; }
  // Bindings of inputs: those of an invocation, the first one of the current one, its c registers.
  std::uint32_t invocation_bindings() const {
    return static_cast<std::uint32_t>(std::popcount(facts_.bound_inputs)) +
           (facts_.geometry.row_count != 0 ? 1 : 0);
  }
  std::uint32_t first_binding() const { return earlier_ * invocation_bindings(); }
  std::uint32_t row_binding() const {
    return first_binding() + static_cast<std::uint32_t>(std::popcount(facts_.bound_inputs));
  }
  // Variables, from first_geometry_ on.
  std::uint32_t var_other(unsigned n) const { return first_geometry_ + 4 * n; }
  std::uint32_t var_buffer(unsigned vertex, unsigned n) const { return var_other(16 + 16 * vertex + n); }
  std::uint32_t var_vertex() const { return var_other(64); }
  std::uint32_t var_triangles() const { return var_vertex() + 1; }
  std::uint32_t var_inverted(unsigned word) const { return var_vertex() + 2 + word; }
  std::uint32_t var_primitive() const { return var_vertex() + 5; }
  std::uint32_t var_winding() const { return var_vertex() + 6; }
  std::uint32_t var_b15() const { return var_vertex() + 7; }
  ir::I1 compare(unsigned relation, ir::F32 a, ir::F32 b);
  ir::F32 round_f24(ir::F32 value);
  bool is_f24(ir::Value value, int depth) const;
  ir::F32 multiply(ir::F32 a, ir::F32 b) { return builder_.FMulZeroInf32(a, b); }
  ir::F32 scalar(Opcode op, Operand& s1, Operand& s2);
  ir::F32 component(Opcode op, unsigned c, Operand& s1, Operand& s2, Operand& s3);

  const UnitAccess& unit_;
  std::uint32_t variables_, first_geometry_;
  bool begun_ = false;
  unsigned earlier_;  // how many invocations before its own the thread is at
  std::array<std::array<ir::F32, 4>, 16> inputs_;
  std::vector<bool> rounded_;  // by value: made by round_f24
};

// Translation with the hardware's scope stacks as run-time state, for programs whose stacks unfold into too
// many blocks. Not for structural_scopes, and not with a history.
Result<ir::Function> translate_dynamic(const Program& program, std::uint32_t entry,
                                       const TranslationFacts& facts, const UnitAccess& unit = {});
// Statically, or dynamically where that unfolds too far; unsupported if it does with structural_scopes.
Result<ir::Function> translate(const Program& program, std::uint32_t entry, const TranslationFacts& facts,
                               const UnitAccess& unit);

}  // namespace warpjit::pica200
