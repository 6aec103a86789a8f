// docs/launch.schema.json and the reader say the same: every example fits both, and what the schema refuses
// the reader refuses too.
#include "schema.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "launch/read_launch.h"
#include "support/source_dir.h"

namespace warpjit::tool {
namespace {

using nlohmann::json;

json load(const std::filesystem::path& path) { return json::parse(std::ifstream(path)); }
json launch_schema() { return load(tests::source_file("docs/launch.schema.json")); }

TEST(SchemaTest, ExamplesFitSchemaAndReader) {
  const json schema = launch_schema();
  unsigned count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests::source_file("examples"))) {
    if (entry.path().extension() != ".json" || entry.path().filename() == "scene.json" ||
        entry.path().filename().string().find("CMake") != std::string::npos)
      continue;
    ++count;
    EXPECT_EQ(validate(schema, load(entry.path())), "") << entry.path();
    const auto launch = read_launch(entry.path());
    EXPECT_TRUE(launch) << to_string(launch.error());
  }
  EXPECT_GE(count, 14u);
}

const FileReader no_files = [](const std::string& name) -> Result<std::vector<std::byte>> {
  return Error{ErrorCode::io, "no such file", name};
};

struct Change {
  const char* pointer;
  const char* value;  // "": the key is removed
};

// Neither the schema nor the reader takes `good` so changed.
void expect_refused(const json& good, const Change& change) {
  json bad = good;
  const json::json_pointer pointer(change.pointer);
  if (*change.value == '\0')
    bad[pointer.parent_pointer()].erase(pointer.back());
  else
    bad[pointer] = json::parse(change.value);
  EXPECT_NE(validate(launch_schema(), bad), "") << change.pointer << " = " << change.value;
  EXPECT_FALSE(parse_launch(bad.dump(), "bad", no_files)) << change.pointer << " = " << change.value;
}

TEST(SchemaTest, ReaderIsAsStrict) {
  const json schema = launch_schema();
  const json good = json::parse(R"({"warpjit":1,"isa":"pica200","stage":"vertex","count":1,
    "program":{"words":["0x88000000"],"descriptors":[0],"entry":0},
    "uniforms":{"c0":[1,"0x7fc00000"],"c4":[[1],[2]],"i0":[1,2],"b0":true,"b1":[true,false]},
    "state":{"r15":[1],"a0":[1,-2],"aL":3,"cmp":[0,true]},
    "inputs":{"v0":{"format":"unorm8x4","data":[0,1,2,255]}},
    "outputs":{"o0":{"format":"f32x3"},"cmp":{}},"expect":{"o0":{"data":[1,2,3],"ulp":1,"abs":0.5,"rel":1e-3}}})");
  EXPECT_EQ(validate(schema, good), "");
  const auto read = parse_launch(good.dump(), "good", no_files);
  EXPECT_TRUE(read) << to_string(read.error());

  constexpr Change kChanges[] = {{"/warpjit", "2"},
                                 {"/warpjit", ""},
                                 {"/isa", "\"arm\""},
                                 {"/isa", "\"tesla\""},
                                 {"/stage", "\"compute\""},
                                 {"/stage", "1"},
                                 {"/count", "0"},
                                 {"/count", "16777217"},
                                 {"/count", "1.5"},
                                 {"/count", "\"one\""},
                                 {"/count", ""},
                                 {"/program", "[]"},
                                 {"/program", "{}"},
                                 {"/program/words", "[]"},
                                 {"/program/words/0", "-1"},
                                 {"/program/words/0", "4294967296"},
                                 {"/program/extra", "1"},
                                 {"/program/entry", "5000"},
                                 {"/program/entry", "\"main\""},
                                 {"/uniforms", "[]"},
                                 {"/uniforms/c0", "[]"},
                                 {"/uniforms/c0", "[1,2,3,4,5]"},
                                 {"/uniforms/c0/0", "\"one\""},
                                 {"/uniforms/c0/0", "null"},
                                 {"/uniforms/b0", "1"},
                                 {"/uniforms/c4/1", "true"},
                                 {"/state/r16", "[1]"},
                                 {"/state/o0", "[1]"},
                                 {"/state/a0", "[1,2,3]"},
                                 {"/state/a0", "1"},
                                 {"/state/aL", "1.5"},
                                 {"/state/cmp", "[]"},
                                 {"/inputs", "1"},
                                 {"/inputs/v0", "{}"},
                                 {"/inputs/v0/format", "\"f64\""},
                                 {"/inputs/v0/format", "\"f32x5\""},
                                 {"/inputs/v0/format", "\"s32\""},
                                 {"/inputs/v0/file", "\"x\""},
                                 {"/inputs/v0/stride", "4"},
                                 {"/inputs/v0/data/0", "{}"},
                                 {"/outputs", ""},
                                 {"/outputs", "[]"},
                                 {"/outputs/o0", "1"},
                                 {"/outputs/o0/format", "\"u8\""},
                                 {"/outputs/o0/data", "[]"},
                                 {"/expect/o0/data", ""},
                                 {"/expect/o0/data", "3"},
                                 {"/expect/o0/ulp", "-1"},
                                 {"/expect/o0/abs", "\"1\""},
                                 {"/expect/o0/rel", "-0.5"},
                                 {"/expect/o0/extra", "0"},
                                 {"/extra", "1"},
                                 {"/grid", "[1,1,1]"}};
  for (const Change& change : kChanges) expect_refused(good, change);
}

