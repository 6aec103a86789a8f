// warpjit render of scenes of the 3DS.
#include "tool/cli.h"
#include "unpack.h"

namespace warpjit::tool {
namespace {

std::string scene(const std::string& name) {
  return "'" + tests::source_file("tests/corpus/pica200/frames/" + name + "/scene.json") + "'";
}

TEST_F(ToolTest, SceneWritesPicturesAndBytes) {
  if (const auto result = unpack_xz({}, "", 1); !result && result.error().code == ErrorCode::unsupported)
    GTEST_SKIP() << "no liblzma";
  const Outcome drawn = run("render " + scene("triangle") + " -o pictures --raw bytes");
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_NE(drawn.out.find("colour: 4096 pixels, equal"), std::string::npos) << drawn.out;
  EXPECT_EQ(std::filesystem::file_size(path("bytes/colour.bin")), 16384u);
  EXPECT_TRUE(std::filesystem::exists(path("pictures/colour.png")));
  EXPECT_TRUE(std::filesystem::exists(path("pictures/depth.png")));

  for (const char* engine : {"guest", "ir"}) {
    const Outcome other = run("render " + scene("triangle") + " --engine " + engine);
    EXPECT_EQ(other.code, 0) << other.err;
  }

  const Outcome refused = run("render " + scene("hostile_gas"));
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("register 0x100"), std::string::npos) << refused.err;
}

TEST_F(ToolTest, SceneShowsOverdraw) {
  if (const auto result = unpack_xz({}, "", 1); !result && result.error().code == ErrorCode::unsupported)
    GTEST_SKIP() << "no liblzma";
  const Outcome drawn = run("render " + scene("stencil") + " --heatmap -o pictures --json");
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  const auto json = nlohmann::json::parse(drawn.out);
  std::uint64_t total = 0;
  for (const auto& target : json["overdraw"]) {
    EXPECT_TRUE(std::filesystem::exists(path(target["file"]))) << target;
    EXPECT_GE(target["most"], 1);
    total += target["total"].get<std::uint64_t>();
  }
  // What the interpreter counts.
  const auto counted =
      nlohmann::json::parse(run("render " + scene("stencil") + " --engine guest --json").out);
  EXPECT_EQ(total, counted["fragments"]);
  EXPECT_EQ(run("render " + scene("stencil") + " --frames 3").code, 2) << "not of scenes";
}

TEST_F(ToolTest, SceneFieldsAreNamed) {
  const auto error = [&](const std::string& members) {
    write("scene.json", "{\"format\": \"pica-frame 1\"" + members + "}");
    const Outcome outcome = run("render scene.json");
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    return outcome.err;
  };
  EXPECT_NE(error("").find("memory"), std::string::npos);
  EXPECT_NE(error(R"(, "memory": [{"address": 0, "bytes": 4294967295}])").find("1 GiB"), std::string::npos);
  EXPECT_NE(error(R"(, "memory": [], "queue": [{"draw": {}}], "outputs": [])").find("queue[0]"),
            std::string::npos);
  EXPECT_NE(error(R"(, "memory": [], "queue": [{"fill": {"start": 0}}], "outputs": [])").find("end"),
            std::string::npos);
  EXPECT_NE(error(R"(, "memory": [], "registers": {"0x300": 1}, "queue": [], "outputs": [])").find("0x300"),
            std::string::npos);
  EXPECT_NE(error(R"(, "memory": [], "queue": [], "outputs": [{"name": "../x", "address": 0, "bytes": 0}])")
                .find("outputs[0].name"),
            std::string::npos);
  EXPECT_NE(error(R"(, "memory": [], "queue": [], "outputs": [{"name": "x", "address": 4, "bytes": 4}])")
                .find("does not lie"),
            std::string::npos);
}

}  // namespace
}  // namespace warpjit::tool
