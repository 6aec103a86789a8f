// Names in captures and listings; pictures of textures; the slowest draws.
#include "capture_names.h"

#include "cli.h"
#include "support/scene_files.h"

namespace warpjit::tool {
namespace {

using Document = nlohmann::json;

TEST(NameTable, PutsNamesBehindAddresses) {
  const std::vector<CaptureName> names = {{CaptureName::Of::address, 0x18000000, "screen"},
                                          {CaptureName::Of::draw, 3, "sky"},
                                          {CaptureName::Of::address, 0x41, "short"}};
  const NameTable table(names);
  EXPECT_EQ(table.with_addresses(std::string_view("from 0x18000000 to 0x18000100, 0x41")),
            "from 0x18000000 (screen) to 0x18000100, 0x41");
  EXPECT_EQ(table.with_addresses(std::string_view("0x18000000")), "0x18000000 (screen)");
  EXPECT_EQ(table.with_addresses(std::string_view("0x")), "0x");
  EXPECT_EQ(table.with_addresses(std::string_view("0x118000000000000000000")), "0x118000000000000000000");
  EXPECT_EQ(table.find(CaptureName::Of::draw, 3), "sky");
  EXPECT_EQ(table.find(CaptureName::Of::draw, 4), "");
}

TEST(NameTable, PutsNamesIntoMessages) {
  const std::vector<CaptureName> names = {{CaptureName::Of::address, 0x18000000, "screen"},
                                          {CaptureName::Of::reg, 0x41, "width"},
                                          {CaptureName::Of::draw, 3, "sky"}};
  const NameTable table(names);
  EXPECT_EQ(table.in(std::string_view("job 3, draw 3: register 0x041, draw 30 at 0x18000000, a draw ends")),
            "job 3, draw 3 (sky): register 0x041 (width), draw 30 at 0x18000000 (screen), a draw ends");
  EXPECT_EQ(table.in(std::string_view("draw ")), "draw ");
  const Error error = table.in(Error{ErrorCode::io, "no draw 3", "draw 3"});
  EXPECT_EQ(error.message + "|" + error.where, "no draw 3 (sky)|draw 3 (sky)");
  EXPECT_EQ(error.code, ErrorCode::io);
  EXPECT_EQ(table.of_draw(3) + table.of_draw(4), " (sky)");
}

class Names : public ToolTest {};

TEST_F(Names, GoFromASideFileIntoListings) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const std::string scene = "'" + kExamples + "scenes/fog/scene.json'";
  write("fog.names.json", R"([{"address": "0x18000000", "name": "screen"}, {"draw": 1, "name": "tower <b>"},
      {"register": "0x41", "name": "width"}, {"uniform": 4, "name": "light"}])");
  ASSERT_EQ(run("import " + scene + " --names fog.names.json -o fog.wjcap").code, 0);
  const std::string text = run("info fog.wjcap --all --registers").out;
  EXPECT_NE(text.find("fill from 0x18000000 (screen) to"), std::string::npos);
  EXPECT_NE(text.find("draw 1 (tower <b>): "), std::string::npos);
  EXPECT_NE(text.find(" (width)"), std::string::npos);
  EXPECT_NE(text.find("name of uniform 0x4: light"), std::string::npos);
  const Document json = Document::parse(run("info fog.wjcap --json").out);
  EXPECT_EQ(json["names"].size(), 4u);
  // The same side file again.
  write("again.names.json", json["names"].dump());
  ASSERT_EQ(run("import " + scene + " --names again.names.json -o again.wjcap").code, 0);
  EXPECT_EQ(Document::parse(run("info again.wjcap --json").out)["names"], json["names"]);
  EXPECT_EQ(run("verify fog.wjcap").code, 0);

  const auto error = [&](const std::string& names) {
    write("bad.json", names);
    const Outcome outcome = run("import " + scene + " --names bad.json -o bad.wjcap");
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  EXPECT_NE(error("{}").find("bad.json"), std::string::npos);
  EXPECT_NE(error(R"([{"name": "x"}])").find("[0]"), std::string::npos);
  EXPECT_NE(error(R"([{"draw": 1, "address": 2, "name": "x"}])").find("has one of"), std::string::npos);
  EXPECT_NE(error(R"([{"draw": -1, "name": "x"}])").find("draw"), std::string::npos);
  EXPECT_NE(error(R"([{"draw": 1, "name": ""}])").find("name: is empty"), std::string::npos);
  EXPECT_NE(error(R"([{"draws": 1, "name": "x"}])").find("draws"), std::string::npos);
}

TEST_F(Names, OfTexturesArePictures) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const Document json = Document::parse(
      run("info '" + kExamples + "scenes/cube_map/scene.json' --all --json --textures out").out);
  std::size_t files = 0;
  for (const Document& job : json["jobs"])
    for (const Document& draw : job.value("setups", Document::array()))
      for (const Document& texture : draw.value("textures", Document::array())) {
        const Document names =
            texture.contains("file") ? Document{texture["file"]} : texture.value("files", Document::array());
        for (const Document& name : names) {
          ++files;
          EXPECT_TRUE(std::filesystem::exists(path("out/" + name.get<std::string>()))) << name;
        }
      }
  EXPECT_GE(files, 6u);
}

TEST_F(Names, OfTheSlowestDraws) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const std::string scene = "'" + kExamples + "scenes/stencil_shadow/scene.json'";
  const Document json =
      Document::parse(run("bench " + scene + " --engines guest --seconds 0 --slowest 3 --json").out);
  ASSERT_EQ(json["slowest"].size(), 3u);
  double before = 1e9;
  for (const Document& draw : json["slowest"]) {
    const double all = draw["vertex_ms"].get<double>() + draw["pixel_ms"].get<double>();
    EXPECT_LE(all, before);
    EXPECT_GT(all, 0);
    before = all;
    EXPECT_LT(draw["draw"], json["draws"]);
  }
  EXPECT_GT(json["results"][0]["draws_per_second"], 0);
  EXPECT_NE(run("bench " + scene + " --engines guest --seconds 0").out.find("slowest draws of guest"),
            std::string::npos);
}

}  // namespace
}  // namespace warpjit::tool
