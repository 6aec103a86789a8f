// Lowering of input rows that another binding numbers (LoadInput): indexed vertices.
#include <cstddef>

#include "backend/lower/lower.h"

namespace warpjit::backend {

using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

// As load_components, but each row's offset is a product of its own. 32-bit arithmetic leaves the upper half
// of a scalar 0, and no offset reaches 2^32.
void Lowering::load_numbered_input(ir::Inst i) {
  const std::uint64_t immediate = f_.inst(i).immediate;
  const auto rows = static_cast<std::size_t>(input_displacement(immediate & 0xffffffffu));
  const auto numbers = static_cast<std::size_t>(input_displacement((immediate >> 32) - 1));
  Reg base = load_binding(rows + offsetof(Binding, address));
  Reg stride = load_binding(rows + offsetof(Binding, stride));
  Reg list = load_binding(numbers + offsetof(Binding, address));
  for (std::uint32_t p = 0; p < parts_; ++p) {
    std::array<Reg, 4> vectors;
    for (std::uint32_t lane = 0; lane < host_.lanes / 4; ++lane)
      for (std::uint32_t k = 0; k < 4; ++k) {
        const InstRef load = add(Op::SLoad, RegClass::scalar);
        use(load, list);
        load->mem = {
            MemBase::reg, 0, 0xff, 0, false, static_cast<std::int32_t>(4 * (p * host_.lanes + lane * 4 + k))};
        Reg number = load->def;
        Reg offset = scalar_op(Op::SMul, number, stride);
        const InstRef inst = add(lane == 0 ? Op::LoadRow : Op::InsertRow, RegClass::vector);
        if (lane != 0) {
          inst->imm = lane;
          inst->prefer = 1;
          use(inst, vectors[k]);
        }
        inst->mem = {
            MemBase::reg, inst->use_count, static_cast<std::uint8_t>(inst->use_count + 1), 0, false, 0};
        use(inst, base);
        use(inst, offset);
        vectors[k] = inst->def;
      }
    std::array<Reg, 4> components = transpose(vectors);
    for (std::uint32_t k = 0; k < 4; ++k) define(f_.result(i, k), p, components[k]);
  }
}

}  // namespace warpjit::backend
