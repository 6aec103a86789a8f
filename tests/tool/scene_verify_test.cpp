// warpjit verify and bench of scenes of the 3DS.
#include "scene/compare_runs.h"
#include "scene/vary_scene.h"
#include "tool/cli.h"
#include "unpack.h"

namespace warpjit::tool {
namespace {

std::string frame_file(const std::string& name) {
  return tests::source_file("tests/corpus/pica200/frames/" + name + "/scene.json");
}
bool has_lzma() {
  const auto result = unpack_xz({}, "", 1);
  return result || result.error().code != ErrorCode::unsupported;
}

TEST_F(ToolTest, VerifyRunsScenesInAllEngines) {
  if (!has_lzma()) GTEST_SKIP() << "no liblzma";
  const Outcome outcome = run("verify '" + frame_file("stencil") + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("all agree"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("as expected"), std::string::npos) << outcome.out;
  const Outcome changed = run("verify '" + frame_file("tev_operations") + "' --random 8 --seed 5 --json");
  EXPECT_EQ(changed.code, 0) << changed.out;
  EXPECT_EQ(nlohmann::json::parse(changed.out)["runs"], 8);
  EXPECT_EQ(run("verify '" + frame_file("hostile_gas") + "'").code, 0) << "it must be refused";
  EXPECT_EQ(run("verify '" + frame_file("stencil") + "' --count 5").code, 2);
  EXPECT_EQ(run("verify '" + frame_file("stencil") + "' --engines jit-v9").code, 2);
}

TEST_F(ToolTest, VerifyTellsWhatIsNotExpected) {
  const std::string memory(0x40, '\0');
  write("zeros.bin", memory);
  write("scene.json", R"({"format": "pica-frame 1", "memory": [{"address": "0x18000000", "bytes": 64}],
    "queue": [{"fill": {"start": "0x18000000", "end": "0x18000040", "value": 1, "control": "0x201"}}],
    "outputs": [{"name": "x", "address": "0x18000000", "bytes": 64, "file": "zeros.bin"}]})");
  const Outcome outcome = run("verify scene.json");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("NOT AS EXPECTED: x: 16 of 64 bytes differ"), std::string::npos) << outcome.out;
  EXPECT_EQ(run("verify scene.json --random 4").code, 2) << "nothing to change";
}

TEST_F(ToolTest, BenchMeasuresFrames) {
  if (!has_lzma()) GTEST_SKIP() << "no liblzma";
  const Outcome outcome = run("bench '" + frame_file("triangle") + "' --seconds 0.01 --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["draws"], 1);
  EXPECT_GT(json["fragments"], 100);
  EXPECT_EQ(json["results"][0]["engine"], "guest");
  EXPECT_GT(json["results"][0]["fragments_per_second"], 0.0);
  EXPECT_NE(run("bench '" + frame_file("triangle") + "' --seconds 0.01 --engines ir").out.find("ms/frame"),
            std::string::npos);
  EXPECT_EQ(run("bench '" + frame_file("triangle") + "' --parts 2").code, 2);
}

// Two scenes in place of two engines: one has flat colours, and only the registers that no list writes differ.
TEST(SceneParting, NamesDrawAndPixel) {
  if (!has_lzma()) GTEST_SKIP() << "no liblzma";
  const auto scene = load_scene(frame_file("strips_fans_indices"));
  ASSERT_TRUE(scene.ok()) << to_string(scene.error());
  Scene other = *scene;
  other.registers.push_back({0x058, 1});
  const auto wanted = SceneMachine::make(*scene, "wanted"), got = SceneMachine::make(other, "got");
  ASSERT_TRUE(wanted.ok() && got.ok());
  RunOptions run;
  run.engine = EngineKind::guest;
  const Engine engine;
  EXPECT_FALSE(find_parting(engine, {**wanted, run}, {**wanted, run}));
  const auto place = find_parting(engine, {**got, run}, {**wanted, run});
  ASSERT_TRUE(place);
  EXPECT_NE(place->find("job 2, draw 0 (command at 0x200"), std::string::npos) << *place;
  EXPECT_NE(place->find("): colour of pixel ("), std::string::npos) << *place;

  other.registers = {};
  std::get<pica200::MemoryFill>(other.jobs[0]).value = 0x336699fe;
  const auto filled = SceneMachine::make(other, "filled");
  ASSERT_TRUE(filled.ok());
  EXPECT_EQ(find_parting(engine, {**filled, run}, {**wanted, run}).value_or(""),
            "job 0: byte 0x18000000 is 0xfe, not 0xff");
}

TEST(SceneVariations, ChangeRegistersAndNothingElse) {
  if (!has_lzma()) GTEST_SKIP() << "no liblzma";
  const auto scene = load_scene(frame_file("tev_operations"));
  ASSERT_TRUE(scene.ok());
  const SceneVariation variation(*scene);
  ASSERT_FALSE(variation.empty());
  const CommandList list = std::get<CommandList>(scene->jobs[2]);
  unsigned changed = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Scene varied = *scene;
    Random random(seed);
    variation.vary(varied, random);
    const auto byte = first_difference(varied.memory, scene->memory);
    if (!byte) continue;
    ++changed;
    EXPECT_GE(byte->address, list.address);
    EXPECT_LT(byte->address, list.address + list.bytes);
  }
  EXPECT_GT(changed, 30u);
}

}  // namespace
}  // namespace warpjit::tool
