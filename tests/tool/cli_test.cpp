// The built tool: exit codes and outputs of every command.
#include <set>

#include "frontend/tesla/assembly/assemble.h"
#include "support/elf_cubin.h"
#include "tool/cli.h"

namespace warpjit::tool {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kExamples = tests::source_file("examples/pica200/");

using CliTest = ToolTest;

TEST_F(CliTest, VerifyExamplesWithExpectations) {
  for (const char* name :
       {"point_quads", "flat_quads", "blended_triangles", "kept_registers", "trail", "shared_ends"}) {
    const Outcome outcome = run("verify --dispatch --threads 2 " + kExamples + name + ".json");
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("as expected"), std::string::npos) << outcome.out;
  }
}

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

TEST_F(CliTest, HelpAndUsage) {
  const Outcome help = run("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* command :
       {"info", "asm", "disasm", "launch", "ir", "host", "run", "verify", "bench", "golden"}) {
    EXPECT_NE(help.out.find(command), std::string::npos) << command;
    const Outcome own = run(std::string(command) + " --help");
    EXPECT_EQ(own.code, 0) << command;
    EXPECT_NE(own.out.find("Example"), std::string::npos) << command;
  }
  EXPECT_EQ(run("--version").code, 0);
  EXPECT_EQ(run("").code, 2);
  EXPECT_EQ(run("frobnicate").code, 2);
  EXPECT_EQ(run("run").code, 2);
  EXPECT_EQ(run("run x.json --engine gpu").code, 2);
  const Outcome missing = run("run none.json");
  EXPECT_EQ(missing.code, 2);
  EXPECT_TRUE(missing.out.empty());
  EXPECT_NE(missing.err.find("none.json"), std::string::npos);
}

TEST_F(CliTest, CostsOfOperations) {
  EXPECT_EQ(run("host").code, 2);
  EXPECT_EQ(run("host --cost --parts 2").code, 2);
  EXPECT_EQ(run("host --cost missing.json").code, 2);
  EXPECT_EQ(run("host --cost --target a64").code, 4);
  const Outcome measured = run("host --cost --json");
  if (measured.code == 4) GTEST_SKIP() << "no table of this machine";
  ASSERT_EQ(measured.code, 0) << measured.err;
  const json costs = json::parse(measured.out);
  EXPECT_GT(costs["clock_ns"], 0);
  for (const json& target : costs["targets"]) {
    EXPECT_GE(target["operations"].size(), 20u);
    for (const json& operation : target["operations"]) {
      EXPECT_GT(operation["clocks"], 0) << operation;
      EXPECT_GT(operation["table"]["clocks"], 0) << operation;
    }
  }
  EXPECT_NE(run("host --cost").out.find("Fma"), std::string::npos);
  EXPECT_EQ(run("host --cost --out x.bin").code, 2);  // it makes no code
  const std::string listed = "host " + kExamples + "mvp_light.shbin --statistics --json --target ";
  EXPECT_GT(json::parse(run(listed + "v3").out)["group_clocks"], 0);
  EXPECT_EQ(json::parse(run(listed + "a64").out)["group_clocks"], 0);
}

TEST_F(CliTest, CostsOfLoops) {
  const std::string of_loop = "host " + kExamples + "breakc_loop.json --cost --statistics --target ";
  const json loops = json::parse(run(of_loop + "v3 --json").out)["loops"];
  if (loops.empty()) GTEST_SKIP() << "built without this target";
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[1]["depth"], 1);
  const std::string bound = loops[1]["bound"];  // differs by the processor's maker
  EXPECT_EQ(loops[1]["turn"], loops[1]["clocks"][bound]);
  EXPECT_GT(loops[1]["clocks"]["chain"], 10);  // each turn divides what the one before made
  EXPECT_NE(run(of_loop + "v3").out.find("bound by " + bound), std::string::npos);
  const Outcome none = run(of_loop + "a64");
  EXPECT_EQ(none.code, 0);
  EXPECT_NE(none.out.find("no table of this target"), std::string::npos);
  EXPECT_TRUE(json::parse(run(of_loop + "a64 --json").out)["loops"].empty());
  EXPECT_NE(run("host " + kExamples + "breakc_loop.json --cost --target v3").out.find("begin of loop 1"),
            std::string::npos);
}

