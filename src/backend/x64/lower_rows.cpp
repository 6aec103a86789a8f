// Table rows and masked stores.
#include "backend/x64/lower.h"

namespace warpjit::backend::x64 {

using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

std::array<Reg, 4> Rows::broadcast_row(Reg bytes, std::int32_t offset) {
  std::array<Reg, 4> components;
  for (std::uint32_t k = 0; k < 4; ++k) {
    const InstRef inst = add(Op::Broadcast, RegClass::vector);
    use(inst, bytes);
    inst->mem = {MemBase::table, 0xff, 0, 0, true, offset + static_cast<std::int32_t>(4 * k)};
    components[k] = inst->def;
  }
  return components;
}

Reg Rows::broadcast_word(Reg address, std::int32_t offset) {
  const InstRef inst = add(Op::Broadcast, RegClass::vector);
  inst->mem = {MemBase::reg, 0, 0xff, 0, true, offset};
  use(inst, address);
  return inst->def;
}

std::array<Reg, 4> Rows::broadcast_words(Reg address) {
  std::array<Reg, 4> components;
  for (std::uint32_t k = 0; k < 4; ++k)
    components[k] = broadcast_word(address, static_cast<std::int32_t>(4 * k));
  return components;
}

// A permutation of AVX2 chooses among 8 words; selects look at signs alone.
Reg Rows::look_up(Reg index, std::int32_t offset) {
  const auto permuted = [&](std::int32_t at) {
    Source words;
    words.mem.base = MemBase::table;
    words.mem.displacement = at;
    return vvv(Op::LookUpInOne, index, words);
  };
  const Reg lower = permuted(offset);
  if (host_.lanes == 16) return lower;
  if (looked_up_ != index || upper_.block != current_block()) {
    looked_up_ = index;
    upper_ = {with_immediate(Op::Shl, index, 28), current_block()};
  }
  return blend(lower, reg_source(permuted(offset + static_cast<std::int32_t>(host_.vector_bytes))),
               upper_.reg);
}

Reg Rows::table_word(Reg number, std::int32_t offset) {
  return load(Op::SLoad, RegClass::scalar, {MemBase::table, 0xff, 0, 2, false, offset}, number);
}

void Rows::store_where(Reg r, Reg mask, const lir::Mem& mem, Reg base) {
  const InstRef inst = add(Op::StoreFullMasked);
  use(inst, r);
  use(inst, mask);
  if (base != lir::kNoReg) use(inst, base);
  inst->mem = mem;
}

// The row at `offset` of the table plus `bytes`, as the 128-bit lane `lane` of `into`.
Reg Rows::load_row(Reg into, std::uint32_t lane, Reg bytes, std::int32_t offset) {
  const InstRef inst = add(lane == 0 ? Op::LoadRow : Op::InsertRow, RegClass::vector);
  inst->imm = lane;
  if (lane != 0) use(inst, into);
  inst->prefer = lane != 0;
  inst->mem = {MemBase::table, 0xff, inst->use_count, 0, false, offset};
  use(inst, bytes);
  return inst->def;
}

// The byte offsets of the lanes' rows go through the frame, so that scalar loads can fetch them one by one.
std::array<Reg, 4> Rows::load_rows(Value index, std::int32_t offset, std::uint32_t count, bool may_exceed,
                                   std::uint32_t p) {
  if (scratch_ < 0) scratch_ = reserve_frame(parts_ * host_.vector_bytes);
  const std::int32_t offsets = scratch_ + static_cast<std::int32_t>(p * host_.vector_bytes);
  Reg inside = lir::kNoReg;
  if (may_exceed) {  // rows outside are read as row 0 and then zeroed
    Reg all = vector(index, p);
    inside = host_.mask_registers ? compare(Op::CmpU, all, constant_source(count - 1), integer_predicate::kLe)
                                  : vvv(Op::ICmpEq, vvv(Op::IMinU, all, constant_source(count - 1)), all);
    store(Op::StoreFull, zero_where_not(with_immediate(Op::Shl, all, 4), inside), frame(offsets));
    scratch_block_ = ~0u;
  } else if (scratch_index_ != index || scratch_block_ != current_block()) {
    // All parts at once: a second row with this index finds their offsets there.
    for (std::uint32_t part = p; part < parts_; ++part) {
      Reg bytes = with_immediate(Op::Shl, vector(index, part), 4);
      store(Op::StoreFull, bytes, frame(scratch_ + static_cast<std::int32_t>(part * host_.vector_bytes)));
    }
    scratch_index_ = index;
    scratch_block_ = current_block();
  }
  std::array<Reg, 4> rows{};
  for (std::uint32_t k = 0; k < 4; ++k)
    for (std::uint32_t lane = 0; lane < host_.lanes / 4; ++lane) {
      Reg bytes =
          load(Op::SLoad, RegClass::scalar, frame(offsets + static_cast<std::int32_t>((lane * 4 + k) * 4)));
      rows[k] = load_row(rows[k], lane, bytes, offset);
    }
  std::array<Reg, 4> components = transpose(rows);
  if (may_exceed)
    for (Reg& r : components) r = zero_where_not(r, inside);
  return components;
}

}  // namespace warpjit::backend::x64
