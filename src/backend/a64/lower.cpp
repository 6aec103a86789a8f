// Lowering of constants and of operations between lanes for NEON; puts the parts together.
#include "backend/a64/lower.h"

#include "backend/a64/immediate.h"
#include "backend/lower/function_lowering.h"

namespace warpjit::backend::a64 {

using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

bool is_constant_number(const ir::Function& f, Value v, std::uint32_t except) {
  return f.is_constant(v) && f.constant(v) != except && (f.constant(v) & ~kSignBit) <= kInfinity;
}

// The table is 64-byte aligned, so neighbouring words may be read too.
Reg Quads::of(std::int32_t offset) {
  Quad& quad = quads_[static_cast<std::size_t>(offset) / 16];
  if (quad.block == current_block() && quad.epoch == table_epoch()) return quad.reg;
  const InstRef inst = add(Op::LoadQuad, RegClass::vector);
  inst->mem.base = MemBase::table;
  inst->mem.displacement = offset & ~15;
  inst->flags |= lir::kRemat;
  quad = {inst->def, current_block(), table_epoch()};
  return quad.reg;
}

// ---- constants and uniforms

Reg Constants::make_constant(std::uint32_t word) {
  if (vector_immediate(word)) {
    const InstRef inst = add(Op::VectorImm, RegClass::vector);
    inst->imm = word;
    inst->flags |= lir::kRemat;
    return inst->def;
  }
  const std::int32_t offset = pool_.offset(word);
  const InstRef inst = add(Op::LoadConstant, RegClass::vector);
  inst->mem.base = MemBase::pool;
  inst->mem.displacement = offset;
  inst->flags |= lir::kRemat;
  return inst->def;
}

Reg Constants::make_uniform(std::int32_t offset) {
  return with_immediate(Op::DupLane, quads_.of(offset), Quads::lane_of(offset));
}

Source Constants::constant_source(std::uint32_t word) { return reg_source(constant_vector(word)); }
Source Constants::uniform_source(Value v) { return reg_source(vector(v, 0)); }

// ---- lanes

Reg Lanes::min_over_lanes(Reg r) { return vv(Op::MinAcross, r); }

Reg Lanes::swizzle_quads(Reg r, std::uint64_t lanes) {
  if (lanes % 0x55 == 0) return with_immediate(Op::DupLane, r, static_cast<std::int64_t>(lanes / 0x55));
  std::array<std::uint32_t, 4> bytes;
  for (std::uint32_t n = 0; n < 4; ++n)
    bytes[n] = 0x03020100u + static_cast<std::uint32_t>(lanes >> (2 * n) & 3) * 0x04040404u;
  return vvv(Op::TableLanes, r, vector_of(bytes));
}

namespace {

struct Parts {
  explicit Parts(State& state)
      : quads(state),
        constants(state, quads),
        arithmetic(state, quads),
        words(state),
        halves(state),
        masks(state),
        lanes(state),
        rows(state),
        memory(state),
        texels(state),
        flushing(state) {}
  Quads quads;
  Constants constants;
  Arithmetic arithmetic;
  Words words;
  Halves halves;
  Masks masks;
  Lanes lanes;
  Rows rows;
  Memory memory;
  Texels texels;
  Flushing flushing;
};

}  // namespace

void lower(const ir::Function& f, const Host& host, const Role& role, ConstantPool& pool, std::uint32_t parts,
           lir::Code& code) {
  State state(f, host, role, pool, parts, code);
  Parts made(state);
  FunctionLowering(
      state, {made.constants, made.arithmetic, made.words, made.masks, made.lanes, made.rows, made.texels,
              host.half_arithmetic ? &made.halves : nullptr, made.flushing, &made.memory, nullptr})
      .run();
}

}  // namespace warpjit::backend::a64
