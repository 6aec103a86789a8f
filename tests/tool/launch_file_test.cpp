// The launch file reader: what it accepts, and the field that each error names.
#include "launch/read_launch.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>

#include "frontend/pica200/shader.h"
#include "frontend/valhall/interpret/attribute.h"
#include "guest/valhall/formats.h"
#include "launch/bound_launch.h"
#include "launch/write_launch.h"

namespace warpjit::tool {
namespace {

constexpr char kSource[] =
    ".fvec projection[4]\n.fvec tint\n.bool flag\n.ivec steps\n.in position\n.out clip position\n"
    ".proc main\n dp4 clip.x, projection[0], position\n dp4 clip.y, projection[1], position\n"
    " add clip.zw, tint, position\n end\n.end\n";

// A folder in memory.
Result<std::vector<std::byte>> file(const std::string& name) {
  const auto bytes = [](std::string_view text) {
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return std::vector<std::byte>(begin, begin + text.size());
  };
  if (name == "a.v.pica") return bytes(kSource);
  if (name == "bad.v.pica") return bytes(".proc main\n bogus o0, v0\n.end\n");
  if (name == "bad.shbin") return bytes("DVLB\xff\xff\xff\xff");
  if (name == "rows.bin") return std::vector<std::byte>(64, std::byte{1});
  if (name == "odd.bin") return std::vector<std::byte>(7);
  if (name == "code.bin") {
    constexpr unsigned char kBytes[] = {0, 0, 0, 0x4c, 0, 0, 0, 0x88};
    return bytes({reinterpret_cast<const char*>(kBytes), sizeof kBytes});
  }
  return Error{ErrorCode::io, "no such file", name};
}

constexpr char kWords[] =
    R"("warpjit":1,"isa":"pica200","stage":"vertex","program":{"words":["0x4c201000","0x88000000"],"descriptors":["0x6c36f"]})";

Result<LaunchFile> parse(const std::string& text) { return parse_launch(text, "t.json", file); }
// A launch of raw words with more keys.
Result<LaunchFile> words(const std::string& rest) {
  return parse("{" + std::string(kWords) + "," + rest + "}");
}
// A launch of the source above with these members of "uniforms" and "inputs".
Result<LaunchFile> named(const std::string& uniforms, const std::string& inputs,
                         const std::string& rest = "") {
  return parse(
      R"({"warpjit":1,"isa":"pica200","stage":"vertex","program":{"file":"a.v.pica"},"count":2,"uniforms":{)" +
      uniforms + R"(},"inputs":{)" + inputs + R"(},"outputs":{"o0":{}})" + rest + "}");
}
constexpr char kAll[] = R"("projection":[[1,0,0,0],[0,1,0,0]],"tint":[1],"flag":true,"steps":[3,0,1])";
constexpr char kPosition[] = R"("position":{"format":"f32x3","data":[1,2,3,4,5,6]})";

const pica200::Program& program_of(const LaunchFile& launch) {
  return dynamic_cast<const pica200::Shader&>(*launch.program).program();
}
// What a launch gives to a register, as floats; empty: nothing.
std::vector<float> floats_of(const LaunchFile& launch, const std::vector<LaunchValue>& values,
                             const std::string& reg) {
  std::vector<float> floats;
  for (const LaunchValue& value : values)
    if (launch.program->register_name(value.location) == reg)
      for (const std::uint32_t word : value.words) floats.push_back(std::bit_cast<float>(word));
  return floats;
}
std::vector<std::uint32_t> words_of(const LaunchFile& launch, const std::vector<LaunchValue>& values,
                                    const std::string& reg) {
  for (const LaunchValue& value : values)
    if (launch.program->register_name(value.location) == reg) return value.words;
  return {};
}
// The register that a declared name begins with.
std::string register_of(const LaunchFile& launch, const std::string& name, unsigned further = 0) {
  auto location = launch.program->find(LocationKind::uniform, name);
  if (!location) return {};
  location->first = static_cast<std::uint16_t>(location->first + further);
  return launch.program->register_name(*location);
}

void expect_error(const Result<LaunchFile>& result, const std::string& where, const std::string& message,
                  ErrorCode code = ErrorCode::bad_input) {
  ASSERT_FALSE(result) << "expected an error at " << where << ": " << message;
  EXPECT_EQ(result.error().where, where.empty() ? "t.json" : "t.json, " + where) << result.error().message;
  EXPECT_NE(result.error().message.find(message), std::string::npos) << result.error().message;
  EXPECT_EQ(result.error().code, code) << result.error().message;
}

TEST(LaunchFileTest, ReadsWordsAndFormats) {
  const auto launch = words(R"("count":2,"inputs":{"v0":{"format":"u8x4","data":[1,2,255,"0xff",5,6,7,8]},
    "v3":{"format":"s16","data":[-2,"0x8000"]},"v4":{"format":"f32x2","file":"rows.bin","offset":8,"stride":20}},
    "outputs":{"o0":{"format":"f32x3"},"a0":{},"cmp":{"format":"u32x2"},"r15":{}})");
  ASSERT_TRUE(launch) << to_string(launch.error());
  EXPECT_EQ(launch->count, 2u);
  EXPECT_EQ(program_of(*launch).code, (std::vector<std::uint32_t>{0x4c201000, 0x88000000}));
  EXPECT_EQ(program_of(*launch).descriptors, std::vector<std::uint32_t>{0x6c36f});
  ASSERT_EQ(launch->inputs.size(), 3u);
  const std::byte row[] = {std::byte{1}, std::byte{2}, std::byte{255}, std::byte{255}};
  EXPECT_TRUE(std::equal(std::begin(row), std::end(row), launch->buffers[0].bytes.begin()));
  EXPECT_EQ(launch->inputs[0].stride, 4u);
  EXPECT_EQ(launch->buffers[1].bytes[0], std::byte{0xfe});
  EXPECT_EQ(launch->buffers[1].bytes[3], std::byte{0x80});
  EXPECT_EQ(launch->inputs[2].offset, 8u);
  EXPECT_EQ(launch->inputs[2].stride, 20u);
  ASSERT_EQ(launch->outputs.size(), 4u);
  EXPECT_EQ(launch->outputs[0].format.components, 3);
  EXPECT_EQ(launch->outputs[1].format.components, 2);
}

TEST(LaunchFileTest, ReadsFilesOfWords) {
  const auto launch = parse(
      R"({"warpjit":1,"isa":"pica200","stage":"vertex","program":{"words":"code.bin","descriptors":[1]},"count":1,
      "outputs":{}})");
  ASSERT_TRUE(launch) << to_string(launch.error());
  EXPECT_EQ(program_of(*launch).code, (std::vector<std::uint32_t>{0x4c000000, 0x88000000}));
  const auto kernel = parse(
      R"({"warpjit":1,"isa":"tesla","stage":"compute","program":{"words":"code.bin","registers":9},"grid":[1],
      "block":[1]})");
  ASSERT_TRUE(kernel) << to_string(kernel.error());
  EXPECT_EQ(kernel->program->code_words(), 2u);
  EXPECT_EQ(kernel->program->resources().registers, 9u);
}

