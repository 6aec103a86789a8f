// Memory of threads, lane by lane: gathers, scatters, masked vectors.
#include "backend/x64/lower.h"

namespace warpjit::backend::x64 {

using lir::InstRef;
using lir::MemBase;
using lir::Reg;
using lir::RegClass;

Reg Memory::lanes_from(Reg r, Reg base, std::int32_t displacement, Reg guard) {
  if (!host_.mask_registers) {
    const InstRef load = add(Op::Broadcast, RegClass::vector);
    use(load, base);
    load->mem = {MemBase::reg, 0, 0xff, 0, true, displacement};
    Reg least = load->def, from = vvv(Op::ICmpEq, vvv(Op::IMaxU, r, least), r);
    return guard == lir::kNoReg ? from : vvv(Op::And, from, guard);
  }
  const InstRef inst = add(guard == lir::kNoReg ? Op::CmpU : Op::CmpUMasked, RegClass::mask);
  use(inst, r);
  use(inst, lir::kNoReg);
  if (guard != lir::kNoReg) use(inst, guard);
  inst->mem = {MemBase::reg, inst->use_count, 0xff, 0, true, displacement};
  use(inst, base);
  inst->imm = integer_predicate::kGe;
  return inst->def;
}

Reg Memory::lanes_that_differ(Reg a, Reg b, Reg guard) {
  if (!host_.mask_registers) {
    Reg equal = vvv(Op::ICmpEq, a, b);
    return guard == lir::kNoReg ? state_.masks->mask_not(equal) : vvv(Op::AndNot, equal, guard);
  }
  if (guard == lir::kNoReg) return compare(Op::CmpU, a, reg_source(b), integer_predicate::kNe);
  const InstRef inst = add(Op::CmpUMasked, RegClass::mask);
  use(inst, a);
  use(inst, b);
  use(inst, guard);
  inst->imm = integer_predicate::kNe;
  return inst->def;
}

Reg Memory::lanes_with_bits(Reg r, std::uint32_t bits, Reg guard) {
  return lanes_that_differ(vvv(Op::And, r, constant_source(bits)), constant_vector(0), guard);
}

// A mask of its own, because gathers and scatters clear theirs.
Reg Memory::mask_to_clear(Reg guard) {
  if (guard == lir::kNoReg) return add(host_.mask_registers ? Op::KOnes : Op::Ones, mask_class())->def;
  const InstRef inst = add(host_.mask_registers ? Op::KCopy : Op::Copy, mask_class());
  use(inst, guard);
  return inst->def;
}

Reg Memory::load_lanes(Reg offset, Reg base, std::int32_t displacement, Reg guard) {
  Reg mask = mask_to_clear(guard);
  const InstRef inst = add(Op::Gather, RegClass::vector);
  inst->flags |= lir::kEarlyClobber;
  use(inst, offset);
  use(inst, mask);
  use(inst, base);
  inst->mem = {MemBase::reg, 2, 0xff, 0, false, displacement};
  return inst->def;
}

// Pairs at the offsets in the lower half.
Reg Memory::gather_pairs(Reg offset, Reg base) {
  Reg mask = mask_to_clear(lir::kNoReg);
  const InstRef inst = add(Op::GatherPairs, RegClass::vector);
  inst->flags |= lir::kEarlyClobber;
  use(inst, offset);
  use(inst, mask);
  use(inst, base);
  inst->mem = {MemBase::reg, 2, 0xff, 0, false, 0};
  return inst->def;
}

// With AVX2, lanes 0, 1, 4 and 5 come first, so that within 128 bits all that is together belongs together.
std::array<Reg, 2> Memory::load_texel_pairs(Reg offsets, Reg base) {
  if (!host_.mask_registers) {
    offsets = with_immediate(Op::Permute64, offsets, 0xd8);
    Reg low = gather_pairs(offsets, base), high = gather_pairs(upper_part(Op::UpperHalf, offsets), base);
    Reg first = vvv(Op::ShuffleWords, low, high);
    code_.insts.back().imm = 0x88;
    Reg second = vvv(Op::ShuffleWords, low, high);
    code_.insts.back().imm = 0xdd;
    return {first, second};
  }
  Reg low = gather_pairs(offsets, base), high = gather_pairs(upper_part(Op::UpperHalf, offsets), base);
  std::array<Reg, 2> words;
  for (std::uint32_t k = 0; k < 2; ++k) {
    std::array<std::uint32_t, kMostHostLanes> from{};
    for (std::uint32_t n = 0; n < host_.lanes; ++n) from[n] = 2 * n + k;
    Reg index = vector_of({from.data(), host_.lanes});
    const InstRef inst = add(Op::LookUp, RegClass::vector);
    inst->flags |= lir::kTied;
    use(inst, low);
    use(inst, index);
    use(inst, high);
    words[k] = inst->def;
  }
  return words;
}

void Memory::store_lanes(Reg r, Reg offset, Reg base, std::int32_t displacement, Reg guard) {
  if (!host_.scatters) return store_words(r, offset, base, displacement, guard);
  Reg mask = mask_to_clear(guard);
  const InstRef inst = add(Op::Scatter);
  use(inst, r);
  use(inst, offset);
  use(inst, mask);
  use(inst, base);
  inst->mem = {MemBase::reg, 3, 0xff, 0, false, displacement};
}

// One after the other, by way of the frame; lanes without guard store to the frame, too.
void Memory::store_words(Reg r, Reg offset, Reg base, std::int32_t displacement, Reg guard) {
  const auto bytes = static_cast<std::int32_t>(host_.vector_bytes);
  if (words_ < 0) words_ = reserve_frame(3 * host_.vector_bytes + 4);
  const auto save = [&](Reg saved, std::int32_t byte) { store(Op::StoreFull, saved, frame(words_ + byte)); };
  const auto load_word = [&](std::int32_t byte) {
    return load(Op::SLoad, RegClass::scalar, frame(words_ + byte));
  };
  save(r, 0);
  save(offset, bytes);
  if (guard != lir::kNoReg) save(guard, 2 * bytes);
  for (std::int32_t lane = 0; lane < bytes; lane += 4) {
    Reg word = load_word(lane), distance = load_word(bytes + lane);
    const InstRef there = add(Op::SAddress, RegClass::scalar);
    use(there, base);
    use(there, distance);
    there->mem = {MemBase::reg, 0, 1, 0, false, displacement};
    Reg address = there->def;
    if (guard != lir::kNoReg) {
      Reg taken = load_word(2 * bytes + lane);
      const InstRef aside = add(Op::SAddress, RegClass::scalar);
      aside->mem = frame(words_ + 3 * bytes);
      Reg nowhere = aside->def;
      const InstRef choice = add(Op::SSelect64, RegClass::scalar);
      choice->flags |= lir::kTied;
      use(choice, nowhere);
      use(choice, address);
      use(choice, taken);
      address = choice->def;
    }
    store(Op::SStoreWord, word, {MemBase::reg, 1, 0xff, 0, false, 0}, address);
  }
}

Reg Memory::load_together(Reg guard, Reg base, Reg index, std::int32_t displacement) {
  const InstRef inst = add(guard == lir::kNoReg ? Op::LoadFull : Op::LoadMasked, RegClass::vector);
  if (guard != lir::kNoReg) use(inst, guard);
  inst->mem = {MemBase::reg, inst->use_count, static_cast<std::uint8_t>(inst->use_count + 1), 0,
               false,        displacement};
  use(inst, base);
  use(inst, index);
  return inst->def;
}

void Memory::store_together(Reg r, Reg guard, Reg base, Reg index, std::int32_t displacement) {
  const InstRef inst = add(guard == lir::kNoReg ? Op::StoreFull : Op::StoreFullMasked);
  use(inst, r);
  if (guard != lir::kNoReg) use(inst, guard);
  inst->mem = {MemBase::reg, inst->use_count, static_cast<std::uint8_t>(inst->use_count + 1), 0,
               false,        displacement};
  use(inst, base);
  use(inst, index);
}

Reg Memory::load_same(Reg guard, Reg base, Reg index, std::int32_t displacement) {
  const InstRef inst = add(guard == lir::kNoReg ? Op::Broadcast : Op::BroadcastMasked, RegClass::vector);
  if (guard != lir::kNoReg) use(inst, guard);
  inst->mem = {MemBase::reg, inst->use_count, static_cast<std::uint8_t>(inst->use_count + 1), 0,
               true,         displacement};
  use(inst, base);
  use(inst, index);
  return inst->def;
}

Reg Memory::spread_first_lane(Reg r) {
  const InstRef inst = add(Op::SpreadFirst, RegClass::vector);
  use(inst, r);
  return inst->def;
}

Reg Memory::words_from(Reg low, Reg high, std::uint32_t first) {
  const auto joined = [&](Op op, Reg a, Reg b, std::uint32_t imm) {
    const InstRef inst = add(op, RegClass::vector);
    for (Reg r : {a, b}) use(inst, r);
    inst->imm = imm;
    return inst->def;
  };
  if (host_.mask_registers) return joined(Op::AlignWords, high, low, first);
  constexpr std::uint32_t kUpperThenLower = 0x21, kHalf = 4;
  Reg middle = joined(Op::Permute128, low, high, kUpperThenLower);
  if (first == kHalf) return middle;
  return first < kHalf ? joined(Op::AlignBytes, middle, low, 4 * first)
                       : joined(Op::AlignBytes, high, middle, 4 * (first - kHalf));
}

Reg Atomics::bit_scan(Op op, Reg bits) {
  const InstRef inst = add(op, RegClass::scalar);
  use(inst, bits);
  return inst->def;
}
Reg Atomics::lowest_bit(Reg bits) { return bit_scan(Op::SLowestBit, bits); }
Reg Atomics::highest_bit(Reg bits) { return bit_scan(Op::SHighestBit, bits); }

Reg Atomics::atomic(AtomicKind kind, Reg base, Reg index, std::int32_t displacement, Reg b, Reg c) {
  const bool compares = kind.function == ir::AtomicFunction::compare_exchange;
  const InstRef inst = add(compares ? Op::SCompareExchange : Op::SAtomic, RegClass::scalar);
  inst->flags |= compares ? lir::kFixed : lir::kEarlyClobber;
  inst->imm = pack_atomic(kind);
  use(inst, b);
  if (compares) use(inst, c);
  inst->mem = {MemBase::reg, inst->use_count, static_cast<std::uint8_t>(inst->use_count + 1), 0,
               false,        displacement};
  use(inst, base);
  use(inst, index);
  return inst->def;
}

}  // namespace warpjit::backend::x64
