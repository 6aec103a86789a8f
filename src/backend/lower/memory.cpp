// Lowering of loads and stores of threads' memory. A check first: is every lane that takes part inside the
// space's window, and aligned? If not, the whole access is made by a call, out of line. What is behind the
// check is the host's: one word for all, consecutive words, or lane by lane.
#include <bit>
#include <cstddef>

#include "backend/lower/lower.h"
#include "ir/analysis/range.h"

namespace warpjit::backend {

using ir::Element;
using ir::MemoryAccess;
using ir::Opcode;
using ir::Space;
using ir::Value;
using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;
using lir::Regs;

namespace {

// The words of a thread's own memory lie 4 << kOwnScale bytes apart: 32 lanes have theirs side by side.
constexpr std::uint8_t kOwnScale = 5;

}  // namespace

// The bytes of the lanes of a part among the words of all lanes.
Reg Lowering::bytes_of_lanes(std::uint32_t p) {
  std::array<std::uint32_t, 16> bytes{};
  for (std::uint32_t n = 0; n < host_.lanes; ++n) bytes[n] = 4 * (p * host_.lanes + n);
  return vector_of({bytes.data(), host_.lanes});
}

Lowering::Window Lowering::window_of(const MemoryAccess& access) {
  const auto place =
      static_cast<std::int32_t>(MemoryWindows::number(access.space, access.index) * sizeof(MemoryWindow));
  const auto extent = static_cast<std::uint32_t>(std::bit_width(access.extent - 1u));
  if (windows_.block != current_block_)
    windows_ = {load_binding(offsetof(KernelArgs, windows)), current_block_};
  return {access,
          windows_.reg,
          place,
          place + static_cast<std::int32_t>(offsetof(MemoryWindow, limits) + 4 * extent),
          place + static_cast<std::int32_t>(offsetof(MemoryWindow, counts) + 4 * extent),
          access.space == Space::global};
}

// Windows do not change while a kernel runs.
Reg Lowering::load_field(Op op, const Window& window, std::size_t field) {
  const std::int32_t displacement = window.place + static_cast<std::int32_t>(field);
  for (const LoadedField& known : fields_)
    if (known.displacement == displacement && known.op == op && known.loaded.block == current_block_)
      return known.loaded.reg;
  const InstRef inst = add(op, op == Op::Broadcast ? RegClass::vector : RegClass::scalar);
  use(inst, window.table);
  inst->mem.base = MemBase::reg;
  inst->mem.base_use = 0;
  inst->mem.broadcast = op == Op::Broadcast;
  inst->mem.displacement = displacement;
  fields_.push_back({op, displacement, {inst->def, current_block_}});
  return fields_.back().loaded.reg;
}

void Lowering::lower_LoadMemory(ir::Inst i) {
  if (!access(i)) call(i);
}
void Lowering::lower_StoreMemory(ir::Inst i) {
  if (!access(i)) call(i);
}

// Makes the access without a call if the host can.
bool Lowering::access(ir::Inst i) {
  const MemoryAccess access = MemoryAccess::unpack(f_.inst(i).immediate);
  const bool load = f_.inst(i).opcode == Opcode::LoadMemory, word = access.element == Element::word;
  Value guard = operand(i, 0), address = operand(i, 1);
  if (!reaches_memory() || f_.group_lanes == 0 || !std::has_single_bit(access.extent)) return false;
  if (access.space == Space::local && f_.group_lanes != 4 << kOwnScale >> 2) return false;
  const std::uint32_t size = size_of(access.element);
  if (access.alignment < size || access.offset % size != 0) return false;
  if (is_constant(guard) && constant(guard) == 0) return false;
  if (!varying(address) && access.space == Space::local && word) {
    access_own_words(i, window_of(access));
    return true;
  }
  if (!varying(address) && load && access.space != Space::local) {
    load_uniform(i, window_of(access));
    return true;
  }
  if (!load && (!word || !stores_lanes())) return false;
  access_lanes(i, window_of(access));
  return true;
}

// Branches to where the call is if the offset from the window's begin, a scalar, is outside or not aligned.
void Lowering::branch_if_outside(ir::Inst i, const Window& window, Reg offset) {
  const std::uint32_t alignment = window.access.alignment;
  Reg limit = load_field(Op::SLoad, window, static_cast<std::size_t>(window.limit - window.place));
  if (std::uint32_t{1} << std::min(ir::trailing_zeros(f_, operand(i, 1)), 4u) >= alignment) {
    const InstRef branch = add(Op::BranchCompare);
    use(branch, limit);
    use(branch, offset);
    branch->imm = pack_condition(Condition::less_equal_u);
    return;
  }
  const InstRef compare = add(Op::SCompare, RegClass::scalar);
  use(compare, limit);
  use(compare, offset);
  compare->imm = pack_condition(Condition::less_equal_u);
  Reg outside = compare->def;
  Reg low = scalar_op_imm(Op::SAndImm, scalar(operand(i, 1)), alignment - 1);
  Reg wrong = scalar_op(Op::SOr, outside, low);
  use(add(Op::BranchScalar), wrong);
}

// One address for all lanes, whose memory is the same: one load.
void Lowering::load_uniform(ir::Inst i, const Window& window) {
  Reg offset = scalar(operand(i, 1));
  if (window.shifted)
    offset = scalar_op(Op::SSub, offset, load_field(Op::SLoad, window, offsetof(MemoryWindow, address)));
  Reg base = load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes));
  branch_if_outside(i, window, offset);
  const auto load = [&](Op op, RegClass cls) {
    const InstRef inst = add(op, cls);
    use(inst, base);
    use(inst, offset);
    inst->mem = {MemBase::reg, 0, 1, 0, op == Op::Broadcast, window.access.offset};
    return inst->def;
  };
  // As a scalar and as a vector; what is not used goes away.
  const auto hot = [&]() -> Regs {
    static constexpr Op kLoads[] = {Op::SLoadU8, Op::SLoadS8, Op::SLoadU16, Op::SLoadS16, Op::SLoad};
    Reg word = load(kLoads[static_cast<std::size_t>(window.access.element)], RegClass::scalar);
    if (window.access.element == Element::word) return {word, load(Op::Broadcast, RegClass::vector)};
    const InstRef spread = add(Op::BroadcastScalar, RegClass::vector);
    use(spread, word);
    return {word, spread->def};
  };
  const auto cold = [&]() -> Regs {
    make_call(i);
    Reg word = load_called(i, 0, 0, Op::SLoad, RegClass::scalar);
    return {word, load_called(i, 0, 0, Op::LoadFull, RegClass::vector)};
  };
  const Regs made = hot_or_cold(hot, cold);
  Value result = f_.result(i);
  if (varying(result)) {
    for (std::uint32_t p = 0; p < parts_; ++p) define(result, p, made[1]);
    return;
  }
  define(result, 0, made[0]);
  vector_cache_[result.id] = {made[1], current_block_};
}

