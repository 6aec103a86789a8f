// Gpu: lists, jumps, tables, and the engines that move memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "support/same_bytes.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {
namespace {

constexpr std::uint32_t kBase = 0x20000000;

class GpuTest : public testing::Test {
 protected:
  GpuTest() {
    const std::array<GpuMemory, 1> ranges = {{{kBase, memory.data(), memory.size()}}};
    EXPECT_TRUE(gpu.set_memory(ranges).ok());
  }
  // Writes a list of whole registers at an offset; its size.
  std::uint32_t write_list(std::uint32_t offset, const std::vector<RegisterWrite>& writes) {
    for (const RegisterWrite& write : writes) {
      const std::array<std::uint32_t, 2> words = {write.value, write.id | 0xF0000};
      std::memcpy(memory.data() + offset, words.data(), sizeof words);
      offset += 8;
    }
    return static_cast<std::uint32_t>(writes.size() * 8);
  }
  Result<GpuReport> run(std::uint32_t offset, std::uint32_t bytes) {
    RunOptions options;
    options.engine = EngineKind::guest;
    return gpu.run_commands(engine, kBase + offset, bytes, options);
  }
  unsigned byte(std::size_t at) const { return std::to_integer<unsigned>(memory[at]); }

  std::vector<std::byte> memory = std::vector<std::byte>(0x4000);
  Engine engine;
  Gpu gpu;
};

TEST_F(GpuTest, ListsEndAtTheInterrupt) {
  const std::uint32_t size =
      write_list(0, {{0x041, 5}, {0x010, 1}, {0x010, 0x12345678}, {0x041, 6}, {0x041, 7}, {0x041, 8}});
  const auto report = run(0, size);
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->interrupt);
  EXPECT_EQ(gpu.get_register(0x041), 5u);
}

TEST_F(GpuTest, StrayBytesAreNotRun) {
  write_list(0, {{0x041, 1}, {0x041, 2}, {0x041, 3}, {0x041, 4}});
  ASSERT_TRUE(run(0, 24).ok());
  EXPECT_EQ(gpu.get_register(0x041), 2u);
}

TEST_F(GpuTest, JumpsTakeEffectAtOnce) {
  write_list(0x100, {{0x042, 1}, {0x23D, 1}});
  write_list(0x200, {{0x043, 1}, {0x010, 0x12345678}});
  const std::uint32_t size = write_list(0, {{0x238, 2},
                                            {0x23A, (kBase + 0x100) >> 3},
                                            {0x239, 2},
                                            {0x23B, (kBase + 0x200) >> 3},
                                            {0x23C, 1},
                                            {0x044, 1}});
  const auto report = run(0, size);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->jumps, 2u);
  EXPECT_TRUE(report->interrupt);
  EXPECT_EQ(gpu.get_register(0x042), 1u);
  EXPECT_EQ(gpu.get_register(0x043), 1u);
  EXPECT_EQ(gpu.get_register(0x044), 0u);
}

TEST_F(GpuTest, CirclesAndCutPacketsAreErrors) {
  std::uint32_t size = write_list(0, {{0x238, 4}, {0x23A, kBase >> 3}, {0x23C, 1}, {0x041, 1}});
  auto report = run(0, size);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().where, "register 0x23C, command list at 0x20000000");
  const std::array<std::uint32_t, 4> cut = {0, 0x041 | 0xF0000, 0, 0x042 | 0xF0000 | 5 << 20};
  std::memcpy(memory.data(), cut.data(), sizeof cut);
  report = run(0, 16);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().where, "register 0x042, command list at 0x20000008");
  EXPECT_FALSE(run(0x3FF8, 16).ok()) << "outside of memory";
  size = write_list(0, {{0x300, 1}, {0x041, 1}});
  report = run(0, size);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().where, "register 0x300, command list at 0x20000000");
}

