// Which fragment programs keep the control stack at run time: those whose lanes see each other in an order
// that blocks do not keep. What they give is left to the fuzzer.
#include "frontend/tesla/shader.h"
#include "tesla/tesla_test.h"

namespace warpjit::tesla {
namespace {

ir::Form form_of(const std::string& body, bool dispatch_all = false) {
  auto container = assemble(".type fragment\n.registers 8\ninterp $r0 v[0x0]\n" + body, "test");
  EXPECT_TRUE(container) << to_string(container.error());
  auto shader = Shader::make(container->programs.at(0));
  EXPECT_TRUE(shader) << to_string(shader.error());
  frontend::Facts facts;
  facts.pixels.output.colors[0] = PixelFormat::rgba8;
  const auto uses = (*shader)->slot_uses();
  facts.pixels.uses.assign(uses.begin(), uses.end());
  const auto translated = (*shader)->translate(facts, dispatch_all);
  EXPECT_TRUE(translated) << to_string(translated.error());
  if (translated && translated->function.form == ir::Form::group) {
    EXPECT_EQ(translated->function.group_lanes, kLanes);
    EXPECT_NE(translated->function.frame_slots, 0U);
  }
  return translated ? translated->function.form : ir::Form::thread;
}

const std::string kDifference = "quadop f32 sub subr sub subr $r1 dx $r0 $r0\n";
const std::string kIsLess = "set $c0 # l f32 $r0 $r1\n";

TEST(FragmentForm, ThreadFormWhereLanesAreTogether) {
  EXPECT_EQ(form_of(kDifference + "exit nop\n"), ir::Form::thread);
  EXPECT_EQ(form_of(kDifference + kIsLess + "(lg $c0) bra #end\nadd rn f32 $r2 $r2 $r0\nend:\nexit nop\n"),
            ir::Form::thread);
}

// A vote of some lanes in a loop that each leaves when it likes, and later of others at the same place.
TEST(FragmentForm, StackWhereLanesComeOneAfterTheOther) {
  const std::string loop =
      "again:\nvote any $c1\n(lg $c1) add rn f32 $r0 $r0 $r1\n" + kIsLess + "(lg $c0) bra #again\nexit nop\n";
  const std::string sides = kIsLess + "(lg $c0) bra #other\nadd rn f32 $r2 $r2 $r0\nbra #same\nother:\n" +
                            "mul rn f32 $r2 $r2 $r0\nsame:\nvote all $c1\n(lg $c1) bra #other\nexit nop\n";
  EXPECT_EQ(form_of(sides), ir::Form::group);
  EXPECT_EQ(form_of(loop, true), ir::Form::group);
}

// Transfers while whole quads are awake have no edges.
TEST(FragmentForm, StackWhereEdgesAreNotKnown) {
  EXPECT_EQ(form_of("quadon\n" + kDifference + "bra #out\nout:\nquadpop\nexit nop\n"), ir::Form::group);
}

}  // namespace
}  // namespace warpjit::tesla