// An expectation is read in the format that it names.
TEST(LaunchFileTest, ExpectationsOfBits) {
  const auto launch =
      words(R"("count":1,"outputs":{"o0":{"format":"u32x2"}},"expect":{"o0":{"data":[1065353216,2]}})");
  ASSERT_TRUE(launch) << to_string(launch.error());
  EXPECT_EQ(launch->expectations[0].words, (std::vector<std::uint32_t>{0x3f800000, 2}));
}

TEST(LaunchFileTest, BindsNamesAndRegisters) {
  const auto launch = named(kAll, kPosition);
  ASSERT_TRUE(launch) << to_string(launch.error());
  const auto floats = [&](const std::string& reg) { return floats_of(*launch, launch->uniforms, reg); };
  const auto words = [&](const std::string& reg) { return words_of(*launch, launch->uniforms, reg); };
  EXPECT_EQ(floats(register_of(*launch, "projection")), (std::vector<float>{1, 0, 0, 0}));
  EXPECT_EQ(floats(register_of(*launch, "projection", 1)), (std::vector<float>{0, 1, 0, 0}));
  EXPECT_TRUE(floats(register_of(*launch, "projection", 2)).empty());
  EXPECT_EQ(floats(register_of(*launch, "tint")), (std::vector<float>{1, 0, 0, 1}));  // missing: 0 0 0 1
  EXPECT_EQ(words("i0"), (std::vector<std::uint32_t>{3, 0, 1, 1}));
  EXPECT_EQ(words(register_of(*launch, "flag")), std::vector<std::uint32_t>{1});
  // The output by its declared semantic.
  EXPECT_TRUE(named(kAll, kPosition, R"(,"expect":{"position":{"data":[0,0,0,0,0,0,0,0]}})"));
}

TEST(LaunchFileTest, ReadsBitPatternsAndState) {
  const auto launch = words(R"("count":1,"uniforms":{"c5":["0x7fc00001",-0.0,1e-45,2]},
    "state":{"r2":[1,2],"a0":[-1,"0xffffffff"],"aL":3,"cmp":[0,true]},"outputs":{"o0":{}})");
  ASSERT_TRUE(launch) << to_string(launch.error());
  EXPECT_EQ(words_of(*launch, launch->uniforms, "c5"),
            (std::vector<std::uint32_t>{0x7fc00001, 0x80000000, 1, 0x40000000}));
  EXPECT_EQ(floats_of(*launch, launch->state, "r2"), (std::vector<float>{1, 2, 0, 1}));
  EXPECT_EQ(words_of(*launch, launch->state, "a0"), (std::vector<std::uint32_t>{0xffffffff, 0xffffffff}));
  EXPECT_EQ(words_of(*launch, launch->state, "aL"), std::vector<std::uint32_t>{3});
  EXPECT_EQ(words_of(*launch, launch->state, "cmp"), (std::vector<std::uint32_t>{0, 1}));
}

