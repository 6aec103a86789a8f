// Traces of the Vita's programs: what they show agrees with compiled code.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "debug/any_capture.h"
#include "support/source_dir.h"
#include "warpjit/debug.hpp"

namespace warpjit::tests {
namespace {

std::vector<std::string> files_of(const std::string& folder, const std::string& extension) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == extension) files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

class VitaTrace {
 public:
  explicit VitaTrace(const std::string& file) : file_(file) {
    auto capture = tool::load_any_capture(file);
    EXPECT_TRUE(capture.ok()) << to_string(capture.error());
    if (!capture) return;
    auto session = DebugSession::open(*capture);
    EXPECT_TRUE(session.ok());
    if (session) session_.emplace(std::move(*session));
  }
  // False: there is no such place.
  bool go(const std::string& text) {
    if (!session_) return false;
    SCOPED_TRACE(file_ + ", " + text);
    const auto place = DebugPlace::parse(text);
    EXPECT_TRUE(place.ok());
    const Status gone = session_->go(*place);
    if (!gone && gone.error().code == ErrorCode::bad_input) return false;
    EXPECT_TRUE(gone.ok()) << to_string(gone.error());
    if (!gone) return false;
    EXPECT_TRUE(session_->end().ok()) << to_string(session_->end().error());
    EXPECT_EQ(session_->difference(), "");
    EXPECT_GT(session_->steps(), 0u);
    follow();
    return true;
  }
  DebugSession& session() { return *session_; }

 private:
  // Each step goes on from the last one, and leads to what the session says that registers are.
  void follow() {
    DebugSession& session = *session_;
    words_.clear();
    const auto compare = [&] {
      for (unsigned word = 0; word < session.words(); ++word)
        for (unsigned lane = 0; lane < session.lanes(); ++lane) {
          const std::uint32_t value = *session.value(word, lane);
          std::uint32_t& known = words_[{word, lane}];
          if (session.place().step == 0) known = value;
          EXPECT_EQ(known, value) << session.name(word) << ", lane " << lane;
        }
    };
    ASSERT_TRUE(session.go_to(0).ok());
    compare();
    for (std::uint64_t n = 0; n < session.steps(); ++n) {
      const auto step = session.step(n);
      ASSERT_TRUE(step.ok());
      EXPECT_NE(session.text(step->address), "") << step->address;
      EXPECT_EQ(step->happened & DebugStep::undefined, 0u) << session.text(step->address);
      for (const auto& write : step->writes) {
        EXPECT_EQ(write.before, (words_[{write.word, write.lane}])) << session.name(write.word);
        words_[{write.word, write.lane}] = write.after;
      }
    }
    ASSERT_TRUE(session.go_to(session.steps()).ok());
    compare();
  }

  std::string file_;
  std::optional<DebugSession> session_;
  std::map<std::pair<unsigned, unsigned>, std::uint32_t> words_;
};

TEST(UsseTraces, OfExamples) {
  const auto files = files_of(source_file("examples/usse/graphics"), ".json");
  EXPECT_EQ(files.size(), 6u);
  for (const std::string& file : files) {
    VitaTrace trace(file);
    unsigned pixels = 0;
    for (const char* place : {"pixel 64,64", "pixel 65,64", "pixel 40,71", "pixel 0,0", "pixel 30,31"})
      pixels += trace.go(place) ? 1U : 0U;
    EXPECT_GT(pixels, 0u) << file;
    if (file.find("cube.json") == std::string::npos) continue;
    for (const char* place : {"vertex 0", "vertex 5", "vertex 23"}) EXPECT_TRUE(trace.go(place)) << place;
  }
}

TEST(UsseTraces, OfCaptures) {
  unsigned places = 0;
  for (const std::string& file : files_of(source_file("fuzz/corpus/usse_capture"), ".wjcap")) {
    VitaTrace trace(file);
    for (const char* place : {"vertex 0", "vertex 2", "pixel 3,3", "pixel 16,16", "draw 1 pixel 20,20"})
      places += trace.go(place) ? 1U : 0U;
  }
  EXPECT_GT(places, 4u);
}

// Draws of other people's programs, which came with pictures of them.
TEST(UsseTraces, OfTheCorpus) {
  for (const std::string& file : files_of(corpus_file("usse/launches"), ".json")) {
    VitaTrace trace(file);
    EXPECT_TRUE(trace.go("vertex 0")) << file;
    EXPECT_TRUE(trace.go("vertex 2")) << file;
    bool pixel = false;
    for (const char* place : {"pixel 32,32", "pixel 17,40", "pixel 5,5"}) pixel |= trace.go(place);
    EXPECT_TRUE(pixel) << file;
  }
}

TEST(UsseTraces, RegistersHaveTheNamesOfListings) {
  VitaTrace trace(source_file("examples/usse/graphics/cube.json"));
  ASSERT_TRUE(trace.go("pixel 64,64"));
  DebugSession& session = trace.session();
  for (const char* name :
       {"r0", "pa3", "sa255", "o7", "i0.x", "i3.w", "p3", "idx2", "increment0", "slot71"}) {
    const auto word = session.find(name);
    ASSERT_TRUE(word) << name;
    EXPECT_EQ(session.name(*word), name);
  }
  for (const char* name : {"r256", "i4.x", "i0", "p4", "slot72", "x"})
    EXPECT_FALSE(session.find(name)) << name;
}

}  // namespace
}  // namespace warpjit::tests
