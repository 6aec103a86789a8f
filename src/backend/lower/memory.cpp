#include "backend/lower/memory.h"

#include <bit>
#include <cstddef>

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

// The bytes of the lanes of a part among the words of all lanes.
Reg MemoryLowering::bytes_of_lanes(std::uint32_t p) {
  std::array<std::uint32_t, kMostHostLanes> bytes{};
  for (std::uint32_t n = 0; n < host_.lanes; ++n) bytes[n] = 4 * (p * host_.lanes + n);
  return vector_of({bytes.data(), host_.lanes});
}

// Makes the access without a call if the host can.
bool MemoryLowering::access_windows(ir::Inst i) {
  const MemoryAccess access = MemoryAccess::unpack(f_.inst(i).immediate);
  const bool load = f_.inst(i).opcode == Opcode::LoadMemory, word = access.element == Element::word;
  Value guard = operand(i, 0), address = operand(i, 1);
  if (!has_windows(access.space) || !std::has_single_bit(access.extent)) return false;
  if (access.space == Space::local && (state_.has_idle_lanes || !std::has_single_bit(group_lanes())))
    return false;
  const std::uint32_t size = size_of(access.element);
  if (access.alignment < size || access.offset % size != 0) return false;
  if (is_constant(guard) && constant(guard) == 0) return false;
  if (!varying(address) && access.space == Space::local && word) {
    access_own_words(i, windows_.window_of(access, address));
    return true;
  }
  if (!varying(address) && load && access.space != Space::local) {
    load_uniform(i, windows_.window_of(access, address));
    return true;
  }
  if (!varying(address) && !load && word && access.space != Space::local && atomics_ != nullptr) {
    store_uniform(i, windows_.window_of(access, address));
    return true;
  }
  if (!load && !word) return false;
  access_lanes(i, windows_.window_of(access, address));
  return true;
}

// The offset of an address that is the same for all lanes.
Reg MemoryLowering::offset_in(const WindowFields::Window& window, Value address) {
  Reg where = scalar(address);
  if (!window.shifted) return where;
  return scalar_op(Op::SSub, where, windows_.load_field(Op::SLoad, window, offsetof(MemoryWindow, address)));
}

// Branches to where the call is if the offset from the window's begin, a scalar, is outside or not aligned.
void MemoryLowering::branch_if_outside(ir::Inst i, const WindowFields::Window& window, Reg offset) {
  const std::uint32_t alignment = window.access.alignment;
  Reg limit = windows_.load_field(Op::SLoad, window, static_cast<std::size_t>(window.limit - window.place));
  if (std::uint32_t{1} << std::min(ir::trailing_zeros(f_, operand(i, 1)), 4u) >= alignment) {
    const InstRef branch = add(Op::BranchCompare);
    use(branch, limit);
    use(branch, offset);
    branch->imm = pack_condition(Condition::less_equal_u);
    return;
  }
  Reg outside = scalar_compare(limit, offset, Condition::less_equal_u);
  Reg low = scalar_op_imm(Op::SAndImm, scalar(operand(i, 1)), alignment - 1);
  Reg wrong = scalar_op(Op::SOr, outside, low);
  use(add(Op::BranchScalar), wrong);
}

// One address for all lanes, whose memory is the same: one load.
void MemoryLowering::load_uniform(ir::Inst i, const WindowFields::Window& window) {
  Reg offset = offset_in(window, operand(i, 1));
  Reg base = windows_.load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes));
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
    return {word, spread(word)};
  };
  const auto cold = [&]() -> Regs {
    callouts_.make_call(i);
    Reg word = callouts_.load_result(i, 0, 0, Op::SLoad, RegClass::scalar);
    return {word, callouts_.load_result(i, 0, 0, Op::LoadFull, RegClass::vector)};
  };
  const Regs made = hot_or_cold(hot, cold);
  Value result = f_.result(i);
  if (varying(result)) {
    for (std::uint32_t p = 0; p < parts_; ++p) define(result, p, made[1]);
    return;
  }
  define(result, 0, made[0]);
  define_vector_form(result, made[1]);
}