TEST(LaunchFileTest, ErrorsNameTheField) {
  expect_error(parse("{"), "", "not valid JSON");
  expect_error(parse("[]"), "", "must be an object");
  expect_error(parse("{}"), "", "'warpjit' is missing");
  expect_error(parse(R"({"warpjit":2})"), "warpjit", "version 2");
  expect_error(parse(R"({"warpjit":1,"isa":"x"})"), "isa", "unknown isa");
  expect_error(parse(R"({"warpjit":1,"isa":"usse","stage":"compute"})"), "stage", "only vertex and fragment",
               ErrorCode::unsupported);
  expect_error(parse(R"({"warpjit":1,"isa":"pica200","stage":"compute"})"), "stage", "only vertex",
               ErrorCode::unsupported);
  expect_error(
      parse(R"({"warpjit":1,"isa":"tesla","stage":"geometry","program":{"words":["0xf0000001","0xe0000781"],
               "graphics":{"results":[0,1,2,3],"output":3,"vertices":3}},"count":1,"outputs":{}})"),
      "program", "runs in draws");
  expect_error(parse(R"({"warpjit":1,"isa":"tesla","stage":"compute"})"), "", "'program' is missing");
  expect_error(parse(R"({"warpjit":1,"isa":"pica200","stage":"pixel"})"), "stage",
               "vertex and geometry are known");
  expect_error(parse(R"({"warpjit":1,"isa":"pica200","stage":"vertex","grid":[1,1,1]})"), "grid",
               "belongs to stage 'compute'");
  expect_error(parse(R"({"warpjit":1,"isa":"tesla","stage":"compute","inputs":{}})"), "inputs",
               "belongs to stage 'vertex' and 'geometry'");
  expect_error(parse(R"({"warpjit":1,"isa":"pica200","stage":"vertex","varyings":[]})"), "varyings",
               "not supported yet", ErrorCode::unsupported);
  expect_error(parse(R"({"warpjit":1,"warpjit":1})"), "", "appears twice");
  expect_error(parse(std::string(40, '[')), "", "nested deeper");
  expect_error(words(R"("count":1,"outputs":{},"bogus":1)"), "bogus", "unknown key");
  expect_error(words(R"("outputs":{})"), "", "'count' is missing");
  expect_error(words(R"("count":0,"outputs":{})"), "count", "out of range");
  expect_error(words(R"("count":16777217,"outputs":{})"), "count", "out of range");
  expect_error(words(R"("count":1e9,"outputs":{})"), "count", "must be an integer");
  expect_error(words(R"("count":"many","outputs":{})"), "count", "neither a number nor a bit pattern");
  expect_error(words(R"("count":1)"), "", "'outputs' is missing");
}

TEST(LaunchFileTest, ProgramErrors) {
  const auto program = [](const std::string& json) {
    return parse(R"({"warpjit":1,"isa":"pica200","stage":"vertex","count":1,"outputs":{},"program":)" + json +
                 "}");
  };
  expect_error(program("3"), "program", "must be an object");
  expect_error(program("{}"), "program", "'file' is missing");
  expect_error(program(R"({"words":[]})"), "program.words", "at least one word");
  expect_error(program(R"({"words":7})"), "program.words", "an array of words, or the name of a file");
  expect_error(program(R"({"words":"none.bin"})"), "program.words", "no such file", ErrorCode::io);
  expect_error(program(R"({"words":"odd.bin"})"), "program.words", "has 7 bytes");
  expect_error(program(R"({"words":"rows.bin","descriptors":"odd.bin"})"), "program.descriptors", "7 bytes");
  expect_error(program(R"({"words":["0x100000000"]})"), "program.words[0]", "more than 32 bits");
  expect_error(program(R"({"words":[-1]})"), "program.words[0]", "out of range");
  expect_error(program(R"({"words":[0],"entry":1})"), "program.entry", "out of range");
  expect_error(program(R"({"words":[0],"entry":"main"})"), "program.entry", "neither a number");
  expect_error(program(R"({"words":[0],"file":"x"})"), "program.file", "unknown key");
  expect_error(program(R"({"file":"none.shbin"})"), "program.file", "no such file", ErrorCode::io);
  expect_error(program(R"({"file":"rows.bin"})"), "program.file", "neither an SHBIN");
  expect_error(program(R"({"file":"bad.shbin"})"), "program.file", "bad.shbin");
  expect_error(program(R"({"file":"bad.v.pica"})"), "program.file", "bad.v.pica:2");
  expect_error(program(R"({"file":"a.v.pica","entry":"nowhere"})"), "program", "nowhere");
  expect_error(program(R"({"file":"a.v.pica","entry":4000})"), "program", "past the code");
}

TEST(LaunchFileTest, RowsOfUniforms) {
  const auto tint_and = [](const std::string& projection) {
    return named(R"("projection":)" + projection + R"(,"tint":[1],"flag":true,"steps":[3,0,1])", kPosition);
  };
  const auto three = tint_and("[[1],[2],[3]]");
  ASSERT_TRUE(three) << to_string(three.error());
  ASSERT_EQ(three->notes.size(), 1u);
  EXPECT_TRUE(
      three->notes[0].ends_with("projection has 3 rows, but projection is declared with 4; the others keep "
                                "what they have, 0 or a constant of the program"))
      << three->notes[0];
  const auto one = tint_and("[1,2,3]");
  ASSERT_TRUE(one) << to_string(one.error());
  ASSERT_EQ(one->notes.size(), 1u);
  EXPECT_NE(one->notes[0].find("has 1 row, but projection is declared with 4"), std::string::npos);
  EXPECT_TRUE(tint_and("[[1],[2],[3],[4]]")->notes.empty());
  // Registers by their own names may be any.
  EXPECT_TRUE(named(R"("c0":[[1],[2]],"tint":[1],"flag":true,"steps":[3])", kPosition)->notes.empty());
  expect_error(tint_and("[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]"), "uniforms.projection",
               "has 16 numbers, but a row has 1 to 4; 4 rows are written [[x, y, z, w], ...]");
}

