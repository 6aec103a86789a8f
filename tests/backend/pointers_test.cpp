// Windows of pointers, where memory has several ranges: what code finds through them, whatever they guess.
#include <gtest/gtest.h>

#include <cstring>

#include "backend/block.h"
#include "backend/host.h"
#include "ir/pipeline.h"
#include "support/random_ir.h"
#include "support/share.h"

namespace warpjit::backend {
namespace {

using ir::I1;
using ir::I32;
using ir::MemoryAccess;
using ir::Space;
using warpjit::testing::Random;

class BlockPointers : public OnTarget {};
WARPJIT_ON_EVERY_TARGET(BlockPointers);

// Ranges of few words and of many, at multiples of 4; pointers to their begins, into them, beside them and to
// nothing, in the table and in memory; sums and differences of pointers; words, rows and atomics.
TEST_P(BlockPointers, AreThoseOfTheInterpreter) {
  for (std::uint64_t seed = 0; seed < share(800) && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed + 6000);
    BlockSetup setup;
    setup.lanes = random.chance(70) ? 32 : 16;
    std::vector<BlockSetup::Range> ranges;
    std::uint32_t next = random.chance(20) ? 0 : 0x1000;
    for (std::uint32_t n = 1 + random.below(5); n > 0; --n) {
      const std::uint32_t size = 4 * (random.chance(30) ? 1 + random.below(6) : 1 + random.below(600));
      next += 4 * random.below(random.chance(50) ? 3 : 5000);
      ranges.push_back({next, size});
      next += size;
    }
    if (random.chance(20)) ranges.push_back({0xfffff000, 4096});
    setup.globals = {ranges};
    setup.constants = {{{0, 64}}};
    setup.table.resize(12);
    for (std::uint32_t& word : setup.table) {
      const BlockSetup::Range& range = ranges[random.below(ranges.size())];
      word = random.chance(50)   ? range.address
             : random.chance(50) ? range.address + 4 * random.below(range.size / 4 + 2)
             : random.chance(50) ? range.address + range.size - 4 * random.below(200)
                                 : static_cast<std::uint32_t>(random.below(0x3000));
    }
    BlockKernel k(setup);
    auto& b = k.b;
    const auto pointer = [&]() -> I32 {
      const std::uint32_t byte = 4 * random.below(setup.table.size());
      if (random.chance(80)) return b.LoadUniformI32(byte);
      MemoryAccess access;
      access.space = random.chance(50) ? Space::shared : Space::constant;
      return k.load(access, k.word(byte));
    };
    const I32 lane = random.chance(70) ? k.thread() : I32{b.LaneIndex()};
    I1 guard = k.always();
    if (random.chance(30)) guard = b.ILtU32(lane, k.word(random.below(70)));
    if (random.chance(15)) guard = b.INe32(b.IAnd32(lane, k.word(3)), k.word(1));
    I32 sum = lane;
    for (std::uint32_t n = 0; n < 5; ++n) {
      b.set_guest_address(n);
      I32 base = pointer();
      if (random.chance(15)) base = b.IAdd32(base, pointer());
      if (random.chance(15)) base = b.ISub32(base, k.word(4 * random.below(100)));
      if (random.chance(10)) base = b.SelectI32(guard, base, pointer());
      const std::uint32_t scale = 2 + random.below(3);
      const I32 index = random.chance(20) ? b.IAnd32(b.IMul32(sum, k.word(0x01000193)), k.word(63)) : lane;
      const I32 address = b.IAdd32(base, random.chance(15) ? k.word(0) : b.IShl32(index, k.word(scale)));
      MemoryAccess access;
      if (random.chance(10)) {
        access.function = ir::AtomicFunction::add;
        sum = b.SelectI32(guard, b.AtomicMemory(guard, address, sum, k.word(0), access.pack()), sum);
        continue;
      }
      const bool store = random.chance(30), row = scale == 4 && random.chance(70);
      if (row) {
        access.extent = 16;
        access.alignment = static_cast<std::uint8_t>(4 << random.below(3));
      }
      for (std::uint32_t w = 0; w < (row ? 4 : 1); ++w) {
        access.offset = static_cast<std::uint8_t>(4 * w);
        if (store)
          b.StoreMemory(guard, address, b.IAdd32(sum, k.word(w)), access.pack());
        else
          sum = b.SelectI32(guard, b.IAdd32(sum, b.LoadMemory(guard, address, access.pack())), sum);
      }
    }
    k.keep(sum);
    b.ret();
    expect_same(k.function, setup, GetParam(), seed);
  }
}

// A range that a window cannot show, a pointer to nothing, and a place that is not there give the space's
// own.
TEST(MemoryWindows, ShowTheRangesOfPointers) {
  alignas(8) static std::byte bytes[4][256];
  const ir::MemoryRange ranges[] = {
      {bytes[0], 0x1000, 64}, {bytes[1], 0x2000, 256}, {bytes[2], 0x3004, 128}, {bytes[3], 0x4000, 32}};
  ir::BlockMemory memory;
  memory.globals[5] = ranges;
  alignas(4) std::byte shared[16] = {};
  const std::uint32_t stored = 0x4010;
  std::memcpy(shared + 8, &stored, sizeof stored);
  memory.shared = shared;
  const std::uint32_t table[] = {0x103c, 0x1040, 0x3008, 0x4000};
  const ir::MemoryAccess in_shared{.space = Space::shared};
  const PointerPlace places[] = {{5, true, {}, 0},  {5, true, {}, 4},         {5, true, {}, 8},
                                 {5, true, {}, 12}, {5, false, in_shared, 8}, {5, false, in_shared, 16},
                                 {4, true, {}, 0}};
  constexpr const std::byte* kNothing = nullptr;
  const std::byte* const wanted[] = {bytes[0], bytes[1], bytes[1], bytes[3], bytes[3], bytes[1], kNothing};
  MemoryWindows windows;
  windows.set(memory);
  windows.aim(places, memory, table);
  for (std::size_t n = 0; n < std::size(places); ++n) {
    const MemoryWindow& window = windows.data()[MemoryWindows::kCount + n];
    if (wanted[n] == kNothing)
      EXPECT_EQ(window.limits[0], 0U) << n;
    else
      EXPECT_EQ(window.bytes, wanted[n]) << n;
  }
}

// Sums and loops are seen through; there are not more than there is room for.
TEST(PointerWindows, AreMadeOfWhatTheLaunchGives) {
  BlockSetup setup;
  setup.globals = {{{0x1000, 4096}}};
  setup.table.resize(24);
  for (const bool many_ranges : {false, true}) {
    BlockKernel k(setup);
    I32 sum = k.thread();
    for (std::uint32_t n = 0; n < 10; ++n) {
      const I32 pointer = I32{k.b.LoadUniformI32(8 * n)};
      sum = k.b.IAdd32(
          sum, k.load({}, k.b.IAdd32(k.b.IShl32(k.thread(), k.word(2)), k.b.IAdd32(pointer, k.word(16)))));
    }
    k.keep(sum);
    k.b.ret();
    const auto program = ir::run_pipeline(k.function, {});
    ASSERT_TRUE(program.ok());
    CompileOptions options;
    options.many_ranges = many_ranges;
    for (const Target target : {Target::x64_v3, Target::x64_v4, Target::a64}) {
      if (find_host(target) == nullptr) continue;
      const auto code = compile(*program, target, options);
      ASSERT_TRUE(code.ok()) << to_string(code.error());
      EXPECT_EQ(code->pointers.size(), many_ranges ? MemoryWindows::kMostPointers : 0U);
      for (const PointerPlace& place : code->pointers) EXPECT_TRUE(place.in_table);
    }
  }
}

}  // namespace
}  // namespace warpjit::backend