// One address for all lanes: what the last lane with guard stores.
void MemoryLowering::store_uniform(ir::Inst i, const WindowFields::Window& window) {
  Reg offset = offset_in(window, operand(i, 1));
  Reg base = windows_.load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes));
  branch_if_outside(i, window, offset);
  const Value value = operand(i, 2);
  const auto put = [&](Reg word) {
    const InstRef inst = add(Op::SStoreWord);
    use(inst, word);
    use(inst, base);
    use(inst, offset);
    inst->mem = {MemBase::reg, 1, 2, 0, false, window.access.offset};
  };
  const auto hot = [&] {
    const auto keep = [&](std::uint32_t p) {
      store(Op::StoreFull, vector(value, p),
            frame(callouts_.words() + static_cast<std::int32_t>(p * host_.vector_bytes)));
    };
    const auto word_of = [&](Reg lane) { return varying(value) ? load_lane_word(0, lane) : scalar(value); };
    if (const std::optional<std::uint32_t> last = last_lane_of(operand(i, 0)); last) {
      const std::uint32_t p = *last / host_.lanes;
      if (varying(value) && *last % host_.lanes == 0) {
        put(vector_to_scalar(vector(value, p)));
        return Regs{};
      }
      if (varying(value)) keep(p);
      put(word_of(scalar_imm(*last)));
      return Regs{};
    }
    Regs guards;
    for (std::uint32_t p = 0; p < parts_; ++p) {
      guards.push_back(guarding_mask(operand(i, 0), p));
      if (varying(value)) keep(p);
    }
    for_lanes_together([&](std::uint32_t first, std::uint32_t parts) {
      Reg bits = lanes_to_visit(guards, first, parts);
      use(add(Op::BranchScalar), bits);
      const auto any = [&] {
        put(word_of(lane_of_bit(first, atomics_->highest_bit(bits))));
        return Regs{};
      };
      either_way_behind(any, [] { return Regs{}; });
    });
    return Regs{};
  };
  hot_or_cold(hot, [&] { return callouts_.call_for_parts(i); });
}

// The memory of the group's own threads. Work without blocks has one group at a time.
Reg MemoryLowering::own_memory(const WindowFields::Window& window) {
  if (f_.block_groups == 0) return windows_.load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes));
  Reg group = load_argument_word(offsetof(KernelArgs, group_index));
  Reg bytes =
      scalar_op(Op::SMul, windows_.load_field(Op::SLoad, window, offsetof(MemoryWindow, address)), group);
  return address(windows_.load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes)), bytes, 0);
}

// One address for all lanes, each in its own memory: their words lie side by side.
void MemoryLowering::access_own_words(ir::Inst i, const WindowFields::Window& window) {
  const bool load = f_.inst(i).opcode == Opcode::LoadMemory;
  Value guard = operand(i, 0);
  Reg offset = scalar(operand(i, 1));
  branch_if_outside(i, window, offset);
  const auto hot = [&]() -> Regs {
    Reg base = address(own_memory(window), scalar_op_imm(Op::SShlImm, offset, own_scale()), 0);
    Regs made;
    for (std::uint32_t p = 0; p < parts_; ++p) {
      const auto displacement =
          static_cast<std::int32_t>((window.access.offset << own_scale()) + p * host_.vector_bytes);
      if (load) {
        const InstRef inst = add(Op::LoadFull, RegClass::vector);
        use(inst, base);
        inst->mem = {MemBase::reg, 0, 0xff, 0, false, displacement};
        made.push_back(inst->def);
        continue;
      }
      Reg r = vector(operand(i, 2), p);
      if (!is_constant(guard)) {
        rows_.store_where(r, mask(guard, p), {MemBase::reg, 2, 0xff, 0, false, displacement}, base);
        continue;
      }
      const InstRef inst = add(Op::StoreFull);
      use(inst, r);
      use(inst, base);
      inst->mem = {MemBase::reg, 1, 0xff, 0, false, displacement};
    }
    return made;
  };
  const auto cold = [&] { return callouts_.call_for_parts(i); };
  const Regs made = hot_or_cold(hot, cold);
  for (std::uint32_t p = 0; p < made.size(); ++p) define(f_.result(i), p, made[p]);
}

