// Programs whose lanes see each other where control has taken them to different places, in the guest
// interpreter and in the engines that translate.

#include "frontend/usse/flow/control_flow.h"
#include "frontend/usse/translate/translate.h"
#include "support/share.h"
#include "usse/compiled_quad.h"
#include "usse/run_quad.h"
#include "usse/run_rows.h"

namespace warpjit::usse {
namespace {

class PartedLanes : public ::testing::TestWithParam<CompiledEngine> {
 protected:
  // Registers that lane n has: r0 to r23 are 100 r + n, pa0 to pa23 negative, as floats; lanes 0 and 2 have
  // p0, lane 1 has p1.
  static QuadState start() {
    QuadState state;
    for (unsigned reg = 0; reg < 24; ++reg)
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const auto value = static_cast<float>(100 * reg + lane * lane);
        state.quad.r[reg][lane] = to_bits(value);
        state.quad.pa[reg][lane] = to_bits(-value);
        state.sa[reg] = to_bits(0.5F * static_cast<float>(reg));
      }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      state.quad.idx[0][lane] = lane;
      state.quad.i[0][0][lane] = to_bits(10.0F * static_cast<float>(lane + 1));
    }
    state.quad.p = {0b0101, 0b0010, 0, 0};
    return state;
  }

  // The quad as the guest interpreter leaves it.
  static Quad run(const std::string& text) {
    if (!runs_here(GetParam())) return {};
    QuadState wanted = start(), got = start();
    const Status guest = run_text(wanted, text);
    EXPECT_TRUE(guest.ok()) << to_string(guest.error());
    const auto program = assemble(text, "a.usse");
    const Status status = run_compiled(*program, GetParam(), got.quad, got.sa);
    EXPECT_TRUE(status.ok()) << to_string(status.error());
    EXPECT_EQ(got.quad.r, wanted.quad.r);
    EXPECT_EQ(got.quad.pa, wanted.quad.pa);
    EXPECT_EQ(got.quad.o, wanted.quad.o);
    EXPECT_EQ(got.quad.i, wanted.quad.i);
    EXPECT_EQ(got.quad.p, wanted.quad.p);
    return wanted.quad;
  }
  static float value(const LaneWords& words, unsigned lane) { return to_float(words[lane]); }
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU does not run " << name(GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, PartedLanes, ::testing::ValuesIn(kCompiledEngines),
                         [](const auto& tested) { return std::to_string(static_cast<int>(tested.param)); });

TEST_P(PartedLanes, DifferencesSeeWhatOtherLanesHadLast) {
  // Lanes 1 and 3 have not changed r0, lanes 0 and 2 wait with what they have.
  const Quad quad =
      run("vmov.f32 r0.xy, sa2\n"
          "p0 br offset:over\n"
          "vadd.f32 r0.xy, r0, sa20\n"
          "vdsx.f32 r4.xy, r0, r0\n"
          "vdsy.f32 r8.xy, r0, r0\n"
          "over: nop.end\n");
  EXPECT_EQ(value(quad.r[4], 1), 10.0F);   // lane 1 has added sa20
  EXPECT_EQ(value(quad.r[4], 0), 400.0F);  // not here
  EXPECT_EQ(value(quad.r[8], 3), 0.0F);    // lanes 2 and 0 are alike
}

TEST_P(PartedLanes, DifferencesInALoopThatLanesLeave) {
  run("again:\n"
      "vdsx.f32 r4.xyzw, r0, pa0\n"
      "vadd.f32 r0.xy, -sa8, r0\n"
      "vtst.sub.f32.positive.nonzero.both.chan0.p3 c0, r0, sa2\n"
      "vdsy.f32 r8.xy, r0, r4\n"
      "p3 br offset:again\n"
      "nop.end\n");
}

TEST_P(PartedLanes, DifferencesOfAllKindsOfOperands) {
  for (const char* const instruction :
       {"vdsx.f32 r4.xyzw, r[2*idx1+0], pa0", "vdsy.f32 r4.xyzw, i0, pa[2*idx1+2]",
        "vdsx.f16 r4.xyzw, r0, sa0", "vdsx.f32 i0.xyzw, i0, i0",
        "vtst.dsx.f32.negative.nonzero.both.chan0.p2.write r4, r0, pa0",
        "vtst.dsy.f32.positive.zero.either.chan0.p0 c0, i0, i0"})
    run(std::string("p0 br offset:over\n"
                    "vmad2.f32 r0.xy, r0, sa2, sa4\n"
                    "vmov.f32 pa0.xy, r2\n"
                    "vmov.f32 i0.xy, r6\n") +
        instruction + "\nvadd.f32 r0.xy, r4, r0\nover: nop.end\n");
}