TEST(SchemaTest, ReaderIsAsStrictWithFetchedAttributes) {
  const json good = json::parse(
      R"({"warpjit":1,"isa":"valhall","stage":"vertex","program":{"words":[0,"0x7800c000"],"local":64},
      "vertices":{"count":3,"instances":2,"first":7,"first_instance":"0xffffffff","attribute_offset":1,"packet_stride":48},
      "attributes":[{"format":"rgba8unorm","address":"0x700000001","bytes":12,"offset":-4,"stride":4},
      {"format":"0x43002","address":4096,"bytes":8,"per_instance":true,"from_first":true,"shift":3},
      {"format":684032,"address":0,"bytes":0,"shift":0},
      {"format":"bgr10a2sint","address":0,"bytes":4,"shift":31,"add":true,"multiplier":"0xaaaaaaab"}],
      "images":[null,{"format":"rgba8unorm","address":"0x700000000","width":2,"height":1,"depth":1,"row_stride":"0x8","slice_stride":8,"interleaved":false,"is_3d":true}],
      "params":[1,2.5],"memory":[{"space":"mem","address":"0x700000000","data":[1,2,3,4]},{"space":"c3","data":[5,6]}],
      "outputs":[{"space":"results","address":96,"format":"f32x4","count":2}],
      "expect":[{"space":"results","address":0,"format":"u32","data":[1,2]}]})");
  EXPECT_EQ(validate(launch_schema(), good), "");
  const auto read = parse_launch(good.dump(), "good", no_files);
  EXPECT_TRUE(read) << to_string(read.error());
  for (const Change& change : {Change{"/isa", "\"tesla\""},
                               {"/isa", "\"pica200\""},
                               {"/stage", "\"compute\""},
                               {"/stage", "\"fragment\""},
                               {"/grid", "[1]"},
                               {"/count", "1"},
                               {"/modes", "{\"float\":\"f24\"}"},
                               {"/program/words", "[]"},
                               {"/program/local", "65537"},
                               {"/vertices", ""},
                               {"/vertices", "[]"},
                               {"/vertices/count", ""},
                               {"/vertices/count", "0"},
                               {"/vertices/count", "4194241"},
                               {"/vertices/instances", "65536"},
                               {"/vertices/first", "-1"},
                               {"/vertices/first_instance", "4294967296"},
                               {"/vertices/packet_stride", "2064"},
                               {"/vertices/extra", "1"},
                               {"/attributes", "{}"},
                               {"/attributes/0", "1"},
                               {"/attributes/0/format", ""},
                               {"/attributes/0/format", "4194304"},
                               {"/attributes/0/address", ""},
                               {"/attributes/0/address", "-1"},
                               {"/attributes/0/bytes", ""},
                               {"/attributes/0/bytes", "4294967296"},
                               {"/attributes/0/offset", "0.5"},
                               {"/attributes/0/stride", "-1"},
                               {"/attributes/0/per_instance", "1"},
                               {"/attributes/0/extra", "1"},
                               {"/attributes/1/shift", "32"},
                               {"/attributes/3/add", "1"},
                               {"/attributes/3/multiplier", "-1"},
                               {"/images", "{}"},
                               {"/images/1", "1"},
                               {"/images/1/format", ""},
                               {"/images/1/address", ""},
                               {"/images/1/width", ""},
                               {"/images/1/width", "0"},
                               {"/images/1/height", "65537"},
                               {"/images/1/depth", "0"},
                               {"/images/1/row_stride", "-1"},
                               {"/images/1/slice_stride", "4294967296"},
                               {"/images/1/interleaved", "1"},
                               {"/images/1/is_3d", "0"},
                               {"/images/1/extra", "1"},
                               {"/params", "{}"},
                               {"/memory/0/extra", "1"},
                               {"/outputs/0/count", "0"},
                               {"/outputs", "{}"},
                               {"/expect/0/data", "1"}})
    expect_refused(good, change);
}

