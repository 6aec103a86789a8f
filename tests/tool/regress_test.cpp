// warpjit regress: many captures against what they left before.
#include <array>
#include <span>
#include <string>

#include "cli.h"
#include "regress/collection.h"
#include "regress/sha256.h"
#include "support/scene_files.h"

namespace warpjit::tool {
namespace {

using Document = nlohmann::json;

std::string hash_of_text(const std::string& text) { return sha256(std::as_bytes(std::span(text))); }

TEST(Sha256, GivesWhatTheStandardSays) {
  EXPECT_EQ(hash_of_text(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash_of_text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_of_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash_of_text(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Share, DividesAllNames) {
  std::array<unsigned, 3> counts{};
  for (unsigned n = 0; n < 3000; ++n) {
    const std::string name = "frames/" + std::to_string(n) + ".wjcap";
    unsigned owners = 0;
    for (std::uint32_t k = 1; k <= 3; ++k)
      if (Share{k, 3}.has(name)) ++owners, ++counts[k - 1];
    ASSERT_EQ(owners, 1u) << name;
  }
  for (const unsigned count : counts) EXPECT_NEAR(count, 1000, 150);
  // The rule must not change: shares of other machines follow it, too.
  EXPECT_TRUE((Share{1, 2}.has("a.wjcap") != Share{2, 2}.has("a.wjcap")));
  EXPECT_FALSE(parse_share("4/3", "--shard").ok());
  EXPECT_FALSE(parse_share("0/3", "--shard").ok());
  EXPECT_FALSE(parse_share("1", "--shard").ok());
  EXPECT_FALSE(parse_share("1/99999999999", "--shard").ok());
}

class Regress : public ToolTest {
 protected:
  // One fill of 8 x 8 pixels.
  void write_fill(const std::string& name, const std::string& value) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    write(name, R"({"format": "pica-frame 1", "memory": [{"address": 402653184, "bytes": 256}],
      "queue": [{"fill": {"start": 402653184, "end": 402653440, "value": )" +
                    value + R"(, "control": 513}}],
      "outputs": [{"name": "screen", "address": 402653184, "bytes": 256, "layout": "linear", "width": 8,
                   "height": 8, "format": 0}]})");
  }
  void write_three() const {
    write_fill("frames/a/scene.json", "1");
    write_fill("frames/b/scene.json", "4278190335");
    write_fill("frames/c/scene.json", "65280");
  }
  Document document(const std::string& name) const { return Document::parse(read(path(name))); }
};

TEST_F(Regress, TellsWhatDiffers) {
  write_three();
  ASSERT_EQ(run("regress frames --save right").code, 0);
  const Outcome same = run("regress frames --against right -o same");
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_NE(same.out.find("3 captures: 3 the same"), std::string::npos) << same.out;
  EXPECT_TRUE(std::filesystem::is_empty(path("same/pictures")));

  write_fill("frames/b/scene.json", "4278190079");
  std::filesystem::remove(path("frames/a/scene.json"));
  write_fill("frames/d<b>/scene.json", "5");
  write("frames/e.wjcap", "no capture");
  const Outcome changed = run("regress frames --against right -o changed --threads 2");
  EXPECT_EQ(changed.code, 1) << changed.err;
  const Document report = document("changed/report.json");
  EXPECT_EQ(
      report["summary"],
      Document({{"captures", 5}, {"same", 1}, {"differs", 1}, {"new", 1}, {"missing", 1}, {"error", 1}}));
  const Document& rows = report["captures"];
  EXPECT_EQ(rows[0]["file"], "a/scene.json");
  EXPECT_EQ(rows[0]["result"], "missing");
  EXPECT_EQ(rows[1]["result"], "differs");
  EXPECT_EQ(rows[1]["pictures"][0]["pixels"], 64);
  EXPECT_EQ(rows[1]["pictures"][0]["result"], "differs");
  EXPECT_EQ(rows[2]["result"], "same");
  EXPECT_EQ(rows[3]["result"], "new");
  EXPECT_EQ(rows[4]["error"]["where"], "e.wjcap, byte 0x0");
  const std::string page = read(path("changed/report.html"));
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(page.find("d&lt;b&gt;/scene.json"), std::string::npos);
  EXPECT_EQ(page.find("d<b>"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  std::size_t pictures = 0;
  for (std::size_t at = 0; (at = page.find("data:image/png;base64,", at)) != std::string::npos; ++at)
    ++pictures;
  EXPECT_EQ(pictures, 4u);  // before, after, difference; the new one

  // Of hashes alone there is no picture of before.
  std::filesystem::remove(path("frames/e.wjcap"));
  ASSERT_EQ(run("regress frames --save right.json").code, 0);
  write_fill("frames/b/scene.json", "7");
  EXPECT_EQ(run("regress frames --against right.json -o hashes").code, 1);
  const Document row = document("hashes/report.json")["captures"][0];
  EXPECT_EQ(row["result"], "differs");
  EXPECT_FALSE(row["pictures"][0].contains("pixels"));
}

TEST_F(Regress, NamesTheFirstDrawThatDiffers) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  std::filesystem::copy(kExamples + "scenes/fog", path("frames"));
  ASSERT_EQ(run("regress frames --save right --draws").code, 0);
  Document baseline = document("right/baseline.json");
  Document& capture = baseline["captures"][0];
  ASSERT_GT(capture["draws"].size(), 3u);
  const auto spoil = [](Document& hash) {
    std::string text = hash;
    text[0] = text[0] == '0' ? '1' : '0';
    hash = text;
  };
  spoil(capture["pictures"][0]["hash"]);
  spoil(capture["draws"][2]["hash"]);
  write("right/baseline.json", baseline.dump());
  EXPECT_EQ(run("regress frames --against right -o out").code, 1);
  const Document row = document("out/report.json")["captures"][0];
  EXPECT_EQ(row["draw"]["draw"], capture["draws"][2]["draw"]);
  EXPECT_EQ(row["draw"]["target"], capture["draws"][2]["target"]);
  EXPECT_TRUE(
      std::filesystem::exists(path("out/pictures/" + row["draw"]["after"].get<std::string>() + ".png")));
  // The picture of the spoilt hash is not there.
  EXPECT_NE(row["pictures"][0]["note"].get<std::string>().find("no such file"), std::string::npos);
}

TEST_F(Regress, GivesTheSameReportFromShards) {
  for (int n = 0; n < 12; ++n) write_fill("frames/" + std::to_string(n) + "/scene.json", std::to_string(n));
  ASSERT_EQ(run("regress frames --save right").code, 0);
  write_fill("frames/3/scene.json", "99");
  write_fill("frames/12/scene.json", "99");
  std::filesystem::remove(path("frames/7/scene.json"));
  ASSERT_EQ(run("regress frames --against right -o whole").code, 1);
  std::string parts;
  for (const char* k : {"3", "1", "2"}) {
    EXPECT_NE(run("regress frames --against right --shard " + std::string(k) + "/3 -o part" + k).code, 2);
    parts += " part" + std::string(k) + "/report.json";
  }
  EXPECT_EQ(run("regress --merge" + parts + " -o merged").code, 1);
  EXPECT_EQ(read(path("merged/report.json")), read(path("whole/report.json")));
  EXPECT_EQ(read(path("merged/report.html")), read(path("whole/report.html")));
  // One by one.
  parts.clear();
  std::istringstream names(run("regress frames --against right --list").out);
  for (std::string name; std::getline(names, name);) {
    const std::string part = "one" + std::to_string(parts.size());
    EXPECT_NE(run("regress frames --against right --capture " + name + " -o " + part).code, 2);
    parts += " " + part + "/report.json";
  }
  EXPECT_EQ(run("regress --merge" + parts + " -o picked").code, 1);
  EXPECT_EQ(read(path("picked/report.json")), read(path("whole/report.json")));
  // A baseline from parts.
  ASSERT_EQ(run("regress frames --save again").code, 0);
  parts.clear();
  for (const char* k : {"1", "2"}) {
    ASSERT_EQ(run("regress frames --shard " + std::string(k) + "/2 -o new" + k).code, 0);
    parts += " new" + std::string(k) + "/report.json";
  }
  EXPECT_EQ(run("regress --merge" + parts + " --save merged_baseline").code, 0);
  EXPECT_EQ(read(path("merged_baseline/baseline.json")), read(path("again/baseline.json")));
  EXPECT_EQ(run("regress frames --against merged_baseline -o fine").code, 0);
}

TEST_F(Regress, RefusesPartsThatAreNoWhole) {
  write_three();
  for (const char* k : {"1", "2"})
    ASSERT_EQ(run("regress frames --shard " + std::string(k) + "/2 -o p" + k).code, 0);
  ASSERT_EQ(run("regress frames --shard 2/3 -o q").code, 0);
  ASSERT_EQ(run("regress frames --shard 2/2 --engine guest -o g").code, 0);
  const auto error = [&](const std::string& parts) {
    const Outcome outcome = run("regress --merge " + parts + " -o merged");
    EXPECT_EQ(outcome.code, 2) << parts << outcome.out;
    return outcome.err;
  };
  EXPECT_NE(error("p1/report.json").find("the share 2/2 is missing"), std::string::npos);
  EXPECT_NE(error("p1/report.json p1/report.json").find("twice"), std::string::npos);
  EXPECT_NE(error("p1/report.json q/report.json").find("q/report.json: is a part of another division"),
            std::string::npos);
  EXPECT_NE(error("p1/report.json g/report.json").find("engine"), std::string::npos);
  Document part = document("p1/report.json");
  part["captures"].push_back(document("p2/report.json")["captures"][0]);
  write("p1/report.json", part.dump());
  EXPECT_NE(error("p1/report.json p2/report.json").find("is not of the share 1/2"), std::string::npos);
}

TEST_F(Regress, GoesOnAfterItWasKilled) {
  write_three();
  ASSERT_EQ(run("regress frames --save right").code, 0);
  write_fill("frames/b/scene.json", "9");
  ASSERT_EQ(run("regress frames --against right -o whole").code, 1);
  // As a run leaves it that is killed while it writes a line: a run of two of three, which says so.
  const auto stamp = [&](const std::string& name) {
    const std::filesystem::path file = path("frames/" + name);
    return Document{{"file", name},
                    {"size", std::filesystem::file_size(file)},
                    {"modified", std::filesystem::last_write_time(file).time_since_epoch().count()},
                    {"ms", 1.5}};
  };
  const Document report = document("whole/report.json");
  const Document about = {{"format", "warpjit-regress-journal 1"},
                          {"version", ""},
                          {"engine", "jit"},
                          {"target", "automatic"},
                          {"baseline", report["baseline"]},
                          {"shard", ""},
                          {"captures", 3},
                          {"save", ""},
                          {"draws", false}};
  const auto write_journal = [&](Document first, const std::string& rest) {
    std::string version = run("--version").out;
    version = version.substr(version.find(' ') + 1);
    first["version"] = version.substr(0, version.find('\n'));
    std::filesystem::create_directories(path("out"));
    write("out/journal.jsonl", first.dump() + "\n" + rest);
  };
  Document line = stamp("a/scene.json");
  line["row"] = report["captures"][0];
  line["row"]["pictures"][0]["job"] = 77;  // so that it is seen whether it is taken over
  line["result"] = {{"isa", "pica200"}, {"frames", 1}, {"jobs", 1}, {"pictures", Document::array()}};
  write_journal(about, line.dump() + "\n" + R"({"file": "b/sce)");
  const Outcome resumed = run("regress frames --against right -o out --resume");
  EXPECT_EQ(resumed.code, 1) << resumed.err;
  EXPECT_NE(resumed.err.find("1 of 3 captures were done before"), std::string::npos) << resumed.err;
  Document again = document("out/report.json");
  EXPECT_EQ(again["captures"][0]["pictures"][0]["job"], 77);
  again["captures"][0] = report["captures"][0];
  EXPECT_EQ(again, report);
  EXPECT_FALSE(std::filesystem::exists(path("out/journal.jsonl")));
  // A file that is another one than it was is rendered again; without --resume all are.
  line["size"] = 1;
  write_journal(about, line.dump() + "\n");
  EXPECT_EQ(run("regress frames --against right -o out --resume").code, 1);
  EXPECT_EQ(read(path("out/report.json")), read(path("whole/report.json")));
  line["size"] = stamp("a/scene.json")["size"];
  write_journal(about, line.dump() + "\n");
  EXPECT_EQ(run("regress frames --against right -o out").code, 1);
  EXPECT_EQ(read(path("out/report.json")), read(path("whole/report.json")));

  const auto error = [&](const Document& first, const std::string& rest) {
    write_journal(first, rest);
    const Outcome outcome = run("regress frames --against right -o out --resume");
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    return outcome.err;
  };
  EXPECT_NE(error(about, "{\"file\": 1}\n").find("out/journal.jsonl:2, file"), std::string::npos);
  EXPECT_NE(error(about, "{]\n").find("out/journal.jsonl:2"), std::string::npos);
  EXPECT_NE(error(about, std::string(5000, '[') + "\n").find("out/journal.jsonl:2"), std::string::npos);
  Document other = about;
  other["engine"] = "guest";
  EXPECT_NE(error(other, "").find("out/journal.jsonl:1: the journal is of another run"), std::string::npos);
}

TEST_F(Regress, RefusesHostileBaselines) {
  write_three();
  const auto error = [&](const std::string& text) {
    write("bad.json", text);
    const Outcome outcome = run("regress frames --against bad.json");
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    return outcome.err;
  };
  const std::string start = R"({"format": "warpjit-baseline 1", "captures": [)";
  EXPECT_NE(error("").find("bad.json"), std::string::npos);
  EXPECT_NE(error(R"({"format": "x", "captures": []})").find("bad.json, format"), std::string::npos);
  EXPECT_NE(error(start + R"({"file": "a"}]})").find("bad.json, captures[0]"), std::string::npos);
  EXPECT_NE(error(start + R"({"file": "a", "isa": "pica200", "frames": -1, "jobs": 0, "pictures": []}]})")
                .find("captures[0].frames"),
            std::string::npos);
  EXPECT_NE(
      error(start +
            R"({"file": "a", "isa": "pica200", "frames": 1, "jobs": 0, "pictures": [{"name": "x", "frame": 0,
                  "job": 0, "format": "rgba8", "width": 1, "height": 1, "hash": "../../secret"}]}]})")
          .find("captures[0].pictures[0].hash: is no SHA-256"),
      std::string::npos);
  EXPECT_NE(
      error(start +
            R"({"file": "a", "isa": "pica200", "frames": 1, "jobs": 0, "pictures": [{"name": "x", "frame": 0,
                  "job": 0, "format": "rgba8", "width": 4294967295, "height": 1, "hash": ""}]}]})")
          .find("captures[0].pictures[0].width"),
      std::string::npos);
  const std::string failed = R"({"file": "a", "error": {"code": "", "where": "", "message": ""}})";
  EXPECT_NE(error(start + failed + "," + failed + "]}").find("captures[1]: the capture 'a' is there twice"),
            std::string::npos);
  // The error of a file that is no picture says where it lies.
  ASSERT_EQ(run("regress frames --save right").code, 0);
  for (const auto& entry : std::filesystem::directory_iterator(path("right/pictures")))
    std::ofstream(entry.path()) << "no picture";
  write_fill("frames/a/scene.json", "3");
  EXPECT_EQ(run("regress frames --against right -o out").code, 1);
  EXPECT_NE(read(path("out/report.json")).find("the baseline's picture: "), std::string::npos);
  EXPECT_EQ(run("regress nowhere --save x").code, 2);
  EXPECT_EQ(run("regress frames --shard 1/2 --capture a/scene.json").code, 2);
  EXPECT_EQ(run("regress frames --capture nothing").code, 2);
}

}  // namespace
}  // namespace warpjit::tool
