// Loads and stores of records: words side by side that are equally far apart from lane to lane.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/block.h"
#include "support/random_ir.h"
#include "support/share.h"

namespace warpjit::backend {
namespace {

using ir::I1;
using ir::I32;
using ir::MemoryAccess;
using warpjit::testing::Random;

// Times 31 and 63 they are 1, modulo 2^32: the last lane's way from the first one is short, the others' are
// not.
constexpr std::uint32_t kInverseOf31 = 0xbdef7bdf, kInverseOf63 = 0xbefbefbf;
static_assert(31 * kInverseOf31 == 1 && 63 * kInverseOf63 == 1);

class BlockRecords : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(BlockRecords);

// In the window, at its ends, misaligned; of steps that overlap, go down or are known to the launch alone;
// with guards; words in order or not, with what is loaded used between.
TEST_P(BlockRecords, AreThoseOfTheInterpreter) {
  for (std::uint64_t seed = 0; seed < share(1200) && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 4000);
    BlockSetup setup;
    setup.lanes = random.chance(70) ? 32 : 64;
    setup.groups = 2;
    const std::uint32_t begin = random.chance(20)   ? 0xffff0000u
                                : random.chance(50) ? 0x1000
                                                    : 0x1008,
                        size = 4096;
    setup.globals = {{{begin, size}}};
    static constexpr std::uint32_t kSteps[] = {16,
                                               16,
                                               32,
                                               48,
                                               20,
                                               12,
                                               8,
                                               4,
                                               0,
                                               0xfffffff0,
                                               0xffffffe0,
                                               0x80000000,
                                               64,
                                               18,
                                               30,
                                               0x00800000,
                                               0x00800004,
                                               0x04000000,
                                               4 * kInverseOf31,
                                               4 * kInverseOf63,
                                               64 * kInverseOf63};
    const std::uint32_t step = kSteps[random.below(std::size(kSteps))];
    std::uint32_t place = begin + (random.chance(50) ? 4 * random.below(300) : size - 16 * setup.lanes);
    if (random.chance(30)) place = begin + size - step * (2 * setup.lanes - 1) - 4 * random.below(8);
    if (random.chance(30)) place -= 4 * random.below(8);
    if (random.chance(15)) place = begin - 4 * random.below(4);
    if (random.chance(30)) place &= ~7u;
    if (random.chance(10)) place += 1 + random.below(3);
    setup.table = {place, step, random.below(3), 0};
    BlockKernel k(setup);
    auto& b = k.b;
    const I32 lane = random.chance(70) ? k.thread() : b.LaneIndex();
    const I32 apart = random.chance(40) ? I32{b.LoadUniformI32(4)} : k.word(step);
    I32 base = b.IAdd32(random.chance(60) ? I32{b.LoadUniformI32(0)} : k.word(place), b.IMul32(lane, apart));
    I1 guard = k.always();
    if (random.chance(30)) guard = b.ILtU32(lane, k.word(random.below(70)));
    if (random.chance(15)) {  // all lanes have it, or one has not
      const auto lanes = static_cast<std::int32_t>(setup.lanes);
      guard = b.ILtS32(b.LaneIndex(), k.word(static_cast<std::uint32_t>(lanes - 2 + random.below(4))));
    }
    if (random.chance(15)) guard = b.IEq32(I32{b.LoadUniformI32(8)}, k.word(1));
    I32 sum = k.thread();
    const I32 same = b.IMul32(b.GroupIndex(), k.word(77));  // a vector only once it is needed
    for (std::uint32_t n = 1 + random.below(3); n > 0; --n) {
      const bool store = random.chance(40), as_one = random.chance(50), pairs = random.chance(50);
      const std::uint32_t words = random.chance(50) ? 4 : random.chance(40) ? 2 : 1 + random.below(6);
      const auto alignment = static_cast<std::uint8_t>(random.chance(50) ? 4 : 4 << random.below(3));
      for (std::uint32_t w = 0; w < words; ++w) {
        b.set_guest_address(8 * n + w);
        const std::uint32_t at = random.chance(92) ? w : random.below(6);
        MemoryAccess access;
        I32 address = base;
        if (as_one && at < 4) {
          access.extent = static_cast<std::uint8_t>(at < 2 && pairs ? 8 : 16);
          access.offset = static_cast<std::uint8_t>(4 * at);
          access.alignment = std::min(alignment, access.extent);
        } else if (at != 0) {
          address = b.IAdd32(base, k.word(4 * at));
        }
        const I1 where = random.chance(95) ? guard : k.always();
        if (store)
          b.StoreMemory(where, address,
                        random.chance(30)   ? same
                        : random.chance(80) ? b.IAdd32(sum, k.word(w << 20))
                                            : k.word(w),
                        access.pack());
        else
          sum = b.SelectI32(
              where, b.IAdd32(b.IMul32(sum, k.word(5)), b.LoadMemory(where, address, access.pack())), sum);
      }
      if (random.chance(40)) sum = b.IAdd32(sum, same);
      if (random.chance(30)) base = b.IAdd32(base, k.word(16));
    }
    k.keep(sum);
    b.ret();
    expect_same(k.function, setup, GetParam(), seed);
  }
}

// A vector that the rows alone needed is made anew for what follows, whichever way control came.
TEST_P(BlockRecords, VectorsOfOnePathAreNotReused) {
  for (const bool store : {true, false})
    for (const std::uint32_t lanes : {0u, 5u, 32u})
      for (const std::uint32_t off : {0u, 1u, 0x10000u}) {
        SCOPED_TRACE(std::to_string(lanes) + " lanes, " + std::to_string(off));
        BlockSetup setup;
        setup.globals = {{{0x1000, 4096}}};
        setup.table = {0x1000 + off, lanes};
        BlockKernel k(setup);
        auto& b = k.b;
        const I32 same = b.IMul32(b.GroupIndex(), k.word(77)), same2 = b.BlockIndex(0);
        const I1 guard = b.ILtS32(b.LaneIndex(), I32{b.LoadUniformI32(4)});
        const I32 base = b.IAdd32(I32{b.LoadUniformI32(0)}, b.IMul32(k.thread(), k.word(16)));
        I32 sum = b.LaneIndex();
        for (std::uint32_t w = 0; w < 4; ++w) {
          const I32 address = b.IAdd32(base, k.word(4 * w));
          if (store)
            b.StoreMemory(guard, address, w % 2 == 0 ? same : same2, MemoryAccess().pack());
          else
            sum = b.SelectI32(guard, b.IAdd32(sum, b.LoadMemory(guard, address, MemoryAccess().pack())), sum);
        }
        k.keep(b.IAdd32(b.IAdd32(sum, same), same2));
        b.ret();
        expect_same(k.function, setup, GetParam());
      }
}

}  // namespace
}  // namespace warpjit::backend
