// Rows of bindings by index. A row whose number is known is as the only row of a thread, some bytes on. Else
// lanes go one by one: their byte offsets pass through the frame, so that scalar loads can fetch them. Rows
// that another binding numbers (indexed vertices) go one by one, too.
#include <algorithm>

#include "backend/lower/bindings.h"
#include "backend/lower/rows.h"

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
Reg RowLowering::clamped_offsets(Value index, std::uint32_t limit, std::uint32_t p) {
  return with_immediate(Op::Shl, vvv(Op::IMinU, vector(index, p), constant_vector(limit)), 4);
}

RowLowering::RowPointers RowLowering::point_at_rows(std::size_t binding, std::uint64_t row) {
  RowPointers rows = row_pointers(binding);
  if (row != 0) rows.next = address(rows.next, scalar_imm(static_cast<std::uint32_t>(row * 16)), 0);
  return rows;
}

// Calls visit(lane, address) for the lanes of part p, in order.
template <class Visit>
void RowLowering::each_row_address(RowPointers& rows, Reg offsets, std::uint32_t p, Visit visit) {
  if (row_offsets_ < 0) row_offsets_ = reserve_frame(host_.vector_bytes);
  store(Op::StoreFull, offsets, frame(row_offsets_));
  for (std::uint32_t lane = 0; lane < (role_.alike ? 1 : host_.lanes); ++lane) {
    if (p != 0 || lane != 0) rows.next = address(rows.next, rows.strides[1], 0);
    const Reg bytes =
        load(Op::SLoad, RegClass::scalar, frame(row_offsets_ + static_cast<std::int32_t>(4 * lane)));
    visit(lane, address(rows.next, bytes, 0));
  }
}

void RowLowering::load_input_row(ir::Inst i) {
  const std::uint64_t immediate = f_.inst(i).immediate;
  const std::uint32_t last = rows_of(immediate) - 1;
  const std::size_t binding = input_displacement(binding_of(immediate));
  Value index = operand(i, 0);
  if (is_constant(index)) {
    RowPointers rows = point_at_rows(binding, std::min<std::uint64_t>(constant(index), last));
    for (std::uint32_t p = 0; p < parts_; ++p) {
      point_at_part(rows, p);
      define_components(i, p, load_components(rows));
    }
    return;
  }
  RowPointers rows = point_at_rows(binding, 0);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    // Vector k gets the rows of lanes k, k+4, k+8, ...
    Components vectors;
    if (role_.alike) {
      each_row_address(rows, clamped_offsets(index, last, p), p,
                       [&](std::uint32_t, Reg where) { vectors = rows_.broadcast_words(where); });
      define_components(i, p, vectors);
      continue;
    }
    each_row_address(rows, clamped_offsets(index, last, p), p, [&](std::uint32_t lane, Reg where) {
      const InstRef inst = begin_row_load(lane / 4, vectors[lane % 4]);
      inst->mem.base = MemBase::reg;
      inst->mem.base_use = inst->use_count;
      use(inst, where);
      vectors[lane % 4] = inst->def;
    });
    define_components(i, p, transpose(vectors));
  }
}

void RowLowering::store_output_row(ir::Inst i) {
  const std::uint64_t immediate = f_.inst(i).immediate;
  const std::uint32_t count = rows_of(immediate);
  const std::size_t binding = output_displacement(binding_of(immediate));
  Value guard = operand(i, 0), index = operand(i, 1);
  const bool always = is_constant(guard) && constant(guard) != 0;
  if (is_constant(guard) && !always) return;
  if (is_constant(index) && constant(index) >= count) return;
  const auto components = [&](std::uint32_t p) {
    Components vectors;
    for (std::uint32_t k = 0; k < 4; ++k) vectors[k] = vector(operand(i, k + 2), p);
    return vectors;
  };
  if (always && is_constant(index)) {
    RowPointers rows = point_at_rows(binding, constant(index));
    for (std::uint32_t p = 0; p < parts_; ++p) {
      point_at_part(rows, p);
      store_components(rows, components(p));
    }
    return;
  }
  RowPointers rows = point_at_rows(binding, 0);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    // What must not be stored goes to the row after the last.
    Reg offsets = clamped_offsets(index, count, p);
    if (!always) offsets = blend(constant_vector(count * 16), reg_source(offsets), mask(guard, p));
    Components vectors = transpose(components(p));
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

// As load_components, but each row's offset is a product of its own. 32-bit arithmetic leaves the upper half
// of a scalar 0, and no offset reaches 2^32.
void RowLowering::load_numbered_input(ir::Inst i) {
  const std::uint64_t immediate = f_.inst(i).immediate;
  const std::size_t rows = input_displacement(immediate & 0xffffffffu);
  const std::size_t numbers = input_displacement((immediate >> 32) - 1);
  Reg base = load_argument(rows + offsetof(Binding, address));
  Reg stride = load_argument(rows + offsetof(Binding, stride));
  Reg list = load_argument(numbers + offsetof(Binding, address));
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Components vectors;
    for (std::uint32_t lane = 0; lane < host_.lanes; ++lane) {
      const auto place = static_cast<std::int32_t>(4 * (p * host_.lanes + lane));
      Reg number = load(Op::SLoad, RegClass::scalar, {MemBase::reg, 0, 0xff, 0, false, place}, list);
      Reg offset = scalar_op(Op::SMul, number, stride);
      const InstRef inst = begin_row_load(lane / 4, vectors[lane % 4]);
      inst->mem = {
          MemBase::reg, inst->use_count, static_cast<std::uint8_t>(inst->use_count + 1), 0, false, 0};
      use(inst, base);
      use(inst, offset);
      vectors[lane % 4] = inst->def;
    }
    define_components(i, p, transpose(vectors));
  }
}

}  // namespace warpjit::backend
