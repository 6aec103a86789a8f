// The built tool: exit codes and outputs of what all commands share.
#include "tool/cli.h"

namespace warpjit::tool {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using CliTest = ToolTest;

// Triangles of a pipeline, and scopes that end together, are as worked out by hand.
TEST_F(CliTest, VerifyExamplesWithExpectations) {
  for (const char* name :
       {"point_quads", "flat_quads", "blended_triangles", "kept_registers", "trail", "shared_ends"}) {
    const Outcome outcome = run("verify --dispatch --threads 2 " + kExamples + name + ".json");
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("as expected"), std::string::npos) << outcome.out;
  }
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

TEST_F(CliTest, LaunchTemplateRuns) {
  fs::copy(kExamples + "mvp_light.shbin", path("mvp_light.shbin"));
  ASSERT_EQ(run("launch mvp_light.shbin -o run.json").code, 0);
  const Outcome outcome = run("run run.json --engine guest");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("checksum"), std::string::npos);
  EXPECT_EQ(run("launch run.json").code, 2);
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
  refused("run " + kernel + " --stats --engine jit", "--stats");
  refused("run " + kernel + " --stats --threads 2", "--stats");
  refused("bench " + shader + " --count 7 --counts 8", "--count");
  refused("run " + tests::source_file("examples/tesla/saxpy.tesla"), "not a launch file");
  refused("bench " + kExamples + "mvp_light.shbin", "not a launch file");
  ASSERT_EQ(run("bench " + kernel + " --engines guest --seconds 0 --chart x.png").code, 0);
  EXPECT_EQ(read(path("x.png")).substr(1, 3), "PNG");
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

}  // namespace
}  // namespace warpjit::tool
