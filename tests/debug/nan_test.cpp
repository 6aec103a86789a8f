// NaNs that programs were given or made: each case has one at an instruction or in an input that the test knows, in one
// thread. DebugBirth and DebugOrigin must name it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "debug/any_capture.h"
#include "launch/bound_launch.h"
#include "launch/read_launch.h"
#include "support/byte_sink.h"
#include "support/own_folder.h"
#include "support/source_dir.h"
#include "warpjit/debug.hpp"
#include "warpjit/launch_recorder.hpp"

namespace warpjit::tests {
namespace {

namespace fs = std::filesystem;
using From = DebugOrigin::From;

constexpr const char* kNan = "\"0x7fc00000\"";

// A launch file and its program, where the NaN is, and the thread that has it.
struct Case {
  std::string name, program, launch;  // in the launch PROGRAM is the file's name
  const char* place;
  const char* seed;                // of the instruction's text; empty: it was given
  From from = From::computed;      // of the value where the NaN begins
  const char* register_name = "";  // of that value; memory has none
  const char* stage = "";          // that gives it; empty: the place's own
};

// ---- Data with one value that is another
std::string floats(unsigned count, unsigned at, const char* value) {
  std::string text;
  for (unsigned n = 0; n < count; ++n)
    text += (n == 0 ? "" : ", ") + (n == at ? value : std::to_string(n + 1) + ".0");
  return text;
}

// ---- The 3DS: programs over rows, four components each
Case pica(const char* name, const std::string& code, const std::string& input, const char* place,
          const char* seed, From from = From::computed, const char* reg = "", const char* uniforms = "") {
  return {
      name,
      ".out result position\n.proc main\n" + code + "end\n.end\n",
      R"({"warpjit": 1, "isa": "pica200", "stage": "vertex", "program": {"file": "PROGRAM.v.pica"}, "count": 4,)" +
          std::string(uniforms) + R"("inputs": {"v0": {"format": "f32x4", "data": [)" + input +
          R"(]}}, "outputs": {"result": {}}})",
      place,
      seed,
      from,
      reg};
}

// ---- Tesla: kernels of two blocks of 16 threads, each with a word of g14, and draws
Case tesla(const char* name, const std::string& code, const std::string& data, const char* place,
           const char* seed, From from = From::computed, const char* reg = "") {
  return {name,
          ".kernel k\n.registers 12\n.shared 0x40\nand b32 $r0 $r0 0xffff\nshl b32 $r1 $r0 0x2\n"
          "add b32 $r1 b32 s[0x10] $r1\nld b32 $r2 g14[$r1]\n" +
              code + "st b32 g14[$r1] $r4\nexit nop\n",
          R"({"warpjit": 1, "isa": "tesla", "stage": "compute", "program": {"file": "PROGRAM.tesla"},
              "grid": [2, 1], "block": [16, 1, 1], "params": ["0x10000"], "memory": [
                {"space": "g14", "address": "0x10000", "format": "f32", "data": [)" +
              data + R"(], "size": 256}],
              "outputs": [{"space": "g14", "address": "0x10000", "format": "f32", "count": 4}]})",
          place,
          seed,
          from,
          reg};
}
const std::string kTriangle = "-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1";
// `values`: a number of each vertex, which the fragments get in $r0.
Case tesla_draw(const char* name, const std::string& vertex, const std::string& fragment,
                const std::string& values, const char* place, const char* seed, From from = From::computed,
                const char* reg = "", const char* stage = "", const std::string& more = "") {
  return {
      name,
      ".kernel v\n.type vertex\n.attributes 0xff\n.results 0 1 2 3 4\n.registers 8\nmov b32 o[0x0] a[0x0]\n"
      "mov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\nmov b32 $r0 a[0x10]\n" +
          vertex +
          "mov b32 o[0x10] $r0\nexit nop\n\n.kernel f\n.type fragment\n.interpolants 0x8010401\n.registers "
          "8\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\ninterp $r0 v[0x4] $r4\n" +
          fragment + "exit nop\n",
      R"({"warpjit": 1, "isa": "tesla", "stage": "fragment", "count": 3, "program": {"file": "PROGRAM.tesla"},
              "vertex": {"inputs": {"a0": {"format": "f32x4", "data": [)" +
          kTriangle + R"(]}, "a1": {"format": "f32", "data": [)" + values + R"(]}}}, )" + more + R"(
              "targets": {"size": [16, 16], "colors": [{"format": "rgba32f"}]}})",
      place,
      seed,
      from,
      reg,
      stage};
}

// ---- The Vita: draws; both programs are in the launch file
std::string lines(const std::string& code) {
  std::string text;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = std::min(code.find('\n', at), code.size());
    text += (text.empty() ? "\"" : ", \"") + code.substr(at, end - at) + "\"";
    at = end + 1;
  }
  return text;
}
Case usse(const char* name, const std::string& vertex, const std::string& fragment, const std::string& values,
          const std::string& uniforms, const char* place, const char* seed, From from = From::computed,
          const char* reg = "", const char* stage = "", const std::string& secondary = "") {
  const std::string phase = "phas.imm mode:0, rate:0, wait:7, temps:0, address:0\n";
  return {
      name,
      "",
      R"({"warpjit": 1, "isa": "usse", "stage": "fragment", "count": 3, "program": {"source": [)" +
          lines(".stage fragment\n.registers pa:4 sa:8 r:8\n.input texcoord0 f32 1\n.output f16 4 pa:0\n" +
                secondary + phase + fragment + "vpck.f16.f32 pa0, r0, r2\nnop.end\n") +
          R"(]}, "uniforms": {"sa0": [)" + uniforms + R"(]}, "vertex": {"program": {"source": [)" +
          lines(".stage vertex\n.registers pa:8 sa:4 r:8\n.results position texcoord0.xy\n" + phase +
                "vmov.f32 o0.xy, pa0\nvmov.f32 o2.xy, pa2\n" + vertex + "emit.end\n") +
          R"(]}, "inputs": {"pa0": {"format": "f32x4", "data": [)" + kTriangle +
          R"(]}, "pa4": {"format": "f32", "data": [)" + values + R"(]}}},
              "targets": {"size": [16, 16], "colors": [{"format": "rgba16f"}]}})",
      place,
      seed,
      from,
      reg,
      stage};
}

