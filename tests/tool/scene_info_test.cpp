// warpjit info of scenes of the 3DS: draws in words.
#include <cstring>

#include "scene/citrace.h"
#include "scene/load_scene.h"
#include "scene/scene_words.h"
#include "tool/cli.h"
#include "unpack.h"

namespace warpjit::tool {
namespace {

using pica200::CombinerHalf;
using pica200::CombinerOp;
using pica200::CombinerSource;
using pica200::FragmentState;

std::string scene_path(const std::string& name) {
  return "'" + tests::source_file("tests/corpus/pica200/frames/" + name + "/scene.json") + "'";
}
bool lacks_lzma() {
  const auto result = unpack_xz({}, "", 1);
  return !result && result.error().code == ErrorCode::unsupported;
}

CombinerHalf passing() { return {CombinerOp::replace, {{{CombinerSource::previous, 0}}}, 0, false}; }
FragmentState empty_state() {
  FragmentState state;
  for (pica200::CombinerStage& stage : state.stages) stage = {passing(), passing()};
  state.output.color_mask = 15;
  return state;
}

TEST(SceneWords, CombinersAreFormulas) {
  FragmentState state = empty_state();
  state.stages[0].color = {
      CombinerOp::modulate, {{{CombinerSource::texture0, 0}, {CombinerSource::primary, 3}}}, 1, false};
  state.stages[0].alpha = {CombinerOp::replace, {{{CombinerSource::texture0, 5}}}, 0, false};
  state.stages[2].color = {
      CombinerOp::interpolate,
      {{{CombinerSource::previous, 0}, {CombinerSource::constant, 0}, {CombinerSource::constant, 2}}},
      2,
      false};
  pica200::FragmentValues values;
  values.constants[2] = {255, 128, 0, 64};
  const auto formulas = stage_formulas(state, values);
  EXPECT_EQ(formulas[0].color, "texture0.rgb * (1 - primary.a) * 2");
  EXPECT_EQ(formulas[0].alpha, "(1 - texture0.g)");
  EXPECT_EQ(formulas[1].color, "");
  EXPECT_EQ(formulas[2].color, "(previous.rgb * 64/255 + #ff8000 * (1 - 64/255)) * 4");
  EXPECT_EQ(formulas[2].alpha, "");
}

TEST(SceneWords, DeadStagesAreLeftOut) {
  FragmentState state = empty_state();
  state.stages[0].color = {CombinerOp::replace, {{{CombinerSource::primary, 0}}}, 0, false};
  state.stages[1].color = {CombinerOp::replace, {{{CombinerSource::texture0, 0}}}, 0, true};
  state.stages[2].color = {CombinerOp::replace, {{{CombinerSource::texture1, 0}}}, 0, false};
  state.stages[3].color = {
      CombinerOp::add, {{{CombinerSource::buffer, 0}, {CombinerSource::zero, 0}}}, 0, false};
  state.stages[5].alpha = {CombinerOp::replace, {{{CombinerSource::constant, 0}}}, 0, false};
  const auto formulas = stage_formulas(state, {});
  EXPECT_EQ(formulas[0].color, "") << "stage 1 reads none of it";
  EXPECT_EQ(formulas[1].color, "texture0.rgb") << "the buffer of stage 3";
  EXPECT_EQ(formulas[2].color, "");
  EXPECT_EQ(formulas[3].color, "buffer.rgb + 0");
  EXPECT_EQ(formulas[0].alpha, "");
  EXPECT_EQ(formulas[5].alpha, "0/255");
}

TEST(SceneWords, DotProductsOfAllPartsHaveNoAlphaOfTheirOwn) {
  FragmentState state = empty_state();
  state.stages[0].color = {
      CombinerOp::dot3_all, {{{CombinerSource::texture0, 0}, {CombinerSource::primary, 0}}}, 0, false};
  const auto formulas = stage_formulas(state, {});
  EXPECT_EQ(formulas[0].color, "dot3(texture0.rgb, primary.rgb)");
  EXPECT_EQ(formulas[0].alpha, formulas[0].color);
}

TEST(SceneWords, BlendingIsAFormula) {
  pica200::OutputState output;
  output.blends = true;
  output.factors = {6, 7, 1, 0};
  EXPECT_EQ(blend_formula(output, 0), "src * src.a + dst * (1 - src.a)");
  EXPECT_EQ(blend_formula(output, 1), "src.a");
  output.equations = {2, 4};
  output.factors = {14, 1, 14, 12};
  EXPECT_EQ(blend_formula(output, 0), "dst - src * min(src.a, 1 - dst.a)");
  EXPECT_EQ(blend_formula(output, 1), "max(src.a, dst.a * constant.a)");
  EXPECT_EQ(logic_formula(13), "~src & dst");
}

TEST(SceneWords, JobsSayWhatTheyDo) {
  EXPECT_EQ(job_text(pica200::MemoryFill{0x18000000, 0x18000010, 0xFF, 0x201}),
            "fill from 0x18000000 to 0x18000010 with 0xff, 32 bits");
  EXPECT_EQ(
      job_text(pica200::DisplayTransfer{0x18000000, 0x20000000, 64 | 64 << 16, 32 | 64 << 16, 0x1001005}),
      "transfer from 0x18000000, 64 x 64 RGBA8 in tiles, to 0x20000000, 32 x 64 RGB8 in lines, flipped, "
      "cropped, half as wide");
  EXPECT_EQ(
      job_text(pica200::TextureCopy{0x18000000, 0x20000000, 64, 2 | 1 << 16, 0}),
      "copy of 64 bytes from 0x18000000 in lines of 32 bytes with gaps of 16 to 0x20000000 in one piece");
}

TEST_F(ToolTest, InfoTellsWhatDrawsDo) {
  if (lacks_lzma()) GTEST_SKIP() << "no liblzma";
  const Outcome light = run("info " + scene_path("light_specular"));
  EXPECT_EQ(light.code, 0) << light.err;
  for (const char* text : {"280 triangles of 165 vertices, elements, command at 0x20002768",
                           "drops clockwise triangles", "position (1.5, 1.5, 2); diffuse (0.6, 0.498, 0.298)",
                           "D0 of N.H", "rgb = light_primary.rgb + light_secondary.rgb; a = light_primary.a",
                           "passes where depth > stored, is written", "0x18000000, 64 x 64, RGBA8"})
    EXPECT_NE(light.out.find(text), std::string::npos) << text << "\n" << light.out;
  for (const auto& [name, text] :
       {std::pair("fog", "table of depth, colour #80a0c0"), std::pair("stencil", "replace by"),
        std::pair("proctex", "colours[map(sqrt(u^2 + v^2))]"),
        std::pair("shadow_map", "penumbra 1 + 0 * depth"), std::pair("cube_map", "cube"),
        std::pair("light_bump", "normal map of texture"),
        std::pair("texture_mipmaps", "levels 0 to 3, nearest between them")}) {
    const Outcome outcome = run("info " + scene_path(name));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(text), std::string::npos) << outcome.out;
  }
}

TEST_F(ToolTest, InfoOfAScene) {
  if (lacks_lzma()) GTEST_SKIP() << "no liblzma";
  const Outcome some = run("info " + scene_path("stencil"));
  EXPECT_NE(some.out.find("draw 15:"), std::string::npos);
  EXPECT_EQ(some.out.find("draw 16:"), std::string::npos);
  EXPECT_NE(some.out.find("1 more draw: --all"), std::string::npos) << some.out;
  const Outcome all = run("info " + scene_path("stencil") + " --all --registers");
  EXPECT_NE(all.out.find("draw 16:"), std::string::npos);
  EXPECT_NE(all.out.find("stencil operations"), std::string::npos) << all.out;

  const auto json = nlohmann::json::parse(run("info " + scene_path("stencil") + " --json --all").out);
  EXPECT_EQ(json["draws"], 17);
  EXPECT_EQ(json["jobs"][2]["setups"].size(), 17u);
  EXPECT_EQ(json["jobs"][2]["setups"][1]["combiners"][0]["rgb"], "primary.rgb");

  const Outcome refused = run("info " + scene_path("hostile_gas"));
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.out.find("fill from"), std::string::npos) << refused.out;
  EXPECT_NE(refused.err.find("register 0x100 (fragment mode, blending on)"), std::string::npos)
      << refused.err;
  EXPECT_EQ(run("info --all").code, 2);
}

