// What no source says, or what nobody needs, is refused by name: in the guest interpreter and where code is
// translated alike (docs/guests/usse.md 11).
#include "frontend/usse/interpret/run.h"
#include "frontend/usse/translate/translate.h"
#include "usse/usse_test.h"

namespace warpjit::usse {
namespace {

struct Refusal {
  Stage stage;
  const char* code;
  std::string message;
};

void check(const Program& program, const std::string& message, const std::string& code) {
  const auto guest = Interpreter::prepare(program);
  ASSERT_FALSE(guest.ok()) << code;
  EXPECT_EQ(guest.error().code, ErrorCode::unsupported) << code;
  EXPECT_EQ(guest.error().message, message) << code;
  constexpr std::array<std::uint8_t, 1> kOutputs{0};
  const frontend::PixelFacts pixels;
  const auto compiled = program.stage == Stage::vertex ? translate_vertex(program, 1, kOutputs, {})
                                                       : translate_fragment(program, pixels, {});
  ASSERT_FALSE(compiled.ok()) << code;
  EXPECT_EQ(compiled.error().code, ErrorCode::unsupported) << code;
  EXPECT_EQ(compiled.error().message, message) << code;
  EXPECT_EQ(compiled.error().where, guest.error().where) << code;
}

void check(const Refusal& refusal) {
  auto program =
      assemble(std::string(".stage ") + (refusal.stage == Stage::vertex ? "vertex" : "fragment") +
                   "\n.registers pa:8 sa:8 r:8\n.sampler unit:0 sa:0\n.primary\n" + refusal.code + "\n",
               "a.usse");
  ASSERT_TRUE(program.ok()) << refusal.code << to_string(program.error());
  check(*program, refusal.message, refusal.code);
  // And where control does not come.
  std::vector<std::uint64_t>& code = program->secondary.empty() ? program->primary : program->secondary;
  const auto over = assemble_instruction("br offset:" + std::to_string(code.size() + 1));
  ASSERT_TRUE(over.ok());
  code.insert(code.begin(), *over);
  check(*program, refusal.message, refusal.code);
}

TEST(UsseRefusals, Instructions) {
  constexpr Stage kVertex = Stage::vertex, kFragment = Stage::fragment;
  const char* const modifiers = "i8mad: its modifiers are not known";
  const char* const flags = "br: what its flags do is not known";
  const char* const none_either = "vtst: without a test of the sign, either is not known; both is";
  const std::string in_sa = ": its test is in sa, where the console read 0; tests of uniforms are vtst's";
  const auto global = [](unsigned number) {
    return ": what g" + std::to_string(number) +
           " holds is not known; fragment programs read which way round their primitive is from g16, nothing "
           "reads others";
  };
  for (const Refusal& refusal : {
           Refusal{kVertex, "rlp.low r0, r0, r1, rot:0", "rlp: what it computes is not known"},
           {kVertex, "or.rptsel r0, r0, r1, rot:0", "or: what rptsel does is not known"},
           {kVertex, "vtst.sub.f32.sign3.both.chan0.p0 c0, r0, r2",
            "vtst: this test of the sign is not known"},
           {kVertex, "vtst.sub.f32.zero3.both.chan0.p0 c0, r0, r2", "vtst: this test of zero is not known"},
           {kVertex, "vtst.sub.f32.zero.both.chan6.p0 c0, r0, r2",
            "vtst: channel 6 is not known; 0 to 5 are (x to w, all, any)"},
           {kVertex, "vtst.sub.f32.zero.either.chan0.p0 c0, r0, r2", none_either},
           {kVertex, "vtst.and.nonzero.either.chan0.p0 c0, r0, #1", none_either},
           {kVertex, "vtst.isub32.either.all.p0 c0, r0, r2", none_either},
           {kFragment, "vtstmsk.sub.f32.zero.either.bytes.write r0, r0, r2",
            "vtstmsk: without a test of the sign, either is not known; both is"},
           {kVertex, "vmovc.f32.nez r0.x, sa0, sa2.xxxx, sa4", "vmovc" + in_sa},
           {kVertex, "vmovc.f16.ltz r0.xz, sa0, r2.xyzw, r4", "vmovc" + in_sa},
           {kVertex, "vmovc.i32.eqz r0.x, sa1, r2, r4", "vmovc" + in_sa},
           {kFragment, "vmovcu8.f32.nez r0.x, sa0, r2.xxxx, r4", "vmovcu8" + in_sa},
           {kFragment, "vmovcu8.i8.lez r0.x, sa3, r2, r4", "vmovcu8" + in_sa},
           {kFragment, "nop\n.secondary\nvmovc.f32.nez r0.x, sa0, r2.xxxx, r4", "vmovc" + in_sa},
           {kFragment, "and r0, g17, #1, rot:0", "and" + global(17)},
           {kFragment, "vrcp.f32.f32 r0.x, g0.x", "vrcp" + global(0)},
           {kVertex, "and r0, g16, #1, rot:0", "and" + global(16)},
           {kFragment, "nop\n.secondary\nor r0, g16, #1, rot:0", "or" + global(16)},
           {kVertex, "vpck.f32.u8 r0.x, g5.xxxx", "vpck" + global(5)},
           {kVertex, "vtst.and.nonzero.both.chan0.p0 c0, r0, g3", "vtst" + global(3)},
           {kVertex, "ld.b32.x1.drc0 r0, r0, g1, #0", "ld" + global(1)},
           {kVertex, "i32mad2.u r0, r0, g2, r1", "i32mad2" + global(2)},
           {kVertex, "vtst.isub32.zero.both.chan0.p0 c0, -r0, r2", "vtst: negated integers are not known"},
           {kVertex, "vtstmsk.sub.f32.zero.both.bytes r0, r0, r2",
            "vtstmsk: a mask that is not written is not known"},
           {kVertex, "sop2.add.add.special.zero.zero.zero r0, r0, r1", "sop2: this factor is not known"},
           {kVertex, "sop2.add.add.s1.s2.s1a.s2a.destmod r0, r0, r1",
            "sop2: the modifier of the destination is not known"},
           {kVertex, "sop2.add.add.s1.s2.s1a.s2a.asrcmod r0, r0, r1",
            "sop2: the modifier of the alpha source is not known"},
           {kVertex, "i8mad.rgb0.add0.cmod0 r0, r0, r1, r2", modifiers},
           {kVertex, "i8mad.rgb0.add0.amod2 r0, r0, r1, r2", modifiers},
           {kVertex, "i16mad.u16.abs r0, r0, r1, r2", "i16mad: abs is not known"},
           {kVertex, "i16mad.u16.or1 r0, r0, r1, r2", "i16mad: or-shifts are not known"},
           {kVertex, "i16mad.u16.fmt3_1 r0, r0, r1, r2", "i16mad: format 3 is not known"},
           {kVertex, "i32mad2.u.step2 r0, r0, r1, r2", "i32mad2: step 2 is not known"},
           {kVertex, "smp.2d.f32.f32.minpack.drc0 r0, pa0, sa0, pa4", "smp: what minpack does is not known"},
           {kVertex, "smp.2d.f32.f32.gradients.gather.drc0 r0, pa0, sa0, pa4",
            "smp: it gathers with gradients"},
           {kVertex, "smp.2d.f32.f32.drc0 r0, pa0, sa4, pa4",
            "smp: with control words in sa4, where the program has those of no unit; it has those of unit 0"},
           {kVertex, "ld.b32.x1.local.drc0 r0, sa0, #0, #0",
            "ld: local and tiled addresses are not supported"},
           {kVertex, "st.b32.x1.tiled.drc0 r0, sa0, #0, r1",
            "st: local and tiled addresses are not supported"},
           {kVertex, "ld.b32.x1.inc1.drc0 r0, sa0, #0, #0", "ld: increments of addresses are not supported"},
           {kVertex, "ld.b32.x1.dec.drc0 r0, sa0, #0, #0", "ld: increments of addresses are not supported"},
           {kVertex, "ld.b32.x1.range.drc0 r0, sa0, #0, #0", "ld: checks of a range are not supported"},
           {kVertex, "br.exception offset:1", flags},
           {kVertex, "br.pwait offset:1", flags},
           {kVertex, "br.syncext offset:1", flags},
           {kVertex, "br.monitor offset:1", flags},
           {kVertex, "ret.link", "ret: a return that is a call is not known"},
           {kVertex, "emit.end\nnop", "emit: it is not the end of the program"},
           {kVertex, "kill sa0, sa0", "kill: only fragment programs discard"},
           {kVertex, "depthf feedback:0, r0, sa0, sa0", "depthf: only fragment programs have a depth"},
           {kFragment, "emit.end", "emit: only vertex programs emit"},
           {kVertex, "or sa4, r0, r1, rot:0",
            "or: a primary program that writes secondary attributes is not supported"},
           {kFragment, "nop\n.secondary\nkill sa0, sa0", "kill: only fragment programs discard"},
           {kFragment, "nop\n.secondary\ndepthf feedback:0, r0, sa0, sa0",
            "depthf: only fragment programs have a depth"},
       })
    check(refusal);
}

TEST(UsseRefusals, Programs) {
  auto program = assemble(".stage fragment\n.primary\nnop", "a.usse");
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  program->texture_buffer_samplers = 1;
  check(*program, "textures of a texture buffer are not supported", "");
}

// What is only named is not refused: sources that are not read, and the face in fragments.
TEST(UsseRefusals, UnreadGlobalValuesAreAccepted) {
  for (const char* code : {"vtst.rcp.f32.positive.both.chan0.p0 c0, r0, g3", "or g3, r0, #0, rot:0",
                           "and r0, g16, #1, rot:0", "i32mad2.u.step1 r0, r0, g2, r1"}) {
    const auto program =
        assemble(std::string(".stage fragment\n.registers pa:8 sa:8 r:8\n.primary\n") + code, "a.usse");
    ASSERT_TRUE(program.ok()) << to_string(program.error());
    EXPECT_TRUE(Interpreter::prepare(*program).ok()) << code;
    EXPECT_TRUE(translate_fragment(*program, frontend::PixelFacts(), {}).ok()) << code;
  }
}

// What is not written is not refused.
TEST(UsseRefusals, TestsThatNameSecondaryAttributesAreAccepted) {
  auto program = assemble(
      ".stage vertex\n.registers pa:8 sa:8 r:8\n.primary\nvtst.sub.f32.zero.both.chan0.p0 sa0, r0, r2",
      "a.usse");
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  EXPECT_TRUE(Interpreter::prepare(*program).ok());
  constexpr std::array<std::uint8_t, 1> kOutputs{0};
  EXPECT_TRUE(translate_vertex(*program, 1, kOutputs, {}).ok());
}

}  // namespace
}  // namespace warpjit::usse
