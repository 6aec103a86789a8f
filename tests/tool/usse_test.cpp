// The built tool and USSE programs: examples, templates, launch files.
#include "frontend/usse/assembly/assemble.h"
#include "tool/cli.h"
#include "tool/schema.h"
#include "usse/gxp_builder.h"

namespace warpjit::tool {
namespace {

using nlohmann::json;
using UsseToolTest = ToolTest;

const std::string kGraphics = tests::source_file("examples/usse/graphics/");
json schema() { return json::parse(std::ifstream(tests::source_file("docs/launch.schema.json"))); }

// A vertex program that gives pa0 + sa0 as its position, and the number of the vertex times two in colour 0.
constexpr const char* kVertex =
    ".stage vertex\n.registers pa:8 sa:4 r:4\n.flags uses_index\n.results position color0 texcoord1.xy.half\n"
    ".numbers index:4\nphas.imm mode:0, rate:0, wait:7, temps:0, address:0\nvadd.f32 o0.xy, pa0, sa0\n"
    "vadd.f32 o2.xy, pa2, sa2\nvpck.f32.u16 r0.x, pa4.xxxx\nvadd.f32 o4.x, r0, r0\nlimm o8, "
    "value:0x40003c00\n"
    "emit.end\n";

json vertex_launch() {
  return json::parse(R"({"warpjit":1,"isa":"usse","stage":"vertex","program":{"file":"v.usse"},"count":2,
    "uniforms":{"sa0":[1,2,"0x40400000"],"sa3":4},
    "inputs":{"pa0":{"format":"f32x3","data":[1,2,3,4,5,6]},"id":{"format":"f32x2","data":["0x7","0x0","0x9","0x0"]}},
    "outputs":{"slots0":{},"slots1":{"format":"f32x4"},"slots5":{"format":"f32x2"}},
    "expect":{"slots0":{"data":[2,4,6,5,5,7,9,5]},"slots1":{"format":"f32","data":[14,18]},
              "slots5":{"format":"f32x2","data":[1,2,1,2]}}})");
}

TEST_F(UsseToolTest, ExamplesAgreeOnEveryEngine) {
  unsigned count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kGraphics)) {
    if (entry.path().extension() != ".json") continue;
    const Outcome verify = run("verify '" + entry.path().string() + "' --json");
    EXPECT_EQ(verify.code, 0) << entry.path() << verify.out << verify.err;
    const Outcome random = run("verify '" + entry.path().string() + "' --random 20");
    EXPECT_EQ(random.code, 0) << entry.path() << random.out << random.err;
    ++count;
  }
  EXPECT_GE(count, 3U);
}

TEST_F(UsseToolTest, VertexProgramsRun) {
  write("v.usse", kVertex);
  const json launch = vertex_launch();
  EXPECT_EQ(validate(schema(), launch), "");
  write("v.json", launch.dump());
  const Outcome verify = run("verify v.json");
  EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
  EXPECT_EQ(run("verify v.json --random 40").code, 0);
  json other = launch;
  other["expect"]["slots0"]["data"][3] = 6;
  write("other.json", other.dump());
  EXPECT_EQ(run("run other.json --engine guest").code, 1);
  const auto refused = [&](const json& bad, const std::string& what) {
    write("bad.json", bad.dump());
    const Outcome outcome = run("run bad.json");
    EXPECT_EQ(outcome.code, 2) << what << outcome.out;
    EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
  };
  json bad = launch;
  bad["uniforms"]["sa4"] = 1;
  refused(bad, "sa0-sa255");
  bad = launch;
  bad["uniforms"]["sa3"] = {1, 2};
  refused(bad, "uniforms.sa3");
  bad = launch;
  bad["uniforms"]["sa2"] = 1;
  refused(bad, "already set");
  bad = launch;
  bad["inputs"]["pa2"] = bad["inputs"]["pa0"];
  refused(bad, "pa60");
  bad = launch;
  bad["program"] = {{"source", {".stage fragment", "nop.end"}}};
  refused(bad, "fragment program");
}