// What triangles are expected to have need not be listed.
TEST(LaunchFileTest, ExpectedOutputsOfTriangles) {
  const auto launch =
      parse(R"({"warpjit":1,"isa":"pica200","stage":"geometry","program":{"words":["0x88000000"]},"count":1,)"
            R"("outputs":{"o0":{}},"expect":{"triangles":[{"o0":[[1,2,3,4],[1,2,3,4],[1,2,3,4]],)"
            R"("o3":[[1,2,3,4],[1,2,3,4],[1,2,3,4]]}]}})");
  ASSERT_TRUE(launch) << to_string(launch.error());
  EXPECT_EQ(launch->geometry.outputs, 9u);
}

TEST(LaunchFileTest, Modes) {
  const auto modes = [](const std::string& json) {
    return words(R"("count":1,"outputs":{},"modes":)" + json);
  };
  EXPECT_TRUE(program_of(modes(R"({"float":"f24"})").value()).f24);
  EXPECT_FALSE(program_of(modes(R"({"float":"f32"})").value()).f24);
  EXPECT_FALSE(program_of(modes("{}").value()).f24);
  EXPECT_TRUE(program_of(modes(R"({"scopes":"structural"})").value()).structural_scopes);
  EXPECT_FALSE(program_of(modes(R"({"scopes":"hardware","float":"f24"})").value()).structural_scopes);
  expect_error(modes(R"({"scopes":"flat"})"), "modes.scopes",
               "'flat' is no mode; it may be hardware or structural");
  expect_error(modes(R"({"float":"f16"})"), "modes.float", "'f16' is no mode; it may be f32 or f24");
  expect_error(modes(R"({"float":24})"), "modes.float", "string");
  expect_error(modes(R"({"round":"up"})"), "modes.round", "unknown key");
}

TEST(LaunchFileTest, UniformErrors) {
  const auto uniforms = [](const std::string& json) {
    return words(R"("count":1,"outputs":{},"uniforms":)" + json);
  };
  expect_error(uniforms("[]"), "uniforms", "must be an object");
  expect_error(uniforms(R"({"c96":[0]})"), "uniforms.c96", "neither a register");
  expect_error(uniforms(R"({"c0":[]})"), "uniforms.c0", "1 to 4");
  expect_error(uniforms(R"({"c0":[1,2,3,4,5]})"), "uniforms.c0", "1 to 4");
  expect_error(uniforms(R"({"c0":["x"]})"), "uniforms.c0[0]", "neither a number");
  expect_error(uniforms(R"({"c0":[1e39]})"), "uniforms.c0[0]", "does not fit");
  expect_error(uniforms(R"({"c0":[[1],[2,null]]})"), "uniforms.c0[1][1]", "null");
  expect_error(uniforms(R"({"c95":[[1],[2]]})"), "uniforms.c95", "has 2 registers");
  expect_error(uniforms(R"({"i0":[256]})"), "uniforms.i0[0]", "out of range");
  expect_error(uniforms(R"({"i0":[1.5]})"), "uniforms.i0[0]", "a fraction");
  expect_error(uniforms(R"({"b0":1})"), "uniforms.b0", "true or false");
  expect_error(uniforms(R"({"c0":[[1],[2]],"c1":[1]})"), "uniforms.c1", "already set by uniforms.c0[1]");
  expect_error(named(R"("projection":[1],"tint":[1],"steps":[1])", kPosition), "uniforms", "declares 'flag'");
  expect_error(named(kAll, ""), "inputs", "declares 'position'");
  expect_error(named(std::string(kAll) + R"(,"tnit":[1])", kPosition), "uniforms.tnit", "tint");
  expect_error(named(R"("projection":[[1],[1],[1],[1],[1]],"tint":[1],"flag":true,"steps":[1])", kPosition),
               "uniforms.projection", "declared with 4");
}

TEST(LaunchFileTest, InputErrors) {
  const auto input = [](const std::string& json) {
    return words(R"("count":2,"outputs":{},"inputs":{"v0":)" + json + "}");
  };
  expect_error(input("[]"), "inputs.v0", "must be an object");
  expect_error(input("{}"), "inputs.v0", "'format' is missing");
  expect_error(input(R"({"format":"f64x4"})"), "inputs.v0.format", "is not a format");
  expect_error(input(R"({"format":"f32x5"})"), "inputs.v0.format", "is not a format");
  expect_error(input(R"({"format":"u32x4","data":[]})"), "inputs.v0.format", "for outputs");
  expect_error(input(R"({"format":"f32"})"), "inputs.v0", "either 'data' or 'file'");
  expect_error(input(R"({"format":"f32","data":[1,2],"file":"x"})"), "inputs.v0", "either 'data' or 'file'");
  expect_error(input(R"({"format":"f32","data":[1]})"), "inputs.v0.data", "has 1 numbers");
  expect_error(input(R"({"format":"f32","data":[1,2],"stride":4})"), "inputs.v0.stride", "belongs to 'file'");
  expect_error(input(R"({"format":"u8","data":[1,256]})"), "inputs.v0.data[1]", "out of range");
  expect_error(input(R"({"format":"f32","file":"none.bin"})"), "inputs.v0.file", "no such file",
               ErrorCode::io);
  expect_error(input(R"({"format":"f32","file":"rows.bin","stride":-4})"), "inputs.v0.stride",
               "out of range");
  expect_error(input(R"({"format":"f32","file":"rows.bin","stride":"wide"})"), "inputs.v0.stride",
               "neither a number");
  expect_error(input(R"({"format":"f32","file":"rows.bin","stride":61})"), "inputs.v0", "reads 65 bytes");
  expect_error(input(R"({"format":"f32","file":"rows.bin","offset":2147483647,"stride":2147483647})"),
               "inputs.v0", "reads");
  expect_error(input(R"({"format":"f32","data":[1,2],"extra":1})"), "inputs.v0.extra", "unknown key");
  expect_error(words(R"("count":1,"outputs":{},"inputs":{"v16":{}})"), "inputs.v16", "neither a register");
}

