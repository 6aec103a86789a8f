// The cases of golden counts of USSE code.
#include <fmt/core.h>

#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/container/program.h"
#include "frontend/usse/translate/translate.h"
#include "golden.h"

namespace warpjit::tool {
namespace {

constexpr const char* kUsseInstructions[] = {
    "vmad2.f32 r0.xy, pa0, pa4, pa8",
    "vmad2.f16 r0.xz, pa0, pa4, pa8",
    "vmul.f32 r0.xy, pa0, pa4",
    "vmul.f16 r0.xz, pa0, pa4",
    "vadd.f32 r0.xy, pa0, pa4",
    "vadd.f16 r0.xz, pa0, pa4",
    "vmin.f32 r0.xy, pa0, pa4",
    "vmax.f32 r0.xy, pa0, pa4",
    "vfrc.f32 r0.xy, pa0, pa4",
    "vrcp.f32.f32 r0.x, pa0.x",
    "vrsq.f32.f32 r0.x, pa0.x",
    "vlog.f32.f32 r0.x, pa0.x",
    "vexp.f32.f32 r0.x, pa0.x",
    "dual3.vmad.+frcp.f32.cfg0 r0, i0.xyz, i1.xyz, i2.xyz, i0, pa0.xyz",
    "dual3.vdp.+frsq.f32.cfg0 r0, i0.x, i1.xyz, i2.xyz, i0, pa0.xyz",
    "vmov.f32 r0.xy, pa0",
    "vmov.f16 r0.xz, pa0",
    "vmovc.f32.ltz r0.xy, pa0, pa4, pa8",
    "vmovcu8.f32.eqz r0.xy, pa0, pa4, pa8",
    "vpck.f16.f32 r0, pa0, pa2",
    "vpck.f32.f16 r0.xy, pa0.xyxx",
    "vpck.u8.f32.scale r0.xyzw, pa0, pa2",
    "vpck.f32.u8.scale r0.xy, pa0.xyxx",
    "vtst.sub.f32.positive.nonzero.both.chan0.p0 c0, pa0, pa4",
    "and r0, pa0, pa4, rot:0",
    "shl r0, pa0, pa4, rot:0",
    "asr r0, pa0, pa4, rot:0",
    "limm r0, value:0x3f800000",
    "ld.b32.x1.drc0 r0, pa0, #0, #0",
    "ld.b32.x4.drc0 r0, sa0, #0, #0",
    "vmad3.f32 i0.xyz, i1, pa0, i2",
    "vmad4.f32 i0.xyzw, i1, pa0, i2",
    "vdp3.f32 i0.x, pa0, i1",
    "vdp4.f32 r0.x, pa0, i1",
    "vtstmsk.sub.f32.negative.nonzero.both.numbers.write r0, pa0, pa4",
    "sop2.add.add.s1a.s2a.s1a.s2a r0, pa0, pa4",
    "sop3.add.add.s1a.s0.s1a r0, pa0, pa4, pa8",
    "i8mad.rgb0.add0.sat r0, pa0, pa4, pa8",
    "i16mad.i16 r0, pa0, pa4, pa8",
    "i32mad.s r0, pa0, pa4, pa8",
    "i32mad2.u r0, pa0, pa4, pa8",
    "vmov.f32 i0.xyzw, pa0"};

struct UssePiece {
  const char* name;
  const char* body;
};
constexpr UssePiece kUssePieces[] = {
    {"nothing", ""},
    {"if",
     "vtst.add.f32.negative.nonzero.both.chan0.p0 c0, pa0, c0\n!p0 br offset:end\n"
     "vmul.f32 r0.xy, pa4, pa8\nend:\n"},
    {"predicate", "vtst.add.f32.negative.nonzero.both.chan0.p0 c0, pa0, c0\np0 vmul.f32 r0.xy, pa4, pa8\n"},
    {"loop",
     "again:\nvadd.f32 r0.x, r0, pa0\nvtst.sub.f32.negative.nonzero.both.chan0.p0 c0, r0, pa4\n"
     "p0 br offset:again\n"},
    {"repeat", "vmov.f32.rpt2 r0.xy, pa0\n"},
    {"quad", "vdsx.f32 r0.xy, pa0, pa0\n"},
};

// In a vertex program that reads pa0 to pa11 and i0 to i2, and leaves r0 to r3, i0 and p0.
Result<ir::Function> translate_body(const std::string& body) {
  const std::string text =
      ".stage vertex\n.primary\nvmov.f32 i0.xyzw, pa0\nvmov.f32 i1.xyzw, pa4\nvmov.f32 i2.xyzw, pa8\n" +
      body +
      "vmov.f32 o0.xy, r0\nvmov.f32 o2.xy, r2\nvmov.f32 o4.xy, i0\nvmov.f32 o6.xy, i0.zwzw\n"
      "p0 vmov.f32 o0.x, c3\nemit.end\n";
  WARPJIT_TRY(const usse::Program program, usse::assemble(text, "golden"));
  constexpr std::uint8_t kOutputs[] = {0, 1};
  return usse::translate_vertex(program, 7, kOutputs, {});
}

}  // namespace

Result<std::vector<GoldenCase>> collect_usse() {
  std::vector<GoldenCase> cases;
  const auto add = [&](const char* name, const std::string& body) -> Status {
    auto function = translate_body(body);
    if (!function) return Error{function.error().code, function.error().message, name};
    cases.push_back({name, std::move(*function)});
    return {};
  };
  for (const char* const text : kUsseInstructions) WARPJIT_CHECK(add(text, std::string(text) + "\n"));
  for (const UssePiece& sketch : kUssePieces) WARPJIT_CHECK(add(sketch.name, sketch.body));
  return cases;
}

}  // namespace warpjit::tool
