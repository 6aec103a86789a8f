// Threads of the PICA200: vertices, invocations of geometry programs, and fragments of the fixed function.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <set>

#include "debug/any_capture.h"
#include "support/scene_files.h"
#include "support/source_dir.h"
#include "warpjit/debug.hpp"

namespace warpjit::tests {
namespace {

namespace fs = std::filesystem;

class DrawCounter final : public CaptureVisitor {
 public:
  CaptureInterest interest() const override { return {.draws = true}; }
  bool draw(const CaptureDraw& draw) override {
    words.emplace_back(draw.what);
    return true;
  }
  std::vector<std::string> words;
};

std::vector<std::string> draws_of(const Capture& capture) {
  DrawCounter counter;
  const Engine engine;
  EXPECT_TRUE(capture.run(engine, counter).ok());
  return counter.words;
}

Result<Capture> scene(const std::string& name) {
  for (const fs::path& file : scene_files())
    if (file.parent_path().filename() == name) return tool::load_any_capture(file.string());
  return Error{ErrorCode::bad_input, "no such scene", name};
}

DebugPlace parsed(const std::string& text) {
  const auto place = DebugPlace::parse(text);
  EXPECT_TRUE(place.ok()) << text;
  return *place;
}

// Events say of each word what the registers then have; the last step ends the thread.
void expect_consistent(DebugSession& session) {
  ASSERT_GT(session.steps(), 0u);
  std::vector<std::uint32_t> words;
  for (unsigned word = 0; word < session.words(); ++word)
    words.push_back(*session.value(word, session.lane()));
  for (std::uint64_t n = 0; n < session.steps(); ++n) {
    const auto step = session.step(n);
    ASSERT_TRUE(step.ok());
    EXPECT_EQ(step->lanes, 1U << session.lane());
    EXPECT_FALSE(session.text(step->address).empty()) << step->address;
    std::set<unsigned> written;
    for (const auto& write : step->writes) {
      EXPECT_EQ(write.lane, session.lane());
      if (written.insert(write.word).second) {
        EXPECT_EQ(write.before, words[write.word]) << session.name(write.word);
      }
    }
    for (const auto& read : step->reads)
      if (!written.contains(read.word)) {
        EXPECT_EQ(read.value, words[read.word]) << session.name(read.word);
      }
    for (const auto& write : step->writes) words[write.word] = write.after;
  }
  EXPECT_NE(session.step(session.steps() - 1)->happened & DebugStep::ended, 0);
  ASSERT_TRUE(session.go_to(session.steps()).ok());
  for (unsigned word = 0; word < session.words(); ++word)
    EXPECT_EQ(words[word], *session.value(word, session.lane())) << session.name(word);
}

struct Pica200Case {
  const char* file;
  std::vector<const char*> places;
};
class Pica200Examples : public testing::TestWithParam<Pica200Case> {};

TEST_P(Pica200Examples, AgreeWithCompiledCode) {
  const auto capture =
      tool::load_any_capture(source_file(std::string("examples/pica200/") + GetParam().file + ".json"));
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  auto session = DebugSession::open(*capture);
  ASSERT_TRUE(session.ok());
  for (const char* place : GetParam().places) {
    SCOPED_TRACE(place);
    const Status gone = session->go(parsed(place));
    ASSERT_TRUE(gone.ok()) << to_string(gone.error());
    EXPECT_TRUE(session->end().ok()) << to_string(session->end().error());
    EXPECT_EQ(session->difference(), "");
    expect_consistent(*session);
  }
}

const std::vector<const char*> kRows = {"vertex 0", "vertex 1", "vertex 4095"},
                               kInvocations = {"invocation 0", "invocation 1", "invocation 2"};
INSTANTIATE_TEST_SUITE_P(All, Pica200Examples,
                         testing::Values(Pica200Case{"branchy", kRows}, Pica200Case{"breakc_loop", kRows},
                                         Pica200Case{"mvp_light", kRows}, Pica200Case{"skin_loop", kRows},
                                         Pica200Case{"shared_ends", {"vertex 0", "vertex 1"}},
                                         Pica200Case{"blended_triangles", kInvocations},
                                         Pica200Case{"flat_quads", kInvocations},
                                         Pica200Case{"kept_registers", kInvocations},
                                         Pica200Case{"point_quads", kInvocations},
                                         Pica200Case{"trail", kInvocations}));

// Some vertices and fragments of each scene, those of the first and the last draw.
TEST(Pica200Trace, OfScenes) {
  if (!can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  std::size_t vertices = 0, fragments = 0;
  for (const fs::path& file : scene_files()) {
    SCOPED_TRACE(file);
    const auto capture = tool::load_any_capture(file.string());
    if (!capture) continue;  // one that is refused
    const std::size_t count = draws_of(*capture).size();
    auto session = DebugSession::open(*capture);
    ASSERT_TRUE(session.ok());
    for (const std::size_t draw : std::set<std::size_t>{0, count - 1}) {
      if (count == 0) continue;
      for (const char* thread : {"vertex 0", "vertex 2", "pixel 8,8", "pixel 32,32", "pixel 20,45"}) {
        const DebugPlace place = parsed("draw " + std::to_string(draw) + " " + thread);
        SCOPED_TRACE(place.text());
        const Status gone = session->go(place);
        if (!gone) {
          EXPECT_EQ(gone.error().code, ErrorCode::bad_input) << to_string(gone.error());
          continue;
        }
        ++(place.of == DebugPlace::Of::pixel ? fragments : vertices);
        EXPECT_TRUE(session->end().ok()) << to_string(session->end().error());
        EXPECT_EQ(session->difference(), "");
        expect_consistent(*session);
      }
    }
  }
  EXPECT_GE(vertices, 30u);
  EXPECT_GE(fragments, 20u) << vertices;
}

// A draw's vertices and its fragments have its number.
TEST(Pica200Trace, NumbersDrawsOfAFrame) {
  if (!can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const auto capture = scene("sprites");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  const std::vector<std::string> draws = draws_of(*capture);
  ASSERT_GE(draws.size(), 2u);
  auto session = DebugSession::open(*capture);
  ASSERT_TRUE(session.ok());
  std::set<std::vector<std::uint32_t>> inputs;
  for (std::size_t draw = 0; draw < draws.size(); ++draw) {
    const Status gone = session->go(parsed("draw " + std::to_string(draw) + " vertex 0"));
    ASSERT_TRUE(gone.ok()) << to_string(gone.error());
    EXPECT_EQ(session->what(), draws[draw]);
    std::vector<std::uint32_t> input;
    for (unsigned word = 0; word < session->words(); ++word) input.push_back(*session->value(word, 0));
    EXPECT_TRUE(inputs.insert(input).second) << "draw " << draw << " is as another one";
  }
  EXPECT_FALSE(session->go(parsed("draw " + std::to_string(draws.size()) + " vertex 0")).ok());
}

TEST(Pica200Trace, StagesOfAFragment) {
  if (!can_unpack_xz()) GTEST_SKIP() << "no liblzma";
  const auto capture = scene("combiners");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  auto session = DebugSession::open(*capture);
  ASSERT_TRUE(session.ok());
  bool found = false;
  std::string message;
  for (unsigned x = 4; x < 256 && !found; x += 24)
    for (unsigned y = 4; y < 256 && !found; y += 24) {
      const Status gone = session->go(parsed("pixel " + std::to_string(x) + "," + std::to_string(y)));
      found = gone.ok();
      if (!found) message = to_string(gone.error());
    }
  ASSERT_TRUE(found) << message;
  for (const char* name : {"primary.r", "texture0.g", "stage2.b", "combined.a", "buffer.r", "texcoord0.u"})
    EXPECT_TRUE(session->find(name).has_value()) << name;
  EXPECT_EQ(session->difference(), "");
  // Six stages in their order, whose last one is the combined colour.
  std::vector<std::string> stages;
  std::uint32_t last = 0, stage5 = 0;
  for (std::uint64_t n = 0; n < session->steps(); ++n) {
    const auto step = session->step(n);
    ASSERT_TRUE(step.ok());
    const std::string text = session->text(step->address);
    if (text.starts_with("stage")) stages.push_back(text.substr(0, 6));
    for (const auto& write : step->writes) {
      if (session->name(write.word) == "combined.r" && text.starts_with("stage5")) last = write.after;
      if (session->name(write.word) == "stage5.r") stage5 = write.after;
    }
  }
  EXPECT_EQ(stages, (std::vector<std::string>{"stage0", "stage1", "stage2", "stage3", "stage4", "stage5"}));
  EXPECT_EQ(last, stage5);
}

TEST(Pica200Trace, OfAThreadWithoutFuel) {
  const auto capture = tool::load_any_capture(source_file("examples/pica200/breakc_loop.json"));
  ASSERT_TRUE(capture.ok());
  DebugOptions options;
  options.run.fuel = 1;
  auto session = DebugSession::open(*capture, options);
  ASSERT_TRUE(session.ok());
  const Status gone = session->go(parsed("vertex 1"));
  ASSERT_TRUE(gone.ok()) << to_string(gone.error());
  ASSERT_FALSE(session->end().ok());
  EXPECT_EQ(session->end().error().code, ErrorCode::out_of_fuel);
  EXPECT_GT(session->steps(), 3u);
}

TEST(Pica200Trace, RegisterNames) {
  const auto capture = tool::load_any_capture(source_file("examples/pica200/skin_loop.json"));
  ASSERT_TRUE(capture.ok());
  auto session = DebugSession::open(*capture);
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE(session->go(parsed("vertex 7")).ok());
  for (const char* name :
       {"v0.x", "o15.w", "r15.z", "a0.x", "a0.y", "aL", "cmp.x", "cmp.y", "c95.w", "i3.z", "b15"}) {
    const auto word = session->find(name);
    ASSERT_TRUE(word.has_value()) << name;
    EXPECT_EQ(session->name(*word), name);
  }
  EXPECT_FALSE(session->find("c96.x").has_value());
  EXPECT_FALSE(session->find("a0.z").has_value());
}

}  // namespace
}  // namespace warpjit::tests