TEST_P(PartedLanes, SecondaryProgramsRunInOneLane) {
  QuadState wanted = start(), got = start();
  const std::string text =
      ".secondary\nvmov.f32 i0.xyzw, sa4\nvdsx.f32 pa8.xy, i0, i0\nvdsy.f32 pa10.xy, sa6, i0\n"
      ".primary\nvmov.f32 r0.xy, sa8\nvmov.f32 r2.xy, sa10\nnop.end\n";
  ASSERT_TRUE(run_text(wanted, text).ok());
  const Status status = run_compiled(*assemble(text, "a.usse"), GetParam(), got.quad, got.sa);
  ASSERT_TRUE(status.ok()) << to_string(status.error());
  EXPECT_EQ(got.quad.r, wanted.quad.r);
  EXPECT_EQ(value(wanted.quad.r[0], 3), -2.0F);  // 0, which lane 1 has, less sa4
}

// One address, and increments that depend on the way there.
TEST_P(PartedLanes, IncrementsThatDiffer) {
  const std::string before =
      "p0 br offset:over\nsmlsi temp:0, pa:0, sa:0, d:2, s0:1, s1:3, s2:1\nor.rpt2 r12, pa0, #0, rot:0\n"
      "over: vdsx.f32 r4.xy, r0, r0\n";
  const Quad quad = run(before + "or.rpt3 r16, pa0, #0, rot:0\nnop.end\n");
  EXPECT_EQ(value(quad.r[18], 0), value(quad.pa[2], 0));
  EXPECT_EQ(value(quad.r[18], 1), value(quad.pa[3], 1));
  EXPECT_EQ(value(quad.r[20], 0), 2000.0F);  // as it was
  EXPECT_EQ(value(quad.r[20], 1), value(quad.pa[6], 1));
  // All lanes set the same; they set offsets; destinations lie on sources of later turns.
  run(before +
      "vadd.f32 r0.xy, r4, r0\nsmlsi temp:0, pa:0, sa:0, d:3, s0:1, s1:1, s2:1\nor.rpt2 r16, pa0, #0, "
      "rot:0\nnop.end\n");
  run(before +
      "smbo d:1, s0:0, s1:2, s2:1\np1 br offset:on\nsmbo d:0, s0:0, s1:0, s2:0\n"
      "on: vdsy.f32 r4.xy, r0, r0\nor.rpt3 r1, r0, #0, rot:0\nnop.end\n");
  run(before +
      "smlsi.swz1 temp:0, pa:0, sa:0, d:1, s0:1, s1:-100, s2:2\np1 br offset:on\n"
      "smlsi temp:0, pa:0, sa:0, d:1, s0:1, s1:1, s2:1\n"
      "on: vdsy.f32 r6.xy, r0, r0\np0 vmov.f32.rpt2 r8.xy, pa0\nnop.end\n");
}

// Lanes see what others have in the registers that their own increments lead to, before any of them writes.
TEST_P(PartedLanes, DifferencesOfIncrementsThatDiffer) {
  for (const char* const predicate : {"", "p0 "})
    run(std::string("p0 br offset:over\nsmlsi temp:0, pa:0, sa:0, d:1, s0:1, s1:2, s2:0\n"
                    "vadd.f32 r0.xy, r0, sa20\n"
                    "over: ") +
        predicate +
        "vtst.dsx.f32.negative.nonzero.both.chan0.p2.write.rpt2 r2, r0, r4\n"
        "vtst.dsy.f32.negative.nonzero.both.chan1.p3.write.rpt3 r0, r2, pa[2*idx1+2]\nnop.end\n");
}

// So many that lanes at one address may have are refused, for the time that each takes.
TEST(UsseControlFlow, IncrementsOfOneAddressHaveALimit) {
  const auto find = [](std::size_t ways) {
    std::string text = ".stage vertex\n.registers pa:8 sa:24 r:32\n.primary\n";
    for (std::size_t n = 0; n < ways; ++n)
      text += "p0 br offset:end\nsmlsi temp:0, pa:0, sa:0, d:" + std::to_string(n) + ", s0:1, s1:1, s2:1\n";
    const auto program = assemble(text + "end: vdsx.f32 r4.xy, r0, r0\nemit.end\n", "a.usse");
    EXPECT_TRUE(program.ok()) << to_string(program.error());
    const auto flow = Code::decode(*program, false)->find_blocks_of_addresses();
    return flow ? std::string() : flow.error().message;
  };
  EXPECT_EQ(find(kMostIncrements - 1), "");
  EXPECT_EQ(find(kMostIncrements + 1), "too many increments of repeats that lanes may have here");
}

