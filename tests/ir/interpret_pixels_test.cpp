// What the IR interpreter does for functions over pixels, against the records read here by hand.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "ir/analysis/overwritten_planes.h"
#include "ir/builder.h"
#include "ir/interpret.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace warpjit::ir {
namespace {

// Sixteen quads in groups of `lanes` threads, each group with a primitive of its own.
struct Picture {
  static constexpr std::uint32_t kThreads = 64, kPlanes = 4;
  std::vector<pixels::QuadRecord> quads;
  std::vector<pixels::GroupRecord> groups;
  std::vector<std::array<std::uint32_t, 8>> primitives;
  std::vector<std::uint32_t> tile;
  unsigned lanes;

  explicit Picture(unsigned group_lanes)
      : primitives(kThreads / 4), tile(kPlanes * pixels::kPlaneBytes / 4), lanes(group_lanes) {
    for (std::uint32_t k = 0; k < kThreads / 4; ++k) {
      const std::uint32_t column = k * 7 % 32, row = k * 5 % 32;
      quads.push_back({static_cast<float>(column * 2), static_cast<float>(row * 2),
                       pixels::morton(column, row) * 16, k * 11 % 16});
      for (std::uint32_t n = 0; n < 8; ++n) primitives[k][n] = std::bit_cast<std::uint32_t>(k + n / 8.0f);
      groups.push_back({reinterpret_cast<const std::byte*>(primitives[k].data()), static_cast<float>(k) * 64,
                        -static_cast<float>(k) * 128});
    }
    for (std::uint32_t k = 0; k < tile.size(); ++k) tile[k] = k * 3;
  }
  std::uint32_t& word(std::uint32_t plane, std::uint32_t thread) {
    return tile[plane * pixels::kPlaneBytes / 4 + quads[thread / 4].offset / 4 + thread % 4];
  }
  Status run(const Function& f) {
    EXPECT_TRUE(verify(f).ok()) << to_string(verify(f).error());
    auto prepared = Interpreter::prepare(f, lanes);
    if (!prepared) return prepared.error();
    Memory memory;
    memory.quads = quads.data();
    memory.groups = groups.data();
    memory.tile = reinterpret_cast<std::byte*>(tile.data());
    return prepared->run(memory, 0, kThreads, 1000);
  }
};

Function over_pixels(Form form) {
  Function f;
  f.name = "pixels";
  f.form = form;
  f.pixels = true;
  f.primitive_bytes = 32;
  f.tile_planes = Picture::kPlanes;
  return f;
}

class InterpretPixels : public ::testing::TestWithParam<Form> {};
INSTANTIATE_TEST_SUITE_P(Forms, InterpretPixels, ::testing::Values(Form::thread, Form::group),
                         [](const auto& tested) {
                           return tested.param == Form::thread ? "thread" : "group";
                         });

TEST_P(InterpretPixels, ReadRecords) {
  Function f = over_pixels(GetParam());
  Builder b(f);
  b.set_block(f.add_block());
  const I1 always = b.constant(true);
  b.StoreTile(always, b.BitcastF32ToI32(b.PixelDx()), 0);
  b.StoreTile(always, b.BitcastF32ToI32(b.PixelDy()), 1);
  const I32 sum = b.IAdd32(b.PrimitiveI32(8), b.BitcastF32ToI32(b.PrimitiveF32(28)));
  b.StoreTile(b.PixelCovered(), sum, 2);
  b.StoreTile(always, b.IAdd32(b.BitcastF32ToI32(b.PixelCenterX()), b.BitcastF32ToI32(b.PixelCenterY())), 3);
  b.ret();
  for (const unsigned lanes : {4u, 8u, 16u, 32u}) {
    Picture picture(lanes), before(lanes);
    ASSERT_TRUE(picture.run(f).ok());
    for (std::uint32_t t = 0; t < Picture::kThreads; ++t) {
      const pixels::QuadRecord& quad = picture.quads[t / 4];
      const pixels::GroupRecord& group = picture.groups[t / lanes];
      EXPECT_EQ(std::bit_cast<float>(picture.word(0, t)), quad.x + group.x + static_cast<float>(t % 2));
      EXPECT_EQ(std::bit_cast<float>(picture.word(1, t)), quad.y + group.y + static_cast<float>(t / 2 % 2));
      const auto& primitive = picture.primitives[t / lanes];
      const bool covered = (quad.coverage >> t % 4 & 1) != 0;
      const float x =
          std::bit_cast<float>(primitive[2]) + quad.x + group.x + static_cast<float>(t % 2) + 0.5F;
      const float y =
          std::bit_cast<float>(primitive[3]) + quad.y + group.y + static_cast<float>(t / 2 % 2) + 0.5F;
      EXPECT_EQ(picture.word(3, t), std::bit_cast<std::uint32_t>(x) + std::bit_cast<std::uint32_t>(y)) << t;
      EXPECT_EQ(picture.word(2, t), covered ? primitive[2] + primitive[7] : before.word(2, t)) << t;
    }
  }
}

TEST_P(InterpretPixels, LoadTheTileInOrderWithStores) {
  Function f = over_pixels(GetParam());
  Builder b(f);
  b.set_block(f.add_block());
  const I1 always = b.constant(true), covered = b.PixelCovered();
  const I32 first = b.LoadTile(3);
  b.StoreTile(covered, b.constant(5), 3);
  b.StoreTile(always, b.IAdd32(first, b.LoadTile(3)), 0);
  b.ret();
  Picture picture(8), before(8);
  ASSERT_TRUE(picture.run(f).ok());
  for (std::uint32_t t = 0; t < Picture::kThreads; ++t) {
    const bool stored = (picture.quads[t / 4].coverage >> t % 4 & 1) != 0;
    EXPECT_EQ(picture.word(0, t), before.word(3, t) + (stored ? 5 : before.word(3, t))) << t;
    EXPECT_EQ(picture.word(3, t), stored ? 5 : before.word(3, t)) << t;
  }
}

TEST(InterpretQuads, ReadWhereTheGuardHolds) {
  Function f = over_pixels(Form::group);
  Builder b(f);
  b.set_block(f.add_block());
  const I1 guard = b.PixelCovered();
  const I32 value = b.LoadTile(0), other = b.LoadTile(1);
  b.StoreTile(b.constant(true), b.QuadRead(guard, value, other, 0b01'11'00'10), 2);
  b.StoreTile(b.QuadSwizzle1(guard, 0b00'11'01'01), value, 3);
  b.ret();
  Picture picture(16), before(16);
  ASSERT_TRUE(picture.run(f).ok());
  constexpr std::uint32_t kRead[] = {2, 0, 3, 1}, kMask[] = {1, 1, 3, 0};
  for (std::uint32_t t = 0; t < Picture::kThreads; ++t) {
    const std::uint32_t coverage = picture.quads[t / 4].coverage, from = kRead[t % 4];
    const bool there = (coverage >> from & 1) != 0;
    EXPECT_EQ(picture.word(2, t), there ? before.word(0, t - t % 4 + from) : before.word(1, t)) << t;
    const bool stored = (coverage >> kMask[t % 4] & 1) != 0;
    EXPECT_EQ(picture.word(3, t), stored ? before.word(0, t) : before.word(3, t)) << t;
  }
}

TEST(InterpretQuads, NeedRecords) {
  Function f = over_pixels(Form::group);
  Builder b(f);
  b.set_block(f.add_block());
  b.StoreTile(b.constant(true), b.constant(1), 0);
  b.ret();
  auto prepared = Interpreter::prepare(f, 8);
  ASSERT_TRUE(prepared.ok());
  EXPECT_FALSE(prepared->run(Memory{}, 0, 8, 10).ok());
}

TEST(VerifyPixels, OperationsStandInTheirPlaces) {
  const auto rejects = [](const std::string& header, const std::string& inst, const std::string& message) {
    const auto f = parse("function \"p\" group inputs 0 outputs 0 uniform 0 slots 0" + header +
                         " {\nb0:\n  %0 : i1 launch = ConstI1 true\n  " + inst + "\n  Return\n}\n");
    ASSERT_FALSE(f.ok()) << inst;
    EXPECT_NE(to_string(f.error()).find(message), std::string::npos) << to_string(f.error());
  };
  const std::string pixels = " pixels primitive 16 planes 2";
  rejects("", "%1 : f32 = PixelDx", "stands in a function without pixels");
  rejects(" pixels primitive 0 planes 2", "%1 : f32 = PixelCenterX", "the primitive has no record");
  rejects(pixels, "%1 : f32 group = PrimitiveF32 16", "offset outside the primitive's record");
  rejects(pixels, "%1 : i32 group = PrimitiveI32 6", "offset outside the primitive's record");
  rejects(pixels, "%1 : i32 = LoadTile 2", "plane does not exist");
  rejects(" pixels primitive 18 planes 2", "%1 : i32 = LoadTile 0", "not whole rows");
  rejects(" pixels primitive 65540 planes 2", "%1 : i32 = LoadTile 0", "number is above");
  Function f = over_pixels(Form::thread);
  Builder b(f);
  b.set_block(f.add_block());
  b.StoreTile(b.PixelCovered(), b.BitcastF32ToI32(b.PrimitiveF32(4)), 1);
  b.ret();
  const auto again = parse(print(f));
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  EXPECT_EQ(print(*again), print(f));
  f.pixels = false;
  EXPECT_FALSE(verify(f).ok());
}

// A plane is overwritten if every covered pixel stores to it and none looks at it.
TEST(OverwrittenPlanes, AreStoredByEveryCoveredPixel) {
  Function f = over_pixels(Form::thread);
  Builder b(f);
  const Block start = f.add_block(), some = f.add_block(), end = f.add_block();
  b.set_block(start);
  const I1 covered = b.PixelCovered();
  const I32 old = b.LoadTile(1);
  b.branch(b.INe32(old, b.constant(7u)), some, end);
  b.set_block(some);
  b.StoreTile(covered, old, 2);
  b.jump(end);
  b.set_block(end);
  b.StoreTile(covered, old, 0);
  b.StoreTile(covered, b.constant(3u), 1);  // was loaded
  b.StoreTile(b.And1(covered, b.INe32(old, b.constant(9u))), old, 3);
  b.ret();
  EXPECT_TRUE(verify(f).ok()) << to_string(verify(f).error());
  EXPECT_EQ(overwritten_planes(f), 1u);
}

TEST(OverwrittenPlanes, NeedABlockThatAllCoveredThreadsReach) {
  for (const bool skips_covered : {false, true}) {
    Function f = over_pixels(Form::thread);
    Builder b(f);
    const Block start = f.add_block(), first = f.add_block(), second = f.add_block();
    b.set_block(start);
    const I1 covered = b.PixelCovered();
    b.branch(skips_covered ? b.INe32(b.LoadTile(1), b.constant(7u)) : covered, first, second);
    b.set_block(first);
    b.StoreTile(covered, b.constant(1u), 0);
    b.ret();
    b.set_block(second);
    b.ret();
    EXPECT_EQ(overwritten_planes(f), skips_covered ? 0u : 1u);
  }
}

}  // namespace
}  // namespace warpjit::ir
