// Kernels without loops whose threads read and write words side by side: code checks their addresses once a
// group. Wherever memory ends, every engine and target gives the guest interpreter's bits and faults.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "base/random.h"
#include "runtime/compute_ways.h"
#include "support/guarded_bytes.h"
#include "support/share.h"
#include "warpjit/textures.hpp"

namespace warpjit {

using namespace compute_test;

namespace {

struct Stream {
  std::string body;
  std::uint32_t columns, rows, threads, limit;
  std::uint32_t x, y;  // where threads begin to read and to write
  struct Range {
    std::uint32_t address, words;
  };
  std::vector<Range> memory;
};

constexpr std::uint32_t kUniform = 0x60000;  // where the words begin that blocks read

Stream draw_stream(Random& random) {
  Stream s;
  const auto text = [](std::uint32_t n) { return std::to_string(n); };
  s.threads = 32 * (random.chance(50) ? 1 + random.below(4) : 4U << random.below(3));
  s.columns = 1 + random.below(random.chance(50) ? 4 : 40);
  s.rows = random.chance(60) ? 1 : 1 + random.below(4);
  // Numbers of threads go on from block to block, or have gaps, or go down columns first. Each is one
  // thread's.
  std::uint32_t of_block = s.threads + (random.chance(70) ? 0 : 32 * random.below(3)), of_row = of_block;
  if (random.chance(70))
    of_row = s.columns * of_block + (random.chance(70) ? 0 : 32 * random.below(3));
  else
    of_block *= s.rows;
  const std::uint32_t reaches =  // the greatest number of a thread, and one
      s.threads + (s.columns - 1) * of_block + (s.rows - 1) * of_row;
  s.body = "mov b32 $r1 u16 s[0xc]\nmov b32 $r2 " + text(of_block) +
           "\nand b32 $r0 $r0 0xffff\nadd $r0 (mul u16 $r1l $r2l) $r0\n";
  if (s.rows > 1)
    s.body += "mov b32 $r1 u16 s[0xe]\nmov b32 $r2 " + text(of_row) + "\nadd $r0 (mul u16 $r1l $r2l) $r0\n";
  const bool limited = random.chance(60);
  s.limit = random.chance(50) ? random.below(reaches + 64) : reaches - std::min(reaches, random.below(3));
  if (random.chance(5)) s.limit = 0x80000000U + random.below(9);
  if (limited) s.body += "joinat #end\nset $c0 # le u32 b32 s[0x18] $r0\n(lg $c0) bra #end\n";
  if (limited && random.chance(40)) {  // not in the first rows of blocks
    const bool is_signed = random.chance(50);
    s.body += "mov b32 $r7 u16 s[0xe]\nmov b32 $r8 " + text(random.below(2)) + "\nset $c0 # le " +
              (is_signed ? "s32" : "u32") + " $r7 $r8\n(lg $c0) bra #end\n";
  }
  // A word that all threads of a block read.
  const bool reads_uniform = random.chance(40);
  if (reads_uniform)
    s.body +=
        "mov b32 $r7 u16 s[0xc]\nshl b32 $r7 $r7 0x2\nadd b32 $r7 b32 s[0x1c] $r7\nld b32 $r9 g14[$r7]\n";
  const std::uint32_t further = random.chance(70) ? 0 : 4 * random.below(64);
  s.body += "shl b32 $r0 $r0 0x2\nadd b32 $r1 b32 s[0x10] $r0\nadd b32 $r2 b32 s[0x14] $r0\n";
  s.body += "ld b32 $r3 g14[$r1]\nld b32 $r4 g14[$r2]\n";
  if (further != 0)
    s.body += "add b32 $r6 $r1 " + text(further) + "\nld b32 $r5 g14[$r6]\nadd b32 $r4 $r4 $r5\n";
  if (reads_uniform) s.body += "add b32 $r3 $r3 $r9\n";
  s.body += random.chance(50) ? "add b32 $r3 $r3 $r4\n" : "add f32 $r3 (mul $r3 $r4) $r4\n";
  if (random.chance(20)) s.body += "mov b32 $r5 8\nand b32 $c1 # $r0 $r5\n(lg $c1) ";
  s.body += "st b32 g14[$r2] $r3\n";
  s.body += limited ? "end:\njoin nop\nexit nop\n" : "exit nop\n";
  // Memory mostly reaches as far as the threads do, or some words or groups less at an end.
  const std::uint32_t needed = reaches + further / 4;
  const auto words = [&] {
    if (random.chance(10)) return 2 * (1 + random.below(15));  // less than a group has
    const std::uint32_t less = random.chance(50) ? random.below(4) : random.below(needed);
    return (needed - (random.chance(30) ? std::min(needed - 2, less) : 0)) & ~1U;  // bytes are aligned to 8
  };
  s.x = 0x10000;
  if (random.chance(50)) {  // in one range, so far apart that nobody reads what others write
    const std::uint32_t apart = 2 * needed + 256;
    s.y = s.x + 4 * apart;
    s.memory = {{s.x, apart + words()}};
  } else {
    s.memory = {{s.x, words()}, {0x80000, words()}};
    if (random.chance(10))
      s.memory[1].address = (0U - 4 * s.memory[1].words - 8 * random.below(2)) & ~7U;  // to the last byte
    s.y = s.memory[1].address;
  }
  if (reads_uniform)
    s.memory.push_back({kUniform, std::max(s.columns + 1 - (random.chance(10) ? 2 : 0), 2U) & ~1U});
  if (random.chance(20))
    (random.chance(50) ? s.x : s.y) -= 4 * (1 + random.below(random.chance(50) ? 4 : 100));
  if (random.chance(10)) (random.chance(50) ? s.x : s.y) += 1 + random.below(7);
  return s;
}

TEST(Compute, StreamsEndWhereMemoryEnds) {
  EngineOptions options;
  options.checks = true;
  const Engine engine(options);
  std::vector<HookedOptions> all = all_ways(engine);
  std::ranges::reverse(all);  // the guest interpreter first
  std::uint32_t with_fault = 0, without = 0;
  for (std::uint32_t seed = 0; seed < share(120); ++seed) {
    Random random(seed + 4200);
    const Stream s = draw_stream(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + s.body);
    const bool at_end = random.chance(50);
    backend::Tuning tuning = backend::tuning_here();
    tuning.bytes_ahead = 8192;
    engine.state().set_hooks({.tuning = tuning});
    engine.clear_cache();
    Launch launch(kernel(s.body));
    EXPECT_TRUE(launch.set_grid(s.columns, s.rows));
    EXPECT_TRUE(launch.set_block(s.threads));
    const std::uint32_t parameters[] = {s.x, s.y, s.limit, kUniform};
    EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(parameters))));
    std::optional<MemoryFault> fault;
    std::vector<std::vector<std::uint32_t>> start, wanted;
    for (const Stream::Range& range : s.memory) {
      start.emplace_back(range.words);
      for (std::uint32_t& word : start.back())
        word = random.chance(90) ? 0x3f800000 + random.below(0x800000)
                                 : static_cast<std::uint32_t>(random.next());
    }
    for (const HookedOptions& way : all) {
      SCOPED_TRACE(std::string(name(way.engine)) + " " + std::string(name(way.target)));
      std::vector<tests::GuardedBytes> bytes;
      launch.unmap_memory();
      for (std::size_t n = 0; n < start.size(); ++n) {
        const std::size_t size = 4 * start[n].size();
        bytes.emplace_back(size, at_end);
        std::memcpy(bytes[n].data(), start[n].data(), size);
        ASSERT_TRUE(launch.map_memory("g14", s.memory[n].address, bytes[n].data(), size).ok());
      }
      const auto report = engine.run(launch, with_hooks(engine, way));
      ASSERT_TRUE(report.ok()) << to_string(report.error());
      std::vector<std::vector<std::uint32_t>> memory = start;
      for (std::size_t n = 0; n < start.size(); ++n) {
        std::memcpy(memory[n].data(), bytes[n].data(), bytes[n].size());
        ASSERT_TRUE(bytes[n].guards_intact());
      }
      if (&way == &all.front()) {
        fault = report->fault;
        wanted = memory;
        ++(fault ? with_fault : without);
      }
      ASSERT_EQ(memory, wanted);
      ASSERT_EQ(report->fault.has_value(), fault.has_value());
      if (fault && s.threads % 64 != 0) {  // else a group may be two warps, of which the second faults first
        ASSERT_EQ(report->fault->where, fault->where);
      }
    }
  }
  const std::uint64_t fewest = share(120) / 8;  // of a small share perhaps none
  EXPECT_GE(with_fault, fewest);
  EXPECT_GE(without, fewest);
}

