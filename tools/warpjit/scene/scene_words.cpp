#include "scene/scene_words.h"

#include "capture/pica200/call_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpjit::tool {

namespace {

using namespace pica200;
using pica200::OutputState;  // not that of every guest

std::string address_text(std::uint32_t address) { return fmt::format("{:#010x}", address); }

// ---- Combiners

using Needed = std::array<bool, 2>;  // colour, alpha

bool is_previous(const CombinerHalf& half) {
  return half.op == CombinerOp::replace && half.arguments[0].source == CombinerSource::previous &&
         half.arguments[0].operand == 0 && half.shift == 0;
}

// Operands 2 and 3 of a colour are alpha; those of alpha from 2 on are colours.
bool takes_alpha(unsigned half, unsigned operand) {
  return half == 0 ? operand == 2 || operand == 3 : operand < 2;
}

// The halves of each stage that matter for the last one's result.
std::array<Needed, kCombinerStages> needed_halves(const FragmentState& state) {
  std::array<Needed, kCombinerStages> results{};
  std::array<Needed, kCombinerStages> buffers{};  // after each stage
  const Halves read_at_the_end = halves_read(state.output);
  results.back() = {read_at_the_end.color, read_at_the_end.alpha};
  for (unsigned n = kCombinerStages; n-- > 0;) {
    const CombinerStage& stage = state.stages[n];
    const std::array<const CombinerHalf*, 2> halves = {&stage.color, &stage.alpha};
    for (unsigned h = 0; h < 2; ++h) {
      if (!buffers[n][h]) continue;
      if (halves[h]->updates)
        results[n][h] = true;
      else if (n > 0)
        buffers[n - 1][h] = true;
    }
    // The dot product writes both.
    if (stage.color.op == CombinerOp::dot3_all && results[n][1]) results[n][0] = true;
    for (unsigned h = 0; h < 2; ++h) {
      if (!results[n][h]) continue;
      for (unsigned k = 0; k < argument_count(halves[h]->op); ++k) {
        const CombinerArgument& argument = halves[h]->arguments[k];
        const unsigned read = takes_alpha(h, argument.operand) ? 1 : 0;
        if (argument.source == CombinerSource::previous && n > 0) results[n - 1][read] = true;
        if (argument.source == CombinerSource::buffer && n > 1) buffers[n - 2][read] = true;
      }
    }
  }
  return results;
}

// ---- Tests and blending

std::string mask_text(unsigned mask) {
  std::string text = "rgba";
  for (unsigned n = 0; n < 4; ++n)
    if ((mask >> n & 1) == 0) text[n] = '-';
  return text;
}

std::string output_text(const OutputState& output, const FragmentValues& values) {
  std::string text;
  if (!output.blends) {
    text = logic_formula(output.logic_op) + ", bit by bit";
  } else {
    const std::string color = blend_formula(output, 0), alpha = blend_formula(output, 1);
    // Those of alpha name its part.
    std::string same;
    for (std::size_t at = 0; at < color.size(); ++at) {
      same += color[at];
      for (const std::string_view word : {"src", "dst", "constant"})
        if (color.substr(0, at + 1).ends_with(word) && (at + 1 == color.size() || color[at + 1] != '.'))
          same += ".a";
    }
    const bool has_alpha = (output.color_mask & 8) != 0, has_color = (output.color_mask & 7) != 0;
    if (!has_alpha || same == alpha)
      text = color;
    else if (!has_color)
      text = "a = " + alpha;
    else
      text = "rgb = " + color + "; a = " + alpha;
    if (text.find("constant") != std::string::npos)
      text += fmt::format(", constant ({}, {}, {}, {})", values.blend_constant[0], values.blend_constant[1],
                          values.blend_constant[2], values.blend_constant[3]);
  }
  return text;
}

std::string stencil_text(const OutputState& output, const FragmentValues& values) {
  constexpr std::array<std::string_view, 8> kOps = {"keep",          "zero",   "replace by ", "+ 1 up to 255",
                                                    "- 1 down to 0", "invert", "+ 1",         "- 1"};
  const auto op = [&](unsigned n) {
    constexpr unsigned kReplace = 2;
    std::string text(kOps[output.stencil_ops[n]]);
    if (output.stencil_ops[n] == kReplace) text += fmt::format("{:#04x}", values.stencil_reference);
    return text;
  };
  std::string text =
      test_text(output.stencil_test,
                fmt::format("({:#04x} & {:#04x})", values.stencil_reference, values.stencil_input_mask),
                fmt::format("(stored & {:#04x})", values.stencil_input_mask));
  if (!output.stencil_writes) return text + "; writes nothing";
  return text + fmt::format("; stencil fails: {}, depth fails: {}, passes: {}; writes bits {:#04x}", op(0),
                            op(1), op(2), values.stencil_write_mask);
}

// ---- Units

std::string texture_text(const TextureState& state) {
  constexpr std::array<std::string_view, 5> kTypes = {"2D", "cube", "shadow", "projection", "shadow cube"};
  return std::string(kTypes[static_cast<std::size_t>(state.type)]);
}

Json texture_json(const FragmentState& state, const FragmentValues& all, unsigned unit) {
  constexpr std::array<std::string_view, 14> kFormats = {"RGBA8", "RGB8", "RGB5A1", "RGB565", "RGBA4",
                                                         "IA8",   "RG8",  "I8",     "A8",     "IA4",
                                                         "I4",    "A4",   "ETC1",   "ETC1A4"};
  constexpr std::array<std::string_view, 8> kWraps = {
      "edge", "border", "repeat", "mirror", "repeat and edge", "repeat and border", "repeat", "repeat"};
  const TextureState& texture = state.textures[unit];
  const TextureValues& values = all.textures[unit];
  Json json{{"unit", unit}, {"type", texture_text(texture)}};
  if (texture.absent) {
    json["address"] = "0: opaque black";
    return json;
  }
  json["size"] = fmt::format("{} x {}", values.width, values.height);
  json["format"] = std::string(kFormats[static_cast<std::size_t>(texture.format)]);
  std::string addresses = address_text(values.addresses[0]);
  for (unsigned face = 1; texture.is_cube() && face < 6; ++face)
    addresses += " " + address_text(values.addresses[face]);
  json["address"] = std::move(addresses);
  if (unit == 2 && state.unit2_uses_coordinates1) json["coordinates"] = 1;
  if (texture.compares()) {
    json["compares"] = fmt::format("depth >= |w| - {:#x}{}", values.shadow_bias,
                                   texture.divides ? ", coordinates divided by w" : "");
    return json;
  }
  if (!texture.is_cube())
    json["wrap"] = fmt::format("{}, {}", kWraps[texture.wrap_s], kWraps[texture.wrap_t]);
  const auto filter = [](bool linear) { return linear ? "linear" : "nearest"; };
  json["filter"] = texture.magnify_linear == texture.minify_linear
                       ? std::string(filter(texture.magnify_linear))
                       : fmt::format("{} if larger, {} if smaller", filter(texture.magnify_linear),
                                     filter(texture.minify_linear));
  if (!texture.one_level)
    json["levels"] = fmt::format("{} to {}, {} between them, bias {}", values.least, values.greatest,
                                 filter(texture.mip_linear), values.bias / 256.0);
  else if (values.least != 0)
    json["levels"] = fmt::format("{}", values.least);
  if (!texture.is_cube() &&
      (texture.wrap_s == 1 || texture.wrap_t == 1 || texture.wrap_s == 5 || texture.wrap_t == 5))
    json["border"] = fmt::format("({}, {}, {}, {})", values.border[0], values.border[1], values.border[2],
                                 values.border[3]);
  return json;
}

std::string procedural_text(const ProceduralState& state, const ProceduralValues& values) {
  constexpr std::array<std::string_view, 10> kFunctions = {"u",
                                                           "u^2",
                                                           "v",
                                                           "v^2",
                                                           "(u + v) / 2",
                                                           "(u^2 + v^2) / 2",
                                                           "sqrt(u^2 + v^2)",
                                                           "min(u, v)",
                                                           "max(u, v)",
                                                           "((u + v) / 2 + sqrt(u^2 + v^2)) / 2"};
  constexpr std::array<std::string_view, 5> kClamps = {"zero outside", "edge", "repeat", "mirror", "pulse"};
  constexpr std::array<std::string_view, 3> kShifts = {"", ", odd rows shifted", ", even rows shifted"};
  constexpr std::array<std::string_view, 6> kFilters = {"nearest",
                                                        "linear",
                                                        "nearest, nearest level",
                                                        "linear, nearest level",
                                                        "nearest, linear between levels",
                                                        "linear, linear between levels"};
  std::string text = fmt::format("of coordinates {}: colours[map({})], {} wide, {}; u {}{}, v {}{}",
                                 state.coordinates, kFunctions[state.color_function], values.width,
                                 kFilters[state.filter], kClamps[state.clamp_u], kShifts[state.shift_u],
                                 kClamps[state.clamp_v], kShifts[state.shift_v]);
  if (state.separate_alpha) text += fmt::format("; a = map({})", kFunctions[state.alpha_function]);
  if (state.noise)
    text += fmt::format("; noise of amplitudes {:.4g}, {:.4g}, frequencies {}, {}, phases {}, {}",
                        values.amplitudes[0] / 4095.0, values.amplitudes[1] / 4095.0, values.frequencies[0],
                        values.frequencies[1], values.phases[0], values.phases[1]);
  return text;
}

// ---- Lighting

template <class Value>
std::string vector_text(const std::array<Value, 3>& v) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g})", v[0], v[1], v[2]);
}
bool is_black(const std::array<float, 3>& color) { return color == std::array<float, 3>{}; }

