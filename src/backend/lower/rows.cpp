// Rows of bindings, one a thread. Four-word rows are moved with 128-bit loads and stores and turned in
// registers (Builder::transpose).
#include "backend/lower/rows.h"

#include "backend/lower/bindings.h"

namespace warpjit::backend {

using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

RowLowering::RowPointers RowLowering::row_pointers(std::size_t binding) {
  const Reg first = load_argument(binding + offsetof(Binding, address));
  return row_pointers(first, load_argument(binding + offsetof(Binding, stride)));
}

RowLowering::RowPointers RowLowering::row_pointers(Reg first, Reg stride) {
  RowPointers rows;
  rows.next = first;
  Reg twice = host_.scaled_row_index ? stride : address(stride, stride, 0);
  rows.strides = {lir::kNoReg, stride, twice, address(stride, stride, 1)};
  return rows;
}

void RowLowering::point_at_part(RowPointers& rows, std::uint32_t part) {
  for (std::uint32_t quarter = 0; quarter < host_.lanes / 4; ++quarter) {
    if (part != 0 || quarter != 0) rows.next = address(rows.next, rows.strides[1], 2);
    rows.every_fourth[quarter] = rows.next;
  }
}

void RowLowering::at_row(InstRef inst, const RowPointers& rows, std::uint32_t quarter,
                         std::uint32_t k) const {
  inst->mem.base = MemBase::reg;
  inst->mem.base_use = inst->use_count;
  use(inst, rows.every_fourth[quarter]);
  if (k == 0) return;
  inst->mem.index_use = inst->use_count;
  inst->mem.scale_log2 = k == 2 && host_.scaled_row_index ? 1 : 0;
  use(inst, rows.strides[k]);
}

void RowLowering::ask_ahead(Op ask, const RowPointers& rows) {
  for (std::uint32_t quarter = 0; quarter < host_.lanes / 4; ++quarter)
    for (std::uint32_t k = 0; k < 4; ++k) {
      const InstRef inst = add(ask);
      at_row(inst, rows, quarter, k);
      inst->mem.displacement = role_.tuning.bytes_ahead_of_rows;
    }
}

std::uint32_t RowLowering::parts_asked_first() const {
  if (!role_.rows_ahead) return 0;
  // Lines that this group comes to, or the next one, cannot wait.
  const std::uint32_t group = parts_ * host_.lanes * 2 * kCacheLine;
  const bool far = role_.tuning.bytes_ahead_of_rows >= static_cast<std::int32_t>(group);
  return far ? (parts_ + 1) / 2 : parts_;
}

void RowLowering::ask_for_other_parts() {
  for (const std::size_t binding : half_asked_) {
    RowPointers rows = row_pointers(binding);
    for (std::uint32_t p = 0; p < parts_; ++p) {
      point_at_part(rows, p);
      if (p >= parts_asked_first()) ask_ahead(Op::AskToRead, rows);
    }
  }
  half_asked_.clear();
}

InstRef RowLowering::begin_row_load(std::uint32_t quarter, Reg before) {
  const InstRef inst = add(quarter == 0 ? Op::LoadRow : Op::InsertRow, RegClass::vector);
  if (quarter == 0) return inst;
  inst->imm = quarter;
  inst->prefer = 1;
  use(inst, before);
  return inst;
}

RowLowering::Components RowLowering::load_components(const RowPointers& rows) {
  if (role_.alike) return rows_.broadcast_words(rows.every_fourth[0]);
  Components vectors;
  // In the order of the addresses, for the sake of the prefetchers; store_components does the same.
  for (std::uint32_t quarter = 0; quarter < host_.lanes / 4; ++quarter)
    for (std::uint32_t k = 0; k < 4; ++k) {
      const InstRef inst = begin_row_load(quarter, vectors[k]);
      at_row(inst, rows, quarter, k);
      vectors[k] = inst->def;
    }
  return transpose(vectors);
}

void RowLowering::store_components(const RowPointers& rows, const Components& components) {
  Components vectors = transpose(components);
  if (role_.alike) {
    const InstRef inst = add(Op::StoreRow);
    use(inst, vectors[0]);
    at_row(inst, rows, 0, 0);
    return;
  }
  for (std::uint32_t quarter = 0; quarter < host_.lanes / 4; ++quarter)
    for (std::uint32_t k = 0; k < 4; ++k) {
      const InstRef inst = add(quarter == 0 ? Op::StoreRow : Op::ExtractRow);
      inst->imm = quarter;
      use(inst, vectors[k]);
      at_row(inst, rows, quarter, k);
    }
}

RowLowering::Components RowLowering::load_rows(Reg first, Reg stride) {
  RowPointers rows = row_pointers(first, stride);
  point_at_part(rows, 0);
  return load_components(rows);
}

void RowLowering::store_rows(Reg first, Reg stride, const Components& components) {
  RowPointers rows = row_pointers(first, stride);
  point_at_part(rows, 0);
  store_components(rows, components);
}

void RowLowering::store_pairs(Reg first, Reg x, Reg y) {
  const std::array<Reg, 2> halves = {vvv(Op::UnpackLo, x, y), vvv(Op::UnpackHi, x, y)};
  for (std::uint32_t n = 0; n < host_.lanes / 2; ++n) {
    const InstRef inst = add(n < 2 ? Op::StoreRow : Op::ExtractRow);
    inst->imm = n / 2;
    use(inst, halves[n % 2]);
    inst->mem = {MemBase::reg, 1, 0xff, 0, false, static_cast<std::int32_t>(16 * n)};
    use(inst, first);
  }
}

void RowLowering::define_components(ir::Inst i, std::uint32_t p, const Components& components) {
  for (std::uint32_t k = 0; k < 4; ++k) define(f_.result(i, k), p, components[k]);
}

void RowLowering::load_input(ir::Inst i) {
  if (f_.inst(i).immediate >> 32 != 0) return load_numbered_input(i);
  const std::size_t binding = input_displacement(f_.inst(i).immediate);
  const std::uint32_t asked = parts_asked_first();
  if (role_.rows_ahead && asked < parts_ && !(role_.rows_ahead->interleaved_inputs && !half_asked_.empty()))
    half_asked_.push_back(binding);
  RowPointers rows = row_pointers(binding);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    point_at_part(rows, p);
    if (p < asked) ask_ahead(Op::AskToRead, rows);
    define_components(i, p, load_components(rows));
  }
}