// `launch` and `verify` take programs alone; what is written again is the same launch.
TEST_F(UsseToolTest, TemplatesRun) {
  write("v.usse", kVertex);
  write("cube.usse",
        ".stage fragment\n.registers pa:4 sa:8 r:8\n.sampler unit:3 sa:2\n.cube unit:3\n"
        ".input texcoord0 f32 3 words:3\n.output f32 4 pa:0\n.primary\n"
        "smp.cube.f32.f32.drc0 r0, pa0, sa2, #0\nvadd.f32 pa0.xy, r0, sa0\nvmov.f32 pa2.xy, r2\nnop.end\n");
  write("sampling_vertex.usse",
        ".stage vertex\n.registers pa:4 sa:4 r:8\n.sampler unit:0 sa:0\n.results position\n"
        "smp.2d.f32.f32.replace.drc0 r0, pa0, sa0, #0\nvmov.f32 o0.xy, r0\nvmov.f32 o2.xy, r2\nemit.end\n");
  for (const std::string& program :
       {std::string("v.usse"), "'" + kGraphics + "mandelbrot.usse'", "'" + kGraphics + "crt.usse'",
        "'" + kGraphics + "lcd.usse'", std::string("cube.usse"), std::string("sampling_vertex.usse")}) {
    const Outcome verify = run("verify " + program);
    EXPECT_EQ(verify.code, 0) << program << verify.out << verify.err;
    const Outcome launch = run("launch " + program);
    ASSERT_EQ(launch.code, 0) << launch.err;
    EXPECT_EQ(validate(schema(), json::parse(launch.out)), "") << launch.out;
    EXPECT_EQ(run("ir " + program).code, 0);
    EXPECT_EQ(run("host --target v3 " + program).code, 0);
  }
  const Outcome launch = run("launch v.usse -o again.json");
  EXPECT_EQ(run("run again.json").code, 0);
}