// The memory of the group's own threads.
Reg Lowering::own_memory(const Window& window) {
  const InstRef number = add(Op::SLoad, RegClass::scalar);
  number->mem.base = MemBase::args;
  number->mem.displacement = static_cast<std::int32_t>(offsetof(KernelArgs, group_index));
  Reg group = number->def;
  Reg bytes = scalar_op(Op::SMul, load_field(Op::SLoad, window, offsetof(MemoryWindow, address)), group);
  return address(load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes)), bytes, 0);
}

// One address for all lanes, each in its own memory: their words lie side by side.
void Lowering::access_own_words(ir::Inst i, const Window& window) {
  const bool load = f_.inst(i).opcode == Opcode::LoadMemory;
  Value guard = operand(i, 0);
  Reg offset = scalar(operand(i, 1));
  branch_if_outside(i, window, offset);
  const auto hot = [&]() -> Regs {
    Reg base = address(own_memory(window), scalar_op_imm(Op::SShlImm, offset, kOwnScale), 0);
    Regs made;
    for (std::uint32_t p = 0; p < parts_; ++p) {
      const auto displacement =
          static_cast<std::int32_t>((window.access.offset << kOwnScale) + p * host_.vector_bytes);
      if (load) {
        const InstRef inst = add(Op::LoadFull, RegClass::vector);
        use(inst, base);
        inst->mem = {MemBase::reg, 0, 0xff, 0, false, displacement};
        made.push_back(inst->def);
        continue;
      }
      Reg r = vector(operand(i, 2), p);
      if (!is_constant(guard)) {
        store_where(r, mask(guard, p), {MemBase::reg, 2, 0xff, 0, false, displacement}, base);
        continue;
      }
      const InstRef inst = add(Op::StoreFull);
      use(inst, r);
      use(inst, base);
      inst->mem = {MemBase::reg, 1, 0xff, 0, false, displacement};
    }
    return made;
  };
  const auto cold = [&] { return load_called_parts(i); };
  const Regs made = hot_or_cold(hot, cold);
  for (std::uint32_t p = 0; p < made.size(); ++p) define(f_.result(i), p, made[p]);
}

