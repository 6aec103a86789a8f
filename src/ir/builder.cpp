#include "ir/builder.h"

#include <algorithm>

#include "ir/look_up.h"
#include "ir/pass/fold.h"

namespace warpjit::ir {
namespace {

// The uniformity of an instruction's results, from its operands. In group form, where control is uniform,
// this is final; in thread form analysis/uniformity replaces it.
Uniformity result_uniformity(const Function& f, Opcode opcode, std::span<const Value> operands) {
  const OpcodeInfo& row = info(opcode);
  if (row.per_lane || opcode == Opcode::Phi) return Uniformity::varying;
  if (row.convergent) return Uniformity::group;
  Uniformity uniformity = Uniformity::launch;
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (!row.is_mask(k)) uniformity = std::max(uniformity, f.value(operands[k]).uniformity);
  return uniformity;
}

}  // namespace

Inst Builder::emit_inst(Opcode opcode, std::span<const Value> operands, std::uint64_t immediate) {
  const Inst made = function_.make(opcode, operands, immediate);
  InstData& data = function_.inst(made);
  data.guest_address = guest_address_;
  if (data.result_count != 0) {
    const Uniformity uniformity = result_uniformity(function_, opcode, operands);
    for (std::uint32_t k = 0; k < data.result_count; ++k)
      function_.value(function_.result(made, k)).uniformity = uniformity;
  }
  if (before_.valid())
    function_.insert_before(before_, made);
  else
    function_.append(block_, made);
  return made;
}

Value Builder::emit(Opcode opcode, std::span<const Value> operands, std::uint64_t immediate) {
  if (is_constant(opcode)) {
    const Type type = type_of_letter(info(opcode).results[0]);
    return function_.constant_value(type, immediate & (type == Type::i1 ? 1 : 0xffffffffu));
  }
  if (opcode == Opcode::LookUpUniform32 && function_.is_constant(operands[0]))
    return emit(Opcode::LoadUniformI32, {}, immediate + 4 * (function_.constant(operands[0]) % kLookUpWords));
  Expression expression(opcode, operands, immediate);
  const Value known = simplify_expression(function_, expression);
  if (known.valid()) return known;
  return function_.result(emit_inst(expression.opcode, expression.operand_span(), expression.immediate));
}

std::array<Value, kMaxResults> Builder::emit_results(Opcode opcode, std::span<const Value> operands,
                                                     std::uint64_t immediate) {
  std::array<Value, kMaxResults> results;
  if (opcode == Opcode::LoadUniformRow && function_.is_constant(operands[0])) {
    const std::uint64_t row = function_.constant(operands[0]);
    const bool inside = row < (immediate >> 32);
    const std::uint64_t offset = (immediate & 0xffffffffu) + row * 16;
    for (std::uint64_t k = 0; k < 4; ++k)
      results[k] = inside ? emit(Opcode::LoadUniformF32, {}, offset + k * 4) : Value(constant_bits(0));
    return results;
  }
  const Inst made = emit_inst(opcode, operands, immediate);
  for (std::uint32_t k = 0; k < function_.inst(made).result_count; ++k)
    results[k] = function_.result(made, k);
  return results;
}

Value Builder::phi(Block block, Type type) {
  const Inst made = function_.make(Opcode::Phi, {}, 0, type);
  function_.inst(made).guest_address = guest_address_;
  function_.insert_front(block, made);
  return function_.result(made);
}

void Builder::jump(Block target, bool backward) {
  emit_inst(Opcode::Jump, {});
  const std::array<Block, 1> targets = {target};
  function_.set_successors(block_, targets);
  function_.block(block_).backward = backward ? 1 : 0;
}

void Builder::branch(I1 condition, Block if_true, Block if_false, std::uint64_t backward) {
  if (if_true == if_false) return jump(if_true, (backward & 3) != 0);
  const std::array<Value, 1> operands = {condition};
  emit_inst(Opcode::Branch, operands);
  const std::array<Block, 2> targets = {if_true, if_false};
  function_.set_successors(block_, targets);
  function_.block(block_).backward = backward & 3;
}

void Builder::switch_(I32 index, std::span<const Block> targets, std::uint64_t backward) {
  const std::array<Value, 1> operands = {index};
  emit_inst(Opcode::Switch, operands);
  function_.set_successors(block_, targets);
  function_.block(block_).backward = backward;
}

void Builder::ret() {
  emit_inst(Opcode::Return, {});
  function_.block(block_).backward = 0;
}

}  // namespace warpjit::ir
