// The built tool and graphics programs: launches, pictures, heatmaps, listings, templates.
#include <cctype>
#include <chrono>
#include <fstream>

#include "tool/cli.h"

namespace warpjit::tool {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using DrawTest = ToolTest;

const std::string kGraphics = tests::source_file("examples/tesla/graphics/");

TEST_F(DrawTest, DrawsAgreeOnEveryEngine) {
  unsigned count = 0;
  for (const auto& entry : fs::directory_iterator(kGraphics)) {
    if (entry.path().extension() != ".json") continue;
    const Outcome verify = run("verify '" + entry.path().string() + "' --json");
    EXPECT_EQ(verify.code, 0) << entry.path() << verify.out << verify.err;
    EXPECT_EQ(json::parse(verify.out)["ok"], true);
    ++count;
  }
  EXPECT_GE(count, 16u);
}

TEST_F(DrawTest, DrawsArePictures) {
  const std::string phong = "'" + kGraphics + "phong.json'";
  ASSERT_EQ(run("render " + phong + " --engine guest -o guest.png").code, 0);
  ASSERT_EQ(run("render " + phong + " --threads 2 -o jit.png --compare guest.png").code, 0);
  const Outcome depth = run("render " + phong + " --show depth --compare guest.png --json");
  EXPECT_EQ(depth.code, 1) << depth.err;
  EXPECT_GT(json::parse(depth.out)["compare"]["pixels"], 0);
  const Outcome larger = run("render " + phong + " --size 96x40 --json");
  EXPECT_EQ(json::parse(larger.out)["width"], 96) << larger.err;
  ASSERT_EQ(run("render " + phong + " --frames 3 --uniform c0[0] --to 2 -o moving.png").code, 0);
  EXPECT_GT(fs::file_size(path("moving.png")), 100u);
  const auto refused = [&](const std::string& arguments, const char* what) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
  };
  refused("render '" + tests::source_file("examples/tesla/saxpy.json") + "'", "fragment");
  refused("render " + phong + " --show color5", "color5");
  refused("render " + phong + " --size 0x4", "size");
  refused("render " + phong + " --compare " + phong, "PNG");
  refused("render " + phong + " --frames 2 --uniform c9[0]", "constant");
  refused("run " + phong + " --count 5", "targets");
  EXPECT_EQ(run("verify " + phong + " --random 5").code, 0);
  EXPECT_EQ(run("verify '" + kGraphics + "depth_blend.json' --random 30 --seed 3").code, 0);
  refused("verify '" + kGraphics + "points.json' --random 5", "random");
}

TEST_F(DrawTest, PicturesOfFastModesSaySo) {
  fs::copy_file(kGraphics + "phong.tesla", path("phong.tesla"));
  json launch = json::parse(std::ifstream(kGraphics + "phong.json"));
  launch.erase("expect");
  write("plain.json", launch.dump());
  launch["modes"] = {{"fast-sfu", true}};
  write("fast.json", launch.dump());
  EXPECT_FALSE(json::parse(run("render plain.json --json").out).contains("modes"));
  EXPECT_EQ(json::parse(run("render fast.json --json").out)["modes"], (json{{"fast-sfu", true}}));
  EXPECT_EQ(run("render plain.json").out.find("fast-sfu"), std::string::npos);
  EXPECT_NE(run("render fast.json").out.find("fast-sfu"), std::string::npos);
}

TEST_F(DrawTest, HeatmapsCountInstructions) {
  // Without branches every pixel executes all of them, but for those that are discarded.
  const std::string discard = "'" + kGraphics + "discard.json'";
  const Outcome even = run("render " + discard + " --heatmap --json -o heat.png");
  ASSERT_EQ(even.code, 0) << even.err;
  const json counts = json::parse(even.out)["heatmap"];
  EXPECT_EQ(counts["pixels"], 96 * 96);
  EXPECT_EQ(counts["most"], 20);
  EXPECT_LT(counts["total"], 96 * 96 * 20);
  EXPECT_GT(counts["total"], 96 * 96 * 15);
  EXPECT_EQ(json::parse(even.out)["engine"], "guest");
  EXPECT_EQ(run("render " + discard + " --heatmap --compare heat.png").code, 0);
  EXPECT_EQ(run("render " + discard + " --compare heat.png").code, 2) << "the legend stands beside";
  const json loops =
      json::parse(run("render '" + kGraphics + "mandelbrot.json' --heatmap --json").out)["heatmap"];
  EXPECT_GT(loops["most"].get<int>(), 64 * 10);
  EXPECT_LT(loops["total"].get<int>(), loops["most"].get<int>() * 128 * 96 / 2);
}

TEST_F(DrawTest, LongRendersTellHowFarTheyAre) {
  const Outcome quick = run("render '" + kGraphics + "discard.json'");
  EXPECT_EQ(quick.err, "");
  const auto start = std::chrono::steady_clock::now();
  const Outcome slow = run("render '" + kGraphics + "raymarch.json' --engine guest --size 800x600");
  ASSERT_EQ(slow.code, 0) << slow.err;
  if (std::chrono::steady_clock::now() - start > std::chrono::seconds(3)) {
    EXPECT_NE(slow.err.find(" %\n"), std::string::npos);
  }
  for (const char c : slow.err)
    EXPECT_TRUE(std::isdigit(c) != 0 || c == ' ' || c == '%' || c == '\n') << slow.err;
}

