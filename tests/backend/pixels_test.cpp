// What generated code reads of records of pixels and does to planes of the tile, against the records read
// here by hand: quads one after the other, anywhere, and fewer than a group has.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include "backend/kernel.h"
#include "support/guarded_bytes.h"
#include "support/random_ir.h"

namespace warpjit::backend {
namespace {

using testing::Random;

constexpr std::uint32_t kPlanes = 8, kRowsOfPrimitive = 3, kGroups = 12;
constexpr std::uint32_t kAtEnd = 8;  // the group whose quads are the last of the tile

struct Picture {
  std::uint32_t quads_of_group;
  std::vector<pixels::QuadRecord> quads;
  std::vector<pixels::GroupRecord> groups;
  std::vector<std::array<std::uint32_t, kRowsOfPrimitive * 4>> primitives;
  tests::GuardedBytes tile;

  explicit Picture(std::uint32_t lanes)
      : quads_of_group(lanes / 4), primitives(kGroups), tile(kPlanes * pixels::kPlaneBytes, true) {
    Random random(lanes);
    std::uint32_t next = random.below(100);
    for (std::uint32_t group = 0; group < kGroups; ++group) {
      for (std::uint32_t& word : primitives[group]) word = static_cast<std::uint32_t>(random.next());
      for (std::uint32_t k = 2; k < 4; ++k)  // the origin
        primitives[group][k] = std::bit_cast<std::uint32_t>(static_cast<float>(random.below(8192) * 2));
      groups.push_back({reinterpret_cast<const std::byte*>(primitives[group].data()),
                        static_cast<float>(group) * 64, -static_cast<float>(group) * 128});
      // Consecutive, with gaps, with fewer quads, and with fewer quads that end where consecutive ones would.
      const std::uint32_t kind = group % 4;
      const std::uint32_t real = kind < 2 ? quads_of_group : 1 + random.below(quads_of_group);
      const std::uint32_t first = group == kAtEnd ? pixels::kTileQuads - quads_of_group : next;
      std::uint32_t place = first;
      for (std::uint32_t k = 0; k < real; ++k) {
        if (k != 0) place += kind == 1 && random.chance(50) ? 3 : 1;
        if (kind == 3 && k != 0 && k + 1 == real) place = first + quads_of_group - 1;
        quads.push_back({static_cast<float>(random.below(32) * 2), static_cast<float>(random.below(32) * 2),
                         place * 16, 1 + random.below(15)});
      }
      pixels::QuadRecord filler = quads.back();
      filler.coverage = 0;
      quads.resize(std::size_t{group + 1} * quads_of_group, filler);
      if (group != kAtEnd) next = place + 1;
    }
    for (std::uint32_t t = 0; t < lanes * kGroups; ++t)
      for (std::uint32_t plane = 0; plane < kPlanes; ++plane) word(plane, t) = first_word(plane, t);
  }
  std::uint32_t first_word(std::uint32_t plane, std::uint32_t thread) const {
    return quads[thread / 4].offset * 1000 + thread % 4 * 10 + plane;
  }
  std::uint32_t& word(std::uint32_t plane, std::uint32_t thread) {
    return reinterpret_cast<std::uint32_t*>(
        tile.data())[plane * pixels::kPlaneBytes / 4 + quads[thread / 4].offset / 4 + thread % 4];
  }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(quads.size() * 4); }
  const pixels::QuadRecord& quad(std::uint32_t thread) const { return quads[thread / 4]; }
  std::uint32_t group(std::uint32_t thread) const { return thread / (quads_of_group * 4); }
  bool covered(std::uint32_t thread) const { return (quad(thread).coverage >> thread % 4 & 1) != 0; }
  // True if no quad before the thread's in its group lies in the same place.
  bool first_there(std::uint32_t thread) const {
    return quad(thread).coverage != 0 || thread / 4 % quads_of_group == 0;
  }