// What does not move any register that the code has makes no difference: sources that there are not, the
// destination of a dot product, whole turns around the bank.
TEST_P(PartedLanes, IncrementsThatDifferWithoutOperands) {
  const auto before = [](const std::string& increments) {
    return "p0 br offset:over\nsmlsi temp:0, pa:0, sa:0, " + increments +
           "\nover: vdsx.f32 r4.xy, r0, r0\nvadd.f32 r0.xy, r4, r0\n";
  };
  run(before("d:1, s0:7, s1:1, s2:1") + "or.rpt2 r16, pa0, #0, rot:0\nnop.end\n");
  run(before("d:5, s0:1, s1:1, s2:1") + "vdp3.f32.rpt2.moe r16.xy, r0, i0\nnop.end\n");
  run("smbo d:0, s0:0, s1:0, s2:0\np0 br offset:over\nsmbo d:256, s0:0, s1:0, s2:0\n"
      "over: vdsx.f32 r4.xy, r0, r0\nor.rpt2 r16, pa0, #0, rot:0\nnop.end\n");
}

// Copies of a long end, one for each way to it.
TEST(UsseControlFlow, CopiesHaveALimitAllTogether) {
  const auto find = [](unsigned ways, unsigned length) {
    std::string text = ".stage vertex\n.registers pa:8 sa:24 r:32\n.primary\n";
    for (unsigned n = 0; n < ways; ++n) text += "p0 br offset:" + std::to_string(ways + n) + "\n";
    for (unsigned n = 0; n < ways; ++n)
      text += "smlsi temp:0, pa:0, sa:0, d:" + std::to_string(n % 100) + ", s0:" + std::to_string(n / 100) +
              ", s1:1, s2:1\nbr offset:" + std::to_string(2 * (ways - n) - 1) + "\n";
    for (unsigned n = 0; n < length; ++n) text += "or r12, pa0, #0, rot:0\n";
    const auto program = assemble(text + "emit.end\n", "a.usse");
    EXPECT_TRUE(program.ok()) << to_string(program.error());
    const auto code = Code::decode(*program, false);
    EXPECT_TRUE(code.ok()) << to_string(code.error());
    const auto flow = code->find_blocks();
    return flow ? std::string() : flow.error().message;
  };
  EXPECT_EQ(find(50, 4000), "");
  EXPECT_EQ(find(300, 4000), "the control flow unfolds into too many instructions");
}

// What translations of this code, after a place where lanes meet with increments that differ in one number
// for each of so many ways, have as instructions; 0: it becomes too long.
std::size_t size_of(const std::string& code, unsigned ways, const char* operand) {
  std::string text = ".stage vertex\n.registers pa:8 sa:8 r:32\n.primary\n";
  for (unsigned n = 1; n < ways; ++n) {
    text += "p0 br offset:end\nsmlsi temp:0, pa:0, sa:0";
    for (const std::string name : {"d", "s0", "s1", "s2"})
      text += ", " + name + ":" + std::to_string(name == operand ? n : 1);
    text += "\n";
  }
  const auto program = assemble(text + "end: vdsx.f32 r4.xy, r0, r0\n" + code + "emit.end\n", "a.usse");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  constexpr std::array<std::uint8_t, 1> kOutputs{0};
  const auto function = translate_vertex(*program, 1, kOutputs, {});
  if (function) return function->inst_count();
  EXPECT_EQ(function.error().message, "the program becomes too long");
  return 0;
}

