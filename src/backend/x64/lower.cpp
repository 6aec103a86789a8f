// Lowering of constants and of operations between lanes for AVX2 and AVX-512; puts the parts together.
#include "backend/x64/lower.h"

#include "backend/lower/function_lowering.h"

namespace warpjit::backend::x64 {

using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

// ---- what the parts share

Reg Tools::compare(Op op, Reg a, const Source& b, int predicate) {
  const InstRef inst = add(op, mask_class());
  use(inst, a);
  use_source(inst, b);
  inst->imm = predicate;
  return inst->def;
}

void Tools::branch_unless_all_have(Reg r, std::uint32_t bits) {
  const InstRef branch = add(Op::BranchUnlessBits);
  use(branch, r);
  use_source(branch, constant_source(bits));
  branch->imm = bits;
}

Reg Tools::zero_where_not(Reg r, Reg mask) {
  if (!host_.mask_registers) return vvv(Op::And, mask, r);
  const InstRef inst = add(Op::MoveZeroMask, RegClass::vector);
  use(inst, r);
  use(inst, mask);
  return inst->def;
}

Reg Tools::ternary(int function, Reg a, Reg b, const Source& c) {
  const InstRef inst = add(Op::Ternary, RegClass::vector);
  inst->flags |= lir::kTied;
  inst->imm = function & 0xff;
  use(inst, a);
  use(inst, b);
  use_source(inst, c);
  return inst->def;
}

Reg Tools::upper_part(Op extract, Reg r) {
  const InstRef inst = add(extract, RegClass::vector);
  use(inst, r);
  return inst->def;
}

std::array<Reg, 4> Tools::rows_of_lanes(Reg base, Reg offsets) {
  std::array<Reg, 4> vectors{};
  for_each_lane(offsets, [&](std::uint32_t lane, Reg offset) {
    Reg& made = vectors[lane % 4];
    const InstRef inst = add(lane < 4 ? Op::LoadRow : Op::InsertRow, RegClass::vector);
    inst->imm = lane / 4;
    if (lane >= 4) {
      inst->prefer = 1;
      use(inst, made);
    }
    inst->mem = {MemBase::reg, inst->use_count, static_cast<std::uint8_t>(inst->use_count + 1), 0, false, 0};
    use(inst, base);
    use(inst, offset);
    made = inst->def;
  });
  return vectors;
}

// A vector of halves has half the bytes, so no operand of these stands in memory.
Reg Tools::with_halves(Op op, Reg r, std::int64_t imm) {
  const InstRef inst = add(op, RegClass::vector);
  use(inst, r);
  inst->imm = imm;
  return inst->def;
}

// ---- constants and uniforms

Source Constants::constant_source(std::uint32_t word) {
  if (word == 0 && !host_.broadcast_operands) return reg_source(constant_vector(0));
  Source s;
  s.mem.base = MemBase::pool;
  s.mem.displacement = pool_.offset(word);
  s.mem.broadcast = host_.broadcast_operands;
  return s;
}

Source Constants::uniform_source(Value v) {
  if (!host_.broadcast_operands) return reg_source(vector(v, 0));
  Source s;
  s.mem.base = MemBase::table;
  s.mem.displacement = table_offset(v);
  s.mem.broadcast = true;
  return s;
}

Reg Constants::make_constant(std::uint32_t word) {
  if (word == 0 || word == ~0u) {
    const InstRef inst = add(word == 0 ? Op::Zero : Op::Ones, RegClass::vector);
    inst->flags |= lir::kRemat;
    return inst->def;
  }
  const std::int32_t offset = pool_.offset(word);
  const InstRef inst = add(host_.broadcast_operands ? Op::Broadcast : Op::LoadConstant, RegClass::vector);
  inst->mem.base = MemBase::pool;
  inst->mem.displacement = offset;
  inst->mem.broadcast = host_.broadcast_operands;
  inst->flags |= lir::kRemat | lir::kRematFolds;
  return inst->def;
}

Reg Constants::make_uniform(std::int32_t offset) {
  const InstRef inst = add(Op::Broadcast, RegClass::vector);
  inst->mem.base = MemBase::table;
  inst->mem.displacement = offset;
  inst->mem.broadcast = true;
  inst->flags |= lir::kRemat | (host_.broadcast_operands ? lir::kRematFolds : 0);
  return inst->def;
}

// ---- lanes

Reg Lanes::min_over_lanes(Reg least) {
  auto with_upper = [&](Op extract) { least = vvv(Op::IMinU, least, upper_part(extract, least)); };
  with_upper(Op::UpperHalf);
  if (host_.vector_bytes == 64) with_upper(Op::UpperQuarter);
  for (std::int64_t swap : {0x4e, 0xb1})  // the halves of 128 bits, then of 64
    least = vvv(Op::IMinU, least, vv(Op::Shuffle32, least, swap));
  return least;
}

Reg Lanes::swizzle_quads(Reg r, std::uint64_t lanes) {
  return vv(Op::Shuffle32, r, static_cast<std::int64_t>(lanes));
}

Reg Lanes::swizzle_masks(Reg mask, std::uint64_t lanes) {
  if (!host_.mask_registers) return swizzle_quads(mask, lanes);
  const InstRef to_vector = add(Op::MaskToVector, RegClass::vector);
  use(to_vector, mask);
  Reg words = to_vector->def;
  Reg swizzled = swizzle_quads(words, lanes);
  const InstRef to_mask = add(Op::VectorToMask, RegClass::mask);
  use(to_mask, swizzled);
  return to_mask->def;
}

namespace {

struct Parts {
  explicit Parts(State& state)
      : constants(state),
        arithmetic(state),
        words(state),
        halves(state),
        masks(state),
        lanes(state),
        rows(state),
        flushing(state),
        memory(state),
        atomics(state) {}
  Constants constants;
  Arithmetic arithmetic;
  Words words;
  Halves halves;
  Masks masks;
  Lanes lanes;
  Rows rows;
  Flushing flushing;
  Memory memory;
  Atomics atomics;
};

}  // namespace

void lower(const ir::Function& f, const Host& host, const Role& role, ConstantPool& pool, std::uint32_t parts,
           lir::Code& code) {
  State state(f, host, role, pool, parts, code);
  Parts made(state);
  FunctionLowering(
      state, {made.constants, made.arithmetic, made.words, made.masks, made.lanes, made.rows, made.memory,
              host.half_arithmetic ? &made.halves : nullptr, made.flushing, &made.memory, &made.atomics})
      .run();
}

}  // namespace warpjit::backend::x64