TEST_F(CliTest, Info) {
  const Outcome machine = run("info --json");
  EXPECT_EQ(machine.code, 0);
  EXPECT_TRUE(json::parse(machine.out).contains("targets"));
  const Outcome text = run("info " + kExamples + "mvp_light.shbin");
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("projection"), std::string::npos);
  const json shown = json::parse(run("info --json " + kExamples + "mvp_light.shbin").out);
  EXPECT_EQ(shown["programs"][0]["stage"], "vertex");
  write("bad.shbin", "DVLB....");
  EXPECT_EQ(run("info bad.shbin").code, 2);
}

TEST_F(CliTest, AssembleAndDisassemble) {
  for (const char* name : {"mvp_light", "skin_loop", "branchy", "breakc_loop"}) {
    ASSERT_EQ(run("asm " + kExamples + name + ".v.pica -o a.shbin").code, 0) << name;
    EXPECT_EQ(read(path("a.shbin")), read(kExamples + name + ".shbin")) << name;
  }
  // A listing gives the container back.
  for (const char* name : {"mvp_light", "skin_loop", "branchy", "breakc_loop", "point_quads"})
    for (const char* form : {"", " --exact", " --no-words", " --no-names"}) {
      const std::string file = kExamples + name + ".shbin";
      ASSERT_EQ(run("disasm " + file + form + " -o again.pica").code, 0);
      const Outcome assembled = run("asm again.pica -o b.shbin");
      ASSERT_EQ(assembled.code, 0) << assembled.err;
      EXPECT_EQ(read(path("b.shbin")), read(file)) << name << form;
    }
  // One program of several: its tables alone.
  const std::string one = run("disasm " + kExamples + "point_quads.shbin --program geometry").out;
  EXPECT_EQ(one.find(".program"), std::string::npos) << one;
  EXPECT_NE(one.find(".gsh"), std::string::npos) << one;
  write("bad.v.pica", ".proc main\n bogus\n.end\n");
  const Outcome bad = run("asm bad.v.pica -o c.shbin");
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("bad.v.pica:2"), std::string::npos) << bad.err;
  EXPECT_EQ(run("asm bad.v.pica").code, 2);
}

TEST_F(CliTest, AssemblerWarnings) {
  write("w.v.pica", ".out p position\n.constf k(1/4, 0, 0, 0)\n.proc main\n mov p, k\n.end\n");
  const Outcome warned = run("asm w.v.pica -o w.shbin");
  EXPECT_EQ(warned.code, 0);
  EXPECT_NE(warned.err.find("w.v.pica:2:11: warning: this is 0.25 here; picasso reads 1"), std::string::npos)
      << warned.err;
  EXPECT_NE(warned.err.find("w.v.pica:4:2: warning: the program has no `end` here"), std::string::npos);
  const json made = json::parse(run("asm w.v.pica --json").out);
  ASSERT_EQ(made["warnings"].size(), 2u);
  EXPECT_EQ(made["warnings"][1]["where"], "w.v.pica:4:2");
  const Outcome refused = run("asm w.v.pica --werror -o none.shbin");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("w.v.pica:4:2: error: "), std::string::npos) << refused.err;
  EXPECT_FALSE(fs::exists(path("none.shbin")));
  // Where it runs, every engine names the last word.
  ASSERT_EQ(run("launch w.shbin -o w.json").code, 0);
  for (const char* engine : {"guest", "ir"}) {
    const Outcome ran = run(std::string("run w.json --engine ") + engine);
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.err.find("w.shbin, word 0"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("without an `end`"), std::string::npos) << ran.err;
  }
  write("fine.v.pica", ".out p position\n.proc main\n mov p, v0\n end\n.end\n");
  EXPECT_FALSE(json::parse(run("asm fine.v.pica --json --werror").out).contains("warnings"));
  // Sources of an unknown kind.
  write("odd.txt", "nothing\n");
  const Outcome odd = run("asm odd.txt -o none.shbin");
  EXPECT_EQ(odd.code, 2);
  EXPECT_NE(odd.err.find("odd.txt is taken as a source of pica200"), std::string::npos) << odd.err;
}

// Listings say why a word is no instruction.
TEST_F(CliTest, ReasonsOfUndefinedWords) {
  write("code.bin", std::string("\0\0\0\x4c\1\0\0\x40\0\0\0\x88", 12));
  const std::string reason = "no instruction has the opcode 0x10 (bits 26-31)";
  EXPECT_NE(run("disasm code.bin --words pica200").out.find(reason), std::string::npos);
  const json listed = json::parse(run("disasm code.bin --words pica200 --json").out);
  EXPECT_EQ(listed["code"][1]["reason"], reason);
  EXPECT_FALSE(listed["code"][0].contains("reason"));
}