TEST(LaunchFileTest, ResultErrors) {
  const auto rest = [](const std::string& json) { return words(R"("count":1,)" + json); };
  expect_error(rest(R"("outputs":{"o16":{}})"), "outputs.o16", "neither a register");
  expect_error(rest(R"("outputs":{"v0":{}})"), "outputs.v0", "neither a register");
  expect_error(rest(R"("outputs":{"triangles":{}})"), "outputs.triangles", "belong to geometry programs");
  expect_error(rest(R"("outputs":{"o0":{"format":"u8x4"}})"), "outputs.o0.format", "not possible");
  expect_error(rest(R"("outputs":{"a0":{"format":"f32x2"}})"), "outputs.a0.format", "not possible");
  expect_error(rest(R"("outputs":{"aL":{"format":"s32x2"}})"), "outputs.aL.format", "has 1 components");
  expect_error(rest(R"("outputs":{},"expect":{"o0":{}})"), "expect.o0", "'data' is missing");
  expect_error(rest(R"("outputs":{},"expect":{"o0":{"data":[1,2,3]}})"), "expect.o0.data", "has 3 numbers");
  expect_error(rest(R"("outputs":{},"expect":{"o0":{"data":[1,2,3,4],"abs":-1}})"), "expect.o0.abs",
               "not negative");
  expect_error(rest(R"("outputs":{},"expect":{"aL":{"data":[1],"ulp":1}})"), "expect.aL.ulp",
               "compared exactly");
  expect_error(rest(R"("outputs":{},"state":{"o0":[1]})"), "state.o0", "cannot be set");
  expect_error(rest(R"("outputs":{},"state":{"aL":[1,2]})"), "state.aL", "1 to 1");
  expect_error(rest(R"("outputs":{},"state":{"cmp":[2]})"), "state.cmp[0]", "out of range");
}

TEST(LaunchFileTest, GeometryErrors) {
  const auto geometry = [](const std::string& rest) {
    return parse(
        R"({"warpjit":1,"isa":"pica200","stage":"geometry","program":{"words":["0xa8000000","0x88000000"]},"count":2,)" +
        rest + "}");
  };
  const std::string vertex =
      R"("vertex":{"program":{"words":["0x88000000"]},"outputs":{"o0":{}}},"outputs":{"o0":{}})";
  EXPECT_TRUE(geometry(vertex));
  expect_error(words(R"("count":1,"outputs":{},"geometry":{})"), "geometry",
               "belongs to stage 'geometry' and 'fragment'");
  expect_error(words(R"("count":1,"outputs":{"emit":{}})"), "outputs.emit", "neither a register");
  expect_error(geometry(R"("outputs":{},"vertex":{"outputs":{"o0":{}}})"), "vertex", "'program' is missing");
  expect_error(geometry(R"("outputs":{},"vertex":{"program":{"words":["0x88000000"]}})"), "vertex",
               "enables no outputs");
  expect_error(geometry(R"("outputs":{},"vertex":{"program":{"words":["0x88000000"]},"outputs":{"r0":{}}})"),
               "vertex.outputs", "not an output register");
  expect_error(geometry(vertex + R"(,"inputs":{})"), "inputs", "belong to the vertex stage");
  expect_error(geometry(R"("outputs":{},"geometry":{"mode":"fixed"})"), "", "'vertex' is missing");
  expect_error(geometry(vertex + R"(,"geometry":{"mode":"fixed","registers":[]})"), "geometry.registers",
               "belongs to mode 'point'");
  expect_error(geometry(vertex + R"(,"geometry":{"registers":["v1","v1"]})"), "geometry.registers[1]",
               "twice");
  expect_error(geometry(vertex + R"(,"geometry":{"vertices":2})"), "geometry.vertices",
               "belongs to mode 'fixed'");
  expect_error(geometry(vertex + R"(,"expect":{"o0":{"data":[]}})"), "expect.o0", "in 'triangles'");
  expect_error(geometry(vertex + R"(,"expect":{"triangles":[{"r0":[[1,2,3,4],[1,2,3,4],[1,2,3,4]]}]})"),
               "expect.triangles[0].r0", "not an output register that vertices have");
  expect_error(geometry(vertex + R"(,"expect":{"triangles":[{"r1":[]}]})"), "expect.triangles[0].r1",
               "not an output register");
}

