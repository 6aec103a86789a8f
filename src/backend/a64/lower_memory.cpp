// Memory of threads: vectors side by side, and words lane by lane.
#include "backend/a64/lower.h"

namespace warpjit::backend::a64 {

using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

namespace {

void set_memory(InstRef inst, Reg base, std::int32_t displacement, Reg index = lir::kNoReg) {
  inst->mem = {MemBase::reg, inst->use_count, 0xff, 0, false, displacement};
  inst->use[inst->use_count++] = base;
  if (index == lir::kNoReg) return;
  inst->mem.index_use = inst->use_count;
  inst->use[inst->use_count++] = index;
}

}  // namespace

Reg Memory::lanes_from(Reg r, Reg base, std::int32_t displacement, Reg guard) {
  const InstRef load = add(Op::Broadcast, RegClass::vector);
  set_memory(load, base, displacement);
  Reg from = vvv(Op::ICmpHs, r, load->def);
  return guard == lir::kNoReg ? from : vvv(Op::And, from, guard);
}

Reg Memory::lanes_that_differ(Reg a, Reg b, Reg guard) {
  Reg equal = vvv(Op::ICmpEq, a, b);
  return guard == lir::kNoReg ? vv(Op::Not, equal) : vvv(Op::AndNot, equal, guard);
}

Reg Memory::lanes_with_bits(Reg r, std::uint32_t bits, Reg guard) {
  Reg some = vvv(Op::TestBits, r, constant_vector(bits));
  return guard == lir::kNoReg ? some : vvv(Op::And, some, guard);
}

Reg Memory::load_lanes(Reg offset, Reg base, std::int32_t displacement, Reg guard) {
  const InstRef inst = add(Op::LoadLanes, RegClass::vector);
  inst->flags |= lir::kEarlyClobber;
  use(inst, offset);
  if (guard != lir::kNoReg) use(inst, guard);
  set_memory(inst, base, displacement);
  return inst->def;
}

void Memory::store_lanes(Reg r, Reg offset, Reg base, std::int32_t displacement, Reg guard) {
  const InstRef inst = add(Op::StoreLanes);
  use(inst, r);
  use(inst, offset);
  if (guard != lir::kNoReg) use(inst, guard);
  set_memory(inst, base, displacement);
}

Reg Memory::load_together(Reg guard, Reg base, Reg index, std::int32_t displacement) {
  const InstRef inst = add(guard == lir::kNoReg ? Op::LoadFull : Op::LoadMasked, RegClass::vector);
  if (guard != lir::kNoReg) {
    inst->flags |= lir::kEarlyClobber;
    use(inst, guard);
  }
  set_memory(inst, base, displacement, index);
  return inst->def;
}

void Memory::store_together(Reg r, Reg guard, Reg base, Reg index, std::int32_t displacement) {
  const InstRef inst = add(guard == lir::kNoReg ? Op::StoreFull : Op::StoreFullMasked);
  use(inst, r);
  if (guard != lir::kNoReg) use(inst, guard);
  set_memory(inst, base, displacement, index);
}

Reg Memory::load_same(Reg, Reg base, Reg index, std::int32_t displacement) {
  const InstRef inst = add(Op::Broadcast, RegClass::vector);
  set_memory(inst, base, displacement, index);
  return inst->def;
}

}  // namespace warpjit::backend::a64
