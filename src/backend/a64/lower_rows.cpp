// Table rows, lane by lane: NEON has no gather. Masked stores.
#include "backend/a64/lower.h"

namespace warpjit::backend::a64 {

using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

Reg Rows::table_address(std::int32_t offset) {
  const InstRef inst = add(Op::STableAddress, RegClass::scalar);
  inst->mem.base = MemBase::table;
  inst->mem.displacement = offset;
  inst->flags |= lir::kRemat;
  return inst->def;
}

std::array<Reg, 4> Rows::broadcast_row(Reg bytes, std::int32_t offset) {
  Reg base = table_address(offset);
  const InstRef inst = add(Op::LoadRow, RegClass::vector);
  use(inst, base);
  use(inst, bytes);
  inst->mem = {MemBase::reg, 0, 1, 0, false, 0};
  Reg row = inst->def;
  std::array<Reg, 4> components;
  for (std::uint32_t k = 0; k < 4; ++k) components[k] = with_immediate(Op::DupLane, row, k);
  return components;
}

Reg Rows::load_row(Reg address, std::int32_t offset) {
  const InstRef inst = add(Op::LoadRow, RegClass::vector);
  use(inst, address);
  inst->mem = {MemBase::reg, 0, 0xff, 0, false, offset};
  return inst->def;
}

// What is read so does not change while the block runs.
Reg Rows::broadcast_word(Reg address, std::int32_t offset) {
  const std::int32_t of_row = offset & ~15;
  if (row_.address != address || row_.offset != of_row || row_.loaded.block != current_block())
    row_ = {address, of_row, {load_row(address, of_row), current_block()}};
  return with_immediate(Op::DupLane, row_.loaded.reg, (offset - of_row) / 4);
}

std::array<Reg, 4> Rows::broadcast_words(Reg address) {
  Reg row = load_row(address, 0);
  std::array<Reg, 4> components;
  for (std::uint32_t k = 0; k < 4; ++k) components[k] = with_immediate(Op::DupLane, row, k);
  return components;
}

Reg Rows::look_up(Reg index, std::int32_t offset) {
  return load_words(table_address(offset), vvv(Op::And, index, constant_vector(15)));
}

Reg Rows::table_word(Reg number, std::int32_t offset) {
  const Reg base = table_address(offset);
  const InstRef inst = add(Op::SLoad, RegClass::scalar);
  use(inst, base);
  use(inst, number);
  inst->mem = {MemBase::reg, 0, 1, 2, false, 0};
  return inst->def;
}

void Rows::store_where(Reg r, Reg mask, const lir::Mem& mem, Reg base) {
  const auto at = [&](InstRef inst) {
    inst->mem = mem;
    if (base == lir::kNoReg) return;
    inst->mem.base_use = inst->use_count;
    use(inst, base);
  };
  const InstRef load = add(Op::LoadFull, RegClass::vector);
  at(load);
  Reg merged = blend(load->def, reg_source(r), mask);
  const InstRef store = add(Op::StoreFull);
  use(store, merged);
  at(store);
}

std::array<Reg, 4> Rows::load_rows(Value index, std::int32_t offset, std::uint32_t count, bool may_exceed,
                                   std::uint32_t p) {
  Reg numbers = vector(index, p), inside = lir::kNoReg;
  if (may_exceed) {  // rows outside are read as row 0 and then zeroed
    inside = vvv(Op::ICmpHs, constant_vector(count - 1), numbers);
    numbers = vvv(Op::And, numbers, inside);
  }
  std::array<Reg, 4> components = rows_of_lanes(table_address(offset), numbers, 4);
  if (may_exceed)
    for (Reg& r : components) r = vvv(Op::And, r, inside);
  return components;
}

// At `base` plus the lanes' numbers times 2^scale.
std::array<Reg, 4> Rows::rows_of_lanes(Reg base, Reg numbers, std::uint8_t scale) {
  std::array<Reg, 4> rows{};
  for (std::uint32_t k = 0; k < 4; ++k) {
    const InstRef lane = add(Op::LaneToScalar, RegClass::scalar);
    use(lane, numbers);
    lane->imm = k;
    Reg number = lane->def;
    const InstRef inst = add(Op::LoadRow, RegClass::vector);
    use(inst, base);
    use(inst, number);
    inst->mem = {MemBase::reg, 0, 1, scale, false, 0};
    rows[k] = inst->def;
  }
  return transpose(rows);
}

}  // namespace warpjit::backend::a64
