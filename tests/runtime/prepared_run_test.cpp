// Runs whose look-ups were made once agree with plain ones, whatever changes between them.
#include <gtest/gtest.h>

#include "runtime/shaders.h"

namespace warpjit::test {
namespace {

Program program() {
  return assemble(
      ".fvec tint\n.bool twice\n.out outpos position\n.proc main\n"
      "mul r0, tint, v0\nifu twice\nadd r0, r0, r0\n.end\nadd outpos, v1, r0\nend\n.end\n");
}

struct Rows {
  std::vector<float> in, other, out;
  Launch launch{program()};
  explicit Rows(std::size_t count) : in(4 * count), other(4 * count), out(4 * count + 4, -1.0f) {
    for (std::size_t n = 0; n < in.size(); ++n) {
      in[n] = static_cast<float>(n) * 0.5f - 3;
      other[n] = static_cast<float>(n) + 0.25f;
    }
    EXPECT_TRUE(launch.set_uniform("tint", std::array{1.0f, 2.0f, 3.0f, 4.0f}));
    EXPECT_TRUE(launch.bind_input("v0", {in.data(), in.size() * 4, 16, f32x4}));
    EXPECT_TRUE(launch.bind_input("v1", {other.data(), other.size() * 4, 16, f32x4}));
    EXPECT_TRUE(launch.bind_output("o0", {out.data(), 16 * count, 16, f32x4}));
    EXPECT_TRUE(launch.set_count(count));
  }
  // What a plain run of the guest interpreter gives.
  std::vector<float> expected(const Engine& engine) {
    std::fill(out.begin(), out.end(), -1.0f);
    RunOptions guest;
    guest.engine = EngineKind::guest;
    EXPECT_TRUE(engine.run(launch, guest));
    const std::vector<float> result = out;
    std::fill(out.begin(), out.end(), -1.0f);
    return result;
  }
};

TEST(PreparedRun, GivesWhatAPlainRunGives) {
  const Engine engine;
  for (const std::size_t count : {1u, 2u, 7u, 16u, 33u, 64u, 100u}) {
    Rows rows(count);
    for (const Way& way : all_ways(engine)) {
      const std::vector<float> expected = rows.expected(engine);
      auto prepared = engine.prepare(rows.launch, with_hooks(engine, way.options));
      ASSERT_TRUE(prepared) << to_string(prepared.error());
      for (int again = 0; again < 2; ++again) {
        std::fill(rows.out.begin(), rows.out.end(), -1.0f);
        ASSERT_TRUE(prepared->run());
        EXPECT_EQ(rows.out, expected) << way.name << " " << count;
      }
    }
  }
}

TEST(PreparedRun, SeesWhatChanged) {
  const Engine engine;
  Rows rows(1);
  auto prepared = engine.prepare(rows.launch);
  ASSERT_TRUE(prepared);
  const auto check = [&](const char* what) {
    const std::vector<float> expected = rows.expected(engine);
    ASSERT_TRUE(prepared->run()) << what;
    EXPECT_EQ(rows.out, expected) << what;
  };
  check("first");
  rows.in[0] = 77;
  check("memory");
  ASSERT_TRUE(rows.launch.set_uniform("tint", std::array{5.0f, 6.0f, 7.0f, 8.0f}));
  check("a uniform");
  ASSERT_TRUE(rows.launch.set_bool("twice", true));
  check("a boolean");
  ASSERT_TRUE(rows.launch.bind_input("v1", {rows.in.data(), 16, 16, f32x4}));
  check("a binding");
  rows.launch.unbind_inputs();
  check("no inputs");
  std::array<std::int16_t, 2> shorts{-3, 9};
  ASSERT_TRUE(rows.launch.bind_input("v0", {shorts.data(), 4, 4, {ComponentType::s16, 2}}));
  check("a format");
  EXPECT_TRUE(rows.launch.set_count(0));
  EXPECT_TRUE(prepared->run());
  const PreparedRun moved = std::move(*prepared);
}

TEST(PreparedRun, ErrorsAreThoseOfARun) {
  const Engine engine;
  Rows rows(4);
  auto prepared = engine.prepare(rows.launch);
  ASSERT_TRUE(prepared);
  EXPECT_TRUE(rows.launch.set_count(5));  // more than the rows
  const Status status = prepared->run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::bad_input);
  EXPECT_FALSE(engine.prepare(rows.launch));
  EXPECT_TRUE(rows.launch.set_count(4));
  EXPECT_TRUE(prepared->run());
  std::atomic<std::uint32_t> cancel{0};
  RunOptions options;
  options.cancel = &cancel;
  auto stopped = engine.prepare(rows.launch, options);
  ASSERT_TRUE(stopped);
  EXPECT_TRUE(stopped->run());
  cancel = 1;
  EXPECT_EQ(stopped->run().error().code, ErrorCode::cancelled);
  options.cancel = nullptr;
  options.fuel = 3;
  const Launch many_turns = [] {
    Launch launch(
        assemble(".ivec turns\n.out outpos position\n.proc main\nfor turns\nadd r0, v0, r0\n.end\n"
                 "mov outpos, r0\nend\n.end\n"));
    EXPECT_TRUE(launch.set_int("turns", std::array<std::uint32_t, 4>{200, 0, 1, 0}));
    EXPECT_TRUE(launch.set_count(1));
    return launch;
  }();
  auto short_of_fuel = engine.prepare(many_turns, options);
  ASSERT_TRUE(short_of_fuel) << to_string(short_of_fuel.error());
  const Status out_of_fuel = short_of_fuel->run();
  ASSERT_FALSE(out_of_fuel);
  EXPECT_EQ(out_of_fuel.error().code, ErrorCode::out_of_fuel);
}

TEST(PreparedRun, OnlyRowsCanBePrepared) {
  const Engine engine;
  const auto words = std::array<std::uint32_t, 1>{0x22u << 26};
  const auto geometry = pica200::load_words({words, {}, 0, Stage::geometry, "geometry"});
  ASSERT_TRUE(geometry);
  const auto prepared = engine.prepare(Launch(*geometry));
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, ErrorCode::unsupported);
}

}  // namespace
}  // namespace warpjit::test
