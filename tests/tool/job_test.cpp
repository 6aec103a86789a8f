// Memory images of GPUs: `info --job`.
#include "tool/cli.h"

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

}  // namespace

}  // namespace warpjit::tool
