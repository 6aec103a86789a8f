// Launch: what fragment programs have, and textures and samplers.
#include <algorithm>
#include <utility>

#include "base/result.h"
#include "runtime/api/kinds.h"
#include "runtime/work/launch.h"
#include "runtime/work/pixel_checks.h"

namespace warpjit {
using runtime::LaunchState;

namespace {

// Also of a number that is no format.
std::string format_text(PixelFormat format) {
  return format > kLastPixelFormat ? std::to_string(static_cast<unsigned>(format)) : name(format);
}

// Sets a format among the facts of a launch.
void set_format(LaunchState& state, PixelFormat& format, const TargetBuffer& target) {
  const PixelFormat next = target.data != nullptr ? target.format : PixelFormat::none;
  if (format != next) ++state.facts_generation;
  format = next;
}

}  // namespace

Status Launch::set_raster_state(const RasterState& raster) try {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(state()));
  WARPJIT_CHECK(runtime::check_state(raster));
  if (raster.shade == ShadeModel::flat && state().shader->isa() != Isa::tesla)
    return Error{ErrorCode::bad_input,
                 "the shade model 'flat' is for slots of colours, which only Tesla's graphics state names: " +
                     std::string(name(state().shader->isa())) +
                     " programs say themselves which of their inputs are flat",
                 "raster state"};
  const bool was_narrow = pixels->has_narrow_depth();
  pixels->raster = raster;
  if (pixels->has_narrow_depth() != was_narrow) ++state().facts_generation;
  frontend::PixelValues& values = state().values.pixels;
  if (values.depth_bounds != raster.depth_bounds || values.positive_is_front != raster.positive_is_front)
    ++state().values_generation;
  values.depth_bounds = raster.depth_bounds;
  values.positive_is_front = raster.positive_is_front;
  return {};
} catch (...) {
  return caught();
}
Status Launch::set_output_state(const OutputState& output) try {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(state()));
  WARPJIT_CHECK(runtime::check_state(output));
  OutputState next = output;
  next.colors = pixels->output.colors;
  next.depth_format = pixels->output.depth_format;
  if (!(next == pixels->output)) ++state().facts_generation;
  pixels->output = next;
  state().values.pixels.blend_constant = next.blend_constant;
  state().values.pixels.alpha_reference = next.alpha_reference;
  ++state().values_generation;
  return {};
} catch (...) {
  return caught();
}
Status Launch::set_target_size(std::uint32_t width, std::uint32_t height) try {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(state()));
  if (width == 0 || height == 0 || width > kMaxTargetExtent || height > kMaxTargetExtent)
    return Error{ErrorCode::bad_input,
                 "targets have 1 to " + std::to_string(kMaxTargetExtent) + " columns and rows, not " +
                     std::to_string(width) + " x " + std::to_string(height),
                 "target size"};
  pixels->width = state().values.pixels.width = width;
  pixels->height = state().values.pixels.height = height;
  ++state().values_generation;
  return {};
} catch (...) {
  return caught();
}
Status Launch::bind_color(unsigned number, const TargetBuffer& target) try {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(state()));
  if (number >= kMaxColorTargets)
    return Error{ErrorCode::bad_input, "there are " + std::to_string(kMaxColorTargets) + " colour targets",
                 "colour target " + std::to_string(number)};
  if (target.data != nullptr &&
      (target.format > kLastPixelFormat || target.format == PixelFormat::none || is_depth(target.format)))
    return Error{ErrorCode::bad_input, format_text(target.format) + " is not the format of a colour",
                 "colour target " + std::to_string(number)};
  pixels->colors[number] = target;
  set_format(state(), pixels->output.colors[number], target);
  return {};
} catch (...) {
  return caught();
}
Status Launch::bind_depth(const TargetBuffer& target) try {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(state()));
  if (target.data != nullptr && (target.format > kLastPixelFormat || !is_depth(target.format)))
    return Error{ErrorCode::bad_input,
                 format_text(target.format) + " is not a format of depth: d16, d24s8, d32f are",
                 "depth target"};
  pixels->depth = target;
  set_format(state(), pixels->output.depth_format, target);
  return {};
} catch (...) {
  return caught();
}
Status Launch::bind_pass_counts(const TargetBuffer& target) try {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(state()));
  if (target.data != nullptr && target.format != PixelFormat::r32ui)
    return Error{ErrorCode::bad_input, format_text(target.format) + " is not the format of counts: r32ui is",
                 "pass counts"};
  pixels->pass_counts = target;
  return {};
} catch (...) {
  return caught();
}
Status Launch::bind_vertices(const VertexBuffer& vertices) try {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(state()));
  if (vertices.slots < 4 || vertices.slots > 128 || vertices.stride % 4 != 0 || vertices.stride > 1U << 20 ||
      vertices.instance_stride % 4 != 0 || reinterpret_cast<std::uintptr_t>(vertices.data) % 4 != 0)
    return Error{ErrorCode::bad_input,
                 "a vertex has 4 to 128 words, its address and strides are multiples of 4", "vertices"};
  pixels->vertices = vertices;
  pixels->vertex.reset();
  state().keep_vertices(nullptr);
  return {};
} catch (...) {
  return caught();
}
Status Launch::set_indices(std::span<const std::uint32_t> indices) try {
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(state()));
  pixels->indices = std::make_shared<const std::vector<std::uint32_t>>(indices.begin(), indices.end());
  return {};
} catch (...) {
  return caught();
}
Status Launch::set_geometry_stage(const Launch& geometry) try {
  const runtime::LaunchData& from = geometry.state();
  if (!from.shader->varyings().strips)
    return Error{ErrorCode::bad_input, "this is not a geometry program that makes strips for a rasterizer",
                 from.shader->source_name()};
  WARPJIT_TRY(runtime::LaunchPixels* const pixels, change_pixels(state()));
  if (from.shader->isa() != state().shader->isa())
    return Error{ErrorCode::bad_input,
                 std::string("a geometry program of ") + name(from.shader->isa()) +
                     " is given for a fragment program of " + name(state().shader->isa()),
                 from.shader->source_name()};
  pixels->geometry = std::make_shared<const runtime::LaunchData>(from);
  return {};
} catch (...) {
  return caught();
}
void Launch::unset_geometry_stage() {
  if (!state_) return;
  if (auto pixels = change_pixels(state())) (*pixels)->geometry.reset();
}
void Launch::unset_indices() {
  if (!state_) return;
  if (auto pixels = change_pixels(state())) (*pixels)->indices.reset();
}

