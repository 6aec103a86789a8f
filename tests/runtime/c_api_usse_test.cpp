// The C interface: scenes of the PlayStation Vita.
#include <algorithm>
#include <array>
#include <vector>

#include "frontend/usse/assembly/assemble.h"
#include "runtime/c_api.h"
#include "support/canceller.h"
#include "usse/gxp_builder.h"
#include "warpjit/usse.h"

namespace warpjit::test {
namespace {

using usse::GxpBuilder;
using OwnedScene = Owned<warpjit_usse_scene, warpjit_usse_scene_destroy>;

constexpr std::uint32_t kSize = 8, kAddress = 0x1000;

std::vector<std::uint64_t> words_of(const std::string& stage, const std::string& code) {
  const auto program = usse::assemble(".stage " + stage + "\n.primary\n" + code, "test.usse");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  return program->primary;
}

// Position and texcoord0.xy are pa0 to pa5.
std::vector<std::byte> vertex_gxp() {
  GxpBuilder gxp(false);
  gxp.vertex_outputs(0x3f, 6, 1);
  gxp.primary(words_of("vertex", "vmov.f32 o0.xy, pa0\nvmov.f32 o2.xy, pa2\nvmov.f32 o4.xy, pa4\nemit.end"));
  return gxp.finish();
}

// The result is pa0 to pa3; texcoord0.xy is pa0 and pa1 at first.
GxpBuilder fragment_gxp(const std::string& code) {
  GxpBuilder gxp(true);
  gxp.fragment_inputs({2}, 0);
  gxp.primary(words_of("fragment", code));
  return gxp;
}
// The colour is the uniform uColor.
std::vector<std::byte> plain_gxp() {
  GxpBuilder gxp = fragment_gxp("vmov.f32 pa0.xy, sa0\nvmov.f32 pa2.xy, sa2\nnop.end");
  gxp.uniforms(4);
  gxp.table(0x24, 1);
  gxp.parameter(1 | 4 << 8 | 14 << 12, 0, 0, 1, 0, "uColor");
  return gxp.finish();
}
std::vector<std::byte> texture_gxp() {
  GxpBuilder gxp = fragment_gxp(
      "smp.2d.f32.f32.drc0 r0, pa0, sa0, #0\nwdf.drc0\nvmov.f32 pa0.xy, r0\nvmov.f32 pa2.xy, r2\nnop.end");
  gxp.texture(3);
  return gxp.finish();
}
// The colour is at the address of buffer 2, or its words if they are in registers.
std::vector<std::byte> buffer_gxp(bool registers) {
  GxpBuilder gxp = fragment_gxp(registers ? "vmov.f32 pa0.xy, sa0\nvmov.f32 pa2.xy, sa2\nnop.end"
                                          : "ld.b32.x4.moe.drc0 pa0, sa0, #0, #0\nwdf.drc0\nnop.end");
  gxp.container(registers ? 2 : 19, 4);
  if (!registers) {
    gxp.table(0x78, 1);
    gxp.add(2, 4);
    gxp.add(0, 4);
  }
  return gxp.finish();
}

// A scene of 8 x 8 pixels, and a draw of one triangle over all of it.
struct CApiUsse : ::testing::Test {
  OwnedEngine engine;
  warpjit_error error = sized<warpjit_error>();
  std::vector<std::uint32_t> pixels = std::vector<std::uint32_t>(kSize * kSize, 0x80202020);
  std::array<float, 18> vertices{-1, 1, 0, 1, 0, 0, 3, 1, 0, 1, 2, 0, -1, -3, 0, 1, 0, 2};
  std::array<std::uint32_t, 3> indices{0, 1, 2};
  std::array<float, 4> color{1, 0, 0.2F, 1};
  OwnedProgram vertex, fragment;
  warpjit_usse_stream stream{vertices.data(), sizeof vertices, 24, 0};
  std::array<warpjit_usse_attribute, 2> attributes{
      {{0, 0, WARPJIT_USSE_F32, 4, 0}, {0, 16, WARPJIT_USSE_F32, 2, 4}}};
  warpjit_usse_uniform uniform{"uColor", nullptr, 4};
  warpjit_usse_stage vertex_stage = sized<warpjit_usse_stage>(), stage = sized<warpjit_usse_stage>();
  warpjit_usse_draw draw = sized<warpjit_usse_draw>();
  OwnedScene scene;

