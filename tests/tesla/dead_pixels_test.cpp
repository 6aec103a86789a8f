// Where pixels that were discarded stop running.
#include "frontend/tesla/shader.h"
#include "tesla/tesla_test.h"

namespace warpjit::tesla {
namespace {

// How many places of the program's thread form lanes may leave it early at.
unsigned ways_out(const std::string& body) {
  auto container =
      assemble(".type fragment\n.registers 8\ninterp $r0 v[0x0]\n" + body + "exit nop\n", "test");
  EXPECT_TRUE(container) << to_string(container.error());
  auto shader = Shader::make(container->programs.at(0));
  EXPECT_TRUE(shader) << to_string(shader.error());
  frontend::Facts facts;
  facts.pixels.output.colors[0] = PixelFormat::rgba8;
  const auto uses = (*shader)->slot_uses();
  facts.pixels.uses.assign(uses.begin(), uses.end());
  const auto translated = (*shader)->translate(facts, false);
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
  EXPECT_EQ(ways_out(kDiscard + kQuad + kRest), 1U);  // behind the last one
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

}  // namespace
}  // namespace warpjit::tesla
