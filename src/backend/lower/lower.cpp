#include "backend/lower/lower.h"

#include <algorithm>

#include "ir/analysis/dominators.h"
#include "ir/analysis/lane_comparison.h"
#include "ir/analysis/loops.h"

namespace warpjit::backend {

using ir::Opcode;
using ir::Type;
using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;
using lir::Regs;

Lowering::Lowering(const ir::Function& f, const Host& host, const Role& role, ConstantPool& pool,
                   std::uint32_t parts, lir::Code& code)
    : f_(f), host_(host), role_(role), pool_(pool), parts_(parts), code_(code) {
  code_.insts.clear();
  code_.blocks.clear();
  code_.classes.clear();
  code_.frame_bytes = 0;
  code_.shared_phase = 0;
  code_.flushes = false;
  regs_.assign(f.value_count() * parts, lir::kNoReg);
  use_count_.assign(f.value_count(), 0);
  vector_cache_.resize(f.value_count());
  scalar_cache_.resize(f.value_count());
  mask_cache_.resize(f.value_count());
  lane_numbers_.resize(parts);
  inverted_.assign(f.value_count(), 0);
  upright_cache_.resize(regs_.size());
  lir_block_.assign(f.block_count(), ~0u);
}

void Lowering::run() {
  order_blocks();
  for (ir::Block b : order_)
    for (ir::Inst i : f_.insts(b))
      for (Value v : f_.operands(i)) ++use_count_[v.id];
  if (f_.group_lanes != 0 && reaches_memory()) {
    shapes_.emplace(f_);
    defined_in_run_.assign(f_.inst_count(), 0);
  }
  if (f_.slot_count != 0) {
    slots_ = reserve_frame(f_.slot_count * parts_ * host_.vector_bytes);
  }
  for (ir::Block b : order_) {  // phis first: edges name them before their blocks are lowered
    for (ir::Inst i : f_.insts(b)) {
      if (f_.inst(i).opcode != Opcode::Phi) break;
      Value v = f_.result(i);
      for (std::uint32_t p = 0; p < parts_of(v); ++p) define(v, p, code_.new_reg(class_of(v)));
    }
  }
  for (ir::Block b : order_) lower_block(b);
  // Successors were recorded as IR block numbers while not all blocks had their place.
  for (lir::Block& block : code_.blocks)
    for (std::uint32_t& s : block.successors)
      if (s & 0x80000000u) s = lir_block_[s & 0x7fffffffu];
  for (std::uint32_t b = 0; b < code_.blocks.size(); ++b)
    for (std::uint32_t s : code_.blocks[b].successors) code_.blocks[s].predecessors.push_back(b);
  finish_loops();
  const auto most = std::max_element(phases_.begin(), phases_.end()) - phases_.begin();
  code_.shared_phase = static_cast<std::uint32_t>(most) * 16;
}

// Loops stay together and follow their headers, so that the allocator sees them as ranges and jumps are few.
void Lowering::order_blocks() {
  const ir::Dominators dominators(f_);
  const ir::Loops loops(f_, dominators);
  order_ = loops.reducible() ? loops.order() : dominators.order();
}

void Lowering::lower_block(ir::Block b) {
  lir_block_[b.id] = begin_block();
  current_block_ = b.id;
  constant_cache_.clear();
  arrangements_.clear();
  fields_.clear();
  for (ir::Inst i = f_.block(b).first; i.valid(); i = f_.inst(i).next) {
    const ir::InstData& data = f_.inst(i);
    guest_address_ = data.guest_address;
    if (arranged(i) != Arranged::no) {
      const Run run = run_from(i);
      lower_run(run);
      i = run.last;
    } else if (data.opcode == Opcode::Phi) {
      for (std::uint32_t p = 0; p < parts_of(f_.result(i)); ++p)
        code_.blocks.back().params.push_back(slot(f_.result(i), p));
    } else if (data.opcode == Opcode::LoadInput) {
      pending_inputs_.push_back(i);
    } else {
      if (ir::info(data.opcode).terminator || ir::info(data.opcode).writes) flush_inputs();
      lower(i);
    }
  }
}

void Lowering::lower(ir::Inst i) {
  switch (f_.inst(i).opcode) {
#define WARPJIT_IR_OP(name, results, operands, flags) \
  case Opcode::name:                                  \
    return lower_##name(i);
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP
  }
}

// Ends the LIR block `lir_from` with an edge to `to`; on a critical edge a block of its own takes the
// arguments.
void Lowering::connect(ir::Block from, ir::Block to, std::uint32_t lir_from) {
  Regs args;
  std::size_t index = f_.predecessor_index(to, from);
  for (ir::Inst i : f_.insts(to)) {
    if (f_.inst(i).opcode != Opcode::Phi) break;
    Value v = f_.result(i), incoming = operand(i, static_cast<std::uint32_t>(index));
    for (std::uint32_t p = 0; p < parts_of(v); ++p) {
      Type type = f_.value(v).type;
      if (varying(v))
        args.push_back(type == Type::i1 ? mask(incoming, p) : vector(incoming, p));
      else
        args.push_back(type == Type::f32 ? vector(incoming, 0) : scalar(incoming));
    }
  }
  lir::Block& block = code_.blocks[lir_from];
  block.successors.push_back(to.id | 0x80000000u);
  block.args = std::move(args);
}

// A block of its own for the edge out of `from` that is being lowered.
std::uint32_t Lowering::begin_edge(std::uint32_t from) {
  const std::uint32_t edge = begin_block();
  code_.blocks[from].successors.push_back(edge);
  current_block_ = 0x40000000u + edge;  // caches of the block are valid on one way only
  return edge;
}

// Ends the block with a branch, whose edges are to follow: first that for "any".
std::uint32_t Lowering::branch_on_any(Reg mask) {
  branch_if_any(mask);
  const auto at = static_cast<std::uint32_t>(code_.blocks.size() - 1);
  end_block(at);
  return at;
}

void Lowering::end_edge(std::uint32_t edge, Regs args) {
  add(Op::Jump);
  end_block(edge);
  code_.blocks[edge].args = std::move(args);
}

// A block behind both edges; its parameters, for the registers that come with them.
Regs Lowering::join_edges(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t join = begin_block();
  for (std::uint32_t edge : {a, b}) code_.blocks[edge].successors.push_back(join);
  Regs& params = code_.blocks[join].params;
  for (Reg arg : code_.blocks[a].args) params.push_back(code_.new_reg(code_.classes[arg]));
  return params;
}

std::uint32_t Lowering::begin_block() {
  code_.blocks.emplace_back();
  code_.blocks.back().first = static_cast<std::uint32_t>(code_.insts.size());
  return static_cast<std::uint32_t>(code_.blocks.size() - 1);
}

void Lowering::lower_Jump(ir::Inst i) {
  const ir::Block b = f_.inst(i).block;
  const auto at = static_cast<std::uint32_t>(code_.blocks.size() - 1);
  connect(b, f_.block(b).successors[0], at);
  add(Op::Jump);
  end_block(at);
}

void Lowering::lower_Return(ir::Inst) {
  if (role_.preamble && role_.row_tables.rows != 0) make_row_tables();
  add(Op::Return);
  end_block(static_cast<std::uint32_t>(code_.blocks.size() - 1));
}

void Lowering::lower_Branch(ir::Inst i) {
  Value condition = operand(i, 0);
  const ir::InstData& made = f_.definition_of(condition);
  const bool fused = use_count_[condition.id] == 1 && made.block == f_.inst(i).block;
  if (fused && made.opcode == Opcode::AnyLane) {
    branch_if_any(any_part(f_.operand(f_.definition(condition), 0)));
  } else if (fused && made.opcode >= Opcode::IEq32 && made.opcode <= Opcode::ILeU32) {
    Value a = f_.operand(f_.definition(condition), 0), c = f_.operand(f_.definition(condition), 1);
    Reg left = scalar(a), right = is_constant(c) ? lir::kNoReg : scalar(c);
    const InstRef inst = add(Op::BranchCompare);
    use(inst, left);
    if (right != lir::kNoReg) use(inst, right);
    inst->imm = right != lir::kNoReg
                    ? pack_condition(integer_condition(made.opcode))
                    : pack_condition(integer_condition(made.opcode), static_cast<std::int32_t>(constant(c)));
  } else {
    Reg bit = scalar(condition);
    use(add(Op::BranchScalar), bit);
  }
  const ir::Block b = f_.inst(i).block;
  const auto at = static_cast<std::uint32_t>(code_.blocks.size() - 1);
  end_block(at);
  for (ir::Block target : f_.block(b).successors) {
    const bool has_phis = f_.inst(f_.block(target).first).opcode == Opcode::Phi;
    if (f_.block(target).predecessors.size() == 1 && !has_phis) {
      code_.blocks[at].successors.push_back(target.id | 0x80000000u);
      continue;
    }
    const std::uint32_t edge = begin_edge(at);
    connect(b, target, edge);
    add(Op::Jump);
    end_block(edge);
  }
}

void Lowering::lower_Switch(ir::Inst i) {
  Reg index = scalar(operand(i, 0));
  use(add(Op::Switch), index);
  const ir::Block b = f_.inst(i).block;
  const auto at = static_cast<std::uint32_t>(code_.blocks.size() - 1);
  end_block(at);
  for (ir::Block target : f_.block(b).successors) {
    const std::uint32_t edge = begin_edge(at);
    connect(b, target, edge);
    add(Op::Jump);
    end_block(edge);
  }
}

void Lowering::lower_Phi(ir::Inst) {}

void Lowering::lower_BurnFuel(ir::Inst) { add(Op::BurnFuel); }

void Lowering::finish_loops() {
  std::vector<std::uint32_t> last(code_.blocks.size(), 0);
  for (std::uint32_t b = 0; b < code_.blocks.size(); ++b)
    for (std::uint32_t s : code_.blocks[b].successors)
      if (s <= b) last[s] = std::max(last[s], b + 1);
  for (std::uint32_t header = 0; header < code_.blocks.size(); ++header)
    for (std::uint32_t b = header; b < last[header]; ++b) ++code_.blocks[b].loop_depth;
}

// ---- values in their other forms

bool Lowering::is_uniform_load(Value v) const {
  Opcode op = f_.definition_of(v).opcode;
  return op == Opcode::LoadUniformF32 || op == Opcode::LoadUniformI32;
}

RegClass Lowering::class_of(Value v) const {
  const Type type = f_.value(v).type;
  if (varying(v)) return type == Type::i1 ? mask_class() : RegClass::vector;
  return type == Type::f32 ? RegClass::vector : RegClass::scalar;
}

Reg Lowering::constant_vector(std::uint32_t word) {
  for (auto& [value, cached] : constant_cache_)
    if (value == word && cached.block == current_block_) return cached.reg;
  Reg r = make_constant(word);
  constant_cache_.push_back({word, {r, current_block_}});
  return r;
}

Reg Lowering::vector(Value v, std::uint32_t part) {
  if (varying(v)) {
    if (is_lane_number(v)) return lane_numbers(part);
    if (slot(v, part) == lir::kNoReg && f_.definition_of(v).opcode == Opcode::LoadInput)
      load_input(f_.definition(v));
    return slot(v, part);
  }
  if (is_constant(v)) return constant_vector(static_cast<std::uint32_t>(constant(v)));
  if (f_.value(v).type == Type::f32 && !is_uniform_load(v)) return slot(v, 0);
  Cached& cached = vector_cache_[v.id];
  if (cached.block == current_block_) return cached.reg;
  Reg r;
  if (is_uniform_load(v)) {
    r = make_uniform(table_offset(v));
  } else {
    Reg s = scalar(v);
    const InstRef inst = add(Op::BroadcastScalar, RegClass::vector);
    use(inst, s);
    r = inst->def;
  }
  vector_cache_[v.id] = {r, current_block_};
  return r;
}

Source Lowering::source(Value v, std::uint32_t part) {
  if (!varying(v)) {
    if (is_constant(v)) return constant_source(static_cast<std::uint32_t>(constant(v)));
    if (is_uniform_load(v)) return uniform_source(v);
  } else if (is_lane_number(v) && host_.memory_operands) {
    return {lir::kNoReg, numbers_of_lanes(part)};
  }
  return reg_source(vector(v, part));
}

Reg Lowering::scalar(Value v) {
  if (slot(v, 0) != lir::kNoReg && f_.value(v).type != Type::f32) return slot(v, 0);
  Cached& cached = scalar_cache_[v.id];
  if (cached.block == current_block_) return cached.reg;
  Reg r;
  if (is_constant(v)) {
    r = scalar_imm(static_cast<std::uint32_t>(constant(v)));
  } else if (is_uniform_load(v)) {
    const InstRef inst = add(Op::SLoad, RegClass::scalar);
    inst->mem.base = MemBase::table;
    inst->mem.displacement = table_offset(v);
    inst->flags |= lir::kRemat;
    r = inst->def;
  } else {
    r = vector_to_scalar(slot(v, 0));  // a uniform f32
  }
  scalar_cache_[v.id] = {r, current_block_};
  return r;
}

Reg Lowering::mask(Value v, std::uint32_t part) {
  const Mask m = mask_or_inverse(v, part);
  if (!m.inverted) return m.reg;
  Cached& cached = upright_cache_[std::size_t{v.id} * parts_ + part];
  if (cached.block != current_block_) cached = {mask_not(m.reg), current_block_};
  return cached.reg;
}

Mask Lowering::mask_or_inverse(Value v, std::uint32_t part) {
  if (is_made_where_read(v)) {
    const ir::Inst i = f_.definition(v);
    const Value a = operand(i, 0);
    if (f_.inst(i).opcode != Opcode::Not1)
      return compare_integers(integer_condition(f_.inst(i).opcode), a, operand(i, 1), part);
    const Mask m = mask_or_inverse(a, part);
    return {m.reg, !m.inverted};
  }
  if (varying(v)) return {slot(v, part), inverted_[v.id] != 0};
  Cached& cached = mask_cache_[v.id];
  if (cached.block != current_block_) {
    Reg r = is_constant(v) ? mask_constant(constant(v) != 0) : mask_from_bool(scalar(v));
    cached = {r, current_block_};
  }
  return {cached.reg, false};
}

bool Lowering::is_made_where_read(Value v) const {
  return parts_ >= kManyParts && varying(v) && ir::lane_comparison(f_, v).has_value();
}

void Lowering::define_mask(Value v, std::uint32_t part, Mask m) {
  define(v, part, m.reg);
  inverted_[v.id] = m.inverted;
}

void Lowering::define_from_vector(ir::Inst i, Reg r) { define(f_.result(i), 0, vector_to_scalar(r)); }

// ---- making instructions

InstRef Lowering::add(Op op, RegClass cls) {
  Reg def = code_.new_reg(cls);
  const InstRef inst = add(op);
  inst->def = def;
  inst->flags = lir::kPure;
  return inst;
}

InstRef Lowering::add(Op op) {
  const InstRef inst = code_.new_inst();
  inst->op = static_cast<std::uint16_t>(op);
  inst->guest_address = guest_address_;
  return inst;
}

void Lowering::use_source(InstRef inst, const Source& s) const {
  if (s.in_memory())
    inst->mem = s.mem;
  else if (host_.memory_operands)
    inst->fold |= static_cast<std::uint8_t>(1u << inst->use_count);
  inst->use[inst->use_count++] = s.reg;
}

Reg Lowering::vvv(Op op, Reg a, const Source& b) {
  const InstRef inst = add(op, RegClass::vector);
  use(inst, a);
  use_source(inst, b);
  return inst->def;
}

Reg Lowering::vv(Op op, const Source& a, std::int64_t imm) {
  const InstRef inst = add(op, RegClass::vector);
  use_source(inst, a);
  inst->imm = imm;
  return inst->def;
}

Reg Lowering::with_immediate(Op op, Reg a, std::int64_t imm) {
  const InstRef inst = add(op, RegClass::vector);
  use(inst, a);
  inst->imm = imm;
  return inst->def;
}

Reg Lowering::blend(Reg if_false, const Source& if_true, Reg mask) {
  const InstRef inst = add(Op::Blend, RegClass::vector);
  use(inst, if_false);
  use_source(inst, if_true);
  use(inst, mask);
  if (host_.blend_overwrites) inst->prefer = 7;
  return inst->def;
}

Reg Lowering::scalar_op(Op op, Reg a, Reg b) {
  const InstRef inst = add(op, RegClass::scalar);
  if (host_.two_operand_scalars) inst->flags |= lir::kTied;
  use(inst, a);
  use(inst, b);
  return inst->def;
}

Reg Lowering::scalar_op_imm(Op op, Reg a, std::int64_t imm) {
  const InstRef inst = add(op, RegClass::scalar);
  if (host_.two_operand_scalars) inst->flags |= lir::kTied;
  use(inst, a);
  inst->imm = imm;
  return inst->def;
}

Reg Lowering::scalar_imm(std::uint32_t word) {
  const InstRef inst = add(Op::SImm, RegClass::scalar);
  inst->imm = word;
  inst->flags |= lir::kRemat;
  return inst->def;
}

Reg Lowering::scalar_compare_imm(Reg a, Condition condition, std::int32_t constant) {
  const InstRef inst = add(Op::SCompare, RegClass::scalar);
  use(inst, a);
  inst->imm = pack_condition(condition, constant);
  return inst->def;
}

Reg Lowering::scalar_select(Reg bit, Reg if_true, Reg if_false) {
  const InstRef inst = add(Op::SSelect, RegClass::scalar);
  if (host_.two_operand_scalars) inst->flags |= lir::kTied;
  use(inst, if_false);
  use(inst, if_true);
  use(inst, bit);
  return inst->def;
}

Reg Lowering::vector_to_scalar(Reg r) {
  const InstRef inst = add(Op::ToScalar, RegClass::scalar);
  use(inst, r);
  return inst->def;
}

lir::Mem Lowering::frame(std::int32_t displacement) const {
  lir::Mem mem;
  mem.base = MemBase::frame;
  mem.displacement = displacement;
  return mem;
}

std::int32_t Lowering::reserve_frame(std::uint32_t bytes) {
  const auto at = static_cast<std::int32_t>(code_.frame_bytes);
  code_.frame_bytes += bytes;
  return at;
}

}  // namespace warpjit::backend
