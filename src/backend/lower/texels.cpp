#include "backend/lower/texels.h"

#include <cstddef>

namespace warpjit::backend {

using ir::TexelView;
using ir::Value;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

Reg TexelLowering::field(Op op, ir::Inst i, std::size_t member) {
  const auto displacement = static_cast<std::int32_t>(f_.inst(i).immediate * sizeof(TexelView) + member);
  for (const LoadedField& known : fields_)
    if (known.displacement == displacement && known.op == op && known.loaded.block == current_block())
      return known.loaded.reg;
  if (views_.block != current_block())
    views_ = {load_argument(offsetof(KernelArgs, textures)), current_block()};
  const bool in_lanes = op == Op::Broadcast;
  const Reg made = load(op, in_lanes ? RegClass::vector : RegClass::scalar,
                        {MemBase::reg, 0, 0xff, 0, in_lanes, displacement}, views_.reg);
  fields_.push_back({op, displacement, {made, current_block()}});
  return made;
}

// One offset for all lanes: as scalars and as vectors; what is not used goes away.
void TexelLowering::load_uniform(ir::Inst i, std::size_t last, std::uint32_t words) {
  Reg offset = scalar(operand(i, 0));
  Reg limit = field(Op::SLoad, i, last), base = field(Op::SLoad64, i, offsetof(TexelView, bytes));
  Reg at = address(base, scalar_extreme(Op::SMin, offset, limit, Condition::less_u), 0);
  for (std::uint32_t k = 0; k < words; ++k) {
    const Value result = f_.result(i, k);
    const auto displacement = static_cast<std::int32_t>(4 * k);
    const Reg word = load(Op::SLoad, RegClass::scalar, {MemBase::reg, 0, 0xff, 0, false, displacement}, at);
    const Reg in_lanes = spread(word);
    if (varying(result)) {
      for (std::uint32_t p = 0; p < parts_; ++p) define(result, p, in_lanes);
      continue;
    }
    define(result, 0, word);
    define_vector_form(result, in_lanes);
  }
}

void TexelLowering::load_one(ir::Inst i) {
  const Value offset = operand(i, 0);
  if (!varying(offset)) return load_uniform(i, offsetof(TexelView, last), 1);
  const Reg last = field(Op::Broadcast, i, offsetof(TexelView, last));
  const Reg base = field(Op::SLoad64, i, offsetof(TexelView, bytes));
  for (std::uint32_t p = 0; p < parts_; ++p)
    define(f_.result(i), p, texels_.load_texels(vvv(Op::IMinU, vector(offset, p), last), base));
}

void TexelLowering::load_pair(ir::Inst i) {
  const Value offset = operand(i, 0);
  if (!varying(offset)) return load_uniform(i, offsetof(TexelView, last_pair), 2);
  const Reg last = field(Op::Broadcast, i, offsetof(TexelView, last_pair));
  const Reg base = field(Op::SLoad64, i, offsetof(TexelView, bytes));
  for (std::uint32_t p = 0; p < parts_; ++p) {
    const auto words = texels_.load_texel_pairs(vvv(Op::IMinU, vector(offset, p), last), base);
    for (std::uint32_t k = 0; k < 2; ++k) define(f_.result(i, k), p, words[k]);
  }
}

}  // namespace warpjit::backend