// Words, assembly and containers that sample: what the tool makes of them alone has textures as consoles
// describe them.
TEST_F(UsseToolTest, TemplatesOfProgramsThatSample) {
  const std::string body =
      "phas.imm mode:0, rate:0, wait:7, temps:0, address:0\nsmp.2d.f32.f32.drc0 r0, pa0, sa0, #0\n"
      "smp.cube.f16.f32.bias.drc0 r4, pa0, sa8, sa20\nwdf.drc0\nvmov.f32 pa0.xy, r0\nvmov.f32 pa2.xy, r2\n"
      "nop.end\n";
  write("f.usse",
        ".stage fragment\n.registers pa:4 sa:24 r:8\n.input texcoord0 f32 3\n.output f32 4 pa:0\n" + body);
  write("v.usse",
        ".stage vertex\nsmp.2d.native.f32.replace.drc0 r0, pa0, sa4, pa4\nor o0, r0, #0, rot:0\nemit.end\n");
  usse::GxpBuilder gxp(true);
  gxp.registers(4, 32, 8).fragment_inputs({2}, 0).texture(3);
  const auto code = usse::assemble(
      ".stage fragment\nsmp.2d.f32.f32.drc0 r0, pa0, sa0, #0\nvmov.f32 pa0.xy, r0\nvmov.f32 pa2.xy, "
      "r2\nnop.end",
      "test.usse");
  ASSERT_TRUE(code.ok());
  gxp.primary(code->primary);
  const std::vector<std::byte> bytes = gxp.finish();
  write("f.gxp", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  for (const char* name : {"f", "v"})
    ASSERT_EQ(run(std::string("asm ") + name + ".usse -o " + name + ".bin").code, 0);
  struct Case {
    std::string program;
    std::vector<std::string> units;
  };
  for (const Case& one :
       {Case{"f.usse", {"0", "1"}}, Case{"v.usse", {"0"}}, Case{"f.gxp", {"3"}},
        Case{"f.bin --words usse --program fragment", {"0", "1"}},
        Case{"v.bin --words usse --program vertex", {"0"}}, Case{"v.bin --words usse", {"0"}}}) {
    const Outcome launch = run("launch " + one.program + " -o made.json");
    ASSERT_EQ(launch.code, 0) << one.program << launch.err;
    const json made = json::parse(std::ifstream(path("made.json")));
    EXPECT_EQ(validate(schema(), made), "") << made.dump(1);
    ASSERT_EQ(made["textures"].size(), one.units.size()) << made.dump(1);
    for (const std::string& unit : one.units) EXPECT_EQ(made["textures"][unit]["control"][3], "0x80000000");
    for (const std::string& command :
         {std::string("verify made.json"), std::string("run made.json"), "verify " + one.program,
          "ir " + one.program, "host --target v3 " + one.program}) {
      const Outcome outcome = run(command);
      EXPECT_EQ(outcome.code, 0) << command << outcome.out << outcome.err;
    }
  }
  // A unit that has none is named, and which are needed.
  json made = json::parse(run("launch f.usse").out);
  made["textures"].erase("1");
  write("made.json", made.dump());
  const Outcome missing = run("run made.json");
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("it samples 2 textures, 0, 1, of which 1 is set"), std::string::npos)
      << missing.err;
  // A listing of words that are none says why, and assembles to the same bytes.
  write("odd.bin", std::string("\x86\xa0\x65\x80\x12\x60\x8f\x28\1\0\0\0\0\0\0\xb8", 16));
  const Outcome listing = run("disasm odd.bin --words usse --program fragment -o odd.usse");
  ASSERT_EQ(listing.code, 0) << listing.err;
  std::ifstream odd(path("odd.usse"));
  const std::string text{std::istreambuf_iterator<char>(odd), std::istreambuf_iterator<char>()};
  EXPECT_NE(text.find(" pa3, "), std::string::npos) << text;
  EXPECT_NE(text.find(".word 0xb800000000000001"), std::string::npos) << text;
  EXPECT_NE(text.find("opcode 23 is not defined"), std::string::npos) << text;
  ASSERT_EQ(run("asm odd.usse -o same.bin").code, 0);
  std::ifstream first(path("odd.bin"), std::ios::binary), second(path("same.bin"), std::ios::binary);
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(first), std::istreambuf_iterator<char>()}),
            (std::string{std::istreambuf_iterator<char>(second), std::istreambuf_iterator<char>()}));
  const json rows = json::parse(run("disasm odd.bin --words usse --program fragment --json").out);
  EXPECT_NE(rows.dump().find("opcode 23 is not defined"), std::string::npos) << rows.dump();
}

