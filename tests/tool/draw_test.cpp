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

// Programs that sample have a texture and a sampler for each that their code names.
TEST_F(DrawTest, TemplatesHaveWhatIsSampled) {
  const auto source = [&](const std::string& stage, const std::string& code) {
    const std::string results = stage == "vertex" ? ".results 0x0 0x1 0x2 0x3\n" : "";
    write("samples.tesla",
          ".kernel samples\n.type " + stage + "\n.registers 8\n" + results + code + "exit nop\n");
  };
  const std::string three =
      "texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\n"
      "texlod all $r0:$r1:$r2:$r3 $t5 $s2 $r0:$r1:$r2:$r3 0x0 0x0 0x0\n"
      "texfetch all $r0:$r1:$r2:$r3 $t7 $s9 $r0:$r1 0x0 0x0 0x0\n";
  for (const std::string stage : {"fragment", "vertex", "compute"}) {
    source(stage, three);
    const Outcome made = run("launch samples.tesla");
    ASSERT_EQ(made.code, 0) << stage << made.err;
    const json launch = json::parse(made.out);
    ASSERT_EQ(launch["textures"].size(), 3u) << made.out;
    EXPECT_EQ(launch["textures"]["0"]["dimension"], "2d");
    EXPECT_EQ(launch["textures"]["5"]["dimension"], "3d");
    EXPECT_EQ(launch["textures"]["7"]["dimension"], "1d");
    EXPECT_EQ(launch["samplers"].size(), 2u);
    EXPECT_TRUE(launch["samplers"].contains("0") && launch["samplers"].contains("2"));
    for (const char* command : {"verify ", "ir ", "host "}) {
      const Outcome outcome = run(std::string(command) + "samples.tesla");
      EXPECT_EQ(outcome.code, 0) << command << stage << outcome.out << outcome.err;
    }
  }
  // Geometry programs run in draws alone, but are translated.
  write("geometry.tesla",
        ".kernel g\n.type geometry\n.registers 8\n.results 0 1 2 3\n" + three + "emit\nexit nop\n");
  for (const char* command : {"ir ", "host "}) {
    const Outcome outcome = run(std::string(command) + "geometry.tesla");
    EXPECT_EQ(outcome.code, 0) << command << outcome.out << outcome.err;
  }
  // Bare words, too.
  const json words = json::parse(run("launch '" + kGraphics + "block_texture.tesla'").out);
  EXPECT_EQ(words["textures"]["0"]["format"], "rgba8");
  EXPECT_EQ(run("verify '" + kGraphics + "block_texture.tesla'").code, 0);
  EXPECT_EQ(run("verify '" + kGraphics + "block_texture.tesla' --random 10").code, 0);
}

// A draw of colours in slots 4 to 7, which the program multiplies by w.
const std::string kShaded = R"(.kernel shaded
.type fragment
.interpolants 0x8040404
.color-slots 0x40404
.registers 8
  interp $r4 v[0x0]
  rcp f32 $r4 $r4
  interp $r0 v[0x4] $r4
  interp $r1 v[0x8] $r4
  interp $r2 v[0xc] $r4
  interp $r3 v[0x10] $r4
  exit nop
)";
json shaded_launch() {
  return json::parse(
      R"({"warpjit": 1, "isa": "tesla", "stage": "fragment", "count": 3, "program": {"file": "shaded.tesla"},
      "vertices": {"slots": 8, "data": [-1, -1, 0, 1, 1, 0, 0, 1, 3, -1, 0, 1, 0, 1, 0, 1, -1, 3, 0, 1, 0, 0, 1, 1]},
      "targets": {"size": [16, 8], "colors": [{"format": "rgba8", "clear": [0, 0, 0, 0]}], "depth": {"format": "d32f"}}})");
}