// ---- Mali: kernels of two workgroups of 16 threads, each with a word in memory; u2 is 1, u3 a NaN
Case valhall(const char* name, const std::string& code, const std::string& data, const char* place,
             const char* seed, From from = From::computed, const char* reg = "") {
  return {name,
          ".stage compute\nSHADDX.u64 r10, u0, r60.w0, shift:0x2\n"
          "LOAD.i32.unsigned.slot0.wait0 @r0, r10, offset:0\n" +
              code + "STORE.i32.slot0.end @r4, r10, offset:0\n",
          R"({"warpjit": 1, "isa": "valhall", "stage": "compute", "program": {"file": "PROGRAM.valhall"},
              "grid": [2, 1], "block": [16, 1], "params": ["0x10000", 0, 1.0, )" +
              std::string(kNan) +
              R"(], "memory": [{"space": "mem", "address": "0x10000", "format": "f32", "data": [)" + data +
              R"(], "size": 256}],
              "outputs": [{"space": "mem", "address": "0x10000", "format": "f32", "count": 4}]})",
          place,
          seed,
          from,
          reg};
}
// `value` is that of the second vertex.
Case valhall_draw(const char* name, const std::string& code, const std::string& value, const char* place,
                  const char* seed, From from, const char* reg) {
  return {
      name,
      ".stage fragment\nLD_VAR_BUF_IMM.f32.slot0.v2.src_f32.center.store.wait0 @r0:r1, r61, index:0x0\n" +
          code +
          "MOV.i32 r0, r3\nMOV.i32 r1, r3\nMOV.i32.wait0126 r2, r3\nATEST.wait @r60, r60, 0x3F800000, "
          "atest_datum.w0\nBLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n",
      R"({"warpjit": 1, "isa": "valhall", "stage": "fragment", "count": 3, "program": {"file": "PROGRAM.valhall"},
              "vertices": {"slots": 6, "data": [-1, -1, 0, 1, 1, 2, 3, -1, 0, 1, 1, )" +
          value + R"(, -1, 3, 0, 1, 1, 1]},
              "targets": {"size": [16, 16], "colors": [{"format": "rgba32f"}]}})",
      place,
      seed,
      from,
      reg};
}

void PrintTo(const Case& one, std::ostream* to) { *to << one.launch << "\n" << one.program; }

