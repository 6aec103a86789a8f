// The C interface: textures and samplers (warpjit/textures.h).
#include "warpjit/textures.h"

#include "runtime/api/c/boundary.h"
#include "warpjit/tesla.hpp"

namespace warpjit::c_api {
namespace {

static_assert(same(TextureDimension::buffer, WARPJIT_TEXTURE_BUFFER));
static_assert(same(TextureLayout::morton, WARPJIT_LAYOUT_MORTON));
static_assert(same(TexelType::shared_exponent, WARPJIT_TEXEL_SHARED_EXPONENT) &&
              same(TexelType::sscaled, WARPJIT_TEXEL_SSCALED) && same(TexelType::uint, WARPJIT_TEXEL_UINT));
static_assert(same(TexelSource::integer_one, WARPJIT_SOURCE_INTEGER_ONE));
static_assert(same(Wrap::clamp, WARPJIT_WRAP_CLAMP) && same(Wrap::mirror_once, WARPJIT_WRAP_MIRROR_ONCE));
static_assert(same(Filter::linear, WARPJIT_FILTER_LINEAR) && same(MipFilter::linear, WARPJIT_MIP_LINEAR));

template <class Enum>
Status take_enumerator(std::int64_t number, Enum last, const char* what, Enum& to) {
  WARPJIT_TRY(to, enumerator(number, last, what));
  return {};
}
Status take_byte(std::uint32_t number, const char* what, std::uint8_t& to) {
  if (number > 255) return bad("there is no such value: " + std::to_string(number), what);
  to = static_cast<std::uint8_t>(number);
  return {};
}

Result<TextureFormat> format_of(const warpjit_texture_format* given) {
  WARPJIT_TRY(const warpjit_texture_format from, read(given, "format"));
  TextureFormat format;
  WARPJIT_CHECK(take_byte(from.bytes, "format.bytes", format.bytes));
  format.srgb = from.srgb != 0;
  for (std::size_t n = 0; n < 4; ++n) {
    const warpjit_texel_component& component = from.components[n];
    WARPJIT_CHECK(
        take_enumerator(component.type, TexelType::sscaled, "format.components", format.components[n].type));
    format.components[n].first_bit = component.first_bit;
    format.components[n].bits = component.bits;
  }
  WARPJIT_CHECK(
      take_enumerator(from.compression, BlockCompression::astc, "format.compression", format.compression));
  WARPJIT_CHECK(take_byte(from.block_width, "format.block_width", format.block_width));
  WARPJIT_CHECK(take_byte(from.block_height, "format.block_height", format.block_height));
  return format;
}
warpjit_texture_format format_from(const TextureFormat& format) {
  warpjit_texture_format to{};
  to.bytes = format.bytes;
  to.srgb = format.srgb ? 1 : 0;
  for (std::size_t n = 0; n < 4; ++n)
    to.components[n] = {static_cast<std::uint8_t>(format.components[n].type), format.components[n].first_bit,
                        format.components[n].bits, 0};
  to.compression = static_cast<std::uint32_t>(format.compression);
  to.block_width = format.block_width;
  to.block_height = format.block_height;
  return to;
}

Result<Texture> texture_of(const warpjit_texture& from) {
  Texture texture;
  WARPJIT_CHECK(take_enumerator(from.dimension, TextureDimension::buffer, "dimension", texture.dimension));
  texture.array = from.array != 0;
  WARPJIT_CHECK(given(from.format, "format"));
  WARPJIT_TRY(texture.format, format_of(from.format));
  WARPJIT_CHECK(take_enumerator(from.layout, TextureLayout::morton, "layout", texture.layout));
  for (std::size_t n = 0; n < 4; ++n)
    WARPJIT_CHECK(take_enumerator(from.swizzle[n], TexelSource::integer_one, "swizzle", texture.swizzle[n]));
  texture.normalized = from.normalized != 0;
  texture.four_pairs = from.four_pairs != 0;
  texture.depth = from.depth != 0;
  texture.data = from.data;
  texture.size = from.byte_count;
  texture.width = from.width;
  texture.height = from.height;
  texture.depth_extent = from.depth_extent;
  texture.layers = from.layers;
  texture.levels = from.levels;
  texture.first_level = from.first_level;
  texture.last_level = from.last_level;
  texture.row_bytes = from.row_bytes;
  texture.slice_bytes = from.slice_bytes;
  texture.layer_bytes = from.layer_bytes;
  WARPJIT_CHECK(take_byte(from.block_height, "block_height", texture.block_height));
  WARPJIT_CHECK(take_byte(from.block_depth, "block_depth", texture.block_depth));
  texture.min_lod = from.min_lod;
  texture.lod_bias = from.lod_bias;
  return texture;
}

Result<Sampler> sampler_of(const warpjit_sampler& from) {
  Sampler sampler;
  for (std::size_t n = 0; n < 3; ++n)
    WARPJIT_CHECK(take_enumerator(from.wrap[n], Wrap::mirror_once, "wrap", sampler.wrap[n]));
  WARPJIT_CHECK(take_enumerator(from.magnify, Filter::linear, "magnify", sampler.magnify));
  WARPJIT_CHECK(take_enumerator(from.minify, Filter::linear, "minify", sampler.minify));
  WARPJIT_CHECK(take_enumerator(from.mip, MipFilter::linear, "mip", sampler.mip));
  sampler.compare = from.compare != 0;
  WARPJIT_CHECK(take_enumerator(from.compare_op, Compare::always, "compare_op", sampler.compare_op));
  sampler.decode_srgb = from.decode_srgb != 0;
  sampler.seamless = from.seamless != 0;
  sampler.lod_bias = from.lod_bias;
  sampler.min_lod = from.min_lod;
  sampler.max_lod = from.max_lod;
  std::copy(std::begin(from.border), std::end(from.border), sampler.border.begin());
  if (from.has_srgb_border == 0) return sampler;
  std::copy(std::begin(from.srgb_border), std::end(from.srgb_border), sampler.srgb_border.emplace().begin());
  return sampler;
}

tesla::Entry entry_of(const std::uint32_t* words) {
  tesla::Entry entry{};
  std::copy(words, words + entry.size(), entry.begin());
  return entry;
}

// The error of an entry, whose place is a field.
Error at_slot(const char* what, std::uint32_t slot, Error error) {
  error.where = what + std::to_string(slot) + ", " + error.where;
  return error;
}

}  // namespace
}  // namespace warpjit::c_api

