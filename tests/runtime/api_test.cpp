// Names, values and bindings: what the public calls accept and refuse.
#include <gtest/gtest.h>

#include "runtime/shaders.h"

namespace warpjit::test {
namespace {

Program named() {
  return assemble(
      ".fvec projection[4], tint\n.bool fog\n.ivec turns\n.in inpos\n.in innrm\n.out outpos position\n.out "
      "outclr color\n"
      ".proc main\nmul outpos, projection[0], inpos\nmul outclr, tint, innrm\nend\n.end\n");
}

TEST(Names, EnumerationsRoundTrip) {
  EXPECT_EQ(parse_isa(name(Isa::pica200)), Isa::pica200);
  for (const EngineKind kind : {EngineKind::jit, EngineKind::ir, EngineKind::guest})
    EXPECT_EQ(parse_engine(name(kind)), kind);
  for (const Target target : {Target::automatic, Target::v3, Target::v4, Target::a64})
    EXPECT_EQ(parse_target(name(target)), target);
  EXPECT_FALSE(parse_engine("JIT"));
  EXPECT_EQ(version().major, 0u);
}

TEST(Names, RegistersAndSymbols) {
  const Program program = named();
  ASSERT_EQ(program.inputs().size(), 2u);
  EXPECT_EQ(program.inputs()[0].name, "inpos");
  EXPECT_EQ(program.inputs()[0].reg, "v0");
  EXPECT_EQ(program.uniform("projection")->count, 4u);
  EXPECT_EQ(program.uniform("c95")->count, 1u);
  EXPECT_EQ(program.uniform("c0")->count, 96u);
  EXPECT_EQ(program.uniform("fog")->kind, LocationKind::bool_uniform);
  EXPECT_EQ(program.uniform("turns")->kind, LocationKind::int_uniform);
  EXPECT_EQ(program.output("position")->first, program.output("o0")->first);
  for (const char* reg : {"o15", "r15", "a0", "aL", "cmp"}) EXPECT_TRUE(program.output(reg)) << reg;
  for (const char* reg : {"r0", "a0", "aL", "cmp"}) EXPECT_TRUE(program.state(reg)) << reg;
  for (const char* bad : {"c96", "c", "c01", "c-1", "i4", "b16", "v0", "nothing", "", "c1x"})
    EXPECT_FALSE(program.uniform(bad)) << bad;
  for (const char* bad : {"v16", "o0", "projection"}) EXPECT_FALSE(program.input(bad)) << bad;
  for (const char* bad : {"o16", "r16", "a1", "c0", "inpos"}) EXPECT_FALSE(program.output(bad)) << bad;
  EXPECT_FALSE(program.state("o0"));
}

TEST(Values, WrongValuesAreRefused) {
  Launch launch(named());
  const std::array<float, 20> many{};
  EXPECT_TRUE(launch.set_uniform("projection", std::span(many).first(16)));
  EXPECT_FALSE(launch.set_uniform("projection", std::span(many).first(17)));
  EXPECT_FALSE(launch.set_uniform("c95", std::span(many).first(5)));
  EXPECT_TRUE(launch.set_uniform("c95", std::span(many).first(4)));
  EXPECT_FALSE(launch.set_uniform("fog", many));
  EXPECT_FALSE(launch.set_uniform("turns", many));
  EXPECT_FALSE(launch.set_bool("projection", true));
  EXPECT_TRUE(launch.set_bool("fog", true));
  EXPECT_FALSE(launch.set_int("turns", std::array<std::uint32_t, 4>{1, 2, 256, 0}));
  EXPECT_TRUE(launch.set_int("turns", std::array<std::uint32_t, 4>{1, 2, 255, 0}));
  EXPECT_FALSE(launch.set_state("cmp", std::array<std::uint32_t, 2>{1, 2}));
  EXPECT_FALSE(launch.set_state("aL", std::array<std::uint32_t, 2>{1, 2}));
  const Status status = launch.set_uniform("no such", many);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::bad_input);
}

TEST(Bindings, WrongBindingsAreRefused) {
  const Engine engine;
  Launch launch(named());
  std::vector<float> in(64), out(64);
  EXPECT_FALSE(launch.bind_input("inpos", {in.data(), 256, 16, {ComponentType::u32, 4}}));
  EXPECT_FALSE(launch.bind_input("inpos", {in.data(), 256, 16, {ComponentType::f32, 5}}));
  EXPECT_FALSE(launch.bind_output("outpos", {out.data(), 256, 16, {ComponentType::u8, 4}}));
  ASSERT_TRUE(launch.bind_input("inpos", {in.data(), 256, 16, f32x4}));
  ASSERT_TRUE(launch.bind_output("outpos", {out.data(), 256, 16, f32x4}));
  EXPECT_TRUE(launch.set_count(16));
  const auto expect_failure = [&](const char* where) {
    const auto report = engine.run(launch);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::bad_input);
    EXPECT_EQ(report.error().where, where) << report.error().message;
  };
  expect_failure("input v1");  // declared, not bound
  ASSERT_TRUE(launch.bind_input("innrm", {in.data(), 256, 16, f32x4}));
  ASSERT_TRUE(engine.run(launch));
  EXPECT_TRUE(launch.set_count(17));
  expect_failure("input v0");
  EXPECT_TRUE(launch.set_count(16));
  ASSERT_TRUE(launch.bind_input("innrm", {nullptr, 256, 16, f32x4}));
  expect_failure("input v1");
  ASSERT_TRUE(launch.bind_input("innrm", {in.data(), 256, 16, f32x4}));
  ASSERT_TRUE(launch.bind_output("outclr", {out.data() + 2, 248, 16, f32x2}));
  expect_failure("output o1");
  launch.unbind_outputs();
  ASSERT_TRUE(launch.bind_output("outpos", {in.data(), 256, 16, f32x4}));
  expect_failure("output o0");
  EXPECT_TRUE(launch.set_allow_overlap(true));
  EXPECT_TRUE(engine.run(launch));
}