// Buffers whose addresses a program takes are in the template; a load elsewhere says which there are.
TEST_F(UsseToolTest, TemplatesHaveBuffers) {
  usse::GxpBuilder gxp(true);
  gxp.registers(4, 32, 8).fragment_inputs({2}, 0).container(19, 4);
  gxp.table(0x78, 2);
  for (const std::uint32_t word : {3U | 1U << 16, 0xfffffffcU, 14U | 2U << 16, 12U}) gxp.add(word, 4);
  const auto code = usse::assemble(
      ".stage fragment\nld.b32.x4.drc0 r0, sa1, #0, #0\nld.b32.x1.drc0 r4, sa2, #0, #0\nwdf.drc0\n"
      "vadd.f32 pa0.xy, r0, r4\nvmov.f32 pa2.xy, r2\nnop.end",
      "test.usse");
  ASSERT_TRUE(code.ok()) << to_string(code.error());
  gxp.primary(code->primary);
  const std::vector<std::byte> bytes = gxp.finish();
  write("f.gxp", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  ASSERT_EQ(run("launch f.gxp -o made.json").code, 0);
  json made = json::parse(std::ifstream(path("made.json")));
  EXPECT_EQ(validate(schema(), made), "") << made.dump(1);
  EXPECT_EQ(made["buffers"].size(), 2U);
  EXPECT_TRUE(made["buffers"].contains("3") && made["buffers"].contains("default")) << made.dump(1);
  const Outcome drawn = run("run made.json");
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_EQ(run("verify f.gxp").code, 0);
  made.erase("buffers");
  made["memory"].erase(1);
  write("made.json", made.dump());
  const Outcome missing = run("run made.json");
  EXPECT_EQ(missing.code, 1) << missing.out;
  EXPECT_NE(missing.err.find("takes the addresses of buffers: 3, default; pieces of memory: 1"),
            std::string::npos)
      << missing.err;
}

// What was measured on a console, by launch files: an index counts words, a load's offset is a product, a
// conversion writes one register, g16 is the face, textures are normalized where bit 31 says so.
TEST_F(UsseToolTest, WhatConsolesDo) {
  const auto vertex = [&](const std::string& code, const char* rest) {
    write("v.usse", ".stage vertex\n.registers pa:4 sa:32 r:8\n.results position\n" + code + "emit.end\n");
    json launch = json::parse(
        R"({"warpjit":1,"isa":"usse","stage":"vertex","program":{"file":"v.usse"},"count":1,
            "inputs":{"pa0":{"format":"f32x4","data":[0,0,0,1]}},"outputs":{"slots0":{"format":"f32x4"}}})");
    launch.update(json::parse(rest));
    write("v.json", launch.dump());
    const Outcome verify = run("verify v.json");
    EXPECT_EQ(verify.code, 0) << code << verify.out << verify.err;
  };
  vertex("or idx1, sa0, #0, rot:0\nor o0, sa[idx1+4], #0, rot:0\nvmov.f32 o2.xy, sa[2*idx1+4]\n",
         R"({"uniforms":{"sa0":"0x3","sa4":[4,5,6,7,8,9,10,11]},
             "expect":{"slots0":{"format":"f32x4","data":[7,0,10,11]}}})");
  vertex("ld.b32.x1.drc0 r0, sa0, sa1, #0\nwdf.drc0\nvmov.f32 o0.xy, r0\n",
         R"({"uniforms":{"sa0":"0x0000fffc","sa1":"0x00040003"},
             "memory":[{"space":"mem","address":"0x10000","format":"f32","data":[10,11,12,13,14,15]}],
             "expect":{"slots0":{"format":"f32x4","data":[13,0,0,0]}}})");
  vertex(
      "vmov.f32 r0.xy, sa4\nvmov.f32 r2.xy, sa4\nvpck.f32.u8 r0, sa0\nvmov.f32 o0.xy, r0\nvmov.f32 o2.xy, "
      "r2\n",
      R"({"uniforms":{"sa0":"0x04030201","sa4":[-7,-7]},
             "expect":{"slots0":{"format":"f32x4","data":[1,2,-7,-7]}}})");
  // A texel of bytes 10 20 40 80, as numbers and as integers; the face, in x and y.
  write("f.usse",
        ".stage fragment\n.registers pa:4 sa:8 r:8\n.input texcoord0 f32 2\n.sampler unit:0 sa:0\n"
        ".output f32 4 pa:0\nsmp.2d.f32.f32.drc0 r0, pa0, sa0, #0\nvmov.f32 pa0.xy, r0\nvmov.f32 pa2.xy, r2\n"
        "nop.end\n");
  write("face.usse",
        ".stage fragment\n.registers pa:4 sa:4 r:4\n.output f32 4 pa:0\n"
        "vtst.and.nonzero.both.chan0.p0 c0, g16, #1\nvmov.f32 pa0.xy, c0.xxxx\nvmov.f32 pa2.xy, c0.xxxx\n"
        "p0 vmov.f32 pa0.xy, c3\nnop.end\n");
  const auto picture = [&](const char* program, const char* word3, bool turned,
                           const std::vector<double>& clear) {
    json launch = json::parse(
        R"({"warpjit":1,"isa":"usse","stage":"fragment","count":3,"vertices":{"slots":20,"data":[]},
            "raster":{"console":true},"targets":{"size":[4,4],"colors":[{"surface":"0x00000000"}]}})");
    launch["program"] = {{"file", program}};
    launch["targets"]["colors"][0]["clear"] = clear;
    if (word3 != nullptr)
      launch["textures"]["0"] = {{"control", {"0x03fe0090", "0x6c000000", "0x00001000", word3}},
                                 {"address", "0x1000"},
                                 {"data", {"0x80402010", 0, 0, 0, 0, 0, 0, 0}}};
    // Clockwise in the target, whose row 0 is at y = -1; or the other way.
    const std::vector<double> places =
        turned ? std::vector<double>{-1, -1, -1, 3, 3, -1} : std::vector<double>{-1, -1, 3, -1, -1, 3};
    for (const double place : places) {
      json& data = launch["vertices"]["data"];
      data.push_back(place);
      if (data.size() % 20 == 2)
        for (unsigned k = 2; k < 20; ++k) data.push_back(k == 3 ? 1 : 0);
    }
    write("f.json", launch.dump());
    const Outcome verify = run("verify f.json");
    EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
    EXPECT_EQ(run("render f.json -o drawn.png").code, 0);
    // A triangle of no size draws nothing.
    for (json& number : launch["vertices"]["data"]) number = 0;
    write("cleared.json", launch.dump());
    const Outcome same = run("render cleared.json --compare drawn.png");
    EXPECT_EQ(same.code, 0) << program << same.out << same.err;
  };
  picture("f.usse", "0x80000000", false, {16 / 255.0, 32 / 255.0, 64 / 255.0, 128 / 255.0});
  picture("f.usse", "0x00000000", false, {1, 1, 1, 1});
  picture("face.usse", nullptr, false, {0, 0, 0, 0});
  picture("face.usse", nullptr, true, {1, 1, 0, 0});
}

