// Loads, stores and atomics of threads' memory: every space, element, alignment and shape of address; guards;
// what is outside, misaligned or in another range than the window.
#include <gtest/gtest.h>

#include "backend/block.h"
#include "support/random_ir.h"
#include "support/share.h"

namespace warpjit::backend {
namespace {

using ir::Element;
using ir::I1;
using ir::I32;
using ir::MemoryAccess;
using ir::Space;
using warpjit::testing::Random;

BlockSetup shape_with_ranges() {
  BlockSetup setup;
  setup.groups = 3;
  setup.constants = {{{0, 512}}, {{64, 128}}, {}};
  setup.globals = {{{0, 4096}}, {{0x1000, 256}, {0x2000, 1024}, {0x80000000u, 64}, {0xfffffff0u, 12}}, {}};
  setup.shared_bytes = 384;
  setup.local_bytes = 48;
  setup.table = {0, 16, 0x2000, 0x80000000u};
  return setup;
}

class BlockAccess : public OnTarget {};
// Groups of these lanes by turns: of whole vectors, of one, of a part of one, as the target has it.
constexpr std::uint32_t kLaneCounts[] = {32, 4, 32, 16};
WARPJIT_ON_EVERY_TARGET(BlockAccess);

// A place that is in the space, at its border, or anywhere.
I32 random_base(Random& random, BlockKernel& k, const MemoryAccess& access) {
  static constexpr std::uint32_t kPlaces[] = {
      0,      16,     32,         100, 128, 380,         384,         0x1000,      0x10f0, 0x2000,
      0x2100, 0x23f8, 0x7fffffff, ~0u, ~3u, 0x80000000u, 0x8000003cu, 0xfffffff4u, 4090,   48};
  const std::uint32_t place = kPlaces[random.below(std::size(kPlaces))];
  const bool global = access.space == Space::global;
  if (random.chance(30)) return k.word(random.below(2) * 32);
  if (random.chance(20)) return I32{k.b.LoadUniformI32(random.below(4) * 4)};
  return k.word(global || random.chance(20) ? place : place % 512);
}

I32 random_address(Random& random, BlockKernel& k, const MemoryAccess& access) {
  auto& b = k.b;
  const I32 base = random_base(random, k, access);
  const std::uint32_t unit = random.chance(80) ? access.alignment : 1;
  const I32 width = k.word(random.chance(70) ? access.extent : unit);
  switch (random.below(8)) {
    case 0:
      return base;
    case 1:  // consecutive
      return b.IAdd32(base, b.IMul32(k.thread(), width));
    case 2:
      return b.IAdd32(base, b.IMul32(b.LaneIndex(), width));
    case 3:  // equal in eights or so
      return b.IAdd32(base, b.IMul32(b.IShrU32(b.LaneIndex(), k.word(random.below(6))), width));
    case 4:  // descending
      return b.ISub32(base, b.IMul32(b.LaneIndex(), width));
    case 5:  // scattered
      return b.IAdd32(
          base, b.IMul32(b.IAnd32(b.IMul32(k.thread(), k.word(2654435761u)), k.word(31)), k.word(unit)));
    case 6: {  // what was kept, some of it far outside
      MemoryAccess kept;
      kept.index = BlockKernel::kKept;
      const I32 word = k.load(kept, b.IShl32(k.thread(), k.word(5)));
      return b.IAnd32(word, k.word(random.chance(50) ? 0x1fc : 0xffff));
    }
    default:
      return b.IAnd32(b.IAdd32(base, b.IMul32(b.LaneIndex(), width)), k.word(0xffff & ~(unit - 1)));
  }
}

// Lanes from a number on, or below it.
I1 random_bound(Random& random, BlockKernel& k) {
  constexpr ir::Opcode kOrderings[] = {ir::Opcode::ILtS32, ir::Opcode::ILeS32, ir::Opcode::ILtU32,
                                       ir::Opcode::ILeU32};
  const ir::Opcode ordering = kOrderings[random.below(4)];
  const I32 lane = k.b.LaneIndex(), number = random.chance(60)
                                                 ? k.word(random.below(k.function.group_lanes + 3) - 1)
                                                 : I32{k.b.LoadUniformI32(random.below(4) * 4)};
  const std::vector<ir::Value> sides =
      random.chance(50) ? std::vector<ir::Value>{lane, number} : std::vector<ir::Value>{number, lane};
  const I1 guard{k.b.emit(ordering, sides)};
  return random.chance(30) ? k.b.Not1(guard) : guard;
}

// Sets of lanes with holes, too.
I1 random_bounds(Random& random, BlockKernel& k) {
  constexpr ir::Opcode kLogic[] = {ir::Opcode::And1, ir::Opcode::Or1, ir::Opcode::Xor1, ir::Opcode::AndNot1};
  I1 guard = random_bound(random, k);
  while (random.chance(30)) {
    const std::vector<ir::Value> sides{guard, random_bound(random, k)};
    guard = I1{k.b.emit(kLogic[random.below(4)], sides)};
  }
  return guard;
}

I1 random_guard(Random& random, BlockKernel& k) {
  switch (random.below(7)) {
    case 6:
      return random_bounds(random, k);
    case 0:
      return random_bound(random, k);
    case 1:
      return k.b.IEq32(k.thread(), k.word(random.below(96)));
    case 2:
      return k.b.INe32(k.b.IAnd32(k.b.LaneIndex(), k.word(random.below(8))), k.word(0));
    case 3:
      return k.b.IEq32(I32{k.b.LoadUniformI32(0)}, k.word(random.below(2)));
    default:
      return k.always();
  }
}

MemoryAccess random_access(Random& random, bool write) {
  MemoryAccess access;
  access.space = static_cast<Space>(write ? 1 + random.below(3) : random.below(4));
  if (access.space == Space::constant || access.space == Space::global)
    access.index = static_cast<std::uint8_t>(random.below(3));
  access.element = static_cast<Element>(random.chance(50) ? 4 : random.below(5));
  const std::uint32_t size = size_of(access.element);
  const std::uint32_t words = access.element == Element::word ? 1u << random.below(3) : 1;
  access.extent = static_cast<std::uint8_t>(size * words);
  access.alignment = random.chance(85) ? access.extent : static_cast<std::uint8_t>(1u << random.below(4));
  access.offset = static_cast<std::uint8_t>(random.below(words) * size);
  return access;
}

TEST_P(BlockAccess, RandomAccessesAreThoseOfTheInterpreter) {
  BlockSetup setup = shape_with_ranges();
  for (std::uint64_t seed = 0; seed < share(400) && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    setup.lanes = kLaneCounts[seed % std::size(kLaneCounts)];
    BlockKernel k(setup);
    I32 sum = k.thread();
    for (std::uint32_t n = 1 + random.below(6); n > 0; --n) {
      k.b.set_guest_address(random.below(1000));
      const bool write = random.chance(40);
      const MemoryAccess access = random_access(random, write);
      const I32 address = random_address(random, k, access);
      const I1 guard = random_guard(random, k);
      if (write)
        k.b.StoreMemory(guard, address, random.chance(70) ? sum : k.word(random.below(100)), access.pack());
      else
        sum = k.b.SelectI32(
            guard, k.b.IAdd32(k.b.IMul32(sum, k.word(5)), k.b.LoadMemory(guard, address, access.pack())),
            sum);
      if (random.chance(30)) k.keep(sum, random.below(8));
    }
    k.keep(sum);
    k.b.ret();
    expect_same(k.function, setup, GetParam(), seed);
  }
}

// Runs of accesses side by side in shared memory, of lanes on one side of a number, that begin before it, end
// after it, or wrap around.
TEST_P(BlockAccess, LanesOnOneSideOfANumber) {
  BlockSetup setup = shape_with_ranges();
  for (std::uint64_t seed = 0; seed < share(600) && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    setup.lanes = 32u << random.below(4);
    setup.shared_bytes = 384 * (setup.lanes / 32);
    setup.table = {random.below(70) - 35, random.below(40), 0x80000000u + random.below(3) - 1, ~0u};
    BlockKernel k(setup);
    constexpr std::uint64_t kWord = MemoryAccess{.space = Space::shared}.pack();
    const I1 guard = random_bounds(random, k);
    const bool both = random.chance(50);  // value numbering then makes one a negation of the other
    I32 base = k.word(random.below(480) * 4 - 512);
    if (random.chance(50)) base = k.b.IAdd32(base, k.b.IShl32(I32{k.b.LoadUniformI32(0)}, k.word(2)));
    if (random.chance(20)) base = k.b.IAdd32(base, k.word(1 + random.below(3)));
    I32 sum = k.thread();
    for (std::uint32_t n = 1 + random.below(4); n > 0; --n) {
      k.b.set_guest_address(random.below(1000));
      I32 address =
          k.b.IAdd32(k.b.IAdd32(base, k.word(random.below(4) * 32)), k.b.IShl32(k.b.LaneIndex(), k.word(2)));
      if (random.chance(60)) address = k.b.IAnd32(address, k.word(0xffff));
      if (random.chance(40))
        k.b.StoreMemory(guard, address, sum, kWord);
      else
        sum = k.b.SelectI32(guard, k.b.IAdd32(sum, k.b.LoadMemory(guard, address, kWord)), sum);
    }
    if (both) sum = k.b.SelectI32(k.b.Not1(guard), k.b.LoadMemory(k.b.Not1(guard), base, kWord), sum);
    k.keep(sum);
    k.b.ret();
    expect_same(k.function, setup, GetParam(), seed);
  }
}

// Such accesses so far apart that a span has no room for all parts of each: memory that ends or begins among
// the lanes that take part is no memory of the others.
TEST_P(BlockAccess, LanesOnOneSideOfANumberFarApart) {
  BlockSetup setup = shape_with_ranges();
  constexpr std::uint64_t kWord = MemoryAccess{.space = Space::shared}.pack();
  for (std::uint64_t seed = 0; seed < share(1000) && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    setup.lanes = 32u << random.below(3);
    const std::uint32_t bytes = 4 * setup.lanes;
    std::array<std::uint32_t, 3> places = {0, 0x8000 - 4 * random.below(2 * setup.lanes),
                                           random.chance(50) ? 0x4000 : 4 * random.below(setup.lanes)};
    std::swap(places[0], places[random.below(3)]);
    const std::uint32_t base = 4 * (random.below(bytes) - bytes / 2);
    setup.shared_bytes = std::min(places[random.below(3)] + base + 4 * random.below(bytes), 0xfffcu) & ~3u;
    setup.table = {random.below(setup.lanes + 4), base};
    BlockKernel k(setup);
    I1 guard = k.b.ILtU32(k.b.LaneIndex(), I32{k.b.LoadUniformI32(0)});
    if (random.chance(50)) guard = k.b.Not1(guard);
    const I32 first = k.b.IAdd32(k.b.IShl32(k.b.LaneIndex(), k.word(2)), I32{k.b.LoadUniformI32(4)});
    I32 sum = k.thread();
    for (const std::uint32_t place : places) {
      k.b.set_guest_address(place);
      const I32 address = k.b.IAdd32(first, k.word(place));
      if (random.chance(30))
        k.b.StoreMemory(guard, address, sum, kWord);
      else
        sum = k.b.SelectI32(guard, k.b.IAdd32(sum, k.b.LoadMemory(guard, address, kWord)), sum);
    }
    k.keep(sum);
    k.b.ret();
    expect_same(k.function, setup, GetParam(), seed);
  }
}

// Where it is known which lanes take part, parts of a group that have none of them are left out: a sum of a
// block that is one group. What others would access is outside; what these do, too, if memory is too small.
TEST_P(BlockAccess, KnownLanesOfOneGroup) {
  BlockSetup setup;
  setup.groups = 1;
  setup.lanes = 128;
  setup.globals = {{{0x1000, 4}}};
  constexpr std::uint64_t kWord = MemoryAccess{.space = Space::shared}.pack();
  // What is stored is read again after it from places that do not lie side by side, or not.
  const auto sum_of = [&](bool known, bool read = false) {
    BlockKernel k(setup);
    auto& b = k.b;
    const I32 lane = b.LaneIndex(), place = b.IShl32(lane, k.word(2));
    I32 sum = b.IMul32(lane, k.word(17));
    b.StoreMemory(k.always(), place, sum, kWord);
    std::uint32_t number = 0;
    for (std::uint32_t half = 64; half != 0; half /= 2) {
      b.set_guest_address(half);
      const I32 bound = known ? k.word(half) : I32{b.LoadUniformI32(4 * number++)};
      const I1 guard = b.ILtU32(lane, bound);
      sum = b.SelectI32(guard, b.IAdd32(sum, b.LoadMemory(guard, b.IAdd32(place, k.word(4 * half)), kWord)),
                        sum);
      b.StoreMemory(guard, place, sum, kWord);
    }
    if (read) k.keep(b.LoadMemory(k.always(), b.IXor32(b.IShl32(lane, k.word(3)), k.word(0x1a4)), kWord), 1);
    b.StoreMemory(b.IEq32(lane, k.word(0)), k.word(0x1000), sum, MemoryAccess{}.pack());
    k.keep(b.SelectI32(b.ILtU32(lane, k.word(2)), sum, lane));
    b.ret();
    return std::move(k.function);
  };
  setup.table = {64, 32, 16, 8, 4, 2, 1};
  for (const std::uint32_t bytes : {512, 500, 384, 256, 252, 4}) {
    SCOPED_TRACE(bytes);
    setup.shared_bytes = bytes;
    for (const bool read : {false, true}) {
      expect_same(sum_of(true, read), setup, GetParam());
      expect_same(sum_of(false, read), setup, GetParam());
    }
  }
  const auto instructions = [&](bool known) {
    const auto program = ir::run_pipeline(sum_of(known), {});
    return compile(*program, GetParam(), {}).value().statistics.instructions;
  };
  EXPECT_LT(3 * instructions(true), 2 * instructions(false));
}

// Stores side by side in global memory by the lanes on one side of a number: none, the first or the last,
// all.
TEST_P(BlockAccess, StoresOfLanesOnOneSideOfANumber) {
  BlockSetup setup;
  setup.globals = {{{0x1000, 0x1000}}};
  constexpr std::uint64_t kWord = MemoryAccess{}.pack();
  for (const bool wide : {false, true})
    for (const std::int32_t number : {-2, -1, 0, 1, 2, -3 + 32, -2 + 32, -1 + 32, 32, 33}) {
      setup.lanes = wide ? 128 : 32;
      setup.table = {static_cast<std::uint32_t>(number > 2 && wide ? number + 96 : number)};
      SCOPED_TRACE(number);
      BlockKernel k(setup);
      std::uint32_t at = 0x1000;
      for (const ir::Opcode ordering :
           {ir::Opcode::ILtS32, ir::Opcode::ILeS32, ir::Opcode::ILtU32, ir::Opcode::ILeU32})
        for (const bool lane_first : {false, true})
          for (const bool negated : {false, true}) {
            const ir::Value lane = k.b.LaneIndex(), bound = k.b.LoadUniformI32(0);
            const I1 guard{
                k.b.emit(ordering, std::vector{lane_first ? lane : bound, lane_first ? bound : lane})};
            k.b.StoreMemory(negated ? k.b.Not1(guard) : guard,
                            k.b.IAdd32(k.b.IShl32(k.b.LaneIndex(), k.word(2)), k.word(at)), k.thread(),
                            kWord);
            at += 4 * (setup.lanes < 64 ? setup.lanes : 32);
          }
      k.b.ret();
      expect_same(k.function, setup, GetParam());
    }
}

// Wide accesses whose alignment is not that of the range they are in.
TEST_P(BlockAccess, RangesThatAreAlignedLessThanAccesses) {
  for (const std::uint32_t begin : {0x1000u, 0x1004u, 0x1008u, 0x100cu})
    for (const std::uint8_t alignment : {4, 8, 16})
      for (const std::uint32_t first : {0x1000u, 0x1008u, 0x1010u, 0x1018u, 0x101cu}) {
        SCOPED_TRACE(begin * 0x10000 + alignment * 0x1000 + first);
        BlockSetup setup;
        setup.globals = {{{begin, 0x800}}};
        setup.table = {first};
        BlockKernel k(setup);
        MemoryAccess access;
        access.alignment = access.extent = alignment;
        access.offset = static_cast<std::uint8_t>(alignment - 4);
        const I32 address =
            k.b.IAdd32(I32{k.b.LoadUniformI32(0)}, k.b.IMul32(k.b.LaneIndex(), k.word(alignment)));
        k.keep(k.load(access, address));
        k.b.ret();
        expect_same(k.function, setup, GetParam());
      }
}

// Several places beside one address, wrapping after 16 bits.
TEST_P(BlockAccess, PlacesBesideOneAddress) {
  for (std::uint64_t seed = 0; seed < share(150) && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 500);
    BlockSetup setup;
    setup.shared_bytes = random.chance(20) ? 0x10000 : 1024;
    BlockKernel k(setup);
    MemoryAccess access;
    access.space = Space::shared;
    const I32 step = k.word(random.chance(60) ? 4 : random.chance(50) ? 0 : 8);
    I32 base = k.b.IMul32(k.b.IShrU32(k.b.LaneIndex(), k.word(random.below(2) * 4)), step);
    if (random.chance(30)) base = k.b.IAdd32(base, k.b.IMul32(k.b.GroupIndex(), k.word(128)));
    if (random.chance(30)) base = k.b.IMul32(k.b.IAnd32(k.thread(), k.word(random.below(32))), step);
    for (std::uint32_t n = 0; n < 6; ++n) {
      static constexpr std::uint32_t kOffsets[] = {0,      4,      64,     256,     900, 0xffc0,
                                                   0xfffc, 0xff00, 0xfe00, 0x10000, 2};
      I32 address = k.b.IAdd32(base, k.word(kOffsets[random.below(std::size(kOffsets))]));
      if (random.chance(80)) address = k.b.IAnd32(address, k.word(0xffff));
      if (random.chance(30))
        k.store(access, address, k.b.IAdd32(k.thread(), k.word(n << 16)));
      else
        k.keep(k.load(access, address), n);
    }
    k.b.ret();
    expect_same(k.function, setup, GetParam(), seed);
  }
}

// Runs of accesses beside a base that all lanes share, at the borders of windows: below, above, misaligned,
// wrapping after 16 bits; neighbours, equal lanes, rows of a tile, descending lanes; lanes without guard.
TEST_P(BlockAccess, RunsAtBorders) {
  for (std::uint64_t seed = 0; seed < share(600) && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 2000);
    BlockSetup setup;
    const std::uint32_t size = 4 * random.below(200);
    const bool far = random.chance(20);
    const std::uint32_t begin = far ? 0xffff0000u : 0x1000 + 4 * random.below(4);
    setup.shared_bytes = random.chance(10) ? 0x10000 : size;
    setup.constants = {{{0, size + 4}}};
    setup.globals = {{{begin, size + 4}}};
    static constexpr std::uint32_t kPlaces[] = {0, 4, 32, 64, 0xffc0, 0xff80, 0xfff0, 0xff00, 0x10000};
    const auto place = [&](std::uint32_t first) {
      std::uint32_t at = random.chance(40)   ? kPlaces[random.below(std::size(kPlaces))]
                         : random.chance(50) ? size - 4 * random.below(70)
                                             : 4 * random.below(100);
      if (random.chance(15)) at += 1 + random.below(3);
      return first + at;
    };
    setup.table = {place(0), place(begin), 4 * random.below(40), random.below(40)};
    BlockKernel k(setup);
    const I32 lane = k.b.LaneIndex();
    const I1 guard = random.chance(40) ? random_bound(random, k) : random_guard(random, k);
    MemoryAccess access;
    access.space = std::array{Space::shared, Space::global, Space::constant}[random.below(3)];
    const bool global = access.space == Space::global;
    const auto lanes = [&]() -> I32 {
      switch (random.below(7)) {
        case 0:
          return k.word(0);
        case 1:  // rows of 16 or 8
          return k.b.IAdd32(
              k.b.IShl32(k.b.IAnd32(lane, k.word(random.chance(70) ? 15 : 7)), k.word(2)),
              k.b.IMul32(k.b.IShrU32(lane, k.word(random.chance(70) ? 4 : 3)), I32{k.b.LoadUniformI32(8)}));
        case 2:
          return k.b.IShl32(k.b.IShrU32(k.thread(), k.word(4)), k.word(2));
        case 3:
          return k.b.IMul32(lane, k.word(static_cast<std::uint32_t>(-4)));
        default:
          return k.b.IShl32(random.chance(50) ? k.thread() : lane, k.word(2));
      }
    };
    I32 base = random.chance(20) ? k.word(0) : I32{k.b.LoadUniformI32(global ? 4 : 0)};
    if (random.chance(30))
      base = k.b.IAdd32(base, k.b.IMul32(k.b.GroupIndex(), k.word(4 * random.below(40))));
    I32 offsets = lanes();
    for (std::uint32_t n = 0; n < 8; ++n) {
      k.b.set_guest_address(n);
      if (random.chance(20)) offsets = lanes();
      if (random.chance(10)) base = k.b.IAdd32(base, k.word(4 * random.below(30)));
      I32 address =
          k.b.IAdd32(k.b.IAdd32(base, offsets), k.word(4 * random.below(40) - (random.chance(20) ? 64 : 0)));
      if (!global && random.chance(70)) address = k.b.IAnd32(address, k.word(0xffff));
      access.extent = access.alignment = 4;
      access.offset = 0;
      if (random.chance(15)) {
        access.extent = access.alignment = random.chance(50) ? 8 : 16;
        access.offset = static_cast<std::uint8_t>(4 * random.below(access.extent / 4));
      }
      const I1 where = random.chance(50) ? guard : k.always();
      if (access.space != Space::constant && random.chance(30))
        k.b.StoreMemory(where, address, k.b.IAdd32(k.thread(), k.word(n << 16)), access.pack());
      else
        k.keep(k.b.SelectI32(where, k.b.LoadMemory(where, address, access.pack()), k.word(7)), n);
    }
    k.b.ret();
    expect_same(k.function, setup, GetParam(), seed);
  }
}