// Whatever is no program of a known kind gets an error that names these.
TEST_F(CliTest, UnknownFiles) {
  std::string elf = std::string("\x7f") + "ELF" + std::string(60, '\0');
  elf[18] = 0x3e;  // for x86-64
  write("other.elf", elf);
  write("text.txt", "hello\n");
  write("empty.bin", "");
  write("zeros.bin", std::string(64, '\0'));
  write("architecture.md", "architecture of this project\n");
  for (const char* file : {"other.elf", "text.txt", "empty.bin", "zeros.bin", "architecture.md"})
    for (const char* command : {"info ", "disasm ", "launch "}) {
      const Outcome outcome = run(std::string(command) + file);
      EXPECT_EQ(outcome.code, 2) << command << file;
      EXPECT_NE(outcome.err.find("no program of a known kind: an SHBIN"), std::string::npos) << outcome.err;
    }
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

TEST_F(CliTest, LaunchTemplateRuns) {
  fs::copy(kExamples + "mvp_light.shbin", path("mvp_light.shbin"));
  ASSERT_EQ(run("launch mvp_light.shbin -o run.json").code, 0);
  const Outcome outcome = run("run run.json --engine guest");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("checksum"), std::string::npos);
  EXPECT_EQ(run("launch run.json").code, 2);
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

TEST_F(CliTest, UsseListings) {
  write("count.usse",
        ".stage fragment\nphas.imm mode:0, rate:0, wait:7, temps:0, address:0\nvmov.f32 r0.x, pa2\n"
        "out: p0 br offset:out\nnop.end\n");
  ASSERT_EQ(run("asm count.usse -o count.bin").code, 0);
  EXPECT_EQ(read(path("count.bin")).size(), 32U);
  const std::string words = " count.bin --words usse --program fragment";
  ASSERT_EQ(run("disasm" + words + " -o again.usse").code, 0);
  const std::string listing = read(path("again.usse"));
  EXPECT_NE(listing.find("p0 br offset:L2"), std::string::npos) << listing;
  ASSERT_EQ(run("asm again.usse -o again.bin").code, 0);
  EXPECT_EQ(read(path("again.bin")), read(path("count.bin")));
  const json rows = json::parse(run("disasm --json" + words).out)["code"];
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[3]["text"], "nop.end");
  EXPECT_EQ(rows[3]["section"], "primary");
  const json info = json::parse(run("info --json count.usse").out)["programs"][0];
  EXPECT_EQ(info["stage"], "fragment");
  EXPECT_EQ(info["instructions"]["vmov"], 1);
  for (const std::string& command : {"launch" + words, "ir" + words, "host --target v3" + words}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 0) << command << outcome.err;
  }

  fs::copy_file(tests::source_file("fuzz/corpus/usse_gxp/vertex"), path("a.gxp"));
  const json container = json::parse(run("info --json a.gxp").out)["programs"][0];
  EXPECT_EQ(container["stage"], "vertex");
  EXPECT_EQ(container["parameters"][0]["name"], "aPosition");
  EXPECT_EQ(container["parameters"][0]["semantic"], "position2");
  EXPECT_EQ(container["literals"][0]["value"], "0x3f800000");
  EXPECT_EQ(container["vertex_outputs"][3]["name"], "texcoord0");
  EXPECT_NE(run("disasm a.gxp").out.find(".secondary"), std::string::npos);
  fs::copy_file(tests::source_file("fuzz/corpus/usse_gxp/fragment"), path("b.gxp"));
  const json fragment = json::parse(run("info --json b.gxp").out)["programs"][0];
  EXPECT_EQ(fragment["fragment_inputs"][1]["sampled"]["unit"], 3);
  EXPECT_EQ(fragment["fragment_output"]["type"], "f16");
}

