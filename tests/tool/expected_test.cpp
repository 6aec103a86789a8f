// Pictures that hardware has left in texts of a driver: what the tool says where warpjit draws others.
#include "device/valhall/capture.h"
#include "tool/cli.h"
#include "valhall/draw_page.h"
#include "valhall/dump_text_writer.h"

namespace warpjit::tool {
namespace {

using namespace valhall;
using namespace valhall::in_draw;
using nlohmann::json;

constexpr std::uint32_t kSecondTarget = 0x3000;

// Two triangles, one after the other, over a target of 32 x 32; a second target is cleared alone.
std::vector<ImagePage> pages() {
  ImagePage first = draw_page(), second = draw_page(0x200011000);
  first.u64(kVertexJob + 24, second.address(kVertexJob));
  second.u64(kVertexJob + 56, first.address(kTiler));
  put_floats(second, kVertices, {32, 32, 0.5F, 1, 0, 32, 0.5F, 1, 32, 0, 0.5F, 1});
  put_floats(second, kUniforms, {0, 1, 0, 1});
  first.u32(kFramebuffer + 44, 1 << 19);  // two targets
  for (std::uint32_t k = 0; k < 64; k += 4)
    first.u32(in_draw::kTargets + 64 + k, static_cast<std::uint32_t>(first.get(in_draw::kTargets + k, 4)));
  first.point(in_draw::kTargets + 64 + 32, kSecondTarget);
  return {first, second};
}
std::vector<std::byte> bytes_of(const ImagePage& page) {
  std::vector<std::byte> bytes(kBytes);
  for (std::uint32_t k = 0; k < kBytes; ++k) bytes[k] = static_cast<std::byte>(page.get(k, 1));
  return bytes;
}

class ExpectedTest : public ToolTest {
 protected:
  void SetUp() override {
    ToolTest::SetUp();
    std::vector<std::byte> records;
    for (const ImagePage& page : frame_) append_record(records, page.address(0), bytes_of(page));
    auto capture = valhall::Capture::load(records, "memory");
    ASSERT_TRUE(capture.ok());
    ASSERT_TRUE(capture->add_chain({frame_[0].address(kVertexJob)}).ok());
    ASSERT_TRUE(capture->add_chain({frame_[0].address(kFragmentJob), true}).ok());
    SeenCapture seen;
    const Status ran = capture->run(Engine(), seen);
    ASSERT_TRUE(ran.ok()) << to_string(ran.error());
    drawn_ = bytes_of(frame_[0]);
    std::ranges::copy(seen.pictures.at(0).pixels, drawn_.begin() + kTargetMemory);
    std::ranges::copy(seen.pictures.at(1).pixels, drawn_.begin() + kSecondTarget);
  }
  // A text as hardware would have left it, with other bytes at some pixels.
  void write_text(std::initializer_list<std::array<std::uint32_t, 3>> changes) const {
    std::vector<std::byte> after = drawn_;
    for (const auto& [target, x, y] : changes) after[target + (y * kExtent + x) * 4] ^= std::byte{0x10};
    DumpTextWriter writer(DumpDialect::newer);
    for (const bool fragment : {false, true}) {
      writer.job(frame_[0].address(fragment ? kFragmentJob : kVertexJob),
                 fragment ? "Fragment" : "Malloc vertex");
      writer.buffer(frame_[0].address(0), fragment ? after : bytes_of(frame_[0]));
      writer.buffer(frame_[1].address(0), bytes_of(frame_[1]));
    }
    write("run.0000", writer.text());
  }