TEST(LaunchFileTest, VertexFormats) {
  unsigned count = 0;
  std::istringstream names(valhall_format_names());
  for (std::string name; std::getline(names >> std::ws, name, ',');) {
    ++count;
    const auto number = find_valhall_format(name);
    ASSERT_TRUE(number) << name;
    EXPECT_EQ(valhall_format_name(*number), name);
    EXPECT_TRUE(valhall::find_vertex_format(*number)) << name;
  }
  EXPECT_EQ(count, 12U * 5 + 4 * 2);
  // As drivers write them.
  EXPECT_EQ(find_valhall_format("r32f"), 0xa7000U);
  EXPECT_EQ(find_valhall_format("rgb32f"), 0xb7000U);
  EXPECT_EQ(find_valhall_format("rgba8unorm"), 0xbb000U);
  EXPECT_EQ(find_valhall_format("bgra8unorm"), 0xbb004U);
  EXPECT_EQ(find_valhall_format("rg16sint"), 0xcc000U);
  EXPECT_EQ(find_valhall_format("rgb10a2unorm"), 0x43000U);
  EXPECT_EQ(valhall_format_name(0x43002), "0x43002");
  EXPECT_FALSE(find_valhall_format(""));
  EXPECT_FALSE(find_valhall_format("rgba"));
}

TEST(LaunchFileTest, AttributesOfVertices) {
  const auto launch =
      parse(R"({"warpjit":1,"isa":"valhall","stage":"vertex","program":{"words":[0,"0x7800c000"],"local":64},
      "vertices":{"count":3,"instances":2,"first":7,"first_instance":"0xffffffff","attribute_offset":1,"packet_stride":48},
      "attributes":[{"format":"rgba8unorm","address":"0x700000001","bytes":12,"offset":-4,"stride":4},
      {"format":"0x43002","address":4096,"bytes":8,"per_instance":true,"from_first":true,"shift":3},
      {"format":684032,"address":0,"bytes":0,"shift":0},
      {"format":"bgr10a2sint","address":0,"bytes":4,"shift":31,"add":true,"multiplier":"0xaaaaaaab"}],
      "params":[1,2.5],"memory":[{"space":"mem","address":"0x700000000","data":[1,2,3,4]},{"space":"c3","data":[5,6]}],
      "outputs":[{"space":"results","address":96,"format":"f32x4","count":2}]})");
  ASSERT_TRUE(launch) << to_string(launch.error());
  EXPECT_EQ(launch->threads(), 6U);
  const LaunchVertices& vertices = *launch->grid.vertices;
  using Division = AttributeSource::Division;
  ASSERT_EQ(vertices.attributes.size(), 4U);
  EXPECT_EQ(
      vertices.attributes[0],
      (AttributeSource{.address = 0x700000001, .bytes = 12, .format = 0xbb000, .offset = -4, .stride = 4}));
  EXPECT_EQ(vertices.attributes[1], (AttributeSource{.address = 4096,
                                                     .bytes = 8,
                                                     .format = 0x43002,
                                                     .per_instance = true,
                                                     .from_first = true,
                                                     .division = Division::shift,
                                                     .shift = 3}));
  EXPECT_EQ(vertices.attributes[2].division, Division::shift);
  EXPECT_EQ(vertices.attributes[3].division, Division::multiply);
  EXPECT_EQ(vertices.attributes[3].multiplier, 0xaaaaaaabU);
  EXPECT_TRUE(vertices.attributes[3].add);
  ASSERT_EQ(launch->grid.memory.size(), 3U);
  EXPECT_EQ(launch->grid.memory[2].space, kResultSpace);
  EXPECT_EQ(launch->grid.memory[2].bytes.size(), 6U * 48);
  EXPECT_EQ(launch->outputs[0].piece, 2U);
  EXPECT_EQ(launch->outputs[0].offset, 96U);
}

TEST(LaunchFileTest, Images) {
  const auto launch = parse(
      R"({"warpjit":1,"isa":"valhall","stage":"compute","program":{"words":[0,"0x7800c000"]},"grid":[1],"block":[1],"outputs":[],
      "images":[{"format":"r32uint","address":"0x700000000","width":4},null,
      {"format":"0xbb004","address":4096,"width":3,"height":5,"depth":2,"row_stride":1024,"slice_stride":2048,"interleaved":true,"is_3d":true}],
      "table_buffers":[{"table":6,"entry":3,"address":"0x700000010","bytes":40}]})");
  ASSERT_TRUE(launch) << to_string(launch.error());
  const std::vector<ImageSource>& images = launch->grid.images;
  ASSERT_EQ(images.size(), 3U);
  EXPECT_EQ(images[0], (ImageSource{.address = 0x700000000, .format = 0x85000, .width = 4}));
  EXPECT_EQ(images[1], ImageSource{});
  EXPECT_EQ(images[2], (ImageSource{.address = 4096,
                                    .format = 0xbb004,
                                    .width = 3,
                                    .height = 5,
                                    .depth = 2,
                                    .row_stride = 1024,
                                    .slice_stride = 2048,
                                    .interleaved = true,
                                    .is_3d = true}));
  EXPECT_EQ(launch->grid.buffers,
            std::vector<BufferSource>({{.table = 6, .entry = 3, .address = 0x700000010, .bytes = 40}}));
  const auto refused = parse(
      R"({"warpjit":1,"isa":"tesla","stage":"compute","program":{"words":["0xf0000001","0xe0000001"],"registers":8},
      "grid":[1],"block":[32],"outputs":[],"images":[]})");
  ASSERT_FALSE(refused);
  EXPECT_NE(to_string(refused.error()).find("images"), std::string::npos) << to_string(refused.error());
  const auto without = parse(
      R"({"warpjit":1,"isa":"tesla","stage":"compute","program":{"words":["0xf0000001","0xe0000001"],"registers":8},
      "grid":[1],"block":[32],"outputs":[],"table_buffers":[]})");
  ASSERT_FALSE(without);
  EXPECT_NE(to_string(without.error()).find("no tables of buffers"), std::string::npos)
      << to_string(without.error());
}