TEST(SchemaTest, ReaderIsAsStrictWithGeometry) {
  const json good = json::parse(R"({"warpjit":1,"isa":"pica200","stage":"geometry","count":3,
    "program":{"words":["0xa8000000","0x88000000"]},
    "vertex":{"program":{"words":["0x88000000"]},"inputs":{"v0":{"format":"f32","data":[1,2,3]}},"outputs":{"o0":{}}},
    "geometry":{"mode":"variable","full_vertices":2,"primitives":[2,0,"0x2",1,1],"max_triangles":96},
    "outputs":{"o0":{},"emit":{},"r0":{}},
    "expect":{"triangles":[{"inverted":true,"o0":[[1,2,3,4],[1,2,3,4],[1,2,3,"0x7fc00000"]]}]}})");
  EXPECT_EQ(validate(launch_schema(), good), "");
  const auto read = parse_launch(good.dump(), "good", no_files);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->geometry.mode, PrimitiveMode::variable);
  EXPECT_EQ(read->geometry.outputs, 1u);
  EXPECT_EQ(read->primitives, (std::vector<std::uint32_t>{2, 0, 2, 1, 1}));
  ASSERT_EQ(read->triangles->size(), 1u);
  EXPECT_TRUE(read->triangles->front().inverted);
  EXPECT_EQ(read->outputs.size(), 2u);

  constexpr Change kChanges[] = {{"/geometry", "1"},
                                 {"/geometry/mode", "\"strip\""},
                                 {"/geometry/extra", "1"},
                                 {"/geometry/max_triangles", "0"},
                                 {"/geometry/max_triangles", "97"},
                                 {"/geometry/full_vertices", "97"},
                                 {"/geometry/primitives", "2"},
                                 {"/geometry/primitives/1", "-1"},
                                 {"/vertex", "[]"},
                                 {"/vertex/count", "3"},
                                 {"/vertex/inputs/v0/format", "\"f64\""},
                                 {"/expect/triangles", "{}"},
                                 {"/expect/triangles/0/inverted", "1"},
                                 {"/expect/triangles/0/o0", "[]"},
                                 {"/expect/triangles/0/o0/0", "[1,2,3]"},
                                 {"/expect/triangles/0/o0/0/3", "\"x\""}};
  for (const Change& change : kChanges) expect_refused(good, change);
  json other = good;
  other["geometry"] = {{"mode", "fixed"}, {"first", "c4"}, {"vertices", 3}};
  EXPECT_TRUE(parse_launch(other.dump(), "fixed", no_files));
  expect_refused(other, {"/geometry/first", "\"c96\""});
  expect_refused(other, {"/geometry/vertices", "0"});
  other["geometry"] = {{"mode", "point"}, {"registers", {"v3", "v1"}}};
  EXPECT_TRUE(parse_launch(other.dump(), "point", no_files));
  expect_refused(other, {"/geometry/registers/0", "\"v16\""});
}

TEST(SchemaTest, ReaderIsAsStrictWithStagesOfDraws) {
  const auto program = [](json graphics) {
    return json{{"words", {"0xf0000001", "0xe0000781"}}, {"graphics", std::move(graphics)}};  // exit nop
  };
  json instances = load(tests::source_file("examples/tesla/graphics/instances.json"));
  instances["program"] = program({{"interpolants", "0x8000403"}});
  instances["vertex"]["program"] =
      program({{"attributes", {"0x7133", 0}}, {"results", {0, 1, 2, 3, 4, 5, 6}}});
  const auto read = parse_launch(instances.dump(), "instances", no_files);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->pixels.instances, 12u);
  EXPECT_EQ(read->vertex.front().inputs.back().divisor, 3u);
  for (const Change& change : {Change{"/instances", "0"},
                               {"/instances", "16777217"},
                               {"/vertex/inputs/a1/divisor", "-1"},
                               {"/vertex/inputs/a1/divisor", "0.5"},
                               {"/vertex/inputs/a1/extra", "1"},
                               {"/geometry", "1"}})
    expect_refused(instances, change);
  json fewer = instances;
  fewer["instances"] = 9;
  const auto refused = parse_launch(fewer.dump(), "fewer", no_files);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("9 rows"), std::string::npos) << to_string(refused.error());

  json wires = load(tests::source_file("examples/tesla/graphics/wireframe.json"));
  wires["program"] = program({{"interpolants", "0x8030403"}});
  wires["vertex"]["program"] = program({{"attributes", {15, 0}}, {"results", {0, 1, 2, 3}}});
  wires["geometry"]["program"] =
      program({{"results", {0, 1, 2, 3, 4, 5, 6}}, {"output", 3}, {"vertices", 3}});
  const auto drawn = parse_launch(wires.dump(), "wires", no_files);
  ASSERT_TRUE(drawn) << to_string(drawn.error());
  EXPECT_EQ(drawn->geometry_stage.size(), 1u);
  for (const Change& change : {Change{"/geometry/inputs", "{}"},
                               {"/geometry/program/graphics/output", "4"},
                               {"/geometry/program/graphics/vertices", "0"},
                               {"/program/graphics/point-coordinates", "1"},
                               {"/program/graphics/point-sprites", "1"}})
    expect_refused(wires, change);
}

