// Threads of a block that meet, and their shared memory, through the engine: every engine and target gives
// the guest interpreter's bits.
#include <gtest/gtest.h>

#include "runtime/compute_ways.h"
#include "support/share.h"

namespace warpjit {

using namespace compute_test;

namespace {

// Words that neighbours in a warp have stored in shared memory, in random order, all of them or some.
TEST(Compute, StoredWordsComeBackFromSharedMemory) {
  const Engine engine{EngineOptions()};
  Engine wide_engine;
  wide_engine.state().set_hooks({.parts = 8});
  std::uint32_t random = 7;
  const auto draw = [&](std::uint32_t below) {
    return (random = random * 1664525 + 1013904223) / 65536 % below;
  };
  const auto hex = [](std::uint32_t n) { return std::to_string(n); };
  constexpr std::uint32_t kFirst = 0x1000, kRegisters = 4, kOperations = 14;
  for (std::uint32_t seed = 0; seed < share(120); ++seed) {
    const std::uint32_t threads = 32u << draw(2), middle = 0x20 + 4 * threads;
    std::string body =
        "and b32 $r0 $r0 0xffff\nshl b32 $r1 $r0 0x2\nshl $a1 $r1 0x0\nadd b32 $r1 b32 s[0x10] $r1\nmov b32 "
        "$r9 " +
        hex(draw(threads)) + "\nset $c0 # " + (draw(2) == 0 ? "ge" : "l") + " u32 $r0 $r9\nmov b32 $r9 " +
        hex(draw(4)) + "\nand b32 $c1 # $r0 $r9\n";
    for (std::uint32_t n = 0; n < kRegisters; ++n)  // what is there before
      body += "mul $r" + hex(2 + n) + " u16 $r0l u16 $r0l\nadd b32 $r" + hex(2 + n) + " $r" + hex(2 + n) +
              " " + hex(1000 * n + 7) + "\n";
    for (std::uint32_t n = 0; n < 3; ++n)
      body += "st b32 s[$a1+" + hex(0x20 + 4 * threads * n) + "] $r" + hex(2 + n) + "\n";
    body += "bar inc wait 0x0 all\n";
    if (threads > 32)
      body += "mov b32 $r9 32\nset $c2 # ge u32 $r0 $r9\n(lg $c2) bra #out\n";  // one warp alone
    // Places that recur; a few words or vectors apart.
    const std::uint32_t places[] = {middle, middle + 4 * draw(threads), middle - 4 * draw(threads),
                                    middle + 4 * draw(9), middle - 4 * draw(9)};
    for (std::uint32_t n = 0; n < kOperations; ++n) {
      const std::string r = " $r" + hex(2 + draw(kRegisters)), s = " s[$a1+" + hex(places[draw(5)]) + "]";
      constexpr const char* kGuards[] = {"", "", "(lg $c0) ", "(lg $c0) ", "(e $c1) "};
      const std::string guard = kGuards[draw(5)];
      switch (draw(3)) {
        case 0:
          body += guard + "st b32 s[$a1+" + hex(places[draw(2) * draw(5)]) + "]" + r + "\n";
          break;
        case 1:
          body += "ld $r7 b32" + s + "\nadd b32" + r + r + " $r7\n";
          break;
        default:
          body += "ld $r8 b32" + s + "\n" + guard + "add b32" + r + " $r8 $r7\n";
      }
    }
    std::string end;
    for (std::uint32_t n = 0; n < kRegisters + 3; ++n)
      end += (n < kRegisters ? ""
                             : "ld $r" + hex(2 + n) + " b32 s[$a1+" +
                                   hex(0x20 + 4 * threads * (n - kRegisters)) + "]\n") +
             "st b32 g14[$r1] $r" + hex(2 + n) + "\nadd b32 $r1 $r1 " + hex(4 * threads) + "\n";
    Launch launch(kernel(body + "out:\nbar inc wait 0x0 all\n" + end + "exit nop\n"));
    EXPECT_TRUE(launch.set_block(threads));
    EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(&kFirst, 1))));
    std::vector<std::uint32_t> memory((kRegisters + 3) * threads), wanted;
    ASSERT_TRUE(launch.map_memory("g14", kFirst, memory.data(), memory.size() * 4).ok());
    std::vector<HookedOptions> all = all_ways(engine);
    std::ranges::reverse(all);  // the guest interpreter first
    for (const HookedOptions& way : all)
      for (const Engine* runs : {&engine, static_cast<const Engine*>(&wide_engine)}) {
        std::ranges::fill(memory, 0);
        const auto report = runs->run(launch, with_hooks(*runs, way));
        ASSERT_TRUE(report.ok()) << to_string(report.error());
        ASSERT_FALSE(report->fault) << body;
        if (wanted.empty()) wanted = memory;
        ASSERT_EQ(memory, wanted) << "seed " << seed << " " << name(way.engine) << " " << name(way.target)
                                  << "\n"
                                  << body;
      }
  }
}

