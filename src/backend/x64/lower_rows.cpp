// Table rows and masked stores.
#include "backend/x64/lower.h"

namespace warpjit::backend::x64 {

using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;
using lir::Regs;

std::array<Reg, 4> Lowering::broadcast_row(Reg bytes, std::int32_t offset) {
  std::array<Reg, 4> components;
  for (std::uint32_t k = 0; k < 4; ++k) {
    const InstRef inst = add(Op::Broadcast, RegClass::vector);
    use(inst, bytes);
    inst->mem = {MemBase::table, 0xff, 0, 0, true, offset + static_cast<std::int32_t>(4 * k)};
    components[k] = inst->def;
  }
  return components;
}

void Lowering::store_where(Reg r, Reg mask, const lir::Mem& mem, Reg base) {
  const InstRef inst = add(Op::StoreFullMasked);
  use(inst, r);
  use(inst, mask);
  if (base != lir::kNoReg) use(inst, base);
  inst->mem = mem;
}

// The row at `offset` of the table plus `bytes`, as the 128-bit lane `lane` of `into`.
Reg Lowering::load_row(Reg into, std::uint32_t lane, Reg bytes, std::int32_t offset) {
  const InstRef inst = add(lane == 0 ? Op::LoadRow : Op::InsertRow, RegClass::vector);
  inst->imm = lane;
  if (lane != 0) use(inst, into);
  inst->prefer = lane != 0;
  inst->mem = {MemBase::table, 0xff, inst->use_count, 0, false, offset};
  use(inst, bytes);
  return inst->def;
}

// The byte offsets of the lanes' rows go through the frame, so that scalar loads can fetch them one by one.
std::array<Reg, 4> Lowering::load_rows(Value index, std::int32_t offset, std::uint32_t count, bool may_exceed,
                                       std::uint32_t p) {
  if (scratch_ < 0) scratch_ = reserve_frame(parts_ * host_.vector_bytes);
  const std::int32_t offsets = scratch_ + static_cast<std::int32_t>(p * host_.vector_bytes);
  auto save = [&](Reg bytes) {
    const InstRef inst = add(Op::StoreFull);
    use(inst, bytes);
    inst->mem = frame(offsets);
  };
  Reg inside = lir::kNoReg;
  if (may_exceed) {  // rows outside are read as row 0 and then zeroed
    Reg all = vector(index, p);
    inside = v4() ? compare(Op::CmpU, all, constant_source(count - 1), integer_predicate::kLe)
                  : vvv(Op::ICmpEq, vvv(Op::IMinU, all, constant_source(count - 1)), all);
    save(zero_where_not(with_immediate(Op::Shl, all, 4), inside));
    scratch_block_ = ~0u;
  } else if (scratch_index_ != index || scratch_block_ != current_block()) {
    // Of all parts at once: a second row with this index finds them there.
    for (std::uint32_t part = p; part < parts_; ++part) {
      Reg bytes = with_immediate(Op::Shl, vector(index, part), 4);
      const InstRef inst = add(Op::StoreFull);
      use(inst, bytes);
      inst->mem = frame(scratch_ + static_cast<std::int32_t>(part * host_.vector_bytes));
    }
    scratch_index_ = index;
    scratch_block_ = current_block();
  }
  std::array<Reg, 4> rows;
  for (std::uint32_t k = 0; k < 4; ++k)
    for (std::uint32_t lane = 0; lane < host_.lanes / 4; ++lane) {
      const InstRef where = add(Op::SLoad, RegClass::scalar);
      where->mem = frame(offsets + static_cast<std::int32_t>((lane * 4 + k) * 4));
      Reg bytes = where->def;
      rows[k] = load_row(rows[k], lane, bytes, offset);
    }
  std::array<Reg, 4> components = transpose(rows);
  if (may_exceed)
    for (Reg& r : components) r = zero_where_not(r, inside);
  return components;
}

std::size_t Lowering::load_rows_together(Value index, std::span<const TableRow> rows) {
  if (v4()) return look_up_rows(index, rows);
  load_same_or_any_rows(index, rows);
  return rows.size();
}

// Rows that all lanes share are broadcast. Measured with AVX2 on skin_loop: +42% where all lanes have the
// same index, no loss where they differ.
void Lowering::load_same_or_any_rows(Value index, std::span<const TableRow> rows) {
  const Reg number = vector_to_scalar(vector(index, 0));
  const InstRef spread = add(Op::BroadcastScalar, RegClass::vector);
  use(spread, number);
  const Reg numbers = spread->def;
  Reg same = lir::kNoReg;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    const Reg equal = vvv(Op::ICmpEq, vector(index, p), numbers);
    same = p == 0 ? equal : mask_op(MaskOp::and_, same, equal);
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
      return load_rows(index, row.offset, row.count, row.may_exceed, p);
    });
  };
  const auto same_rows = [&] {
    return each([&](const TableRow& row, std::uint32_t) { return uniform_row(number, row); });
  };
  define_rows(rows, either_way(mask_not(same), any_rows, same_rows));
}

}  // namespace warpjit::backend::x64