TEST_F(DrawTest, ShadeModels) {
  write("shaded.tesla", kShaded);
  json launch = shaded_launch();
  const auto pixel = [&](const char* provoking, const char* shade) {
    launch["raster"] = {{"provoking", provoking}, {"shade", shade}};
    write("launch.json", launch.dump());
    const Outcome verified = run("verify launch.json");
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    const Outcome ran = run("run launch.json --json --pixel 5,2");
    EXPECT_EQ(ran.code, 0) << ran.err;
    return json::parse(ran.out)["targets"][0]["pixels"][0]["value"];
  };
  EXPECT_EQ(pixel("last", "flat"), json({0, 0, 255, 255}));
  EXPECT_EQ(pixel("first", "flat"), json({255, 0, 0, 255}));
  const json smooth = pixel("last", "smooth");
  EXPECT_TRUE(smooth[0] > 50 && smooth[1] > 20 && smooth[2] > 20) << smooth;
  launch["raster"]["shade"] = "gouraud";
  write("launch.json", launch.dump());
  EXPECT_NE(run("run launch.json").err.find("'gouraud' is none of smooth, flat"), std::string::npos);
  // Other guests name no colours.
  const std::string usse = tests::source_file("examples/usse/graphics/");
  fs::copy_file(usse + "blend.usse", path("blend.usse"));
  json other = json::parse(std::ifstream(usse + "blend.json"));
  other["raster"]["shade"] = "flat";
  write("launch.json", other.dump());
  const Outcome refused = run("run launch.json");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("only Tesla's graphics state names"), std::string::npos) << refused.err;
}

// Red, and what half of it is, in formats of few or of wide components; their pictures.
TEST_F(DrawTest, FormatsOfTargets) {
  write("shaded.tesla", kShaded);
  json launch = shaded_launch();
  launch["raster"] = {{"shade", "flat"}, {"provoking", "first"}};
  const auto pixel = [&](const char* format) {
    launch["targets"]["colors"][0] = {{"format", format}, {"clear", {0, 0, 0, 1}}};
    write("launch.json", launch.dump());
    const Outcome verified = run("verify launch.json");
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    EXPECT_EQ(run("render launch.json -o " + std::string(format) + ".png").code, 0);
    return json::parse(run("run launch.json --json --pixel 5,2").out)["targets"][0]["pixels"][0]["value"];
  };
  const std::string one = "0x3f800000", zero = "0x00000000";
  EXPECT_EQ(pixel("r8"), json({255}));
  EXPECT_EQ(pixel("rg16"), json({65535, 0}));
  EXPECT_EQ(pixel("rgba8-snorm"), json({127, 0, 0, 127}));
  EXPECT_EQ(pixel("r11g11b10f"), json({one, zero, zero}));
  EXPECT_EQ(pixel("rg16f"), json({one, zero}));
  EXPECT_EQ(pixel("rgba16i"), json({32767, 0, 0, 32767}));
  EXPECT_EQ(pixel("rgb10a2ui"), json({1023, 0, 0, 3}));
  // Red and green have no blue; red alone is grey.
  launch["targets"]["colors"][0] = {{"format", "rgba8"}, {"clear", {0, 0, 0, 1}}};
  write("launch.json", launch.dump());
  for (const char* format : {"r11g11b10f", "rg16f", "rgba8-snorm"})
    EXPECT_EQ(run("render launch.json --compare " + std::string(format) + ".png").code, 0) << format;
  EXPECT_EQ(run("render launch.json --compare r8.png").code, 1);
}

TEST_F(DrawTest, TargetPixelsAreNumbers) {
  write("shaded.tesla", kShaded);
  json launch = shaded_launch();
  launch["raster"] = {{"shade", "flat"}, {"scissor", {3, 1, 2, 3}}};
  write("launch.json", launch.dump());
  const json all = json::parse(run("run launch.json --json").out);
  EXPECT_EQ(all["targets"][0]["changed"], 6);
  ASSERT_EQ(all["targets"][0]["pixels"].size(), 6u);
  EXPECT_EQ(all["targets"][0]["pixels"][0], json::parse(R"({"x": 3, "y": 1, "value": [0, 0, 255, 255]})"));
  EXPECT_EQ(all["draw"]["primitives"], 1);
  EXPECT_FALSE(all.contains("note"));
  EXPECT_EQ(json::parse(run("run launch.json --json --all").out)["targets"][0]["pixels"].size(), 128u);
  const Outcome text = run("run launch.json");
  EXPECT_NE(text.out.find("6 pixels changed\n  (3, 1)       0     0     255   255\n"), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("and 2 more"), std::string::npos) << text.out;
  const Outcome chosen = run("run launch.json --pixel 0,0 --pixel 3,3");
  EXPECT_NE(chosen.out.find("  (0, 0)       0     0     0     0\n  (3, 3)       0     0     255   255\n"),
            std::string::npos)
      << chosen.out;
  EXPECT_NE(chosen.out.find("  (0, 0)       1\n"), std::string::npos) << chosen.out;  // depth
  for (const char* place : {"16,0", "0,8", "1", "1,", "-1,0", "a,b", "1,2,3"}) {
    const Outcome refused = run(std::string("run launch.json --pixel=") + place);
    EXPECT_EQ(refused.code, 2) << place;
    EXPECT_NE(refused.err.find("from 0,0 to 15,7"), std::string::npos) << refused.err;
  }
  EXPECT_EQ(run("run " + source_launch("saxpy") + " --pixel 0,0").code, 2);
}