TEST_P(BlockAccess, AtomicsAndLocks) {
  BlockSetup setup = shape_with_ranges();
  for (std::uint64_t seed = 0; seed < share(600) && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 1000);
    setup.lanes = kLaneCounts[seed % std::size(kLaneCounts)];
    BlockKernel k(setup);
    MemoryAccess access;
    access.space = random.chance(50) ? Space::shared : Space::global;
    access.function = static_cast<ir::AtomicFunction>(random.below(ir::kAtomicFunctions));
    const I1 guard = random_guard(random, k);
    const I32 address = random_address(random, k, access), value = k.b.IMul32(k.thread(), k.word(77));
    k.keep(k.word(1));
    switch (random.below(3)) {
      case 0:
        k.keep(
            k.b.SelectI32(guard, k.b.AtomicMemory(guard, address, value, k.word(3), access.pack()), value));
        break;
      case 1: {
        access.space = Space::global;
        access.alignment = access.extent = 8;
        const auto old =
            k.b.AtomicMemory64(guard, address, value, k.word(7), k.word(1), value, access.pack());
        k.keep(k.b.SelectI32(guard, old[0], value));
        k.keep(k.b.SelectI32(guard, old[1], value), 1);
        break;
      }
      default: {
        access.space = Space::shared;
        access.function = {};
        const auto [word, got] = k.b.LockMemory(guard, address, access.pack());
        const I1 both = k.b.And1(guard, got);
        k.b.UnlockMemory(both, address, k.b.IAdd32(word, value), access.pack());
        k.keep(k.b.SelectI32(both, word, value));
        // The mask is false in lanes without guard.
        k.keep(k.b.SelectI32(got, k.word(5), k.word(6)), 1);
        k.keep(k.b.SelectI32(k.b.Not1(k.b.Xor1(got, both)), k.word(7), k.word(8)), 2);
      }
    }
    k.b.ret();
    expect_same(k.function, setup, GetParam(), seed);
  }
}

}  // namespace
}  // namespace warpjit::backend