// Lines in the launch file give the picture of the file that they are in.
TEST_F(UsseToolTest, SourcesInLaunchFiles) {
  json launch = json::parse(std::ifstream(kGraphics + "sphere.json"));
  const Outcome listing = run("disasm '" + kGraphics + "sphere.usse'");
  ASSERT_EQ(listing.code, 0);
  json lines = json::array();
  std::istringstream text(listing.out);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  launch["program"] = {{"source", lines}};
  EXPECT_EQ(validate(schema(), launch), "");
  write("lines.json", launch.dump());
  const Outcome verify = run("verify lines.json");
  EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
  launch["program"]["source"][1] = ".registers pa:1";
  write("lines.json", launch.dump());
  const Outcome bad = run("run lines.json");
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("primary attributes"), std::string::npos) << bad.err;
}

// The cube's vertices as a mesh in memory, with state as the console has it: the same picture.
TEST_F(UsseToolTest, StreamsOfVertices) {
  json launch = json::parse(std::ifstream(kGraphics + "cube.json"));
  for (const char* name : {"cube.usse", "cube_vertex.usse"})
    std::filesystem::copy_file(kGraphics + name, path(name));
  json& vertex = launch["vertex"];
  const json inputs = vertex["inputs"];
  vertex.erase("inputs");
  // Three f32 of the position, two bytes of the texture coordinate, three signed ones of the normal.
  constexpr std::size_t kStride = 20;
  std::string mesh(5, 'x');
  for (std::size_t n = 0; n < 24; ++n) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto number = inputs["pa0"]["data"][3 * n + k].get<float>();
      mesh.append(reinterpret_cast<const char*>(&number), 4);
    }
    for (std::size_t k = 0; k < 2; ++k)
      mesh += static_cast<char>(inputs["pa4"]["data"][2 * n + k].get<int>());
    for (std::size_t k = 0; k < 3; ++k)
      mesh += static_cast<char>(inputs["pa8"]["data"][3 * n + k].get<int>());
    mesh.append(3, 'x');
  }
  write("mesh.bin", mesh);
  vertex["streams"] = {{{"file", "mesh.bin"}, {"offset", 5}, {"stride", kStride}}};
  vertex["attributes"] = {{"pa0", {{"format", "f32"}, {"components", 3}}},
                          {"pa4", {{"stream", 0}, {"offset", 12}, {"format", "u8"}, {"components", 2}}},
                          {"pa8", {{"offset", 14}, {"format", 1}, {"components", 3}}}};
  launch["raster"]["console"] = true;
  launch["targets"]["colors"][0].erase("format");
  launch["targets"]["colors"][0]["surface"] = "0x00000000";
  EXPECT_EQ(validate(schema(), launch), "");
  write("mesh.json", launch.dump());
  const Outcome verify = run("verify mesh.json");
  EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
  EXPECT_EQ(run("verify mesh.json --random 20").code, 0);
  const auto refused = [&](const char* pointer, const char* value, const std::string& what) {
    json bad = launch;
    bad[json::json_pointer(pointer)] = json::parse(value);
    write("bad.json", bad.dump());
    const Outcome outcome = run("run bad.json");
    EXPECT_EQ(outcome.code, 2) << pointer << outcome.out;
    EXPECT_NE(outcome.err.find(what), std::string::npos) << pointer << outcome.err;
  };
  refused("/vertex/attributes/pa0/format", "\"f64\"", "is none of u8, s8");
  refused("/vertex/attributes/pa0/format", "11", "vertex.attributes.pa0.format");
  refused("/vertex/attributes/pa0/components", "5", "vertex.attributes.pa0.components");
  refused("/vertex/attributes/pa0/stream", "1", "vertex.attributes.pa0.stream");
  refused("/vertex/attributes/pa64", R"({"format":"f32"})", "neither a register");
  refused("/vertex/streams/0/offset", "100000", "is 100000, but the data have only");
  refused("/vertex/streams/0/data", "[1]", "either 'data' or 'file'");
  refused("/vertex/streams", "[]", "needs 'streams', in which attributes lie");
  refused("/vertex/streams/0/stride", "2147483648", "vertex.streams[0].stride");
  refused("/vertex/attributes/pa9", R"({"format":"untyped","components":1})",
          "vertex.attributes.pa9: has a word of 'pa8', pa9");
  refused("/vertex/attributes/pa7", R"({"format":"f32","components":4})",
          "vertex.attributes.pa8: has a word of 'pa7', pa8");
  {
    json bad = launch;
    for (unsigned n = 0; n < 17; ++n) bad["vertex"]["streams"][n] = {{"file", "none.bin"}};
    write("bad.json", bad.dump());
    const Outcome outcome = run("run bad.json");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("vertex.streams: has 17 streams; at most 16 are allowed"), std::string::npos)
        << outcome.err;
    bad = launch;
    for (unsigned n = 0; n < 17; ++n)
      bad["vertex"]["attributes"]["pa" + std::to_string(n)] = {{"format", "u8"}};
    bad["vertex"]["streams"][0]["file"] = "none.bin";
    write("bad.json", bad.dump());
    const Outcome many = run("run bad.json");
    EXPECT_EQ(many.code, 2);
    EXPECT_NE(many.err.find("vertex.attributes: has 17 attributes; at most 16 are allowed"),
              std::string::npos)
        << many.err;
  }
  refused("/vertex/inputs", R"({"pa0":{"format":"f32","file":"mesh.bin","stride":0}})", "already set");
  refused("/targets/colors/0/format", "\"rgba8\"", "takes the place");
  refused("/targets/colors/0/surface", "\"0x20000000\"", "targets.colors[0].surface");
  refused("/attributes", "{}", "belongs to stage 'vertex'");
  refused("/buffers", R"({"14":{"data":[]}})", "0 to 13 and default");
  refused("/buffers", R"({"0":{"data":[1]}})", "no registers for words of this buffer");
  refused("/buffers", R"({"default":{"address":4096}})", "does not take this buffer's address");
}

