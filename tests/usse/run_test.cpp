// Whole programs: control flow, both programs, memory (docs/guests/usse.md 6).
#include "usse/run_quad.h"

namespace warpjit::usse {
namespace {

constexpr const char* kPhase = "phas.imm mode:0, rate:0, wait:7, temps:0, address:0\n";

TEST(UsseRun, LanesPart) {
  QuadState state;
  for (unsigned lane = 0; lane < kLanes; ++lane) state.quad.pa[0][lane] = lane;
  // Each lane counts down from its number.
  const Status status = run_text(state, std::string(kPhase) +
                                            "again: vtst.isub32.zero.both.chan0.p0 c0, pa0, #0\n"
                                            "p0 br offset:out\n"
                                            "i32mad2.u pa0, pa0, #1, -c1\n"  // c1 is 0 in x
                                            "i32mad2.u r0, r0, #1, #1\n"
                                            "i32mad2.u pa0, pa0, #1, -#1\n"
                                            "br offset:again\n"
                                            "out: emit.end\n");
  ASSERT_TRUE(status.ok()) << to_string(status.error());
  for (unsigned lane = 0; lane < kLanes; ++lane) EXPECT_EQ(state.quad.r[0][lane], lane);
  EXPECT_TRUE(state.outcome.emitted);
}

TEST(UsseRun, SecondaryPrograms) {
  QuadState state;
  state.sa[4] = to_bits(3.0F);
  const Status status = run_text(state,
                                 ".secondary\nvmul.f32 pa0.x, sa4.xxxx, r4.xxxx\nnop.end\n"
                                 "vmov.f32 pa0.x, sa8\n.primary\nvmov.f32 o0.x, sa0\nemit.end\n");
  ASSERT_TRUE(status.ok()) << to_string(status.error());
  EXPECT_EQ(state.quad.o[0][3], to_bits(9.0F));  // r4 was sa4, and nothing after the end ran
}

TEST(UsseRun, Calls) {
  QuadState state;
  const Status status = run_text(state,
                                 "br.link offset:sub\nbr.link offset:sub\nbr offset:done\n"
                                 "sub: i32mad2.u r0, r0, #1, #1\nret\ndone: nop.end\n");
  ASSERT_TRUE(status.ok()) << to_string(status.error());
  EXPECT_EQ(state.quad.r[0][1], 2U);
  EXPECT_EQ(to_string(run_text(state, "ret").error()),
            "a.usse, primary word 0 (0xf800008000000000): a return without a call");
  const Status deep = run_text(state, "again: br.link offset:again");
  ASSERT_FALSE(deep.ok());
  EXPECT_EQ(deep.error().message, "more than eight calls");
}

TEST(UsseRun, AnyAndAll) {
  QuadState state;
  state.quad.p = {0b0110, 0b1111, 0, 0};
  const Status status = run_text(state,
                                 "p0 br.any offset:one\nor r0, #7, #0, rot:0\n"
                                 "one: p0 br.all offset:two\nor r1, #7, #0, rot:0\n"
                                 "two: p1 br.all offset:out\nor r2, #7, #0, rot:0\nout: nop.end\n");
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(state.quad.r[0][0], 0U);
  EXPECT_EQ(state.quad.r[1][1], 7U);
  EXPECT_EQ(state.quad.r[2][0], 0U);
}

TEST(UsseRun, PhasesAndDiscard) {
  for (const bool together : {false, true}) {
    QuadState state;
    state.quad.p[0] = 0b1010;
    const Status status =
        run_text(state, ".stage fragment\n" + std::string(kPhase) + "!p0 kill sa2, sa2\nnop.end\n" + kPhase +
                            "or pa0, #5, #0, rot:0\n" + (together ? "vdsx.f32 r0.xy, pa4, pa4\n" : ""));
    ASSERT_TRUE(status.ok()) << to_string(status.error());
    EXPECT_EQ(state.outcome.dead, 0b0101U);
    EXPECT_EQ(state.quad.pa[0][1], 5U);
    // Killed lanes go on where others see them.
    EXPECT_EQ(state.quad.pa[0][0], together ? 5U : 0U);
  }
}

TEST(UsseRun, RegistersOutsideOfTheProgram) {
  QuadState state;
  state.quad.r[9].fill(3);
  state.sa[6] = 3;
  const Status status = run_text(state,
                                 ".stage vertex\n.registers pa:4 sa:4 r:8\n.primary\n"
                                 "or r8, #5, #0, rot:0\nor r0, r9, #0, rot:0\nor r1, sa6, #0, rot:0\n"
                                 "or r7, #5, #0, rot:0\n");
  ASSERT_TRUE(status.ok()) << to_string(status.error());
  EXPECT_EQ(state.quad.r[8][0], 0U);
  EXPECT_EQ(state.quad.r[0][0], 0U);
  EXPECT_EQ(state.quad.r[1][0], 0U);
  EXPECT_EQ(state.quad.r[7][0], 5U);
  EXPECT_TRUE(state.outcome.fault);
}

TEST(UsseRun, Memory) {
  QuadState state;
  std::array<std::uint32_t, 8> words{10, 11, 12, 13, 14, 15, 16, 17};
  const MemoryPiece piece{0x1000, std::as_writable_bytes(std::span(words)), true};
  state.outcome.memory = {&piece, 1};
  state.sa[0] = 0x1000 - 4;
  state.sa[1] = 0x1010;
  for (unsigned lane = 0; lane < kLanes; ++lane) state.quad.pa[9][lane] = 100 + lane;
  state.outcome.covered = 0b0111;
  const Status status = run_text(state,
                                 "ld.b32.x4.drc0 r0, sa0, #1, #0\nwdf.drc0\n"
                                 "ld.b16.x2.moe.drc0 r8, sa1, #0, #0\n"
                                 "ld.b32.x1.drc0 r12, sa0, #100, #0\n"
                                 "st.b32.x1.drc0 r0, sa0, #0, pa9\nnop.end\n");
  ASSERT_TRUE(status.ok()) << to_string(status.error());
  EXPECT_EQ(state.quad.r[0][0], 11U);
  EXPECT_EQ(state.quad.r[3][3], 14U);
  EXPECT_EQ(state.quad.r[8][0], 14U);
  EXPECT_EQ(state.quad.r[9][0], 0U);
  EXPECT_EQ(state.quad.r[12][0], 0U);
  EXPECT_TRUE(state.outcome.fault);
  EXPECT_EQ(words[0], 102U);  // lane 3 is a helper
}

TEST(UsseRun, Errors) {
  const auto message = [](const std::string& text) {
    QuadState state;
    const Status status = run_text(state, text);
    return status ? "ran" : to_string(status.error());
  };
  EXPECT_EQ(message("again: br offset:again"),
            "a.usse, primary word 0 (0xf800004000000000): a thread ran out of fuel");
  EXPECT_EQ(message("br offset:-1"),
            "a.usse, primary word 0 (0xf8000040000fffff): control leaves the program");
  EXPECT_EQ(message("br offset:2"),
            "a.usse, primary word 0 (0xf800004000000002): control leaves the program");
  EXPECT_EQ(message("br offset:1"), "ran");
  EXPECT_EQ(
      message(".word 0xb800000000000000"),
      "a.usse, primary word 0 (0xb800000000000000): opcode 23 is not defined; 0 to 21, 26 and 28 to 31 are");
  EXPECT_EQ(message("emit.end\nnop").substr(0, 15), "a.usse, primary");
  EXPECT_NE(message("emit.end\nnop").find("it is not the end of the program"), std::string::npos);
  EXPECT_NE(
      message(".sampler unit:3 sa:4\nsmp.2d.f32.f32.drc0 r0, pa0, sa0, #0").find("it has those of unit 3"),
      std::string::npos);
  EXPECT_NE(message("smp.2d.f32.f32.drc0 r0, pa0, sa0, #0").find("no texture is bound to unit 0"),
            std::string::npos);
  EXPECT_NE(message("ld.b32.x1.local.drc0 r0, sa0, #0, #0").find("local and tiled addresses"),
            std::string::npos);
  EXPECT_NE(message(".secondary\nrlp.low r0, pa0, pa2, rot:0\n.primary\nnop").find("secondary word 0"),
            std::string::npos);
}

// A register outside the program's is a fault: it reads 0, and what is written is lost.
TEST(UsseRun, RegistersOutside) {
  QuadState state;
  state.quad.idx[0].fill(200);
  state.sa[403 % 256] = 7;
  state.sa[3 + 200] = 8;
  ASSERT_TRUE(
      run_text(state, "vmov.f32 r2.x, sa[2*idx1+2].yyyy\nor r0, sa[idx1+3], #1, rot:0\nnop.end\n").ok());
  EXPECT_FALSE(state.outcome.fault);
  EXPECT_EQ(state.quad.r[2][0], 7U);
  EXPECT_EQ(state.quad.r[0][0], 9U);
}

}  // namespace
}  // namespace warpjit::usse
