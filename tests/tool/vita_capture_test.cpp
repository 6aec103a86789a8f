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

using nlohmann::json;

// A draw of the corpus, whose files are named from the test's folder.
json moved_draw(const std::string& folder, const std::string& name) {
  json draw = json::parse(std::ifstream(draw_file(name)));
  const auto from = std::filesystem::path(draw_file(name)).parent_path();
  const auto move = [&](json& file) {
    file = std::filesystem::relative(from / file.get<std::string>(), std::filesystem::canonical(folder))
               .string();
  };
  move(draw["vertex"]["program"]);
  move(draw["fragment"]["program"]);
  move(draw["expect"]["file"]);
  return draw;
}

TEST_F(ToolTest, DrawsOfTheVitaHaveTargetsOfAllFormats) {
  const json draw = moved_draw(path("."), "texture_color_strided");
  const auto imported = [&](const json& changed) {
    write("draw.json", changed.dump());
    const Outcome made = run("import draw.json -o draw.wjcap");
    EXPECT_EQ(made.code, 0) << made.err;
    const Outcome verified = run("verify draw.wjcap");
    EXPECT_EQ(verified.code, 0) << changed["target"] << verified.out << verified.err;
    return verified.out;
  };
  for (const char* format : {"U8U8U8U8_ABGR", "U8U8U8U8_ARGB", "U8U8U8U8_RGBA", "U8U8U8U8_BGRA", "U8U8U8_BGR",
                             "U5U6U5_RGB", "U1U5U5U5_ABGR", "U1U5U5U5_BGRA", "U4U4U4U4_ARGB",
                             "U2U10U10U10_ABGR", "U8_R", "U8U8_GR", "U8U8_RA"}) {
    json changed = draw;
    changed["target"]["format"] = format;
    // Blended and rounded in other units.
    changed["expect"]["max_difference"] = std::string(format).starts_with("U2U10") ? 8 : 1;
    EXPECT_NE(imported(changed).find("as expected"), std::string::npos) << format;
  }
  for (const char* format : {"F16_R", "F16F16_GR", "F16F16F16F16_ABGR", "F32_R", "F32F32_GR"}) {
    json changed = draw;
    changed["target"]["format"] = format;
    changed["target"]["clear"] = {0.5, 0.25, 2, 1};
    changed["fragment"].erase("blend");
    changed["fragment"].erase("output_format");
    changed.erase("expect");
    EXPECT_EQ(imported(changed).find("as expected"), std::string::npos);
  }
  for (const char* type : {"linear", "tiled", "swizzled"}) {
    json changed = draw;
    changed["target"]["type"] = type;
    if (type == std::string("linear")) changed["target"]["stride"] = 80;
    EXPECT_NE(imported(changed).find("as expected"), std::string::npos) << type;
  }
}

TEST_F(ToolTest, DrawsOfTheVitaHaveSeveralStreams) {
  const json draw = moved_draw(path("."), "texture_color_strided");
  const std::string data = draw["vertex"]["data"];
  const std::size_t stride = draw["vertex"]["stride"];
  json changed = draw;
  changed["vertex"].erase("data");
  changed["vertex"].erase("stride");
  changed["vertex"]["streams"] = json::array();
  // A stream for each attribute, without what lies between: they are in the order of their offsets.
  json& attributes = changed["vertex"]["attributes"];
  for (std::size_t n = 0; n < attributes.size(); ++n) {
    const std::size_t offset = attributes[n]["offset"],
                      end =
                          n + 1 < attributes.size() ? attributes[n + 1]["offset"].get<std::size_t>() : stride;
    std::string own;
    for (std::size_t at = 0; at < data.size(); at += 2 * stride)
      own += data.substr(at + 2 * offset, 2 * (end - offset));
    changed["vertex"]["streams"].push_back({{"data", own}, {"stride", end - offset}});
    attributes[n]["stream"] = n;
  }
  for (json& attribute : attributes) attribute["offset"] = 0;
  write("two.json", changed.dump());
  ASSERT_EQ(run("import two.json -o two.wjcap").code, 0);
  write("one.json", draw.dump());
  ASSERT_EQ(run("import one.json -o one.wjcap").code, 0);
  const auto hash = [&](const std::string& file) {
    const Outcome rendered = run("render --json " + file);
    EXPECT_EQ(rendered.code, 0) << rendered.err;
    return json::parse(rendered.out)["pictures"][0]["hash"].get<std::string>();
  };
  EXPECT_EQ(hash("two.wjcap"), hash("one.wjcap"));
  // A colour for each of two instances.
  changed["vertex"]["streams"].back()["per_instance"] = true;
  changed["instances"] = 2;
  changed.erase("expect");
  write("instances.json", changed.dump());
  ASSERT_EQ(run("import instances.json -o instances.wjcap").code, 0);
  EXPECT_NE(run("info instances.wjcap").out.find(", 2 instances"), std::string::npos);
  EXPECT_NE(hash("instances.wjcap"), hash("one.wjcap"));
}

