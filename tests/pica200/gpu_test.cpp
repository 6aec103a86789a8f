// Gpu: lists, jumps, tables, and the engines that move memory.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

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