TEST(Bindings, NothingToDo) {
  const Engine engine;
  Launch launch(assemble(".out outpos position\n.proc main\nmov o0, v0\nend\n.end\n"));
  EXPECT_TRUE(engine.run(launch));  // no threads
  EXPECT_TRUE(launch.set_count(1000));
  EXPECT_TRUE(engine.run(launch));  // no bindings
}

// Bytes of no known container get an error that names those that are read.
TEST(Programs, UnknownContainers) {
  std::string elf = std::string("\x7f") + "ELF" + std::string(60, '\0');
  elf[18] = 0x3e;
  for (const std::string& text : {std::string(), std::string("hello"), std::string(64, '\0'), elf,
                                  std::string("architecture of a project"), std::string("DVL")}) {
    const auto program = warpjit::Program::load(std::as_bytes(std::span(text)), {.source_name = "some.file"});
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().code, ErrorCode::bad_input);
    EXPECT_EQ(program.error().where, "some.file");
    for (const char* kind : {"SHBIN", "cubin", "GXP"})
      EXPECT_NE(program.error().message.find(kind), std::string::npos) << program.error().message;
  }
}

TEST(Programs, HostileWordsAreErrors) {
  EXPECT_FALSE(pica200::load_words({}));
  const std::vector<std::uint32_t> end{0x88000000}, long_code(5000, 0x88000000), undefined{0x40000000};
  EXPECT_FALSE(pica200::load_words({.code = end, .entry = 1}));
  EXPECT_FALSE(pica200::load_words({.code = long_code}));
  EXPECT_FALSE(pica200::load_words({.code = end, .descriptors = long_code}));
  const Engine engine;
  const auto program = pica200::load_words({.code = undefined, .source_name = "bad.bin"});
  ASSERT_TRUE(program);
  Launch launch(*program);
  EXPECT_TRUE(launch.set_count(1));
  for (const Way& way : all_ways(engine)) {
    const auto report = engine.run(launch, way.options);
    ASSERT_FALSE(report) << way.name;
    EXPECT_EQ(report.error().code, ErrorCode::bad_input) << way.name << ' ' << to_string(report.error());
  }
}

}  // namespace
}  // namespace warpjit::test
