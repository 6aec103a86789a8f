// Traces of all examples of Tesla agree with compiled code.
#include "traces.h"

namespace warpjit::tests {
namespace {

std::vector<std::string> launches(const std::string& folder) {
  const std::vector<std::string> files = files_of(source_file(folder), ".json");
  EXPECT_GT(files.size(), 5u);
  return files;
}

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