std::vector<Case> cases() {
  const std::string ones = "1, 2, 3, 4, ";
  std::vector<Case> all;
  // The 3DS. There 0 times infinity is 0.
  all.push_back(pica("PicaInfinityLessInfinity",
                     "rcp r0, v0.x\nadd r1, r0, -r0\nmul r2, r1, v0\nmov result, r2\n",
                     ones + ones + "0, 1, 1, 1, 1, 2, 3, 4", "vertex 2", "add "));
  all.push_back(pica("PicaRootOfNegative",
                     "mov r0, v0\nrsq r1.x, r0.y\nadd r1.x, r1.x, r0.x\nmov result, r1.x\n",
                     ones + "1, -2, 1, 1, " + ones + "1, 2, 3, 4", "vertex 1", "rsq"));
  all.push_back(pica("PicaUniform", "mul r1, c5, v0\nadd r1, r1, v0\nmov result, r1\n",
                     ones + ones + ones + "1, 2, 3, 4", "vertex 1", "", From::uniform, "c5.y",
                     R"("uniforms": {"c5": [1, "0x7fc00000", 1, 1]}, )"));
  all.push_back(pica("PicaAttribute", "mul r1, v0.w, v0\nadd r1, r1, r1\nmov result, r1\n",
                     ones + "1, 1, 1, " + kNan + ", " + ones + "1, 2, 3, 4", "vertex 1", "", From::start,
                     "v0.w"));
  all.push_back(pica("PicaLogarithmOfNegative", "lg2 r1.x, v0.x\nex2 r1.x, r1.x\nmov result, r1.x\n",
                     ones + ones + ones + "-1, 2, 3, 4", "vertex 3", "lg2"));
  all.push_back(
      {"PicaGeometry",
       ".gsh point c0\n.entry gmain\n.in gpos v0\n.out outpos position\n.proc gmain\nsetemit 0\n"
       "rcp r0, gpos.x\nadd r0, r0, -r0\nmov outpos, r0\nemit\nsetemit 1\nmov outpos, gpos\nemit\n"
       "setemit 2, prim\nemit\nend\n.end\n",
       R"({"warpjit": 1, "isa": "pica200", "stage": "geometry", "program": {"file": "PROGRAM.g.pica"},
                     "count": 3, "inputs": {"gpos": {"format": "f32x4", "data": [1, 2, 3, 4, 1, 2, 3, 4, 0, 0, 0, 1]}},
                     "geometry": {"mode": "point"}, "outputs": {"outpos": {}}})",
       "invocation 2", "add "});

  // Tesla
  all.push_back(tesla("TeslaZeroTimesInfinity",
                      "rcp f32 $r3 $r2\nmul rn f32 $r4 $r2 $r3\nadd f32 $r4 $r4 1.0\n", floats(32, 5, "0"),
                      "thread 5", "mul"));
  all.push_back(tesla("TeslaRootOfNegative", "rsqrt f32 $r3 $r2\nmul rn f32 $r4 $r2 $r3\n",
                      floats(32, 11, "-4"), "thread 11", "rsqrt"));
  all.push_back(tesla("TeslaLogarithmOfNegative", "lg2 f32 $r3 $r2\nadd f32 $r4 $r3 1.0\n",
                      floats(32, 2, "-4"), "thread 2", "lg2"));
  all.push_back(tesla("TeslaChainOfReciprocals",
                      "rcp f32 $r3 $r2\nrcp f32 $r5 $r3\nrcp f32 $r5 $r5\nmul f32 $r6 $r5 -1.0\n"
                      "add rn f32 $r4 $r5 $r6\nmul f32 $r4 $r4 2.0\n",
                      floats(32, 14, "0"), "thread 14", "add rn"));
  all.push_back(
      tesla("TeslaUnderAPredicate",
            "mov b32 $r5 0\nset $c0 # l f32 $r2 $r5\nadd rn f32 $r3 $r2 $r2\n(lg $c0) rsqrt f32 $r3 $r2\n"
            "mul rn f32 $r4 $r3 $r3\n",
            floats(32, 9, "-4"), "thread 9", "rsqrt"));
  all.push_back(tesla("TeslaMemory", "mul rn f32 $r4 $r2 $r2\nadd rn f32 $r4 $r4 $r2\n", floats(32, 7, kNan),
                      "thread 7", "", From::memory));
  all.push_back(tesla_draw("TeslaFragment", "",
                           "mov b32 $r5 -2.0\nadd rn f32 $r1 $r0 $r5\nrsqrt f32 $r1 $r1\nmov b32 $r2 $r1\n",
                           "1, 1, 1", "pixel 5,7", "rsqrt"));
  all.push_back(tesla_draw("TeslaVertexSeenInAFragment", "rsqrt f32 $r0 $r0\nadd f32 $r0 $r0 1.0\n",
                           "mul f32 $r1 $r0 2.0\nmov b32 $r2 $r1\n", "1, -1, 1", "pixel 5,7", "rsqrt",
                           From::varying, "v[0x4]", "vertex 1"));
  all.push_back(tesla_draw(
      "TeslaTexture", "",
      "mov b32 $r1 $r0\ntexauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nmul f32 $r1 $r0 2.0\n",
      "0.5, 0.5, 0.5", "pixel 5,7", "", From::texel, "", "",
      R"("textures": {"0": {"file": "nans.bin", "format": "rgba32f", "size": [4, 4]}}, "samplers": {"0": {}}, )"));

  // The Vita
  const std::string color = "vmul.f32 r0.xy, sa0, pa0.xxxx\nvmul.f32 r2.xy, sa2, pa0.xxxx\n",
                    times_r4 = "vmul.f32 r0.xy, sa0, r4.xxxx\nvmul.f32 r2.xy, sa2, r4.xxxx\n",
                    same = "vmov.f32 o4.xy, pa4\n";
  all.push_back(usse("UsseVertexSeenInAFragment",
                     "vrsq.f32.f32 r0.x, pa4.x\nvmul.f32 r2.x, r0, pa4\nvmov.f32 o4.xy, r2\n", color,
                     "1, 0, 1", "1, 1, 1, 1", "pixel 5,7", "vmul.f32 r2", From::varying, "pa0", "vertex 1"));
  all.push_back(
      usse("UsseZeroTimesInfinity", same,
           "vadd.f32 r4.x, -pa0, pa0\nvrcp.f32.f32 r4.x, r4.x\nvmul.f32 r4.x, r4, sa0.yyyy\n" + times_r4,
           "1, 2, 1", "1, 0, 1, 1", "pixel 5,7", "vmul.f32 r4"));
  all.push_back(usse("UsseLogarithmOfNegative", same, "vlog.f32.f32 r4.x, sa0.y\n" + times_r4, "1, 2, 1",
                     "1, -1, 1, 1", "pixel 6,7", "vlog"));
  all.push_back(usse("UsseUniform", same, color, "1, 2, 1", std::string("1, 1, ") + kNan + ", 1", "pixel 6,7",
                     "", From::uniform, "sa2"));
  all.push_back(usse("UsseAttribute", same, color, std::string("1, ") + kNan + ", 1", "1, 1, 1, 1",
                     "pixel 6,7", "", From::varying, "pa0", "vertex 1"));
  all.push_back(usse("UsseSecondaryProgram", same,
                     "vmul.f32 r0.xy, sa4.xxxx, pa0.xxxx\nvmul.f32 r2.xy, sa2, pa0.xxxx\n", "1, 2, 1",
                     "1, -1, 1, 1", "secondary 0", "vlog", From::computed, "sa4", "",
                     ".secondary\nvlog.f32.f32 pa4.x, sa0.y\n.primary\n"));

  // Mali
  all.push_back(valhall("ValhallZeroTimesInfinity",
                        "FRCP.f32 r1, r0\nFMA.f32 r4, r0, r1, 0x0.neg\nFADD.f32 r4, r4, u2\n",
                        floats(32, 6, "0"), "thread 6", "FMA"));
  all.push_back(valhall("ValhallRootOfNegative", "FRSQ.f32 r1, r0\nFADD.f32 r4, r1, u2\n",
                        floats(32, 13, "-1"), "thread 13", "FRSQ"));
  all.push_back(valhall("ValhallInfinityLessInfinity", "FRCP.f32 r1, r0\nFADD.f32 r4, r1, r1.neg\n",
                        floats(32, 19, "0"), "thread 3 block 1", "FADD"));
  all.push_back(valhall("ValhallHalfOverflow",
                        "V2F32_TO_V2F16 r1, r0, r0\nFADD.v2f16 r2, r1, r1.neg\nFADD.v2f16 r4, r2, r2\n",
                        floats(32, 9, "1000000"), "thread 9", "FADD.v2f16 r2"));
  all.push_back(
      valhall("ValhallMemory", "FADD.f32 r4, r0, r0\n", floats(32, 3, kNan), "thread 3", "", From::memory));
  all.push_back(valhall("ValhallUniform", "FADD.f32 r4, r0, u3\n", floats(32, 99, ""), "thread 4", "",
                        From::uniform, "u3"));
  all.push_back(valhall_draw("ValhallVarying", "FADD.f32 r2, r0, r1\nFMA.f32 r3, r2, r2, 0x0.neg\n", kNan,
                             "pixel 5,7", "", From::varying, "slot5"));
  all.push_back(valhall_draw("ValhallFragment",
                             "FADD.f32 r2, r0, r0.neg\nFRCP.f32 r1, r2\nFMA.f32 r3, r2, r1, 0x0.neg\n", "1",
                             "pixel 5,7", "FMA", From::computed, ""));
  return all;
}

