// Memory spaces, atomics and moves (docs/guests/tesla.md 4, 9, 10), and what the operands of arithmetic may
// be.
#include "tesla/interpret_test.h"

namespace warpjit::tesla {
namespace {

std::string first_fault_of(const Finished& finished) {
  if (!finished.status.ok()) return to_string(finished.status.error());
  return finished.report.first_fault ? to_string(*finished.report.first_fault) : "none";
}

TEST(TeslaMemory, WidthsAndSigns) {
  GuestOptions options;
  options.g0[0x100] = 0x80ff8281;
  options.g0[0x101] = 0x11223344;
  options.g0[0x102] = 0x55667788;
  options.g0[0x103] = 0x99aabbcc;
  const Finished f = run_source(
      "mov b32 $r1 0x400\nmov b32 $r2 0x401\nmov b32 $r3 0x402\nmov b32 $r4 0\n"
      "ld u8 $r8 g0[$r2]\nld s8 $r9 g0[$r2]\nld u16 $r10 g0[$r3]\nld s16 $r11 g0[$r3]\n"
      "st b128 g0[$r4] $r8q\n"
      "ld b128 $r8q g0[$r1]\nmov b32 $r4 16\nst b128 g0[$r4] $r8q\n"
      "ld b64 $r12d g0[$r1]\nmov b32 $r4 32\nst b64 g0[$r4] $r12d\n"
      "mov b32 $r4 40\nst u8 g0[$r4] $r12\nmov b32 $r4 42\nst s16 g0[$r4] $r13\nexit nop\n",
      options);
  ASSERT_EQ(first_fault_of(f), "none");
  EXPECT_EQ((std::vector<std::uint32_t>(f.g0.begin(), f.g0.begin() + 11)),
            (std::vector<std::uint32_t>{0x82, 0xffffff82, 0x80ff, 0xffff80ff, 0x80ff8281, 0x11223344,
                                        0x55667788, 0x99aabbcc, 0x80ff8281, 0x11223344, 0x33440081}));
}

TEST(TeslaMemory, HighestLaneWinsAStore) {
  const Finished f = run_body("mov b32 $r3 0x400\nst b32 g0[$r3] $r0\nld b32 $r2 g0[$r3]\n");
  ASSERT_EQ(first_fault_of(f), "none");
  EXPECT_EQ(f.g0[3], 31U);
}

TEST(TeslaMemory, SharedThroughHalvesAndOperands) {
  GuestOptions options;
  options.launch.shared_bytes = 256;
  const Finished f = run_body(
      "shl $a1 $r1 0x0\nmov b32 $r3 0xffff8123\nst b32 s[$a1+0x10] $r3\nst b16 s[$a1+0x12] $r3l\nst b8 "
      "s[$a1+0x11] $r3h\n"
      "mov b32 $r4 u16 s[$a1+0x10]\nadd b32 $r2 s16 s[$a1+0x12] $r4\ncvt u32 $r5 u8 u8 s[$a1+0x11]\n"
      "add b32 $r2 $r2 $r5\n",
      options);
  ASSERT_EQ(first_fault_of(f), "none");
  EXPECT_EQ(f.g0[7], 0xff23 + 0xffff8123U + 0xff);
}

TEST(TeslaMemory, PostIncrement) {
  std::vector<std::byte> c0(64);
  for (unsigned k = 0; k < 64; ++k) c0[k] = static_cast<std::byte>(k);
  GuestOptions options;
  options.launch.constants[0] = c0;
  const Finished f = run_body(
      "shl $a1 $r1 0x0\nand b32 $r3 $r0 3\nshl $a1 $r3 0x2\n"
      "ld $r4 b32 c0[$a1++0x8]\nadd rn f32 $r5 $r63 c0[$a1++-0x4]\nmov $r2 $a1\nadd b32 $r2 $r2 $r4\n",
      options);
  ASSERT_EQ(first_fault_of(f), "none");
  for (unsigned l = 0; l < kLanes; ++l)
    EXPECT_EQ(f.g0[l], 0x03020100 + (l % 4) * 0x04040404 + (l % 4) * 4 + 4);
}

TEST(TeslaMemory, LocalIsOfEachThread) {
  const Finished f =
      run_source(".local 8\n" + kPrologue +
                     "st b32 l[0x4] $r0\nld u8 $r2 l[0x4]\nadd $a1 0x0 0x8\nst b32 l[$a1] $r0\n" + kStoreR2,
                 {.launch = launch_with(&Launch::block, BlockExtents{64, 1, 1})});
  ASSERT_TRUE(f.status.ok());
  for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(f.g0[t], t);
  EXPECT_EQ(first_fault_of(f), "store to l[0x8] by thread 0 of block (0, 0)");
}

TEST(TeslaMemory, FirstFaultIsReportedAndReadsZero) {
  // The words of 16 lanes lie outside g3, which has two ranges.
  alignas(8) std::uint32_t first[8], second[8];
  std::ranges::fill(first, 5U);
  std::ranges::fill(second, 6U);
  GuestOptions options;
  options.launch.globals[3] = {{.address = 0x0, .bytes = std::as_writable_bytes(std::span(first))},
                               {.address = 0x40, .bytes = std::as_writable_bytes(std::span(second))}};
  const Finished f = run_body("ld b32 $r2 g3[$r1]\nst b32 g3[$r1] $r0\n", options);
  ASSERT_TRUE(f.status.ok());
  EXPECT_EQ(first_fault_of(f), "load from g3[0x20] by thread 8 of block (0, 0)");
  EXPECT_EQ(f.report.first_fault->pc, 0x10U);
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(f.g0[l], l < 8 ? 5U : l >= 16 && l < 24 ? 6U : 0U) << l;
  EXPECT_EQ(first[7], 7U);
  EXPECT_EQ(second[7], 23U);
  EXPECT_EQ(first_fault_of(run_body("ld b32 $r2 g1[$r1]\n")),
            "load from g1[0x0] by thread 0 of block (0, 0)");
  EXPECT_EQ(first_fault_of(run_body("ld $r2 b32 c3[0x4]\n")),
            "load from c3[0x4] by thread 0 of block (0, 0)");
  EXPECT_EQ(first_fault_of(run_body("ld $r2 b32 s[0x40]\n")),
            "load from s[0x40] by thread 0 of block (0, 0)");
  EXPECT_EQ(first_fault_of(run_body("add b32 $r3 $r1 1\nld b32 $r2 g0[$r3]\n")),
            "load from g0[0x1] by thread 0 of block (0, 0)");  // not aligned
}

TEST(TeslaMemory, Atomics) {
  GuestOptions options;
  options.g0[0x80] = 10;
  const auto after = [&](const std::string& text, unsigned lanes) {
    // The first lanes run the instruction; $r3 the address, $r4 the lane, $r5 10, $r6 99.
    const Finished f = run_body(
        "mov b32 $r3 0x200\nmov b32 $r4 $r0\nmov b32 $r5 10\nmov b32 $r6 99\nmov b32 $r2 0\n"
        "mov b32 $r7 " +
            std::to_string(lanes) + "\nset $c0 # l u32 $r0 $r7\n(lg $c0) " + text + "\n",
        options);
    EXPECT_EQ(first_fault_of(f), "none") << text;
    return std::pair{f.g0[0x80], f.g0[lanes - 1]};
  };
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_EQ(after("ld add u32 $r2 g0[$r3] $r4", 4), (Pair{16, 13}));
  EXPECT_EQ(after("ld exch b32 $r2 g0[$r3] $r4", 3), (Pair{2, 1}));
  EXPECT_EQ(after("cas b32 $r2 g0[$r3] $r5 $r6", 2), (Pair{99, 99}));
  EXPECT_EQ(after("ld max u32 $r2 g0[$r3] $r6", 2), (Pair{99, 99}));
  EXPECT_EQ(after("ld min s32 $r2 g0[$r3] $r4", 1), (Pair{0, 10}));
  EXPECT_EQ(after("ld inc u32 $r2 g0[$r3] $r5", 2), (Pair{1, 0}));
  EXPECT_EQ(after("ld dec u32 $r2 g0[$r3] $r6", 1), (Pair{9, 10}));
  EXPECT_EQ(after("ld and b32 $r2 g0[$r3] $r6", 1), (Pair{10 & 99, 10}));
  EXPECT_EQ(after("ld or b32 $r2 g0[$r3] $r6", 1), (Pair{10 | 99, 10}));
  EXPECT_EQ(after("ld xor b32 $r2 g0[$r3] $r6", 1), (Pair{10 ^ 99, 10}));
  EXPECT_EQ(after("red add s32 g0[$r3] $r5", 32), (Pair{330, 0}));
  EXPECT_EQ(after("ld add u64 $r8d g0[$r3] $r4d", 1).first, 10U);
}

TEST(TeslaMemory, ContainerConstantsLieUnderThoseOfTheLaunch) {
  std::vector<std::byte> c1(4, std::byte{0x22});
  GuestOptions options;
  options.launch.constants[1] = c1;
  const Finished f =
      run_source(".const c1[0x0] 0x1 0x10 0x100\n" + kPrologue +
                     "mov b32 $r2 0\nadd b32 $r2 $r2 c1[0x0]\nadd b32 $r2 $r2 c1[0x8]\n" + kStoreR2,
                 options);
  ASSERT_EQ(first_fault_of(f), "none");
  EXPECT_EQ(f.g0[0], 0x22222222U + 0x100);
}

TEST(TeslaMoves, RegistersThatAreNotThereReadZero) {
  const Finished f =
      run_source(".registers 4\n" + kPrologue +
                 "mov b32 $r2 5\nmov b32 $r9 7\nadd b32 $r2 $r2 $r9\nadd b32 $r2 $r2 $r127\n" + kStoreR2);
  ASSERT_TRUE(f.status.ok()) << first_fault_of(f);
  EXPECT_EQ(f.g0[0], 5U);
}

TEST(TeslaMoves, AddressAndFlagRegisters) {
  const Finished f = run_body(
      "mov b32 $r3 0x12345\nshl $a1 $r3 0x4\nadd $a2 $a1 0x1\nadd $a3 0x0 0xffff\nmov $r4 $a2\nmov $r5 $a3\n"
      "mov $c2 $r3\nmov $r6 $c2\nshl b32 $r5 $r5 0x10\nadd b32 $r2 $r4 $r5\nshl b32 $r6 $r6 0x0\nadd b32 $r2 "
      "$r2 $r6\n");
  ASSERT_TRUE(f.status.ok()) << first_fault_of(f);
  EXPECT_EQ(f.g0[0], 0xffff3451U + 5);
}

TEST(TeslaMoves, LanesOfQuads) {
  const Finished f = run_body("mov b32 $r2 1\nmov b32 $r3 2\n(l13) mov b32 $r2 $r3\n");
  ASSERT_TRUE(f.status.ok()) << first_fault_of(f);
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(f.g0[l], 1 + l % 2);
}

TEST(TeslaMoves, NoLaneOfAnyQuad) {
  const Finished f = run_body("mov b32 $r2 1\n(lnone) mov b32 $r2 b32 s[0x7c]\n");
  ASSERT_EQ(first_fault_of(f), "none");
  EXPECT_EQ(f.g0[0], 1U);
}

TEST(TeslaMoves, PredicatesSuppressFlagsAndIncrements) {
  std::vector<std::byte> c0(256);
  GuestOptions options;
  options.launch.constants[0] = c0;
  const Finished f = run_body(
      "mov b32 $r3 16\nset $c0 # l u32 $r0 $r3\nmov $c1 $r63\nadd $a1 0x0 0x4\n"
      "(lg $c0) add b32 $c1 $r4 $r63 $r63\n(lg $c0) ld $r5 b32 c0[$a1++0x8]\nmov $r6 $c1\nmov $r2 $a1\n"
      "shl b32 $r6 $r6 0x8\nadd b32 $r2 $r2 $r6\n",
      options);
  ASSERT_EQ(first_fault_of(f), "none");
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(f.g0[l], l < 16 ? 0x10cU : 4U);
}

TEST(TeslaMemory, AConstantSegmentWithoutWordsReadsZero) {
  Program program =
      program_of("mov b32 $r3 0\nmov b32 $r2 9\nadd b32 $r2 $r3 c1[0x8]\nst b32 g0[$r3] $r2\nexit nop\n");
  program.constants.push_back({.name = "empty", .space = 1, .bytes = 16});
  const auto interpreter = Interpreter::prepare(program);
  ASSERT_TRUE(interpreter.ok()) << to_string(interpreter.error());
  alignas(8) std::uint32_t memory[2] = {7, 7};
  Launch launch;
  launch.globals[0] = {{.address = 0, .bytes = std::as_writable_bytes(std::span(memory))}};
  RunReport report;
  ASSERT_TRUE(interpreter->run(launch, report).ok());
  EXPECT_FALSE(report.first_fault);
  EXPECT_EQ(memory[0], 0U);
}

}  // namespace
}  // namespace warpjit::tesla