Json light_json(const LightState& state, const LightValues& values, unsigned slot) {
  Json json{{"slot", slot}, {"light", values.id}};
  json["at"] = (state.directional ? "direction " : "position ") + vector_text(values.position);
  const auto add = [&](const char* name, const std::array<float, 3>& color) {
    if (!is_black(color)) json[name] = vector_text(color);
  };
  add("diffuse", values.diffuse);
  add("ambient", values.ambient);
  add("specular0", values.specular0);
  add("specular1", values.specular1);
  std::string also;
  const auto has = [&](bool on, const char* name) {
    if (on) also += (also.empty() ? "" : ", ") + std::string(name);
  };
  has(state.two_sided, "two-sided");
  has(state.geometric[0], "geometric factor on specular0");
  has(state.geometric[1], "geometric factor on specular1");
  has(state.shadowed, "shadowed");
  if (!also.empty()) json["with"] = also;
  if (state.spot)
    json["spot"] = "table SP" + std::to_string(values.id) + ", direction " + vector_text(values.spot);
  if (state.attenuated)
    json["attenuation"] =
        fmt::format("table DA{}, distance * {} + {}", values.id, values.distance_scale, values.distance_bias);
  return json;
}

void add_lighting(const FragmentSetup& setup, Json& json) {
  constexpr std::array<std::string_view, kLightTables> kTables = {"D0", "D1", "SP", "FR", "RB", "RG", "RR"};
  constexpr std::array<std::string_view, 7> kInputs = {
      "N.H", "V.H", "N.V", "L.N", "L.spot", "cos phi", "cos phi, which is 0 here"};
  constexpr std::array<std::string_view, 8> kScales = {"", " * 2", " * 4", " * 8", "", "", " / 4", " / 2"};
  const LightingState& state = setup.state.lighting;
  Json lights = Json::array(), tables = Json::array();
  for (unsigned slot = 0; slot < state.count; ++slot)
    lights.push_back(light_json(state.lights[slot], setup.values.lights[slot], slot));
  for (unsigned n = 0; n < kLightTables; ++n) {
    const LightTableState& table = state.tables[n];
    if (!table.on) continue;
    tables.push_back(fmt::format("{} of {}{}{}", kTables[n], kInputs[table.input],
                                 table.is_signed ? ", signed" : "", kScales[table.scale]));
  }
  json["lights"] = std::move(lights);
  if (!tables.empty()) json["light tables"] = std::move(tables);
  if (!is_black(setup.values.ambient)) json["global ambient"] = vector_text(setup.values.ambient);
  if (state.bump != BumpMode::none)
    json["bump"] = fmt::format("{} map of texture{}{}", state.bump == BumpMode::normal ? "normal" : "tangent",
                               state.bump_unit, state.keeps_z ? ", its z kept" : "");
  std::string more;
  const auto add = [&](bool on, const std::string& text) {
    if (on) more += (more.empty() ? "" : ", ") + text;
  };
  if (state.shadow) {
    std::string on;
    for (const auto& [has, name] :
         {std::pair(state.shadow_primary, "primary"), std::pair(state.shadow_secondary, "secondary"),
          std::pair(state.shadow_alpha, "alpha")})
      if (has) on += (on.empty() ? "" : " and ") + std::string(name);
    add(true, fmt::format("shadow factor {}texture{} on {}", state.shadow_inverted ? "1 - " : "",
                          state.shadow_unit, on.empty() ? "nothing" : on));
  }
  add(state.fresnel_primary, "fresnel in primary alpha");
  add(state.fresnel_secondary, "fresnel in secondary alpha");
  add(state.clamp_highlights, "no highlights on unlit sides");
  if (!more.empty()) json["lighting"] = more;
}