// Checks of threads' numbers, and after them one of an access that is the same for all threads of a block.
// What it makes of the block's number is its own.
TEST(Compute, ChecksOfThreadsAndOfBlocks) {
  EngineOptions options;
  options.checks = true;
  const Engine engine(options);
  for (const std::uint32_t threads : {32U, 64U, 96U}) {
    Launch launch(
        kernel("mov b32 $r1 u16 s[0xc]\nmov b32 $r2 " + std::to_string(threads) +
               "\nand b32 $r0 $r0 0xffff\nadd $r0 (mul u16 $r1l $r2l) $r0\njoinat #end\n"
               "set $c0 # le u32 b32 s[0x10] $r0\n(lg $c0) bra #end\n"
               "mov b32 $r7 u16 s[0xe]\nmov b32 $r8 0\nset $c0 # le s32 $r7 $r8\n(lg $c0) bra #end\n"
               "shl b32 $r7 $r1 0x2\nadd b32 $r7 b32 s[0x14] $r7\nadd b32 $r8 $r7 3\n"
               "st b32 g14[$r7] $r8\nend:\njoin nop\nexit nop\n"));
    EXPECT_TRUE(launch.set_grid(7, 3));
    EXPECT_TRUE(launch.set_block(threads));
    const std::uint32_t parameters[] = {5 * threads, 0x1000};
    EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(parameters))));
    std::vector<std::uint32_t> got;
    expect_same_memory(engine, launch, 0x1000, std::vector<std::uint32_t>(8), &got);
    EXPECT_EQ(got, (std::vector<std::uint32_t>{0x1003, 0x1007, 0x100b, 0x100f, 0x1013, 0, 0, 0}));
  }
}

