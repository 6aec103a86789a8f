// The built tool and USSE programs: examples, templates, launch files.
#include "tool/cli.h"
#include "tool/schema.h"

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
  for (const std::string& program : {std::string("v.usse"), "'" + kGraphics + "mandelbrot.usse'"}) {
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
  refused("/textures/0/control", "[1,2,3]", "four words");
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