TEST_F(ToolTest, TargetsAndStreamsOfDrawsWithMistakes) {
  const json draw = moved_draw(path("."), "texture_color_strided");
  const auto error = [&](const auto& change) {
    json changed = draw;
    change(changed);
    write("draw.json", changed.dump());
    const Outcome outcome = run("import draw.json -o draw.wjcap");
    EXPECT_EQ(outcome.code == 2 || outcome.code == 4, true) << changed["target"];
    return outcome.err;
  };
  const auto expect = [](const std::string& error, const std::string& part) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect(error([](json& d) { d["target"]["format"] = "U8U8U8U8"; }),
         "target.format: 'U8U8U8U8' is no colour format; formats are U8U8U8U8_ABGR, U8U8U8U8_ARGB");
  expect(error([](json& d) { d["target"]["format"] = "S16_R"; }),
         "target.format: 'S16_R' S16 is not supported; formats are");
  expect(error([](json& d) { d["target"]["type"] = "round"; }), "target.type: 'round' is none of linear");
  expect(error([](json& d) { d["target"]["stride"] = 60; }),
         "color surface stride 0x3c is less than the width");
  expect(error([](json& d) {
           d["target"]["type"] = "swizzled";
           d["target"]["width"] = 60;
         }),
         "color surface width 0x3c of a swizzled surface is no power of two");
  expect(error([](json& d) { d["target"]["width"] = 0; }), "color surface width 0x0 has no pixels");
  expect(error([](json& d) { d["target"]["samples"] = 4; }), "samples");
  expect(error([](json& d) { d["target"]["format"] = "F16_R"; }),
         "output_format: 'UCHAR4' is not the output format");
  expect(error([](json& d) {
           d["target"]["format"] = "F16F16F16F16_ABGR";
           d["fragment"]["output_format"] = "HALF4";
         }),
         "expect.file: has bytes, and channels of the target are floats");
  expect(error([](json& d) { d["vertex"]["streams"] = json::array(); }),
         "vertex.data: belongs into one of the streams");
  expect(error([](json& d) { d["vertex"]["attributes"][0]["stream"] = 1; }),
         "stream: is no stream: there are 1");
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

TEST_F(ToolTest, DrawsOfTheVitaHaveDepthAndStencil) {
  const json draw = moved_draw(path("."), "texture_color_strided");
  const auto verified = [&](const auto& change) {
    json changed = draw;
    change(changed);
    write("draw.json", changed.dump());
    const Outcome made = run("import draw.json -o draw.wjcap");
    EXPECT_EQ(made.code, 0) << made.err;
    return run("verify draw.wjcap").code;
  };
  // The draw is seen, or what is expected of it is not there: pixels that its colour does not cover stay.
  for (const char* format : {"d16", "d24s8", "d32f"}) {
    SCOPED_TRACE(format);
    const auto with = [&](double clear, const char* compare) {
      return verified([&](json& d) {
        d["depth"] = {{"format", format}, {"clear", clear}, {"compare", compare}, {"write", true}};
      });
    };
    EXPECT_EQ(with(1, "always"), 0);
    EXPECT_EQ(with(1, "less-equal"), 0);
    EXPECT_EQ(with(0, "less"), 1);
    EXPECT_EQ(with(1, "never"), 1);
  }
  const auto stencil = [&](int begin, const json& front, const json& back) {
    return verified([&](json& d) {
      d["depth"] = {{"format", "d24s8"}, {"stencil", begin}};
      d["stencil"] = {{"front", front}};
      if (!back.is_null()) d["stencil"]["back"] = back;
    });
  };
  const json five{{"compare", "equal"}, {"reference", 5}, {"pass", "replace"}}, never{{"compare", "never"}};
  EXPECT_EQ(stencil(5, five, nullptr), 0);
  EXPECT_EQ(stencil(4, five, nullptr), 1);
  // Its triangles have one side or the other.
  EXPECT_NE(stencil(5, five, never), stencil(5, never, five));
  // As many pixels as there are may differ by any amount.
  EXPECT_EQ(verified([&](json& d) {
              d["depth"] = {{"format", "d16"}, {"compare", "never"}};
              d["expect"]["max_pixels_beyond"] = 64 * 64;
            }),
            0);
  const auto error = [&](const char* key, const json& value) {
    json changed = draw;
    changed[key] = value;
    write("draw.json", changed.dump());
    return run("import draw.json -o draw.wjcap").err;
  };
  EXPECT_NE(error("visibility", 1).find("visibility: is not supported: pixels that pass are not counted"),
            std::string::npos);
  EXPECT_NE(error("depth", json::object()).find("format"), std::string::npos);
  EXPECT_NE(error("depth", {{"format", "d24"}}).find("depth.format: 'd24' is none of d16, d24s8, d32f"),
            std::string::npos);
  EXPECT_NE(error("stencil", json::object()).find("front"), std::string::npos);
  EXPECT_NE(error("stencil", {{"front", {{"compare", "perhaps"}}}}).find("stencil.front.compare"),
            std::string::npos);
}

// The rows of all textures in a listing; each has its file.
std::vector<nlohmann::json> textures_of(const nlohmann::json& draws) {
  std::vector<nlohmann::json> rows;
  for (const auto& draw : draws)
    for (const auto& texture : draw.value("textures", nlohmann::json::array())) rows.push_back(texture);
  return rows;
}

TEST_F(ToolTest, TexturesOfCapturesOfAnyGuestArePictures) {
  ASSERT_EQ(run("import '" + draw_file("texture_ubc1_mips") + "' -o vita.wjcap").code, 0);
  ASSERT_EQ(run("import " + source_launch("graphics/cube_map") + " -o tesla.wjcap").code, 0);
  const Outcome vita = run("info vita.wjcap --json --textures vita");
  ASSERT_EQ(vita.code, 0) << vita.err;
  const auto info = nlohmann::json::parse(vita.out);
  auto rows = textures_of(info["jobs"][0]["draws"]);
  ASSERT_EQ(rows.size(), 1u) << vita.out;
  EXPECT_EQ(rows[0]["stage"], "fragment");
  EXPECT_EQ(rows[0]["unit"], 0);
  EXPECT_EQ(rows[0]["address"], "0x60030000");
  EXPECT_EQ(rows[0]["format"], "bc1");
  EXPECT_TRUE(std::filesystem::exists(path("vita/" + rows[0]["file"].get<std::string>())));
  ASSERT_EQ(info["programs"].size(), 2u);
  EXPECT_EQ(info["programs"][0]["stage"], "vertex");
  EXPECT_EQ(info["programs"][1]["draws"], 1);
  EXPECT_NE(run("info vita.wjcap --all --textures vita").out.find("texture 0 of the fragment program: bc1, "),
            std::string::npos);
  // Six faces.
  const Outcome tesla = run("info tesla.wjcap --json --textures tesla");
  ASSERT_EQ(tesla.code, 0) << tesla.err;
  rows = textures_of(nlohmann::json::parse(tesla.out)["jobs"][0]["draws"]);
  ASSERT_EQ(rows.size(), 6u) << tesla.out;
  EXPECT_EQ(rows[5]["face"], 5);
  for (const auto& row : rows)
    EXPECT_TRUE(std::filesystem::exists(path("tesla/" + row["file"].get<std::string>())));
  // Without a folder nothing is listed; one that cannot be made is an error.
  EXPECT_EQ(run("info vita.wjcap --json").out.find("textures"), std::string::npos);
  write("file", "");
  EXPECT_EQ(run("info vita.wjcap --textures file/folder").code, 2);
}

TEST_F(ToolTest, SlowestDrawsOfCapturesOfAnyGuestSayWhy) {
  ASSERT_EQ(run("import '" + draw_file("texture_ubc1_mips") + "' -o vita.wjcap").code, 0);
  ASSERT_EQ(run("import " + source_launch("saxpy") + " -o tesla.wjcap").code, 0);
  const std::string mali = "'" + tests::source_file("fuzz/corpus/valhall_capture/triangle.wjcap") + "'";
  for (const std::string& file : {std::string("vita.wjcap"), std::string("tesla.wjcap"), mali}) {
    SCOPED_TRACE(file);
    const Outcome bench = run("bench " + file + " --seconds 0 --engines guest --json");
    ASSERT_EQ(bench.code, 0) << bench.err;
    const auto json = nlohmann::json::parse(bench.out);
    EXPECT_GT(json["results"][0]["draws_per_second"], 0);
    EXPECT_GT(json["results"][0]["frames_per_second"], 0);
    ASSERT_EQ(json["results"][0]["slowest"].size(), 1u);
    const auto& draw = json["results"][0]["slowest"][0];
    EXPECT_GT(draw["run_ms"], 0);
    const bool threads = file == "tesla.wjcap";
    EXPECT_EQ(draw["thread_ms"] > 0, threads);
    EXPECT_EQ(draw["pixel_ms"] > 0, !threads);
    EXPECT_EQ(draw["vertex_ms"] > 0, !threads);
    EXPECT_TRUE(draw["why"] == "threads" || draw["why"] == "pixels" || draw["why"] == "vertices" ||
                draw["why"] == "compile");
  }
  EXPECT_EQ(
      nlohmann::json::parse(
          run("bench vita.wjcap --seconds 0 --engines guest --slowest 0 --json").out)["results"][0]["slowest"]
          .size(),
      0u);
  EXPECT_NE(run("bench " + mali + " --seconds 0 --engines guest").out.find("slowest draws of guest:"),
            std::string::npos);
}

TEST_F(ToolTest, NamesAreInEveryListingOfACapture) {
  write("names.json", R"([{"draw": 0, "name": "quad"}, {"uniform": 0, "name": "tint"},
      {"address": "0x60030000", "name": "atlas"}])");
  ASSERT_EQ(run("import '" + draw_file("texture_ubc1_mips") + "' -o plain.wjcap").code, 0);
  ASSERT_EQ(run("import plain.wjcap --names names.json -o draw.wjcap").code, 0);
  const std::string info = run("info draw.wjcap --all --textures out").out;
  EXPECT_NE(info.find("draw 0 (quad): "), std::string::npos) << info;
  EXPECT_NE(info.find("at 0x60030000 (atlas)"), std::string::npos) << info;
  EXPECT_NE(info.find("name of uniform 0x0: tint"), std::string::npos) << info;
  EXPECT_NE(run("bench draw.wjcap --seconds 0 --engines guest").out.find(" (quad)"), std::string::npos);
  // Uniforms by their registers.
  ASSERT_EQ(run("import '" + kExamples + "mvp_light.json' -o light.wjcap").code, 0);
  write("light.json", R"([{"uniform": 4, "name": "camera"}])");
  ASSERT_EQ(run("import light.wjcap --names light.json -o named.wjcap").code, 0);
  EXPECT_NE(run("info named.wjcap").out.find("uniform c4 modelView (camera)"), std::string::npos);
  // Those of the Vita are words of sa; names of what lies in a uniform are listed, too.
  write("tint.json", R"([{"uniform": 0, "name": "tint"}, {"uniform": "0x2", "name": "blue"}])");
  ASSERT_EQ(run("import plain.wjcap --names tint.json -o tint.wjcap").code, 0);
  EXPECT_NE(run("info tint.wjcap").out.find("(tint, sa2 blue)"), std::string::npos)
      << run("info tint.wjcap --all").out;
  // The same side file again.
  const auto json = nlohmann::json::parse(run("info draw.wjcap --json").out);
  EXPECT_EQ(json["names"].size(), 3u);
  EXPECT_EQ(json["jobs"][0]["draws"][0]["name"], "quad");
  write("again.json", json["names"].dump());
  ASSERT_EQ(run("import plain.wjcap --names again.json -o again.wjcap").code, 0);
  EXPECT_EQ(nlohmann::json::parse(run("info again.wjcap --json").out)["names"], json["names"]);
}

}  // namespace
}  // namespace warpjit::tool