// Words and rows through pointers into ranges that change from run to run: one for all, one each, of other
// sizes, at other places, and too small.
TEST(Compute, PointersIntoSeveralRanges) {
  const Engine engine{EngineOptions()};
  constexpr std::uint32_t kThreads = 192, kX = 0x4000, kY = 0x8000, kRows = 0xc000;
  const std::uint32_t parameters[] = {kX, kY, kRows};
  Launch launch(
      kernel("and b32 $r0 $r0 0xffff\nmov b32 $r1 u16 s[0xc]\nshl b32 $r1 $r1 0x6\nadd b32 $r1 $r1 $r0\n"
             "shl b32 $r2 $r1 0x2\nadd b32 $r3 b32 s[0x10] $r2\nadd b32 $r4 b32 s[0x14] $r2\n"
             "shl b32 $r1 $r1 0x4\nadd b32 $r1 b32 s[0x18] $r1\n"
             "ld b32 $r5 g14[$r3]\nld b32 $r6 g14[$r4]\nld b128 $r8q g14[$r1]\n"
             "add b32 $r8 $r8 $r5\nadd b32 $r9 $r9 $r6\nadd b32 $r10 $r10 $r8\nadd b32 $r11 $r11 $r9\n"
             "st b128 g14[$r1] $r8q\nst b32 g14[$r4] $r11\nexit nop\n"));
  EXPECT_TRUE(launch.set_block(64));
  EXPECT_TRUE(launch.set_grid(kThreads / 64));
  EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(parameters))));
  struct Range {
    std::uint32_t address, words;
  };
  const std::vector<std::vector<Range>> layouts = {
      {{0x2000, 0x4000}},
      {{kX, kThreads}, {kY, kThreads}, {kRows, 4 * kThreads}},
      {{kX - 8, kThreads + 2}, {kY - 8, kThreads + 3}, {kRows - 64, 4 * kThreads + 16}},
      {{0x100, 8}, {kX, 0x1000}, {kY, 0x1000}, {kRows, 0x1000}, {0x20000, 0x2000}},
      {{kX, kThreads}, {kY, kThreads - 1}, {kRows, 4 * kThreads}},
      {{kX, kThreads}, {kY, kThreads}, {kRows, 4 * kThreads - 4}},
      {{kX, 1}, {kY, kThreads}, {kRows, 4 * kThreads}},
      {{kX, kThreads}, {kRows, 4 * kThreads}},
      {{kX, kThreads}, {kY, kThreads}, {kRows, 4 * kThreads}},
  };
  for (std::size_t n = 0; n < layouts.size(); ++n) {
    std::vector<HookedOptions> all = all_ways(engine);
    std::ranges::reverse(all);  // the guest interpreter first
    std::vector<std::vector<std::uint32_t>> wanted;
    std::optional<MemoryFault> fault;
    for (const HookedOptions& way : all) {
      SCOPED_TRACE("layout " + std::to_string(n) + " " + name(way.engine) + " " + name(way.target));
      launch.unmap_memory();
      std::vector<std::vector<std::uint32_t>> memory;
      for (const Range& range : layouts[n]) {
        memory.emplace_back(range.words);
        for (std::uint32_t w = 0; w < range.words; ++w)
          memory.back()[w] = (range.address / 4 + w) * 0x9e3779b9;
      }
      for (std::size_t k = 0; k < memory.size(); ++k)
        ASSERT_TRUE(
            launch.map_memory("g14", layouts[n][k].address, memory[k].data(), memory[k].size() * 4).ok());
      const auto report = engine.run(launch, with_hooks(engine, way));
      ASSERT_TRUE(report.ok()) << to_string(report.error());
      if (wanted.empty()) {
        fault = report->fault;
        wanted = memory;
      }
      ASSERT_EQ(report->fault.has_value(), fault.has_value());
      if (fault) {
        EXPECT_EQ(report->fault->where, fault->where);
      } else {
        EXPECT_EQ(memory, wanted);
      }
    }
  }
}