TEST_F(DrawTest, GraphicsProgramsHaveTheirState) {
  const std::string phong = "'" + kGraphics + "phong.tesla'";
  ASSERT_EQ(run("asm " + phong + " -o phong.cubin").code, 0);
  for (const std::string& file : {phong, std::string("phong.cubin")}) {
    const json programs = json::parse(run("info " + file + " --json").out)["programs"];
    ASSERT_EQ(programs.size(), 2u);
    EXPECT_EQ(programs[0]["stage"], "vertex");
    EXPECT_EQ(programs[0]["graphics"]["builtin-attributes"], "0x00000001");
    EXPECT_EQ(programs[1]["stage"], "fragment");
    EXPECT_EQ(programs[1]["graphics"]["interpolants"], "0x08030403");
    EXPECT_NE(run("disasm " + file + " --program fragment").out.find(".interpolants 0x8030403"),
              std::string::npos);
  }
  write("again.tesla", run("disasm phong.cubin --program fragment").out);
  ASSERT_EQ(run("asm again.tesla -o again.cubin").code, 0);
  EXPECT_EQ(run("disasm again.cubin").out, run("disasm phong.cubin --program fragment").out);
  for (const char* command : {"ir ", "host "})
    for (const std::string& file : {phong + " --program fragment", "'" + kGraphics + "phong.json'"}) {
      const Outcome shown = run(command + file);
      EXPECT_EQ(shown.code, 0) << command << file << shown.err;
    }
}

TEST_F(DrawTest, TemplatesOfFragmentProgramsRender) {
  for (const char* name : {"noise", "phong", "points", "targets"}) {
    fs::copy_file(kGraphics + name + ".tesla", path(std::string(name) + ".tesla"));
    const Outcome made = run("launch " + std::string(name) + ".tesla --program fragment");
    ASSERT_EQ(made.code, 0) << name << made.err;
    write("launch.json", made.out);
    const Outcome verified = run("verify launch.json");
    EXPECT_EQ(verified.code, 0) << name << verified.out << verified.err;
  }
  write("launch.json", run("launch noise.tesla --program fragment").out);
  EXPECT_EQ(json::parse(run("render launch.json --heatmap --json").out)["heatmap"]["pixels"], 64 * 64);
  EXPECT_EQ(run("verify noise.tesla --program fragment --random 60").code, 0);
}

TEST_F(DrawTest, InfoListsWhatIsSampled) {
  const Outcome info = run("info '" + kGraphics + "block_texture.json' --json");
  ASSERT_EQ(info.code, 0) << info.err;
  const json samples = json::parse(info.out)["programs"][0]["samples"];
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0]["texture"], 0);
  EXPECT_EQ(samples[0]["sampler"], 0);
  EXPECT_EQ(samples[0]["bound"], "bc1, 2d, linear, 64 x 64");
  EXPECT_NE(run("info '" + kGraphics + "block_texture.json'").out.find("texture 0, sampler 0"),
            std::string::npos);
  const std::string source = run("info '" + kGraphics + "block_texture.tesla' --json").out;
  EXPECT_FALSE(json::parse(source)["programs"][0]["samples"][0].contains("bound"));
}

TEST_F(DrawTest, TexturesArePictures) {
  const std::string dump = "'" + kGraphics + "textures/rainbow.bc1' --format bc1 --size 64x64";
  const Outcome shown = run("texture " + dump + " -o rainbow.png");
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_NE(run("texture rainbow.png").out.find("64 x 64 pixels"), std::string::npos);
  const std::pair<const char*, const char*> wrong[] = {
      {"--format bc9", "--format: 'bc9' is none of r8, "},
      {"--size 64x", "--size: '64x' is no size"},
      {"--size 64x99", "rainbow.bc1: data has 2048 bytes"},
      {"--layout tiled", "--layout: 'tiled' is none of linear"},
      {"--level 1 -o x.png", "rainbow.bc1: data has 2048 bytes"},
      {"--layer 1 -o x.png", "--layer: is a layer that the texture does not have"},
      {"--offset 4096", "--offset: lies behind the file"},
      {"--swizzle rgb", "--swizzle: has four letters"},
  };
  for (const auto& [options, message] : wrong) {
    std::string command = "'" + kGraphics + "textures/rainbow.bc1' " + options;
    if (std::string(options).find("--format") != 0) command += " --format bc1";
    if (std::string(options).find("--size") != 0) command += " --size 64x64";
    const Outcome refused = run("texture " + command);
    EXPECT_EQ(refused.code, 2) << options;
    EXPECT_NE(refused.err.find(message), std::string::npos) << options << ": " << refused.err;
  }
  write("cut.png", "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(run("texture cut.png").code, 2);
}

}  // namespace
}  // namespace warpjit::tool
