// Traces of the Vita's programs: what they show agrees with compiled code.
#include "traces.h"

namespace warpjit::tests {
namespace {

TEST(UsseTraces, OfExamples) {
  const auto files = files_of(source_file("examples/usse/graphics"), ".json");
  EXPECT_EQ(files.size(), 6u);
  for (const std::string& file : files) {
    Traces trace(file);
    unsigned pixels = 0;
    for (const char* place : {"pixel 64,64", "pixel 65,64", "pixel 40,71", "pixel 0,0", "pixel 30,31"})
      pixels += trace.go(place) ? 1U : 0U;
    EXPECT_GT(pixels, 0u) << file;
    EXPECT_EQ(trace.happened() & DebugStep::undefined, 0u) << file;
    if (file.find("cube.json") == std::string::npos) continue;
    for (const char* place : {"vertex 0", "vertex 5", "vertex 23"}) EXPECT_TRUE(trace.go(place)) << place;
    EXPECT_EQ(trace.happened() & DebugStep::undefined, 0u);
  }
}

TEST(UsseTraces, OfCaptures) {
  unsigned places = 0;
  for (const std::string& file : files_of(source_file("fuzz/corpus/usse_capture"), ".wjcap")) {
    Traces trace(file);
    for (const char* place : {"vertex 0", "vertex 2", "pixel 3,3", "pixel 16,16", "draw 1 pixel 20,20"})
      places += trace.go(place) ? 1U : 0U;
    EXPECT_EQ(trace.happened() & DebugStep::undefined, 0u) << file;
  }
  EXPECT_GT(places, 4u);
}

// Draws of other people's programs, which came with pictures of them.
TEST(UsseTraces, OfTheCorpus) {
  for (const std::string& file : files_of(corpus_file("usse/launches"), ".json")) {
    Traces trace(file);
    EXPECT_TRUE(trace.go("vertex 0")) << file;
    EXPECT_TRUE(trace.go("vertex 2")) << file;
    bool pixel = false;
    for (const char* place : {"pixel 32,32", "pixel 17,40", "pixel 5,5"}) pixel |= trace.go(place);
    EXPECT_TRUE(pixel) << file;
    EXPECT_EQ(trace.happened() & DebugStep::undefined, 0u) << file;
  }
}

TEST(UsseTraces, RegistersHaveTheNamesOfListings) {
  Traces trace(source_file("examples/usse/graphics/cube.json"));
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