void RowLowering::flush_inputs() {
  std::vector<ir::Inst> pending;
  pending.swap(pending_inputs_);
  for (ir::Inst i : pending)
    if (slot(f_.result(i), 0) == lir::kNoReg) load_input(i);
}

void RowLowering::store_output(ir::Inst i) {
  Value guard = operand(i, 0);
  const bool always = is_constant(guard) && constant(guard) != 0;
  if (is_constant(guard) && !always) return;
  ask_for_other_parts();
  const std::uint64_t number = f_.inst(i).immediate;
  RowPointers rows = row_pointers(output_displacement(number));
  // Packed rows are prefetched a line apart.
  const bool asks =
      role_.rows_ahead && (!role_.rows_ahead->packed_outputs || number % (kCacheLine / 16) == 0);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    point_at_part(rows, p);
    if (asks) ask_ahead(Op::AskToWrite, rows);
    Components components;
    for (std::uint32_t k = 0; k < 4; ++k) components[k] = vector(operand(i, k + 1), p);
    if (!always) {
      // A row belongs to one thread alone: what stays is read and written back.
      Components old = load_components(rows);
      Reg m = mask(guard, p);
      for (std::uint32_t k = 0; k < 4; ++k) components[k] = blend(old[k], reg_source(components[k]), m);
    }
    store_components(rows, components);
  }
}

}  // namespace warpjit::backend