// What one kind of work does not take is refused by name.
TEST_F(CliTest, OptionsThatDoNotApplyAreRefused) {
  const std::string kernel = source_launch("saxpy"), shader = kExamples + "mvp_light.json";
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << outcome.out;
    EXPECT_NE(outcome.err.find(why), std::string::npos) << arguments << outcome.err;
  };
  refused("bench " + kernel + " --chart x.png --counts 7", "--counts");
  refused("bench " + kernel + " --count 7", "--count");
  refused("run " + kernel + " --count 7", "--count");
  refused("verify " + kernel + " --count 7", "--count");
  refused("verify " + kernel + " --entry saxpy", "--entry");
  refused("verify " + shader + " --entry main", "--entry");
  refused("disasm " + kernel + " --no-names", "--no-names");
  refused("run " + shader + " --stats", "--stats");
  refused("run " + kernel + " --stats --engine jit", "--stats");
  refused("run " + kernel + " --stats --threads 2", "--stats");
  refused("bench " + shader + " --count 7 --counts 8", "--count");
  refused("run " + tests::source_file("examples/tesla/saxpy.tesla"), "not a launch file");
  refused("bench " + kExamples + "mvp_light.shbin", "not a launch file");
  ASSERT_EQ(run("bench " + kernel + " --engines guest --seconds 0 --chart x.png").code, 0);
  EXPECT_EQ(read(path("x.png")).substr(1, 3), "PNG");
}

TEST_F(CliTest, VerifyKernelsOnRandomData) {
  const Outcome saxpy = run("verify " + source_launch("saxpy") + " --random 3 --json");
  ASSERT_EQ(saxpy.code, 0) << saxpy.out << saxpy.err;
  const json first = json::parse(saxpy.out);
  EXPECT_EQ(first["runs"], 3);
  // Other data gives other results.
  const json other = json::parse(run("verify " + source_launch("saxpy") + " --random 3 --seed 9 --json").out);
  EXPECT_NE(first["engines"][0]["checksum"], other["engines"][0]["checksum"]);
  const Outcome source = run("verify " + tests::source_file("examples/tesla/saxpy.tesla"));
  EXPECT_EQ(source.code, 0) << source.out << source.err;
  fs::copy_file(tests::source_file("examples/tesla/collatz.tesla"), path("collatz.tesla"));
  write("filled.json", R"({"warpjit":1,"isa":"tesla","stage":"compute","program":{"file":"collatz.tesla"},
    "grid":[1],"block":[32],"memory":[{"space":"g14","address":"0x1000","size":128}]})");
  const Outcome filled = run("verify filled.json --random 2");
  EXPECT_EQ(filled.code, 2);
  EXPECT_NE(filled.err.find("--random"), std::string::npos) << filled.err;
}

// The JSON of results has one shape for all kinds of work.
TEST_F(CliTest, JsonHasOneShape) {
  const std::string launches[] = {kExamples + "mvp_light.json", kExamples + "point_quads.json",
                                  source_launch("saxpy")};
  for (const std::string& launch : launches) {
    const std::string counts = launch == source_launch("saxpy") ? "" : " --counts 64";
    const json ran = json::parse(run("run --json " + launch).out);
    const json verified = json::parse(run("verify --json " + launch).out);
    const json measured = json::parse(run("bench --json --engines guest --seconds 0 " + launch + counts).out);
    for (const json& shown : {ran, verified, measured})
      for (const char* key : {"launch", "isa", "stage", "count"})
        EXPECT_TRUE(shown.contains(key)) << launch << key;
    for (const char* key : {"engine", "lanes", "compile_ns", "run_ns", "statistics", "checksum", "outputs"})
      EXPECT_TRUE(ran.contains(key)) << launch << key;
    for (const json& output : ran["outputs"])
      EXPECT_TRUE(output.contains("name") && output.contains("format") && output.contains("data")) << output;
    for (const json& engine : verified["engines"])
      EXPECT_TRUE(engine.contains("engine") && engine.contains("ok") && engine.contains("checksum"))
          << engine;
    const json info = json::parse(run("info --json " + launch).out);
    ASSERT_EQ(info["programs"].size(), 1u) << launch;
    for (const char* key : {"stage", "name", "entry", "code_words", "inputs", "outputs", "instructions"})
      EXPECT_TRUE(info["programs"][0].contains(key)) << launch << key;
    const json listing = json::parse(run("disasm --json " + launch).out);
    for (const char* key : {"address", "words", "text"})
      EXPECT_TRUE(listing["code"][0].contains(key)) << launch << key;
  }
}

TEST_F(CliTest, RunGivesBits) {
  write_move("move.json");
  for (const char* engine : {"guest", "ir", "jit"}) {
    const Outcome outcome = run(std::string("run move.json --json --engine ") + engine);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json result = json::parse(outcome.out);
    const json wanted = {"0x3f800000", "0x40000000", "0x40400000", "0x40800000",
                         "0x7fc00000", "0x80000000", "0x00000000", "0x00000001"};
    EXPECT_EQ(result["outputs"][0]["name"], "o0") << engine;
    EXPECT_EQ(result["outputs"][0]["data"], wanted) << engine;
  }
  ASSERT_EQ(run("run move.json --out rows.bin").code, 0);
  EXPECT_EQ(read(path("rows.bin")).size(), 32u);
  EXPECT_NE(run("run move.json --count 100 --all").out.find("thread 99"), std::string::npos);
  EXPECT_EQ(run("run move.json --count 0").code, 2);
  EXPECT_EQ(run("run move.json --out /nowhere/x").code, 2);
}