namespace {

// The element of a slot; the list becomes as long as that needs.
template <class List>
auto& element_of(List& list, unsigned slot) {
  if (list.size() <= slot) list.resize(slot + 1U);
  return list[slot];
}

// An error for guests whose programs sample nothing.
Status check_samples(const LaunchState& state, const char* call) {
  if (state.shader->isa() != Isa::pica200) return {};
  return Error{ErrorCode::bad_input, std::string(call) + ": programs of pica200 sample no textures",
               state.shader->source_name()};
}

// The textures and samplers of a launch, to be changed.
frontend::BoundTextures& change_textures(LaunchState& state) {
  ++state.values_generation;
  ++state.facts_generation;
  ++state.bindings_generation;
  return state.values.grid.bound;
}

}  // namespace

Status Launch::set_texture(unsigned slot, const Texture& texture) try {
  WARPJIT_CHECK(check_samples(state(), "set_texture"));
  const std::string where = "texture " + std::to_string(slot);
  if (slot >= kMaxTextures)
    return Error{ErrorCode::bad_input, "there are " + std::to_string(kMaxTextures) + " textures", where};
  WARPJIT_TRY(textures::TextureView view, textures::make_view(texture, where));
  runtime::GivenTexture given{slot, texture, {texture.level_places.begin(), texture.level_places.end()}};
  given.texture.level_places = {};
  element_of(change_textures(state()).textures, slot) =
      std::make_shared<const textures::TextureView>(std::move(view));
  auto& all = state().given_textures;
  const auto same = std::ranges::find(all, slot, &runtime::GivenTexture::slot);
  if (same != all.end())
    *same = std::move(given);
  else
    all.push_back(std::move(given));
  return {};
} catch (...) {
  return caught();
}
Status Launch::set_sampler(unsigned slot, const Sampler& sampler) try {
  WARPJIT_CHECK(check_samples(state(), "set_sampler"));
  const std::string where = "sampler " + std::to_string(slot);
  if (slot >= kMaxSamplers)
    return Error{ErrorCode::bad_input, "there are " + std::to_string(kMaxSamplers) + " samplers", where};
  WARPJIT_CHECK(textures::check_sampler(sampler, where));
  element_of(change_textures(state()).samplers, slot) = sampler;
  return {};
} catch (...) {
  return caught();
}
void Launch::unset_textures() {
  if (!state_) return;
  change_textures(*state_) = {};
  state_->given_textures.clear();
}

}  // namespace warpjit