// What is written reads back as the same launch, of every kind of work.
TEST(LaunchFileTest, WrittenLaunchesReadBack) {
  const std::string launches[] = {
      R"({"warpjit":1,"isa":"pica200","stage":"vertex","program":{"words":["0x4c000000","0x88000000"]},"count":2,
      "modes":{"float":"f24","scopes":"structural"},"uniforms":{"c4":[1,2,"0x7fc00001"],"i1":[3,0,1],"b3":true},
      "state":{"r2":[1,2],"a0":[-1,5],"cmp":[1,0]},"inputs":{"v1":{"format":"s8x3","data":[1,-2,3,4,5,-128]}},
      "outputs":{"o0":{"format":"f32x3"},"cmp":{}}})",
      R"({"warpjit":1,"isa":"pica200","stage":"geometry","program":{"words":["0xa8000000","0x88000000"]},"count":3,
      "vertex":{"program":{"words":["0x88000000"]},"inputs":{"v0":{"format":"f32","data":[1,2,3]}},"outputs":{"o0":{}}},
      "geometry":{"mode":"variable","full_vertices":1,"primitives":[2,0,1,1,2]},"outputs":{"o0":{},"emit":{}}})",
      R"({"warpjit":1,"isa":"tesla","stage":"compute","program":{"words":["0xf0000001","0xe0000001"],"registers":8},
      "grid":[2,3],"block":[32,2],"shared":{"size":256},"params":[1,1.5,{"offset":64},7],"modes":{"zero-wins":true},
      "memory":[{"space":"g14","address":"0x1000","format":"f32","data":[1,2,3],"size":64,"fill":255},
      {"space":"c0","data":[5,6]}],"outputs":[{"space":"g14","address":4096,"format":"u32x2","count":3}]})",
      R"({"warpjit":1,"isa":"tesla","stage":"compute","program":{"words":["0xf0000001","0xe0000001"],"registers":8},
      "grid":[1],"block":[32],"outputs":[],
      "textures":{"3":{"data":[1,2,3,4,5,6],"format":"rgba8","layout":"morton","dimension":"1d","size":[4],"levels":2,
      "first-level":1,"swizzle":"bg01","normalized":false,"four-pairs":false,"depth-border":true,"min-lod":0.5,"lod-bias":-1.25},
      "0":{"data":[1,2,3],"format":"r16ui","size":[2,1],"layers":3,"row-bytes":4}},
      "samplers":{"7":{"wrap":["mirror","clamp","repeat"],"magnify":"linear","mip":"nearest","compare":"greater","seamless":true,
      "decode-srgb":false,"max-lod":3.5,"min-lod":1,"lod-bias":0.125,"border":[1,0.5,"0x7fc00001",0],"srgb-border":[1,0.25,0]},"0":{}}})",
      R"({"warpjit":1,"isa":"valhall","stage":"vertex","program":{"words":[0,"0x7800c000"],"local":64},
      "vertices":{"count":3,"instances":2,"first":7,"first_instance":"0xffffffff","attribute_offset":1,"packet_stride":48},
      "attributes":[{"format":"rgba8unorm","address":"0x700000001","bytes":12,"offset":-4,"stride":4},
      {"format":"0x43002","address":4096,"bytes":8,"per_instance":true,"from_first":true,"shift":3},
      {"format":684032,"address":0,"bytes":0,"shift":0},
      {"format":"bgr10a2sint","address":0,"bytes":4,"shift":31,"add":true,"multiplier":"0xaaaaaaab"}],
      "images":[{"format":"rgba8unorm","address":"0x700000000","width":2},null,{"format":"0x43002","address":4096,"width":3,
      "height":5,"depth":2,"row_stride":1024,"slice_stride":2048,"interleaved":true,"is_3d":true}],
      "table_buffers":[{"table":255,"entry":16777215,"address":4096,"bytes":4294967295},{"table":0,"entry":1,"address":0,"bytes":0}],
      "params":[1,2.5],"memory":[{"space":"mem","address":"0x700000000","data":[1,2,3,4]},{"space":"c3","data":[5,6]}],
      "outputs":[{"space":"results","address":96,"format":"f32x4","count":2}]})"};
  for (const std::string& text : launches) {
    const auto launch = parse(text);
    ASSERT_TRUE(launch) << to_string(launch.error());
    const std::string written = write_launch(*launch, 0, launch->count).dump();
    const auto again = parse(written);
    ASSERT_TRUE(again) << to_string(again.error()) << written;
    EXPECT_EQ(write_launch(*again, 0, again->count).dump(), written);
    EXPECT_EQ(again->threads(), launch->threads());
    EXPECT_EQ(again->outputs.size(), launch->outputs.size());
    EXPECT_EQ(again->grid.parameters, launch->grid.parameters);
    EXPECT_EQ(again->grid.images, launch->grid.images);
    EXPECT_EQ(again->grid.buffers, launch->grid.buffers);
    ASSERT_EQ(again->grid.vertices.has_value(), launch->grid.vertices.has_value());
    if (launch->grid.vertices) {
      const auto numbers = [](const LaunchVertices& v) {
        return std::tuple(v.count, v.instances, v.first, v.first_instance, v.attribute_offset,
                          v.packet_stride);
      };
      EXPECT_EQ(numbers(*again->grid.vertices), numbers(*launch->grid.vertices));
      EXPECT_EQ(again->grid.vertices->attributes, launch->grid.vertices->attributes);
    }
    for (std::size_t k = 0; k < launch->grid.memory.size(); ++k)
      EXPECT_EQ(again->grid.memory[k].bytes, launch->grid.memory[k].bytes);
    ASSERT_EQ(again->textures.size(), launch->textures.size());
    for (std::size_t k = 0; k < launch->textures.size(); ++k) {
      const Texture &a = launch->textures[k].texture, &b = again->textures[k].texture;
      EXPECT_EQ(again->textures[k].slot, launch->textures[k].slot);
      EXPECT_EQ(std::memcmp(a.data, b.data, a.size), 0);
      const auto state = [](const Texture& t) {
        return std::tuple(t.dimension, t.array, t.format, t.layout, t.swizzle, t.normalized, t.four_pairs,
                          t.depth, t.width, t.height, t.depth_extent, t.layers, t.levels, t.first_level,
                          t.last_level, t.row_bytes, t.min_lod, t.lod_bias);
      };
      EXPECT_TRUE(state(a) == state(b)) << written;
    }
    ASSERT_EQ(again->samplers.size(), launch->samplers.size());
    for (std::size_t k = 0; k < launch->samplers.size(); ++k) {
      const auto state = [](const Sampler& s) {
        return std::tuple(s.wrap, s.magnify, s.minify, s.mip, s.compare, s.compare_op, s.decode_srgb,
                          s.seamless, s.lod_bias, s.min_lod, s.max_lod, s.border, s.srgb_border);
      };
      EXPECT_TRUE(state(again->samplers[k].sampler) == state(launch->samplers[k].sampler)) << written;
    }
  }
}

