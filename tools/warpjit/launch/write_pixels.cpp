#include "launch/write_pixels.h"

#include <fmt/core.h>

#include <bit>
#include <cmath>

#include "frontend/interpret/pixels/format.h"
#include "launch/pixel_words.h"
#include "launch/words.h"

namespace warpjit::tool {

namespace {

template <class Value>
void add_changed(Json& json, const char* key, const Value& value, const Value& usual) {
  if (value != usual) json[key] = value;
}
template <class Enum>
void add_word(Json& json, const char* key, Words words, Enum value, Enum usual) {
  if (value != usual) json[key] = words[static_cast<std::size_t>(value)];
}

std::string hex_word(std::uint32_t word) { return fmt::format("{:#010x}", word); }
// As a number, if that is the same bits again.
Json bits_json(std::uint32_t bits) {
  const auto value = std::bit_cast<float>(bits);
  const bool plain = std::isfinite(value) && std::fabs(value) < 1e6F && std::fabs(value) > 1e-6F;
  return plain || bits == 0 ? Json(static_cast<double>(value)) : Json(hex_word(bits));
}
Json single_json(float value) { return bits_json(std::bit_cast<std::uint32_t>(value)); }
template <std::size_t kCount>
Json floats_json(const std::array<float, kCount>& values) {
  Json list = Json::array();
  for (const float value : values) list.push_back(single_json(value));
  return list;
}

Json targets_json(const LaunchPixels& pixels) {
  Json json{{"size", {pixels.width, pixels.height}}, {"colors", Json::array()}};
  for (const LaunchTarget& target : pixels.colors) {
    if (target.format == PixelFormat::none) {
      json["colors"].push_back(nullptr);
      continue;
    }
    Json row{{"format", name(target.format)}};
    for (const std::uint32_t word : target.clear)
      row["clear"].push_back(is_integer(target.format) ? Json(hex_word(word)) : bits_json(word));
    json["colors"].push_back(std::move(row));
  }
  if (pixels.depth.format != PixelFormat::none)
    json["depth"] = {{"format", name(pixels.depth.format)},
                     {"clear", bits_json(pixels.depth.clear[0])},
                     {"stencil", pixels.depth.clear[1]}};
  return json;
}

Json raster_json(const RasterState& state) {
  const RasterState usual;
  Json json{{"topology", kTopologies[static_cast<std::size_t>(state.topology)]}};
  if (state.window_positions)
    json["window-positions"] = true;
  else
    json["viewport"] = {{"scale", floats_json(state.viewport_scale)},
                        {"translate", floats_json(state.viewport_translate)}};
  if (state.scissor != usual.scissor)
    json["scissor"] = {state.scissor.x, state.scissor.y, state.scissor.width, state.scissor.height};
  add_changed(json, "depth-zero-to-one", state.depth_zero_to_one, usual.depth_zero_to_one);
  add_changed(json, "clip-near", state.clip_near, usual.clip_near);
  add_changed(json, "clip-far", state.clip_far, usual.clip_far);
  add_changed(json, "positive-is-front", state.positive_is_front, usual.positive_is_front);
  add_changed(json, "cull-front", state.cull_front, usual.cull_front);
  add_changed(json, "cull-back", state.cull_back, usual.cull_back);
  if (!state.provoking_last) json["provoking"] = "first";
  add_word(json, "shade", kShadeModels, state.shade, usual.shade);
  if (state.point_size != usual.point_size) json["point-size"] = single_json(state.point_size);
  add_changed(json, "point-size-slot", state.point_size_slot, usual.point_size_slot);
  if (state.line_width != usual.line_width) json["line-width"] = single_json(state.line_width);
  if (const RasterState::Distances& d = state.distances; d != usual.distances)
    json["distances"] = {{"first", d.first}, {"count", d.count}, {"clip", d.clip}, {"cull", d.cull}};
  if (const RasterState::DepthBias& bias = state.depth_bias; bias != usual.depth_bias)
    json["depth-bias"] = {{"units", single_json(bias.units)},
                          {"slope", single_json(bias.slope)},
                          {"clamp", single_json(bias.clamp)}};
  if (state.depth_bounds != usual.depth_bounds) json["depth-bounds"] = floats_json(state.depth_bounds);
  if (state.clip_bounds != usual.clip_bounds) json["clip-bounds"] = floats_json(state.clip_bounds);
  if (state.sample_point != usual.sample_point)
    json["sample-point"] = {state.sample_point[0], state.sample_point[1]};
  return json;
}

Json stencil_json(const StencilFace& face) {
  const StencilFace usual;
  Json json = Json::object();
  add_word(json, "compare", kCompares, face.compare, usual.compare);
  add_word(json, "fail", kStencilOps, face.fail, usual.fail);
  add_word(json, "depth-fail", kStencilOps, face.depth_fail, usual.depth_fail);
  add_word(json, "pass", kStencilOps, face.pass, usual.pass);
  add_changed(json, "reference", face.reference, usual.reference);
  add_changed(json, "read-mask", face.read_mask, usual.read_mask);
  add_changed(json, "write-mask", face.write_mask, usual.write_mask);
  return json;
}

Json mix_json(const BlendMix& mix) {
  return {{"add", kMixAdds[static_cast<std::size_t>(mix.add)]},
          {"negate-add", mix.negate_add},
          {"multiply", kMixMultiplies[static_cast<std::size_t>(mix.multiply)]},
          {"negate-multiply", mix.negate_multiply},
          {"by", kMixBys[static_cast<std::size_t>(mix.by)]},
          {"invert-by", mix.invert_by}};
}

Json blend_json(const BlendState& state) {
  const BlendState usual;
  Json json = Json::object();
  if (state.enabled && state.mixed) {
    json["mix"] = mix_json(state.mix);
    if (state.mix_alpha != state.mix) json["mix-alpha"] = mix_json(state.mix_alpha);
  } else if (state.enabled) {
    json = {{"source", kFactors[static_cast<std::size_t>(state.source)]},
            {"target", kFactors[static_cast<std::size_t>(state.target)]},
            {"source-alpha", kFactors[static_cast<std::size_t>(state.source_alpha)]},
            {"target-alpha", kFactors[static_cast<std::size_t>(state.target_alpha)]},
            {"op", kBlendOps[static_cast<std::size_t>(state.op)]},
            {"op-alpha", kBlendOps[static_cast<std::size_t>(state.op_alpha)]}};
    add_changed(json, "bytes", state.bytes, usual.bytes);
  }
  add_changed(json, "write-mask", state.write_mask, usual.write_mask);
  return json;
}

Json output_json(const OutputState& state, std::size_t colors) {
  const OutputState usual;
  Json json = Json::object();
  if (state.depth.test)
    json["depth"] = {{"compare", kCompares[static_cast<std::size_t>(state.depth.compare)]},
                     {"write", state.depth.write}};
  if (state.stencil.test)
    json["stencil"] = {{"front", stencil_json(state.stencil.front)},
                       {"back", stencil_json(state.stencil.back)}};
  for (std::size_t k = 0; k < colors; ++k) json["blend"].push_back(blend_json(state.blend[k]));
  if (state.blend_constant != usual.blend_constant)
    json["blend-constant"] = floats_json(state.blend_constant);
  if (state.alpha_test)
    json["alpha-test"] = {{"compare", kCompares[static_cast<std::size_t>(state.alpha_compare)]},
                          {"reference", single_json(state.alpha_reference)}};
  add_changed(json, "early-tests", state.early_tests, usual.early_tests);
  return json;
}

}  // namespace

LaunchTarget cleared_target(PixelFormat format, const std::byte* first) {
  const interpret::FormatInfo& info = interpret::format_info(format);
  const interpret::PixelWords pixel = interpret::load_pixel(first, info.bytes);
  LaunchTarget target{.format = format};
  for (std::size_t k = 0; k < 4; ++k)
    target.clear[k] = interpret::decode(info.components[k], interpret::extract(info.components[k], pixel));
  if (!is_depth(format)) return target;
  const std::uint32_t stencil = format == PixelFormat::d24s8 ? pixel[0] >> 24 : 0;
  target.clear = {target.clear[0], stencil, 0, 0};
  return target;
}

void add_pixels(const LaunchFile& launch, Json& json) {
  const LaunchPixels& pixels = launch.pixels;
  json["targets"] = targets_json(pixels);
  json["raster"] = raster_json(pixels.raster);
  if (Json output = output_json(pixels.output, pixels.colors.size()); !output.empty())
    json["output"] = std::move(output);
  add_changed(json, "instances", pixels.instances, 1U);
  if (launch.vertex.empty()) {
    Json data = Json::array();
    for (const std::uint32_t word : pixels.vertices) data.push_back(bits_json(word));
    json["vertices"] = {{"slots", pixels.slots}, {"data", std::move(data)}};
  }
  if (pixels.indexed) json["indices"] = pixels.indices;
}

}  // namespace warpjit::tool