// ---- The rest

void add_raster(const FragmentSetup& setup, Json& json) {
  const RasterSetup& raster = setup.raster;
  json["viewport"] = fmt::format("{:g} x {:g} at ({}, {})", 2 * raster.half_width, 2 * raster.half_height,
                                 raster.x, raster.y);
  if (raster.cull == 1) json["culling"] = "drops counterclockwise triangles";
  if (raster.cull == 2) json["culling"] = "drops clockwise triangles";
  if (raster.scissor != RasterSetup::Scissor::off)
    json["scissor"] = fmt::format("draws {} of columns {} to {}, rows {} to {}",
                                  raster.scissor == RasterSetup::Scissor::inside ? "inside" : "outside",
                                  raster.left, raster.right, raster.bottom, raster.top);
  if (raster.user_plane)
    json["clip plane"] = fmt::format("{} x + {} y + {} z + {} w >= 0", raster.plane[0], raster.plane[1],
                                     raster.plane[2], raster.plane[3]);
}

void add_output(const FragmentSetup& setup, Json& json) {
  constexpr std::array<std::string_view, 5> kColors = {"RGBA8", "RGB8", "RGB5A1", "RGB565", "RGBA4"};
  constexpr std::array<std::string_view, 4> kDepths = {"D16", "", "D24", "D24S8"};
  const OutputState& output = setup.state.output;
  const FragmentValues& values = setup.values;
  const TargetSetup& target = setup.target;
  if (setup.state.fog)
    json["fog"] = fmt::format("table of {}, colour #{:02x}{:02x}{:02x}",
                              setup.state.fog_flipped ? "1 - depth" : "depth", values.fog_color[0],
                              values.fog_color[1], values.fog_color[2]);
  const std::string z = fmt::format("z * {:g} + {:g}", values.depth_scale, values.depth_offset);
  const std::string depth = setup.state.w_buffer ? "depth = (" + z + ") * w" : "depth = " + z;
  if (output.shadow) {
    json["shadow map"] = fmt::format("depth and intensity; penumbra {} + {} * depth; {}",
                                     values.shadow_constant, values.shadow_linear, depth);
  } else {
    if (output.alpha_test != Comparison::always)
      json["alpha test"] =
          test_text(output.alpha_test, "a", fmt::format("{}/255", unsigned{values.alpha_reference}));
    if (output.stencil) json["stencil"] = stencil_text(output, values);
    if (output.touches_depth()) {
      json["depth"] = fmt::format("{}{}; {}", test_text(output.depth_test, "depth", "stored"),
                                  output.depth_writes ? ", is written" : ", is not written", depth);
    }
    if (output.color_mask != 0) json["blending"] = output_text(output, values);
    json["writes"] = output.color_mask == 0 ? std::string("no colour") : mask_text(output.color_mask);
  }
  const std::string size = fmt::format("{} x {}", target.width, target.height);
  if (output.touches_color())
    json["colour target"] = fmt::format("{}, {}, {}{}", address_text(target.color_address), size,
                                        kColors[static_cast<std::size_t>(output.color_format)],
                                        target.mirrored ? ", the lowest row first" : "");
  if (output.touches_depth())
    json["depth target"] = fmt::format("{}, {}, {}", address_text(target.depth_address), size,
                                       kDepths[static_cast<std::size_t>(output.depth_format)]);
}