TEST_F(GpuTest, IndicesOfTablesGoOn) {
  std::uint32_t size = write_list(0, {{0x1C5, 0x1FF}, {0x1C8, 1}, {0x0E6, 127}, {0x0EF, 1}});
  ASSERT_TRUE(run(0, size).ok());
  EXPECT_EQ(gpu.get_register(0x1C5), 0x100u);
  EXPECT_EQ(gpu.get_register(0x0E6), 0u);
  size = write_list(0, {{0x1C5, 0x200}, {0x1C8, 1}});
  EXPECT_FALSE(run(0, size).ok()) << "no table";
  size = write_list(0, {{0x0AF, 0x100}, {0x0B0, 1}});
  EXPECT_FALSE(run(0, size).ok()) << "no table";
}

TEST_F(GpuTest, RegistersAreSetWithoutEffects) {
  ASSERT_TRUE(gpu.set_register(0x041, 7).ok());
  EXPECT_EQ(gpu.get_register(0x041), 7u);
  ASSERT_TRUE(gpu.set_register(0x23C, 7).ok());
  EXPECT_EQ(gpu.get_register(0x23C), 0u);
  EXPECT_FALSE(gpu.set_register(0x300, 7).ok());
}

TEST_F(GpuTest, FillsRepeatTheirWidth) {
  ASSERT_TRUE(gpu.fill({kBase, kBase + 8, 0x11223344, 0x001}).ok());
  EXPECT_EQ(byte(2), 0x44u);
  EXPECT_EQ(byte(3), 0x33u);
  ASSERT_TRUE(gpu.fill({kBase, kBase + 8, 0x11223344, 0x101}).ok());
  EXPECT_EQ(byte(3), 0x44u);
  EXPECT_EQ(byte(5), 0x22u);
  ASSERT_TRUE(gpu.fill({kBase, kBase + 8, 0x11223344, 0x201}).ok());
  EXPECT_EQ(byte(7), 0x11u);
  EXPECT_EQ(byte(8), 0u);
  EXPECT_FALSE(gpu.fill({kBase + 0x3FF8, kBase + 0x4008, 1, 0x201}).ok());
  EXPECT_FALSE(gpu.fill({kBase + 8, kBase, 1, 0x201}).ok());
  EXPECT_EQ(byte(0x3FF8), 0u);
}

TEST_F(GpuTest, TransfersCutAndAverage) {
  constexpr std::uint32_t kSize = 16 | 16u << 16, kOut = 0x2000;
  // Alpha 0x7F of the first pixel of a tile, red 0xFF.
  memory[0] = std::byte{0x7F};
  memory[3] = std::byte{0xFF};
  ASSERT_TRUE(gpu.transfer({kBase, kBase + kOut, kSize, kSize, 3u << 12}).ok());
  EXPECT_EQ(byte(kOut) | byte(kOut + 1) << 8, 0xF800u) << "one bit of alpha is bit 7";
  ASSERT_TRUE(gpu.transfer({kBase, kBase + kOut, kSize, kSize, 4u << 12}).ok());
  EXPECT_EQ(byte(kOut) | byte(kOut + 1) << 8, 0xF007u);
  ASSERT_TRUE(gpu.transfer({kBase, kBase + kOut, kSize, kSize, 1u << 24}).ok());
  EXPECT_EQ(byte(kOut + 3), 0x7Fu);
  ASSERT_TRUE(gpu.transfer({kBase, kBase + kOut, kSize, kSize, 2u << 24}).ok());
  EXPECT_EQ(byte(kOut + 3), 0x3Fu);
  ASSERT_TRUE(gpu.transfer({kBase, kBase + kOut, kSize, kSize, 1}).ok());
  EXPECT_EQ(byte(kOut + 3), 0u);
  EXPECT_EQ(byte(kOut + 15 * 16 * 4 + 3), 0xFFu) << "flipped";
}

// A picture of one of the five formats, pixel by pixel: bits of red, green, blue and alpha from the highest down; a
// channel of less than eight bits is replicated.
struct Picture {
  std::vector<std::byte>& memory;
  std::size_t at;
  std::uint32_t width, format;  // 0 rgba8, 1 rgb8, 2 rgb565, 3 rgb5a1, 4 rgba4
  bool tiled;

