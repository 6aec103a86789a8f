// Lowering of memory: words of the uniform table, rows of inputs, outputs and tables, local slots.
//
// Four-word rows are moved with 128-bit loads and stores and turned in registers: vector k of four holds rows
// k, k+4, k+8, ... in its 128-bit lanes, so that a 4x4 transpose inside the lanes gives the components in
// order.
#include <algorithm>
#include <cstddef>

#include "backend/lower/lower.h"
#include "ir/analysis/range.h"

namespace warpjit::backend {

using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

std::int32_t Lowering::input_displacement(std::uint64_t index) {
  return static_cast<std::int32_t>(offsetof(KernelArgs, inputs) + index * sizeof(Binding));
}
std::int32_t Lowering::output_displacement(std::uint64_t index) {
  return static_cast<std::int32_t>(offsetof(KernelArgs, outputs) + index * sizeof(Binding));
}

void Lowering::lower_LoadUniformI32(ir::Inst) {}  // an operand where it is used
void Lowering::lower_LoadUniformF32(ir::Inst) {}

void Lowering::lower_StoreUniformF32(ir::Inst i) {
  Reg r = vector(operand(i, 0), 0);
  const InstRef inst = add(Op::StoreWord);
  use(inst, r);
  inst->mem.base = MemBase::table;
  inst->mem.displacement = static_cast<std::int32_t>(f_.inst(i).immediate);
  ++table_epoch_;
}

void Lowering::lower_StoreUniformI32(ir::Inst i) {
  Reg r = scalar(operand(i, 0));
  const InstRef inst = add(Op::SStoreWord);
  use(inst, r);
  inst->mem.base = MemBase::table;
  inst->mem.displacement = static_cast<std::int32_t>(f_.inst(i).immediate);
  ++table_epoch_;
}

// The same four unpacks turn components back into rows.
std::array<Reg, 4> Lowering::transpose(const std::array<Reg, 4>& rows) {
  Reg t0 = vvv(Op::UnpackLo, rows[0], rows[1]), t1 = vvv(Op::UnpackHi, rows[0], rows[1]);
  Reg t2 = vvv(Op::UnpackLo, rows[2], rows[3]), t3 = vvv(Op::UnpackHi, rows[2], rows[3]);
  return {vvv(Op::UnpackLoD, t0, t2), vvv(Op::UnpackHiD, t0, t2), vvv(Op::UnpackLoD, t1, t3),
          vvv(Op::UnpackHiD, t1, t3)};
}

Reg Lowering::load_binding(std::size_t displacement) {
  const InstRef inst = add(Op::SLoad64, RegClass::scalar);
  inst->mem.base = MemBase::args;
  inst->mem.displacement = static_cast<std::int32_t>(displacement);
  inst->flags |= lir::kRemat;
  return inst->def;
}

Reg Lowering::address(Reg base, Reg index, std::uint8_t scale_log2) {
  const InstRef inst = add(Op::SAddress, RegClass::scalar);
  use(inst, base);
  use(inst, index);
  inst->mem = {MemBase::reg, 0, 1, scale_log2, false, 0};
  return inst->def;
}

Lowering::RowPointers Lowering::row_pointers(std::int32_t binding) {
  const auto displacement = static_cast<std::size_t>(binding);
  RowPointers rows;
  rows.next = load_binding(displacement + offsetof(Binding, address));
  Reg stride = load_binding(displacement + offsetof(Binding, stride));
  Reg twice = host_.scaled_row_index ? stride : address(stride, stride, 0);
  rows.strides = {lir::kNoReg, stride, twice, address(stride, stride, 1)};
  return rows;
}

void Lowering::point_at_part(RowPointers& rows, std::uint32_t part) {
  for (std::uint32_t lane = 0; lane < host_.lanes / 4; ++lane) {
    if (part != 0 || lane != 0) rows.next = address(rows.next, rows.strides[1], 2);
    rows.every_fourth[lane] = rows.next;
  }
}

void Lowering::at_row(InstRef inst, const RowPointers& rows, std::uint32_t lane, std::uint32_t k) const {
  inst->mem.base = MemBase::reg;
  inst->mem.base_use = inst->use_count;
  use(inst, rows.every_fourth[lane]);
  if (k == 0) return;
  inst->mem.index_use = inst->use_count;
  inst->mem.scale_log2 = k == 2 && host_.scaled_row_index ? 1 : 0;
  use(inst, rows.strides[k]);
}

std::array<Reg, 4> Lowering::load_components(const RowPointers& rows) {
  std::array<Reg, 4> vectors;
  // In the order of the addresses, for the sake of the prefetchers; stores likewise.
  for (std::uint32_t lane = 0; lane < host_.lanes / 4; ++lane)
    for (std::uint32_t k = 0; k < 4; ++k) {
      const InstRef inst = add(lane == 0 ? Op::LoadRow : Op::InsertRow, RegClass::vector);
      if (lane != 0) {
        inst->imm = lane;
        inst->prefer = 1;
        use(inst, vectors[k]);
      }
      at_row(inst, rows, lane, k);
      vectors[k] = inst->def;
    }
  return transpose(vectors);
}

void Lowering::load_input(ir::Inst i) {
  if (f_.inst(i).immediate >> 32 != 0) return load_numbered_input(i);
  RowPointers rows = row_pointers(input_displacement(f_.inst(i).immediate));
  for (std::uint32_t p = 0; p < parts_; ++p) {
    point_at_part(rows, p);
    std::array<Reg, 4> components = load_components(rows);
    for (std::uint32_t k = 0; k < 4; ++k) define(f_.result(i, k), p, components[k]);
  }
}

void Lowering::lower_LoadInput(ir::Inst i) { pending_inputs_.push_back(i); }

// Input rows are loaded where their first component is used: fewer registers are busy until then.
void Lowering::flush_inputs() {
  std::vector<ir::Inst> pending;
  pending.swap(pending_inputs_);
  for (ir::Inst i : pending)
    if (slot(f_.result(i), 0) == lir::kNoReg) load_input(i);
}

void Lowering::lower_StoreOutput(ir::Inst i) {
  Value guard = operand(i, 0);
  const bool always = is_constant(guard) && constant(guard) != 0;
  if (is_constant(guard) && !always) return;
  RowPointers rows = row_pointers(output_displacement(f_.inst(i).immediate));
  for (std::uint32_t p = 0; p < parts_; ++p) {
    point_at_part(rows, p);
    std::array<Reg, 4> components;
    for (std::uint32_t k = 0; k < 4; ++k) components[k] = vector(operand(i, k + 1), p);
    if (!always) {
      // A row belongs to one thread alone: what stays is read and written back.
      std::array<Reg, 4> old = load_components(rows);
      Reg m = mask(guard, p);
      for (std::uint32_t k = 0; k < 4; ++k) components[k] = blend(old[k], reg_source(components[k]), m);
    }
    store_components(rows, components);
  }
}

void Lowering::store_components(const RowPointers& rows, const std::array<Reg, 4>& components) {
  std::array<Reg, 4> vectors = transpose(components);
  for (std::uint32_t lane = 0; lane < host_.lanes / 4; ++lane)
    for (std::uint32_t k = 0; k < 4; ++k) {
      const InstRef inst = add(lane == 0 ? Op::StoreRow : Op::ExtractRow);
      inst->imm = lane;
      use(inst, vectors[k]);
      at_row(inst, rows, lane, k);
    }
}

// The same row for all lanes; outside the table, row 0 is read and then zeroed.
std::array<Reg, 4> Lowering::uniform_row(Reg number, const TableRow& row) {
  Reg inside = lir::kNoReg;
  if (row.may_exceed) {
    inside = scalar_compare_imm(number, Condition::less_u, static_cast<std::int32_t>(row.count));
    number = scalar_select(inside, number, scalar_imm(0));
  }
  Reg bytes = scalar_op_imm(Op::SShlImm, number, 4);
  std::array<Reg, 4> components = broadcast_row(bytes, row.offset);
  if (row.may_exceed) {  // all lanes or none
    Reg all = scalar_op(Op::SSub, scalar_imm(0), inside);
    const InstRef spread = add(Op::BroadcastScalar, RegClass::vector);
    use(spread, all);
    Reg keep = spread->def;
    for (Reg& r : components) r = vvv(Op::And, r, keep);
  }
  return components;
}

// The load `first` and those that soon follow it in its block with the same index.
std::vector<Lowering::TableRow> Lowering::rows_of_index(ir::Inst first) const {
  constexpr int kSoon = 64;  // instructions
  // Their components are in registers at once.
  const std::size_t most = std::clamp(host_.vector_registers * 3 / 4 / (4 * parts_), 1u, 4u);
  const Value index = operand(first, 0);
  const std::uint64_t bound = ir::upper_bound(f_, index);
  std::vector<TableRow> rows;
  rows.reserve(most);
  ir::Inst i = first;
  for (int n = 0; n < kSoon && i.valid() && rows.size() < most; ++n, i = f_.inst(i).next) {
    const ir::InstData& data = f_.inst(i);
    if (data.opcode != ir::Opcode::LoadUniformRow || operand(i, 0) != index) continue;
    const auto count = static_cast<std::uint32_t>(data.immediate >> 32);
    if (count != 0) rows.push_back({i, static_cast<std::int32_t>(data.immediate), count, bound >= count});
  }
  return rows;
}

void Lowering::define_row(const TableRow& row, std::uint32_t p, const std::array<Reg, 4>& components) {
  for (std::uint32_t k = 0; k < 4; ++k) define(f_.result(row.load, k), p, components[k]);
}

void Lowering::define_rows(std::span<const TableRow> rows, std::span<const Reg> components) {
  std::size_t n = 0;
  for (const TableRow& row : rows)
    for (std::uint32_t p = 0; p < parts_; ++p, n += 4)
      define_row(row, p, {components[n], components[n + 1], components[n + 2], components[n + 3]});
}

void Lowering::lower_LoadUniformRow(ir::Inst i) {
  if (slot(f_.result(i), 0) != lir::kNoReg) return;  // came with one before it
  Value index = operand(i, 0);
  if (f_.inst(i).immediate >> 32 == 0) {
    for (std::uint32_t k = 0; k < 4; ++k)
      for (std::uint32_t p = 0; p < parts_of(f_.result(i, k)); ++p)
        define(f_.result(i, k), p, constant_vector(0));
    return;
  }
  const std::vector<TableRow> rows = rows_of_index(i);
  const TableRow& row = rows.front();
  if (!varying(index)) return define_row(row, 0, uniform_row(scalar(index), row));
  if (load_rows_together(index, rows) != 0) return;
  for (std::uint32_t p = 0; p < parts_; ++p)
    define_row(row, p, load_rows(index, row.offset, row.count, row.may_exceed, p));
}

// A loop that turns as many rows at a time as a vector has lanes.
void Lowering::make_row_tables() {
  const RowTables& tables = role_.row_tables;
  const auto vector_bytes = static_cast<std::int32_t>(host_.vector_bytes);
  const auto component_bytes = static_cast<std::int32_t>(tables.rows * 4);
  const Reg zero = scalar_imm(0);
  const auto before = static_cast<std::uint32_t>(code_.blocks.size() - 1);
  add(Op::Jump);
  end_block(before);
  const std::uint32_t body = begin_block();
  const Reg done = code_.new_reg(RegClass::scalar);  // bytes of each component
  code_.blocks[before].successors = {body};
  code_.blocks[before].args = {zero};
  code_.blocks[body].params = {done};
  const auto at = [&](InstRef inst, std::int32_t displacement, std::uint8_t scale_log2) {
    inst->mem = {MemBase::table, 0xff, inst->use_count, scale_log2, false, displacement};
    use(inst, done);
  };
  std::array<Reg, 4> rows;
  for (std::uint32_t lane = 0; lane < host_.lanes / 4; ++lane)
    for (std::uint32_t k = 0; k < 4; ++k) {
      const InstRef inst = add(lane == 0 ? Op::LoadRow : Op::InsertRow, RegClass::vector);
      inst->imm = lane;
      inst->prefer = lane != 0;
      if (lane != 0) use(inst, rows[k]);
      at(inst, tables.source + static_cast<std::int32_t>((lane * 4 + k) * 16), 2);
      rows[k] = inst->def;
    }
  const std::array<Reg, 4> components = transpose(rows);
  for (std::int32_t c = 0; c < 4; ++c) {
    const InstRef store = add(Op::StoreFull);
    use(store, components[static_cast<std::size_t>(c)]);
    at(store, tables.place + c * component_bytes, 0);
  }
  const Reg next = scalar_op_imm(Op::SAddImm, done, vector_bytes);
  const InstRef more = add(Op::BranchCompare);
  use(more, next);
  more->imm = pack_condition(Condition::less_u, component_bytes);
  end_block(body);
  const std::uint32_t again = begin_edge(body);
  code_.blocks[again].successors = {body};
  code_.blocks[again].args = {next};
  add(Op::Jump);
  end_block(again);
  begin_edge(body);
}

// ---- local slots: what the dispatcher keeps between blocks, per lane

void Lowering::lower_LoadSlot(ir::Inst i) {
  const auto number = static_cast<std::uint32_t>(f_.inst(i).immediate);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    const InstRef inst = add(Op::LoadFull, RegClass::vector);
    inst->mem = frame(slots_ + static_cast<std::int32_t>((number * parts_ + p) * host_.vector_bytes));
    define(f_.result(i), p, inst->def);
  }
}

void Lowering::lower_StoreSlot(ir::Inst i) {
  const auto number = static_cast<std::uint32_t>(f_.inst(i).immediate);
  Value guard = operand(i, 0);
  const bool always = is_constant(guard) && constant(guard) != 0;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    const lir::Mem where =
        frame(slots_ + static_cast<std::int32_t>((number * parts_ + p) * host_.vector_bytes));
    Reg r = vector(operand(i, 1), p);
    if (!always) {
      store_where(r, mask(guard, p), where);
      continue;
    }
    const InstRef inst = add(Op::StoreFull);
    use(inst, r);
    inst->mem = where;
  }
}

}  // namespace warpjit::backend