// A draw that changes nothing says why.
TEST_F(DrawTest, DrawsThatChangeNothingSayWhy) {
  write("shaded.tesla", kShaded);
  const auto note = [&](const char* member, const char* value, const std::string& options = "") {
    json launch = shaded_launch();
    launch[json::json_pointer(member)] = json::parse(value);
    write("launch.json", launch.dump());
    const Outcome rendered = run("render launch.json " + options), ran = run("run launch.json " + options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    const std::size_t at = ran.err.find("note: ");
    EXPECT_TRUE(at != std::string::npos) << ran.err;
    const std::string text =
        at == std::string::npos ? "" : ran.err.substr(at + 6, ran.err.find('\n', at) - at - 6);
    EXPECT_NE(rendered.err.find(text), std::string::npos) << rendered.err;
    EXPECT_EQ(json::parse(run("run launch.json --json " + options).out)["note"], text);
    return text;
  };
  for (const std::string options : {"", "--engine guest", "--engine ir"}) {
    EXPECT_EQ(note("/raster/cull-back", "true", options),
              "no pixel is covered; of 1 primitive: 1 culled by the side that is seen");
    EXPECT_EQ(
        note("/raster/scissor", "[20, 0, 5, 5]", options),
        "no pixel is covered; of 1 primitive: 1 around which no pixel's centre lies in the targets and the "
        "scissor");
    EXPECT_EQ(note("/output/depth", R"({"compare": "greater"})", options),
              "no pixel of a target changed; of 128 that were covered: 128 rejected by the depth test");
    EXPECT_EQ(note("/output/alpha-test", R"({"compare": "never"})", options),
              "no pixel of a target changed; of 128 that were covered: 128 rejected by the alpha test");
    EXPECT_EQ(
        note("/output/blend", R"([{"write-mask": 0}])", options),
        "no pixel of a target changed; of 128 that were covered: 128 passed, and wrote what was there or "
        "no component of it");
    EXPECT_EQ(note("/raster/viewport", R"({"scale": ["0x7f800000", 1, 1]})", options).substr(0, 37),
              "no pixel is covered; of 1 primitive: ");
    EXPECT_EQ(note("/indices", "[0, 1, 7]", options),
              "no pixel is covered; of 1 primitive: 1 with an index that names no vertex");
    EXPECT_EQ(note("/indices", "[0, 1]", options), "nothing is drawn: the vertices make no primitive");
  }
}

// What a draw lacks is named, with how many there are.
TEST_F(DrawTest, RefusalsSayWhatThereIs) {
  write("samples.tesla",
        ".kernel samples\n.type fragment\n.registers 8\n"
        "texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\n"
        "texauto all $r0:$r1:$r2:$r3 $t5 $s2 $r0:$r1 0x0 0x0 0x0\nexit nop\n");
  const json whole = json::parse(run("launch samples.tesla").out);
  const auto refused = [&](const char* patch, const char* what) {
    json launch = whole;
    launch.merge_patch(json::parse(patch));
    write("launch.json", launch.dump());
    const Outcome outcome = run("run launch.json");
    EXPECT_EQ(outcome.code, 2) << patch;
    EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
  };
  refused(R"({"textures": {"5": null}})",
          "texture 5: samples.tesla samples it, but it is not set; it samples 2 textures, 0, 5, of which 1 "
          "is set");
  refused(R"({"samplers": null})",
          "sampler 0: samples.tesla samples with it, but it is not set; it has 2 samplers, 0, 2, of which "
          "none is set");
  refused(R"({"textures": {"0": {"format": "rgba8ui"}}})",
          "a linear filter meets integers, of format rgba8ui");
  refused(R"({"textures": {"0": {"format": "rgb9"}}})", "'rgb9' is no format of textures: one of ");
  refused(R"({"expect": {"color3": {"hash": "0x0000000000000000"}}})",
          "has no target 'color3'; it has color0");
  refused(R"({"expect": {"depth": {"hash": "0x0000000000000000"}}})", "has no depth target; it has color0");
  refused(R"({"targets": {"colors": [{"format": "d16"}]}})",
          "'d16' is not a format of colours: one of rgba8, srgb8");
  refused(R"({"raster": {"point-size-slot": 9}})", "vertices have 4 slots, from 0 on, not slot 9");
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
      {"--offset 4096", "--offset: 4096 lies after the file's "},
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
