// The control stack (docs/guests/tesla.md 12), case by case; expectations are counted by hand.
#include "tesla/interpret_test.h"

namespace warpjit::tesla {
namespace {

std::string fault_of(const Finished& finished) {
  return finished.status.ok() ? "finished" : to_string(finished.status.error());
}

TEST(TeslaFlow, NestedIfsJoin) {
  // 1 for all; lanes below 16 add 2, of those the odd ones 4; all add 8.
  const Finished f = run_body(
      "mov b32 $r2 1\nmov b32 $r3 16\n"
      "joinat #end\nset $c0 # l u32 $r0 $r3\n(e $c0) bra #end\n"
      "add b32 $r2 $r2 2\nmov b32 $r4 1\nand b32 $c1 # $r0 $r4\n"
      "joinat #inner\n(e $c1) bra #inner\nadd b32 $r2 $r2 4\ninner:\njoin nop\n"
      "end:\njoin nop\nadd b32 $r2 $r2 8\n");
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  for (unsigned l = 0; l < kLanes; ++l)
    EXPECT_EQ(f.g0[l], 9U + (l < 16 ? 2 : 0) + (l < 16 && l % 2 == 1 ? 4 : 0)) << l;
  EXPECT_EQ(f.report.deepest_stack, 3U);  // joinat, then the inner joinat and its branch
}

TEST(TeslaFlow, TakenSideRunsFirst) {
  // Both sides draw a ticket; the taken side (odd lanes) gets the lower ones.
  const Finished f = run_source(kPrologue +
                                    "mov b32 $r3 1\nand b32 $c0 # $r0 $r3\nmov b32 $r4 0x400\n"
                                    "joinat #end\n(lg $c0) bra #odd\nld add u32 $r2 g0[$r4] $r3\nbra #end\n"
                                    "odd:\nld add u32 $r2 g0[$r4] $r3\nend:\njoin nop\n" +
                                    kStoreR2,
                                {.launch = launch_with(&Launch::block, BlockExtents{32, 1, 1})});
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(f.g0[l], (l % 2 == 1 ? 0 : 16) + l / 2) << l;
}

TEST(TeslaFlow, ExitInsideAnIf) {
  // Lanes with bit 1 exit early with 7; the others reconverge without them.
  const Finished f = run_body(
      "mov b32 $r2 7\nmov b32 $r3 2\nand b32 $c0 # $r0 $r3\n"
      "joinat #end\n(e $c0) bra #end\nst b32 g0[$r1] $r2\nexit nop\n"
      "end:\njoin nop\nmov b32 $r2 9\nmov b32 $r3 5\nvote all $c1\n(l $c1) mov b32 $r2 $r3\n");
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(f.g0[l], (l & 2) != 0 ? 7U : 5U) << l;
}

TEST(TeslaFlow, LoopWithoutJoinat) {
  const Finished f = run_body(
      "mov b32 $r3 0\nloop:\nadd b32 $r3 $r3 1\nset $c0 # le u32 $r3 $r0\n(lg $c0) bra #loop\n"
      "mov b32 $r5 0x400\nmov b32 $r6 1\nld add u32 $r2 g0[$r5] $r6\nshl b32 $r3 $r3 8\nor b32 $r2 $r2 "
      "$r3\n");
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  // Lane 31 loops longest and comes first; then the branches are popped from the top.
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(f.g0[l], (l + 1) << 8 | (31 - l)) << l;
  EXPECT_EQ(f.report.deepest_stack, 31U);
}

TEST(TeslaFlow, BreakWithPendingJoin) {
  // The outer break address collects lanes that leave from inside an if.
  const Finished f = run_body(
      "mov b32 $r2 0\nmov b32 $r3 3\nbreakaddr #done\nloop:\nadd b32 $r2 $r2 1\n"
      "joinat #next\nand b32 $r4 $r0 $r3\nset $c0 # l u32 $r2 $r4\n(lg $c0) bra #next\n"
      "break\nnext:\njoin nop\nbra #loop\ndone:\nadd b32 $r2 $r2 0x10\n");
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(f.g0[l], 0x10U + std::max(1U, l % 4)) << l;
}

TEST(TeslaFlow, CallsReturnAndRetWithoutCallEnds) {
  const Finished f = run_body(
      "mov b32 $r2 0\ncall #twice\nadd b32 $r2 $r2 0x100\nst b32 g0[$r1] $r2\nret\n"
      "twice:\ncall #once\nonce:\nadd b32 $r2 $r2 1\nret\n");
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(f.g0[l], 0x102U);
}

TEST(TeslaFlow, PreretIsACallWithoutAJump) {
  const Finished f =
      run_body("mov b32 $r2 1\npreret #back\nadd b32 $r2 $r2 2\nret\nnop\nback:\nadd b32 $r2 $r2 4\n");
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  EXPECT_EQ(f.g0[5], 7U);
}

TEST(TeslaFlow, LimitedCallsAreSkippedAtTheLimit) {
  const std::string body =
      "mov b32 $r2 0\ncall lim #down\nbra #end\ndown:\nadd b32 $r2 $r2 1\ncall lim #down\nret\nend:\n";
  const Finished f = run_body(body, {.modes = {.call_limit = 5}});
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  EXPECT_EQ(f.g0[0], 5U);
}

TEST(TeslaFlow, VoteLooksAtActiveLanesOnly) {
  const Finished f = run_body(
      "mov b32 $r2 0\nmov b32 $r3 8\nmov b32 $r4 1\nmov b32 $r5 2\nmov b32 $r6 4\n"
      "set $c0 # l u32 $r0 $r3\n(lg $c0) vote any $c1\n(lg $c0) vote all $c2\n"
      "(l $c1) add b32 $r2 $r2 $r4\n(l $c2) add b32 $r2 $r2 $r5\n"
      "joinat #end\n(e $c0) bra #end\n(lg $c0) vote all $c2\n(l $c2) add b32 $r2 $r2 $r6\nend:\njoin nop\n");
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(f.g0[l], l < 8 ? 5U : 1U);
}

TEST(TeslaFlow, QuadonRunsWholeQuadsAndQuadopReadsInactiveLanes) {
  const Finished f = run_body(
      "mov b32 $r2 0\nmov b32 $r3 1\nand b32 $r5 $r0 3\nset $c0 # e u32 $r5 $r3\n"
      "cvt rn f32 $r6 u32 $r0\njoinat #end\n(e $c0) bra #end\n"
      "quadon\nmov b32 $r2 5\nquadpop\n"              // all four lanes of the quad
      "quadop f32 add add add add $r7 l3 $r6 $r63\n"  // lane 3 of the quad is not active
      "cvt rni u32 $r7 f32 $r7\nadd b32 $r2 $r2 $r7\nend:\njoin nop\n");
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(f.g0[l], l % 4 == 1 ? 5 + (l | 3) : 5U) << l;
}

// $r2: what the kernel's four places add, each lane going to the one that $r3 numbers.
const std::string kTable = ".const c1[0x0] 7 #zero #one #two #three\n";
std::string table_of(const std::string& number) {
  return number +
         "shl $a1 $r3 0x2\njoinat #end\nbra c1[$a1+0x4]\nzero:\nadd b32 $r2 $r2 0x1\nbra #end\n"
         "one:\nadd b32 $r2 $r2 0x10\nbra #end\ntwo:\nadd b32 $r2 $r2 0x100\n"
         "three:\nadd b32 $r2 $r2 0x1000\nend:\njoin nop\n";
}

TEST(TeslaFlow, BranchThroughATable) {
  constexpr std::uint32_t kAdded[] = {1, 0x10, 0x1100, 0x1000};
  Finished f = run_body(kTable + table_of("mov b32 $r2 0\nmov b32 $r3 2\n"));
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(f.g0[l], kAdded[2]) << l;
  EXPECT_EQ(f.report.deepest_stack, 1U);

  f = run_body(kTable + table_of("mov b32 $r2 0\nmov b32 $r3 3\nand b32 $r3 $r3 $r0\n") +
               "mov b32 $r5 0x70000\nvote all $c1\n(l $c1) add b32 $r2 $r2 $r5\n");
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(f.g0[l], 0x70000 + kAdded[l % 4]) << l;
  EXPECT_EQ(f.report.deepest_stack, 2U);  // those that wait do so at the branch
}

TEST(TeslaFlow, BranchThroughATableTakesTheLowestLanesTargetFirst) {
  // Places draw tickets, 8 lanes at a time: lane 0 goes to the last place.
  const Finished f =
      run_body(kTable +
               "mov b32 $r3 3\nand b32 $r3 $r3 $r0\nxor b32 $r3 $r3 0x3\nmov b32 $r4 0x400\nmov b32 $r5 1\n"
               "shl $a1 $r3 0x2\njoinat #end\nbra c1[$a1+0x4]\n"
               "zero:\nld add u32 $r2 g0[$r4] $r5\nbra #end\none:\nld add u32 $r2 g0[$r4] $r5\nbra #end\n"
               "two:\nld add u32 $r2 g0[$r4] $r5\nbra #end\nthree:\nld add u32 $r2 g0[$r4] $r5\n"
               "end:\njoin nop\n");
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(f.g0[l], 8 * (l % 4) + l / 4) << l;
}

TEST(TeslaFlow, BranchThroughATableUnderOtherControl) {
  // Odd lanes only, in a loop that each lane leaves in another turn through the table itself.
  const Finished f = run_body(
      ".const c2[0x0] #again #out\nmov b32 $r2 0\nmov b32 $r6 1\nand b32 $c0 # $r0 $r6\n"
      "joinat #over\n(e $c0) bra #over\nagain:\nadd b32 $r2 $r2 1\nset $r3 le u32 $r0 $r2\n"
      "and b32 $r3 $r3 $r6\nshl $a1 $r3 0x2\nbra c2[$a1]\nout:\nadd b32 $r2 $r2 0x100\nover:\njoin nop\n");
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(f.g0[l], l % 2 == 1 ? 0x100 + l : 0) << l;
}

TEST(TeslaFlow, BranchThroughATableTakesFuelBackward) {
  const std::string endless = ".const c1[0x0] #again\nagain:\nbra c1[0x0]\n";
  const Finished f = run_body(endless, {.launch = launch_with(&Launch::fuel, 100)});
  ASSERT_FALSE(f.status.ok());
  EXPECT_EQ(f.status.error().code, ErrorCode::out_of_fuel);
}

TEST(TeslaFlow, BranchThroughATableToWhereNoCodeIs) {
  const std::string message = "control reaches code that is not there";
  // Outside the code, within an instruction, not a multiple of 4, what is no instruction; the words that
  // nobody goes to do not matter.
  for (const char* entry : {"0x1000", "0xfffffffc", "0x14", "0x11", "#undefined"})
    for (const char* number : {"0x0", "0x1"}) {
      const Finished f = run_body(".const c1[0x0] " + std::string(entry) + " #there\nmov b32 $r2 " + number +
                                  "\nshl $a1 $r2 0x2\nbra c1[$a1]\nundefined:\n.word 0xf0000001 0xa0000000\n"
                                  "there:\n");
      if (std::string(number) == "0x1") {
        ASSERT_TRUE(f.status.ok()) << entry << fault_of(f);
        EXPECT_EQ(f.g0[5], 1U);
        continue;
      }
      EXPECT_NE(fault_of(f).find(message), std::string::npos) << entry << fault_of(f);
      EXPECT_NE(fault_of(f).find("byte 0x20"), std::string::npos) << entry << fault_of(f);
    }
  // Outside c1, no word of it, and a space without words.
  const auto run_at = [](const std::string& where) {
    return fault_of(run_body(".const c1[0x0] #there #there #there\nmov b32 $r2 4\nshl $a1 $r2 0x0\nbra " +
                             where + "\nthere:\n"));
  };
  for (const char* where : {"c1[$a1+0x8]", "c1[0xc]", "c1[$a1+0x1]", "c3[0x0]"})
    EXPECT_NE(run_at(where).find(message), std::string::npos) << where;
  EXPECT_EQ(run_at("c1[$a1+0xfffc]"), "finished");  // addresses have 16 bits
  EXPECT_NE(fault_of(run_source("bra lim c1[0x0]\nexit nop\n")).find("is not known"), std::string::npos);
}

TEST(TeslaFlow, StackFaults) {
  EXPECT_TRUE(fault_of(run_body("join nop\n")).find("the control stack underflows") != std::string::npos);
  EXPECT_TRUE(fault_of(run_body("break\n")).find("the control stack underflows") != std::string::npos);
  EXPECT_TRUE(fault_of(run_body("breakaddr #a\na:\njoin nop\n")).find("does not match") != std::string::npos);
  EXPECT_TRUE(fault_of(run_body("call #a\na:\nbreak\n")).find("does not match") != std::string::npos);
  EXPECT_TRUE(fault_of(run_body("call #f\nf:\nbreakaddr #f\nret\n")).find("does not match") !=
              std::string::npos);
  EXPECT_TRUE(fault_of(run_body("quadpop\n")).find("the control stack underflows") != std::string::npos);
  EXPECT_TRUE(fault_of(run_body("joinat #a\na:\nquadpop\n")).find("does not match") != std::string::npos);
  EXPECT_TRUE(fault_of(run_body("quadon\nbra #a\na:\n")).find("quads which quadon holds") !=
              std::string::npos);
  EXPECT_TRUE(fault_of(run_body("f:\ncall #f\n")).find("the control stack overflows") != std::string::npos);
  EXPECT_EQ(fault_of(run_body("trap\n")),
            "test.tesla, byte 0x10 (0x90000003): a trap instruction, in warp 0 of block (0, 0)");
}

TEST(TeslaFlow, FuelCountsBackwardTransfersOfEachThread) {
  // Lane l makes l backward transfers: 31 is enough for each of them.
  const std::string body =
      "mov b32 $r2 0\nloop:\nadd b32 $r2 $r2 1\nset $c0 # le u32 $r2 $r0\n(lg $c0) bra #loop\n";
  EXPECT_TRUE(run_body(body, {.launch = launch_with(&Launch::fuel, 31)}).status.ok());
  const Finished f = run_body("loop:\nbra #loop\n", {.launch = launch_with(&Launch::fuel, 100)});
  ASSERT_FALSE(f.status.ok());
  EXPECT_EQ(f.status.error().code, ErrorCode::out_of_fuel);
  // A loop without a branch: preret and ret.
  EXPECT_EQ(
      run_body("loop:\npreret #loop\nret\n", {.launch = launch_with(&Launch::fuel, 100)}).status.error().code,
      ErrorCode::out_of_fuel);
}

TEST(TeslaFlow, PrepareNamesWhatIsReachedAndIllegal) {
  EXPECT_EQ(fault_of(run_source("nop\n")),
            "test.tesla, byte 0x8 (0x00000000): the address is outside the code");
  EXPECT_EQ(fault_of(run_source("bra 0x4\nnop\n")).substr(0, 20), "test.tesla, byte 0x4");
  EXPECT_EQ(fault_of(run_source("bra #a\n.word 0x20000001 0x20000780\na:\nexit nop\n")), "finished");
  EXPECT_NE(fault_of(run_source("ld b64 $r1d g0[$r4]\nexit nop\n")).find("even register"), std::string::npos);
  EXPECT_NE(fault_of(run_source("ld $r1 b32 c0[0x0++0x4]\nexit nop\n")).find("post-increment"),
            std::string::npos);
  EXPECT_NE(
      fault_of(run_source("ld b32 $r1 a[0x0]\nexit nop\n")).find("a[] is for vertex and geometry programs"),
      std::string::npos);
  EXPECT_NE(fault_of(run_source("add rp f32 $r1 $r1 $r1\nexit nop\n")).find("rounding"), std::string::npos);
}

// --- Blocks and barriers
// -----------------------------------------------------------------------------------------

TEST(TeslaBlocks, HeaderAndThreadIdentifiers) {
  GuestOptions options;
  options.launch.grid = {3, 2, 1};
  options.launch.block = {5, 3, 2};
  options.launch.grid_id = 0x1234;
  options.launch.parameters = {std::byte{0x78}, std::byte{0x56}, std::byte{0x34}, std::byte{0x12}};
  options.g0.resize(1024);
  // Thread (4, 2, 1) of block (2, 1) writes what it sees.
  const Finished f = run_source(
      "mov b32 $r1 0x04020004\nset $c0 # e u32 $r0 $r1\nmov b32 $r9 0x00010002\n"
      "mov b32 $r2 b32 s[0xc]\nset $c1 # e u32 $r2 $r9\n(e $c0) bra #out\n(e $c1) bra #out\n"
      "ld $r3 b32 s[0x0]\nld $r4 b32 s[0x4]\nld $r5 b32 s[0x8]\nld $r6 b32 s[0x10]\nld $r7 u16 s[0x20]\n"
      "mov $r8 $physid\nmov b32 $r10 0\nst b32 g0[$r10] $r2\nadd b32 $r10 $r10 4\nst b32 g0[$r10] $r3\n"
      "add b32 $r10 $r10 4\nst b32 g0[$r10] $r4\nadd b32 $r10 $r10 4\nst b32 g0[$r10] $r5\n"
      "add b32 $r10 $r10 4\nst b32 g0[$r10] $r6\nadd b32 $r10 $r10 4\nst b32 g0[$r10] $r8\nout:\nexit nop\n",
      options);
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  EXPECT_EQ(f.g0[0], 0x00010002U);  // ctaid
  EXPECT_EQ(f.g0[1], 0x00051234U);  // grid id, ntid.x
  EXPECT_EQ(f.g0[2], 0x00020003U);  // ntid.y, z
  EXPECT_EQ(f.g0[3], 0x00020003U);  // nctaid
  EXPECT_EQ(f.g0[4], 0x12345678U);  // parameter
  EXPECT_EQ(f.g0[5], 29U);          // lane 29 of warp 0
  EXPECT_FALSE(f.report.first_fault);
}

TEST(TeslaBlocks, PartialLastWarpAndBarrier) {
  // 40 threads reverse an array through shared memory.
  GuestOptions options;
  options.launch.block = {40, 1, 1};
  options.launch.shared_bytes = 256;
  const Finished f = run_body(
      "add b32 $r3 $r1 0x20\nshl $a1 $r3 0x0\nst b32 s[$a1] $r0\nbar inc wait 0x0 all\n"
      "mov b32 $r4 0x9c\nsub b32 $r4 $r4 $r1\nadd b32 $r4 $r4 0x20\nshl $a1 $r4 0x0\nld $r2 b32 s[$a1]\n",
      options);
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  for (unsigned t = 0; t < 40; ++t) EXPECT_EQ(f.g0[t], 39 - t);
  EXPECT_EQ(f.g0[40], 0U);
}

TEST(TeslaBlocks, ExitedWarpsDoNotHoldABarrier) {
  GuestOptions options;
  options.launch.block = {96, 1, 1};
  const Finished f = run_body(
      "mov b32 $r2 1\nmov b32 $r3 32\nset $c0 # l u32 $r0 $r3\n(lg $c0) bra #out\nbar inc wait 0x0 0xfff\n"
      "mov b32 $r2 2\nout:\n",
      options);
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  EXPECT_EQ(f.g0[0], 1U);
  EXPECT_EQ(f.g0[95], 2U);
}

TEST(TeslaBlocks, ArriveAndWaitApart) {
  // Warp 0 waits for warp 1, which only arrives: a count of 64 threads is two warps.
  GuestOptions options;
  options.launch.block = {64, 1, 1};
  options.launch.shared_bytes = 64;
  const Finished f = run_body(
      "mov b32 $r2 0\nmov b32 $r3 32\nset $c0 # l u32 $r0 $r3\n(lg $c0) bra #first\n"
      "mov b32 $r4 0x77\nst b32 s[0x20] $r4\nbar inc 0x3 0x40\nbra #out\n"
      "first:\nbar inc wait 0x3 0x40\nld $r2 b32 s[0x20]\nout:\n",
      options);
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  EXPECT_EQ(f.g0[0], 0x77U);
  EXPECT_EQ(f.g0[63], 0U);
}

TEST(TeslaBlocks, BarrierThatNeverCompletes) {
  GuestOptions options;
  options.launch.block = {64, 1, 1};
  const Finished f = run_body("bar inc wait 0x1 0x80\n", options);
  ASSERT_FALSE(f.status.ok());
  EXPECT_NE(fault_of(f).find("a barrier that can never complete"), std::string::npos);
  EXPECT_NE(fault_of(f).find("byte 0x10 "), std::string::npos) << fault_of(f);
}

TEST(TeslaBlocks, WarpSynchronousReduction) {
  GuestOptions options;
  options.launch.shared_bytes = 512;
  std::string body = "add b32 $r3 $r1 0x20\nshl $a1 $r3 0x0\nadd b32 $r4 $r0 1\nst b32 s[$a1] $r4\n";
  for (const unsigned step : {16U, 8U, 4U, 2U, 1U}) {
    // A CUDA 1.x reduction: no barrier inside the warp; lanes beyond read what lies there.
    body += "ld $r5 b32 s[$a1+" + std::to_string(4 * step) + "]\nadd b32 $r4 $r4 $r5\nst b32 s[$a1] $r4\n";
  }
  const Finished f = run_body(body + "ld $r2 b32 s[0x20]\n", options);
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  EXPECT_EQ(f.g0[0], 528U);
}

TEST(TeslaBlocks, LockInADivergentLoop) {
  // Each lane takes the lock of one word, adds itself and lets go: as compilers wrote it.
  GuestOptions options;
  options.launch.block = {64, 1, 1};
  options.launch.shared_bytes = 64;
  const Finished f = run_body(
      "again:\njoinat #join\nld lock $c0 $r3 b32 s[0x20]\n(l $c0) bra #locked\nbra #join\n"
      "locked:\nadd b32 $r3 $r3 $r0\nst unlock b32 s[0x20] $r3\njoin:\njoin nop\n(geu $c0) bra #again\n"
      "bar inc wait 0x0 all\nld $r2 b32 s[0x20]\n",
      options);
  ASSERT_TRUE(f.status.ok()) << fault_of(f);
  for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(f.g0[t], 2016U);
}

TEST(TeslaBlocks, ABlockRangeIsPartOfTheGrid) {
  const Program program = program_of(
      "cvt u32 $r3 u16 u16 s[0xc]\nshl b32 $r3 $r3 2\nmov b32 $r2 1\nred add u32 g0[$r3] $r2\nexit nop\n");
  auto interpreter = Interpreter::prepare(program);
  ASSERT_TRUE(interpreter.ok());
  alignas(8) std::uint32_t memory[8] = {};
  Launch launch;
  launch.grid = {8, 1, 1};
  launch.globals[0] = {{.address = 0, .bytes = std::as_writable_bytes(std::span(memory))}};
  RunReport report;
  ASSERT_TRUE(interpreter->run(launch, 2, 3, report).ok());
  for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(memory[k], k >= 2 && k < 5 ? 1U : 0U);
  EXPECT_FALSE(interpreter->run(launch, 7, 2, report).ok());
}

TEST(TeslaBlocks, LaunchesOutsideTheLimits) {
  const auto message = [](const Launch& launch) {
    const Finished f = run_source("exit nop\n", {.launch = launch});
    return f.status.ok() ? std::string("ran") : f.status.error().message;
  };
  EXPECT_EQ(message({}), "ran");
  EXPECT_EQ(message(launch_with(&Launch::grid, BlockExtents{0, 1, 1})),
            "a grid has 1 to 65535 blocks in each direction");
  EXPECT_EQ(message(launch_with(&Launch::block, BlockExtents{513, 1, 1})),
            "a block has 1 to 512 threads in x and y, 1 to 64 in z");
  EXPECT_EQ(message(launch_with(&Launch::block, BlockExtents{512, 2, 1})), "a block has at most 512 threads");
  EXPECT_EQ(message(launch_with(&Launch::shared_bytes, 16385)),
            "shared memory, header and parameters are more than 16 KiB");
}

}  // namespace
}  // namespace warpjit::tesla
