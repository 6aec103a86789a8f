// The cases of golden counts of the PICA200's fixed function: states that differ in one thing from a picture of
// vertex colours.
#include <functional>

#include "frontend/pica200/facts/fragment_words.h"
#include "frontend/pica200/translate/fragment/fragment.h"
#include "golden.h"

namespace warpjit::tool {
namespace {

using namespace pica200;

// Vertex colours to RGBA8.
FragmentState plain_state() {
  FragmentState state;
  state.stages[0].color.arguments[0].source = state.stages[0].alpha.arguments[0].source =
      CombinerSource::primary;
  for (std::size_t n = 1; n < kCombinerStages; ++n)
    state.stages[n].color.arguments[0].source = state.stages[n].alpha.arguments[0].source =
        CombinerSource::previous;
  state.output.blends = true;
  state.output.factors = {1, 0, 1, 0};
  state.output.color_mask = 15;
  return state;
}

// Texture 0 of this format times the colour, with a linear filter.
FragmentState textured(TexelFormat format) {
  FragmentState state = plain_state();
  TextureState& unit = state.textures[0];
  unit.type = TextureType::flat;
  unit.format = format;
  unit.wrap_s = unit.wrap_t = 2;
  unit.magnify_linear = unit.minify_linear = unit.one_level = true;
  for (CombinerHalf* half : {&state.stages[0].color, &state.stages[0].alpha}) {
    half->op = CombinerOp::modulate;
    half->arguments[1].source = CombinerSource::texture0;
  }
  return state;
}

FragmentState lit() {
  FragmentState state = plain_state();
  LightingState& lighting = state.lighting;
  lighting.on = true;
  lighting.count = 1;
  for (const LightTable table : {kD0, kD1, kRR}) lighting.tables[table].on = true;
  state.stages[0].color.op = CombinerOp::add;
  state.stages[0].color.arguments[0].source = CombinerSource::light_primary;
  state.stages[0].color.arguments[1].source = CombinerSource::light_secondary;
  return state;
}

using Change = std::function<void(FragmentState&)>;
struct StateRow {
  std::string name;
  FragmentState state;
};

std::vector<StateRow> state_rows() {
  std::vector<StateRow> rows;
  const auto add = [&](
                       std::string name, FragmentState state, const Change& change = [](FragmentState&) {}) {
    change(state);
    rows.push_back({"pixels " + std::move(name), state});
  };
  add("colour", plain_state());
  add("flat colour", plain_state(), [](FragmentState& s) { s.flat_color = true; });
  constexpr const char* kFormats[] = {"rgba8", "rgb8", "rgb5a1", "rgb565", "rgba4", "ia8",  "rg8",
                                      "i8",    "a8",   "ia4",    "i4",     "a4",    "etc1", "etc1a4"};
  for (unsigned n = 0; n < std::size(kFormats); ++n)
    add(std::string("texture ") + kFormats[n], textured(static_cast<TexelFormat>(n)));
  const FragmentState texture = textured(TexelFormat::rgba8);
  const auto add_texture = [&](const char* name, auto change) {
    add(name, texture, [&](FragmentState& s) { change(s.textures[0]); });
  };
  add_texture("nearest", [](TextureState& t) { t.magnify_linear = t.minify_linear = false; });
  add_texture("one filter each", [](TextureState& t) { t.minify_linear = false; });
  add_texture("levels", [](TextureState& t) { t.one_level = false; });
  add_texture("between levels", [](TextureState& t) {
    t.one_level = false;
    t.mip_linear = true;
  });
  constexpr const char* kWraps[] = {"edge",   "border",           "repeat",
                                    "mirror", "repeat then edge", "repeat then border"};
  for (std::uint8_t n = 0; n < std::size(kWraps); ++n)
    add_texture(kWraps[n], [&](TextureState& t) { t.wrap_s = t.wrap_t = n; });
  add_texture("projection", [](TextureState& t) {
    t.type = TextureType::projection;
    t.divides = true;
  });
  add_texture("cube", [](TextureState& t) {
    t.type = TextureType::cube;
    t.wrap_s = t.wrap_t = 0;
  });
  add_texture("shadow", [](TextureState& t) { t.type = TextureType::shadow; });
  add("two textures", texture, [](FragmentState& s) {
    s.textures[1] = s.textures[0];
    for (CombinerHalf* half : {&s.stages[1].color, &s.stages[1].alpha}) {
      half->op = CombinerOp::modulate;
      half->arguments[1].source = CombinerSource::texture1;
    }
  });
  constexpr const char* kOperations[] = {"replace",  "modulate", "add",      "add signed",   "interpolate",
                                         "subtract", "dot3",     "dot3 all", "multiply add", "add multiply"};
  for (unsigned n = 0; n < std::size(kOperations); ++n)
    add(kOperations[n], texture, [&](FragmentState& s) {
      s.stages[1].color.op = static_cast<CombinerOp>(n);
      s.stages[1].color.arguments[1].source = CombinerSource::constant;
      s.stages[1].color.arguments[2].source = CombinerSource::primary;
    });
  add("light", lit());
  add("light with a bump map", lit(), [](FragmentState& s) {
    s.textures[0] = textured(TexelFormat::rgba8).textures[0];
    s.lighting.bump = BumpMode::normal;
  });
  add("eight lights", lit(), [](FragmentState& s) { s.lighting.count = 8; });
  add("procedural", plain_state(), [](FragmentState& s) {
    s.procedural.on = true;
    s.stages[0].color.arguments[0].source = CombinerSource::procedural;
  });
  add("procedural with noise", plain_state(), [](FragmentState& s) {
    s.procedural.on = s.procedural.noise = true;
    s.stages[0].color.arguments[0].source = CombinerSource::procedural;
  });
  add("fog", plain_state(), [](FragmentState& s) { s.fog = true; });
  const auto add_output = [&](const char* name, auto change) {
    add(name, plain_state(), [&](FragmentState& s) { change(s.output); });
  };
  add_output("alpha test", [](pica200::OutputState& o) { o.alpha_test = Comparison::greater; });
  add_output("depth", [](pica200::OutputState& o) {
    o.depth_test = Comparison::less;
    o.depth_writes = true;
    o.depth_format = DepthFormat::d24s8;
  });
  add_output("stencil", [](pica200::OutputState& o) {
    o.stencil = o.stencil_writes = true;
    o.stencil_test = Comparison::equal;
    o.stencil_ops = {0, 0, 3};
    o.depth_format = DepthFormat::d24s8;
  });
  add_output("blend", [](pica200::OutputState& o) { o.factors = {6, 7, 6, 7}; });
  add_output("logic", [](pica200::OutputState& o) {
    o.blends = false;
    o.logic_op = 11;
  });
  add_output("mask", [](pica200::OutputState& o) { o.color_mask = 7; });
  constexpr const char* kTargets[] = {"to rgba8", "to rgb8", "to rgb5a1", "to rgb565", "to rgba4"};
  for (unsigned n = 1; n < std::size(kTargets); ++n)
    add_output(kTargets[n], [&](pica200::OutputState& o) {
      o.color_format = static_cast<ColorFormat>(n);
      o.factors = {6, 7, 6, 7};
    });
  add_output("shadow map", [](pica200::OutputState& o) { o.shadow = true; });
  return rows;
}

}  // namespace

std::vector<GoldenCase> collect_pica_pixels() {
  std::vector<GoldenCase> cases;
  for (const StateRow& row : state_rows()) {
    frontend::PixelFacts pixels;
    if (row.state.output.touches_color()) pixels.output.colors[0] = PixelFormat::r32ui;
    if (row.state.output.touches_depth()) pixels.output.depth_format = PixelFormat::d24s8;
    pixels.uses = slot_uses(row.state);
    cases.push_back({row.name, translate_fragment(row.state, pixels)});
  }
  return cases;
}

}  // namespace warpjit::tool