  CApiUsse() {
    EXPECT_EQ(warpjit_engine_create(nullptr, engine.out(), &error), WARPJIT_OK);
    vertex = load(vertex_gxp());
    vertex_stage.program = vertex;
    EXPECT_EQ(warpjit_usse_default_draw(&draw, &error), WARPJIT_OK);
    draw.vertex = &vertex_stage;
    draw.fragment = &stage;
    draw.streams = &stream;
    draw.stream_count = 1;
    draw.attributes = attributes.data();
    draw.attribute_count = 2;
    draw.indices = indices.data();
    draw.index_count = 3;
    draw.viewport_offset[0] = draw.viewport_offset[1] = draw.viewport_scale[0] = kSize / 2.0F;
    draw.viewport_scale[1] = -draw.viewport_scale[0];
    uniform.words = reinterpret_cast<const std::uint32_t*>(color.data());
  }

  OwnedProgram load(const std::vector<std::byte>& gxp) {
    OwnedProgram program;
    EXPECT_EQ(warpjit_program_load(gxp.data(), gxp.size(), nullptr, program.out(), &error), WARPJIT_OK)
        << error.where << error.message;
    return program;
  }
  void use(const std::vector<std::byte>& gxp) {
    fragment = load(gxp);
    stage = sized<warpjit_usse_stage>();
    stage.program = fragment;
  }
  void use_plain() {
    use(plain_gxp());
    stage.uniforms = &uniform;
    stage.uniform_count = 1;
  }
  void begin(const warpjit_usse_depth_surface* depth = nullptr, std::uint32_t format = 0) {
    auto surface = sized<warpjit_usse_color_surface>();
    surface.format = format;
    surface.width = surface.height = surface.stride = kSize;
    surface.data = pixels.data();
    surface.byte_count = 4 * pixels.size();
    OwnedScene begun;
    ASSERT_EQ(warpjit_usse_scene_begin(&surface, depth, begun.out(), &error), WARPJIT_OK) << error.message;
    scene = std::move(begun);
  }
  warpjit_status run(uint32_t* drawn = nullptr) {
    return warpjit_usse_scene_draw(scene, engine, &draw, nullptr, drawn, nullptr, &error);
  }
  // The colour of pixels after the draw.
  void expect_all(std::uint32_t wanted) {
    EXPECT_EQ(run(), WARPJIT_OK) << error.where << error.message;
    EXPECT_EQ(warpjit_usse_scene_end(scene, &error), WARPJIT_OK);
    EXPECT_EQ(std::ranges::count(pixels, wanted), std::ssize(pixels)) << std::hex << pixels[9];
  }
  void expect_refused(warpjit_status wanted, const char* where) {
    EXPECT_EQ(run(), wanted);
    EXPECT_NE((std::string(error.where) + error.message).find(where), std::string::npos)
        << error.where << error.message;
  }
};

TEST_F(CApiUsse, DrawsOnEveryEngine) {
  use_plain();
  draw.has_region = 1;
  draw.region[0] = draw.region[2] = 2;
  draw.region[3] = 7;
  for (const std::int32_t kind : {WARPJIT_JIT, WARPJIT_IR, WARPJIT_GUEST}) {
    pixels.assign(pixels.size(), 7);
    begin();
    auto options = sized<warpjit_run_options>();
    options.engine = kind;
    auto report = sized<warpjit_report>();
    std::uint32_t drawn = 7;
    ASSERT_EQ(warpjit_usse_scene_draw(scene, engine, &draw, &options, &drawn, &report, &error), WARPJIT_OK)
        << error.message;
    EXPECT_EQ(drawn, 1U);
    EXPECT_EQ(report.engine, kind);
    EXPECT_EQ(report.work, WARPJIT_WORK_PIXELS);
    EXPECT_EQ(pixels[2], 7U);  // memory does not see it before the end
    EXPECT_EQ(warpjit_usse_scene_end(scene, &error), WARPJIT_OK);
    EXPECT_EQ(pixels[2], 0xff3300ffU);
    EXPECT_EQ(std::ranges::count(pixels, 0xff3300ffU), 8);  // the column of the region
    EXPECT_EQ(std::ranges::count(pixels, 7U), 56);
  }
}

TEST_F(CApiUsse, CancelEndsDraws) {
  use(fragment_gxp("again:\nvadd.f32 pa0.xy, pa0, pa0\nbr offset:again\nnop.end").finish());
  for (const std::int32_t kind : {WARPJIT_JIT, WARPJIT_IR, WARPJIT_GUEST}) {
    begin();
    Canceller canceller;
    auto options = sized<warpjit_run_options>();
    options.engine = kind;
    options.fuel = ~std::uint64_t{0};
    options.cancel = reinterpret_cast<const std::uint32_t*>(&canceller.flag);
    EXPECT_EQ(warpjit_usse_scene_draw(scene, engine, &draw, &options, nullptr, nullptr, &error),
              WARPJIT_CANCELLED);
    canceller.expect_soon();
  }
}

TEST_F(CApiUsse, NothingToDraw) {
  use_plain();
  begin();
  auto report = sized<warpjit_report>();
  report.lanes = 7;
  for (const bool instances : {false, true}) {
    std::uint32_t drawn = 7;
    draw.instances = instances ? 1 : 0;
    draw.index_count = instances ? 0 : 3;
    EXPECT_EQ(warpjit_usse_scene_draw(scene, engine, &draw, nullptr, &drawn, &report, &error), WARPJIT_OK);
    EXPECT_EQ(drawn, 0U);
    EXPECT_EQ(report.lanes, 0U);
  }
}

// Red is 0.2 and 0.4, green 0 and 0.2, in two instances whose colours add up.
TEST_F(CApiUsse, AttributesOfInstances) {
  const std::array<float, 4> values{0.2F, 0, 0.4F, 0.2F};
  std::array<warpjit_usse_stream, 2> streams{
      {{vertices.data(), sizeof vertices, 24, 0}, {values.data(), sizeof values, 8, 1}}};
  attributes[1] = {1, 0, WARPJIT_USSE_F32, 2, 4};
  use(fragment_gxp("vmov.f32 pa2.xy, c0\nnop.end").finish());
  auto blend = sized<warpjit_usse_blend>();
  blend.color_mask = 15;
  blend.color_function = blend.alpha_function = 1;
  blend.color_source = blend.color_target = blend.alpha_source = blend.alpha_target = 1;
  draw.blend = &blend;
  draw.streams = streams.data();
  draw.stream_count = 2;
  for (const std::uint32_t instances : {1U, 2U}) {
    draw.instances = instances;
    pixels.assign(pixels.size(), 0);
    begin();
    expect_all(instances == 1 ? 0x00000033 : 0x00003399);
  }
  // Two words of a row each.
  attributes = {{{0, 0, WARPJIT_USSE_F32, 2, 0}, {1, 0, WARPJIT_USSE_F32, 2, 2}}};
  EXPECT_EQ(warpjit_usse_scene_draw(scene, engine, &draw, nullptr, nullptr, nullptr, &error),
            WARPJIT_UNSUPPORTED);
  EXPECT_NE(std::string(error.message).find("words of one row, pa0"), std::string::npos) << error.message;
}

TEST_F(CApiUsse, DefaultUniformsAndBlending) {
  use_plain();
  stage.uniform_count = 0;
  stage.default_uniforms = uniform.words;
  stage.default_uniform_count = 4;
  auto blend = sized<warpjit_usse_blend>();
  blend.color_mask = 2 | 8;  // red and blue
  blend.color_function = blend.alpha_function = 1;
  blend.color_source = blend.color_target = blend.alpha_source = blend.alpha_target = 1;
  draw.blend = &blend;
  begin();
  expect_all(0x805320ff);
}

// min(target alpha, 1 - source alpha) of the colours, 1 of alpha.
TEST_F(CApiUsse, BlendFactorOfTargetAlpha) {
  use_plain();
  color[3] = 0.25F;
  auto blend = sized<warpjit_usse_blend>();
  blend.color_mask = 15;
  blend.color_function = blend.alpha_function = 1;
  blend.color_source = blend.alpha_source = 11;
  draw.blend = &blend;
  begin();
  expect_all(0x401a0080);  // alpha was 0x80, the colour is 1, 0, 0.2
}

// Red 255, green 0, blue 51 and alpha 77, by alpha over 32, 32, 32 and 128 by 178: each product is rounded.
TEST_F(CApiUsse, BlendsBytes) {
  use_plain();
  color[3] = 0.3F;
  auto blend = sized<warpjit_usse_blend>();
  blend.color_mask = 15;
  blend.color_function = blend.alpha_function = 1;
  blend.color_source = blend.alpha_source = 4;
  blend.color_target = blend.alpha_target = 5;
  draw.blend = &blend;
  begin();
  expect_all((23U + 89U) << 24 | (15U + 22U) << 16 | 22U << 8 | (77U + 22U));
}

TEST_F(CApiUsse, BlendingOfTwoFloatsIsRefused) {
  use_plain();
  pixels.resize(2 * pixels.size());
  auto blend = sized<warpjit_usse_blend>();
  blend.color_mask = 15;
  blend.alpha_function = 4;
  draw.blend = &blend;
  begin(nullptr, 0x11000000);  // F32F32
  expect_refused(WARPJIT_UNSUPPORTED, "blend alpha function 4 is not supported for a target of rgba32f");
  blend.alpha_function = 0;
  EXPECT_EQ(run(), WARPJIT_OK) << error.message;
  blend.alpha_function = 4;
  pixels.assign(pixels.size(), 0);
  begin(nullptr, 0x10800000);  // F32
  EXPECT_EQ(run(), WARPJIT_OK) << error.message;
}

TEST_F(CApiUsse, Textures) {
  use(texture_gxp());
  std::vector<std::uint32_t> texels(64, 0xff336699);
  // Eight by eight texels of 8 bits a channel, swizzled, point filter.
  const warpjit_usse_texture texture{3, {0x03fe1490, 0x0c030003, kAddress, 0x80000000}};
  const warpjit_usse_memory memory{kAddress, 0, texels.data(), 4 * texels.size()};
  stage.textures = &texture;
  stage.texture_count = 1;
  draw.memory = &memory;
  draw.memory_count = 1;
  begin();
  expect_all(0xff336699);
}

TEST_F(CApiUsse, UniformBuffers) {
  std::array<float, 8> values{0, 0, 0, 0, 0, 1, 0.2F, 0};
  for (const bool registers : {false, true}) {
    use(buffer_gxp(registers));
    const auto* const words = reinterpret_cast<const std::uint32_t*>(values.data());
    const warpjit_usse_uniform_buffer buffer{2, registers ? 0 : kAddress + 16,
                                             registers ? words + 4 : nullptr, registers ? 4U : 0U};
    const warpjit_usse_memory memory{kAddress, 0, values.data(), sizeof values};
    stage.buffers = &buffer;
    stage.buffer_count = 1;
    draw.memory = &memory;
    draw.memory_count = registers ? 0 : 1;
    pixels.assign(pixels.size(), 7);
    begin();
    expect_all(0x0033ff00);
  }
}

TEST_F(CApiUsse, DepthAndStencil) {
  use_plain();
  auto depth = sized<warpjit_usse_depth_surface>();
  depth.format = WARPJIT_PIXELS_D24S8;
  depth.depth = 0.75F;
  depth.stencil = 3;
  auto state = sized<warpjit_usse_depth_stencil>();
  ASSERT_EQ(warpjit_usse_default_depth_stencil(&state, &error), WARPJIT_OK);
  EXPECT_EQ(state.depth_compare, WARPJIT_COMPARE_ALWAYS);
  EXPECT_EQ(state.front.write_mask, 0xffU);
  EXPECT_EQ(state.back.compare, WARPJIT_COMPARE_ALWAYS);
  draw.depth_stencil = &state;
  begin(&depth);
  state.depth_compare = WARPJIT_COMPARE_GREATER;  // 0.5 is not
  expect_all(0x80202020);
  state.depth_compare = WARPJIT_COMPARE_LESS;
  state.stencil = 1;
  state.front.compare = WARPJIT_COMPARE_EQUAL;
  state.front.reference = 3;
  state.front.pass = WARPJIT_STENCIL_INCREMENT_CLAMP;
  expect_all(0xff3300ff);  // once
  color[0] = 0;
  expect_all(0xff3300ff);  // and not again: the stencil is 4
  state.two_sided = 1;
  state.back.reference = 4;
  state.back.compare = WARPJIT_COMPARE_EQUAL;
  std::swap(indices[0], indices[1]);  // the other side
  const std::uint32_t first = pixels[0];
  EXPECT_EQ(run(), WARPJIT_OK) << error.message;
  EXPECT_EQ(warpjit_usse_scene_end(scene, &error), WARPJIT_OK);
  std::swap(indices[0], indices[1]);
  EXPECT_EQ(run(), WARPJIT_OK) << error.message;
  EXPECT_EQ(warpjit_usse_scene_end(scene, &error), WARPJIT_OK);
  EXPECT_NE(pixels[0], first);  // one of both is the back
}

TEST_F(CApiUsse, Refusals) {
  use_plain();
  begin();
  EXPECT_EQ(warpjit_usse_scene_draw(nullptr, engine, &draw, nullptr, nullptr, nullptr, &error),
            WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_usse_scene_draw(scene, engine, nullptr, nullptr, nullptr, nullptr, &error),
            WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_usse_scene_end(nullptr, &error), WARPJIT_BAD_INPUT);
  warpjit_usse_scene_destroy(nullptr);
  const warpjit_usse_draw good = draw;
  draw.fragment = nullptr;
  expect_refused(WARPJIT_BAD_INPUT, "fragment");
  draw = good;
  stage.program = nullptr;
  expect_refused(WARPJIT_BAD_INPUT, "program");
  stage.program = vertex;
  expect_refused(WARPJIT_BAD_INPUT, "fragment program");
  stage.program = fragment;
  stage.size = 4;
  expect_refused(WARPJIT_BAD_INPUT, "fragment");
  stage.size = sizeof stage;
  uniform.name = "uOther";
  expect_refused(WARPJIT_BAD_INPUT, "uOther");
  uniform.name = nullptr;
  expect_refused(WARPJIT_BAD_INPUT, "name of a uniform");
  uniform.name = "uColor";
  attributes[1].format = 11;
  expect_refused(WARPJIT_BAD_INPUT, "attribute.format");
  attributes[1].format = WARPJIT_USSE_F32;
  attributes[1].components = 257;  // not one
  expect_refused(WARPJIT_BAD_INPUT, "attribute.components");
  attributes[1].components = 2;
  attributes[1].reg = 0x10004;
  expect_refused(WARPJIT_BAD_INPUT, "attribute.reg");
  attributes[1].reg = 4;
  draw.primitive = 4;
  expect_refused(WARPJIT_BAD_INPUT, "primitive");
  draw = good;
  draw.cull = -1;
  expect_refused(WARPJIT_BAD_INPUT, "cull");
  draw = good;
  auto blend = sized<warpjit_usse_blend>();
  blend.color_function = 256 + 1;
  draw.blend = &blend;
  expect_refused(WARPJIT_BAD_INPUT, "color_function");
  draw = good;
  auto state = sized<warpjit_usse_depth_stencil>();
  ASSERT_EQ(warpjit_usse_default_depth_stencil(&state, &error), WARPJIT_OK);
  state.front.reference = 256;
  draw.depth_stencil = &state;
  expect_refused(WARPJIT_BAD_INPUT, "stencil.reference");
  draw = good;
  expect_all(0xff3300ff);

  OwnedScene other;
  auto surface = sized<warpjit_usse_color_surface>();
  surface.width = surface.height = kSize;
  EXPECT_EQ(warpjit_usse_scene_begin(nullptr, nullptr, other.out(), &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_usse_scene_begin(&surface, nullptr, other.out(), &error), WARPJIT_BAD_INPUT);
  surface.data = pixels.data();
  surface.byte_count = 4 * pixels.size();
  surface.stride = kSize;
  auto depth = sized<warpjit_usse_depth_surface>();
  depth.format = WARPJIT_PIXELS_RGBA8;
  EXPECT_EQ(warpjit_usse_scene_begin(&surface, &depth, other.out(), &error), WARPJIT_UNSUPPORTED);
  EXPECT_EQ(other, nullptr);
}

TEST(CApiUssePrograms, WordsAndAssembly) {
  auto error = sized<warpjit_error>();
  OwnedProgram program;
  const std::vector<std::uint64_t> code = words_of("fragment", "nop.end");
  auto words = sized<warpjit_usse_words>();
  const auto from_words = [&] { return warpjit_program_from_usse_words(&words, program.out(), &error); };
  EXPECT_EQ(from_words(), WARPJIT_BAD_INPUT);  // no words
  words.code = code.data();
  words.code_count = code.size();
  words.stage = WARPJIT_STAGE_FRAGMENT;
  ASSERT_EQ(from_words(), WARPJIT_OK) << error.message;
  auto info = sized<warpjit_program_info>();
  ASSERT_EQ(warpjit_program_get_info(program, &info, &error), WARPJIT_OK);
  EXPECT_EQ(info.stage, WARPJIT_STAGE_FRAGMENT);
  program = {};
  words.stage = WARPJIT_STAGE_COMPUTE;
  EXPECT_EQ(from_words(), WARPJIT_BAD_INPUT);
  EXPECT_STREQ(error.message, "this GPU has no compute programs");

  const auto assemble = [&](const char* text, const warpjit_program_choice* choice) {
    program = {};
    return warpjit_program_from_usse_assembly(text, choice, program.out(), &error);
  };
  EXPECT_EQ(assemble("nop.end\n", nullptr), WARPJIT_OK) << error.message;
  EXPECT_EQ(assemble("nop.bad\n", nullptr), WARPJIT_BAD_INPUT);
  auto choice = sized<warpjit_program_choice>();
  choice.stage = WARPJIT_STAGE_FRAGMENT;
  EXPECT_EQ(assemble("nop.end\n", &choice), WARPJIT_BAD_INPUT);  // it is a vertex program
  EXPECT_EQ(assemble(".stage fragment\n.primary\nnop.end\n", &choice), WARPJIT_OK) << error.message;
}

}  // namespace
}  // namespace warpjit::test