// The words that the scene's lists write to a register.
void write_in_lists(Scene& scene, std::uint32_t id, std::uint32_t value) {
  for (const SceneJob& job : scene.jobs) {
    const auto* list = std::get_if<CommandList>(&job);
    if (list == nullptr) continue;
    for (SceneMemory& piece : scene.memory) {
      if (list->address < piece.address || list->address - piece.address >= piece.bytes.size()) continue;
      std::vector<std::uint32_t> words(list->bytes / 4);
      std::byte* const bytes = piece.bytes.data() + (list->address - piece.address);
      std::memcpy(words.data(), bytes, list->bytes);
      for (std::size_t at = 0; at + 1 < words.size();) {
        const std::uint32_t header = words[at + 1], others = header >> 20 & 0xFF;
        for (std::uint32_t n = 0; n <= others; ++n)
          if ((header & 0xFFFF) + (header >> 31 != 0 ? n : 0) == id) words[n == 0 ? at : at + 1 + n] = value;
        at += (2 + others + 1) / 2 * 2;
      }
      std::memcpy(bytes, words.data(), list->bytes);
    }
  }
}

// Info says at a draw why it cannot use its targets or textures; the list ends there, as when it is drawn.
TEST_F(ToolTest, InfoTellsWhyDrawsAreRefused) {
  if (lacks_lzma()) GTEST_SKIP() << "no liblzma";
  struct Spoilt {
    const char* name;
    std::uint32_t id, value;
    const char* text;
  };
  for (const Spoilt& spoilt :
       {Spoilt{"light_specular", 0x11D, 0x1FFFF000 >> 3,
               "register 0x11D (colour target address): 16384 bytes of the"},
        Spoilt{"light_specular", 0x11C, 0x18000000 >> 3,
               "register 0x11C (depth target address): the depth target lies over"},
        Spoilt{"texture_mipmaps", 0x085, 0x10000000 >> 3, "register 0x085 (texture 0 address): "},
        Spoilt{"texture_mipmaps", 0x085, 0x18000000 >> 3, "the texture lies over a target of the draw"}}) {
    SCOPED_TRACE(spoilt.text);
    auto scene = load_scene(tests::source_file("tests/corpus/pica200/frames/") + spoilt.name + "/scene.json");
    ASSERT_TRUE(scene.ok());
    write_in_lists(*scene, spoilt.id, spoilt.value);
    scene->outputs.clear();
    ASSERT_TRUE(write_scene(*scene, path("spoilt.json")).ok());
    const Outcome outcome = run("info spoilt.json");
    EXPECT_EQ(outcome.code, 2);
    const auto draw = outcome.out.find("draw 0:"), refused = outcome.out.find("refused");
    ASSERT_NE(refused, std::string::npos) << outcome.out << outcome.err;
    EXPECT_LT(draw, refused);
    EXPECT_NE(outcome.out.find(spoilt.text), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("draw 1:"), std::string::npos);
    // It is the error that drawing gives.
    const Outcome drawn = run("render spoilt.json");
    EXPECT_EQ(drawn.code, 2);
    EXPECT_EQ(drawn.err, outcome.err);
  }
}