// The lanes whose offset is not that of their part's first lane and 4 bytes for each lane between.
Reg MemoryLowering::scattered_lanes(const Regs& offsets, const Regs& guards) {
  Reg scattered = lir::kNoReg;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg distance = vvv(Op::ISub, offsets[p], memory_->spread_first_lane(offsets[p]));
    Reg differ = memory_->lanes_that_differ(distance, bytes_of_lanes(0), guards[p]);
    scattered = p == 0 ? differ : masks_.mask_op(MaskOp::or_, scattered, differ);
  }
  return scattered;
}
// Those whose offset is not that of their part's first lane.
Reg MemoryLowering::unequal_lanes(const Regs& offsets, const Regs& guards) {
  Reg unequal = lir::kNoReg;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg differ = memory_->lanes_that_differ(offsets[p], memory_->spread_first_lane(offsets[p]), guards[p]);
    unequal = p == 0 ? differ : masks_.mask_op(MaskOp::or_, unequal, differ);
  }
  return unequal;
}

// Addresses that differ by a constant are arranged alike: those of the base are looked at once in a block. An
// address that wraps after 16 bits is no exception, because a vector's first lane, which is in the window,
// has room for the others before 2^16 (MemoryWindows). No registers: the address has no such base.
MemoryLowering::Arrangement MemoryLowering::arrangement_of_base(Value address) {
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
    if (known == base && block == current_block()) return arrangement;
  Regs offsets;
  for (std::uint32_t p = 0; p < parts_; ++p) offsets.push_back(vector(base, p));
  const Regs always(parts_, lir::kNoReg);
  const Reg scattered = scattered_lanes(offsets, always);
  const Arrangement made = {scattered, unequal_lanes(offsets, always)};
  arrangements_.push_back({base, current_block(), made});
  return made;
}

MemoryLowering::LanePlaces MemoryLowering::lane_places(ir::Inst i, const WindowFields::Window& window) {
  const MemoryAccess& access = window.access;
  Value guard = operand(i, 0), address = operand(i, 1);
  const bool aligned = std::uint32_t{1} << std::min(ir::trailing_zeros(f_, address), 4u) >= access.alignment;
  // Offsets from a window are aligned as addresses are up to what windows begin at multiples of.
  const bool rotates = host_.rotates && access.alignment == access.extent &&
                       (!window.shifted || access.alignment <= kWindowAlignment);
  LanePlaces places;
  Reg& wrong = places.wrong;
  const auto also_wrong = [&](Reg m) {
    wrong = wrong == lir::kNoReg ? m : masks_.mask_op(MaskOp::or_, wrong, m);
  };
  Reg start = window.shifted ? windows_.load_field(Op::Broadcast, window, offsetof(MemoryWindow, address))
                             : lir::kNoReg;
  for (std::uint32_t p = 0; p < parts_; ++p) {
    Reg where = vector(address, p);
    Reg taking_part = guarding_mask(guard, p);
    Reg offset = window.shifted ? vvv(Op::ISub, where, start) : where;
    if (!aligned && rotates) {
      // The bits that must be 0 become the highest.
      Reg number = with_immediate(Op::RotateRight, offset, std::countr_zero(access.alignment));
      also_wrong(memory_->lanes_from(number, window.table, window.count, taking_part));
    } else {
      if (!aligned) also_wrong(memory_->lanes_with_bits(where, access.alignment - 1u, taking_part));
      also_wrong(memory_->lanes_from(offset, window.table, window.limit, taking_part));
    }
    places.offsets.push_back(offset);
    places.guards.push_back(taking_part);
  }
  return places;
}