// A word of the uniform table whose place depends on the block: the size of one of a texture's levels.
TEST(Compute, TableWordsThatDependOnTheBlock) {
  EngineOptions options;
  options.checks = true;
  const Engine engine(options);
  Launch launch(
      kernel("mov b32 $r4 u16 s[0xc]\nand b32 $r4 $r4 0x1\ntexsize all $r4:$r5:$r6:$r7 $t0 $s0 $r4\n"
             "mov b32 $r1 u16 s[0xc]\nmov b32 $r2 u16 s[0x2]\nand b32 $r0 $r0 0xffff\n"
             "add $r0 (mul u16 $r1l $r2l) $r0\njoinat #end\nset $c0 # le u32 b32 s[0x14] $r0\n"
             "(lg $c0) bra #end\nshl b32 $r0 $r0 0x2\nadd b32 $r1 b32 s[0x10] $r0\n"
             "ld b32 $r3 g14[$r1]\nadd b32 $r3 $r3 $r4\nst b32 g14[$r1] $r3\nend:\njoin nop\nexit nop\n"));
  constexpr std::uint32_t kThreads = 64, kBlocks = 5, kWidth = 8;
  const std::vector<std::uint32_t> texels(kWidth * kWidth + kWidth * kWidth / 4);
  Texture texture;
  texture.format = *parse_texture_format("r32ui");
  texture.width = texture.height = kWidth;
  texture.levels = 2;
  texture.data = texels.data();
  texture.size = 4 * texels.size();
  ASSERT_TRUE(launch.set_texture(0, texture).ok());
  EXPECT_TRUE(launch.set_grid(kBlocks));
  EXPECT_TRUE(launch.set_block(kThreads));
  const std::uint32_t parameters[] = {0x1000, kBlocks * kThreads - 1};
  EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(parameters))));
  std::vector<std::uint32_t> wanted(kBlocks * kThreads), got;
  for (std::uint32_t k = 0; k + 1 < wanted.size(); ++k)
    wanted[k] = k / kThreads % 2 == 0 ? kWidth : kWidth / 2;
  expect_same_memory(engine, launch, 0x1000, std::vector<std::uint32_t>(wanted.size()), &got);
  EXPECT_EQ(got, wanted);
}

}  // namespace
}  // namespace warpjit