// Vertices alone: missing components, halves, untyped words, data of an instance.
TEST_F(UsseToolTest, AttributesOfVertices) {
  write("v.usse",
        ".stage vertex\n.registers pa:12 sa:4 r:4\n.results position color0 color1\n"
        "phas.imm mode:0, rate:0, wait:7, temps:0, address:0\n"
        "vmov.f32 o0.xy, pa0\nvmov.f32 o2.xy, pa2\nvmov.f32 o4.xy, pa4\nvmov.f32 o6.xy, pa6\n"
        "vmov.f32 o8.xy, pa8\nvmov.f32 o10.xy, pa10\nemit.end\n");
  const json launch =
      json::parse(R"({"warpjit":1,"isa":"usse","stage":"vertex","program":{"file":"v.usse"},"count":2,
    "streams":[{"data":["0x0000c080",1.5,"0x3c00ff7f",2],"stride":8},{"data":["0x40003c00",-7],"stride":4,"per_instance":true}],
    "attributes":{"pa0":{"format":"u8n","components":2},"pa2":{"offset":4,"format":"untyped","components":1},
      "pa4":{"stream":1,"format":"f16","components":2},"pa6":{"stream":1,"offset":4,"format":"f32","components":1},
      "pa8":{"offset":6,"format":"s16n","components":1},"pa10":{"offset":0,"format":"s8","components":2}},
    "outputs":{"slots0":{},"slots1":{},"slots2":{}},
    "expect":{"slots0":{"data":["0x3f008081","0x3f40c0c1",1.5,0,"0x3efefeff",1,2,0]},
              "slots1":{"data":[1,2,-7,0,1,2,-7,0]},
              "slots2":{"data":["0x3eff01fe",0,-128,-64,"0x3f000100",0,127,-1]}}})");
  EXPECT_EQ(validate(schema(), launch), "");
  write("v.json", launch.dump());
  const Outcome verify = run("verify v.json");
  EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
}

