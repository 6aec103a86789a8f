// The built tool on kernels: launches, templates, statistics, faults.
#include "tool/cli.h"

namespace warpjit::tool {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using CliTest = ToolTest;

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
  const Outcome drawn = run("run '" + kKernels + "graphics/phong.json' --stats --json");
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  const json pixels = json::parse(drawn.out)["stats"];
  EXPECT_GT(pixels["lane_instructions"], 1000);
  EXPECT_EQ(pixels["active_lanes"].size(), 33U);
  EXPECT_GT(pixels["mean_active_lanes"], 4);
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