TEST_F(ToolTest, DrawsHaveIrAndHostCode) {
  if (lacks_lzma()) GTEST_SKIP() << "no liblzma";
  const Outcome list = run("ir " + scene_path("stencil") + " --draw 3 --list");
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_NE(list.out.find("linearize"), std::string::npos) << list.out;
  EXPECT_EQ(list.err, "");
  const Outcome first = run("ir " + scene_path("stencil"));
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.err.find("the first of 17 draws"), std::string::npos) << first.err;
  EXPECT_NE(first.out, run("ir " + scene_path("stencil") + " --draw 3").out);
  for (const char* target : {"v3", "v4", "a64"}) {
    const Outcome host = run("host " + scene_path("light_bump") + " --draw 0 --target " + target);
    EXPECT_TRUE(host.code == 0 || host.code == 4) << host.err;  // a build may lack it
    if (host.code == 0) {
      EXPECT_NE(host.out.find("bytes of code"), std::string::npos) << host.out;
    }
  }
  const Outcome none = run("ir " + scene_path("stencil") + " --draw 17");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("the draws 0 to 16"), std::string::npos) << none.err;
  EXPECT_EQ(run("ir " + scene_path("stencil") + " --entry main").code, 2);
  EXPECT_EQ(run("ir '" + kExamples + "mvp_light.json' --draw 0").code, 2);
}

}  // namespace
}  // namespace warpjit::tool
