// warpjit minimize: what is left of a capture still shows what it must.
#include <algorithm>
#include <set>

#include "capture/pica200/scene_frames.h"
#include "cli.h"
#include "minimize/checks.h"
#include "minimize/reduce.h"
#include "scene/load_scene.h"
#include "support/scene_files.h"

namespace warpjit::tool {
namespace {

using capture::Frames;
using capture::Part;

// Jobs with numbers.
class NumberedJobs final : public Frames {
 public:
  explicit NumberedJobs(std::vector<int> jobs) : jobs(std::move(jobs)) {}
  capture::FramesInfo info() const override { return {}; }
  Status run(const Engine&, CaptureVisitor&, const RunOptions&) const override { return {}; }
  Status write(capture::SectionWriter&) const override { return {}; }
  std::size_t parts(Part part) const override { return part == Part::job ? jobs.size() : 0; }
  std::unique_ptr<const Frames> without(Part, const std::vector<bool>& left_out) const override {
    std::vector<int> left;
    for (std::size_t n = 0; n < jobs.size(); ++n)
      if (!left_out[n]) left.push_back(jobs[n]);
    return std::make_unique<NumberedJobs>(left);
  }
  std::vector<int> jobs;
};

std::shared_ptr<const Frames> numbered(int count) {
  std::vector<int> jobs;
  for (int n = 0; n < count; ++n) jobs.push_back(n);
  return std::make_shared<NumberedJobs>(jobs);
}
const std::vector<int>& jobs_of(const Frames& frames) {
  return dynamic_cast<const NumberedJobs&>(frames).jobs;
}

StillShows has(std::set<int> wanted) {
  return [wanted](const Frames& frames) -> Result<bool> {
    return std::ranges::all_of(wanted,
                               [&](int job) { return std::ranges::count(jobs_of(frames), job) == 1; });
  };
}

TEST(Reduce, LeavesOutAllThatIsNotNeeded) {
  for (const std::set<int>& wanted : {std::set<int>{}, {0}, {999}, {3, 17, 500}, {0, 1, 2, 3, 4}}) {
    Reduction reduction;
    ASSERT_TRUE(reduce(numbered(1000), has(wanted), {}, reduction).ok());
    EXPECT_EQ(jobs_of(*reduction.best), std::vector<int>(wanted.begin(), wanted.end()));
    EXPECT_TRUE(reduction.ended);
    EXPECT_LT(reduction.runs, 200u);
  }
}

TEST(Reduce, EndsAfterSoManyRunsOrWhenItIsCancelled) {
  Reduction reduction;
  ReduceOptions options;
  options.most_runs = 10;
  ASSERT_TRUE(reduce(numbered(1000), has({3, 700}), options, reduction).ok());
  EXPECT_EQ(reduction.runs, 10u);
  EXPECT_FALSE(reduction.ended);
  EXPECT_LT(jobs_of(*reduction.best).size(), 1000u);
  EXPECT_TRUE(has({3, 700})(*reduction.best).value());

  int runs = 0;
  const StillShows cancelled = [&](const Frames& frames) -> Result<bool> {
    if (++runs == 8) return Error{ErrorCode::cancelled, "enough", ""};
    return has({3, 700})(frames);
  };
  Reduction stopped;
  EXPECT_EQ(reduce(numbered(1000), cancelled, {}, stopped).error().code, ErrorCode::cancelled);
  EXPECT_LT(jobs_of(*stopped.best).size(), 1000u);
  EXPECT_TRUE(has({3, 700})(*stopped.best).value());
}

// Draws with this number of triangles come out wrong in the JIT.
class WrongInJit final : public Frames {
 public:
  WrongInJit(std::shared_ptr<const Frames> frames, std::string what)
      : frames_(std::move(frames)), what_(std::move(what)) {}
  capture::FramesInfo info() const override { return frames_->info(); }
  Status write(capture::SectionWriter& file) const override { return frames_->write(file); }
  std::size_t parts(Part part) const override { return frames_->parts(part); }
  std::size_t vertices() const override { return frames_->vertices(); }
  std::unique_ptr<const Frames> without(Part part, const std::vector<bool>& left_out) const override {
    auto less = frames_->without(part, left_out);
    if (!less) return nullptr;
    return std::make_unique<WrongInJit>(std::move(less), what_);
  }
  Status run(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options) const override {
    if (options.engine != EngineKind::jit) return frames_->run(engine, visitor, options);
    Wrong wrong(visitor, what_);
    return frames_->run(engine, wrong, options);
  }

