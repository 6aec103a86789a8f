// Traces of all examples of Tesla agree with compiled code.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "debug/any_capture.h"
#include "support/source_dir.h"
#include "warpjit/debug.hpp"

namespace warpjit::tests {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> launches(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(source_file(folder)))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  std::ranges::sort(files);
  EXPECT_GT(files.size(), 5u);
  return files;
}

class Traces {
 public:
  explicit Traces(const std::string& file) : file_(file) {
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
    const auto place = DebugPlace::parse(text);
    EXPECT_TRUE(place.ok()) << text;
    const Status gone = session_->go(*place);
    if (!gone && gone.error().code == ErrorCode::bad_input) return false;
    EXPECT_TRUE(gone.ok()) << file_ << ", " << text << ": " << to_string(gone.error());
    if (!gone) return false;
    EXPECT_TRUE(session_->end().ok()) << file_ << ", " << text << ": " << to_string(session_->end().error());
    EXPECT_EQ(session_->difference(), "") << file_ << ", " << text;
    EXPECT_GT(session_->steps(), 0u) << file_ << ", " << text;
    expect_deltas(text);
    return true;
  }
  DebugSession& session() { return *session_; }

 private:
  // Each of the first steps changes what it says, and no other register.
  void expect_deltas(const std::string& text) {
    DebugSession& session = *session_;
    ASSERT_TRUE(session.go_to(0).ok());
    std::vector<std::uint32_t> words;
    const auto now = [&] {
      std::vector<std::uint32_t> all;
      for (unsigned word = 0; word < session.words(); ++word)
        all.push_back(*session.value(word, session.lane()));
      return all;
    };
    words = now();
    for (std::uint64_t n = 0; n < std::min<std::uint64_t>(session.steps(), 12); ++n) {
      const auto step = session.step(n);
      ASSERT_TRUE(step.ok());
      EXPECT_FALSE(session.text(step->address).empty()) << file_ << ", " << text << ", step " << n;
      for (const auto& write : step->writes)
        if (write.lane == session.lane()) {
          EXPECT_EQ(words[write.word], write.before) << session.name(write.word);
          words[write.word] = write.after;
        }
      ASSERT_TRUE(session.go_to(n + 1).ok());
      EXPECT_EQ(now(), words) << file_ << ", " << text << ", step " << n;
    }
  }

  std::string file_;
  std::optional<DebugSession> session_;
};

TEST(TeslaTraces, OfKernels) {
  for (const std::string& file : launches("examples/tesla")) {
    Traces traces(file);
    EXPECT_TRUE(traces.go("thread 0")) << file;
    EXPECT_TRUE(traces.go("thread 13,2 block 1,1") || traces.go("thread 37 block 1")) << file;
    EXPECT_TRUE(traces.go("thread 15,5 block 2,2") || traces.go("thread 63 block 1")) << file;
    EXPECT_FALSE(traces.go("thread 600")) << file;
  }
}

TEST(TeslaTraces, OfDraws) {
  for (const std::string& file : launches("examples/tesla/graphics")) {
    Traces traces(file);
    unsigned pixels = 0;
    for (const char* place : {"pixel 0,0", "pixel 33,40", "pixel 64,64", "pixel 71,30", "pixel 90,101"})
      pixels += traces.go(place) ? 1U : 0U;
    EXPECT_GT(pixels, 0u) << file;
    if (pixels != 0 && traces.session().vertices().empty()) continue;
    EXPECT_TRUE(traces.go("vertex 0")) << file;
    EXPECT_TRUE(traces.go("vertex 2")) << file;
  }
}

TEST(TeslaTraces, OfAGeometryStage) {
  Traces traces(source_file("examples/tesla/graphics/wireframe.json"));
  EXPECT_TRUE(traces.go("invocation 0"));
  ASSERT_TRUE(traces.go("invocation 5"));
  EXPECT_TRUE(traces.session().find("p2[0x10]"));
  EXPECT_FALSE(traces.go("invocation 500"));
}

TEST(TeslaTraces, RegistersHaveTheNamesOfListings) {
  Traces traces(source_file("examples/tesla/graphics/phong.json"));
  ASSERT_TRUE(traces.go("pixel 64,64"));
  DebugSession& session = traces.session();
  for (const char* name : {"$r0", "$r127", "$a1", "$c3", "o[0x0]", "v[0x10]", "v[0x3fc]"}) {
    const auto word = session.find(name);
    ASSERT_TRUE(word) << name;
    EXPECT_EQ(session.name(*word), name);
  }
  for (const char* name : {"$r128", "$a8", "$c4", "o[0x1]", "o[0x200]", "v[0x400]", "v[16]", "a[0x0]", "$r"})
    EXPECT_FALSE(session.find(name)) << name;
  ASSERT_TRUE(traces.go("vertex 1"));
  EXPECT_TRUE(traces.session().find("a[0x4]"));
  EXPECT_FALSE(traces.session().find("v[0x4]"));
}

}  // namespace
}  // namespace warpjit::tests
