// Words in vectors, for NEON; tables, lane by lane.
#include "backend/a64/lower.h"

namespace warpjit::backend::a64 {

using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

Reg Words::shift_by(Shift kind, Reg value, Reg count) {
  Reg by = vvv(Op::IMinU, count, constant_vector(32));
  if (kind != Shift::left) by = vv(Op::INeg, by);
  return vvv(kind == Shift::right_signed ? Op::ShlSignedA : Op::ShlSigned, value, by);
}

Reg Words::multiply_add(Reg a, Reg b, const Source& c) {
  const InstRef inst = add(Op::Fmla, RegClass::vector);
  inst->flags |= lir::kTied;
  use(inst, c.reg);
  use(inst, a);
  use(inst, b);
  return inst->def;
}

Reg Words::look_up(std::span<const std::uint32_t> words, Reg index) {
  Reg inside = vvv(Op::And, index, constant_vector(static_cast<std::uint32_t>(words.size() - 1)));
  const InstRef address = add(Op::SPoolAddress, RegClass::scalar);
  address->mem.base = MemBase::pool;
  address->mem.displacement = pool_.table(words);
  address->flags |= lir::kRemat;
  return load_words(address->def, inside);
}

Reg LaneLoads::load_words(Reg base, Reg numbers) {
  Reg found = lir::kNoReg;
  for (std::uint32_t k = 0; k < host_.lanes; ++k) {
    const InstRef lane = add(Op::LaneToScalar, RegClass::scalar);
    use(lane, numbers);
    lane->imm = k;
    Reg number = lane->def;
    if (k == 0) {
      const InstRef first = add(Op::LoadWord, RegClass::vector);
      use(first, base);
      use(first, number);
      first->mem = {MemBase::reg, 0, 1, 2, false, 0};
      found = first->def;
      continue;
    }
    Reg place = this->address(base, number, 2);
    const InstRef inst = add(Op::InsertWord, RegClass::vector);
    inst->flags |= lir::kTied;
    use(inst, found);
    use(inst, place);
    inst->imm = k;
    found = inst->def;
  }
  return found;
}

}  // namespace warpjit::backend::a64
