// Memory images of GPUs: `info --job`, and launch files that name one.
#include "tool/cli.h"
#include "tool/schema.h"

namespace warpjit::tool {

namespace {

using nlohmann::json;

// A seed of the fuzz targets, with one job.
std::string image(const std::string& name) {
  return "'" + tests::source_file("fuzz/corpus/valhall_image/" + name) + "'";
}

using JobTest = ToolTest;

TEST_F(JobTest, Info) {
  const Outcome compute = run("info --json --job 0x200001000 " + image("compute"));
  ASSERT_EQ(compute.code, 0) << compute.err;
  const json shown = json::parse(compute.out);
  EXPECT_EQ(shown["isa"], "valhall");
  EXPECT_EQ(shown["windows"][0], (json{{"address", "0x200001000"}, {"size", 0x640}}));
  const json& job = shown["jobs"][0];
  EXPECT_EQ(job["job"], "compute");
  EXPECT_EQ(job["grid"], (json{2, 1, 1}));
  EXPECT_EQ(job["block"], (json{4, 1, 1}));
  EXPECT_EQ(job["first_block"], (json{5, 0, 0}));
  const json& environment = job["environment"];
  EXPECT_EQ(environment["program"]["code"], "0x200001600");
  EXPECT_EQ(environment["program"]["words"], 4);
  EXPECT_EQ(environment["uniforms"]["words"], (json{"0x00001400", "0x00000002"}));
  EXPECT_EQ(environment["tables"][0]["descriptors"][0],
            (json{{"kind", "buffer"}, {"type", 1}, {"address", "0x200001400"}, {"size", 16}}));

  const Outcome vertices = run("info --job 0x200001000 " + image("vertices"));
  ASSERT_EQ(vertices.code, 0) << vertices.err;
  EXPECT_NE(vertices.out.find("\n    draw_mode points\n"), std::string::npos) << vertices.out;
  EXPECT_NE(
      vertices.out.find("- kind attribute, type 1, format 0x000a7010, table 2, buffer 0, offset 0, stride 4"),
      std::string::npos)
      << vertices.out;
}

TEST_F(JobTest, InfoErrors) {
  const Outcome outside = run("info --job 0x100 " + image("compute"));
  EXPECT_EQ(outside.code, 2);
  EXPECT_NE(outside.err.find("job at 0x100: its 32 bytes at 0x100 are outside of the image"),
            std::string::npos)
      << outside.err;
  EXPECT_EQ(run("info --job there " + image("compute")).code, 2);
  EXPECT_EQ(run("info --job 0x200001000").code, 2);
  write("cut", "12345678");
  EXPECT_NE(run("info --job 0 cut").err.find("cut, byte 0x0: the file ends in the address and length"),
            std::string::npos);
}

// A launch of the job in a seed.
json launch_of(const char* stage, const std::string& name) {
  return {{"warpjit", 1},
          {"isa", "valhall"},
          {"stage", stage},
          {"program", {{"image", name}, {"job", "0x200001000"}}}};
}

TEST_F(JobTest, LaunchOfCompute) {
  std::string bytes = read(tests::source_file("fuzz/corpus/valhall_image/compute"));
  write("compute", bytes);
  json launch = launch_of("compute", "compute");
  launch["expect"] = {{{"space", "mem"},
                       {"address", "0x200001400"},
                       {"format", "u32"},
                       {"data", {20, 21, 22, 23, 24, 25, 26, 27, 0}}}};
  write("run.json", launch.dump());
  const Outcome verified = run("verify run.json");
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  EXPECT_NE(verified.out.find("as expected"), std::string::npos) << verified.out;
  EXPECT_EQ(validate(json::parse(read(tests::source_file("docs/launch.schema.json"))), launch), "");
  EXPECT_EQ(run("run run.json").code, 0);
  EXPECT_NE(run("disasm run.json").out.find("STORE.i32.slot0 @r60, r2"), std::string::npos);
  launch["expect"][0]["data"][3] = 9;
  write("wrong.json", launch.dump());
  EXPECT_EQ(run("run wrong.json").code, 1);

  const auto failure = [&](const json& changed) {
    write("bad.json", changed.dump());
    const Outcome outcome = run("run bad.json");
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  launch["grid"] = {1};
  EXPECT_NE(failure(launch).find("grid: the job says this"), std::string::npos);
  launch.erase("grid");
  // The program stores to its uniforms: each engine says so.
  bytes[16 + 0x301] = 0x13;
  write("own", bytes);
  launch["program"]["image"] = "own";
  for (const char* command : {"run own.json", "verify own.json", "run --engine ir own.json"}) {
    write("own.json", launch.dump());
    const Outcome own = run(command);
    EXPECT_EQ(own.code, 2) << command;
    EXPECT_NE((own.err + own.out)
                  .find("compute job at 0x200001000, environment, uniforms: the program writes its own "
                        "descriptors, 8 bytes at 0x200001300"),
              std::string::npos)
        << own.err << own.out;
  }
  launch["program"]["job"] = "0x200001080";
  EXPECT_NE(failure(launch).find("job at 0x200001080: type: there is no"), std::string::npos)
      << failure(launch);
  launch["program"]["image"] = "nothing";
  failure(launch);
}

TEST_F(JobTest, LaunchOfVertices) {
  write("vertices", read(tests::source_file("fuzz/corpus/valhall_image/vertices")));
  json launch = launch_of("vertex", "vertices");
  launch["expect"] = {
      {{"space", "results"}, {"address", 128}, {"format", "u32"}, {"data", {1, 0x3f800001, 0}}}};
  write("run.json", launch.dump());
  const Outcome verified = run("verify run.json");
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  EXPECT_NE(verified.out.find("as expected"), std::string::npos) << verified.out;
  launch["program"]["varying"] = true;
  write("varying.json", launch.dump());
  EXPECT_NE(run("run varying.json").err.find("varying environment: there is no program"), std::string::npos);
}

}  // namespace

}  // namespace warpjit::tool