  static constexpr unsigned kBits[5][4] = {
      {8, 8, 8, 8}, {8, 8, 8, 0}, {5, 6, 5, 0}, {5, 5, 5, 1}, {4, 4, 4, 4}};
  std::size_t bytes() const { return format == 0 ? 4 : format == 1 ? 3 : 2; }
  std::size_t place(std::uint32_t x, std::uint32_t y) const {
    std::size_t number = std::size_t{y} * width + x;
    if (tiled) {
      number = (std::size_t{y / 8} * (width / 8) + x / 8) * 64;
      for (unsigned bit = 0; bit < 3; ++bit)
        number += (x >> bit & 1) << 2 * bit | (y >> bit & 1) << (2 * bit + 1);
    }
    return at + number * bytes();
  }
  std::array<unsigned, 4> get(std::uint32_t x, std::uint32_t y) const {
    std::uint32_t word = 0;
    std::memcpy(&word, &memory[place(x, y)], bytes());
    unsigned low = static_cast<unsigned>(8 * bytes());
    std::array<unsigned, 4> color{};
    for (unsigned n = 0; n < 4; ++n) {
      const unsigned width_of = kBits[format][n];
      low -= width_of;
      unsigned value = word >> low & ((1u << width_of) - 1);
      unsigned filled = width_of;
      while (width_of != 0 && filled < 8) {
        value = value << width_of | (value & ((1u << width_of) - 1));
        filled += width_of;
      }
      color[n] = width_of == 0 ? 255 : value >> (filled - 8);
    }
    return color;
  }
  void put(std::uint32_t x, std::uint32_t y, const std::array<unsigned, 4>& color) const {
    std::uint32_t word = 0;
    for (unsigned n = 0; n < 4; ++n) word = word << kBits[format][n] | color[n] >> (8 - kBits[format][n]);
    std::memcpy(&memory[place(x, y)], &word, bytes());
  }
};

TEST_F(GpuTest, TransfersOfAllFormatsAndOrders) {
  constexpr std::uint32_t kOut = 0x2000, kSide = 24;
  std::mt19937 random(5);
  std::size_t moved = 0;
  for (std::uint32_t from = 0; from < 5; ++from)
    for (std::uint32_t to = 0; to < 5; ++to)
      for (std::uint32_t order = 0; order < 4; ++order)    // flags 1 and 5
        for (std::uint32_t scale = 0; scale < 3; ++scale)  // of one pixel, two, four
          for (const std::uint32_t way : {0u, 1u, 4u}) {   // whole, flipped, cut
            const bool to_tiles = (order & 1) != 0, keeps = (order & 2) != 0;
            if ((from != to && from != 0 && (from < 2 || to < 2)) || (to_tiles && scale != 0)) continue;
            const std::uint32_t flags =
                (order & 1) << 1 | (order & 2) << 4 | way | from << 8 | to << 12 | scale << 24;
            SCOPED_TRACE(flags);
            for (std::byte& byte : memory) byte = static_cast<std::byte>(random());
            std::vector<std::byte> expected = memory;
            const std::uint32_t width = way == 4 ? 16 : kSide, step_x = scale != 0 ? 2 : 1,
                                step_y = scale == 2 ? 2 : 1;
            const bool out_tiled = to_tiles != keeps;
            const std::uint32_t out_width = width / step_x, out_height = kSide / step_y;
            const Picture input{memory, 0, kSide, from, !to_tiles},
                output{expected, kOut, out_width, to, out_tiled};
            const bool refused = out_tiled && (out_width % 8 != 0 || out_height % 8 != 0);
            for (std::uint32_t y = 0; y < out_height && !refused; ++y)
              for (std::uint32_t x = 0; x < out_width; ++x) {
                std::array<unsigned, 4> color{};
                const std::uint32_t line = (way == 1 ? out_height - 1 - y : y) * step_y;
                for (std::uint32_t part = 0; part < step_x * step_y; ++part) {
                  const auto one = input.get(x * step_x + part % step_x, line + part / step_x);
                  for (unsigned n = 0; n < 4; ++n) color[n] += one[n];
                }
                for (unsigned& sum : color) sum /= step_x * step_y;
                output.put(x, y, color);
              }
            const Status done =
                gpu.transfer({kBase, kBase + kOut, kSide << 16 | kSide, kSide << 16 | width, flags});
            EXPECT_EQ(done.ok(), !refused);
            EXPECT_EQ(tests::first_difference(memory, expected), memory.size());
            moved += done ? 1 : 0;
          }
  EXPECT_GT(moved, 150u);
}