// Before anyone has run the launch, too: constants and shared memory are part of the key.
TEST(Compute, RequestedKernelsRun) {
  const std::string source =
      ".kernel k\n.registers 12\n.shared 0x100\nand b32 $r0 $r0 0xffff\nshl b32 $r1 $r0 0x2\n"
      "shl $a1 $r1 0x0\nadd b32 $r1 b32 s[0x10] $r1\nld $r2 b32 c5[0x4]\nst b32 s[$a1+0x20] $r2\n"
      "ld $r2 b32 s[$a1+0x20]\nst b32 g14[$r1] $r2\nexit nop\n";
  const auto program = tesla::load_assembly(source, {});
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const std::uint32_t first = 0x1000;
  const std::vector<std::uint32_t> constants{1, 2, 3, 4};
  std::vector<std::uint32_t> memory(32);
  for (const bool copied : {false, true}) {
    const Engine engine{EngineOptions()};
    Launch launch(*program);
    EXPECT_TRUE(launch.set_block(32));
    EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(&first, 1))));
    ASSERT_TRUE(launch.bind_constants("c5", constants.data(), constants.size() * 4).ok());
    ASSERT_TRUE(launch.map_memory("g14", first, memory.data(), memory.size() * 4).ok());
    const Launch asked = copied ? Launch(launch) : launch;
    ASSERT_TRUE(engine.compile(asked).ok());
    const auto report = engine.run(launch);
    ASSERT_TRUE(report.ok()) << to_string(report.error());
    EXPECT_EQ(memory[31], 2U);
    EXPECT_EQ(engine.statistics().compiles, 1U);
  }
}

// Loops around barriers that count to a constant: what threads do in which turn, their values after it, and
// the fuel that they burn.
TEST(Compute, LoopsAroundBarriersThatCountTheirTurns) {
  const Engine engine{EngineOptions()};
  constexpr std::uint32_t kFirst = 0x1000;
  struct Loop {
    const char *begin, *next;
    std::uint32_t turns;
  };
  constexpr Loop kLoops[] = {{"64", "shr u32 $r5 $r5 0x1\nset $c0 # lg u32 $r5 $r9\n", 7},
                             {"1", "shl b32 $r5 $r5 0x1\nset $c0 # lg u32 $r5 $r10\n", 5},
                             {"3", "sub b32 $c0 $r5 $r5 $r8\n", 3},
                             {"1", "sub b32 $c0 $r5 $r5 $r8\n", 1},
                             {"40", "sub b32 $c0 $r5 $r5 $r8\n", 40}};
  std::size_t number = 0;
  for (const Loop& loop : kLoops)
    for (const std::uint32_t threads : {32u, 128u, 256u})
      for (const char* guard : {"ge u32 $r0 $r5", "l u32 $r0 $r5", "lg u32 $r0 $r5"}) {
        if (!in_share(number++)) continue;
        const std::string source =
            std::string(
                ".kernel k\n.registers 16\n.shared 0x900\n.barriers 1\nand b32 $r0 $r0 0xffff\n"
                "shl b32 $r1 $r0 0x2\nshl $a1 $r1 0x0\nadd b32 $r1 b32 s[0x10] $r1\nmov b32 $r8 0x1\n"
                "mov b32 $r9 0x0\nmov b32 $r10 32\nmov b32 $r5 ") +
            loop.begin +
            "\nshl b32 $r3 $r0 0x3\nadd b32 $r3 $r3 $r8\nagain:\nst b32 s[$a1+0x20] $r3\n"
            "bar inc wait 0x0 all\njoinat #skip\nset $c1 # " +
            guard +
            "\n(lg $c1) bra #skip\nshl b32 $r6 $r5 0x2\nadd b32 $r6 $r6 $r0\nand b32 $r6 $r6 0xff\n"
            "shl b32 $r6 $r6 0x2\nshl $a2 $r6 0x0\nld $r4 b32 s[$a2+0x20]\nadd b32 $r3 $r3 $r4\n"
            "skip:\njoin nop\nbar inc wait 0x0 all\n" +
            loop.next + "(lg $c0) bra #again\nadd b32 $r3 $r3 $r5\nst b32 g14[$r1] $r3\nexit nop\n";
        const auto program = tesla::load_assembly(source, {});
        ASSERT_TRUE(program.ok()) << to_string(program.error());
        Launch launch(*program);
        EXPECT_TRUE(launch.set_block(threads));
        EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(&kFirst, 1))));
        launch.set_fuel(loop.turns - 1);
        ASSERT_NO_FATAL_FAILURE(
            expect_same_memory(engine, launch, kFirst, std::vector<std::uint32_t>(threads)))
            << source;
        if (loop.turns < 4) continue;
        launch.set_fuel((loop.turns - 1) / 2 - 1);
        std::vector<std::uint32_t> memory(threads);
        ASSERT_TRUE(launch.map_memory("g14", kFirst, memory.data(), memory.size() * 4).ok());
        for (const HookedOptions& way : all_ways(engine))
          EXPECT_FALSE(engine.run(launch, with_hooks(engine, way)).ok()) << name(way.engine) << source;
      }
}