std::string size_text(std::uint32_t word) { return fmt::format("{} x {}", word & 0xFFFF, word >> 16); }

}  // namespace

std::array<StageFormula, kCombinerStages> stage_formulas(const FragmentState& state,
                                                         const FragmentValues& values) {
  std::array<StageFormula, kCombinerStages> formulas;
  const auto needed = needed_halves(state);
  for (unsigned n = 0; n < kCombinerStages; ++n) {
    const CombinerStage& stage = state.stages[n];
    const std::array<std::uint8_t, 4>& constant = values.constants[n];
    const bool both = stage.color.op == CombinerOp::dot3_all;
    if (needed[n][0] && !is_previous(stage.color))
      formulas[n].color = combiner_formula(stage.color, 0, &constant);
    if (both && needed[n][1])
      formulas[n].alpha = combiner_formula(stage.color, 0, &constant);
    else if (needed[n][1] && !is_previous(stage.alpha))
      formulas[n].alpha = combiner_formula(stage.alpha, 1, &constant);
  }
  return formulas;
}

Json draw_json(const DrawView& draw) {
  const FragmentSetup& setup = draw.setup;
  const FragmentState& state = setup.state;
  Json json{{"draw", draw.number}};
  if (draw.command) json["command"] = address_text(*draw.command);
  json["by"] = draw.trigger == 0x22E ? "arrays" : draw.trigger == 0x22F ? "elements" : "immediate mode";
  json["vertices"] = draw.vertices;
  json["triangles"] = draw.triangles.count();
  add_raster(setup, json);
  Json textures = Json::array();
  for (unsigned unit = 0; unit < 3; ++unit)
    if (state.textures[unit].type != TextureType::off)
      textures.push_back(texture_json(state, setup.values, unit));
  if (!textures.empty()) json["textures"] = std::move(textures);
  if (state.procedural.on) json["procedural"] = procedural_text(state.procedural, setup.values.procedural);
  if (state.lighting.on) add_lighting(setup, json);
  if (state.flat_color) json["primary"] = "flat, of the last vertex";
  Json stages = Json::array();
  const auto formulas = stage_formulas(state, setup.values);
  for (unsigned n = 0; n < kCombinerStages; ++n) {
    if (formulas[n].color.empty() && formulas[n].alpha.empty()) continue;
    Json stage{{"stage", n}};
    if (!formulas[n].color.empty()) stage["rgb"] = formulas[n].color;
    if (!formulas[n].alpha.empty()) stage["a"] = formulas[n].alpha;
    std::string kept;
    if (state.stages[n].color.updates) kept = "rgb";
    if (state.stages[n].alpha.updates) kept += "a";
    if (!kept.empty()) stage["to buffer"] = kept;
    stages.push_back(std::move(stage));
  }
  json["combiners"] = std::move(stages);
  if (reads(state, CombinerSource::buffer)) {
    const auto& b = setup.values.buffer;
    json["buffer at first"] = fmt::format("({}, {}, {}, {})", b[0], b[1], b[2], b[3]);
  }
  add_output(setup, json);
  return json;
}

