// What some instructions of a block define, where they are lowered on several ways.
#pragma once

#include "backend/lower/value_forms.h"

namespace warpjit::backend {

class Definitions : protected ValueForms {
 public:
  explicit Definitions(State& state) : ValueForms(state) {}

  void add(ir::Inst i) {
    for (std::uint32_t k = 0; k < f_.inst(i).result_count; ++k) values_.push_back(f_.result(i, k));
  }
  // The registers that all of it has now. What nobody needs goes away later.
  Regs registers() {
    Regs all;
    for (Value v : values_) {
      for (std::uint32_t p = 0; p < parts_of(v); ++p)
        if (slot(v, p) != lir::kNoReg) all.push_back(slot(v, p));
      if (is_vector_too(v)) all.push_back(vector_form(v));
    }
    return all;
  }
  // Gives it the registers that the ways come to, in the same order.
  void redefine(const Regs& joined) {
    std::size_t next = 0;
    for (Value v : values_) {
      for (std::uint32_t p = 0; p < parts_of(v); ++p)
        if (slot(v, p) != lir::kNoReg) slot(v, p) = joined[next++];
      if (is_vector_too(v)) define_vector_form(v, joined[next++]);
    }
  }

 private:
  bool is_vector_too(Value v) const {
    return !varying(v) && f_.definition_of(v).opcode == ir::Opcode::LoadMemory;
  }

  SmallVector<Value, 16> values_;
};

}  // namespace warpjit::backend