Capture load(const Case& one) {
  const fs::path folder = own_folder("warpjit-nan");
  std::string launch = one.launch;
  if (const std::size_t at = launch.find("PROGRAM"); at != std::string::npos) {
    launch.replace(at, 7, one.name);
    const std::size_t end = launch.find('"', at);
    std::ofstream(folder / launch.substr(at, end - at)) << one.program;
  }
  std::ofstream(folder / (one.name + ".json")) << launch;
  std::ofstream nans(folder / "nans.bin", std::ios::binary);
  for (unsigned n = 0; n < 64; ++n) {
    const std::uint32_t word = n % 4 == 0 ? 0x7fc00000 : 0x3f800000;
    nans.write(reinterpret_cast<const char*>(&word), sizeof word);
  }
  nans.close();
  auto capture = tool::load_any_capture((folder / (one.name + ".json")).string());
  EXPECT_TRUE(capture.ok()) << to_string(capture.error());
  return std::move(*capture);
}

// One of f32, or of two halves.
bool is_nan(std::uint32_t word) {
  const auto half = [](std::uint32_t bits) { return (bits & 0x7fff) > 0x7c00; };
  if ((word & 0x7fffffff) >= 0x7f800000) return (word & 0x7fffffff) != 0x7f800000;
  return half(word) || half(word >> 16);
}