 private:
  struct Wrong final : CaptureVisitor {
    Wrong(CaptureVisitor& visitor, const std::string& what) : visitor(visitor), what(what) {}
    CaptureInterest interest() const override { return visitor.interest(); }
    bool job(const CaptureJob& job) override { return visitor.job(job); }
    bool draw(const CaptureDraw& draw) override {
      spoils = draw.what.find(what) != std::string_view::npos;
      return visitor.draw(draw);
    }
    bool picture(const CapturePicture& picture) override {
      if (!picture.draw || !spoils) return visitor.picture(picture);
      std::vector<std::byte> bytes(picture.bytes.begin(), picture.bytes.end());
      bytes[0] ^= std::byte{1};
      CapturePicture spoilt = picture;
      spoilt.bytes = bytes;
      return visitor.picture(spoilt);
    }
    CaptureVisitor& visitor;
    const std::string& what;
    bool spoils = false;
  };
  std::shared_ptr<const Frames> frames_;
  std::string what_;
};

std::shared_ptr<const Frames> example(const char* name) {
  const auto scene = load_scene(kExamples + "scenes/" + name + "/scene.json");
  EXPECT_TRUE(scene.ok()) << to_string(scene.error());
  return std::make_shared<pica200::SceneFrames>(scene ? *scene : Scene(), name);
}

TEST(Reduce, FindsTheDrawInWhichEnginesDiffer) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const Engine engine;
  RunOptions guest, jit;
  guest.engine = EngineKind::guest;
  jit.engine = EngineKind::jit;
  const auto frames = std::make_shared<WrongInJit>(example("combiners"), "2 triangles of 4 vertices");
  EXPECT_EQ(engines_differ(engine, guest, &jit, *example("combiners")).error().code, ErrorCode::bad_input);
  const auto differs = engines_differ(engine, guest, &jit, *frames);
  ASSERT_TRUE(differs.ok()) << to_string(differs.error());
  ReduceOptions options;
  options.most_runs = 400;
  Reduction reduction;
  ASSERT_TRUE(reduce(frames, *differs, options, reduction).ok());
  EXPECT_EQ(reduction.best->parts(Part::draw), 1u);
  EXPECT_EQ(reduction.best->vertices(), 6u);
  EXPECT_LT(reduction.best->parts(Part::state), frames->parts(Part::state) / 2);
  EXPECT_TRUE((*differs)(*reduction.best).value());
}

class Minimize : public ToolTest {};

TEST_F(Minimize, KeepsThePixelsOfADraw) {
  if (!tests::can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const std::string scene = "'" + kExamples + "scenes/combiners/scene.json'";
  const Outcome outcome = run("minimize " + scene + " --draw 5 -o small.wjcap --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["draws"]["after"], 1);
  EXPECT_EQ(json["vertices"]["after"], 6);
  EXPECT_TRUE(json["ended"]);
  EXPECT_LT(json["bytes_after"], json["bytes_before"].get<int>() / 10);
  // What is left needs all that is left.
  const Outcome again = run("minimize small.wjcap --draw 0 -o again.wjcap --json");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(nlohmann::json::parse(again.out)["states"]["after"], json["states"]["after"]);
  EXPECT_EQ(run("verify small.wjcap").code, 0);

  EXPECT_NE(run("minimize " + scene + " --draw 12 -o x.wjcap").err.find("has 12 draws"), std::string::npos);
  EXPECT_NE(run("minimize " + scene + " --differs guest,jit -o x.wjcap").err.find("the engines agree"),
            std::string::npos);
  EXPECT_NE(run("minimize " + scene + " --differs jit,expected -o x.wjcap").err.find("as expected"),
            std::string::npos);
  EXPECT_EQ(run("minimize " + scene + " --differs jit,what -o x.wjcap").code, 2);
  EXPECT_EQ(run("minimize " + scene + " --differs guest-v3,jit -o x.wjcap").code, 2);
  EXPECT_EQ(run("minimize " + scene + " --differs jit -o x.wjcap").code, 2);
  EXPECT_EQ(run("minimize " + scene + " -o x.wjcap").code, 2);
  EXPECT_EQ(run("minimize " + scene + " --draw 1 --error x -o x.wjcap").code, 2);
  EXPECT_EQ(run("minimize " + scene + " --draw 1 -o x.json").code, 2);
  EXPECT_FALSE(std::filesystem::exists(path("x.wjcap")));
}

// A list of triangles of which one alone is in a target, in a capture of each guest that is not the PICA200.
TEST_F(Minimize, LeavesOutVerticesOfAnyGuest) {
  const std::string vita = "'" + tests::corpus_file("usse/launches/texture_ubc1_mips.json") + "'";
  ASSERT_EQ(run("import " + vita + " -o vita.wjcap").code, 0);
  ASSERT_EQ(run("import " + source_launch("graphics/phong") + " -o tesla.wjcap").code, 0);
  const std::string mali = "'" + tests::source_file("fuzz/corpus/valhall_capture/triangle.wjcap") + "'";
  for (const std::string& file : {std::string("vita.wjcap"), std::string("tesla.wjcap"), mali}) {
    SCOPED_TRACE(file);
    const Outcome drawn = run("minimize " + file + " --draw 0 -o small.wjcap --json");
    ASSERT_EQ(drawn.code, 0) << drawn.err;
    const auto json = nlohmann::json::parse(drawn.out);
    EXPECT_GT(json["vertices"]["before"], 0);
    EXPECT_GT(json["vertices"]["after"], 0) << "they draw";
    EXPECT_LE(json["vertices"]["after"], json["vertices"]["before"]);
    EXPECT_EQ(run("verify small.wjcap").code, 0);
  }
  // What is expected is not there without vertices, either: the fewest are left.
  ASSERT_EQ(run("minimize vita.wjcap --error nothing -o x.wjcap").code, 2);
}

TEST_F(Minimize, KeepsAnErrorAndASpoiltExpectation) {
  // A fill, then a list that writes a good and a bad register; before it one that does nothing.
  std::string list;
  const auto put = [&](std::uint32_t word) {
    for (unsigned n = 0; n < 4; ++n) list += static_cast<char>(word >> 8 * n);
  };
  for (const std::uint32_t word : {1u, 0x000F0040u, 2u, 0x000F0041u, 3u, 0x000F0300u, 4u, 0x000F0042u})
    put(word);
  write("list.bin", list);
  write("expected.bin", std::string(64, '\1'));
  const std::string start = R"({"format": "pica-frame 1", "memory": [{"address": 402653184, "bytes": 256},
      {"address": 536870912, "file": "list.bin"}], "queue": [{"fill": {"start": 402653184, "end": 402653248, "value": 1,
      "control": 513}}, {"commands": {"address": 536870912, "bytes": 16}})";
  const std::string end =
      R"(], "outputs": [{"name": "a", "address": 402653184, "bytes": 64, "file": "expected.bin"}]})";
  write("refused.json", start + R"(, {"commands": {"address": 536870912, "bytes": 32}})" + end);
  write("spoilt.json", start + end);
  const Outcome error = run("minimize refused.json --error 'registers end' -o error.wjcap --json");
  ASSERT_EQ(error.code, 0) << error.err;
  auto json = nlohmann::json::parse(error.out);
  EXPECT_EQ(json["jobs"]["after"], 1);
  EXPECT_EQ(json["states"]["before"], 6);
  EXPECT_EQ(json["states"]["after"], 1);
  EXPECT_EQ(json["expected"]["after"], 0);
  EXPECT_NE(run("render error.wjcap").err.find("registers end at 0x2FF"), std::string::npos);
  EXPECT_EQ(run("minimize refused.json --error refused -o x.wjcap").code, 2);  // the name of the file

  const Outcome spoilt = run("minimize spoilt.json --differs guest,expected -o spoilt.wjcap --json");
  ASSERT_EQ(spoilt.code, 0) << spoilt.err;
  json = nlohmann::json::parse(spoilt.out);
  EXPECT_EQ(json["jobs"]["after"], 0);  // zeros are not as expected, either
  EXPECT_EQ(json["expected"]["after"], 1);
  EXPECT_EQ(run("render spoilt.wjcap").code, 1);
}

}  // namespace
}  // namespace warpjit::tool
