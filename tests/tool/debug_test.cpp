// warpjit debug, trace, origin and nan: what their commands do, and that text and JSON say the same.
#include "cli.h"

namespace warpjit::tool {
namespace {

class DebugToolTest : public ToolTest {
 protected:
  static std::string example(const std::string& name) {
    return "'" + tests::source_file("examples/" + name) + "'";
  }
  // The replies of `warpjit debug` to commands.
  std::vector<nlohmann::json> replies(const std::string& where, const std::string& commands, int code = 0) {
    const Outcome outcome = run("debug " + where + " --json --batch '" + commands + "'");
    EXPECT_EQ(outcome.code, code) << outcome.err << outcome.out;
    std::vector<nlohmann::json> list;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) list.push_back(nlohmann::json::parse(line));
    return list;
  }
  const std::string sphere = example("valhall/graphics/sphere.json") + " pixel 64,64";
};

TEST_F(DebugToolTest, StepsBothWays) {
  const auto list = replies(sphere, "s; s 3; rs; rs 100; finish; rs; goto 7");
  ASSERT_EQ(list.size(), 7u);
  const int steps[] = {1, 4, 3, 0, 22, 21, 7};
  for (std::size_t k = 0; k < list.size(); ++k) EXPECT_EQ(list[k]["step"], steps[k]) << k;
  EXPECT_EQ(list[4]["end"], "done");
  EXPECT_EQ(list[0]["command"], "step");
}

TEST_F(DebugToolTest, StopsWhereItIsTold) {
  const auto list =
      replies(sphere, "b 0x48; watch r2 if r2 > 0.5; c; c; rc; rc; rc; rwatch r4; info; d 1; d; c", 2);
  ASSERT_EQ(list.size(), 12u);
  EXPECT_EQ(list[2]["step"], 5);  // r2 is written by steps 1, 2 and 4, and above 0.5 after the last one
  EXPECT_EQ(list[3]["step"], 9);
  EXPECT_EQ(list[4]["step"], 5);
  EXPECT_EQ(list[5]["step"], 0);
  EXPECT_TRUE(list[7].contains("error"));  // nothing before the start has written it
  EXPECT_EQ(list[8]["breakpoints"].size(), 2u);
  EXPECT_EQ(list[9]["breakpoints"].size(), 1u);
  EXPECT_EQ(list[10]["breakpoints"].size(), 0u);
  EXPECT_EQ(list[11]["step"], 22);
}

TEST_F(DebugToolTest, ShowsValues) {
  const auto list = replies(
      sphere,
      "goto 5; p r2; p r2 < 1; p r2@3; p r2 is nan; p 1.5; lanes r2; r changed; r r2 u0; list 1; where");
  ASSERT_EQ(list.size(), 11u);
  EXPECT_EQ(list[1]["readings"]["hex"], "0x3f7ff380");
  EXPECT_FLOAT_EQ(list[1]["readings"]["float"].get<float>(), 0.99980927F);
  EXPECT_EQ(list[2]["holds"], true);
  EXPECT_NE(list[3]["value"], list[1]["value"]);
  EXPECT_EQ(list[4]["holds"], false);
  EXPECT_EQ(list[5]["value"], 0x3fc00000);
  EXPECT_EQ(list[6]["lanes"].size(), 4u);
  EXPECT_EQ(list[6]["lanes"][3]["value"], list[3]["value"]);
  EXPECT_EQ(list[7]["registers"][0]["register"], "r2");
  EXPECT_EQ(list[8]["registers"].size(), 2u);
  EXPECT_EQ(list[9]["lines"].size(), 3u);
  EXPECT_EQ(list[9]["lines"][1]["next"], true);
  EXPECT_EQ(list[10]["steps"], 22);
}

TEST_F(DebugToolTest, SaysWhatIsWrongAndGoesOn) {
  const auto list =
      replies(sphere, "foo; st 1; b 0x1234; p r999; goto draw 7; goto 99; catch 1; lane 9; s x; s", 2);
  ASSERT_EQ(list.size(), 10u);
  for (std::size_t k = 0; k + 1 < list.size(); ++k)
    EXPECT_TRUE(k == 1 || list[k].contains("error")) << k << list[k];
  EXPECT_EQ(list[1]["step"], 1);  // "st" begins one command alone
  EXPECT_NE(list[4]["error"].get<std::string>().find("the last one is 0"), std::string::npos);
  EXPECT_EQ(list[9]["step"], 2);
}

TEST_F(DebugToolTest, TextIsMadeOfJson) {
  const Outcome outcome = run("debug " + sphere + " --batch 's 5; p r2; nonsense'");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.out.find("r2 = 0.999809265 (0x3f7ff380)"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("float 0.999809265"), std::string::npos);
  EXPECT_NE(outcome.out.find("there is no such command"), std::string::npos);
  EXPECT_NE(outcome.out.find("try: s | "), std::string::npos);
}

TEST_F(DebugToolTest, ScriptsAreFiles) {
  write("commands", "# a comment\ns\ns; p r0\nquit\ns\n");
  const Outcome outcome = run("debug " + sphere + " -x commands --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 4);
  EXPECT_EQ(run("debug " + sphere + " -x missing").code, 2);
}

TEST_F(DebugToolTest, TraceSaysWhatStepsSay) {
  const Outcome outcome = run("trace " + sphere + " --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::vector<nlohmann::json> lines;
  std::istringstream text(outcome.out);
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(lines.size(), 24u);
  EXPECT_EQ(lines.front()["warpjit_trace"], 1);
  EXPECT_EQ(lines.back()["agrees"], true);
  const auto list = replies(sphere, "s 5");
  EXPECT_EQ(list[0]["changed"][0]["after"], lines[5]["writes"][0]["after"]);
  EXPECT_EQ(list[0]["last"]["text"], lines[5]["text"]);
}

TEST_F(DebugToolTest, OriginEndsAtTheBirth) {
  const Outcome nan = run("nan " + example("debug/light.json") + " --json");
  ASSERT_EQ(nan.code, 0) << nan.err;
  const auto births = nlohmann::json::parse(nan.out)["births"];
  ASSERT_EQ(births.size(), 1u);
  EXPECT_EQ(births[0]["first"], "draw 0 vertex 3 step 10");
  EXPECT_EQ(births[0]["count"], 1);
  const Outcome origin = run("origin " + example("debug/light.json") + " pixel 20,24 --nan --json");
  ASSERT_EQ(origin.code, 0) << origin.err;
  const auto json = nlohmann::json::parse(origin.out);
  ASSERT_EQ(json["stages"].size(), 1u);
  EXPECT_EQ(json["stages"][0]["nodes"].back()["place"], "draw 0 vertex 3 step 6");
  EXPECT_EQ(run("origin " + sphere + " --nan").code, 2);
  EXPECT_EQ(run("origin " + sphere).code, 2);
}

TEST_F(DebugToolTest, SeveralLaunchFilesAreDrawsOfOneFrame) {
  ASSERT_EQ(
      run("import " + example("debug/wall.json") + " " + example("debug/glow.json") + " -o frame.wjcap").code,
      0);
  const auto list = replies("frame.wjcap draw 1 pixel 10,10", "finish; goto draw 0 pixel 1,1; finish");
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0]["end"], "done");
  EXPECT_FALSE(list[0].contains("difference"));
  EXPECT_EQ(list[2]["place"], "draw 0 pixel 1,1 fragment 0 step 5");
  const Outcome other = run("import " + example("debug/wall.json") + " " +
                            example("valhall/graphics/sphere.json") + " -o x.wjcap");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("targets"), std::string::npos) << other.err;
}

// No byte of a hostile name or place reaches a terminal as a control character.
TEST_F(DebugToolTest, HostileWordsAreShownVisibly) {
  const Outcome place = run("trace " + sphere + " '\033[31m' 1");
  EXPECT_EQ(place.code, 2);
  EXPECT_EQ(place.err.find('\033'), std::string::npos);
  const Outcome command = run("debug " + sphere + " --batch 'p \033[31m; b \033; \033'");
  EXPECT_EQ(command.code, 2);
  EXPECT_EQ((command.out + command.err).find('\033'), std::string::npos);
}

}  // namespace
}  // namespace warpjit::tool
