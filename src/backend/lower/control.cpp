#include "backend/lower/control.h"

#include <algorithm>

namespace warpjit::backend {

using ir::Opcode;
using ir::Type;
using ir::Value;
using lir::InstRef;
using lir::Reg;
using lir::Regs;

namespace {

// Successors are IR block numbers, so marked, while not all blocks have their place.
constexpr std::uint32_t kIrBlock = 0x80000000u;

// The condition that does not hold of c and a where `ordering` holds of a and c.
Condition mirrored_complement(Condition ordering) {
  switch (ordering) {
    case Condition::less_s:
      return Condition::less_equal_s;
    case Condition::less_equal_s:
      return Condition::less_s;
    case Condition::less_u:
      return Condition::less_equal_u;
    default:
      return Condition::less_u;
  }
}

}  // namespace

ControlLowering::ControlLowering(State& state, RowLowering& rows, CalloutLowering& callouts)
    : ValueForms(state), rows_(rows), callouts_(callouts), lir_block_(f_.block_count(), ~0u) {}

void ControlLowering::begin_block(ir::Block b) {
  lir_block_[b.id] = ValueForms::begin_block();
  state_.current_block = b.id;
}

void ControlLowering::finish() {
  for (lir::Block& block : code_.blocks)
    for (std::uint32_t& s : block.successors)
      if (s & kIrBlock) s = lir_block_[s & ~kIrBlock];
  for (std::uint32_t b = 0; b < code_.blocks.size(); ++b)
    for (std::uint32_t s : code_.blocks[b].successors) code_.blocks[s].predecessors.push_back(b);
  find_loops();
}

void ControlLowering::find_loops() {
  std::vector<std::uint32_t> last(code_.blocks.size(), 0);
  for (std::uint32_t b = 0; b < code_.blocks.size(); ++b)
    for (std::uint32_t s : code_.blocks[b].successors)
      if (s <= b) last[s] = std::max(last[s], b + 1);
  for (std::uint32_t header = 0; header < code_.blocks.size(); ++header)
    for (std::uint32_t b = header; b < last[header]; ++b) ++code_.blocks[b].loop_depth;
}

void ControlLowering::connect(ir::Block from, ir::Block to, std::uint32_t lir_from) {
  Regs args;
  const bool has_phis = f_.inst(f_.block(to).first).opcode == Opcode::Phi;  // very many blocks may lead there
  const std::size_t index = has_phis ? f_.predecessor_index(to, from) : 0;
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
  block.successors.push_back(to.id | kIrBlock);
  block.args = std::move(args);
  add(Op::Jump);
  end_block(lir_from);
}

// On a critical edge a block of its own takes the arguments.
void ControlLowering::connect_by_edge(ir::Block from, ir::Block to, std::uint32_t lir_from) {
  connect(from, to, begin_edge(lir_from));
}

void ControlLowering::phi(ir::Inst i) {
  for (std::uint32_t p = 0; p < parts_of(f_.result(i)); ++p)
    code_.blocks.back().params.push_back(slot(f_.result(i), p));
}

void ControlLowering::jump(ir::Inst i) {
  const ir::Block b = f_.inst(i).block;
  connect(b, f_.block(b).successors[0], last_block());
}

void ControlLowering::end_group() {
  if (role_.preamble && role_.row_tables.rows != 0) rows_.make_row_tables();
  add(Op::Return);
  end_block(last_block());
}

void ControlLowering::branch(ir::Inst i) {
  const ir::Block b = f_.inst(i).block;
  Value condition = operand(i, 0);
  const ir::Inst made = f_.definition(condition);
  const Opcode opcode = f_.inst(made).opcode;
  const bool fused = use_count(condition) == 1 && f_.inst(made).block == b;
  bool other_way = false;
  if (fused && opcode == Opcode::AnyLane) {
    branch_if_any(any_part(f_.operand(made, 0)));
  } else if (fused && family(opcode) == ir::Family::integer_comparison) {
    Value a = f_.operand(made, 0), c = f_.operand(made, 1);
    Condition holds = integer_condition(opcode);
    if (is_constant(a) && !is_constant(c)) {  // constants are the second operand: a < c unless c <= a
      std::swap(a, c);
      other_way = holds != Condition::equal && holds != Condition::not_equal;
      if (other_way) holds = mirrored_complement(holds);
    }
    Reg left = scalar(a), right = is_constant(c) ? lir::kNoReg : scalar(c);
    const InstRef inst = add(Op::BranchCompare);
    use(inst, left);
    if (right != lir::kNoReg) use(inst, right);
    inst->imm = right != lir::kNoReg ? pack_condition(holds)
                                     : pack_condition(holds, static_cast<std::int32_t>(constant(c)));
  } else {
    Reg bit = scalar(condition);
    use(add(Op::BranchScalar), bit);
  }
  const std::uint32_t at = last_block();
  end_block(at);
  for (ir::Block target : f_.block(b).successors) {
    const bool has_phis = f_.inst(f_.block(target).first).opcode == Opcode::Phi;
    if (f_.block(target).predecessors.size() == 1 && !has_phis)
      code_.blocks[at].successors.push_back(target.id | kIrBlock);
    else
      connect_by_edge(b, target, at);
  }
  if (other_way) std::swap(code_.blocks[at].successors[0], code_.blocks[at].successors[1]);
}

void ControlLowering::switch_between(ir::Inst i) {
  Reg index = scalar(operand(i, 0));
  use(add(Op::Switch), index);
  const std::uint32_t at = last_block();
  end_block(at);
  const ir::Block b = f_.inst(i).block;
  for (ir::Block target : f_.block(b).successors) connect_by_edge(b, target, at);
}

void ControlLowering::burn_fuel(ir::Inst i) {
  add(Op::BurnFuel);
  hot_or_cold([] { return Regs{}; },
              [&] {
                code_.blocks.back().rare = true;
                callouts_.count_fuel(i);
                return Regs{};
              });
}

}  // namespace warpjit::backend