TEST_F(CliTest, BackgroundGivesTheSameBits) {
  const std::string launch = "run --json " + kExamples + "skin_loop.json --count 3000";
  const json waited = json::parse(run(launch).out), served = json::parse(run(launch + " --background").out);
  EXPECT_EQ(served["checksum"], waited["checksum"]);
  EXPECT_FALSE(waited.contains("interpreted"));
  EXPECT_EQ(waited["statistics"]["compiles"], 1);
  EXPECT_EQ(waited["statistics"]["kernels"], 1);
  EXPECT_EQ(waited["statistics"]["interpreted_runs"], 0);
  EXPECT_EQ(served["statistics"]["interpreted_runs"], 1);
}

TEST_F(CliTest, WithoutExecutableMemoryTheInterpreterRunsAndItIsSaid) {
  write_move("move.json");
  const std::string off = "WARPJIT_CODE_MEMORY=none";
  const json info = json::parse(run("info --json", off).out);
  EXPECT_EQ(info["jit"], false);
  const std::string reason = info["no_jit_reason"];
  EXPECT_FALSE(reason.empty());
  EXPECT_NE(run("info", off).out.find(reason), std::string::npos);
  const Outcome outcome = run("run move.json --json", off);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["engine"], "ir");
  EXPECT_NE(outcome.err.find(reason), std::string::npos) << outcome.err;
  EXPECT_EQ(run("run move.json --target v3", off).code, 4);
  EXPECT_EQ(run("verify move.json", off).code, 0);
  EXPECT_NE(run("run move.json", "WARPJIT_CODE_MEMORY=both").code, 2);
  // The reason is the backend's where no target runs here, whatever memory there is.
  if (!json::parse(run("info --json").out)["targets"].empty()) {
    EXPECT_NE(reason.find("switched off"), std::string::npos) << reason;
    EXPECT_EQ(json::parse(run("info --json", "WARPJIT_CODE_MEMORY=flip").out)["code_memory"], "flip");
  }
}

TEST_F(CliTest, MismatchIsNamed) {
  write_move("good.json", R"(,"expect":{"o0":{"data":[1,2,3,4,"0x7fffffff",-0.0,0,1e-45]}})");
  EXPECT_EQ(run("run good.json").code, 0);
  EXPECT_EQ(run("verify good.json").code, 0);
  write_move("bad.json", R"(,"expect":{"o0":{"data":[1,2,3,4,1,2,3,4]}})");
  const Outcome outcome = run("run bad.json");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("thread 1, o0.x"), std::string::npos) << outcome.err;
  EXPECT_EQ(run("verify bad.json").code, 1);
  const json result = json::parse(run("verify bad.json --json").out);
  EXPECT_EQ(result["ok"], false);
  EXPECT_EQ(result["engines"][0]["expect"]["wanted"], "0x3f800000");
}

// Calls in calls that unfold into very many blocks: only the guest interpreter runs them with structural
// scopes.
TEST_F(CliTest, VerifyNamesTheEnginesThatRefuse) {
  std::string source = ".out outpos position\n.alias inpos v0\n";
  for (const char* next : {"f1", "f2", "f3", ""}) {
    const std::string name = *next == 0                  ? "f3"
                             : std::string(next) == "f1" ? "main"
                                                         : "f" + std::string(1, next[1] - 1);
    source += ".proc " + name + "\n";
    for (int k = 0; k < 30; ++k) source += *next == 0 ? "nop\n" : "call " + std::string(next) + "\n";
    source += name == "main" ? "mov outpos, inpos\nend\n.end\n" : ".end\n";
  }
  write("calls.v.pica", source);
  write(
      "calls.json",
      R"({"warpjit":1,"isa":"pica200","stage":"vertex","program":{"file":"calls.v.pica"},"count":1,)"
      R"("modes":{"scopes":"structural"},"inputs":{"v0":{"format":"f32x4","data":[1,2,3,4]}},"outputs":{"o0":{}}})");
  const Outcome outcome = run("verify calls.json --engines guest,ir");
  EXPECT_EQ(outcome.code, 4) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("NOT VERIFIED: only guest ran, not ir"), std::string::npos) << outcome.out;
  const json result = json::parse(run("verify calls.json --json --engines guest,ir").out);
  EXPECT_EQ(result["ok"], false);
  EXPECT_EQ(result["refused"], json::parse(R"(["ir"])"));
  EXPECT_EQ(run("verify calls.json --engines guest").code, 0);
}

