// Control flow: docs/guests/pica200.md 9, case by case, with the hardware model where scope ends coincide.
#include "pica200/pica_test.h"

namespace warpjit::pica200 {
namespace {

// c0.x = 1, c1.x = 10, c2.x = 100, c3.x = 1000: `add r0, cN, r0` leaves a trace of what ran.
Uniforms trace_uniforms() {
  Uniforms uniforms;
  float value = 1;
  for (int k = 0; k < 6; ++k, value *= 10)
    for (float& lane : uniforms.c[k]) lane = value;
  return uniforms;
}

constexpr char kAdd[] = ".op add dst=r0 src2=r0 src1=c";

// Words in the exact form; a line that is a digit N stands for `add r0, cN, r0`.
Program words(std::initializer_list<std::string> lines) {
  std::string text = ".exact vertex 0\n.desc 0x0006c36f\n";
  for (const std::string& line : lines) text += (line.size() == 1 ? kAdd + line : ".op " + line) + "\n";
  return program_of(text);
}

float trace(const Program& program, const Uniforms& uniforms = trace_uniforms(), ThreadState start = {}) {
  const Finished result = run(program, start, uniforms);
  EXPECT_TRUE(result.status.ok()) << to_string(result.status.error());
  return result.state.r[0][0];
}

float trace(const std::string& body, const Uniforms& uniforms = trace_uniforms(), ThreadState start = {}) {
  return trace(program_of_main(body), uniforms, start);
}

const std::string k1 = "add r0, c0, r0\n", k10 = "add r0, c1, r0\n", k100 = "add r0, c2, r0\n",
                  k1000 = "add r0, c3, r0\n";

ThreadState with_flags(bool x, bool y) {
  ThreadState state;
  state.cmp[0] = x;
  state.cmp[1] = y;
  return state;
}

TEST(PicaFlow, Conditions) {
  const std::pair<const char*, bool (*)(bool, bool)> cases[] = {
      {"cmp.x", [](bool x, bool) { return x; }},
      {"!cmp.x", [](bool x, bool) { return !x; }},
      {"cmp.y", [](bool, bool y) { return y; }},
      {"!cmp.y", [](bool, bool y) { return !y; }},
      {"cmp.x && cmp.y", [](bool x, bool y) { return x && y; }},
      {"!cmp.x && cmp.y", [](bool x, bool y) { return !x && y; }},
      {"cmp.x && !cmp.y", [](bool x, bool y) { return x && !y; }},
      {"!cmp.y && !cmp.x", [](bool x, bool y) { return !x && !y; }},
      {"cmp.x || cmp.y", [](bool x, bool y) { return x || y; }},
      {"!cmp.x || cmp.y", [](bool x, bool y) { return !x || y; }},
      {"cmp.x || !cmp.y", [](bool x, bool y) { return x || !y; }},
      {"!cmp.x || !cmp.y", [](bool x, bool y) { return !x || !y; }}};
  for (const auto& [text, wanted] : cases)
    for (int flags = 0; flags < 4; ++flags) {
      const bool x = (flags & 1) != 0, y = (flags & 2) != 0, holds = wanted(x, y);
      const std::string condition(text);
      EXPECT_EQ(trace("ifc " + condition + "\n" + k1 + ".else\n" + k10 + ".end\n" + k100, trace_uniforms(),
                      with_flags(x, y)),
                holds ? 101 : 110);
      EXPECT_EQ(
          trace("jmpc " + condition + ", skip\n" + k1 + "skip:\n" + k10, trace_uniforms(), with_flags(x, y)),
          holds ? 10 : 11);
    }
}

TEST(PicaFlow, Uniforms) {
  for (unsigned id = 0; id < 16; ++id)
    for (const bool on : {false, true}) {
      Uniforms uniforms = trace_uniforms();
      uniforms.b = static_cast<std::uint16_t>(on ? 1U << id : ~(1U << id));
      const std::string b = name(Register{RegisterFile::b, static_cast<std::uint8_t>(id)});
      EXPECT_EQ(trace("ifu " + b + "\n" + k1 + ".end\n" + k10, uniforms), on ? 11 : 10);
      EXPECT_EQ(trace("jmpu " + b + ", skip\n" + k1 + "skip:\n" + k10, uniforms), on ? 10 : 11);
      EXPECT_EQ(trace("jmpu !" + b + ", skip\n" + k1 + "skip:\n" + k10, uniforms), on ? 11 : 10);
      const Program callu =
          program_of(".proc main\ncallu " + b + ", f\n" + k10 + "end\n.end\n.proc f\n" + k1 + ".end\n");
      EXPECT_EQ(trace(callu, uniforms), on ? 11 : 10);
    }
}

TEST(PicaFlow, NestedIf) {
  const std::string body =
      "ifc cmp.x\n" + k1 + "ifc cmp.y\n" + k10 + ".else\n" + k100 + ".end\n.else\n" + k1000 + ".end\n" + k1;
  EXPECT_EQ(trace(body, trace_uniforms(), with_flags(true, true)), 12);
  EXPECT_EQ(trace(body, trace_uniforms(), with_flags(true, false)), 102);
  EXPECT_EQ(trace(body, trace_uniforms(), with_flags(false, true)), 1001);
}

TEST(PicaFlow, Calls) {
  const Program program = program_of(".proc main\ncall f\n" + k1 + "callc cmp.x, f\nend\n.end\n.proc g\n" +
                                     k100 + ".end\n.proc f\n" + k10 + "call g\n.end\n");
  EXPECT_EQ(trace(program), 111);
  EXPECT_EQ(trace(program, trace_uniforms(), with_flags(true, false)), 221);
}

TEST(PicaFlow, EndAnywhere) {
  const Program program =
      program_of(".proc main\ncall f\n" + k1 + "end\n.end\n.proc f\nfor i0\nifc !cmp.x\n" + k10 +
                 "end\n.end\n.end\n.end\n");
  EXPECT_EQ(trace(program), 10);
}

TEST(PicaFlow, LoopCountsAndAddress) {
  for (const unsigned count : {0U, 1U, 3U, 255U}) {
    Uniforms uniforms = trace_uniforms();
    uniforms.i[2][0] = static_cast<std::uint8_t>(count);
    uniforms.i[2][1] = 3;
    uniforms.i[2][2] = 200;
    const Finished result = run(program_of_main("for i2\n" + k1 + ".end\n" + k1000), {}, uniforms);
    ASSERT_TRUE(result.status);
    EXPECT_EQ(result.state.r[0][0], static_cast<float>(count + 1 + 1000));
    EXPECT_EQ(result.state.aL, static_cast<std::int32_t>(3 + (count + 1) * 200));
  }
}

TEST(PicaFlow, InnerLoopRestoresAddress) {
  Uniforms uniforms = trace_uniforms();
  const std::uint8_t outer[4] = {2, 10, 1, 0}, inner[4] = {1, 50, 5, 0};
  std::copy(outer, outer + 4, uniforms.i[0]);
  std::copy(inner, inner + 4, uniforms.i[1]);
  // Sums aL through c[aL]: the outer sees 10, 11, 12; the inner 50, 55 each time.
  for (int n = 0; n < 96; ++n) uniforms.c[n][0] = static_cast<float>(n);
  const Finished result =
      run(program_of_main(
              "for i0\nadd r0, c0[aL], r0\nfor i1\nadd r1, c0[aL], r1\n.end\nadd r2, c0[aL], r2\n.end"),
          {}, uniforms);
  ASSERT_TRUE(result.status);
  EXPECT_EQ(result.state.r[0][0], 33);
  EXPECT_EQ(result.state.r[1][0], 315);
  EXPECT_EQ(result.state.r[2][0], 33);
  EXPECT_EQ(result.state.aL, 13);
}

TEST(PicaFlow, BreakLeavesInnermostLoopAndAddress) {
  Uniforms uniforms = trace_uniforms();
  uniforms.i[0][0] = 2;
  uniforms.i[1][0] = 5;
  uniforms.i[1][1] = 7;
  uniforms.i[1][2] = 1;
  EXPECT_EQ(trace("for i0\nfor i1\n" + k1 + "break\n" + k1000 + ".end\n" + k10 + ".end\n", uniforms), 33);
  const Finished single = run(program_of_main("for i1\n" + k1 + "breakc !cmp.x\nnop\n.end\n"), {}, uniforms);
  ASSERT_TRUE(single.status);
  EXPECT_EQ(single.state.r[0][0], 1);
  EXPECT_EQ(single.state.aL, 7);
  // A BREAK without a loop does nothing.
  EXPECT_EQ(trace("break\n" + k1), 1);
}

// A BREAK inside an IF leaves the IF entry on its stack; well-formed code does not notice.
TEST(PicaFlow, BreakInsideIf) {
  Uniforms uniforms = trace_uniforms();
  uniforms.i[0][0] = 9;
  EXPECT_EQ(trace("for i0\n" + k1 + "ifc cmp.x\nbreak\n.end\n" + k10 + ".end\n" + k100, uniforms,
                  with_flags(true, false)),
            101);
}

TEST(PicaFlow, BackwardJumpAndFuel) {
  Uniforms uniforms = trace_uniforms();
  for (float& lane : uniforms.c[5]) lane = 20;
  const Program program = program_of_main("again:\n" + k1 + "cmp c5, gt, eq, r0\njmpc cmp.x, again\n" + k100);
  EXPECT_EQ(trace(program, uniforms), 120);
  EXPECT_TRUE(run(program, {}, uniforms, 19).status.ok());
  const Finished result = run(program, {}, uniforms, 18);
  ASSERT_FALSE(result.status.ok());
  EXPECT_EQ(result.status.error().code, ErrorCode::out_of_fuel);
  EXPECT_NE(result.status.error().where.find("word 2"), std::string::npos) << result.status.error().where;
  // A jump to itself.
  EXPECT_EQ(run(program_of_main("self:\njmpc !cmp.x, self\n"), {}, uniforms, 1000).status.error().code,
            ErrorCode::out_of_fuel);
}

// "A JMP in the last slot of a scope is never taken."
TEST(PicaFlow, JumpInLastSlotIsNotTaken) {
  Uniforms uniforms = trace_uniforms();
  uniforms.i[0][0] = 1;
  const Program program =
      words({"for target=2 uniform=0", "0", "jmpc target=5 condition=2 ref_x=0", "1", "end", "2", "end"});
  EXPECT_EQ(trace(program, uniforms), 12);
}

// Two IFs that end together leave one open: its entry fires when execution comes to that word again.
TEST(PicaFlow, TwoIfsEndTogether) {
  // 0 ifc -> end 3; 1 ifc -> end 3; 2 add; 3 add; 4 end. One pop at 3; the outer entry stays.
  EXPECT_EQ(trace(words({"ifc target=3 num=0 condition=2 ref_x=0", "ifc target=3 num=0 condition=2 ref_x=0",
                         "0", "1", "end"})),
            11);
  // The same with an else part of the outer IF: it is not skipped, because only the inner one is popped.
  EXPECT_EQ(trace(words({"ifc target=3 num=1 condition=2 ref_x=0", "ifc target=3 num=0 condition=2 ref_x=0",
                         "0", "1", "2", "end"})),
            111);
  // The entry that stays fires when word 2 is executed once more: word 3 is then skipped.
  EXPECT_EQ(
      trace(words({"ifc target=3 num=1 condition=2 ref_x=0", "ifc target=3 num=0 condition=2 ref_x=0", "0",
                   "1", "2", "jmpu target=7 uniform=0 num=0", "cmp src1=c0 src2=v0 cmp_x=0 cmp_y=1", "end"}),
            trace_uniforms()),
      111);
}

// Two LOOPs that end together: the outer one is tested only when the inner one is not there.
TEST(PicaFlow, TwoLoopsEndTogether) {
  Uniforms uniforms = trace_uniforms();
  uniforms.i[0][0] = 1;  // outer: 2 turns
  uniforms.i[1][0] = 2;  // inner: 3 turns
  // The inner pops at 3 and control goes on at 3; the outer stays open and never turns.
  const Finished result =
      run(words({"for target=2 uniform=0", "for target=2 uniform=1", "0", "1", "end"}), {}, uniforms);
  ASSERT_TRUE(result.status);
  EXPECT_EQ(result.state.r[0][0], 13);
}

// An IF whose `end` is the CALL's end is left by a jump: the CALL does not return there.
TEST(PicaFlow, IfElseEndsWithCall) {
  const Program program = words({"call target=3 num=3", "0", "end",
                                 // 3: if true {4} else {5}, end 6 = end of the call
                                 "ifc target=5 num=1 condition=2 ref_x=0", "1", "2",
                                 // 6: runs on here
                                 "3", "end"});
  EXPECT_EQ(trace(program), 1010);
  // Taking the else side, word 5 itself ends the CALL.
  EXPECT_EQ(trace(program, trace_uniforms(), with_flags(true, false)), 101);
}

// A CALL in the last slot of a CALL: up to three returns at once, the fourth pop does not move the pc.
TEST(PicaFlow, ReturnsInARow) {
  const Program three = words({"call target=3 num=1", "3", "end", "call target=5 num=1", "end",
                               "call target=7 num=1", "end", "0", "end"});
  EXPECT_EQ(trace(three), 1001);
  const Program four = words({"call target=3 num=1", "3", "end", "call target=6 num=1", "1", "end",
                              "call target=8 num=1", "end", "call target=10 num=1", "end", "0", "end"});
  // The pc is the third return address, word 4: after the CALL of the outermost procedure.
  EXPECT_EQ(trace(four), 11);
}

// Five CALLs: the fifth overwrites the first entry, so the outermost procedure never returns.
TEST(PicaFlow, CallStackOverflow) {
  const std::string nop = "nop";
  // Procedure k at 3k + 3: CALL the next, NOP, and after its end a trap word pair.
  const Program program = words({"call target=3 num=2",
                                 "3",
                                 "end",  // main
                                 "call target=6 num=2",
                                 nop,
                                 "4",  // A: 3, 4; runs on into 5
                                 "call target=10 num=2",
                                 nop,
                                 "2",
                                 "end",  // B: 6, 7
                                 "call target=14 num=2",
                                 nop,
                                 "2",
                                 "end",  // C: 10, 11
                                 "call target=18 num=2",
                                 nop,
                                 "2",
                                 "end",  // D: 14, 15
                                 "0",
                                 nop,
                                 "2",
                                 "end"});  // E: 18, 19
  // E, D, C, B return; A does not: 4 (10000), then B runs again (CALL, ...) as straight code.
  const Finished result = run(program, {}, trace_uniforms());
  ASSERT_TRUE(result.status.ok());
  // 1 (E) + 10000 + [word 6: CALL C -> E: 1 again, back at 7] + word 8: 100, END
  EXPECT_EQ(result.state.r[0][0], 1 + 10000 + 1 + 100);
}

TEST(PicaFlow, IfStackOverflow) {
  // Nine IFs; the ninth push overwrites the first entry, so the first else part is not skipped.
  std::string body;
  for (int k = 0; k < 9; ++k) body += "ifc !cmp.x\n";
  body += k1;
  for (int k = 0; k < 8; ++k) body += ".end\n";
  body += k10 + ".else\n" + k100 + ".end\n" + k1000;
  EXPECT_EQ(trace(body), 1111);
  body.replace(0, 11, "");  // eight are fine
  const std::size_t last_end = body.find(".end\n");
  body.erase(last_end, 5);
  EXPECT_EQ(trace(body), 1011);
}

TEST(PicaFlow, LoopStackOverflow) {
  Uniforms uniforms = trace_uniforms();
  uniforms.i[0][0] = 1;
  std::string body;
  for (int k = 0; k < 5; ++k) body += "for i0\n";
  body += k1;
  for (int k = 0; k < 5; ++k) body += ".end\n";
  // The outermost loop's entry is lost: its body runs once.
  EXPECT_EQ(trace(body, uniforms), 16);
}

TEST(PicaFlow, RunningPastTheEnd) {
  const Finished direct = run(words({"0", "1"}), {});
  ASSERT_FALSE(direct.status.ok());
  EXPECT_EQ(direct.status.error().code, ErrorCode::bad_input);
  const Finished jump = run(words({"jmpu target=9", "end"}), {});
  ASSERT_FALSE(jump.status.ok());
  EXPECT_EQ(jump.status.error().code, ErrorCode::bad_input);
  // A jump into a procedure that nobody called: only seen when it happens.
  const Program program =
      words({"callu target=4 num=1 uniform=0", "jmpc target=4 condition=2 ref_x=0", "nop", "end", "0"});
  const Finished fault = run(program, {}, trace_uniforms());
  ASSERT_FALSE(fault.status.ok());
  EXPECT_EQ(fault.status.error().code, ErrorCode::fault);
  EXPECT_TRUE(run(program, with_flags(true, false), trace_uniforms()).status.ok());
}

TEST(PicaFlow, UnreachableCodeIsNotLookedAt) {
  EXPECT_TRUE(run(words({"jmpc target=2 condition=2 ref_x=1", "end", "end", "emit"}), {}).status.ok());
  Program program = words({"end", "end"});
  program.code[1] = 0x40000000;  // undefined
  EXPECT_TRUE(run(program, {}).status.ok());
  program.entry = 1;
  const Finished undefined = run(program, {});
  EXPECT_EQ(undefined.status.error().code, ErrorCode::bad_input);
  EXPECT_NE(undefined.status.error().where.find("0x40000000"), std::string::npos);
}

TEST(PicaFlow, GeometryInstructionsAreRefusedInVertexPrograms) {
  for (const char* op : {"emit", "setemit vertex=1"}) {
    const Finished result = run(words({op, "end"}), {});
    ASSERT_FALSE(result.status.ok());
    EXPECT_EQ(result.status.error().code, ErrorCode::bad_input);
  }
}

TEST(PicaFlow, EntryOutsideTheCode) {
  const Program program = words({"end"});
  EXPECT_FALSE(Interpreter::prepare(program, 1).ok());
  EXPECT_FALSE(Interpreter::prepare(Program{}, 0).ok());
}

}  // namespace
}  // namespace warpjit::pica200
