// The built tool on what engines make: IR, host code, costs, benchmarks, golden counts.
#include "tool/cli.h"

namespace warpjit::tool {

namespace {

using nlohmann::json;
using CliTest = ToolTest;

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

}  // namespace
}  // namespace warpjit::tool