TEST_F(GpuTest, FillsOfAnySize) {
  for (const std::uint32_t code : {0u, 1u, 2u})
    for (const std::uint32_t size : {1u, 2u, 7u, 3071u, 3072u, 3073u, 6145u, 10000u}) {
      const std::uint32_t width = code == 0 ? 2 : code == 1 ? 3 : 4, value = 0x12345678;
      std::vector<std::byte> expected(memory.size(), std::byte{0xee});
      std::ranges::fill(memory, std::byte{0xee});
      for (std::uint32_t n = 0; n < size; ++n)
        expected[5 + n] = static_cast<std::byte>(value >> 8 * (n % width));
      ASSERT_TRUE(gpu.fill({kBase + 5, kBase + 5 + size, value, code << 8}).ok());
      EXPECT_EQ(tests::first_difference(memory, expected), memory.size()) << code << " " << size;
    }
}

TEST_F(GpuTest, TransfersThatHangAreErrors) {
  constexpr std::uint32_t kSize = 16 | 16u << 16;
  const auto refused = [&](std::uint32_t input, std::uint32_t output, std::uint32_t flags) {
    return !gpu.transfer({kBase, kBase + 0x2000, input, output, flags}).ok();
  };
  EXPECT_FALSE(refused(kSize, kSize, 0));
  EXPECT_TRUE(refused(kSize, kSize, 1u << 8)) << "RGB8 to RGBA8";
  EXPECT_TRUE(refused(kSize, kSize, 2u << 8)) << "16 bits to RGBA8";
  EXPECT_FALSE(refused(kSize, kSize, 2u << 8 | 4u << 12)) << "16 bits to 16 bits";
  EXPECT_TRUE(refused(kSize, kSize, 5u << 8));
  EXPECT_TRUE(refused(kSize, kSize, 3u << 24));
  EXPECT_TRUE(refused(kSize, kSize, 1u << 16));
  EXPECT_TRUE(refused(kSize, 0, 0));
  EXPECT_TRUE(refused(kSize, 8 | 16u << 16, 0)) << "narrower without the flag";
  EXPECT_FALSE(refused(kSize, 8 | 16u << 16, 4));
  EXPECT_TRUE(refused(kSize, 24 | 16u << 16, 0)) << "larger";
  EXPECT_TRUE(refused(12 | 16u << 16, 12 | 16u << 16, 0)) << "tiles";
  EXPECT_FALSE(refused(12 | 16u << 16, 12 | 16u << 16, 0x22)) << "lines to lines";
  EXPECT_TRUE(refused(kSize, kSize, 0x22 | 1u << 24)) << "scaled lines";
}

TEST_F(GpuTest, TextureCopiesSkipGaps) {
  for (std::size_t n = 0; n < 0x100; ++n) memory[n] = static_cast<std::byte>(n);
  ASSERT_TRUE(gpu.copy({kBase, kBase + 0x1000, 0x4F, 2 | 1u << 16, 1 | 3u << 16}).ok());
  EXPECT_EQ(byte(0x1000), 0x00u);
  EXPECT_EQ(byte(0x1040), 0x10u);
  EXPECT_EQ(byte(0x1080), 0x30u) << "after a gap of the input";
  EXPECT_EQ(byte(0x1100), 0u) << "the size is cut to 16 bytes";
  EXPECT_EQ(byte(0x1010), 0u);
  EXPECT_FALSE(gpu.copy({kBase, kBase + 0x1000, 15, 0, 0}).ok());
  EXPECT_FALSE(gpu.copy({kBase, kBase + 0x1000, 16, 1u << 16, 0}).ok());
  EXPECT_FALSE(gpu.copy({kBase, kBase + 0x3FF0, 32, 0, 0}).ok());
  EXPECT_EQ(byte(0x3FF0), 0u);
}

}  // namespace
}  // namespace warpjit::pica200
