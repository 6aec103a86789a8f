// Words and rows of the uniform table; tables of its rows by component, which the preamble makes.
#include <algorithm>

#include "backend/lower/rows.h"
#include "ir/analysis/range.h"
#include "ir/look_up.h"

namespace warpjit::backend {

using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;
using lir::Regs;

void RowLowering::store_uniform_float(ir::Inst i) {
  Reg r = vector(operand(i, 0), 0);
  const InstRef inst = add(Op::StoreWord);
  use(inst, r);
  inst->mem.base = MemBase::table;
  inst->mem.displacement = static_cast<std::int32_t>(f_.inst(i).immediate);
  ++state_.table_epoch;
}

void RowLowering::store_uniform_int(ir::Inst i) {
  Reg r = scalar(operand(i, 0));
  const InstRef inst = add(Op::SStoreWord);
  use(inst, r);
  inst->mem.base = MemBase::table;
  inst->mem.displacement = static_cast<std::int32_t>(f_.inst(i).immediate);
  ++state_.table_epoch;
}

// The same row for all lanes; outside the table, row 0 is read and then zeroed.
RowLowering::Components RowLowering::uniform_row(Reg number, const TableRow& row) {
  Reg inside = lir::kNoReg;
  if (row.may_exceed) {
    inside = scalar_compare_imm(number, Condition::less_u, static_cast<std::int32_t>(row.count));
    number = scalar_select(inside, number, scalar_imm(0));
  }
  Reg bytes = scalar_op_imm(Op::SShlImm, number, 4);
  Components components = rows_.broadcast_row(bytes, row.offset);
  if (row.may_exceed) {  // all lanes or none
    Reg all = scalar_op(Op::SSub, scalar_imm(0), inside);
    Reg keep = spread(all);
    for (Reg& r : components) r = vvv(Op::And, r, keep);
  }
  return components;
}

// The load `first` and those that soon follow it in its block with the same index.
std::vector<TableRow> RowLowering::rows_of_index(ir::Inst first) const {
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

void RowLowering::define_rows(std::span<const TableRow> rows, std::span<const Reg> components) {
  std::size_t n = 0;
  for (const TableRow& row : rows.first(components.size() / (4 * parts_)))
    for (std::uint32_t p = 0; p < parts_; ++p, n += 4)
      define_components(row.load, p,
                        {components[n], components[n + 1], components[n + 2], components[n + 3]});
}

// Rows that all lanes share are broadcast. Measured with AVX2 on skin_loop: +42% where all lanes have the
// same index, no loss where they differ.
void RowLowering::load_same_or_any_rows(Value index, std::span<const TableRow> rows) {
  const Reg number = vector_to_scalar(vector(index, 0));
  const Reg numbers = spread(number);
  Reg same = lir::kNoReg;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    const Reg equal = vvv(Op::ICmpEq, vector(index, p), numbers);
    same = p == 0 ? equal : masks_.mask_op(MaskOp::and_, same, equal);
  }
  const auto each = [&](auto make) {
    Regs components;
    for (const TableRow& row : rows)
      for (std::uint32_t p = 0; p < parts_; ++p) {
        for (Reg component : make(row, p)) components.push_back(component);
      }
    return components;
  };
  const auto any_rows = [&] {
    return each([&](const TableRow& row, std::uint32_t p) {
      return rows_.load_rows(index, row.offset, row.count, row.may_exceed, p);
    });
  };
  const auto same_rows = [&] {
    return each([&](const TableRow& row, std::uint32_t) { return uniform_row(number, row); });
  };
  define_rows(rows, either_way(masks_.mask_not(same), any_rows, same_rows));
}

void RowLowering::load_uniform_row(ir::Inst i) {
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
  if (!varying(index)) {  // which the results may not know: only optimizing passes set shapes anew
    const Components components = uniform_row(scalar(index), row);
    for (std::uint32_t p = 0; p < parts_of(f_.result(i)); ++p) define_components(i, p, components);
    return;
  }
  if (const Regs made = rows_.load_rows_together(index, rows); !made.empty()) return define_rows(rows, made);
  if (host_.one_row_test) return load_same_or_any_rows(index, rows);
  for (std::uint32_t p = 0; p < parts_; ++p)
    define_components(i, p, rows_.load_rows(index, row.offset, row.count, row.may_exceed, p));
}

void RowLowering::look_up_uniform(ir::Inst i) {
  const Value result = f_.result(i);
  const auto offset = static_cast<std::int32_t>(f_.inst(i).immediate);
  if (!varying(result)) {  // as a scalar and as a vector; what is not used goes away
    const Reg number = scalar_op_imm(Op::SAndImm, scalar(operand(i, 0)), ir::kLookUpWords - 1);
    define(result, 0, rows_.table_word(number, offset));
    return define_vector_form(result, spread(slot(result, 0)));
  }
  for (std::uint32_t p = 0; p < parts_; ++p)
    define(result, p, rows_.look_up(vector(operand(i, 0), p), offset));
}

// A loop that turns as many rows at a time as a vector has lanes.
void RowLowering::make_row_tables() {
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
  Components rows;
  for (std::uint32_t lane = 0; lane < host_.lanes / 4; ++lane)
    for (std::uint32_t k = 0; k < 4; ++k) {
      const InstRef inst = add(lane == 0 ? Op::LoadRow : Op::InsertRow, RegClass::vector);
      inst->imm = lane;
      inst->prefer = lane != 0;
      if (lane != 0) use(inst, rows[k]);
      at(inst, tables.source + static_cast<std::int32_t>((lane * 4 + k) * 16), 2);
      rows[k] = inst->def;
    }
  const Components components = transpose(rows);
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

}  // namespace warpjit::backend