using namespace warpjit;
using namespace warpjit::c_api;

warpjit_status warpjit_find_texture_format(const char* name, warpjit_texture_format* format,
                                           warpjit_error* error) {
  return fill(format, "format", error, {{name, "name"}}, [&]() -> Result<warpjit_texture_format> {
    const auto found = parse_texture_format(name);
    if (!found) return bad("there is no such format of textures", "name");
    return format_from(*found);
  });
}
warpjit_status warpjit_default_texture(warpjit_texture* texture, warpjit_error* error) {
  return fill(texture, "texture", error, {}, []() -> Result<warpjit_texture> {
    warpjit_texture to{};
    to.dimension = WARPJIT_TEXTURE_2D;
    for (std::int32_t n = 0; n < 4; ++n) to.swizzle[n] = n;
    to.normalized = to.four_pairs = 1;
    to.height = to.depth_extent = to.layers = to.levels = 1;
    to.last_level = ~0U;
    return to;
  });
}
warpjit_status warpjit_default_sampler(warpjit_sampler* sampler, warpjit_error* error) {
  return fill(sampler, "sampler", error, {}, []() -> Result<warpjit_sampler> {
    const Sampler usual;
    warpjit_sampler to{};
    to.compare_op = static_cast<std::int32_t>(usual.compare_op);
    to.decode_srgb = 1;
    to.max_lod = usual.max_lod;
    return to;
  });
}

warpjit_status warpjit_launch_set_texture(warpjit_launch* launch, uint32_t slot,
                                          const warpjit_texture* texture, warpjit_error* error) {
  return call(error, {{launch, "launch"}, {texture, "texture"}}, [&]() -> Status {
    WARPJIT_TRY(const warpjit_texture wanted, read(texture, "texture"));
    WARPJIT_TRY(const Texture made, texture_of(wanted));
    return launch->launch.set_texture(slot, made);
  });
}
warpjit_status warpjit_launch_set_sampler(warpjit_launch* launch, uint32_t slot,
                                          const warpjit_sampler* sampler, warpjit_error* error) {
  return call(error, {{launch, "launch"}, {sampler, "sampler"}}, [&]() -> Status {
    WARPJIT_TRY(const warpjit_sampler wanted, read(sampler, "sampler"));
    WARPJIT_TRY(const Sampler made, c_api::sampler_of(wanted));
    return launch->launch.set_sampler(slot, made);
  });
}
warpjit_status warpjit_launch_unset_textures(warpjit_launch* launch) {
  return call(nullptr, {{launch, "launch"}}, [&]() -> Status {
    launch->launch.unset_textures();
    return {};
  });
}
warpjit_status warpjit_launch_set_tesla_texture(warpjit_launch* launch, uint32_t slot, const uint32_t* entry,
                                                uint64_t address, const void* data, size_t byte_count,
                                                uint32_t level_views, warpjit_error* error) {
  return call(error, {{launch, "launch"}, {entry, "entry"}, {data, "data"}}, [&]() -> Status {
    const tesla::Entry words = entry_of(entry);
    const auto made = tesla::read_texture_entry(words, {address, data, byte_count, level_views != 0});
    if (!made) return at_slot("texture ", slot, made.error());
    return launch->launch.set_texture(slot, *made);
  });
}
warpjit_status warpjit_launch_set_tesla_sampler(warpjit_launch* launch, uint32_t slot, const uint32_t* entry,
                                                uint32_t seamless_cubes, warpjit_error* error) {
  return call(error, {{launch, "launch"}, {entry, "entry"}}, [&]() -> Status {
    const tesla::Entry words = entry_of(entry);
    const auto made = tesla::read_sampler_entry(words, seamless_cubes != 0);
    if (!made) return at_slot("sampler ", slot, made.error());
    return launch->launch.set_sampler(slot, *made);
  });
}
