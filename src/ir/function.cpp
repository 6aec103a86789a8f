#include "ir/function.h"

namespace warpjit::ir {

Block Function::add_block(std::uint32_t guest_address) {
  blocks_.emplace_back();
  blocks_.back().guest_address = guest_address;
  return Block{static_cast<std::uint32_t>(blocks_.size() - 1)};
}

Inst Function::make(Opcode opcode, std::span<const Value> operands, std::uint64_t immediate, Type phi_type) {
  const OpcodeInfo& row = info(opcode);
  Inst id{static_cast<std::uint32_t>(insts_.size())};
  InstData& data = insts_.emplace_back();
  data.opcode = opcode;
  data.immediate = immediate;
  data.phi_type = phi_type;
  data.result_count = static_cast<std::uint8_t>(row.results.size());
  data.first_operand = static_cast<std::uint32_t>(operands_.size());
  data.operand_count = static_cast<std::uint32_t>(operands.size());
  data.first_result = Value{static_cast<std::uint32_t>(values_.size())};
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  for (std::size_t k = 0; k < row.results.size(); ++k) {
    ValueData& value = values_.emplace_back();
    value.definition = id;
    value.result_index = static_cast<std::uint8_t>(k);
    value.type = opcode == Opcode::Phi ? phi_type : type_of_letter(row.results[k]);
  }
  return id;
}

void Function::reserve(std::size_t insts) {
  insts_.reserve(insts_.size() + insts);
  values_.reserve(values_.size() + insts + insts / 4);
  operands_.reserve(operands_.size() + insts * 2);
}

Value Function::constant_value(Type type, std::uint64_t bits) {
  const Opcode opcode = type == Type::i1    ? Opcode::ConstI1
                        : type == Type::f32 ? Opcode::ConstF32
                                            : Opcode::ConstI32;
  if (constants_used_ * 2 >= constants_.size()) {
    std::vector<Value> old(constants_.empty() ? 64 : constants_.size() * 2);
    old.swap(constants_);
    constants_used_ = 0;
    for (Value v : old)
      if (v.valid()) constants_[constant_slot(definition_of(v).opcode, constant(v))] = v, ++constants_used_;
  }
  const std::size_t slot = constant_slot(opcode, bits);
  if (const Value known = constants_[slot]; known.valid()) {
    const Inst found = definition(known);
    const Block home = inst(found).block;
    if (home == entry()) return known;
    if (!home.valid()) {
      insert_front(entry(), found);
      return known;
    }
  } else {
    ++constants_used_;
  }
  const Inst made = make(opcode, {}, bits);
  insert_front(entry(), made);
  const Value constant = result(made);
  value(constant).uniformity = Uniformity::launch;
  constants_[slot] = constant;
  return constant;
}

std::size_t Function::constant_slot(Opcode opcode, std::uint64_t bits) const {
  const std::size_t mask = constants_.size() - 1;
  std::uint64_t hash = (bits + static_cast<std::uint64_t>(opcode)) * 0x9e3779b97f4a7c15u;
  for (std::size_t k = (hash >> 32) & mask;; k = (k + 1) & mask) {
    const Value known = constants_[k];
    if (!known.valid()) return k;
    const InstData& data = definition_of(known);
    if (data.opcode == opcode && data.immediate == bits) return k;
  }
}

void Function::set_operands(Inst i, std::span<const Value> values) {
  InstData& data = insts_[i.id];
  if (values.size() > data.operand_count) {
    data.first_operand = static_cast<std::uint32_t>(operands_.size());
    // `values` may point into the pool: copy by index after growing.
    SmallVector<Value, 8> copy;
    copy.assign(values.begin(), values.end());
    operands_.insert(operands_.end(), copy.begin(), copy.end());
  } else {
    for (std::size_t k = 0; k < values.size(); ++k) operands_[data.first_operand + k] = values[k];
  }
  data.operand_count = static_cast<std::uint32_t>(values.size());
}

void Function::append(Block b, Inst i) {
  BlockData& block = blocks_[b.id];
  InstData& data = insts_[i.id];
  data.block = b;
  data.previous = block.last;
  data.next = Inst{};
  if (block.last.valid())
    insts_[block.last.id].next = i;
  else
    block.first = i;
  block.last = i;
}

void Function::insert_before(Inst position, Inst i) {
  InstData& at = insts_[position.id];
  InstData& data = insts_[i.id];
  data.block = at.block;
  data.previous = at.previous;
  data.next = position;
  if (at.previous.valid())
    insts_[at.previous.id].next = i;
  else
    blocks_[at.block.id].first = i;
  at.previous = i;
}

void Function::insert_front(Block b, Inst i) {
  if (blocks_[b.id].first.valid())
    insert_before(blocks_[b.id].first, i);
  else
    append(b, i);
}

void Function::remove(Inst i) {
  InstData& data = insts_[i.id];
  if (!data.block.valid()) return;
  BlockData& block = blocks_[data.block.id];
  if (data.previous.valid())
    insts_[data.previous.id].next = data.next;
  else
    block.first = data.next;
  if (data.next.valid())
    insts_[data.next.id].previous = data.previous;
  else
    block.last = data.previous;
  data.block = Block{};
}

void Function::set_successors(Block b, std::span<const Block> targets) {
  blocks_[b.id].successors.assign(targets.begin(), targets.end());
  for (Block target : targets) blocks_[target.id].predecessors.push_back(b);
}

void Function::remove_predecessor(Block b, std::size_t index) {
  BlockData& block = blocks_[b.id];
  block.predecessors.erase(block.predecessors.begin() + static_cast<std::ptrdiff_t>(index));
  for (Inst i : insts(b)) {
    InstData& data = insts_[i.id];
    if (data.opcode != Opcode::Phi) break;
    for (std::size_t k = index; k + 1 < data.operand_count; ++k)
      operands_[data.first_operand + k] = operands_[data.first_operand + k + 1];
    --data.operand_count;
  }
}

std::size_t Function::predecessor_index(Block b, Block predecessor) const {
  const auto& list = blocks_[b.id].predecessors;
  for (std::size_t k = 0; k < list.size(); ++k)
    if (list[k] == predecessor) return k;
  return ~std::size_t{0};
}

void Function::absorb_successor(Block b) {
  const Block gone = blocks_[b.id].successors[0];
  remove(blocks_[b.id].last);
  BlockData& into = blocks_[b.id];
  BlockData& from = blocks_[gone.id];
  for (Inst i = from.first; i.valid(); i = insts_[i.id].next) insts_[i.id].block = b;
  if (into.last.valid())
    insts_[into.last.id].next = from.first;
  else
    into.first = from.first;
  insts_[from.first.id].previous = into.last;
  into.last = from.last;
  into.successors.swap(from.successors);
  into.backward = from.backward;
  from.first = from.last = Inst{};
  from.successors.clear();
  from.predecessors.clear();
  from.backward = 0;
}

Block Function::split_block(Inst first) {
  const Block b = insts_[first.id].block, made = add_block(blocks_[b.id].guest_address);
  BlockData& from = blocks_[b.id];
  BlockData& to = blocks_[made.id];
  to.first = first;
  to.last = from.last;
  from.last = insts_[first.id].previous;
  insts_[first.id].previous = Inst{};
  if (from.last.valid())
    insts_[from.last.id].next = Inst{};
  else
    from.first = Inst{};
  for (Inst i = first; i.valid(); i = insts_[i.id].next) insts_[i.id].block = made;
  to.successors.swap(from.successors);
  to.backward = from.backward;
  from.backward = 0;
  for (Block target : to.successors) {
    Edges& predecessors = blocks_[target.id].predecessors;
    std::replace(predecessors.begin(), predecessors.end(), b, made);
  }
  return made;
}

void Function::clear_block(Block b) {
  for (Block target : blocks_[b.id].successors)
    if (const std::size_t k = predecessor_index(target, b); k < blocks_[target.id].predecessors.size())
      remove_predecessor(target, k);
  BlockData& block = blocks_[b.id];
  for (Inst i = block.first; i.valid(); i = insts_[i.id].next) insts_[i.id].block = Block{};
  block.first = block.last = Inst{};
  block.successors.clear();
  block.predecessors.clear();
  block.backward = 0;
}

void Function::replace_values(std::span<const Value> map) {
  auto final_value = [&](Value v) {
    while (v.id < map.size() && map[v.id].valid()) v = map[v.id];
    return v;
  };
  for (std::uint32_t b = 0; b < blocks_.size(); ++b)
    for (Inst i : insts(Block{b}))
      for (Value& v : operands(i)) v = final_value(v);
}

}  // namespace warpjit::ir