// Each way costs code only if an operand moves that the instruction has.
TEST(UsseControlFlow, IncrementsThatDifferCostCodeWhereTheyMatter) {
  struct Case {
    const char *code, *without, *with;  // operands
  };
  for (const Case& tested : {Case{"vtst.sub.f32.negative.both.chan0.p0.rpt2 r0, r2, r4\n", "d", "s1"},
                             {"vtst.rcp.f32.negative.both.chan0.p0.rpt2 r0, r2, r4\n", "s2", "s1"},
                             {"vdp3.f32.rpt2.moe r16.xy, r0, i0\n", "d", "s1"},
                             {"vpck.f16.f32.rpt2 r0.xy, i0, r4\n", "s2", "s1"},
                             {"i32mad2.u.step1.rpt2 r0, r1, r2, r3\n", "s1", "s2"},
                             {"or.rpt3 r8, r0, #1, rot:0\n", "s2", "s1"}}) {
    constexpr std::size_t kWay = 12;  // of the branch to the place where they meet
    const std::size_t once = size_of(tested.code, 1, tested.without),
                      often = size_of(tested.code, 5, tested.without);
    EXPECT_LE(often, once + 4 * kWay) << tested.code;
    EXPECT_GT(size_of(tested.code, 5, tested.with), often + 4) << tested.code;
  }
}

// As many ways as there may be, each with code of its own or not.
TEST(UsseControlFlow, CodeOfIncrementsThatDifferHasALimit) {
  if (share(2) < 2) GTEST_SKIP() << "takes long";
  for (const char* const operand : {"s1", "s2"})
    for (const char* const code : {"or.rpt15 r8, r0, #1, rot:0\n", "or.rpt2 r8, r0, #1, rot:0\n"}) {
      std::string text;
      for (unsigned n = 0; n < 16000; ++n) text += code;
      const std::size_t size = size_of(text, kMostIncrements, operand);
      EXPECT_EQ(size == 0, operand == std::string("s1")) << code;  // it becomes too long
    }
}

// All lanes at a function are together, wherever they have been called from. pa0 has a value of each lane;
// lanes 0 and 2 have p0, lane 1 has p1.
Words run_calls(const std::string& code, const std::string& secondary = {}) {
  return run_rows(
      "vmov.f32 r0.xy, pa0\nvmov.f32 r2.xy, pa2\n"
      "vtst.sub.f32.positive.nonzero.both.chan0.p0 c0, pa4, pa6\n"
      "vtst.sub.f32.positive.nonzero.both.chan1.p1 c0, pa4, pa6\n" +
          code,
      {{{1, 2, 3, 4, 1, 0, 0, 0}},
       {{10, 20, 30, 40, 0, 1, 0, 0}},
       {{5, 6, 7, 8, 1, 0, 0, 0}},
       {{-1, -2, -3, -4, 0, 0}}},
      nullptr, secondary);
}

TEST(UsseCalls, LanesMeetInFunctions) {
  const Words words = run_calls(
      "p0 br.link offset:sub\n"
      "!p0 br.link offset:sub\n"
      "p1 br.link offset:sub\n"
      "br offset:done\n"
      "sub: i32mad2.u r10, r10, #1, #1\n"
      "vdsx.f32 r4.xy, r0, r0\n"
      "vadd.f32 r0.xy, r0, pa0\n"
      "p1 br.any offset:away\n"
      "i32mad2.u r11, r11, #1, #1\n"
      "away: p0 ret\n"
      "vadd.f32 r2.xy, r2, r4\n"
      "br.link offset:leaf\n"
      "ret\n"
      "leaf: vdsy.f32 r8.xy, r2, r0\n"
      "ret\n"
      "done: nop\n");
  EXPECT_EQ(words[0], bits(2.0F));
  EXPECT_EQ(words[4], bits(9.0F));               // all are there, before any has changed r0
  EXPECT_EQ(words[16], bits(30.0F));             // twice
  EXPECT_EQ(words[16 + 4], bits(20.0F - 2.0F));  // of the second call
  EXPECT_EQ(words[10], 1U);
  EXPECT_EQ(words[16 + 10], 2U);
  // Lane 1 takes all lanes that are with it away.
  for (unsigned lane = 0; lane < 4; ++lane) EXPECT_EQ(words[16 * lane + 11], 0U) << lane;
}

TEST(UsseCalls, IncrementsOfLanesThatMeet) {
  run_calls(
      "br offset:start\n"
      "sub: vdsx.f32 r4.xy, r0, r0\n"
      "vmov.f32.rpt2 r8.xy, pa0\n"
      "smbo d:1, s0:0, s1:1, s2:0\n"
      "bits: or.rpt3 r16, r0, #0, rot:0\n"
      "ret\n"
      "start: p1 br offset:on\n"
      "smbo d:0, s0:0, s1:2, s2:0\n"
      "on: p1 br.link offset:sub\n"
      "smlsi.swz1 temp:0, pa:0, sa:0, d:1, s0:1, s1:27, s2:1\n"
      "p0 br.link offset:sub\n"
      "smlsi temp:0, pa:0, sa:0, d:-1, s0:1, s1:1, s2:1\n"
      "br.link offset:sub\n"
      "done: nop\n");
}