Regs Lowering::load_called_parts(ir::Inst i, const ir::LaneShape* address) {
  make_call(i, address);
  Regs made;
  if (f_.inst(i).opcode == Opcode::LoadMemory)
    for (std::uint32_t p = 0; p < parts_; ++p)
      made.push_back(load_called(i, 0, p, Op::LoadFull, RegClass::vector));
  return made;
}

// The lanes whose offset is not that of their part's first lane and 4 bytes for each lane between.
Reg Lowering::scattered_lanes(const Regs& offsets, const Regs& guards) {
  Reg scattered = lir::kNoReg;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg distance = vvv(Op::ISub, offsets[p], spread_first_lane(offsets[p]));
    Reg differ = lanes_that_differ(distance, bytes_of_lanes(0), guards[p]);
    scattered = p == 0 ? differ : mask_op(MaskOp::or_, scattered, differ);
  }
  return scattered;
}
// Those whose offset is not that of their part's first lane.
Reg Lowering::unequal_lanes(const Regs& offsets, const Regs& guards) {
  Reg unequal = lir::kNoReg;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg differ = lanes_that_differ(offsets[p], spread_first_lane(offsets[p]), guards[p]);
    unequal = p == 0 ? differ : mask_op(MaskOp::or_, unequal, differ);
  }
  return unequal;
}

// Addresses that differ by a constant are arranged alike: those of the base are looked at once in a block. An
// address that wraps after 16 bits is no exception, because a vector's first lane, which is in the window,
// has room for the others before 2^16 (MemoryWindows). No registers: the address has no such base.
Lowering::Arrangement Lowering::arrangement_of_base(Value address) {
  const auto constant_operand = [&](Value v, Opcode opcode) -> std::uint32_t {
    if (f_.definition_of(v).opcode != opcode) return 2;
    for (std::uint32_t k = 0; k < 2; ++k)
      if (is_constant(f_.operand(f_.definition(v), k))) return k;
    return 2;
  };
  Value base = address;
  if (const std::uint32_t k = constant_operand(base, Opcode::IAnd32); k < 2) {
    if (constant(f_.operand(f_.definition(base), k)) != 0xffff) return {};
    base = f_.operand(f_.definition(base), 1 - k);
  }
  for (std::uint32_t k; (k = constant_operand(base, Opcode::IAdd32)) < 2;)
    base = f_.operand(f_.definition(base), 1 - k);
  if (base == address || !varying(base)) return {};
  for (const auto& [known, block, arrangement] : arrangements_)
    if (known == base && block == current_block_) return arrangement;
  Regs offsets;
  for (std::uint32_t p = 0; p < parts_; ++p) offsets.push_back(vector(base, p));
  const Regs always(parts_, lir::kNoReg);
  const Reg scattered = scattered_lanes(offsets, always);
  const Arrangement made = {scattered, unequal_lanes(offsets, always)};
  arrangements_.push_back({base, current_block_, made});
  return made;
}