// Loads the element of each lane. A narrow one is cut out of the aligned word it is in, which is inside
// wherever the element is.
Reg MemoryLowering::load_elements(Element element, Reg offset, Reg base, std::int32_t displacement,
                                  Reg guard) {
  if (element == Element::word) return memory_->load_lanes(offset, base, displacement, guard);
  if (displacement != 0)
    offset = vvv(Op::IAdd, offset, constant_source(static_cast<std::uint32_t>(displacement)));
  Reg words = memory_->load_lanes(vvv(Op::And, offset, constant_source(~3u)), base, 0, guard);
  const bool byte = element <= Element::s8, is_signed = element == Element::s8 || element == Element::s16;
  // To the top: by 8 bits for each byte of the word above it.
  Reg above = vvv(Op::AndNot, offset, constant_source(byte ? 3 : 2));
  Reg top = words_.shift_by(HostWords::Shift::left, words, with_immediate(Op::Shl, above, 3));
  return with_immediate(is_signed ? Op::ShrS : Op::ShrU, top, byte ? 24 : 16);
}

// Lanes have addresses of their own.
void MemoryLowering::access_lanes(ir::Inst i, const WindowFields::Window& window) {
  const MemoryAccess& access = window.access;
  const bool load = f_.inst(i).opcode == Opcode::LoadMemory, own = access.space == Space::local;
  Value address = operand(i, 1);
  LanePlaces places = lane_places(i, window);
  Regs& offsets = places.offsets;
  const Regs& guards = places.guards;
  Reg base =
      own ? own_memory(window) : windows_.load_field(Op::SLoad64, window, offsetof(MemoryWindow, bytes));
  std::int32_t displacement = access.offset;
  // Elsewhere the masks would take the registers of vectors.
  const bool by_base = host_.mask_registers && access.space == Space::shared &&
                       access.element == Element::word && guards[0] == lir::kNoReg;
  const Arrangement known = by_base ? arrangement_of_base(address) : Arrangement{};
  branch_if_any(places.wrong);
  const auto one_by_one = [&] {
    Regs made;
    for (std::uint32_t p = 0; p < parts_; ++p)
      if (load)
        made.push_back(load_elements(access.element, offsets[p], base, displacement, guards[p]));
      else
        memory_->store_lanes(vector(operand(i, 2), p), offsets[p], base, displacement, guards[p]);
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
        offsets[p] = vvv(Op::IAdd, with_immediate(Op::Shl, word, own_scale()), bytes_of_lanes(p));
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
    // The index of a part's first lane; without guard it may lie before 0.
    const auto index_of = [&](std::uint32_t p) {
      Reg first = vector_to_scalar(offsets[p]);
      return sign_extend(first);
    };
    const auto together = [&] {
      Regs made;
      for (std::uint32_t p = 0; p < parts_; ++p) {
        Reg index = index_of(p);
        if (load)
          made.push_back(memory_->load_together(guards[p], base, index, displacement));
        else
          memory_->store_together(vector(operand(i, 2), p), guards[p], base, index, displacement);
      }
      return made;
    };
    const auto same = [&] {
      Regs made;
      for (std::uint32_t p = 0; p < parts_; ++p)
        made.push_back(memory_->load_same(guards[p], base, index_of(p), displacement));
      return made;
    };
    const auto same_or_any = [&]() -> Regs {
      if (!load || (!host_.guarded_broadcasts && guards[0] != lir::kNoReg)) return one_by_one();
      const Reg unequal = of_base ? known.unequal : unequal_lanes(offsets, guards);
      return either_way(unequal, one_by_one, same);
    };
    return either_way(scattered, same_or_any, together);
  };
  const auto cold = [&] { return callouts_.call_for_parts(i); };
  const Regs made = hot_or_cold(hot, cold);
  for (std::uint32_t p = 0; p < made.size(); ++p) define(f_.result(i), p, made[p]);
}

}  // namespace warpjit::backend