TEST(SchemaTest, ReaderIsAsStrictWithStatesOfDraws) {
  json draw = load(tests::source_file("examples/tesla/graphics/depth_blend.json"));
  draw["program"] = {{"words", {"0xf0000001", "0xe0000781"}}, {"graphics", {{"interpolants", "0x8000403"}}}};
  draw["raster"] = json::parse(
      R"({"depth-bias":{"units":2,"slope":-0.5,"clamp":"0x3d800000"},"depth-bounds":[0.25,0.75],"clip-bounds":[-1,2],"sample-point":[32,255],"shade":"flat"})");
  draw["output"] = json::parse(
      R"({"early-tests":true,"blend":[{"mix":{"add":"target","multiply":"source-minus-target","by":"source-alpha"}},
      {"mix":{"add":"source","negate-add":true,"multiply":"target","negate-multiply":true,"by":"constant",
      "invert-by":true},"mix-alpha":{}},{"source":"one","write-mask":7,"bytes":true}]})");
  const auto read = parse_launch(draw.dump(), "states", no_files);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(validate(launch_schema(), draw), "");
  const RasterState& raster = read->pixels.raster;
  EXPECT_EQ(raster.depth_bias, (RasterState::DepthBias{2, -0.5F, 0.0625F}));
  EXPECT_EQ(raster.depth_bounds, (std::array{0.25F, 0.75F}));
  EXPECT_EQ(raster.clip_bounds, (std::array{-1.0F, 2.0F}));
  EXPECT_EQ(raster.sample_point, (std::array<std::uint8_t, 2>{32, 255}));
  EXPECT_EQ(raster.shade, ShadeModel::flat);
  const OutputState& output = read->pixels.output;
  EXPECT_TRUE(output.early_tests);
  const BlendMix mixes[] = {
      {BlendMix::Add::target, false, BlendMix::Multiply::source_minus_target, false,
       BlendMix::By::source_alpha, false},
      {BlendMix::Add::source, true, BlendMix::Multiply::target, true, BlendMix::By::constant, true}};
  for (unsigned k = 0; k < 2; ++k) {
    EXPECT_TRUE(output.blend[k].enabled && output.blend[k].mixed);
    EXPECT_EQ(output.blend[k].mix, mixes[k]);
  }
  EXPECT_EQ(output.blend[0].mix_alpha, mixes[0]);
  EXPECT_EQ(output.blend[1].mix_alpha, BlendMix{});
  EXPECT_FALSE(output.blend[2].mixed || output.blend[1].bytes);
  EXPECT_TRUE(output.blend[2].bytes);
  for (const Change& change :
       {Change{"/raster/depth-bias", "1"},         {"/raster/depth-bias/extra", "1"},
        {"/raster/depth-bias/slope", "\"steep\""}, {"/raster/depth-bounds", "0.5"},
        {"/raster/shade", "\"gouraud\""},          {"/raster/shade", "1"},
        {"/raster/depth-bounds", "[0,0.5,1]"},     {"/raster/clip-bounds", "[0]"},
        {"/raster/sample-point", "[0,256]"},       {"/raster/sample-point", "[0,-1]"},
        {"/raster/sample-point", "[0,1,2]"},       {"/output/early-tests", "1"},
        {"/output/blend/0/mix", "\"target\""},     {"/output/blend/0/mix/extra", "1"},
        {"/output/blend/0/mix/add", "\"one\""},    {"/output/blend/0/mix/multiply", "\"zero\""},
        {"/output/blend/0/mix/by", "\"one\""},     {"/output/blend/1/mix/negate-add", "1"},
        {"/output/blend/1/mix-alpha", "[]"},       {"/output/blend/2/bytes", "1"}})
    expect_refused(draw, change);
  // What only the reader knows.
  for (const char* blend : {R"([{"mix":{},"op":"add"}])", R"([{"mix":{},"bytes":true}])",
                            R"([{"source":"one","mix-alpha":{}}])"}) {
    json both = draw;
    both["output"]["blend"] = json::parse(blend);
    EXPECT_FALSE(parse_launch(both.dump(), "both", no_files)) << blend;
  }
}

}  // namespace
}  // namespace warpjit::tool
