// What fragment programs become: where pixels that were discarded stop running, and which keep the control
// stack.
#include "frontend/tesla/shader.h"
#include "tesla/tesla_test.h"

namespace warpjit::tesla {
namespace {

// What a fragment program with that body and one target of RGBA8 becomes.
Result<frontend::Shader::Translation> translated_fragment(const std::string& body,
                                                          bool dispatch_all = false) {
  WARPJIT_TRY(auto container,
              assemble(".type fragment\n.registers 8\ninterp $r0 v[0x0]\n" + body + "exit nop\n", "test"));
  WARPJIT_TRY(auto shader, Shader::make(container.programs.at(0)));
  frontend::PixelFacts facts;
  facts.output.colors[0] = PixelFormat::rgba8;
  facts.uses = shader->varyings().slots_read;
  return shader->translate({.work = facts}, dispatch_all);
}

// How many places of the program's thread form lanes may leave it early at.
unsigned ways_out(const std::string& body) {
  const auto translated = translated_fragment(body);
  EXPECT_TRUE(translated) << to_string(translated.error());
  unsigned count = 0;
  for (std::uint32_t b = 0; translated && b < translated->function.block_count(); ++b) {
    const ir::Inst end = translated->function.terminator(ir::Block{b});
    count += translated->function.inst(end).opcode == ir::Opcode::Branch ? 1 : 0;
  }
  return count;
}

const std::string kQuad = "quadop f32 sub subr sub subr $r1 dx $r0 $r0\n";
const std::string kDiscard = "set $c0 # l f32 $r0 $r1\n(lg $c0) discard\n";
const std::string kRest = "mul rn f32 $r2 $r1 $r0\nrcp f32 $r3 $r2\n";

TEST(DeadPixels, EndWhereNoQuadSeesThem) {
  EXPECT_EQ(ways_out(kDiscard + kRest), 1U);          // no quads at all
  EXPECT_EQ(ways_out(kQuad + kDiscard + kRest), 1U);  // none after the discard
  EXPECT_EQ(ways_out(kDiscard + kQuad + kRest), 1U);  // after the last one
  EXPECT_EQ(ways_out(kQuad + kDiscard + kRest + kDiscard + kRest), 2U);
  EXPECT_EQ(ways_out(kQuad + kRest), 0U);  // no pixel dies
  EXPECT_EQ(ways_out(kQuad + kDiscard + kQuad + kDiscard + kRest), 2U);
}

// What they do there could be seen.
TEST(DeadPixels, RunOnInLoopsAndWithMemory) {
  const std::string loop = "again:\nadd rn f32 $r2 $r2 $r0\nset $c1 # l f32 $r2 $r1\n(lg $c1) bra #again\n";
  EXPECT_EQ(ways_out(kQuad + kDiscard + loop + kRest), 1U);                    // the loop's own branch
  EXPECT_EQ(ways_out(kQuad + kDiscard + "ld b32 $r4 g0[$r3]\n" + kRest), 1U);  // quads with no live lane
}

// Programs whose lanes see each other in an order that blocks do not keep have the control stack at run time.
// What they give is left to the fuzzer.
ir::Form form_of(const std::string& body, bool dispatch_all = false) {
  const auto translated = translated_fragment(body, dispatch_all);
  EXPECT_TRUE(translated) << to_string(translated.error());
  if (translated && translated->function.form == ir::Form::group) {
    EXPECT_EQ(translated->function.group_lanes, kLanes);
    EXPECT_NE(translated->function.frame_slots, 0U);
  }
  return translated ? translated->function.form : ir::Form::thread;
}

const std::string kIsLess = "set $c0 # l f32 $r0 $r1\n";

TEST(FragmentForm, ThreadFormWhereLanesAreTogether) {
  EXPECT_EQ(form_of(kQuad), ir::Form::thread);
  EXPECT_EQ(form_of(kQuad + kIsLess + "(lg $c0) bra #end\nadd rn f32 $r2 $r2 $r0\nend:\n"), ir::Form::thread);
}

// A vote of some lanes in a loop that each leaves when it likes, and later of others at the same place.
TEST(FragmentForm, StackWhereLanesComeOneAfterTheOther) {
  const std::string loop =
      "again:\nvote any $c1\n(lg $c1) add rn f32 $r0 $r0 $r1\n" + kIsLess + "(lg $c0) bra #again\n";
  const std::string sides = kIsLess + "(lg $c0) bra #other\nadd rn f32 $r2 $r2 $r0\nbra #same\nother:\n" +
                            "mul rn f32 $r2 $r2 $r0\nsame:\nvote all $c1\n(lg $c1) bra #other\n";
  EXPECT_EQ(form_of(sides), ir::Form::group);
  EXPECT_EQ(form_of(loop, true), ir::Form::group);
}

// Transfers while whole quads are awake have no edges.
TEST(FragmentForm, StackWhereEdgesAreNotKnown) {
  EXPECT_EQ(form_of("quadon\n" + kQuad + "bra #out\nout:\nquadpop\n"), ir::Form::group);
}

}  // namespace
}  // namespace warpjit::tesla
