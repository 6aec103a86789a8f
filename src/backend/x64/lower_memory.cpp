// Lowering of memory: words of the uniform table, rows of inputs, outputs and tables, local slots.
//
// Four-word rows are moved with 128-bit loads and stores and turned in registers: vector k of four holds rows
// k, k+4, k+8, ... in its 128-bit lanes, so that a 4x4 transpose inside the lanes gives the components in
// order.
#include <cstddef>

#include "backend/x64/lower.h"
#include "ir/analysis/range.h"

namespace warpjit::backend::x64 {

using ir::Opcode;
using ir::Value;
using lir::Inst;
using lir::Mem;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

void Lowering::lower_LoadUniformI32(ir::Inst) {}  // an operand where it is used
void Lowering::lower_LoadUniformF32(ir::Inst) {}

void Lowering::lower_StoreUniformF32(ir::Inst i) {
  Reg r = vector(operand(i, 0), 0);
  Inst& inst = add(Op::StoreWord);
  use(inst, r);
  inst.mem.base = MemBase::table;
  inst.mem.displacement = static_cast<std::int32_t>(f_.inst(i).immediate);
}

void Lowering::lower_StoreUniformI32(ir::Inst i) {
  Reg r = scalar(operand(i, 0));
  Inst& inst = add(Op::SStoreWord);
  use(inst, r);
  inst.mem.base = MemBase::table;
  inst.mem.displacement = static_cast<std::int32_t>(f_.inst(i).immediate);
}

Mem Lowering::frame(std::int32_t displacement) const {
  Mem mem;
  mem.base = MemBase::frame;
  mem.displacement = displacement;
  return mem;
}

// The same four unpacks turn components back into rows.
std::array<Reg, 4> Lowering::transpose(const std::array<Reg, 4>& rows) {
  Reg t0 = vvv(Op::UnpackLo, rows[0], reg_source(rows[1])),
      t1 = vvv(Op::UnpackHi, rows[0], reg_source(rows[1]));
  Reg t2 = vvv(Op::UnpackLo, rows[2], reg_source(rows[3])),
      t3 = vvv(Op::UnpackHi, rows[2], reg_source(rows[3]));
  return {vvv(Op::UnpackLoD, t0, reg_source(t2)), vvv(Op::UnpackHiD, t0, reg_source(t2)),
          vvv(Op::UnpackLoD, t1, reg_source(t3)), vvv(Op::UnpackHiD, t1, reg_source(t3))};
}

Reg Lowering::load_binding(std::size_t displacement) {
  Inst& inst = add(Op::SLoad64, RegClass::scalar);
  inst.mem.base = MemBase::args;
  inst.mem.displacement = static_cast<std::int32_t>(displacement);
  inst.flags |= lir::kRemat;
  return inst.def;
}

Reg Lowering::address(Reg base, Reg index, std::uint8_t scale_log2) {
  Inst& inst = add(Op::SLea64, RegClass::scalar);
  use(inst, base);
  use(inst, index);
  inst.mem = {MemBase::reg, 0, 1, scale_log2, false, 0};
  return inst.def;
}

Lowering::RowPointers Lowering::row_pointers(std::int32_t binding) {
  const auto displacement = static_cast<std::size_t>(binding);
  RowPointers rows;
  rows.next = load_binding(displacement + offsetof(Binding, address));
  rows.stride = load_binding(displacement + offsetof(Binding, stride));
  rows.stride3 = address(rows.stride, rows.stride, 1);
  return rows;
}

void Lowering::point_at_part(RowPointers& rows, std::uint32_t part) {
  for (std::uint32_t lane = 0; lane < host_.lanes / 4; ++lane) {
    if (part != 0 || lane != 0) rows.next = address(rows.next, rows.stride, 2);
    rows.every_fourth[lane] = rows.next;
  }
}

void Lowering::at_row(Inst& inst, const RowPointers& rows, std::uint32_t lane, std::uint32_t k) {
  inst.mem.base = MemBase::reg;
  inst.mem.base_use = inst.use_count;
  use(inst, rows.every_fourth[lane]);
  if (k == 0) return;
  inst.mem.index_use = inst.use_count;
  inst.mem.scale_log2 = k == 2 ? 1 : 0;
  use(inst, k == 3 ? rows.stride3 : rows.stride);
}

std::array<Reg, 4> Lowering::load_components(const RowPointers& rows) {
  std::array<Reg, 4> vectors;
  // In the order of the addresses, for the sake of the prefetchers; stores likewise.
  for (std::uint32_t lane = 0; lane < host_.lanes / 4; ++lane)
    for (std::uint32_t k = 0; k < 4; ++k) {
      Inst& inst = add(lane == 0 ? Op::LoadRow : Op::InsertRow, RegClass::vector);
      if (lane != 0) {
        inst.imm = lane;
        inst.prefer = 1;
        use(inst, vectors[k]);
      }
      at_row(inst, rows, lane, k);
      vectors[k] = inst.def;
    }
  return transpose(vectors);
}

void Lowering::load_input(ir::Inst i) {
  RowPointers rows = row_pointers(input_displacement(static_cast<std::uint32_t>(f_.inst(i).immediate)));
  for (std::uint32_t p = 0; p < parts_; ++p) {
    point_at_part(rows, p);
    std::array<Reg, 4> components = load_components(rows);
    for (std::uint32_t k = 0; k < 4; ++k) define(f_.result(i, k), p, components[k]);
  }
}

void Lowering::lower_LoadInput(ir::Inst i) { load_input(i); }

void Lowering::lower_StoreOutput(ir::Inst i) {
  Value guard = operand(i, 0);
  const bool always = is_constant(guard) && constant(guard) != 0;
  if (is_constant(guard) && !always) return;
  RowPointers rows = row_pointers(output_displacement(static_cast<std::uint32_t>(f_.inst(i).immediate)));
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
    std::array<Reg, 4> vectors = transpose(components);
    for (std::uint32_t lane = 0; lane < host_.lanes / 4; ++lane)
      for (std::uint32_t k = 0; k < 4; ++k) {
        Inst& inst = add(lane == 0 ? Op::StoreRow : Op::ExtractRow);
        inst.imm = lane;
        use(inst, vectors[k]);
        at_row(inst, rows, lane, k);
      }
  }
}