std::string job_text(const SceneJob& job) {
  if (const auto* list = std::get_if<CommandList>(&job))
    return fmt::format("command list at {}, {} bytes", address_text(list->address), list->bytes);
  if (const auto* fill = std::get_if<MemoryFill>(&job)) {
    const unsigned width = fill->control >> 8 & 3;
    return fmt::format("fill from {} to {} with {:#x}, {} bits", address_text(fill->start),
                       address_text(fill->end), fill->value,
                       width == 0   ? 16
                       : width == 2 ? 32
                                    : 24);
  }
  if (const auto* t = std::get_if<DisplayTransfer>(&job)) {
    constexpr std::array<std::string_view, 8> kFormats = {"RGBA8", "RGB8",     "RGB565",   "RGB5A1",
                                                          "RGBA4", "format 5", "format 6", "format 7"};
    const auto bit = [&](unsigned n) { return (t->flags >> n & 1) != 0; };
    std::string text = fmt::format(
        "transfer from {}, {} {} in {}, to {}, {} {} in {}", address_text(t->input), size_text(t->input_size),
        kFormats[t->flags >> 8 & 7], bit(1) ? "lines" : "tiles", address_text(t->output),
        size_text(t->output_size), kFormats[t->flags >> 12 & 7], bit(1) != bit(5) ? "tiles" : "lines");
    if (bit(0)) text += ", flipped";
    if (bit(2)) text += ", cropped";
    if ((t->flags >> 24 & 3) == 1) text += ", half as wide";
    if ((t->flags >> 24 & 3) == 2) text += ", half as wide and high";
    return text;
  }
  if (const auto* calls = std::get_if<pica200::CallList>(&job))
    return fmt::format("{} calls", pica200::count_calls(calls->bytes).calls);
  if (const auto* load = std::get_if<MemoryLoad>(&job))
    return fmt::format("load of {} bytes at {}", load->size, address_text(load->address));
  if (const auto* state = std::get_if<StateLoad>(&job))
    return fmt::format("state of {} bytes", state->bytes->size());
  const auto& copy = std::get<TextureCopy>(job);
  const auto line = [](std::uint32_t word) {
    return word >> 16 == 0
               ? std::string("in one piece")
               : fmt::format("in lines of {} bytes with gaps of {}", (word & 0xFFFF) * 16, (word >> 16) * 16);
  };
  return fmt::format("copy of {} bytes from {} {} to {} {}", copy.size, address_text(copy.input),
                     line(copy.input_line), address_text(copy.output), line(copy.output_line));
}

}  // namespace warpjit::tool