// Words of the blending state, and of a uniform buffer in registers.
TEST_F(UsseToolTest, BlendWordsAndBuffers) {
  usse::GxpBuilder gxp(true);
  gxp.fragment_inputs({2}, 0);
  const auto code = usse::assemble(
      ".stage fragment\n.primary\nvmov.f32 pa0.xy, sa0\nvmov.f32 pa2.xy, sa2\nnop.end", "test.usse");
  ASSERT_TRUE(code.ok());
  gxp.primary(code->primary);
  gxp.container(2, 4);
  const std::vector<std::byte> bytes = gxp.finish();
  write("f.gxp", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  json launch =
      json::parse(R"({"warpjit":1,"isa":"usse","stage":"fragment","program":{"file":"f.gxp"},"count":3,
    "buffers":{"2":{"data":[0.25,0.5,0.125,1]}},
    "vertices":{"slots":18,"data":[]},
    "targets":{"size":[8,8],"colors":[{"surface":"0x00000000","clear":[0.2,0.4,0,0.4]}]},
    "raster":{"console":true},"output":{"blend":["0x1111110f"]}})");
  for (const float place : {-1.0F, -1.0F, 3.0F, -1.0F, -1.0F, 3.0F}) {
    json& data = launch["vertices"]["data"];
    data.push_back(place);
    if (data.size() % 18 == 2)
      for (unsigned k = 2; k < 18; ++k) data.push_back(k == 3 ? 1 : 0);
  }
  EXPECT_EQ(validate(schema(), launch), "");
  write("word.json", launch.dump());
  ASSERT_EQ(run("render word.json -o word.png").code, 0) << run("render word.json -o word.png").err;
  json other = launch;
  other.erase("buffers");
  other["uniforms"] = {{"sa0", {0.25, 0.5, 0.125, 1}}};
  other["output"]["blend"] = {{{"source", "one"}, {"target", "one"}, {"bytes", true}}};
  write("other.json", other.dump());
  EXPECT_EQ(run("render other.json --compare word.png").code, 0);
  other["output"]["blend"] = json::array();
  write("other.json", other.dump());
  EXPECT_EQ(run("render other.json --compare word.png").code, 1);
  for (const char* buffer : {"{}", R"({"data":[1],"file":"a"})", R"({"address":4294967296})"}) {
    json bad = launch;
    bad["buffers"]["2"] = json::parse(buffer);
    EXPECT_NE(validate(schema(), bad), "") << buffer;
    write("bad.json", bad.dump());
    EXPECT_EQ(run("run bad.json").code, 2) << buffer;
  }
  for (const char* format : {"rgba32f", "rgba8i"}) {
    json bad = launch;
    bad["targets"]["colors"][0] = {{"format", format}};
    write("bad.json", bad.dump());
    const Outcome refused = run("run bad.json");
    EXPECT_EQ(refused.code, 2) << format;
    EXPECT_NE(
        refused.err.find(std::string("blend color function 1 is not supported for a target of ") + format),
        std::string::npos)
        << refused.err;
  }
  // Functions 4 and 5 have no factors.
  launch["output"]["blend"][0] = "0xdcef540f";
  write("least.json", launch.dump());
  EXPECT_EQ(run("render least.json -o least.png").code, 0);
  launch["output"]["blend"][0] = "0x1111540f";
  write("least.json", launch.dump());
  EXPECT_EQ(run("render least.json --compare least.png").code, 0);
  launch["output"]["blend"][0] = "0x1111110f";
  // These vertices have no size of a point.
  launch["raster"]["topology"] = "points";
  write("points.json", launch.dump());
  const Outcome points = run("verify points.json");
  EXPECT_EQ(points.code, 0) << points.err;
  launch["raster"].erase("topology");
  launch["output"]["blend"][0] = "0xc111110f";
  write("word.json", launch.dump());
  const Outcome refused = run("run word.json");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("alpha target 12"), std::string::npos) << refused.err;
}

