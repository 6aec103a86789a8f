// Transcendentals become the exact operations of their definitions in base/math: the very same source, with
// the builder as its arithmetic.
#include "base/math.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

// What base/math calls an Ops, over a builder.
struct BuilderOps {
  using F32 = ir::F32;
  using I32 = ir::I32;
  using I1 = ir::I1;

  F32 constant_f(float value) { return b.constant(value); }
  I32 constant_i(std::int32_t value) { return b.constant(value); }
  F32 add(F32 x, F32 y) { return b.FAdd32(x, y); }
  F32 sub(F32 x, F32 y) { return b.FSub32(x, y); }
  F32 mul(F32 x, F32 y) { return b.FMul32(x, y); }
  F32 div(F32 x, F32 y) { return b.FDiv32(x, y); }
  F32 sqrt(F32 x) { return b.FSqrt32(x); }
  F32 fma(F32 x, F32 y, F32 z) { return b.FFma32(x, y, z); }
  F32 fmax_select(F32 x, F32 y) { return b.FMaxSelect32(x, y); }
  F32 fmin_select(F32 x, F32 y) { return b.FMinSelect32(x, y); }
  I1 flt(F32 x, F32 y) { return b.FLt32(x, y); }
  F32 select(I1 condition, F32 x, F32 y) { return b.SelectF32(condition, x, y); }
  I32 as_int(F32 x) { return b.BitcastF32ToI32(x); }
  F32 as_float(I32 x) { return b.BitcastI32ToF32(x); }
  I32 isub(I32 x, I32 y) { return b.ISub32(x, y); }
  I32 iand(I32 x, I32 y) { return b.IAnd32(x, y); }
  I32 ior(I32 x, I32 y) { return b.IOr32(x, y); }
  I32 ishl(I32 x, std::int32_t count) { return b.IShl32(x, b.constant(count)); }
  I32 ishrs(I32 x, std::int32_t count) { return b.IShrS32(x, b.constant(count)); }
  F32 int_to_float(I32 x) { return b.I32ToF32(x); }

  Builder& b;
};

}  // namespace

void expand_math(Function& f) {
  std::vector<Inst> expanded;
  for (std::uint32_t b = 0; b < f.block_count(); ++b)
    for (Inst i : f.insts(Block{b})) {
      const Opcode op = f.inst(i).opcode;
      if (op == Opcode::Exp2F32 || op == Opcode::Log2F32 || op == Opcode::RcpF32 || op == Opcode::RsqrtF32)
        expanded.push_back(i);
    }
  if (expanded.empty()) return;
  Builder builder(f);
  BuilderOps ops{builder};
  std::vector<Value> replacement(f.value_count());
  for (Inst i : expanded) {
    builder.set_before(i);
    builder.set_guest_address(f.inst(i).guest_address);
    // Operands may have been expanded themselves; replace_values below chases chains.
    const F32 x{f.operand(i, 0)};
    Value result;
    switch (f.inst(i).opcode) {
      case Opcode::Exp2F32:
        result = math::exp2(ops, x);
        break;
      case Opcode::Log2F32:
        result = math::log2(ops, x);
        break;
      case Opcode::RcpF32:
        result = math::rcp(ops, x);
        break;
      default:
        result = math::rsqrt(ops, x);
        break;
    }
    replacement[f.result(i).id] = result;
  }
  f.replace_values(replacement);
  for (Inst i : expanded) f.remove(i);
}

}  // namespace warpjit::ir
