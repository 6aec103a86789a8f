// Texels, lane by lane: NEON has no gather.
#include "backend/a64/lower.h"

namespace warpjit::backend::a64 {

using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

std::array<Reg, 4> Texels::addresses(Reg offsets, Reg base) {
  std::array<Reg, 4> made{};
  for (std::uint32_t k = 0; k < 4; ++k) {
    const InstRef lane = add(Op::LaneToScalar, RegClass::scalar);
    use(lane, offsets);
    lane->imm = k;
    Reg offset = lane->def;
    made[k] = address(base, offset, 0);
  }
  return made;
}

Reg Texels::load_words(const std::array<Reg, 4>& addresses) {
  Reg words = load(Op::LoadWord, RegClass::vector, {MemBase::reg, 0, 0xff, 0, false, 0}, addresses[0]);
  for (std::uint32_t k = 1; k < 4; ++k) {
    const InstRef inst = add(Op::InsertWord, RegClass::vector);
    inst->flags |= lir::kTied;
    use(inst, words);
    use(inst, addresses[k]);
    inst->imm = k;
    words = inst->def;
  }
  return words;
}

Reg Texels::load_texels(Reg offsets, Reg base) { return load_words(addresses(offsets, base)); }

std::array<Reg, 2> Texels::load_texel_pairs(Reg offsets, Reg base) {
  const Reg first = load_texels(offsets, base);
  return {first, load_texels(vvv(Op::IAdd, offsets, constant_vector(4)), base)};
}

}  // namespace warpjit::backend::a64
