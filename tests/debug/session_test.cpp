// Sessions on captures: what they show is what compiled code does, and steps lead back to where they came from.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "busy.h"
#include "debug/any_capture.h"
#include "frontend/tesla/assembly/assemble.h"
#include "frontend/tesla/shader.h"
#include "support/byte_sink.h"
#include "support/own_folder.h"
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
      if (event->writes.empty() || session.name(read.word).find("slot") == std::string::npos) {
        EXPECT_EQ(read.value, now[read.word * session.lanes() + read.lane]) << session.name(read.word);
      }
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

// Groups of four rows, of a program that sees which lanes share a warp.
TEST(DebugSession, NamesLanesOfRowsThatRunByFours) {
  const auto container = tesla::assemble(
      ".kernel v\n.type vertex\n.attributes 0xf\n.results 0 1 2 3\n.registers 4\nmov b32 $r0 a[0x0]\n"
      "mov $r1 $physid\nmov b32 o[0x0] $r0\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] "
      "$r1\n"
      "exit nop\n",
      "rows.tesla");
  ASSERT_TRUE(container.ok()) << to_string(container.error());
  const auto shader = tesla::Shader::make(container->programs.at(0));
  ASSERT_TRUE(shader.ok()) << to_string(shader.error());
  Launch launch{Program(*shader)};
  constexpr std::uint32_t kRows = 71;
  std::vector<std::uint32_t> in(4 * kRows), out(4 * kRows);
  for (std::uint32_t n = 0; n < kRows; ++n) in[std::size_t{4} * n] = 1000 + n;
  ASSERT_TRUE(launch.bind_input("a0", {in.data(), 4 * in.size(), 16, f32x4}).ok());
  ASSERT_TRUE(launch.bind_output("slots0", {out.data(), 4 * out.size(), 16, {ComponentType::u32, 4}}).ok());
  ASSERT_TRUE(launch.set_count(kRows).ok());
  std::vector<std::byte> bytes;
  LaunchRecorder recorder(append, &bytes);
  const Engine engine;
  const auto report = recorder.run(engine, launch);
  ASSERT_TRUE(report.ok()) << to_string(report.error());
  ASSERT_TRUE(recorder.finish().ok());
  const auto capture = Capture::load(bytes, "rows.wjcap");
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  auto session = DebugSession::open(*capture);
  ASSERT_TRUE(session.ok());
  for (std::uint32_t row = 0; row < kRows; ++row) {
    const Status gone = session->go(place(("vertex " + std::to_string(row)).c_str()));
    ASSERT_TRUE(gone.ok()) << to_string(gone.error());
    EXPECT_EQ(session->difference(), "");
    EXPECT_EQ(session->lane(), row % 4);
    ASSERT_TRUE(session->go_to(session->steps()).ok());
    EXPECT_EQ(*session->value(*session->find("$r0"), session->lane()), 1000 + row);
  }
  EXPECT_FALSE(session->go(place("vertex 71")).ok());
}

// A trace has 64 MiB at most: what lies before its first step, an origin does not see, and says so.
TEST(DebugSession, OriginsBeforeATraceAreMore) {
  const std::filesystem::path folder = own_folder("warpjit-long");
  std::ofstream(folder / "long.valhall")
      << ".stage compute\n  IADD_IMM.i32 r5, r60, #0x7\n  IADD_IMM.i32 r2, 0x0, #0x0\nloop:\n"
         "  IADD.u32 r3, r3, r60\n  IADD.u32 r4, r4, r3\n  IADD_IMM.i32 r2, r2, #0x1\n"
         "  ICMP_OR.u32.lt.m1 r7, r2, u2, 0x0\n  BRANCHZ.reconverge r7.h0, offset:loop\n"
         "  SHADDX.u64 r10, u0, r60.w0, shift:0x2\n"
         "  IADD.u32 r4, r4, r5\n  STORE.i32.slot0.end @r4, r10, offset:0\n";
  std::ofstream(folder / "long.json")
      << R"({"warpjit": 1, "isa": "valhall", "stage": "compute", "program": {"file": "long.valhall"}, "grid": [1],
             "block": [16], "params": ["0x10000", 0, 400000],
             "memory": [{"space": "mem", "address": "0x10000", "size": 64}],
             "outputs": [{"space": "mem", "address": "0x10000", "format": "u32", "count": 4}]})";
  const auto capture = tool::load_any_capture((folder / "long.json").string());
  ASSERT_TRUE(capture.ok()) << to_string(capture.error());
  auto session = DebugSession::open(*capture);
  ASSERT_TRUE(session.ok());
  const Status gone = session->go(place("thread 3"));
  ASSERT_TRUE(gone.ok()) << to_string(gone.error());
  ASSERT_EQ(session->steps(), 2000005u);
  // All of it does not fit, but each step can be looked at.
  const auto origin = [&](const char* reg, std::uint64_t step) {
    const auto found = session->origin(*session->find(reg), 3, step);
    EXPECT_TRUE(found.ok());
    return found->nodes;
  };
  const auto of_start = origin("r5", 2);
  EXPECT_EQ(of_start[0].from, DebugOrigin::From::computed);
  EXPECT_EQ(of_start[0].step, 0u);
  const auto of_end = origin("r5", session->steps());
  ASSERT_EQ(of_end.size(), 1u);
  EXPECT_EQ(of_end[0].from, DebugOrigin::From::more);
  EXPECT_EQ(of_end[0].value, 10u);
  EXPECT_EQ(origin("r5", 2)[0].from, DebugOrigin::From::computed);
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
