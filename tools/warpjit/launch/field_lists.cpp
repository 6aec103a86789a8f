// The members of launch files that are read and written alike.
#include "launch/grid_fields.h"
#include "launch/pixel_fields.h"
#include "launch/texture_fields.h"

namespace warpjit::tool {

// ---- Pixels

const Fields<RasterState>& raster_fields() {
  static const auto kFields = Fields<RasterState>()
                                  .flag("depth-zero-to-one", &RasterState::depth_zero_to_one)
                                  .flag("clip-near", &RasterState::clip_near)
                                  .flag("clip-far", &RasterState::clip_far)
                                  .flag("positive-is-front", &RasterState::positive_is_front)
                                  .flag("cull-front", &RasterState::cull_front)
                                  .flag("cull-back", &RasterState::cull_back)
                                  .flag("window-positions", &RasterState::window_positions)
                                  .word("provoking", kProvoking, &RasterState::provoking_last)
                                  .word("shade", kShadeModels, &RasterState::shade)
                                  .real("point-size", &RasterState::point_size)
                                  .number("point-size-slot", &RasterState::point_size_slot, 127)
                                  .real("line-width", &RasterState::line_width)
                                  .reals("depth-bounds", &RasterState::depth_bounds)
                                  .reals("clip-bounds", &RasterState::clip_bounds);
  return kFields;
}

const Fields<RasterState>& viewport_fields() {
  static const auto kFields = Fields<RasterState>()
                                  .reals("scale", &RasterState::viewport_scale)
                                  .always()
                                  .reals("translate", &RasterState::viewport_translate)
                                  .always();
  return kFields;
}

const Fields<RasterState::Distances>& distance_fields() {
  using Distances = RasterState::Distances;
  static const auto kFields = Fields<Distances>()
                                  .number("first", &Distances::first, 127)
                                  .number("count", &Distances::count, 8)
                                  .number("clip", &Distances::clip)
                                  .number("cull", &Distances::cull);
  return kFields;
}

const Fields<RasterState::DepthBias>& depth_bias_fields() {
  using DepthBias = RasterState::DepthBias;
  static const auto kFields = Fields<DepthBias>()
                                  .real("units", &DepthBias::units)
                                  .real("slope", &DepthBias::slope)
                                  .real("clamp", &DepthBias::clamp);
  return kFields;
}

const Fields<StencilFace>& stencil_fields() {
  static const auto kFields = Fields<StencilFace>()
                                  .word("compare", kCompares, &StencilFace::compare)
                                  .word("fail", kStencilOps, &StencilFace::fail)
                                  .word("depth-fail", kStencilOps, &StencilFace::depth_fail)
                                  .word("pass", kStencilOps, &StencilFace::pass)
                                  .number("reference", &StencilFace::reference)
                                  .number("read-mask", &StencilFace::read_mask)
                                  .number("write-mask", &StencilFace::write_mask);
  return kFields;
}

const Fields<DepthState>& depth_fields() {
  static const auto kFields = Fields<DepthState>()
                                  .word("compare", kCompares, &DepthState::compare)
                                  .always()
                                  .flag("write", &DepthState::write)
                                  .always();
  return kFields;
}

const Fields<BlendMix>& mix_fields() {
  static const auto kFields = Fields<BlendMix>()
                                  .word("add", kMixAdds, &BlendMix::add)
                                  .flag("negate-add", &BlendMix::negate_add)
                                  .word("multiply", kMixMultiplies, &BlendMix::multiply)
                                  .flag("negate-multiply", &BlendMix::negate_multiply)
                                  .word("by", kMixBys, &BlendMix::by)
                                  .always()
                                  .flag("invert-by", &BlendMix::invert_by)
                                  .always();
  return kFields;
}

const Fields<OutputState>& alpha_test_fields() {
  static const auto kFields = Fields<OutputState>()
                                  .word("compare", kCompares, &OutputState::alpha_compare)
                                  .always()
                                  .real("reference", &OutputState::alpha_reference)
                                  .always();
  return kFields;
}

// ---- Textures

const Fields<Texture>& texture_memory_fields() {
  static const auto kFields = Fields<Texture>()
                                  .word("layout", kLayouts, &Texture::layout)
                                  .always()
                                  .word("dimension", kDimensions, &Texture::dimension)
                                  .always()
                                  .number("levels", &Texture::levels)
                                  .number("row-bytes", &Texture::row_bytes)
                                  .number("slice-bytes", &Texture::slice_bytes)
                                  .number("layer-bytes", &Texture::layer_bytes)
                                  .number("block-height", &Texture::block_height)
                                  .number("block-depth", &Texture::block_depth);
  return kFields;
}

const Fields<Texture>& texture_view_fields() {
  static const auto kFields = Fields<Texture>()
                                  .number("first-level", &Texture::first_level, kMaxTextureLevels - 1)
                                  .number("last-level", &Texture::last_level)
                                  .flag("normalized", &Texture::normalized)
                                  .flag("four-pairs", &Texture::four_pairs)
                                  .flag("depth-border", &Texture::depth)
                                  .detail("min-lod", &Texture::min_lod)
                                  .detail("lod-bias", &Texture::lod_bias);
  return kFields;
}

const Fields<Sampler>& sampler_fields() {
  static const auto kFields = Fields<Sampler>()
                                  .word("magnify", kFilters, &Sampler::magnify)
                                  .always()
                                  .word("minify", kFilters, &Sampler::minify)
                                  .always()
                                  .word("mip", kMipFilters, &Sampler::mip)
                                  .always()
                                  .flag("decode-srgb", &Sampler::decode_srgb)
                                  .flag("seamless", &Sampler::seamless)
                                  .detail("lod-bias", &Sampler::lod_bias)
                                  .detail("min-lod", &Sampler::min_lod)
                                  .detail("max-lod", &Sampler::max_lod);
  return kFields;
}

// ---- Memory

const Fields<LaunchVertices>& first_vertex_fields() {
  static const auto kFields = Fields<LaunchVertices>()
                                  .number("first", &LaunchVertices::first)
                                  .number("first_instance", &LaunchVertices::first_instance)
                                  .number("attribute_offset", &LaunchVertices::attribute_offset);
  return kFields;
}

const Fields<AttributeSource>& attribute_fields() {
  static const auto kFields = Fields<AttributeSource>()
                                  .address("address", &AttributeSource::address)
                                  .required()
                                  .number("bytes", &AttributeSource::bytes)
                                  .required()
                                  .number("stride", &AttributeSource::stride)
                                  .always()
                                  .integer("offset", &AttributeSource::offset)
                                  .flag("per_instance", &AttributeSource::per_instance)
                                  .flag("from_first", &AttributeSource::from_first);
  return kFields;
}

const Fields<ImageSource>& image_fields() {
  constexpr std::int64_t kMostTexels = 65536;  // along an axis
  static const auto kFields = Fields<ImageSource>()
                                  .address("address", &ImageSource::address)
                                  .required()
                                  .number("width", &ImageSource::width, kMostTexels, 1)
                                  .required()
                                  .number("height", &ImageSource::height, kMostTexels, 1)
                                  .number("depth", &ImageSource::depth, kMostTexels, 1)
                                  .number("row_stride", &ImageSource::row_stride)
                                  .number("slice_stride", &ImageSource::slice_stride)
                                  .flag("interleaved", &ImageSource::interleaved)
                                  .flag("is_3d", &ImageSource::is_3d);
  return kFields;
}

const Fields<BufferSource>& buffer_fields() {
  constexpr std::int64_t kMostEntry = 0xffffff;
  static const auto kFields = Fields<BufferSource>()
                                  .number("table", &BufferSource::table)
                                  .required()
                                  .number("entry", &BufferSource::entry, kMostEntry)
                                  .required()
                                  .address("address", &BufferSource::address)
                                  .required()
                                  .number("bytes", &BufferSource::bytes)
                                  .required();
  return kFields;
}

}  // namespace warpjit::tool
