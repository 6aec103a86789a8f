// Sessions on captures: what they show is what compiled code does, and steps lead back to where they came from.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <random>

#include "busy.h"
#include "debug/any_capture.h"
#include "warpjit/debug.hpp"

namespace warpjit::tests {
namespace {

std::string example(const std::string& name) { return source_file("examples/" + name); }

DebugPlace place(const char* text) {
  const auto result = DebugPlace::parse(text);
  EXPECT_TRUE(result.ok()) << text;
  return *result;
}

std::vector<std::uint32_t> registers(DebugSession& session) {
  std::vector<std::uint32_t> words;
  for (unsigned word = 0; word < session.words(); ++word)
    for (unsigned lane = 0; lane < session.lanes(); ++lane) words.push_back(*session.value(word, lane));
  return words;
}

// Registers at a step do not depend on the way there; each step changes what it says.
void expect_reversible(DebugSession& session, unsigned walks) {
  const std::uint64_t steps = session.steps();
  ASSERT_GT(steps, 0u);
  std::map<std::uint64_t, std::vector<std::uint32_t>> seen;
  std::minstd_rand random(7);
  for (unsigned k = 0; k < walks; ++k) {
    const std::uint64_t step = random() % (steps + 1);
    ASSERT_TRUE(session.go_to(step).ok());
    const auto now = registers(session);
    const auto [at, is_new] = seen.try_emplace(step, now);
    ASSERT_EQ(at->second, now) << "step " << step;
    if (step == steps) continue;
    const auto event = session.step(step);
    ASSERT_TRUE(event.ok());
    auto expected = now;
    for (const auto& read : event->reads)
      if (event->writes.empty() || session.name(read.word).find("slot") == std::string::npos)
        EXPECT_EQ(read.value, now[read.word * session.lanes() + read.lane]) << session.name(read.word);
    for (const auto& write : event->writes) {
      EXPECT_EQ(write.before, now[write.word * session.lanes() + write.lane]) << session.name(write.word);
      expected[write.word * session.lanes() + write.lane] = write.after;
    }
    ASSERT_TRUE(session.go_to(step + 1).ok());
    ASSERT_EQ(registers(session), expected) << "step " << step;
  }
}

struct Case {
  const char* file;
  const char* place;
};
class Examples : public testing::TestWithParam<Case> {};

TEST_P(Examples, AgreeAndAreReversible) {
  const auto capture = tool::load_any_capture(example(GetParam().file));
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  auto session = DebugSession::open(*capture);
  ASSERT_TRUE(session.ok());
  const Status gone = session->go(place(GetParam().place));
  ASSERT_TRUE(gone.ok()) << to_string(gone.error());
  EXPECT_TRUE(session->end().ok()) << to_string(session->end().error());
  EXPECT_EQ(session->difference(), "");
  EXPECT_FALSE(session->text(session->step(0)->address).empty());
  expect_reversible(*session, 40);
}

INSTANTIATE_TEST_SUITE_P(Valhall, Examples,
                         testing::Values(Case{"valhall/transform.json", "vertex 3"},
                                         Case{"valhall/skinning.json", "thread 5"},
                                         Case{"valhall/histogram.json", "thread 3 block 1"},
                                         Case{"valhall/reduce.json", "thread 37"},
                                         Case{"valhall/mandelbrot.json", "thread 9"},
                                         Case{"valhall/pack.json", "thread 1"},
                                         Case{"valhall/graphics/sphere.json", "pixel 64,64"},
                                         Case{"valhall/graphics/sphere.json", "pixel 3,100"},
                                         Case{"valhall/graphics/sphere_halves.json", "pixel 50,64"},
                                         Case{"valhall/graphics/glass.json", "pixel 64,64"},
                                         Case{"valhall/graphics/glass.json", "pixel 20,17"},
                                         Case{"valhall/graphics/raymarch.json", "pixel 77,40"},
                                         Case{"valhall/graphics/mandelbrot.json", "pixel 33,20"}));

TEST(DebugSession, SaysWhichPlacesThereAre) {
  const auto capture = tool::load_any_capture(example("valhall/graphics/sphere.json"));
  ASSERT_TRUE(capture.ok());
  auto session = DebugSession::open(*capture);
  ASSERT_TRUE(session.ok());
  const auto error = [&](const char* text) {
    const Status status = session->go(place(text));
    return status.ok() ? std::string() : status.error().message;
  };
  EXPECT_NE(error("draw 3 pixel 1,1").find("the last one is 0"), std::string::npos);
  EXPECT_NE(error("pixel 4000,1").find("no fragment"), std::string::npos);
  EXPECT_NE(error("pixel 64,64 fragment 5").find("1 fragments"), std::string::npos);
  EXPECT_NE(error("thread 3").find("no such threads"), std::string::npos);
  EXPECT_NE(error("pixel 64,64 program 2").find("1 programs"), std::string::npos);
  EXPECT_NE(error("pixel 64,64 step 1000").find("no step"), std::string::npos);
  EXPECT_EQ(error("pixel 64,64 step 5"), "");
}

// A file for measurements with the tool is written where WARPJIT_BUSY says.
TEST(DebugSession, OfABusyFrame) {
  const std::vector<std::byte> bytes = busy_capture();
  if (const char* file = std::getenv("WARPJIT_BUSY"); file != nullptr)
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  const auto capture = Capture::load(bytes, "busy.wjcap");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  EXPECT_EQ(capture->jobs(), kBusyDraws);
  auto session = DebugSession::open(*capture);
  ASSERT_TRUE(session.ok());
  for (const char* text : {"draw 99 pixel 256,256", "draw 98 pixel 256,256", "draw 50 pixel 200,150"}) {
    const Status gone = session->go(place(text));
    ASSERT_TRUE(gone.ok()) << to_string(gone.error());
    EXPECT_EQ(session->difference(), "");
    EXPECT_GT(session->steps(), 3u);
  }
}

}  // namespace
}  // namespace warpjit::tests
