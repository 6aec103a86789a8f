#include "backend/lower/windows.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace warpjit::backend {

using ir::MemoryAccess;
using ir::Opcode;
using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

WindowFields::Window WindowFields::window_at(const MemoryAccess& access, std::int32_t place) {
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

std::int32_t WindowFields::place_of(const MemoryAccess& access, Value address) {
  std::size_t number = MemoryWindows::number(access.space, access.index);
  if (access.space == ir::Space::global && role_.many_ranges)
    if (const std::optional<std::size_t> pointer = pointer_in(access.index, address))
      number = MemoryWindows::kCount + *pointer;
  return static_cast<std::int32_t>(number * sizeof(MemoryWindow));
}

// The number of its place among those that have a window, if there is room.
std::optional<std::size_t> WindowFields::pointer_in(std::uint8_t space, Value address) {
  const std::optional<PointerPlace> place = find_pointer(space, address);
  if (!place) return std::nullopt;
  std::vector<PointerPlace>& known = role_.pointers;
  const auto at = static_cast<std::size_t>(std::ranges::find(known, *place) - known.begin());
  if (at == known.size()) {
    if (at == MemoryWindows::kMostPointers) return std::nullopt;
    known.push_back(*place);
  }
  return at;
}

// Among what the address is a sum of, and what it was before a loop: the first word that the launch gives, or
// that stands at a known place in memory.
std::optional<PointerPlace> WindowFields::find_pointer(std::uint8_t space, Value address) {
  constexpr std::size_t kMost = 24;
  SmallVector<Value, kMost> pending{address};
  const auto look_at = [&](Value v) {
    if (pending.size() < kMost && v.valid() && !is_constant(v) &&
        std::ranges::find(pending, v) == pending.end())
      pending.push_back(v);
  };
  for (std::size_t step = 0; step < pending.size(); ++step) {
    const Value v = pending[step];
    const ir::InstData& data = f_.definition_of(v);
    const auto operands = f_.operands(f_.definition(v));
    switch (data.opcode) {
      case Opcode::LoadUniformI32:
        return PointerPlace{space, true, {}, static_cast<std::uint32_t>(data.immediate)};
      case Opcode::LoadMemory: {
        const MemoryAccess access = MemoryAccess::unpack(data.immediate);
        // Global memory may change while it is looked at.
        const bool stays = access.space == ir::Space::shared || access.space == ir::Space::constant;
        if (access.element != ir::Element::word || !stays || !is_constant(operands[1])) break;
        return PointerPlace{space, false, access,
                            static_cast<std::uint32_t>(constant(operands[1])) + access.offset};
      }
      case Opcode::ISub32:
        look_at(operands[0]);
        break;
      case Opcode::IAdd32:
      case Opcode::Phi:
        for (std::size_t k = 0; k < operands.size() && k < kMost; ++k) look_at(operands[k]);
        break;
      case Opcode::LoadFrame:
      case Opcode::LoadFrameUniform:
        look_at(stored_in_frame(data.immediate));
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

Value WindowFields::stored_in_frame(std::uint64_t slot) {
  if (in_frame_.empty()) {
    in_frame_.resize(f_.frame_slots);
    for (std::uint32_t b = 0; b < f_.block_count(); ++b)
      for (ir::Inst i : f_.insts(ir::Block{b})) {
        const Opcode opcode = f_.inst(i).opcode;
        if (opcode != Opcode::StoreFrame && opcode != Opcode::StoreFrameUniform) continue;
        Value& stored = in_frame_[f_.inst(i).immediate];
        if (!stored.valid() && !f_.is_constant(f_.operand(i, 1))) stored = f_.operand(i, 1);
      }
  }
  return in_frame_[slot];
}

Reg WindowFields::locks() {
  Window window = window_at({.space = ir::Space::shared}, 0);
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
