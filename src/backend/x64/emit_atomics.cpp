// Atomics of one lane.
#include <limits>

#include "backend/x64/emitter.h"

namespace warpjit::backend::x64 {

// The definition has a register of its own. No value is in eax: it holds what the word is compared with.
void X64Emitter::atomic(const Inst& inst) {
  using Function = ir::AtomicFunction;
  namespace I = x86::Inst;
  const auto [function, shared] = unpack_atomic(inst.imm);
  const x86::Gp d = gp32(inst.def), b = gp32(inst.use[0]), old = x86::eax;
  const x86::Mem word = memory(inst, 4);
  switch (function) {
    case Function::add:
      put(I::kIdMov, d, b);
      return put_locked(shared, I::kIdXadd, word, d);
    case Function::exchange:
      if (shared) {
        put(I::kIdMov, d, b);
        return put(I::kIdXchg, word, d);
      }
      put(I::kIdMov, d, word);
      return put(I::kIdMov, word, b);
    default:
      break;
  }
  const Label again = a_.newLabel();
  put(I::kIdMov, old, word);
  a_.bind(again);
  after(function, d, old, b);
  if (shared) {
    put_locked(true, I::kIdCmpxchg, word, d);
    put(I::kIdJne, again);
  } else {
    put(I::kIdMov, word, d);
  }
  put(I::kIdMov, d, old);
}

// What an atomic leaves in place of the old value.
void X64Emitter::after(ir::AtomicFunction function, const x86::Gp& d, const x86::Gp& old, const x86::Gp& b) {
  using Function = ir::AtomicFunction;
  namespace I = x86::Inst;
  const auto operation = [&](InstId id) {
    put(I::kIdMov, d, b);
    put(id, d, old);
  };
  const auto old_if = [&](InstId move) {
    put(I::kIdMov, d, b);
    put(I::kIdCmp, old, b);
    put(move, d, old);
  };
  switch (function) {
    case Function::increment: {
      const Label done = a_.newLabel();
      put(I::kIdMov, d, asmjit::Imm(0));
      put(I::kIdCmp, old, b);
      put(I::kIdJae, done);
      put(I::kIdLea, d, x86::ptr(old.r64(), 1));
      a_.bind(done);
      return;
    }
    case Function::decrement:
      put(I::kIdLea, d, x86::ptr(old.r64(), -1));
      put(I::kIdCmp, d, b);
      return put(I::kIdCmova, d, b);
    case Function::max_s:
      return old_if(I::kIdCmovg);
    case Function::max_u:
      return old_if(I::kIdCmova);
    case Function::min_s:
      return old_if(I::kIdCmovl);
    case Function::min_u:
      return old_if(I::kIdCmovb);
    case Function::add_saturated_u:
    case Function::add_saturated_s: {
      const bool is_signed = function == Function::add_saturated_s;
      const Label done = a_.newLabel();
      operation(I::kIdAdd);
      put(is_signed ? I::kIdJno : I::kIdJnc, done);
      if (is_signed) {  // what has overflown does not have the sign of the end of the range
        put(I::kIdSar, d, asmjit::Imm(31));
        put(I::kIdXor, d, asmjit::Imm(std::numeric_limits<std::int32_t>::min()));
      } else {
        put(I::kIdMov, d, asmjit::Imm(-1));
      }
      a_.bind(done);
      return;
    }
    case Function::and_:
      return operation(I::kIdAnd);
    case Function::or_:
      return operation(I::kIdOr);
    default:
      return operation(I::kIdXor);
  }
}

}  // namespace warpjit::backend::x64
