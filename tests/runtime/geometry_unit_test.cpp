// The state of the geometry unit from run to run: what a run finds in it and leaves there, in every engine
// and target. Expected values are worked out by hand from docs/guests/pica200.md 10.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "runtime/geometry_launch.h"
#include "support/share.h"

namespace warpjit::test {
namespace {

using pica200::GeometryUnit;

bool same(const GeometryUnit& a, const GeometryUnit& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

float number(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// What programs leave in the unit differs in these ways.
struct Body {
  // True if invocations must run one after another, without a unit and with one.
  bool ordered, ordered_with_unit;
  std::string code;
};
const std::map<std::string, Body> kBodies = {
    {"everything is written first", {false, false, R"(
  setemit 0
  mov result, value
  emit
  setemit 1
  add result, value, value
  emit
  setemit 2, prim inv
  mul result, value, value
  emit
  end
)"}},
    {"an accumulator", {true, true, R"(
  add r0, r0, value
  mov result, r0
  setemit 1, prim
  emit
  end
)"}},
    {"a flag from the invocation before", {true, true, R"(
  ifc cmp.x
    setemit 2, prim inv
    nop
  .else
    setemit 1, prim
    nop
  .end
  mov result, value
  emit
  cmp k.xy, lt, gt, value.xx
  mova a0.xy, value
  end
)"}},
    {"b15", {false, false, R"(
  ifu b15
    nop
    nop
  .else
    mov r5, value
    mov r6, value
  .end
  mov result, r5
  setemit 0, prim
  emit
  end
)"}},
    {"an output that some invocations write", {true, true, R"(
  cmp k.xx, gt, gt, value.xx
  ifc cmp.x
    mov result.yz, value
    emit
  .end
  mov result.x, value
  setemit 0, prim
  emit
  end
)"}},
    {"an output that is not enabled", {false, false, R"(
  setemit 2
  mov hidden, value
  emit
  mov hidden.x, k
  setemit 2, prim
  mov result, value
  emit
  emit
  end
)"}},
    {"a loop", {true, true, R"(
  for i0
    add r1.x, r1, value
    mov result, r1
    setemit 2, prim
    emit
  .end
  end
)"}},
    {"an output written once, an even number of EMITs", {false, false, R"(
  mov shown, value
  setemit 0
  mov result, value
  emit
  setemit 1
  mov result, k
  emit
  setemit 2, prim
  mov result, -value
  emit
  mov result, value
  setemit 0, prim inv
  emit
  end
)"}},
    {"an output written once, an odd number of EMITs", {false, false, R"(
  mov shown.xy, value
  setemit 0
  mov result, value
  emit
  setemit 1
  mov result, k
  emit
  setemit 2, prim
  mov result, -value
  emit
  end
)"}},
    {"a register from the invocation before", {false, false, R"(
  setemit 0, prim
  add result, r0, value
  mov r0, value
  emit
  mov result.x, r0
  emit
  end
)"}},
    {"a register from two invocations before", {false, true, R"(
  setemit 0, prim
  add r2, r1, value
  mov r1, r0
  mov r0, value
  mov result, r2
  emit
  end
)"}},
    {"a register from three invocations before", {true, true, R"(
  setemit 0, prim
  mov result, r2
  mov r2, r1
  mov r1, r0
  mov r0, value
  emit
  end
)"}},
    {"a register that nothing reads and some invocations write", {false, false, R"(
  cmp k.xx, gt, gt, value.xx
  ifc cmp.x
    mov r7.x, value
    nop
  .end
  setemit 0, prim
  mov result, value
  emit
  end
)"}},
    {"what is kept for b15, an odd number of EMITs", {false, false, R"(
  ifu b15
    nop
    nop
  .else
    mov r5, value
    mov shown, k
  .end
  add result, r5, value
  setemit 1, prim
  emit
  end
)"}},
    {"triangles of some invocations", {true, true, R"(
  cmp k.xx, gt, gt, value.xx
  ifc cmp.x
    mov result, value
    setemit 1, prim
    emit
  .end
  mov result, k
  setemit 0, prim
  emit
  end
)"}},
    {"things that some invocations write", {false, false, R"(
  mov r0, value
  mov shown, value
  cmp k.xx, gt, gt, value.xx
  ifc cmp.x
    mov r7.x, value
    ifu b3
      mov r8, value
      mova a0.x, value
    .else
      mov r9.xz, r0
      nop
    .end
    cmp k.yz, gt, lt, value.xx
    nop
  .else
    mov hidden.y, value
    nop
  .end
  setemit 1, prim
  mov result, value
  emit
  mov shown.x, r0
  emit
  mov result, r0
  setemit 0, prim inv
  emit
  end
)"}},
    {"things that only early invocations write, and a history", {false, false, R"(
  add result, r0, value
  mov shown, value
  mov r0, value
  cmp k.yy, gt, gt, value.xx
  ifc cmp.x
    mov r7, value
    mov hidden, value
  .end
  setemit 1, prim
  emit
  end
)"}},
};

Program program(const std::string& body) {
  return geometry(
      ".alias flag b15\n.constf k(6.0, 2.0, 3.0, 4.0)\n.in value v0\n.out result position\n.out hidden "
      "color\n.out shown texcoord0\n"
      ".proc main\n" +
      body + ".end\n");
}

// Invocations.
constexpr std::uint64_t kCounts[] = {1, 2, 3, 4, 17, share(100), share(1000)};

// A mask of outputs: `result` and `shown`.
constexpr std::uint64_t kEnabled = 5;

TEST(GeometryUnit, EnginesAgreeWithoutAUnit) {
  std::uint64_t launches = 0;
  for (const std::uint64_t count : kCounts)
    for (const auto& [what, body] : kBodies) {
      if (!in_share(launches++)) continue;
      GeometryLaunch launch(program(body.code), kEnabled, 8);
      ASSERT_TRUE(launch.launch.set_int("i0", std::array<std::uint32_t, 4>{2, 5, 1, 0}));
      const std::vector<Row> rows = numbers(count);
      launch.inputs("v0", rows);
      SCOPED_TRACE(what + ", " + std::to_string(count));
      EXPECT_FALSE(launch.everywhere(body.ordered).inverted.empty());
    }
}

// Also where the first invocations, or the last ones, run a second time for what they leave in the unit.
TEST(GeometryUnit, RegistersAtTheEndOfInvocationsAgree) {
  EngineOptions with_pool;
  with_pool.executor = make_thread_pool(3);
  const Engine engine(with_pool);
  for (const std::uint64_t count : kCounts)
    for (const auto& [what, body] : kBodies) {
      const std::vector<Row> rows = numbers(count);
      std::vector<Row> reference;
      for (const Way& way : all_ways(engine)) {
        SCOPED_TRACE(what + ", " + way.name + ", " + std::to_string(count));
        GeometryLaunch launch(program(body.code), kEnabled, 8);
        ASSERT_TRUE(launch.launch.set_int("i0", std::array<std::uint32_t, 4>{2, 5, 1, 0}));
        launch.inputs("v0", rows);
        GeometryUnit unit;
        ASSERT_TRUE(launch.launch.bind_unit(unit.words()));
        std::vector<Row> ends(count, row(-3));
        ASSERT_TRUE(launch.launch.bind_output("r0", {ends.data(), count * 16, 16, f32x4}));
        const auto emitted = launch.run(engine, way.options);
        ASSERT_TRUE(emitted) << to_string(emitted.error());
        if (reference.empty()) reference = ends;
        EXPECT_EQ(std::memcmp(ends.data(), reference.data(), count * 16), 0);
      }
    }
}

TEST(GeometryUnit, ARunGoesOnWhereTheOneBeforeEnded) {
  EngineOptions with_pool;
  with_pool.executor = make_thread_pool(3);
  const Engine engine(with_pool);
  const std::vector<Row> rows = numbers(1000);
  const std::vector<std::vector<std::size_t>> sequences = {{1000}, {1, 999}, {3, 0, 1, 64, 932}, {500, 500}};
  std::uint64_t bodies = 0;
  for (const auto& [what, body] : kBodies) {
    if (!in_share(bodies++)) continue;
    GeometryUnit reference;
    Emitted whole;
    bool first = true;
    for (const Way& way : all_ways(engine))
      for (const std::vector<std::size_t>& parts : sequences) {
        SCOPED_TRACE(what + ", " + way.name + ", " + std::to_string(parts.size()) + " runs");
        GeometryLaunch launch(program(body.code), kEnabled, 8, 8192);
        ASSERT_TRUE(launch.launch.set_int("i0", std::array<std::uint32_t, 4>{2, 5, 1, 0}));
        ASSERT_TRUE(launch.launch.set_bool("b3", true));
        GeometryUnit unit;
        for (unsigned n = 0; n < 16; ++n)
          unit.r[n][3] = std::bit_cast<std::uint32_t>(100.0f + static_cast<float>(n));
        ASSERT_TRUE(launch.launch.bind_unit(unit.words()));
        RunOptions options = way.options;
        options.threads = parts.size() == 2 ? 3 : 1;
        Emitted all;
        std::size_t at = 0;
        for (const std::size_t part : parts) {
          ASSERT_TRUE(launch.launch.bind_input("v0", {rows.data() + at, part * 16, 16, f32x4}));
          EXPECT_TRUE(launch.launch.set_count(part));
          const auto emitted = launch.run(engine, options);
          ASSERT_TRUE(emitted) << to_string(emitted.error());
          if (options.engine != EngineKind::guest && part != 0) {
            EXPECT_EQ(emitted->ordered, body.ordered_with_unit);
          }
          all.rows.insert(all.rows.end(), emitted->rows.begin(), emitted->rows.end());
          all.inverted.insert(all.inverted.end(), emitted->inverted.begin(), emitted->inverted.end());
          at += part;
        }
        if (first) whole = all, reference = unit;
        first = false;
        EXPECT_TRUE(all == whole);
        EXPECT_TRUE(same(unit, reference));
      }
    EXPECT_FALSE(whole.inverted.empty()) << what;
  }
}

// Two runs of two invocations each, all four values by hand.
TEST(GeometryUnit, KeepsRegistersFlagsBanksAndVertices) {
  const Engine engine;
  for (const Way& way : all_ways(engine)) {
    GeometryLaunch launch(program(R"(
  add r0.x, r0, value
  cmp k.xx, lt, gt, value.xx
  mova a0.x, value
  mov result.x, value
  setemit 1, prim inv
  emit
  end
)"),
                          1, 1);
    GeometryUnit unit;
    ASSERT_TRUE(launch.launch.bind_unit(unit.words()));
    const std::vector<Row> first = {row(2), row(3)}, second = {row(5), row(8)};
    launch.inputs("v0", first);
    ASSERT_TRUE(launch.run(engine, way.options));
    EXPECT_EQ(number(unit.r[0][0]), 5) << way.name;
    EXPECT_EQ(unit.cmp, 2u) << way.name;
    launch.inputs("v0", second);
    const auto emitted = launch.run(engine, way.options);
    ASSERT_TRUE(emitted) << way.name;
    EXPECT_EQ(emitted->rows[1], (Row{5, 0, 0, 0})) << way.name;
    EXPECT_EQ(number(unit.r[0][0]), 18) << way.name;
    EXPECT_EQ(unit.a0[0], 8) << way.name;
    EXPECT_EQ(unit.a0[1], 0) << way.name;
    EXPECT_EQ(unit.cmp, 1u) << way.name;
    EXPECT_EQ(unit.vertex, 1u) << way.name;
    EXPECT_EQ(unit.flags, GeometryUnit::kPrimitive | GeometryUnit::kWinding | GeometryUnit::kHasRun)
        << way.name;
    EXPECT_EQ(number(unit.outputs[0][0][0]), 5) << way.name;  // the last EMIT made this bank current
    EXPECT_EQ(number(unit.outputs[1][0][0]), 8) << way.name;
    EXPECT_EQ(number(unit.vertices[1][0][0]), 8) << way.name;
    EXPECT_EQ(unit.vertices[0][0][0], 0u) << way.name;
  }
}

TEST(GeometryUnit, B15FollowsTheUnitAndTheLaunch) {
  const Engine engine;
  for (const Way& way : all_ways(engine))
    for (const bool preset : {false, true})
      for (const bool has_run : {false, true}) {
        GeometryLaunch launch(program(R"(
  mov result, k.yyyy
  ifu b15
    mov result, k.zzzz
    nop
  .end
  setemit 0, prim
  emit
  end
)"),
                              1, 1);
        ASSERT_TRUE(launch.launch.set_bool("b15", preset));
        GeometryUnit unit;
        unit.flags = has_run ? GeometryUnit::kHasRun : 0;
        ASSERT_TRUE(launch.launch.bind_unit(unit.words()));
        const std::vector<Row> rows = numbers(3);
        launch.inputs("v0", rows);
        const auto emitted = launch.run(engine, way.options);
        ASSERT_TRUE(emitted) << way.name;
        EXPECT_EQ(emitted->rows[0], row(preset || has_run ? 3 : 2)) << way.name;
        EXPECT_EQ(emitted->rows[3], row(3)) << way.name;
      }
}

// Words that no unit holds: the same in every engine, and gone afterwards.
TEST(GeometryUnit, DropsWhatFieldsCannotHold) {
  const Engine engine;
  for (const auto& [what, body] : kBodies) {
    GeometryUnit reference;
    bool first = true;
    for (const Way& way : all_ways(engine)) {
      GeometryLaunch launch(program(body.code), kEnabled, 8);
      ASSERT_TRUE(launch.launch.set_int("i0", std::array<std::uint32_t, 4>{2, 5, 1, 0}));
      GeometryUnit unit;
      std::memset(static_cast<void*>(&unit), 0xff, sizeof unit);
      ASSERT_TRUE(launch.launch.bind_unit(unit.words()));
      const std::vector<Row> rows = numbers(5);
      launch.inputs("v0", rows);
      ASSERT_TRUE(launch.run(engine, way.options)) << what << ", " << way.name;
      if (first) reference = unit;
      first = false;
      EXPECT_TRUE(same(unit, reference)) << what << ", " << way.name;
    }
    EXPECT_LE(reference.cmp, 3u);
    EXPECT_LE(reference.vertex, 3u);
    EXPECT_LE(reference.flags, 7u);
    EXPECT_EQ(reference.unused[0], 0u);
    EXPECT_EQ(reference.r[15][0], 0x7fc00000u) << what;
  }
}

TEST(GeometryUnit, StaysAsItWasIfARunFailsOrIsEmpty) {
  const Engine engine;
  for (const Way& way : all_ways(engine)) {
    GeometryLaunch launch(program(kBodies.at("a loop").code), 1, 1);
    GeometryUnit unit, before;
    unit.r[1][0] = before.r[1][0] = std::bit_cast<std::uint32_t>(4.0f);
    ASSERT_TRUE(launch.launch.bind_unit(unit.words()));
    const std::vector<Row> rows = numbers(70);
    launch.inputs("v0", rows);
    // Too many triangles, then too many backward transfers, in every invocation; then a cancelled run.
    ASSERT_TRUE(launch.launch.set_int("i0", std::array<std::uint32_t, 4>{2, 0, 1, 0}));
    EXPECT_EQ(launch.run(engine, way.options).error().code, ErrorCode::resource_limit) << way.name;
    EXPECT_TRUE(same(unit, before)) << way.name;
    RunOptions options = way.options;
    options.fuel = 0;
    EXPECT_EQ(launch.run(engine, options).error().code, ErrorCode::out_of_fuel) << way.name;
    EXPECT_TRUE(same(unit, before)) << way.name;
    options = way.options;
    const std::atomic<std::uint32_t> cancel{1};
    options.cancel = &cancel;
    EXPECT_EQ(launch.run(engine, options).error().code, ErrorCode::cancelled) << way.name;
    EXPECT_TRUE(same(unit, before)) << way.name;
    EXPECT_TRUE(launch.launch.set_count(0));
    EXPECT_TRUE(launch.run(engine, way.options)) << way.name;
    EXPECT_TRUE(same(unit, before)) << way.name;
  }
}

TEST(GeometryUnit, StaysAsItWasIfOneInvocationFails) {
  const Engine engine;
  std::vector<Row> rows(500, row(0));
  rows[300] = row(6);
  for (const char* also : {"", "add r3, r3, value"})
    for (const Way& way : all_ways(engine)) {
      GeometryLaunch launch(program("mov r0, value\n" + std::string(also) + R"(
  mov result, r0
  setemit 0, prim
  emit
  mov result, r0
  cmp k.xx, eq, eq, value.xx
  ifc cmp.x
    emit
    nop
  .end
  end
)"),
                            1, 1);
      GeometryUnit unit, before;
      unit.vertices[2][0][1] = before.vertices[2][0][1] = 7;
      ASSERT_TRUE(launch.launch.bind_unit(unit.words()));
      launch.inputs("v0", rows);
      const auto emitted = launch.run(engine, way.options);
      ASSERT_FALSE(emitted) << way.name;
      EXPECT_NE(emitted.error().message.find("invocation 300 emits 2 triangles"), std::string::npos)
          << to_string(emitted.error());
      EXPECT_TRUE(same(unit, before)) << way.name;
    }
}

// EMIT fills the unit's vertices, even if nobody takes the triangles.
TEST(GeometryUnit, NeedsNoTriangles) {
  const Engine engine;
  for (const Way& way : all_ways(engine)) {
    GeometryLaunch launch(program(kBodies.at("everything is written first").code), 1, 1);
    ASSERT_TRUE(launch.launch.bind_triangles({}));
    GeometryUnit unit;
    ASSERT_TRUE(launch.launch.bind_unit(unit.words()));
    const std::vector<Row> rows = numbers(5);
    launch.inputs("v0", rows);
    ASSERT_TRUE(engine.run(launch.launch, way.options)) << way.name;
    EXPECT_EQ(number(unit.vertices[2][0][3]), 16) << way.name;
  }
}

TEST(GeometryUnit, MustHaveItsSize) {
  Launch launch(program(kBodies.at("b15").code));
  EXPECT_EQ(launch.program().unit_words(), GeometryUnit().words().size());
  std::vector<std::uint32_t> words(sizeof(GeometryUnit) / 4 + 1);
  for (const std::size_t size : {words.size(), words.size() - 2, std::size_t{1}}) {
    const Status status = launch.bind_unit(std::span(words).first(size));
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::bad_input);
    EXPECT_NE(status.error().message.find("geometry unit has 392 words"), std::string::npos)
        << to_string(status.error());
  }
  EXPECT_TRUE(launch.bind_unit({}));
  Launch vertex(assemble(".out a position\n.proc main\n end\n.end\n"));
  EXPECT_EQ(vertex.program().unit_words(), 0u);
  EXPECT_FALSE(vertex.bind_unit(std::span(words).first(392)));
}

}  // namespace
}  // namespace warpjit::test