TEST(LaunchFileTest, FilesMayNotLeaveTheFolder) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "warpjit_launch_folder";
  fs::create_directories(folder / "inside");
  std::ofstream(folder / "outside.bin") << "secret";
  std::ofstream(folder / "inside" / "own.bin") << "own";
  std::error_code ignored;
  fs::remove(folder / "inside" / "link.bin", ignored);
  fs::create_symlink(folder / "outside.bin", folder / "inside" / "link.bin");
  const FileReader reader = folder_reader(folder / "inside");
  EXPECT_TRUE(reader("own.bin"));
  EXPECT_TRUE(reader("./own.bin"));
  EXPECT_TRUE(reader("../inside/own.bin"));
  for (const std::string name : {"../outside.bin", "link.bin", "/etc/passwd", "", "../../x"}) {
    const auto bytes = reader(name);
    ASSERT_FALSE(bytes) << name;
    EXPECT_EQ(bytes.error().code, ErrorCode::bad_input) << name;
  }
  EXPECT_EQ(reader("none.bin").error().code, ErrorCode::io);
  EXPECT_EQ(reader(".").error().code, ErrorCode::io);  // a folder
  fs::remove_all(folder);
}

// What differs of a draw with memory may be either.
TEST(LaunchFiles, MismatchesOfDraws) {
  auto file = parse(
      R"({"warpjit":1,"isa":"valhall","stage":"fragment","count":3,"program":{"words":["0x00000000","0x7800c000"]},
      "memory":[{"space":"mem","address":4096,"size":16},{"space":"mem","address":8192,"size":8}],
      "vertices":{"slots":4,"data":[0,0,0,1,0,0,0,1,0,0,0,1]},
      "targets":{"size":[4,2],"colors":[{"format":"rgba8"},{"format":"r8"}]}})");
  ASSERT_TRUE(file) << to_string(file.error());
  auto bound = BoundLaunch::make(std::move(*file));
  ASSERT_TRUE(bound) << to_string(bound.error());
  const Engine engine;
  RunOptions options;
  options.engine = EngineKind::guest;
  ASSERT_TRUE(bound->run(engine, options));
  const std::vector<std::uint32_t> results = bound->results();
  ASSERT_EQ(results.size(), 4U + 2 + 8 + 2);
  const auto place = [&](std::size_t word) {
    std::vector<std::uint32_t> wanted = results;
    wanted[word] ^= 1;
    const auto mismatch = compare_results(*bound, wanted);
    return mismatch ? mismatch->place : "";
  };
  EXPECT_EQ(place(1), "mem[0x1004]");
  EXPECT_EQ(place(5), "mem[0x2004]");
  EXPECT_EQ(place(6 + 5), "color0 at column 1, row 1");
  EXPECT_EQ(place(6 + 8 + 1), "color1 at column 0, row 1");
}

}  // namespace
}  // namespace warpjit::tool
