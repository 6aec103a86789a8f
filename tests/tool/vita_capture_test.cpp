// Captures of the Vita in the tool: a draw in JSON becomes one, which all commands take.
#include "tool/cli.h"

namespace warpjit::tool {
namespace {

std::string draw_file(const std::string& name) {
  return tests::corpus_file("usse/launches/" + name + ".json");
}

TEST_F(ToolTest, DrawsOfTheVitaBecomeCaptures) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(tests::corpus_file("usse/launches"))) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path().string());
    const Outcome imported = run("import '" + entry.path().string() + "' -o draw.wjcap");
    ASSERT_EQ(imported.code, 0) << imported.err;
    const Outcome verified = run("verify draw.wjcap");
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    EXPECT_NE(verified.out.find("1 jobs, 1 draws, 2 pictures"), std::string::npos) << verified.out;
    EXPECT_NE(verified.out.find("as expected"), std::string::npos) << verified.out;
    EXPECT_NE(verified.out.find("all agree"), std::string::npos) << verified.out;
    ++count;
  }
  EXPECT_GE(count, 3u);
}

TEST_F(ToolTest, CapturesOfTheVitaRunInEveryCommand) {
  const std::string name = std::filesystem::exists(draw_file("nvg_buffer")) ? "nvg_buffer" : [] {
    for (const auto& entry : std::filesystem::directory_iterator(tests::corpus_file("usse/launches")))
      if (entry.path().extension() == ".json") return entry.path().stem().string();
    return std::string();
  }();
  ASSERT_EQ(run("import '" + draw_file(name) + "' -o draw.wjcap").code, 0);
  const Outcome rendered = run("render draw.wjcap -o pictures --raw bytes --json");
  EXPECT_EQ(rendered.code, 0) << rendered.err;
  const auto json = nlohmann::json::parse(rendered.out);
  EXPECT_EQ(json["isa"], "usse");
  EXPECT_EQ(json["draws"], 1);
  ASSERT_EQ(json["pictures"].size(), 1u);
  EXPECT_EQ(json["pictures"][0]["name"], "frame0_job0_color0");
  EXPECT_TRUE(json["pictures"][0].contains("beyond"));
  EXPECT_TRUE(std::filesystem::exists(json["pictures"][0]["file"].get<std::string>()) ||
              !json["pictures"][0]["file"].get<std::string>().empty());
  EXPECT_EQ(run("render draw.wjcap -o one.png").code, 0);
  EXPECT_EQ(run("render draw.wjcap -o one.png --show depth").code, 2) << "there is none";
  EXPECT_EQ(run("render draw.wjcap --heatmap").code, 2);
  const Outcome info = run("info draw.wjcap");
  EXPECT_EQ(info.code, 0);
  EXPECT_NE(info.out.find("usse, a capture of 1 frame, 1 job, 1 draw"), std::string::npos) << info.out;
  EXPECT_NE(info.out.find("job 0: scene of 64 x 64 pixels"), std::string::npos) << info.out;
  EXPECT_EQ(nlohmann::json::parse(run("info draw.wjcap --json").out)["jobs"][0]["draws"].size(), 1u);
  const Outcome bench = run("bench draw.wjcap --seconds 0.01 --engines guest --json");
  EXPECT_EQ(bench.code, 0) << bench.err;
  EXPECT_EQ(nlohmann::json::parse(bench.out)["results"][0]["slowest"].size(), 1u);
  // Written again, it is as long.
  EXPECT_EQ(run("import draw.wjcap -o again.wjcap").code, 0);
  EXPECT_EQ(run("verify again.wjcap").code, 0);
  EXPECT_EQ(run("import draw.wjcap -o again.wjcap --note x").code, 2);
}

TEST_F(ToolTest, DrawsWithMistakesNameTheField) {
  const auto error = [&](const std::string& text) {
    write("draw.json", text);
    const Outcome outcome = run("import draw.json -o draw.wjcap");
    EXPECT_EQ(outcome.code, 2) << text;
    return outcome.err;
  };
  EXPECT_NE(error(R"({"vertex": {}, "fragment": {}, "target": {}})").find("vertex"), std::string::npos);
  EXPECT_NE(error(R"({"vertex": {"program": "/etc/passwd"}, "fragment": {}, "target": {}})")
                .find("vertex.program: must be a name relative to this file"),
            std::string::npos);
  EXPECT_NE(error(R"({"vertex": {}, "fragment": {}, "target": {}, "lights": 1})").find("lights"),
            std::string::npos);
}

}  // namespace
}  // namespace warpjit::tool