// Blocks leave words everywhere in shared memory, the launch header and parameters included: the next one
// finds zeros, and its own position. With parameters after the first 64 bytes, too.
TEST(Compute, EveryBlockFindsClearedSharedMemory) {
  const Engine engine{EngineOptions()};
  constexpr std::uint32_t kFirst = 0x1000, kColumns = 3, kRows = 2, kThreads = 16, kWords = 1024;
  for (const bool barrier : {false, true})
    for (const std::uint32_t shared : {0x200u, 0x10u})
      for (const std::size_t parameters : {1u, 40u}) {
        std::string body =
            "and b32 $r0 $r0 0xffff\nshl b32 $r1 $r0 0x2\nshl $a1 $r1 0x0\nmov b32 $r2 u16 s[0xe]\n"
            "shl b32 $r3 $r2 0x1\nadd b32 $r2 $r2 $r3\nmov b32 $r3 u16 s[0xc]\nadd b32 $r2 $r2 $r3\n"
            "shl b32 $r2 $r2 0x7\nadd b32 $r1 $r1 $r2\nadd b32 $r1 b32 s[0x10] $r1\nmov b32 $r5 0x0\n";
        std::string leave = "mov b32 $r6 0x9e3779b9\n";
        const std::uint32_t end =
            std::max<std::uint32_t>(shared, static_cast<std::uint32_t>(16 + 4 * parameters));
        for (std::uint32_t n = 0; n + 4 * kThreads <= (end + 63) / 64 * 64; n += 4 * kThreads) {
          const std::string place = " s[$a1+" + std::to_string(n) + "]";
          body += "ld $r4 b32" + place + "\nshl b32 $r6 $r5 0x3\nxor b32 $r5 $r5 $r6\nadd b32 $r5 $r5 $r4\n";
          leave += "st b32" + place + " $r6\n";
        }
        const std::string source = ".kernel k\n.registers 12\n.shared " + std::to_string(shared) +
                                   "\n.barriers 1\n" + body + "st b32 g14[$r1] $r5\n" +
                                   (barrier ? "bar inc wait 0x0 all\n" : "") + leave + "exit nop\n";
        auto program = tesla::load_assembly(source, {});
        ASSERT_TRUE(program.ok()) << to_string(program.error());
        Launch launch(*program);
        EXPECT_TRUE(launch.set_grid(kColumns, kRows));
        EXPECT_TRUE(launch.set_block(kThreads));
        std::vector<std::uint32_t> values(parameters, 77), got;
        values[0] = kFirst;
        EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(values))));
        ASSERT_NO_FATAL_FAILURE(
            expect_same_memory(engine, launch, kFirst, std::vector<std::uint32_t>(kWords), &got))
            << source;
        EXPECT_NE(got[3], got[3 + 32 * kColumns]);  // the row of blocks is seen
      }
}

