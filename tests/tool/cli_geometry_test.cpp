// The built tool on geometry programs: launches, templates, random data.
#include <set>

#include "tool/cli.h"

namespace warpjit::tool {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using CliTest = ToolTest;

TEST_F(CliTest, GeometryLaunches) {
  for (const char* name : {"point_quads.shbin", "point_quads.json"})
    fs::copy_file(kExamples + name, path(name));
  json launch = json::parse(read(path("point_quads.json")));
  launch["expect"]["triangles"][4]["position"][2][1] = 7;
  write("wrong.json", launch.dump());
  const Outcome wrong = run("run wrong.json");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find("triangle 4, vertex 2, o0.y: got 3.125"), std::string::npos) << wrong.err;
  launch["expect"]["triangles"].erase(5);
  write("fewer.json", launch.dump());
  EXPECT_NE(run("verify fewer.json").out.find("number of triangles: got 6, wanted 5"), std::string::npos);
  launch["geometry"]["max_triangles"] = 1;
  write("small.json", launch.dump());
  const Outcome small = run("run small.json --engine guest");
  EXPECT_EQ(small.code, 2);
  EXPECT_NE(small.err.find("invocation 0 emits 2 triangles"), std::string::npos) << small.err;

  const Outcome ran = run("run point_quads.json --json --count 100");
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json results = json::parse(ran.out);
  EXPECT_EQ(results["invocations"], 100);
  ASSERT_EQ(results["triangles"].size(), 200u);
  EXPECT_EQ(results["triangles"][199], results["triangles"][1]);
  EXPECT_NE(run("info point_quads.shbin").out.find("geometry, entry 0xd, point primitives"),
            std::string::npos);
  EXPECT_EQ(run("bench point_quads.json --counts 40 --seconds 0").code, 0);
  EXPECT_EQ(run("ir point_quads.json").code, 0);
}

// A geometry program that was linked without `.in` takes the registers that its code reads.
TEST_F(CliTest, GeometryProgramsWithoutDeclaredInputs) {
  write("n.v.pica",
        ".out a dummy\n.out b dummy\n.entry vmain\n.proc vmain\nmov a, v0\nmov b, v1\nend\n.end\n");
  write(
      "n.g.pica",
      ".gsh point c0\n.out p position\n.out c color\n.entry gmain\n.proc gmain\nsetemit 0\nmov p, v0\nmov c, "
      "v1\nemit\nsetemit 1\nmov p, v2\nmov c, v3\nemit\nsetemit 2, prim\nmov p, v2.yxzw\nmov c, "
      "v3\nemit\nend\n"
      ".end\n");
  ASSERT_EQ(run("asm n.v.pica n.g.pica -o n.shbin").code, 0);
  const json launch = json::parse(run("launch n.shbin --program geometry").out);
  EXPECT_EQ(launch["geometry"]["registers"], json::parse(R"(["v0","v1","v2","v3"])"));
  const Outcome verified = run("verify n.shbin --program geometry");
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  for (const char* command : {"ir", "host", "disasm", "info"})
    EXPECT_EQ(run(std::string(command) + " n.shbin --program geometry").code, 0) << command;
  EXPECT_NE(run("info n.shbin").out.find("v3"), std::string::npos);
}

// A template of a geometry program runs as it is, with the container's vertex program or without one.
TEST_F(CliTest, TemplatesOfGeometryLaunches) {
  fs::copy(kExamples + "point_quads.shbin", path("point_quads.shbin"));
  fs::copy(kExamples + "point_quads.g.pica", path("alone.pica"));
  write("fixed.pica",
        ".gsh fixed c48 c4 2\n.out outpos position\n.proc main\n mov outpos, c4\n setemit 0\n "
        "emit\n setemit 1\n emit\n setemit 2, prim\n emit\n end\n.end\n");
  const Outcome made = run("launch point_quads.shbin --program geometry");
  ASSERT_EQ(made.code, 0) << made.err;
  const json launch = json::parse(made.out);
  EXPECT_EQ(launch["stage"], "geometry");
  EXPECT_TRUE(launch["vertex"]["inputs"].contains("inpos")) << made.out;
  EXPECT_TRUE(launch["uniforms"].contains("extent")) << made.out;
  EXPECT_EQ(json::parse(run("launch point_quads.shbin").out)["stage"], "vertex");
  for (const char* file : {"point_quads.shbin --program geometry", "alone.pica", "fixed.pica"}) {
    ASSERT_EQ(run(std::string("launch ") + file + " -o run.json").code, 0) << file;
    const Outcome ran = run("run run.json --json");
    EXPECT_EQ(ran.code, 0) << file << ran.err;
    EXPECT_TRUE(json::parse(ran.out).contains("triangles")) << file;
    const Outcome verified = run(std::string("verify ") + file + " --random 40");
    EXPECT_EQ(verified.code, 0) << file << verified.out << verified.err;
  }
}

// Uniforms, booleans and the list of primitives are random too.
TEST_F(CliTest, RandomGeometry) {
  // How many different results twelve seeds give.
  const auto results = [&](const std::string& head, const std::string& body) {
    write("g.pica", head + "\n.out o position\n.constf k(1, 2, 3, 4)\n.proc main\nmov o, k\n" + body +
                        "\nsetemit 0, prim\nemit\nend\n.end\n");
    EXPECT_EQ(run("launch g.pica -o g.json").code, 0);
    json launch = json::parse(read(path("g.json")));
    launch["outputs"] = json::object();
    launch["geometry"]["max_triangles"] = 1;
    write("g.json", launch.dump());
    std::set<std::string> seen;
    for (int seed = 1; seed <= 12; ++seed) {
      const Outcome verified = run("verify g.json --random 6 --json --seed " + std::to_string(seed));
      EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
      if (verified.code == 0) seen.insert(json::parse(verified.out)["engines"][0]["checksum"]);
    }
    return seen.size();
  };
  EXPECT_GE(results(".gsh point\n.fvec tint", "mov o.x, tint"), 11U);
  EXPECT_EQ(results(".gsh point\n.bool flip", "ifu flip\nmov o.x, k.y\n.end"), 2U);
  EXPECT_GE(results(".gsh variable 1", "mov o.x, c0"), 3U);  // how many vertices the primitives have
}

}  // namespace
}  // namespace warpjit::tool