// Lanes have addresses of their own.
void Lowering::access_lanes(ir::Inst i, const Window& window) {
  const MemoryAccess& access = window.access;
  const bool load = f_.inst(i).opcode == Opcode::LoadMemory, own = access.space == Space::local;
  Value guard = operand(i, 0), address = operand(i, 1);
  const auto guard_of = [&](std::uint32_t p) { return is_constant(guard) ? lir::kNoReg : mask(guard, p); };
  const bool aligned = std::uint32_t{1} << std::min(ir::trailing_zeros(f_, address), 4u) >= access.alignment;
  // Offsets from a window are aligned as addresses are up to what windows begin at multiples of.
  const bool rotates = rotates_lanes() && access.alignment == access.extent &&
                       (!window.shifted || access.alignment <= kWindowAlignment);
  Regs offsets, guards;
  Reg wrong = lir::kNoReg;
  const auto also_wrong = [&](Reg m) { wrong = wrong == lir::kNoReg ? m : mask_op(MaskOp::or_, wrong, m); };
  Reg start =
      window.shifted ? load_field(Op::Broadcast, window, offsetof(MemoryWindow, address)) : lir::kNoReg;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg where = vector(address, p);
    guards.push_back(guard_of(p));
    Reg offset = window.shifted ? vvv(Op::ISub, where, start) : where;
    if (!aligned && rotates) {
      // The bits that must be 0 become the highest.
      Reg number = with_immediate(Op::RotateRight, offset, std::countr_zero(access.alignment));
      also_wrong(lanes_from(number, window.table, window.count, guards[p]));
    } else {
      if (!aligned) also_wrong(lanes_with_bits(where, access.alignment - 1u, guards[p]));
      also_wrong(lanes_from(offset, window.table, window.limit, guards[p]));
    }
    offsets.push_back(offset);
  }
  Reg base = own ? own_memory(window) : load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes));
  std::int32_t displacement = access.offset;
  // Elsewhere the masks would take the registers of vectors.
  const bool by_base = host_.mask_registers && access.space == Space::shared &&
                       access.element == Element::word && is_constant(guard);
  const Arrangement known = by_base ? arrangement_of_base(address) : Arrangement{};
  branch_if_any(wrong);
  const auto one_by_one = [&] {
    Regs made;
    for (std::uint32_t p = 0; p < parts_; ++p)
      if (load)
        made.push_back(load_lanes(access.element, offsets[p], base, displacement, guards[p]));
      else
        store_lanes(vector(operand(i, 2), p), offsets[p], base, displacement, guards[p]);
    return made;
  };
  const auto hot = [&]() -> Regs {
    if (own) {
      // Words of one thread are a group's width apart.
      for (std::uint32_t p = 0; p < parts_; ++p) {
        Reg byte = displacement == 0
                       ? offsets[p]
                       : vvv(Op::IAdd, offsets[p], constant_vector(static_cast<std::uint32_t>(displacement)));
        Reg word = vvv(Op::And, byte, constant_vector(~3u));
        offsets[p] = vvv(Op::IAdd, with_immediate(Op::Shl, word, kOwnScale), bytes_of_lanes(p));
        if (access.element != Element::word)
          offsets[p] = vvv(Op::IAdd, offsets[p], vvv(Op::And, byte, constant_vector(3)));
      }
      displacement = 0;
      return one_by_one();
    }
    if (access.element != Element::word || !varying(address)) return one_by_one();
    // Often the words of a part are consecutive, or one.
    const bool of_base = known.scattered != lir::kNoReg;
    const Reg scattered = of_base ? known.scattered : scattered_lanes(offsets, guards);
    // Of a part's first lane; without guard it may lie before 0.
    const auto index_of = [&](std::uint32_t p) {
      Reg first = vector_to_scalar(offsets[p]);
      const InstRef extend = add(Op::SSignExtend, RegClass::scalar);
      use(extend, first);
      return extend->def;
    };
    const auto together = [&] {
      Regs made;
      for (std::uint32_t p = 0; p < parts_; ++p) {
        Reg index = index_of(p);
        if (load)
          made.push_back(load_together(guards[p], base, index, displacement));
        else
          store_together(vector(operand(i, 2), p), guards[p], base, index, displacement);
      }
      return made;
    };
    const auto same = [&] {
      Regs made;
      for (std::uint32_t p = 0; p < parts_; ++p)
        made.push_back(load_same(guards[p], base, index_of(p), displacement));
      return made;
    };
    const auto same_or_any = [&]() -> Regs {
      if (!load || (!loads_same_guarded() && !is_constant(guard))) return one_by_one();
      const Reg unequal = of_base ? known.unequal : unequal_lanes(offsets, guards);
      return either_way(unequal, one_by_one, same);
    };
    return either_way(scattered, same_or_any, together);
  };
  const auto cold = [&] { return load_called_parts(i); };
  const Regs made = hot_or_cold(hot, cold);
  for (std::uint32_t p = 0; p < made.size(); ++p) define(f_.result(i), p, made[p]);
}

}  // namespace warpjit::backend