TEST_F(UsseToolTest, ControlWordsOfTextures) {
  const auto refused = [&](const char* pointer, const char* value, const std::string& what) {
    json launch = json::parse(std::ifstream(kGraphics + "cube.json"));
    for (const char* name : {"cube.usse", "cube_vertex.usse"}) {
      if (!std::filesystem::exists(path(name))) std::filesystem::copy_file(kGraphics + name, path(name));
    }
    launch[json::json_pointer(pointer)] = json::parse(value);
    write("cube.json", launch.dump());
    const Outcome outcome = run("render cube.json");
    EXPECT_EQ(outcome.code, 2) << pointer << outcome.out;
    EXPECT_NE(outcome.err.find(what), std::string::npos) << pointer << outcome.err;
  };
  refused("/textures/0/control", "[1,2,3]", "must have 4 words, but has 3");
  refused("/textures/0/control/1", "\"0x2c030003\"", "textures.0.control");
  refused("/textures/0/address", "0", "textures.0.control");
  refused("/textures/0/format", "\"rgba8\"", "unknown key");
  refused("/textures/0/data", "[1,2]", "textures.0.control");
  refused("/uniforms", R"({"sa2":1})", "already set");
  refused("/samplers", R"({"0":{}})", "control words");
}

TEST_F(UsseToolTest, HeatmapsCountInstructions) {
  // Without branches every pixel executes all 23, but for those that are killed by the sixth.
  const Outcome even = run("render '" + kGraphics + "sphere.json' --heatmap --json -o heat.png");
  ASSERT_EQ(even.code, 0) << even.err;
  const json drawn = json::parse(even.out), counts = drawn["heatmap"];
  const int pixels = counts["pixels"], total = counts["total"];
  EXPECT_EQ(counts["most"], 23);
  EXPECT_EQ((total - 6 * pixels) % 17, 0);
  EXPECT_GT(total, 6 * pixels);
  EXPECT_LT(total, 23 * pixels);
  EXPECT_EQ(drawn["engine"], "guest");
  const json loops =
      json::parse(run("render '" + kGraphics + "mandelbrot.json' --heatmap --json").out)["heatmap"];
  EXPECT_GT(loops["most"].get<int>(), 32 * 13);
}

TEST_F(UsseToolTest, StepsOfUniformsThatAreGiven) {
  EXPECT_EQ(run("render '" + kGraphics + "mandelbrot.json' --frames 2 --uniform sa0 --from 8 --to 40").code,
            0);
  EXPECT_EQ(run("render '" + kGraphics + "mandelbrot.json' --frames 2 --uniform sa5").code, 2);
}

}  // namespace
}  // namespace warpjit::tool
