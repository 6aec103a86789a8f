// Slots that fragment programs read (docs/guests/valhall.md 10.2), and where BLEND goes on.
#include "frontend/valhall/flow/varying_uses.h"

#include "valhall/valhall_test.h"

namespace warpjit::valhall {
namespace {

using pixels::SlotUse;
using Plane = SlotUse::Plane;
using Sprite = SlotUse::Sprite;

std::vector<SlotUse> uses_of(const std::string& body, bool points_from_bottom = false) {
  auto program = assemble(".stage fragment\n" + body + "NOP.end\n", "test");
  EXPECT_TRUE(program.ok()) << body << (program ? "" : to_string(program.error()));
  if (!program) return {};
  program->fragment.points_from_bottom = points_from_bottom;
  const auto code = find_reached(*program);
  EXPECT_TRUE(code.ok()) << body;
  return code ? fragment_uses(*program, *code) : std::vector<SlotUse>{};
}

TEST(ValhallVaryings, SlotsInOrderEachOnce) {
  const std::vector<SlotUse> expected{
      {4, Plane::none}, {4, Plane::perspective}, {5, Plane::perspective}, {9, Plane::perspective}};
  EXPECT_EQ(uses_of("LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r4, r61, index:0x14\n"
                    "LD_VAR_BUF_IMM.f32.slot0.v2.src_f32.center.store @r0:r1, r61, index:0x0\n"
                    "LD_VAR_BUF_IMM.f16.slot0.v2.src_f32.sample.retrieve @r2, r61, index:0x0\n"
                    "LD_VAR_BUF_IMM.f32.slot0.src_flat32.center.store @r4, r61, index:0x0\n"
                    "LD_VAR_BUF_IMM.f32.slot0.v2.src_flat16.center.store @r4:r5, r61, index:0x0\n"),
            expected);
}

TEST(ValhallVaryings, HalvesInterpolatedAndFlat) {
  using Part = SlotUse::Part;
  EXPECT_EQ(uses_of("LD_VAR_BUF_IMM.f16.slot0.v3.src_f16.center.store @r0:r1, r61, index:0x2\n"
                    "LD_VAR_BUF_IMM.f16.slot0.v2.src_flat16.center.store @r2, r61, index:0x2\n"),
            (std::vector<SlotUse>{{4, Plane::none},
                                  {4, Plane::perspective, Sprite::none, Part::high_half},
                                  {5, Plane::none},
                                  {5, Plane::perspective, Sprite::none, Part::low_half},
                                  {5, Plane::perspective, Sprite::none, Part::high_half}}));
}

TEST(ValhallVaryings, BytesFromConstants) {
  EXPECT_EQ(uses_of("LD_VAR_BUF.f32.slot0.src_f32.center.store @r4, r61, 0x0\n"),
            (std::vector<SlotUse>{{4, Plane::perspective}}));
  EXPECT_TRUE(uses_of("LD_VAR_BUF.f32.slot0.src_f32.center.store @r4, r61, r0\n").empty());
  EXPECT_TRUE(uses_of("LD_VAR_BUF.f32.slot0.src_f32.center.store @r4, r61, 0x3F800000\n").empty());
}

TEST(ValhallVaryings, PartOfAnElementIsNoUse) {
  EXPECT_TRUE(uses_of("LD_VAR_BUF_IMM.f32.slot0.src_f32.center.store @r4, r61, index:0x2\n").empty());
  EXPECT_TRUE(uses_of("LD_VAR_BUF_IMM.f32.slot0.src_flat16.center.store @r4, r61, index:0x1\n").empty());
}

TEST(ValhallVaryings, PlaceInPoint) {
  const std::string load = "LD_VAR_SPECIAL.v2.f32.center.store.slot0 @r0:r1, r61, index:0x0\n";
  EXPECT_EQ(uses_of(load), (std::vector<SlotUse>{{0, Plane::linear, Sprite::from_left},
                                                 {1, Plane::linear, Sprite::from_top}}));
  EXPECT_EQ(uses_of(load, true), (std::vector<SlotUse>{{0, Plane::linear, Sprite::from_left},
                                                       {1, Plane::linear, Sprite::from_bottom}}));
  EXPECT_TRUE(uses_of("LD_VAR_SPECIAL.f32.center.store.slot0 @r0, r61, index:0x3\n").empty());
}

TEST(ValhallVaryings, BlendGoesOnAfterItsTarget) {
  const std::string blend = "BLEND.slot0.v4.f32 @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x2\n";
  const auto program = assemble(".stage fragment\n" + blend +
                                    "NOP\nBRANCHZI.eq.absolute 0x0, blend_descriptor_0.w1\nMOV.i32 r0, r1\n" +
                                    "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_1.w0, r60, "
                                    "target:0x0\nBRANCHZI.eq.absolute 0x0, blend_descriptor_1.w1\n",
                                "test");
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const auto code = find_reached(*program);
  ASSERT_TRUE(code.ok()) << to_string(code.error());
  EXPECT_EQ(code->instructions().size(), 3U);
  const ControlFlow flow = find_blocks(*program, *code);
  ASSERT_EQ(flow.blocks.size(), 2U);
  EXPECT_EQ(flow.blocks[0].end, 8U);
  EXPECT_EQ(flow.blocks[0].edges[0].target, 1U);
  EXPECT_EQ(flow.blocks[1].first, 24U);
  EXPECT_EQ(flow.blocks[1].edges[0].target, kThreadEnds);
}

}  // namespace
}  // namespace warpjit::valhall