// The byte offset of each lane's row, stored to the frame so that scalar loads can fetch them one by one.
Reg Lowering::row_scratch(Value index) {
  if (scratch_ < 0) {
    scratch_ = static_cast<std::int32_t>(code_.frame_bytes);
    code_.frame_bytes += parts_ * host_.vector_bytes;
  }
  if (scratch_index_ == index && scratch_block_ == current_block_) return lir::kNoReg;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg bytes = shift(Op::Shl, vector(index, p), 4);
    Inst& inst = add(Op::StoreFull);
    use(inst, bytes);
    inst.mem = frame(scratch_ + static_cast<std::int32_t>(p * host_.vector_bytes));
  }
  scratch_index_ = index;
  scratch_block_ = current_block_;
  return lir::kNoReg;
}

void Lowering::load_uniform_row(ir::Inst i) {
  const std::uint64_t immediate = f_.inst(i).immediate;
  const auto offset = static_cast<std::int32_t>(immediate & 0xffffffffu);
  const auto count = static_cast<std::uint32_t>(immediate >> 32);
  Value index = operand(i, 0);
  if (count == 0) {
    for (std::uint32_t k = 0; k < 4; ++k)
      for (std::uint32_t p = 0; p < parts_of(f_.result(i, k)); ++p)
        define(f_.result(i, k), p, constant_vector(0));
    return;
  }
  const bool proved = ir::upper_bound(f_, index) < count;
  if (!varying(index)) {
    Reg row = scalar(index), inside = lir::kNoReg;
    if (!proved) {
      Inst& test = add(Op::SCompare, RegClass::scalar);
      use(test, row);
      test.imm = pack_condition(Condition::less_u, static_cast<std::int32_t>(count));
      inside = test.def;
      Reg zero = scalar_imm(0);
      Inst& chosen = add(Op::SSelect, RegClass::scalar);
      chosen.flags |= lir::kTied;
      use(chosen, zero);
      use(chosen, row);
      use(chosen, inside);
      row = chosen.def;
    }
    Reg bytes = scalar_tied_imm(Op::SShlImm, row, 4);
    for (std::uint32_t k = 0; k < 4; ++k) {
      Inst& inst = add(Op::Broadcast, RegClass::vector);
      use(inst, bytes);
      inst.mem = {MemBase::table, 0xff, 0, 0, true, offset + static_cast<std::int32_t>(4 * k)};
      Reg r = inst.def;
      if (!proved) {  // all lanes or none
        Reg all = scalar_tied(Op::SSub, scalar_imm(0), inside);
        Inst& spread = add(Op::BroadcastScalar, RegClass::vector);
        use(spread, all);
        r = vvv(Op::And, r, reg_source(spread.def));
      }
      define(f_.result(i, k), 0, r);
    }
    return;
  }
  row_scratch(index);
  const std::uint32_t lanes128 = host_.lanes / 4;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg outside = lir::kNoReg;
    if (!proved) {  // rows outside are read as row 0 and then zeroed
      Reg all = vector(index, p);
      Reg inside = host_.mask_registers
                       ? compare(Op::CmpU, all, constant_source(count - 1), integer_predicate::kLe)
                       : vvv(Op::ICmpEq, vvv(Op::IMinU, all, constant_source(count - 1)), reg_source(all));
      outside = inside;
      Reg bytes = shift(Op::Shl, all, 4), clamped;
      if (host_.mask_registers) {
        Inst& inst = add(Op::MoveZeroMask, RegClass::vector);
        inst.flags |= lir::kZeroMask;
        use(inst, bytes);
        use(inst, inside);
        clamped = inst.def;
      } else {
        clamped = vvv(Op::And, bytes, reg_source(inside));
      }
      Inst& store = add(Op::StoreFull);
      use(store, clamped);
      store.mem = frame(scratch_ + static_cast<std::int32_t>(p * host_.vector_bytes));
      scratch_block_ = ~0u;
    }
    std::array<Reg, 4> vectors;
    for (std::uint32_t k = 0; k < 4; ++k) {
      Reg r = lir::kNoReg;
      for (std::uint32_t lane = 0; lane < lanes128; ++lane) {
        Inst& where = add(Op::SLoad, RegClass::scalar);
        where.mem = frame(scratch_ + static_cast<std::int32_t>(p * host_.vector_bytes + (lane * 4 + k) * 4));
        Reg bytes = where.def;
        Inst& inst = add(lane == 0 ? Op::LoadRow : Op::InsertRow, RegClass::vector);
        inst.imm = lane;
        if (lane != 0) use(inst, r);
        inst.prefer = lane != 0;
        inst.mem = {MemBase::table, 0xff, inst.use_count, 0, false, offset};
        use(inst, bytes);
        r = inst.def;
      }
      vectors[k] = r;
    }
    std::array<Reg, 4> components = transpose(vectors);
    for (std::uint32_t k = 0; k < 4; ++k) {
      Reg r = components[k];
      if (outside != lir::kNoReg) {
        if (host_.mask_registers) {
          Inst& inst = add(Op::MoveZeroMask, RegClass::vector);
          inst.flags |= lir::kZeroMask;
          use(inst, r);
          use(inst, outside);
          r = inst.def;
        } else {
          r = vvv(Op::And, r, reg_source(outside));
        }
      }
      define(f_.result(i, k), p, r);
    }
  }
}

void Lowering::lower_LoadUniformRow(ir::Inst i) { load_uniform_row(i); }

// ---- local slots: what the dispatcher keeps between blocks, per lane

void Lowering::lower_LoadSlot(ir::Inst i) {
  const auto number = static_cast<std::uint32_t>(f_.inst(i).immediate);
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Inst& inst = add(Op::LoadFull, RegClass::vector);
    inst.mem = frame(slots_ + static_cast<std::int32_t>((number * parts_ + p) * host_.vector_bytes));
    define(f_.result(i), p, inst.def);
  }
}

void Lowering::lower_StoreSlot(ir::Inst i) {
  const auto number = static_cast<std::uint32_t>(f_.inst(i).immediate);
  Value guard = operand(i, 0);
  const bool always = is_constant(guard) && constant(guard) != 0;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg r = vector(operand(i, 1), p);
    Reg m = always ? lir::kNoReg : mask(guard, p);
    Inst& inst = add(always ? Op::StoreFull : Op::StoreFullMasked);
    use(inst, r);
    if (!always) use(inst, m);
    inst.mem = frame(slots_ + static_cast<std::int32_t>((number * parts_ + p) * host_.vector_bytes));
  }
}

}  // namespace warpjit::backend::x64
