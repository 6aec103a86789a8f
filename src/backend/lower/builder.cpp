#include "backend/lower/builder.h"

namespace warpjit::backend {

using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;
using lir::Regs;

State::State(const ir::Function& its_f, const Host& its_host, const Role& its_role, ConstantPool& its_pool,
             std::uint32_t its_parts, lir::Code& its_code)
    : f(its_f),
      host(its_host),
      role(its_role),
      pool(its_pool),
      parts(its_parts),
      has_idle_lanes(f.group_lanes != 0 && f.group_lanes < host.lanes),
      code(its_code),
      lane_sets(f, ir::Opcode::LaneIndex, has_idle_lanes ? 0 : f.group_lanes) {
  code.insts.clear();
  code.blocks.clear();
  code.classes.clear();
  code.part_of.clear();
  code.fixed = host.fixed;
  code.frame_bytes = 0;
  code.shared_phase = 0;
  code.flushes = code.flushes_between = false;
  regs.assign(f.value_count() * parts, lir::kNoReg);
  use_count.assign(f.value_count(), 0);
  read_whole.assign(f.value_count(), 0);
  vector_cache.resize(f.value_count());
  scalar_cache.resize(f.value_count());
  mask_cache.resize(f.value_count());
  lane_numbers.resize(parts);
  inverted.assign(f.value_count(), 0);
  upright_cache.resize(regs.size());
}

// ---- instructions

InstRef Builder::add(Op op, RegClass cls) {
  Reg def = code_.new_reg(cls);
  const InstRef inst = add(op);
  inst->def = def;
  if (info(op).pure()) inst->flags = lir::kPure;
  return inst;
}

InstRef Builder::add(Op op) {
  const InstRef inst = code_.new_inst();
  inst->op = static_cast<std::uint16_t>(op);
  inst->guest_address = state_.guest_address;
  return inst;
}

void Builder::use_source(InstRef inst, const Source& s) const {
  if (s.in_memory())
    inst->mem = s.mem;
  else if (host_.memory_operands)
    inst->fold |= static_cast<std::uint8_t>(1u << inst->use_count);
  inst->use[inst->use_count++] = s.reg;
}

Reg Builder::vvv(Op op, Reg a, const Source& b) {
  const InstRef inst = add(op, RegClass::vector);
  use(inst, a);
  use_source(inst, b);
  return inst->def;
}

Reg Builder::vv(Op op, const Source& a, std::int64_t imm) {
  const InstRef inst = add(op, RegClass::vector);
  use_source(inst, a);
  inst->imm = imm;
  return inst->def;
}

Reg Builder::with_immediate(Op op, Reg a, std::int64_t imm) {
  const InstRef inst = add(op, RegClass::vector);
  use(inst, a);
  inst->imm = imm;
  return inst->def;
}

Reg Builder::blend(Reg if_false, const Source& if_true, Reg mask) {
  const InstRef inst = add(Op::Blend, RegClass::vector);
  use(inst, if_false);
  use_source(inst, if_true);
  use(inst, mask);
  if (host_.blend_overwrites) inst->prefer = 7;
  return inst->def;
}

// Four-word rows are moved with 128-bit loads and stores and turned in registers: vector k of four holds rows
// k, k+4, k+8, ... in its 128-bit lanes, so that a 4x4 transpose inside the lanes gives the components in
// order. The same four unpacks turn components back into rows.
std::array<Reg, 4> Builder::transpose(const std::array<Reg, 4>& rows) {
  Reg t0 = vvv(Op::UnpackLo, rows[0], rows[1]), t1 = vvv(Op::UnpackHi, rows[0], rows[1]);
  Reg t2 = vvv(Op::UnpackLo, rows[2], rows[3]), t3 = vvv(Op::UnpackHi, rows[2], rows[3]);
  return {vvv(Op::UnpackLoD, t0, t2), vvv(Op::UnpackHiD, t0, t2), vvv(Op::UnpackLoD, t1, t3),
          vvv(Op::UnpackHiD, t1, t3)};
}

Reg Builder::scalar_op(Op op, Reg a, Reg b) {
  const InstRef inst = add(op, RegClass::scalar);
  if (host_.two_operand_scalars) inst->flags |= lir::kTied;
  use(inst, a);
  use(inst, b);
  return inst->def;
}

Reg Builder::scalar_op_imm(Op op, Reg a, std::int64_t imm) {
  const InstRef inst = add(op, RegClass::scalar);
  if (host_.two_operand_scalars) inst->flags |= lir::kTied;
  use(inst, a);
  inst->imm = imm;
  return inst->def;
}

Reg Builder::scalar_extreme(Op op, Reg a, Reg b, Condition less) {
  const InstRef inst = add(op, RegClass::scalar);
  if (host_.two_operand_scalars) inst->flags |= lir::kTied;
  use(inst, a);
  use(inst, b);
  inst->imm = pack_condition(less);
  return inst->def;
}

Reg Builder::scalar_imm(std::uint32_t word) {
  const InstRef inst = add(Op::SImm, RegClass::scalar);
  inst->imm = word;
  inst->flags |= lir::kRemat;
  return inst->def;
}

Reg Builder::scalar_compare(Reg a, Reg b, Condition condition) {
  const InstRef inst = add(Op::SCompare, RegClass::scalar);
  use(inst, a);
  use(inst, b);
  inst->imm = pack_condition(condition);
  return inst->def;
}

Reg Builder::scalar_compare_imm(Reg a, Condition condition, std::int32_t constant) {
  const InstRef inst = add(Op::SCompare, RegClass::scalar);
  use(inst, a);
  inst->imm = pack_condition(condition, constant);
  return inst->def;
}

Reg Builder::scalar_select(Reg bit, Reg if_true, Reg if_false) {
  const InstRef inst = add(Op::SSelect, RegClass::scalar);
  if (host_.two_operand_scalars) inst->flags |= lir::kTied;
  use(inst, if_false);
  use(inst, if_true);
  use(inst, bit);
  return inst->def;
}

Reg Builder::sign_extend(Reg a) {
  const InstRef inst = add(Op::SSignExtend, RegClass::scalar);
  use(inst, a);
  return inst->def;
}

Reg Builder::address(Reg base, Reg index, std::uint8_t scale_log2) {
  const InstRef inst = add(Op::SAddress, RegClass::scalar);
  use(inst, base);
  use(inst, index);
  inst->mem = {MemBase::reg, 0, 1, scale_log2, false, 0};
  return inst->def;
}

Reg Builder::frame_address(std::int32_t displacement) {
  const InstRef inst = add(Op::SAddress, RegClass::scalar);
  inst->mem = frame(displacement);
  return inst->def;
}

Reg Builder::vector_to_scalar(Reg r) {
  const InstRef inst = add(Op::ToScalar, RegClass::scalar);
  use(inst, r);
  return inst->def;
}

Reg Builder::spread(Reg scalar) {
  const InstRef inst = add(Op::BroadcastScalar, RegClass::vector);
  use(inst, scalar);
  return inst->def;
}

Reg Builder::load(Op op, RegClass cls, const lir::Mem& mem, Reg base) {
  const InstRef inst = add(op, cls);
  if (base != lir::kNoReg) use(inst, base);
  inst->mem = mem;
  return inst->def;
}

void Builder::store(Op op, Reg r, const lir::Mem& mem, Reg base) {
  const InstRef inst = add(op);
  use(inst, r);
  if (base != lir::kNoReg) use(inst, base);
  inst->mem = mem;
}

lir::Mem Builder::argument(std::size_t displacement) const {
  lir::Mem mem;
  mem.base = MemBase::args;
  mem.displacement = static_cast<std::int32_t>(displacement);
  return mem;
}

Reg Builder::load_argument(std::size_t displacement) {
  const InstRef inst = add(Op::SLoad64, RegClass::scalar);
  inst->mem = argument(displacement);
  inst->flags |= lir::kRemat;
  return inst->def;
}

Reg Builder::load_argument_word(std::size_t displacement) {
  return load(Op::SLoad, RegClass::scalar, argument(displacement));
}

lir::Mem Builder::frame(std::int32_t displacement) const {
  lir::Mem mem;
  mem.base = MemBase::frame;
  mem.displacement = displacement;
  return mem;
}

std::int32_t Builder::reserve_frame(std::uint32_t bytes) {
  const auto at = static_cast<std::int32_t>(code_.frame_bytes);
  code_.frame_bytes += bytes;
  return at;
}

lir::Mem Builder::pool_mem(std::span<const std::uint32_t> lanes) {
  lir::Mem mem;
  mem.base = MemBase::pool;
  mem.displacement = pool_.offset(lanes);
  return mem;
}

Reg Builder::load_constant(const lir::Mem& mem) {
  const InstRef inst = add(Op::LoadConstant, RegClass::vector);
  inst->mem = mem;
  inst->flags |= lir::kRemat;
  return inst->def;
}

Reg Builder::vector_of(std::span<const std::uint32_t> lanes) { return load_constant(pool_mem(lanes)); }

// ---- blocks

std::uint32_t Builder::begin_block() {
  code_.blocks.emplace_back();
  code_.blocks.back().first = static_cast<std::uint32_t>(code_.insts.size());
  return last_block();
}

std::uint32_t Builder::begin_edge(std::uint32_t from) {
  const std::uint32_t edge = begin_block();
  code_.blocks[from].successors.push_back(edge);
  state_.current_block = 0x40000000u + edge;
  return edge;
}

void Builder::end_edge(std::uint32_t edge, Regs args) {
  add(Op::Jump);
  end_block(edge);
  code_.blocks[edge].args = std::move(args);
}

Regs Builder::join_edges(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t join = begin_block();
  for (std::uint32_t edge : {a, b}) code_.blocks[edge].successors.push_back(join);
  Regs& params = code_.blocks[join].params;
  for (Reg arg : code_.blocks[a].args) params.push_back(code_.new_reg(code_.classes[arg]));
  return params;
}

}  // namespace warpjit::backend