// Barriers in some turns of a loop; the first warp waits for others that do not.
TEST(Compute, BarriersOfAllForms) {
  const Engine engine{EngineOptions()};
  const std::string begin =
      "and b32 $r0 $r0 0xffff\nshl b32 $r1 $r0 0x2\nshl $a1 $r1 0x0\nadd b32 $r1 b32 s[0x10] $r1\n"
      "xor b32 $r4 $r0 0x3f\nshl $a2 $r4 0x2\nmov b32 $r2 0\n";
  const std::string end = "st b32 g14[$r1] $r2\nexit nop\n";
  const auto loop = [](const std::string& barrier) {
    return "mov b32 $r3 0\nmov b32 $r6 1\nmov b32 $r7 12\nloop:\nadd b32 $r3 $r3 0x1\n"
           "and b32 $c0 # $r3 $r6\n(e $c0) bra #skip\nadd b32 $r5 $r3 $r0\nst b32 s[$a1+0x80] $r5\n" +
           barrier + "ld $r4 b32 s[$a2+0x80]\nadd b32 $r2 $r2 $r4\n" + barrier +
           "skip:\nadd b32 $r2 $r2 $r0\nset $c0 # l u32 $r3 $r7\n(lg $c0) bra #loop\n";
  };
  const std::string one_waits =
      "st b32 s[$a1+0x80] $r0\nmov b32 $r3 32\nset $c0 # l u32 $r0 $r3\n(lg $c0) bra #first\n"
      "bar inc 0x3 0x40\nbra #out\nfirst:\nbar inc wait 0x3 0x40\nld $r2 b32 s[$a2+0x80]\nout:\n";
  for (const std::string& body :
       {loop("bar inc wait 0x0 all\n"), loop("bar inc wait 0x5 0x40\n"),
        loop("bar inc 0x5 all\nadd b32 $r2 $r2 0x7\nbar wait 0x5 all\n"), one_waits}) {
    Launch launch(kernel(begin + body + end));
    EXPECT_TRUE(launch.set_grid(3));
    EXPECT_TRUE(launch.set_block(64));
    std::vector<std::uint32_t> memory(64), wanted;
    const std::uint32_t first = 0x1000;
    EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(&first, 1))));
    ASSERT_TRUE(launch.map_memory("g14", 0x1000, memory.data(), memory.size() * 4).ok());
    std::vector<HookedOptions> all = all_ways(engine);
    std::ranges::reverse(all);  // the guest interpreter first
    for (const HookedOptions& way : all) {
      std::ranges::fill(memory, 0);
      const auto report = engine.run(launch, with_hooks(engine, way));
      ASSERT_TRUE(report.ok()) << to_string(report.error());
      EXPECT_EQ(report->engine, way.engine) << report->interpreted_because;
      EXPECT_FALSE(report->fault);
      if (wanted.empty()) wanted = memory;
      EXPECT_EQ(memory, wanted) << body << name(way.engine) << " " << name(way.target);
    }
    EXPECT_EQ(wanted[1] == 62, body == one_waits);
  }
}

TEST(Compute, BarriersThatNeverCompleteNameThePlace) {
  const Engine engine{EngineOptions()};
  Launch launch(kernel("bar inc 0x1 all\nmov b32 $r2 1\nbar inc wait 0x4 0x80\nexit nop\n"));
  EXPECT_TRUE(launch.set_block(96));
  for (const HookedOptions& way : all_ways(engine)) {
    const auto report = engine.run(launch, with_hooks(engine, way));
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, ErrorCode::fault);
    EXPECT_NE(report.error().where.find("byte 0x10 "), std::string::npos) << to_string(report.error());
  }
}

}  // namespace
}  // namespace warpjit
