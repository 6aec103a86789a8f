// Lowering of bindings with several rows a thread (LoadInputRow, StoreOutputRow). A row whose number is known
// is as the only row of a thread, some bytes on. Else lanes go one by one: their byte offsets pass through
// the frame, so that scalar loads can fetch them.
#include "backend/lower/lower.h"

namespace warpjit::backend {

using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

namespace {

std::uint32_t binding_of(std::uint64_t immediate) { return static_cast<std::uint32_t>(immediate); }
std::uint32_t rows_of(std::uint64_t immediate) { return static_cast<std::uint32_t>(immediate >> 32); }

}  // namespace

// Bytes to row min(index, limit) of each lane.
Reg Lowering::clamped_offsets(Value index, std::uint32_t limit, std::uint32_t p) {
  return with_immediate(Op::Shl, vvv(Op::IMinU, vector(index, p), constant_vector(limit)), 4);
}

void Lowering::point_at_rows(std::int32_t binding, std::uint64_t row, RowPointers& rows) {
  rows = row_pointers(binding);
  if (row != 0) rows.next = address(rows.next, scalar_imm(static_cast<std::uint32_t>(row * 16)), 0);
}

// Calls visit(lane, address) for the lanes of part p, in order.
template <class Visit>
void Lowering::each_row_address(RowPointers& rows, Reg offsets, std::uint32_t p, Visit visit) {
  if (row_offsets_ < 0) row_offsets_ = reserve_frame(host_.vector_bytes);
  const InstRef save = add(Op::StoreFull);
  use(save, offsets);
  save->mem = frame(row_offsets_);
  for (std::uint32_t lane = 0; lane < host_.lanes; ++lane) {
    if (p != 0 || lane != 0) rows.next = address(rows.next, rows.strides[1], 0);
    const InstRef load = add(Op::SLoad, RegClass::scalar);
    load->mem = frame(row_offsets_ + static_cast<std::int32_t>(4 * lane));
    const Reg bytes = load->def;
    visit(lane, address(rows.next, bytes, 0));
  }
}

void Lowering::lower_LoadInputRow(ir::Inst i) {
  const std::uint64_t immediate = f_.inst(i).immediate;
  const std::uint32_t last = rows_of(immediate) - 1;
  Value index = operand(i, 0);
  RowPointers rows;
  if (is_constant(index)) {
    point_at_rows(input_displacement(binding_of(immediate)), std::min<std::uint64_t>(constant(index), last),
                  rows);
    for (std::uint32_t p = 0; p < parts_; ++p) {
      point_at_part(rows, p);
      std::array<Reg, 4> components = load_components(rows);
      for (std::uint32_t k = 0; k < 4; ++k) define(f_.result(i, k), p, components[k]);
    }
    return;
  }
  point_at_rows(input_displacement(binding_of(immediate)), 0, rows);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    // Vector k gets the rows of lanes k, k+4, k+8, ...; see lower_memory.cpp.
    std::array<Reg, 4> vectors;
    each_row_address(rows, clamped_offsets(index, last, p), p, [&](std::uint32_t lane, Reg where) {
      const std::uint32_t k = lane % 4, quarter = lane / 4;
      const InstRef inst = add(quarter == 0 ? Op::LoadRow : Op::InsertRow, RegClass::vector);
      if (quarter != 0) {
        inst->imm = quarter;
        inst->prefer = 1;
        use(inst, vectors[k]);
      }
      inst->mem.base = MemBase::reg;
      inst->mem.base_use = inst->use_count;
      use(inst, where);
      vectors[k] = inst->def;
    });
    std::array<Reg, 4> components = transpose(vectors);
    for (std::uint32_t k = 0; k < 4; ++k) define(f_.result(i, k), p, components[k]);
  }
}

void Lowering::lower_StoreOutputRow(ir::Inst i) {
  const std::uint64_t immediate = f_.inst(i).immediate;
  const std::uint32_t count = rows_of(immediate);
  Value guard = operand(i, 0), index = operand(i, 1);
  const bool always = is_constant(guard) && constant(guard) != 0;
  if (is_constant(guard) && !always) return;
  if (is_constant(index) && constant(index) >= count) return;
  RowPointers rows;
  const auto components = [&](std::uint32_t p) {
    std::array<Reg, 4> vectors;
    for (std::uint32_t k = 0; k < 4; ++k) vectors[k] = vector(operand(i, k + 2), p);
    return vectors;
  };
  if (always && is_constant(index)) {
    point_at_rows(output_displacement(binding_of(immediate)), constant(index), rows);
    for (std::uint32_t p = 0; p < parts_; ++p) {
      point_at_part(rows, p);
      store_components(rows, components(p));
    }
    return;
  }
  point_at_rows(output_displacement(binding_of(immediate)), 0, rows);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    // What must not be stored goes to the row behind the last.
    Reg offsets = clamped_offsets(index, count, p);
    if (!always) offsets = blend(constant_vector(count * 16), reg_source(offsets), mask(guard, p));
    std::array<Reg, 4> vectors = transpose(components(p));
    each_row_address(rows, offsets, p, [&](std::uint32_t lane, Reg where) {
      const InstRef inst = add(lane < 4 ? Op::StoreRow : Op::ExtractRow);
      inst->imm = lane / 4;
      use(inst, vectors[lane % 4]);
      inst->mem.base = MemBase::reg;
      inst->mem.base_use = inst->use_count;
      use(inst, where);
    });
  }
}

}  // namespace warpjit::backend
