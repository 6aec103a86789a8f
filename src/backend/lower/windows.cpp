#include "backend/lower/windows.h"

#include <bit>
#include <cstddef>

namespace warpjit::backend {

using ir::MemoryAccess;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

WindowFields::Window WindowFields::window_of(const MemoryAccess& access) {
  const auto place =
      static_cast<std::int32_t>(MemoryWindows::number(access.space, access.index) * sizeof(MemoryWindow));
  const auto extent = static_cast<std::uint32_t>(std::bit_width(access.extent - 1u));
  if (windows_.block != current_block())
    windows_ = {load_argument(offsetof(KernelArgs, windows)), current_block()};
  return {access,
          windows_.reg,
          place,
          place + static_cast<std::int32_t>(offsetof(MemoryWindow, limits) + 4 * extent),
          place + static_cast<std::int32_t>(offsetof(MemoryWindow, counts) + 4 * extent),
          access.space == ir::Space::global};
}

Reg WindowFields::locks() {
  Window window = window_of({.space = ir::Space::shared});
  window.place = static_cast<std::int32_t>(MemoryWindows::kLocks * sizeof(MemoryWindow));
  return load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes));
}

Reg WindowFields::load_field(Op op, const Window& window, std::size_t field) {
  const std::int32_t displacement = window.place + static_cast<std::int32_t>(field);
  for (const LoadedField& known : fields_)
    if (known.displacement == displacement && known.op == op && known.loaded.block == current_block())
      return known.loaded.reg;
  const InstRef inst = add(op, op == Op::Broadcast ? RegClass::vector : RegClass::scalar);
  use(inst, window.table);
  inst->mem = {MemBase::reg, 0, 0xff, 0, op == Op::Broadcast, displacement};
  fields_.push_back({op, displacement, {inst->def, current_block()}});
  return inst->def;
}

}  // namespace warpjit::backend