// Lane 1 takes all lanes of its quad back; the others wait until it would go, too.
TEST(UsseCalls, ReturnsByAnyAndAll) {
  const Words words = run_calls(
      "p0 br.link offset:sub\n"
      "!p0 br.link offset:sub\n"
      "br.link offset:other\n"
      "br offset:done\n"
      "sub: i32mad2.u r10, r10, #1, #1\n"
      "p1 ret.any\n"
      "i32mad2.u r10, r10, #1, #2\n"
      "ret\n"
      "other: i32mad2.u r11, r11, #1, #1\n"
      "p0 ret.all\n"
      "i32mad2.u r11, r11, #1, #2\n"
      "ret\n"
      "done: nop\n");
  for (unsigned lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(words[16 * lane + 10], 1U) << lane;
    EXPECT_EQ(words[16 * lane + 11], 3U) << lane;
  }
}

TEST(UsseCalls, NestedAndToTheEndOfTheCode) {
  run_calls(
      "br offset:start\n"
      "sub: vdsx.f32 r4.xy, r0, r0\n"
      "p0 br offset:less\n"
      "vadd.f32 r0.xy, r0, r4\n"
      "p1 br.link offset:inner\n"
      "less: br.link offset:inner\n"
      "ret\n"
      "inner: vdsy.f32 r6.xy, r0, r4\n"
      "p0 br.all offset:out\n"
      "vadd.f32 r2.xy, r6, r0\n"
      "out: ret\n"
      "start: p1 br.link offset:sub\n"
      "br.link offset:sub\n");
}

// What the secondary program has written is there for lanes that have not come to where it is read.
TEST(UsseCalls, SecondaryAttributesOfLanesElsewhere) {
  for (const char* const source : {"sa12", "sa[2*idx1+12]"}) {
    const Words words = run_calls(
        "br.link offset:sub\n"
        "p0 br offset:over\n"
        "br.link offset:last\n"
        "vdsy.f32 r8.xy, " +
            std::string(source) +
            ", r0\n"
            "over: br offset:done\n"
            "sub: pn br.link offset:inner\n"
            "ret\n"
            "inner:\n"
            "last: ret\n"
            "done: nop\n",
        ".secondary\nlimm pa12, value:0x40a00000\nor pa[idx1+4], #7, #0, rot:0\n");
    EXPECT_EQ(words[16 + 8], bits(5.0F - 1.0F)) << source;
  }
}

TEST(UsseCalls, InLoops) {
  run_calls(
      "br offset:start\n"
      "sub: vdsx.f32 r4.xy, r0, r0\n"
      "vadd.f32 r2.xy, r2, r4\n"
      "p0 ret\n"
      "vadd.f32 r6.xy, r6, r4\n"
      "ret\n"
      "start:\n"
      "again: i32mad2.u r10, r10, #1, #1\n"
      "br.link offset:sub\n"
      "vadd.f32 r0.xy, -pa4, r0\n"
      "vtst.isub32.negative.nonzero.both.chan0.p2 c0, r10, #5\n"
      "p1 br.link offset:sub\n"
      "p2 br offset:again\n");
}

// Groups whose last quads have no threads: what fills them decides as a quad of the launch does.
TEST(UsseCalls, QuadsWithoutThreads) {
  std::vector<std::array<float, 8>> operands;
  for (int thread = 0; thread < 16; ++thread)
    operands.push_back({thread % 2 == 0 ? 1.0F : 3.0F, 0, thread % 2 == 0 ? 2.0F : 2.5F});
  for (const std::uint32_t threads : {2U, 3U, 7U, 11U, 15U, 16U})
    run_rows(
        // A quad of equal lanes would go on until its fuel is used up.
        "again: i32mad2.u r10, r10, #1, #1\n"
        "vdsx.f32 r4.xy, pa0, pa0\n"
        "vtst.sub.f32.zero.both.chan0.p3 c0, r4, sa0\n"
        "p3 br offset:again\n",
        operands, nullptr, {}, {}, threads);
}

}  // namespace
}  // namespace warpjit::usse