// The last NaN of the place's own lane, followed to where it was born: values of whose operands none is one.
std::vector<DebugOrigin::Node> beginnings(DebugSession& session) {
  const auto found =
      session.search({.nan = true, .copies = true, .lanes = 1U << session.lane()}, session.steps(), true);
  EXPECT_TRUE(found.ok() && *found) << "no instruction of the thread gives a NaN";
  if (!found || !*found) return {};
  const auto step = session.step(**found);
  EXPECT_TRUE(step.ok());
  for (const auto& write : step->writes) {
    if (write.lane != session.lane() || !is_nan(write.after)) continue;
    const auto origin = session.origin(write.word, write.lane, **found + 1, true);
    EXPECT_TRUE(origin.ok());
    std::vector<DebugOrigin::Node> ends;
    for (const DebugOrigin::Node& node : origin->nodes) {
      EXPECT_EQ(node.lane, session.lane());
      const bool goes_on =
          std::ranges::any_of(node.of, [&](std::size_t of) { return is_nan(origin->nodes[of].value); });
      if (is_nan(node.value) && (!goes_on || node.from == From::varying)) ends.push_back(node);
    }
    return ends;
  }
  ADD_FAILURE() << "the step gives none";
  return {};
}

class SeededNan : public testing::TestWithParam<Case> {};