  std::vector<ImagePage> frame_ = pages();
  std::vector<std::byte> drawn_;  // the first page after hardware has drawn
};

TEST_F(ExpectedTest, SaysWhichPixelOfWhichTargetDiffers) {
  write_text({});
  const Outcome same = run("verify run.0000 --expected");
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  EXPECT_NE(same.out.find("as expected"), std::string::npos) << same.out;
  EXPECT_NE(same.err.find("colour targets in the texts are expected to be what hardware has drawn"),
            std::string::npos)
      << same.err;
  // Without the user's word nothing is expected.
  EXPECT_EQ(run("verify run.0000 --engines guest").out.find("expected"), std::string::npos);

  write_text({{kTargetMemory, 20, 21}, {kTargetMemory, 25, 30}, {kSecondTarget, 7, 4}});
  const std::string first =
      "frame0_job2_color0: 2 of 1024 pixels differ by more than is allowed, the first one at (20, 21), which "
      "draw "
      "1 was the last one to change";
  const std::string second =
      "frame0_job2_color1: 1 of 1024 pixels differ by more than is allowed, the first one at (7, 4)";
  const Outcome imported = run("import run.0000 --expected -o hardware.wjcap");
  ASSERT_EQ(imported.code, 0) << imported.err;
  for (const char* files : {"run.0000 --expected", "hardware.wjcap"}) {
    const Outcome verified = run(std::string("verify ") + files + " --engines guest,jit");
    EXPECT_EQ(verified.code, 1) << verified.out;
    EXPECT_NE(verified.out.find("NOT AS EXPECTED: " + first + "; " + second), std::string::npos)
        << verified.out;
    EXPECT_NE(verified.out.find("MISMATCH"), std::string::npos);
    const json shown = json::parse(run(std::string("verify ") + files + " --json --engines guest").out);
    EXPECT_EQ(shown["ok"], false);
    EXPECT_EQ(shown["engines"][0]["expect"], first + "; " + second);
    const Outcome rendered = run(std::string("render ") + files);
    EXPECT_EQ(rendered.code, 1);
    EXPECT_NE(
        rendered.out.find("NOT AS EXPECTED: 2 of 1024 pixels differ by more than is allowed, the first one "
                          "at (20, 21)"),
        std::string::npos)
        << rendered.out;
    const json pictures = json::parse(run(std::string("render --json ") + files).out)["pictures"];
    EXPECT_EQ(pictures[1]["compared"]["first"], (json{7, 4}));
    EXPECT_EQ(pictures[1]["compared"]["beyond"], 1);
  }
  // What the first draw has left.
  write_text({{kTargetMemory, 2, 1}});
  EXPECT_NE(run("verify run.0000 --expected --engines guest").out.find("at (2, 1), as draw 0 has left it"),
            std::string::npos);
}

TEST_F(ExpectedTest, NamesShowInListings) {
  write_text({});
  write("names.json",
        R"([{"address": "0x200001000", "name": "first job"}, {"draw": 1, "name": "tower\u001b[31m"},
            {"uniform": 2, "name": "light"}])");
  const Outcome imported = run("import run.0000 --names names.json -o named.wjcap");
  ASSERT_EQ(imported.code, 0) << imported.err;
  const std::string text = run("info named.wjcap").out;
  EXPECT_NE(text.find("0x200001000 (first job)"), std::string::npos) << text;
  EXPECT_NE(text.find("tower\\x1b[31m"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  const json shown = json::parse(run("info --json named.wjcap").out);
  EXPECT_EQ(shown["names"].size(), 3u);
  EXPECT_EQ(shown["chains"][0]["jobs"][1]["name"], "tower\\x1b[31m");
  const json job = json::parse(run("info --json named.wjcap --job 0x200001180").out);
  EXPECT_EQ(job["jobs"].size(), 1u);
  const std::string jobs = run("info --json named.wjcap --job 0x200001000").out;
  EXPECT_NE(jobs.find("first job"), std::string::npos);
  const std::string rendered = run("render named.wjcap").out;
  EXPECT_NE(rendered.find("(tower\\x1b[31m)"), std::string::npos) << rendered;
  EXPECT_EQ(json::parse(run("render --json named.wjcap").out)["draws"][1]["name"], "tower\\x1b[31m");
  // Names stay when the file is written again, or go for others.
  ASSERT_EQ(run("import named.wjcap -o again.wjcap").code, 0);
  EXPECT_EQ(json::parse(run("info --json again.wjcap").out)["names"].size(), 3u);
  write("bad.json", R"([{"draw": 1, "name": ""}])");
  EXPECT_EQ(run("import run.0000 --names bad.json -o bad.wjcap").code, 2);
}

}  // namespace
}  // namespace warpjit::tool