  void run(const MachineCode& code) {
    Launch launch;
    launch.threads = threads();
    launch.quads = quads.data();
    launch.groups = groups.data();
    launch.tile = tile.data();
    EXPECT_EQ(backend::run(Executable(code), launch).status, KernelStatus::done);
    EXPECT_TRUE(tile.guards_intact()) << "bytes beside the tile were written";
  }
};

struct PixelKernel : KernelBuilder {
  PixelKernel() : KernelBuilder(0, 0) {
    function.pixels = true;
    function.primitive_bytes = kRowsOfPrimitive * 16;
    function.tile_planes = kPlanes;
  }
  ir::I1 always() { return b.constant(true); }
};

class PixelCode : public OnTarget {
 protected:
  // Runs the kernel in every setting; `check` looks at each.
  template <class Check>
  void each_setting(PixelKernel& kernel, Check check) {
    kernel.b.ret();
    for (const Setting& setting : all_settings(GetParam())) {
      SCOPED_TRACE(setting.text());
      const MachineCode code = compile(kernel.function, setting);
      if (HasFailure()) return;
      Picture picture(setting.lanes());
      picture.run(code);
      check(picture);
      if (HasFailure()) return;
    }
  }
};
WARPJIT_ON_EVERY_TARGET(PixelCode);

TEST_P(PixelCode, ReadsRecords) {
  PixelKernel kernel;
  ir::Builder& b = kernel.b;
  b.StoreTile(kernel.always(), kernel.word(b.PixelDx()), 0);
  b.StoreTile(kernel.always(), kernel.word(b.PixelDy()), 1);
  b.StoreTile(b.PixelCovered(), b.constant(77), 2);
  b.StoreTile(kernel.always(), kernel.word(b.PrimitiveF32(20)), 3);
  b.StoreTile(kernel.always(), kernel.word(b.FAdd32(b.PrimitiveF32(28), b.PixelDx())), 4);
  b.StoreTile(kernel.always(), b.PrimitiveI32(44), 5);
  b.StoreTile(kernel.always(), b.IAdd32(b.PrimitiveI32(0), b.LoadTile(7)), 6);
  each_setting(kernel, [](Picture& picture) {
    for (std::uint32_t t = 0; t < picture.threads(); ++t) {
      const pixels::QuadRecord& quad = picture.quad(t);
      const pixels::GroupRecord& group = picture.groups[picture.group(t)];
      const auto& primitive = picture.primitives[picture.group(t)];
      const float x = quad.x + group.x + static_cast<float>(t % 2);
      EXPECT_EQ(std::bit_cast<float>(picture.word(0, t)), x) << t;
      EXPECT_EQ(std::bit_cast<float>(picture.word(1, t)), quad.y + group.y + static_cast<float>(t / 2 % 2))
          << t;
      if (picture.first_there(t)) {
        EXPECT_EQ(picture.word(2, t), picture.covered(t) ? 77 : picture.first_word(2, t)) << t;
      }
      EXPECT_EQ(picture.word(3, t), primitive[5]) << t;
      const float sum = std::bit_cast<float>(primitive[7]) + x;
      if (sum == sum) {
        EXPECT_EQ(std::bit_cast<float>(picture.word(4, t)), sum) << t;
      }
      EXPECT_EQ(picture.word(5, t), primitive[11]) << t;
      EXPECT_EQ(picture.word(6, t), primitive[0] + picture.first_word(7, t)) << t;
    }
  });
}

TEST_P(PixelCode, FindsCenters) {
  PixelKernel kernel;
  ir::Builder& b = kernel.b;
  b.StoreTile(kernel.always(), kernel.word(b.PixelCenterX()), 0);
  b.StoreTile(kernel.always(), kernel.word(b.PixelCenterY()), 1);
  each_setting(kernel, [](Picture& picture) {
    for (std::uint32_t t = 0; t < picture.threads(); ++t) {
      const pixels::QuadRecord& quad = picture.quad(t);
      const pixels::GroupRecord& group = picture.groups[picture.group(t)];
      const auto& primitive = picture.primitives[picture.group(t)];
      EXPECT_EQ(std::bit_cast<float>(picture.word(0, t)),
                std::bit_cast<float>(primitive[2]) + quad.x + group.x + static_cast<float>(t % 2) + 0.5F)
          << t;
      EXPECT_EQ(std::bit_cast<float>(picture.word(1, t)),
                std::bit_cast<float>(primitive[3]) + quad.y + group.y + static_cast<float>(t / 2 % 2) + 0.5F)
          << t;
    }
  });
}

// Words of four bytes, in any order of the Ors; what is no byte stays a number beside them.
TEST_P(PixelCode, PacksBytes) {
  PixelKernel kernel;
  ir::Builder& b = kernel.b;
  const ir::I32 word = b.LoadTile(7), upper = b.IShl32(word, b.constant(16));
  const auto byte = [&](std::uint32_t shift) {
    return b.IAnd32(b.IShrU32(word, b.constant(shift)), b.constant(255));
  };
  const auto at = [&](ir::I32 number, std::uint32_t place) {
    return b.IShl32(number, b.constant(8 * place));
  };
  b.StoreTile(kernel.always(),
              b.IOr32(b.IOr32(b.IOr32(byte(8), at(byte(0), 1)), at(byte(4), 2)), at(byte(5), 3)), 0);
  b.StoreTile(kernel.always(),
              b.IOr32(b.IOr32(at(byte(3), 2), byte(2)), b.IOr32(at(byte(1), 3), at(byte(0), 1))), 1);
  b.StoreTile(kernel.always(), b.IOr32(b.IOr32(b.IOr32(byte(8), upper), at(byte(4), 2)), at(byte(5), 3)), 2);
  b.StoreTile(kernel.always(), b.IOr32(b.IOr32(b.IOr32(byte(8), at(byte(1), 1)), byte(4)), at(byte(5), 3)),
              3);
  each_setting(kernel, [](Picture& picture) {
    for (std::uint32_t t = 0; t < picture.threads(); ++t) {
      const std::uint32_t word = picture.first_word(7, t);
      const auto byte = [&](std::uint32_t shift) { return word >> shift & 255; };
      EXPECT_EQ(picture.word(0, t), byte(8) | byte(0) << 8 | byte(4) << 16 | byte(5) << 24) << t;
      EXPECT_EQ(picture.word(1, t), byte(2) | byte(0) << 8 | byte(3) << 16 | byte(1) << 24) << t;
      EXPECT_EQ(picture.word(2, t), byte(8) | word << 16 | byte(4) << 16 | byte(5) << 24) << t;
      EXPECT_EQ(picture.word(3, t), (byte(8) | byte(4)) | byte(1) << 8 | byte(5) << 24) << t;
    }
  });
}

// Loads and stores of a plane in order; what a guard leaves out stays, though quads that fill up lie there,
// too.
TEST_P(PixelCode, KeepsTheOrderOfATile) {
  PixelKernel kernel;
  ir::Builder& b = kernel.b;
  const ir::I1 covered = b.PixelCovered();
  const ir::I32 before = b.LoadTile(1);
  b.StoreTile(covered, b.IAdd32(before, b.constant(1)), 1);
  const ir::I32 between = b.LoadTile(1);
  const ir::I1 odd = b.INe32(b.IAnd32(between, b.constant(1)), b.constant(0));
  b.StoreTile(b.And1(covered, odd), b.IMul32(between, b.constant(3)), 1);
  b.StoreTile(covered, b.IAdd32(b.LoadTile(1), before), 0);
  b.StoreTile(b.constant(false), before, 3);
  each_setting(kernel, [](Picture& picture) {
    for (std::uint32_t t = 0; t < picture.threads(); ++t) {
      if (!picture.first_there(t)) continue;
      const std::uint32_t first = picture.first_word(1, t), between = first + 1;
      const std::uint32_t last = between % 2 == 1 ? between * 3 : between;
      EXPECT_EQ(picture.word(1, t), picture.covered(t) ? last : first) << t;
      EXPECT_EQ(picture.word(0, t), picture.covered(t) ? last + first : picture.first_word(0, t)) << t;
      EXPECT_EQ(picture.word(3, t), picture.first_word(3, t)) << t;
    }
  });
}

// Uses after a branch and in a loop of what groups read at their begin, with few registers.
TEST_P(PixelCode, ReadsRecordsInLoops) {
  PixelKernel kernel;
  ir::Builder& b = kernel.b;
  const ir::Block header = kernel.function.add_block(), end = kernel.function.add_block();
  const ir::I32 zero = b.constant(0);
  b.jump(header);
  const ir::I32 turn = kernel.uniform_phi<ir::I32>(header), sum = b.phi<ir::I32>(header);
  b.set_block(header);
  const ir::I32 next = b.IAdd32(turn, b.constant(1));
  const ir::I32 added = b.IAdd32(sum, b.IAdd32(b.PrimitiveI32(8), b.LoadTile(2)));
  b.StoreTile(b.PixelCovered(), next, 2);
  b.branch(b.ILtU32(next, b.constant(3)), header, end);
  kernel.arrive(turn, {zero, next});
  kernel.arrive(sum, {zero, added});
  b.set_block(end);
  b.StoreTile(b.PixelCovered(), b.IAdd32(added, b.F32ToI32Sat(b.PixelDx())), 0);
  each_setting(kernel, [](Picture& picture) {
    for (std::uint32_t t = 0; t < picture.threads(); ++t) {
      if (!picture.covered(t)) continue;
      const auto x = static_cast<std::uint32_t>(picture.quad(t).x + picture.groups[picture.group(t)].x);
      const std::uint32_t loaded = picture.first_word(2, t) + 1 + 2;
      EXPECT_EQ(picture.word(0, t), loaded + 3 * picture.primitives[picture.group(t)][2] + x + t % 2) << t;
    }
  });
}

TEST_P(PixelCode, SwizzlesWordsAndMasks) {
  for (const std::uint32_t lanes : {0x00u, 0x55u, 0xaau, 0xffu, 0xb1u, 0x4eu, 0x1bu, 0xe4u, 0x93u}) {
    PixelKernel kernel;
    ir::Builder& b = kernel.b;
    const ir::I1 covered = b.PixelCovered();
    b.StoreTile(kernel.always(), b.QuadSwizzle32(b.LoadTile(7), lanes), 0);
    const ir::I1 other = b.QuadSwizzle1(covered, lanes), not_other = b.QuadSwizzle1(b.Not1(covered), lanes);
    b.StoreTile(kernel.always(), b.select(other, b.constant(3), b.constant(4)), 1);
    b.StoreTile(kernel.always(), b.select(not_other, b.constant(3), b.constant(4)), 2);
    b.StoreTile(kernel.always(),
                b.select(b.QuadSwizzle1(b.constant(true), lanes), b.constant(3), b.constant(4)), 3);
    each_setting(kernel, [lanes](Picture& picture) {
      for (std::uint32_t t = 0; t < picture.threads(); ++t) {
        const std::uint32_t from = t - t % 4 + (lanes >> 2 * (t % 4) & 3);
        EXPECT_EQ(picture.word(0, t), picture.first_word(7, from)) << t;
        if (!picture.first_there(t)) continue;
        EXPECT_EQ(picture.word(3, t), 3) << t;
        if (picture.quad(t).coverage == 0) continue;
        // A quad that fills up after this one stores what it finds in its own record.
        const bool filled = t + 4 < picture.threads() && picture.quad(t + 4).coverage == 0;
        if (filled) continue;
        EXPECT_EQ(picture.word(1, t), picture.covered(from) ? 3 : 4) << t;
        EXPECT_EQ(picture.word(2, t), picture.covered(from) ? 4 : 3) << t;
      }
    });
  }
}

// Pixels in any lanes, each with its place.
TEST_P(PixelCode, TakesSinglePixels) {
  using pixels::PixelRecord;
  PixelKernel kernel;
  ir::Builder& b = kernel.b;
  const ir::I1 covered = b.PixelCovered();
  const ir::I32 before = b.LoadTile(7);
  b.StoreTile(covered, kernel.word(b.PixelDx()), 0);
  b.StoreTile(covered, kernel.word(b.PixelDy()), 1);
  b.StoreTile(covered, b.IAdd32(before, b.PrimitiveI32(4)), 7);
  const ir::I1 odd = b.INe32(b.IAnd32(before, b.constant(1)), b.constant(0));
  b.StoreTile(b.And1(covered, odd), b.LoadTile(7), 2);
  b.StoreTile(covered, kernel.word(b.PixelCenterX()), 3);
  b.StoreTile(covered, kernel.word(b.PixelCenterY()), 4);
  b.ret();
  for (Setting setting : all_settings(GetParam())) {
    setting.single_pixels = true;
    SCOPED_TRACE(setting.text());
    const MachineCode code = compile(kernel.function, setting);
    if (HasFailure()) return;
    if (!code.single_pixels) GTEST_SKIP() << "this host takes quads only";
    const std::uint32_t lanes = setting.lanes();
    constexpr std::size_t kPlaneWords = pixels::kPlaneBytes / 4, kBehind = 16;
    Random random(lanes);
    std::vector<std::uint32_t> places(kPlaneWords);  // of pixels, in any order
    std::iota(places.begin(), places.end(), 0U);
    for (std::size_t n = places.size(); n > 1; --n)
      std::swap(places[n - 1], places[random.below(static_cast<std::uint32_t>(n))]);
    std::vector<PixelRecord> records;
    std::vector<pixels::GroupRecord> groups;
    std::vector<std::array<std::uint32_t, 4>> primitives(kGroups);
    for (std::uint32_t group = 0; group < kGroups; ++group) {
      primitives[group][1] = static_cast<std::uint32_t>(random.next());
      for (std::uint32_t k = 2; k < 4; ++k)  // the origin
        primitives[group][k] = std::bit_cast<std::uint32_t>(static_cast<float>(random.below(8192) * 2));
      groups.push_back({reinterpret_cast<const std::byte*>(primitives[group].data()),
                        static_cast<float>(group) * 64, -static_cast<float>(group) * 128});
      const std::uint32_t real = group % 2 == 0 ? lanes : 1 + random.below(lanes);
      for (std::uint32_t n = 0; n < lanes; ++n) {
        const std::uint32_t place = places[group * lanes + std::min(n, real - 1)];
        records.push_back({(place * 5 & 63) | (place * 11 & 63) << PixelRecord::kRowShift |
                           (n < real ? PixelRecord::kCovered : 0) | place * 4 << PixelRecord::kOffsetShift});
      }
    }
    std::vector<std::uint32_t> tile(kPlanes * kPlaneWords + kBehind), expected;
    for (std::size_t k = 0; k < tile.size(); ++k) tile[k] = static_cast<std::uint32_t>(k * 2654435761U >> 3);
    expected = tile;
    for (std::size_t t = 0; t < records.size(); ++t) {
      if ((records[t].word & PixelRecord::kCovered) == 0) continue;
      const std::uint32_t place = records[t].word >> PixelRecord::kOffsetShift >> 2;
      const auto word = [&](std::size_t plane) -> std::uint32_t& {
        return expected[plane * kPlaneWords + place];
      };
      const pixels::GroupRecord& group = groups[t / lanes];
      word(0) = std::bit_cast<std::uint32_t>(static_cast<float>(place * 5 & 63) + group.x);
      word(1) = std::bit_cast<std::uint32_t>(static_cast<float>(place * 11 & 63) + group.y);
      const auto center = [&](float in_group, std::uint32_t k) {
        return std::bit_cast<std::uint32_t>(in_group + std::bit_cast<float>(primitives[t / lanes][k]) + 0.5F);
      };
      word(3) = center(std::bit_cast<float>(word(0)), 2);
      word(4) = center(std::bit_cast<float>(word(1)), 3);
      const bool is_odd = word(7) % 2 != 0;
      word(7) += primitives[t / lanes][1];
      if (is_odd) word(2) = word(7);
    }
    Launch launch;
    launch.threads = records.size();
    launch.quads = records.data();
    launch.groups = groups.data();
    launch.tile = reinterpret_cast<std::byte*>(tile.data());
    EXPECT_EQ(backend::run(Executable(code), launch).status, KernelStatus::done);
    expected[kPlanes * kPlaneWords] = tile[kPlanes * kPlaneWords];  // any lane may write it
    EXPECT_TRUE(tile == expected);
  }
}

// The quads of a group that lie one after the other are moved together.
TEST(PixelListing, MovesWholeVectors) {
  if (!built_in(Target::x64_v4)) GTEST_SKIP();
  PixelKernel kernel;
  kernel.b.StoreTile(kernel.b.PixelCovered(), kernel.b.IAdd32(kernel.b.LoadTile(0), kernel.b.constant(1)), 0);
  kernel.b.ret();
  CompileOptions options;
  options.listing = true;
  const auto code = compile(ir::GroupProgram{{}, kernel.function}, Target::x64_v4, options);
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(code->parts, 1u);
  std::string text;
  for (const auto& line : code->listing) text += line.text + "\n";
  EXPECT_NE(text.find("vmovdqu32 zmmword"), std::string::npos) << text;
  if (std::getenv("WARPJIT_LISTING") != nullptr) std::puts(text.c_str());
}

}  // namespace
}  // namespace warpjit::backend
