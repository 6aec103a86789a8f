#include "launch/write_pixels.h"

#include <fmt/core.h>

#include <bit>
#include <cmath>

#include "frontend/interpret/pixels/format.h"
#include "launch/pixel_fields.h"

namespace warpjit::tool {

namespace {

template <class Value>
void add_changed(Json& json, const char* key, const Value& value, const Value& usual) {
  if (value != usual) json[key] = value;
}
Json targets_json(const LaunchPixels& pixels, SideFiles* side) {
  Json json{{"size", {pixels.width, pixels.height}}, {"colors", Json::array()}};
  for (const LaunchTarget& target : pixels.colors) {
    if (target.format == PixelFormat::none) {
      json["colors"].push_back(nullptr);
      continue;
    }
    Json row{{"format", name(target.format)}};
    if (side != nullptr && target.data) {
      row["data"] = side->add("target", *target.data);
      json["colors"].push_back(std::move(row));
      continue;
    }
    for (const std::uint32_t word : target.clear)
      row["clear"].push_back(is_integer(target.format) ? Json(hex(word)) : bits_json(word));
    json["colors"].push_back(std::move(row));
  }
  if (side != nullptr && pixels.depth.format != PixelFormat::none && pixels.depth.data)
    json["depth"] = {{"format", name(pixels.depth.format)},
                     {"data", side->add("target", *pixels.depth.data)}};
  else if (pixels.depth.format != PixelFormat::none)
    json["depth"] = {{"format", name(pixels.depth.format)},
                     {"clear", bits_json(pixels.depth.clear[0])},
                     {"stencil", pixels.depth.clear[1]}};
  return json;
}

Json raster_json(const RasterState& state) {
  const RasterState usual;
  Json json{{"topology", kTopologies[static_cast<std::size_t>(state.topology)]}};
  if (!state.window_positions) json["viewport"] = viewport_fields().json(state);
  if (state.scissor != usual.scissor)
    json["scissor"] = {state.scissor.x, state.scissor.y, state.scissor.width, state.scissor.height};
  raster_fields().write(state, json);
  if (state.distances != usual.distances) json["distances"] = distance_fields().json(state.distances);
  if (state.depth_bias != usual.depth_bias) json["depth-bias"] = depth_bias_fields().json(state.depth_bias);
  if (state.sample_point != usual.sample_point)
    json["sample-point"] = {state.sample_point[0], state.sample_point[1]};
  return json;
}

Json blend_json(const BlendState& state) {
  const BlendState usual;
  Json json = Json::object();
  if (state.enabled && state.mixed) {
    json["mix"] = mix_fields().json(state.mix);
    if (state.mix_alpha != state.mix) json["mix-alpha"] = mix_fields().json(state.mix_alpha);
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
  if (state.depth.test) json["depth"] = depth_fields().json(state.depth);
  if (state.stencil.test)
    json["stencil"] = {{"front", stencil_fields().json(state.stencil.front)},
                       {"back", stencil_fields().json(state.stencil.back)}};
  for (std::size_t k = 0; k < colors; ++k) json["blend"].push_back(blend_json(state.blend[k]));
  if (state.blend_constant != usual.blend_constant)
    for (const float value : state.blend_constant)
      json["blend-constant"].push_back(bits_json(std::bit_cast<std::uint32_t>(value)));
  if (state.alpha_test) json["alpha-test"] = alpha_test_fields().json(state);
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

void add_pixels(const LaunchFile& launch, Json& json, SideFiles* side) {
  const LaunchPixels& pixels = launch.pixels;
  json["targets"] = targets_json(pixels, side);
  json["raster"] = raster_json(pixels.raster);
  if (Json output = output_json(pixels.output, pixels.colors.size()); !output.empty())
    json["output"] = std::move(output);
  add_changed(json, "instances", pixels.instances, 1U);
  if (launch.vertex.empty()) {
    Json data = Json::array();
    if (side != nullptr)
      data = side->add("vertices", std::as_bytes(std::span(pixels.vertices)));
    else
      for (const std::uint32_t word : pixels.vertices) data.push_back(bits_json(word));
    json["vertices"] = {{"slots", pixels.slots}, {"data", std::move(data)}};
  }
  if (pixels.indexed && side != nullptr)
    json["indices"] = side->add("indices", std::as_bytes(std::span(pixels.indices)));
  else if (pixels.indexed)
    json["indices"] = pixels.indices;
}

}  // namespace warpjit::tool
