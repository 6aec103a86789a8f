// What is known of values over the lanes of a group is so in the interpreter.
#include <gtest/gtest.h>

#include "ir/analysis/lane_shape.h"
#include "ir/analysis/uniformity.h"
#include "ir/builder.h"
#include "ir/interpret.h"
#include "ir/memory.h"
#include "ir/pass/passes.h"
#include "ir/pipeline.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "support/random_ir.h"
#include "support/share.h"

namespace warpjit::ir {
namespace {

using Kind = LaneShape::Kind;
using warpjit::testing::Random;

constexpr std::uint32_t kLanes = 32, kGroups = 4;

struct Kernel {
  Function f;
  Builder b{f};
  Kernel() {
    f.name = "kernel";
    f.form = Form::group;
    f.group_lanes = kLanes;
    f.block_groups = kGroups;
    f.uniform_bytes = 64;
    b.set_block(f.add_block());
  }
  I32 word(std::uint32_t value) { return b.constant(value); }
  I32 thread() { return b.IAdd32(b.IShl32(b.GroupIndex(), word(5)), b.LaneIndex()); }
  I32 uniform(std::uint32_t n) { return I32{b.LoadUniformI32(n * 4)}; }
  LaneShape shape(Value v) {
    b.ret();
    analyze_uniformity(f);
    return LaneShapes(f)[v];
  }
};

std::vector<std::uint32_t> coefficients(const LaneShape& shape) {
  std::vector<std::uint32_t> made;
  for (std::uint32_t k = 0; 1u << k < kLanes; ++k) made.push_back(shape.strides[k].coefficient);
  return made;
}
using Coefficients = std::vector<std::uint32_t>;

// Slots of the frame keep strides that all values stored there have, constant ones; which base they were
// stored with is not known.
TEST(LaneShape, FrameSlotsKeepStrides) {
  for (const int kind : {0, 1, 2, 3}) {
    Kernel k;
    k.f.frame_slots = 2;
    const I32 first = k.b.IAdd32(k.b.IShl32(k.thread(), k.word(4)), k.uniform(0));
    I32 second = k.b.IAdd32(first, k.word(64));
    if (kind == 1) second = k.b.IShl32(k.thread(), k.word(3));
    if (kind == 2) second = k.uniform(1);
    k.b.StoreFrame(k.b.GroupIndex(), first, 1);
    k.b.StoreFrame(k.b.GroupIndex(), kind == 3 ? k.b.IMul32(k.b.LaneIndex(), k.uniform(2)) : first, 0);
    k.b.StoreFrame(k.b.GroupIndex(), second, kind == 3 ? 0 : 1);
    const LaneShape shape = k.shape(k.b.LoadFrame(k.b.GroupIndex(), kind == 3 ? 0 : 1));
    if (kind == 0) {
      EXPECT_EQ(coefficients(shape), (Coefficients{16, 32, 64, 128, 256}));
      EXPECT_FALSE(shape.told);
    } else {
      EXPECT_FALSE(shape.known()) << kind;
    }
  }
}

TEST(LaneShape, PlacesInTiles) {
  Kernel k;
  const I32 x = k.b.IAnd32(k.thread(), k.word(15)), y = k.b.IShrU32(k.thread(), k.word(4));
  const I32 packed = k.b.IOr32(x, k.b.IShl32(y, k.word(16)));
  const I32 column = k.b.IAnd32(packed, k.word(0xffff)), row = k.b.IShrU32(packed, k.word(16));
  const I32 pitch = k.uniform(0);
  const I32 place = k.b.IAdd32(k.b.IMul32(row, pitch), column);
  k.b.ret();
  analyze_uniformity(k.f);
  const LaneShapes shapes(k.f);
  EXPECT_EQ(shapes[column].kind, Kind::exact);
  EXPECT_EQ(coefficients(shapes[column]), (Coefficients{1, 2, 4, 8, 0}));
  EXPECT_TRUE(shapes[column].told && !shapes[column].base.valid()) << "the base is 0";
  EXPECT_EQ(coefficients(shapes[row]), (Coefficients{0, 0, 0, 0, 1}));
  EXPECT_EQ(coefficients(shapes[place]), (Coefficients{1, 2, 4, 8, 1}));
  EXPECT_EQ(shapes[place].strides[4].factor, Value(pitch));
  EXPECT_FALSE(shapes[place].strides[3].factor.valid());
}

TEST(LaneShape, WrapsAfter16Bits) {
  Kernel k;
  const I32 address = k.b.IAdd32(k.uniform(0), k.b.IShl32(k.b.LaneIndex(), k.word(2)));
  const LaneShape shape = k.shape(k.b.IAnd32(address, k.word(0xffff)));
  EXPECT_EQ(shape.kind, Kind::wrapped16);
  EXPECT_EQ(coefficients(shape), (Coefficients{4, 8, 16, 32, 64}));
}

TEST(LaneShape, BaseAndOffset) {
  Kernel k;
  const I32 base = k.uniform(1);
  const LaneShape shape = k.shape(k.b.IAdd32(
      k.b.IAdd32(base, k.word(12)), k.b.IMul32(k.b.LaneIndex(), k.word(static_cast<std::uint32_t>(-4)))));
  EXPECT_TRUE(shape.told);
  EXPECT_EQ(shape.base, Value(base));
  EXPECT_EQ(shape.offset, 12u);
  EXPECT_EQ(shape.at(3), static_cast<std::uint32_t>(-12));
}

TEST(LaneShape, LoopsKeepStrides) {
  for (const bool same : {true, false}) {
    Kernel k;
    const Block header = k.f.add_block(), body = k.f.add_block(), exit = k.f.add_block();
    const I32 start = k.b.IShl32(k.b.LaneIndex(), k.word(2));
    k.b.jump(header);
    k.b.set_block(header);
    const I32 address = k.b.phi<I32>(header), count = k.b.phi<I32>(header);
    k.b.branch(k.b.ILtU32(count, k.word(10)), body, exit);
    k.b.set_block(body);
    const I32 next = same ? k.b.IAdd32(address, k.uniform(0)) : k.b.IAdd32(address, k.b.LaneIndex());
    const I32 after = k.b.IAdd32(count, k.word(1));
    k.b.jump(header);
    k.f.set_operands(k.f.definition(address), std::array<Value, 2>{start, next});
    k.f.set_operands(k.f.definition(count), std::array<Value, 2>{k.word(0), after});
    k.b.set_block(exit);
    k.b.ret();
    analyze_uniformity(k.f);
    ASSERT_TRUE(verify(k.f).ok()) << to_string(verify(k.f).error());
    const LaneShape shape = LaneShapes(k.f)[address];
    EXPECT_EQ(shape.known(), same);
    if (same) {
      EXPECT_EQ(coefficients(shape), (Coefficients{4, 8, 16, 32, 64}));
      EXPECT_EQ(shape.most, 0xffffffffu);
    }
  }
}

// Random arithmetic; each value is written down by every thread, and is what its shape says.
TEST(LaneShape, RandomArithmeticHasTheShapesFound) {
  std::size_t known = 0;
  for (std::uint64_t seed = 0; seed < share(400) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Kernel k;
    std::vector<I32> values = {k.b.LaneIndex(), k.thread(), k.b.GroupIndex(), k.uniform(0), k.uniform(1)};
    const auto any = [&] { return values[random.below(static_cast<std::uint32_t>(values.size()))]; };
    const auto constant = [&] {
      static constexpr std::uint32_t kWords[] = {0, 1, 3, 4, 15, 16, 31, 0x3ff, 0xffff, 0xfffe, ~0u, ~3u, 48};
      return k.word(kWords[random.below(std::size(kWords))]);
    };
    for (int n = 0; n < 24; ++n) {
      const I32 a = any(), b = random.chance(50) ? any() : constant(), count = k.word(random.below(18));
      switch (random.below(8)) {
        case 0:
        case 1:
          values.push_back(k.b.IAdd32(a, b));
          break;
        case 2:
          values.push_back(k.b.ISub32(a, b));
          break;
        case 3:
          values.push_back(k.b.IMul32(a, b));
          break;
        case 4:
          values.push_back(k.b.IAnd32(a, constant()));
          break;
        case 5:
          values.push_back(random.chance(50) ? k.b.IOr32(a, b) : k.b.IXor32(a, b));
          break;
        case 6:
          values.push_back(k.b.IShl32(a, count));
          break;
        default:
          values.push_back(k.b.IShrU32(a, count));
      }
    }
    MemoryAccess access;
    for (std::size_t n = 0; n < values.size(); ++n)
      k.b.StoreMemory(
          k.b.constant(true),
          k.b.IAdd32(k.b.IShl32(k.thread(), k.word(7)), k.word(static_cast<std::uint32_t>(n * 4))), values[n],
          access.pack());
    k.b.ret();
    analyze_uniformity(k.f);
    const LaneShapes shapes(k.f);

    std::vector<std::uint32_t> kept(kLanes * kGroups * 32), table(16);
    table[0] = static_cast<std::uint32_t>(random.below(0x10000)) * random.below(0x10000);
    table[1] = random.below(64) * 4;
    const MemoryRange range = {reinterpret_cast<std::byte*>(kept.data()), 0,
                               static_cast<std::uint32_t>(kept.size() * 4)};
    BlockMemory block;
    block.globals[0] = {&range, 1};
    Memory memory;
    memory.uniform = table;
    memory.block = &block;
    auto interpreter = Interpreter::prepare(k.f, kLanes);
    ASSERT_TRUE(interpreter.ok()) << to_string(interpreter.error());
    ASSERT_TRUE(interpreter->run(memory, 0, kLanes * kGroups, 100).ok());
    const auto at = [&](std::size_t n, std::uint32_t thread) { return kept[thread * 32 + n]; };
    for (std::size_t n = 0; n < values.size(); ++n) {
      const LaneShape& shape = shapes[values[n]];
      if (!shape.known() || k.f.value(values[n]).uniformity != Uniformity::varying) continue;
      ++known;
      for (std::uint32_t thread = 0; thread < kLanes * kGroups; ++thread) {
        const std::uint32_t group = thread / kLanes * kLanes, first = at(n, group);
        std::uint32_t wanted = first;
        for (std::uint32_t bit = 0; bit < LaneShape::kBits; ++bit) {
          const LaneShape::Stride& stride = shape.strides[bit];
          if ((thread % kLanes >> bit & 1) == 0) continue;
          std::uint32_t factor = 1;
          for (std::size_t m = 0; m < values.size(); ++m)
            if (stride.factor.valid() && Value(values[m]) == stride.factor) factor = at(m, group);
          wanted += stride.coefficient * factor;
        }
        const std::uint32_t got = at(n, thread), mask = shape.kind == Kind::exact ? ~0u : 0xffff;
        ASSERT_EQ(got & mask, wanted & mask) << "value " << n << ", thread " << thread;
        ASSERT_LE(got, shape.kind == Kind::wrapped16 ? 0xffffu : ~0u);
        if (shape.kind == Kind::exact) {
          ASSERT_LE(first, shape.most);
          ASSERT_TRUE(shape.zeros >= 32 ? first == 0 : first % (1u << shape.zeros) == 0);
        }
      }
    }
  }
  EXPECT_GT(known, share(2000));
}

// The four unsigned comparisons of a thread's number with a bound; what each writes down.
constexpr int kForms = 4;
I1 compare(Builder& b, int form, I32 thread, I32 bound) {
  return form == 0   ? b.ILtU32(thread, bound)
         : form == 1 ? b.ILeU32(thread, bound)
         : form == 2 ? b.ILtU32(bound, thread)
                     : b.ILeU32(bound, thread);
}
bool holds(int form, std::uint32_t thread, std::uint32_t bound) {
  return form == 0   ? thread < bound
         : form == 1 ? thread <= bound
         : form == 2 ? bound < thread
                     : bound <= thread;
}
I1 store_comparison(Kernel& k, int form, I32 thread, I32 bound) {
  k.f.form = Form::thread;
  const I1 condition = compare(k.b, form, thread, bound);
  k.b.StoreMemory(k.b.constant(true), k.b.IShl32(thread, k.word(2)),
                  k.b.SelectI32(condition, k.word(1), k.word(2)), MemoryAccess{}.pack());
  k.b.ret();
  return condition;
}
// Runs what store_comparison made; the table's words are the bound.
void expect_comparison(const Function& kernel, int form, std::uint32_t bound) {
  std::vector<std::uint32_t> kept(kLanes * kGroups), table(16, bound);
  const MemoryRange range = {reinterpret_cast<std::byte*>(kept.data()), 0,
                             static_cast<std::uint32_t>(kept.size() * 4)};
  BlockMemory block;
  block.globals[0] = {&range, 1};
  Memory memory;
  memory.uniform = table;
  memory.block = &block;
  auto interpreter = Interpreter::prepare(kernel, kLanes);
  ASSERT_TRUE(interpreter.ok()) << to_string(interpreter.error());
  ASSERT_TRUE(interpreter->run(memory, 0, kLanes * kGroups, 100).ok());
  for (std::uint32_t n = 0; n < kept.size(); ++n)
    ASSERT_EQ(kept[n], holds(form, n, bound) ? 1u : 2u) << "thread " << n;
}

// Any bound: made of bases where those decide.
TEST(LaneShape, ComparisonsOfWholeGroups) {
  for (const std::uint32_t bound : {0u, 1u, 31u, 32u, 33u, 63u, 64u, 95u, 96u, 127u, 128u, 0xffffffe0u, ~0u})
    for (int form = 0; form < kForms; ++form) {
      SCOPED_TRACE(std::to_string(bound) + ", form " + std::to_string(form));
      Kernel k;
      const I32 thread = k.b.IAnd32(k.thread(), k.word(0xffff));
      const I1 condition = store_comparison(k, form, thread, k.word(bound));
      ASSERT_TRUE(verify(k.f).ok()) << to_string(verify(k.f).error());
      analyze_uniformity(k.f);
      unify_comparisons(k.f);
      analyze_uniformity(k.f);
      // The comparison varies if the bound parts groups.
      const std::uint64_t first = std::uint64_t{bound} + (form == 1 || form == 2 ? 1 : 0);
      if (!k.f.is_constant(condition)) {
        EXPECT_EQ(k.f.value(condition).uniformity == Uniformity::varying, first % kLanes != 0);
      }
      const auto program = run_pipeline(k.f, {});
      ASSERT_TRUE(program.ok()) << to_string(program.error());
      expect_comparison(program->kernel, form, bound);
    }
}

// A bound that is known only when the kernel runs: the lane's number is compared.
TEST(LaneShape, ComparisonsOfLanes) {
  for (int form = 0; form < kForms; ++form) {
    Kernel k;
    store_comparison(k, form, k.thread(), k.uniform(0));
    const auto program = run_pipeline(k.f, {});
    ASSERT_TRUE(program.ok()) << to_string(program.error());
    const std::string text = print(program->kernel);
    EXPECT_NE(text.find(form % 2 == 0 ? "ILtS32" : "ILeS32"), std::string::npos) << text;
    for (const std::uint32_t bound :
         {0u, 1u, 17u, 31u, 32u, 100u, 127u, 128u, 0x7ffffffeu, 0x7fffffffu, 0x80000000u, 0x80000040u, ~0u}) {
      SCOPED_TRACE(std::to_string(bound) + ", form " + std::to_string(form));
      expect_comparison(program->kernel, form, bound);
    }
  }
}

}  // namespace
}  // namespace warpjit::ir