TEST_P(SeededNan, IsFound) {
  const Case& one = GetParam();
  const Capture capture = load(one);
  auto session = DebugSession::open(capture);
  ASSERT_TRUE(session.ok());
  const auto place = DebugPlace::parse(one.place);
  ASSERT_TRUE(place.ok());
  const Status gone = session->go(*place);
  ASSERT_TRUE(gone.ok()) << to_string(gone.error());
  EXPECT_EQ(session->difference(), "");

  // Where the value begins in the place's own program.
  const bool is_own = std::string_view(one.stage).empty();
  const std::vector<DebugOrigin::Node> ends = beginnings(*session);
  ASSERT_FALSE(ends.empty());
  for (const DebugOrigin::Node& end : ends) {
    if (end.from == From::varying && session->name(end.word).starts_with("slot") &&
        !std::string_view(one.register_name).starts_with("slot"))
      continue;  // of which the input register was made
    EXPECT_EQ(name(end.from), std::string(name(one.from)));
    if (one.from == From::memory) {
      const unsigned thread = static_cast<unsigned>(place->thread[0]);
      EXPECT_EQ(end.memory, 0x10000U + 4 * thread);
    } else if (*one.register_name != '\0') {
      EXPECT_EQ(session->name(end.word), one.register_name);
    }
    if (is_own && *one.seed != '\0') {
      EXPECT_NE(session->text(end.address).find(one.seed), std::string::npos) << session->text(end.address);
    }
  }
  // The vertex that gave it.
  std::string born_at = one.place;
  if (!is_own) {
    born_at = "draw 0 " + std::string(one.stage);
    const auto vertex = DebugPlace::parse(born_at);
    ASSERT_TRUE(std::ranges::any_of(session->vertices(),
                                    [&](const DebugPlace& of) { return of.text() == vertex->text(); }));
    ASSERT_TRUE(session->go(*vertex).ok());
    EXPECT_EQ(session->difference(), "");
    for (const DebugOrigin::Node& end : beginnings(*session)) {
      if (*one.seed == '\0') {
        EXPECT_EQ(end.from, From::start);
        continue;
      }
      EXPECT_EQ(end.from, From::computed);
      EXPECT_NE(session->text(end.address).find(one.seed), std::string::npos) << session->text(end.address);
    }
  }

  // The capture's births: that one, first in that thread, and no other.
  const auto births = find_births(capture);
  ASSERT_TRUE(births.ok()) << to_string(births.error());
  if (*one.seed == '\0') {
    EXPECT_EQ(births->size(), 0u);
    return;
  }
  ASSERT_EQ(births->size(), 1u) << births->back().text;
  EXPECT_NE(births->front().text.find(one.seed), std::string::npos) << births->front().text;
  EXPECT_EQ(births->front().draw, 0u);
  DebugPlace first = births->front().first;
  first.step = 0;
  const auto thread = DebugPlace::parse(born_at);
  // All fragments make it.
  if (thread->of != DebugPlace::Of::pixel) {
    EXPECT_EQ(first.text(), thread->text());
  }
}

// Each of several threads looks at draws of its own.
TEST(Births, AreTheSameOnAnyNumberOfThreads) {
  constexpr std::size_t kDraws = 9;
  auto launch = tool::read_launch(source_file("examples/debug/light.json"));
  ASSERT_TRUE(launch.ok()) << to_string(launch.error());
  auto bound = tool::BoundLaunch::make(std::move(*launch));
  ASSERT_TRUE(bound.ok()) << to_string(bound.error());
  std::vector<std::byte> bytes;
  LaunchRecorder recorder(append, &bytes);
  const Engine engine;
  for (std::size_t n = 0; n < kDraws; ++n) ASSERT_TRUE(recorder.run(engine, bound->launch()).ok());
  ASSERT_TRUE(recorder.finish().ok());
  const auto capture = Capture::load(bytes, "light.wjcap");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());

  const auto on = [&](unsigned threads) {
    RunOptions options;
    options.threads = threads;
    std::vector<std::string> texts;
    const auto births = find_births(*capture, false, options);
    EXPECT_TRUE(births.ok()) << to_string(births.error());
    if (births)
      for (const DebugBirth& birth : *births)
        texts.push_back(std::to_string(birth.draw) + " " + std::to_string(birth.address) + " " + birth.text +
                        " " + std::to_string(birth.count) + " " + birth.first.text());
    return texts;
  };
  const std::vector<std::string> alone = on(1);
  EXPECT_GE(alone.size(), kDraws);
  for (const unsigned threads : {2, 5, 16}) EXPECT_EQ(on(threads), alone) << threads;
}

INSTANTIATE_TEST_SUITE_P(All, SeededNan, testing::ValuesIn(cases()),
                         [](const auto& chosen) { return chosen.param.name; });

}  // namespace
}  // namespace warpjit::tests