TEST_F(CliTest, OutOfFuelIsNamed) {
  write_endless("endless.json");
  for (const char* engine : {"guest", "ir", "jit"}) {
    const Outcome outcome = run(std::string("run endless.json --fuel 1000 --engine ") + engine);
    EXPECT_EQ(outcome.code, 3) << engine << outcome.err;
    EXPECT_NE(outcome.err.find("word 0"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(run("verify endless.json --fuel 1000").code, 3);
}

TEST_F(CliTest, VerifyRandom) {
  const Outcome launch = run("verify " + kExamples + "branchy.json --random 300 --seed 5 --dispatch");
  EXPECT_EQ(launch.code, 0) << launch.out << launch.err;
  EXPECT_EQ(run("verify " + kExamples + "skin_loop.shbin --random 100").code, 0);
  EXPECT_EQ(run("verify " + kExamples + "mvp_light.json --count 100 --engines guest,ir").code, 0);
  EXPECT_EQ(run("verify " + kExamples + "mvp_light.json --engines gpu").code, 2);
}

TEST_F(CliTest, IrAndHost) {
  const Outcome list = run("ir --list " + kExamples + "branchy.json");
  ASSERT_EQ(list.code, 0) << list.err;
  EXPECT_NE(list.out.find("linearize"), std::string::npos);
  const Outcome stage = run("ir --stage linearize " + kExamples + "branchy.json");
  EXPECT_EQ(stage.code, 0);
  EXPECT_NE(stage.out.find("group"), std::string::npos);
  EXPECT_EQ(run("ir --stage nothing " + kExamples + "branchy.json").code, 2);
  for (const char* target : {"v3", "v4", "a64"}) {
    const Outcome host = run(std::string("host --target ") + target + " " + kExamples + "mvp_light.shbin");
    EXPECT_EQ(host.code, 0) << host.err;
    EXPECT_NE(host.out.find("dp4"), std::string::npos);
  }
  const json counts =
      json::parse(run("host --json --statistics --target v3 " + kExamples + "mvp_light.shbin").out);
  EXPECT_GT(counts["group_instructions"], 0);
}

TEST_F(CliTest, BenchMeasuresOtherWidths) {
  const std::string launch =
      kExamples + "mvp_light.json --counts 64 --seconds 0 --engines ir,jit --parts 1,4 --json";
  const Outcome outcome = run("bench " + launch);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::size_t of_parts = 0, chosen = 0;
  const json measured = json::parse(outcome.out);
  for (const json& row : measured["results"]) {
    EXPECT_GT(row["lanes"], 0) << row;
    const std::string engine = row["engine"];
    EXPECT_EQ(row.contains("parts"), engine.ends_with("/1") || engine.ends_with("/4")) << row;
    if (!row.contains("parts")) {
      chosen += engine.starts_with("jit") ? 1 : 0;
      continue;
    }
    ++of_parts;
    EXPECT_EQ(row["lanes"].get<unsigned>() % row["parts"].get<unsigned>(), 0u) << row;
  }
  EXPECT_EQ(of_parts, 2 * chosen);
  EXPECT_EQ(run("bench " + kExamples + "mvp_light.json --parts 0").code, 2);
  // Blocks of 128 threads hold no group of 256; neither do warps of 32 narrower ones, where threads meet.
  const Outcome block =
      run("bench " + source_launch("reduce") + " --seconds 0 --engines jit --parts 1 --json");
  ASSERT_EQ(block.code, 0) << block.err;
  const json alone = json::parse(block.out);
  for (const json& row : alone["results"]) EXPECT_FALSE(row.contains("parts")) << row;
}

TEST_F(CliTest, BenchAndCharts) {
  const std::string launch = kExamples + "mvp_light.json --counts 64,128 --engines guest,ir --seconds 0";
  const Outcome table = run("bench " + launch + " --chart a.svg");
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("128"), std::string::npos);
  EXPECT_NE(read(path("a.svg")).find("<svg"), std::string::npos);
  ASSERT_EQ(run("bench " + launch + " --chart a.png --json").code, 0);
  EXPECT_EQ(read(path("a.png")).substr(1, 3), "PNG");
  EXPECT_EQ(run("bench " + launch + " --chart a.gif").code, 2);
}

TEST_F(CliTest, GoldenCountsAreUpToDate) {
  const Outcome outcome = run("golden --check --folder " + tests::source_file("tests/golden") +
                              " --examples " + tests::source_file("examples"));
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

const std::string kKernels = tests::source_file("examples/tesla/");

TEST_F(CliTest, KernelsAgreeOnEveryEngine) {
  for (const auto& entry : fs::directory_iterator(kKernels)) {
    if (entry.path().extension() != ".json") continue;
    const Outcome verify = run("verify '" + entry.path().string() + "' --json");
    EXPECT_EQ(verify.code, 0) << entry.path() << verify.out << verify.err;
    EXPECT_EQ(json::parse(verify.out)["ok"], true);
  }
}

TEST_F(CliTest, KernelsRunAndAreShown) {
  const Outcome ran = run("run '" + kKernels + "saxpy.json' --engine guest --json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out)["expect"], "ok");
  EXPECT_EQ(json::parse(ran.out)["outputs"][0]["name"], "g14[0x20000]");
  EXPECT_NE(run("run '" + kKernels + "saxpy.json'").out.find("... and 992 more"), std::string::npos);
  EXPECT_EQ(run("run '" + kKernels + "scan.json' --out scan.bin").code, 0);
  EXPECT_EQ(fs::file_size(path("scan.bin")), 4096u);

  const Outcome listed = run("disasm '" + kKernels + "saxpy.tesla' -o again.tesla");
  ASSERT_EQ(listed.code, 0) << listed.err;
  const Outcome words = run("asm '" + kKernels + "saxpy.tesla' --json"), same = run("asm again.tesla --json");
  EXPECT_EQ(words.code, 0) << words.err;
  EXPECT_EQ(json::parse(words.out)["programs"], json::parse(same.out)["programs"]);
  EXPECT_EQ(json::parse(run("info '" + kKernels + "saxpy.tesla' --json").out)["programs"][0]["name"],
            "saxpy");
  EXPECT_NE(run("ir '" + kKernels + "saxpy.json'").out.find("StoreMemory"), std::string::npos);
  const Outcome host = run("host '" + kKernels + "saxpy.json' --target a64");
  EXPECT_EQ(host.code, 0) << host.err;
  EXPECT_NE(host.out.find("st b32 g14[$r2] $r1"), std::string::npos);
}

TEST_F(CliTest, BadKernelLaunchesNameTheField) {
  const std::string head =
      R"({"warpjit":1,"isa":"tesla","stage":"compute","program":{"words":["0xf0000001","0xe0000001"]},)";
  const auto error = [&](const std::string& rest) {
    write("bad.json", head + rest + "}");
    const Outcome outcome = run("run bad.json");
    EXPECT_EQ(outcome.code, 2) << rest << outcome.err;
    return outcome.err;
  };
  EXPECT_NE(error(R"("grid":[1])").find("block"), std::string::npos);
  EXPECT_NE(error(R"("grid":[0],"block":[32])").find("grid"), std::string::npos);
  EXPECT_NE(error(R"("grid":[1],"block":[32],"memory":[{"space":"g16","address":0,"size":8}])")
                .find("memory[0].space"),
            std::string::npos);
  EXPECT_NE(error(R"("grid":[1],"block":[32],"memory":[{"space":"g1","address":4,"size":8}])")
                .find("multiple of 8"),
            std::string::npos);
  EXPECT_NE(
      error(R"("grid":[1],"block":[32],"outputs":[{"space":"g1","address":4,"format":"u32","count":1}])")
          .find("outputs[0]"),
      std::string::npos);
  EXPECT_NE(error(R"("grid":[1],"block":[32],"texture":1)").find("texture"), std::string::npos);
  EXPECT_NE(error(R"("grid":[1],"block":[400,2])").find("512"), std::string::npos);
}

// A template runs as it is.
TEST_F(CliTest, TemplatesOfKernelLaunches) {
  for (const auto& entry : fs::directory_iterator(kKernels)) {
    if (entry.path().extension() != ".tesla") continue;
    fs::copy_file(entry.path(), path(entry.path().filename().string()));
    const Outcome made = run("launch " + entry.path().filename().string() + " --count 32");
    ASSERT_EQ(made.code, 0) << made.err;
    write("template.json", made.out);
    const json launch = json::parse(made.out);
    EXPECT_EQ(launch["block"], json::array({32}));
    EXPECT_EQ(launch["memory"][0]["space"], "g14") << entry.path();
    EXPECT_GT(launch["params"].size(), 0) << entry.path();
    const Outcome ran = run("run template.json --fuel 1000 --ignore-faults");
    EXPECT_TRUE(ran.code == 0 || ran.code == 3) << ran.err;
  }
}

// Text and ELF cubins are told apart by their content, whatever their name.
TEST_F(CliTest, Cubins) {
  const std::string source = read(kKernels + "saxpy.tesla");
  const auto container = tesla::assemble(source, "saxpy.tesla");
  ASSERT_TRUE(container) << to_string(container.error());
  const std::vector<std::byte> elf = tests::write_elf_cubin(*container);
  write("elf.bin", {reinterpret_cast<const char*>(elf.data()), elf.size()});
  ASSERT_EQ(run("asm '" + kKernels + "saxpy.tesla' -o text.bin").code, 0);
  for (const char* file : {"elf.bin", "text.bin"}) {
    EXPECT_EQ(json::parse(run(std::string("info --json ") + file).out)["programs"][0]["name"], "saxpy")
        << file;
    const Outcome made = run(std::string("launch -o run.json --entry saxpy ") + file);
    ASSERT_EQ(made.code, 0) << file << made.err;
    const Outcome ran = run("run run.json --fuel 1000 --ignore-faults");
    EXPECT_TRUE(ran.code == 0 || ran.code == 3) << file << ran.err;
    EXPECT_EQ(run(std::string("disasm --entry saxpy ") + file).code, 0) << file;
  }
  EXPECT_EQ(run("launch --entry nothing elf.bin").code, 2);
}

TEST_F(CliTest, KernelStatistics) {
  const Outcome text = run("run '" + kKernels + "mandelbrot.json' --stats");
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("active lanes of executed instructions"), std::string::npos) << text.out;
  const Outcome ran = run("run '" + kKernels + "reduce.json' --stats --json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json stats = json::parse(ran.out)["stats"];
  EXPECT_GT(stats["warp_instructions"], 100);
  EXPECT_EQ(stats["races"], json::array());
  for (const json& line : stats["instructions"]) {
    EXPECT_EQ(line["faults"], 0);
    EXPECT_EQ(line["uninitialized_registers"], 0) << line;
    EXPECT_EQ(line["uninitialized_shared"], 0) << line;
  }
  EXPECT_EQ(run("run '" + kExamples + "mvp_light.json' --stats").code, 2);
}

// A fault is reported with its place, and by the exit code.
TEST_F(CliTest, KernelFaultsAreReported) {
  fs::copy_file(kKernels + "collatz.tesla", path("collatz.tesla"));
  write("fault.json", R"({"warpjit":1,"isa":"tesla","stage":"compute","program":{"file":"collatz.tesla"},
    "grid":[1],"block":[64],"params":["0x1000"],"memory":[{"space":"g14","address":"0x1000","size":128}]})");
  for (const char* engine : {"guest", "ir", "jit"}) {
    const Outcome outcome = run(std::string("run fault.json --engine ") + engine);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_NE(outcome.err.find("load from g14[0x1080] by thread 32 of block (0, 0)"), std::string::npos)
        << outcome.err;
    const Outcome ignored = run(std::string("run fault.json --json --ignore-faults --engine ") + engine);
    EXPECT_EQ(ignored.code, 0) << ignored.err;
    EXPECT_EQ(json::parse(ignored.out)["fault"]["what"],
              "load from g14[0x1080] by thread 32 of block (0, 0)");
  }
  const Outcome verified = run("verify fault.json");
  EXPECT_EQ(verified.code, 1) << verified.err;
  EXPECT_NE(verified.out.find("fault: load from g14[0x1080] by thread 32 of block (0, 0) at "),
            std::string::npos)
      << verified.out;
  EXPECT_NE(verified.out.find("all agree, and fault"), std::string::npos) << verified.out;
  const Outcome ignored = run("verify fault.json --json --ignore-faults");
  EXPECT_EQ(ignored.code, 0) << ignored.err;
  const json all = json::parse(ignored.out);
  for (const json& row : all["engines"]) EXPECT_TRUE(row.contains("fault")) << row;
  EXPECT_EQ(all["engines"][0]["fault"]["accesses"], 64);  // a load and a store of each lane
}

}  // namespace
}  // namespace warpjit::tool
