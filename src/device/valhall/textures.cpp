#include "device/valhall/textures.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "device/valhall/pixel_format.h"
#include "frontend/valhall/container/format_names.h"

namespace warpjit::valhall {
namespace {

class TextureReader {
 public:
  TextureReader(const Image& image, const TextureDescriptor& descriptor, const TargetMemory& memory)
      : image_(image),
        d_(descriptor),
        memory_(memory),
        three_(d_.kind == TextureKind::three || descriptor.samples != 1) {}

  Result<BoundTexture> read(bool normalized) {
    WARPJIT_CHECK(check_fields());
    WARPJIT_TRY(planes_, read_planes(image_, d_));
    kept_.resize(planes_.size());
    for (std::size_t n = 0; n < planes_.size(); ++n)
      if (planes_[n].kind == PlaneDescriptor::kAfbc) WARPJIT_CHECK(take_kept(n));
    WARPJIT_CHECK(check_planes());
    Texture& t = bound_.texture;
    t.normalized = normalized;
    WARPJIT_CHECK(describe());
    WARPJIT_CHECK(measure());
    if (!place_regular()) WARPJIT_CHECK(gather());
    bound_.places = std::move(places_);
    t.level_places = bound_.places;
    return std::move(bound_);
  }

 private:
  Error fail(const std::string& what, ErrorCode code = ErrorCode::unsupported) const {
    return {code, d_.place + ": " + what, image_.name()};
  }
  Error plane_error(std::size_t n, const std::string& what, ErrorCode code = ErrorCode::unsupported) const {
    return fail("plane " + std::to_string(n) + ": " + what, code);
  }

  Status check_fields() const {
    // Samples lie as slices do, and fetches name them by the third component of their offsets.
    if (d_.samples != 1 &&
        (d_.samples != 4 || d_.kind != TextureKind::two || d_.layers != 1 || d_.levels != 1))
      return fail("sample count is " + std::to_string(d_.samples) + " of a texture that is not plain 2D");
    if (d_.minimum_level != 0) return fail("minimum level is " + std::to_string(d_.minimum_level));
    if (three_ && d_.layers != 1) return fail("array size of a 3D texture is " + std::to_string(d_.layers));
    return {};
  }

  // A plane in AFBC becomes a linear one of the picture that the target of the same memory has left.
  Status take_kept(std::size_t n) {
    PlaneDescriptor& plane = planes_[n];
    const KeptPicture* const picture = memory_.kept != nullptr ? memory_.kept->find(plane.memory) : nullptr;
    const std::string kind = "plane type is " + plane_kind_text(PlaneDescriptor::kAfbc) + ", and ";
    if (picture == nullptr)
      return plane_error(n, kind + "no target of the capture was drawn at " + hex_text(plane.memory) +
                                ": record with PAN_MESA_DEBUG=noafbc");
    const auto level = static_cast<std::uint32_t>(n % d_.levels);
    const std::uint32_t width = std::max(d_.width >> level, 1U),
                        height = d_.kind == TextureKind::one ? 1 : std::max(d_.height >> level, 1U);
    const std::string target = kind + "its target, " + picture->place + ", ";
    if (picture->width != width || picture->height != height)
      return plane_error(n, target + "has " + std::to_string(picture->width) + " x " +
                                std::to_string(picture->height) + " pixels, not " + std::to_string(width) +
                                " x " + std::to_string(height));
    if (picture->bytes.empty()) return plane_error(n, target + "is not kept: " + picture->why);
    constexpr std::uint8_t kStencilAbove = 21, kStencil = 93;  // a clump; a format
    const bool of_stencil = (d_.format >> 12 & 0xff) == kStencil;
    if (of_stencil && !picture->stencil) return plane_error(n, target + "has no stencil");
    if (picture->depth != 0 && !of_stencil && (d_.format >> 12 & 0xff) != picture->depth)
      return plane_error(n, target + "has depth, not format " + pixel_format_text(d_.format));
    if (const auto unknown = std::ranges::count(picture->known, 0); unknown != 0)
      return plane_error(n, target + "has " + std::to_string(unknown) +
                                " pixels that nothing of the capture has drawn: record with "
                                "PAN_MESA_DEBUG=noafbc");
    if (const std::string place = memory_.target_of(plane.memory, 1); !place.empty())
      return plane_error(n, "its memory is that of " + place);
    static constexpr std::array<std::uint8_t, 17> kClumps{0, 0, 1, 8, 2, 0, 9, 0, 3, 0, 0, 0, 10, 0, 0, 0, 4};
    plane.kind = PlaneDescriptor::kGeneric;
    plane.ordering = PlaneDescriptor::kLinear;
    plane.clump = of_stencil ? kStencilAbove : kClumps[picture->pixel_bytes];
    plane.row_stride = width * picture->pixel_bytes;
    plane.slice_stride = 0;
    kept_[n] = picture;
    return {};
  }

  // True if texels of the format have the components of the kept pictures.
  bool fits_kept(const TextureFormat& format) const {
    std::array<std::uint8_t, 4> bits{};
    for (std::size_t k = 0; k < 4; ++k) bits[k] = format.components[k].bits;
    std::ranges::sort(bits);
    return std::ranges::all_of(kept_, [&](const KeptPicture* picture) {
      if (picture == nullptr) return true;
      std::array<std::uint8_t, 4> wanted = picture->bits;
      std::ranges::sort(wanted);
      return format.bytes == picture->pixel_bytes && (wanted[3] == 0 || wanted == bits);
    });
  }

  Status check_planes() const {
    const PlaneDescriptor& first = planes_.front();
    switch (first.kind) {
      case PlaneDescriptor::kGeneric:
      case PlaneDescriptor::kAstc:
        break;
      default:
        return plane_error(0, "plane type is " + plane_kind_text(first.kind));
    }
    if (first.ordering != PlaneDescriptor::kUInterleaved && first.ordering != PlaneDescriptor::kLinear)
      return plane_error(0, "clump ordering: there is no " + std::to_string(first.ordering),
                         ErrorCode::bad_input);
    for (std::size_t n = 1; n < planes_.size(); ++n) {
      const PlaneDescriptor& p = planes_[n];
      if (p.kind != first.kind || p.ordering != first.ordering || p.clump != first.clump ||
          p.block_width != first.block_width || p.block_height != first.block_height)
        return plane_error(n, "type, ordering or clump format is not that of plane 0");
    }
    return {};
  }

  // What code is specialized for, and the extents.
  Status describe() {
    Texture& t = bound_.texture;
    const PlaneDescriptor& plane = planes_.front();
    constexpr TextureDimension kDimensions[] = {TextureDimension::cube, TextureDimension::d1,
                                                TextureDimension::d2, TextureDimension::d3};
    t.dimension = three_ ? TextureDimension::d3 : kDimensions[static_cast<std::size_t>(d_.kind)];
    t.array = d_.layers > 1;
    t.layout =
        plane.ordering == PlaneDescriptor::kLinear ? TextureLayout::linear : TextureLayout::u_interleaved;
    std::optional<TexelLayout> texel;
    if (plane.kind == PlaneDescriptor::kAstc) {
      constexpr unsigned kBlocks[] = {4, 5, 6, 0, 8, 0, 10, 12};
      if (plane.hdr) return plane_error(0, "ASTC HDR is set");
      texel = find_astc_layout(d_.format, kBlocks[plane.block_width], kBlocks[plane.block_height]);
    } else {
      texel = find_texel_layout(d_.format, plane.clump);
    }
    if (!texel && plane.kind == PlaneDescriptor::kAstc)
      return fail("format " + pixel_format_text(d_.format) + " with ASTC block sizes " +
                  std::to_string(plane.block_width) + ", " + std::to_string(plane.block_height));
    if (!texel)
      return fail("format " + pixel_format_text(d_.format) + " with clump format " + clump_text(plane.clump));
    if (!fits_kept(texel->format))
      return fail(
          "format " + pixel_format_text(d_.format) + " is not that of its target in AFBC, " +
          (*std::ranges::find_if(kept_, [](const auto* picture) { return picture != nullptr; }))->place);
    t.format = texel->format;
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned selector = d_.swizzle >> 3 * k & 7;
      if (selector > 5) return fail("swizzle: there is no " + std::to_string(selector), ErrorCode::bad_input);
      const bool integer = texel->channels[3] == TexelSource::integer_one;
      t.swizzle[k] = selector < 4    ? texel->channels[selector]
                     : selector == 4 ? TexelSource::zero
                     : integer       ? TexelSource::integer_one
                                     : TexelSource::one;
    }
    t.width = d_.width;
    t.height = t.dimension == TextureDimension::d1 ? 1 : d_.height;
    t.depth_extent = d_.samples != 1 ? d_.samples : three_ ? d_.depth : 1;
    t.layers = d_.layers;
    t.levels = d_.levels;
    t.min_lod = d_.minimum_lod;
    const std::uint32_t last = d_.maximum_lod;
    if (last < 256 * (d_.levels - 1)) {
      if (last % 256 != 0) return fail("maximum LOD is " + std::to_string(last) + "/256");
      t.last_level = last / 256;
    }
    return {};
  }

  // The bytes of each level's planes.
  Status measure() {
    const Texture& t = bound_.texture;
    const std::uint64_t bytes = t.format.bytes;
    for (std::uint32_t level = 0; level < d_.levels; ++level) {
      const auto extent = [&](std::uint32_t n) { return std::max<std::uint32_t>(n >> level, 1); };
      const std::uint64_t width = (extent(t.width) + t.format.block_width - 1U) / t.format.block_width;
      const std::uint64_t height = (extent(t.height) + t.format.block_height - 1U) / t.format.block_height;
      const std::uint64_t slices = extent(t.depth_extent);
      const std::uint64_t side = t.format.compression == BlockCompression::none ? 16 : 4;
      const bool linear = t.layout == TextureLayout::linear;
      const std::uint64_t row = linear ? width * bytes : (width + side - 1) / side * side * side * bytes;
      const std::uint64_t rows = linear ? height : (height + side - 1) / side;
      for (std::size_t n = level; n < planes_.size(); n += d_.levels) {
        const PlaneDescriptor& plane = planes_[n];
        if (plane.row_stride < row && rows > 1)
          return plane_error(n,
                             "row stride " + std::to_string(plane.row_stride) + " is below the " +
                                 std::to_string(row) + " bytes of a row",
                             ErrorCode::bad_input);
        const std::uint64_t slice = (rows - 1) * plane.row_stride + row;
        // The stride of a single row or slice does not count.
        if (n == level)
          places_.push_back({.row_bytes = rows > 1 ? plane.row_stride : 0,
                             .slice_bytes = slices > 1 ? plane.slice_stride : 0});
        if (plane.slice_stride < slice && slices > 1)
          return plane_error(n,
                             "slice stride " + std::to_string(plane.slice_stride) + " is below the " +
                                 std::to_string(slice) + " bytes of a slice",
                             ErrorCode::bad_input);
        const std::uint64_t size = (slices - 1) * plane.slice_stride + slice;
        sizes_.push_back(size);  // by level, then layer and face
        if (kept_[n] != nullptr) continue;
        if (!image_.find(plane.memory, size))
          return plane_error(
              n, std::to_string(size) + " bytes at " + hex_text(plane.memory) + " are not all in the image",
              ErrorCode::bad_input);
        if (const std::string place = memory_.place_of(plane.memory, size); !place.empty())
          return plane_error(n, "its memory is that of " + place);
      }
    }
    return {};
  }
  std::uint64_t size_of(std::size_t plane) const {
    const std::size_t layers = planes_.size() / d_.levels;
    return sizes_[plane % d_.levels * layers + plane / d_.levels];
  }

  // Where the image has the levels of all layers at the same distances, which do not need to be copied.
  bool place_regular() {
    if (std::ranges::any_of(kept_, [](const auto* picture) { return picture != nullptr; })) return false;
    Texture& t = bound_.texture;
    const std::size_t levels = d_.levels, layers = planes_.size() / levels;
    std::uint64_t base = planes_.front().memory, end = 0;
    for (std::size_t n = 0; n < levels; ++n) base = std::min(base, planes_[n].memory);
    const std::uint64_t stride = layers > 1 ? planes_[levels].memory - planes_[0].memory : 0;
    for (std::size_t n = 0; n < planes_.size(); ++n) {
      const PlaneDescriptor &plane = planes_[n], &first = planes_[n % levels];
      if (plane.memory != first.memory + n / levels * stride || plane.row_stride != first.row_stride ||
          plane.slice_stride != first.slice_stride)
        return false;
      end = std::max(end, plane.memory + size_of(n));
    }
    std::uint64_t layer_end = 0;
    for (std::size_t n = 0; n < levels; ++n)
      layer_end = std::max(layer_end, planes_[n].memory - base + size_of(n));
    if (layers > 1 && stride < layer_end) return false;
    const auto bytes = image_.find(base, end - base);
    if (!bytes || bytes->size() > kMaxTextureBytes) return false;
    for (std::size_t n = 0; n < levels; ++n) places_[n].offset = planes_[n].memory - base;
    t.layer_bytes = stride;
    t.data = bytes->data();
    t.size = bytes->size();
    return true;
  }

  Status gather() {
    Texture& t = bound_.texture;
    constexpr std::uint64_t kAlign = 64;
    const std::size_t levels = d_.levels, layers = planes_.size() / levels;
    std::uint64_t layer = 0;
    for (std::size_t n = 0; n < levels; ++n) {
      places_[n].offset = layer;
      std::uint64_t most = 0;
      for (std::size_t k = 0; k < layers; ++k) {
        const PlaneDescriptor& plane = planes_[k * levels + n];
        if (plane.row_stride != planes_[n].row_stride || plane.slice_stride != planes_[n].slice_stride)
          return plane_error(k * levels + n, "strides are not those of the first layer");
        most = std::max(most, size_of(k * levels + n));
      }
      layer += (most + kAlign - 1) / kAlign * kAlign;
    }
    if (layer > kMaxDecodedTextureBytes / layers)
      return fail("its planes have more than " + std::to_string(kMaxDecodedTextureBytes) + " bytes",
                  ErrorCode::resource_limit);
    bound_.copy.resize(static_cast<std::size_t>(layer) * layers);
    for (std::size_t n = 0; n < planes_.size(); ++n) {
      const auto from = kept_[n] != nullptr ? std::span<const std::byte>(kept_[n]->bytes)
                                            : *image_.find(planes_[n].memory, size_of(n));
      std::memcpy(bound_.copy.data() + n / levels * layer + places_[n % levels].offset, from.data(),
                  std::min<std::size_t>(from.size(), size_of(n)));
    }
    t.layer_bytes = layer;
    t.data = bound_.copy.data();
    t.size = bound_.copy.size();
    return {};
  }

  const Image& image_;
  const TextureDescriptor& d_;
  const TargetMemory& memory_;
  const bool three_;
  std::vector<PlaneDescriptor> planes_;
  std::vector<const KeptPicture*> kept_;  // of each plane; null: the image has it
  std::vector<std::uint64_t> sizes_;
  std::vector<TextureLevelPlace> places_;
  BoundTexture bound_;
};

std::optional<Wrap> find_wrap(std::uint8_t code) {
  switch (code) {
    case 8:
      return Wrap::repeat;
    case 9:
      return Wrap::clamp_to_edge;
    case 11:
      return Wrap::clamp_to_border;
    case 12:
      return Wrap::mirror;
    case 13:
      return Wrap::mirror_once_to_edge;
    case 15:
      return Wrap::mirror_once_to_border;
    default:
      return std::nullopt;
  }
}

// texel OP reference as reference OP texel.
Compare turned(std::uint8_t function) {
  constexpr Compare kTurned[] = {Compare::never,         Compare::greater, Compare::equal,
                                 Compare::greater_equal, Compare::less,    Compare::not_equal,
                                 Compare::less_equal,    Compare::always};
  return kTurned[function & 7];
}

}  // namespace

Result<BoundTexture> convert_texture(const Image& image, const TextureDescriptor& descriptor, bool normalized,
                                     const TargetMemory& memory) {
  return TextureReader(image, descriptor, memory).read(normalized);
}

Result<Sampler> convert_sampler(const Image& image, const SamplerDescriptor& d) {
  const auto fail = [&](const std::string& what, ErrorCode code = ErrorCode::bad_input) {
    return Error{code, d.place + ": " + what, image.name()};
  };
  Sampler sampler;
  for (unsigned k = 0; k < 3; ++k) {
    const auto wrap = find_wrap(d.wrap[k]);
    if (!wrap)
      return fail(std::string("wrap mode ") + "STR"[k] + ": there is no " + std::to_string(d.wrap[k]));
    sampler.wrap[k] = *wrap;
  }
  sampler.magnify = d.magnify_nearest ? Filter::nearest : Filter::linear;
  sampler.minify = d.minify_nearest ? Filter::nearest : Filter::linear;
  if (d.mip == 2) return fail("mipmap mode: there is no 2");
  sampler.mip = d.mip == 0 ? MipFilter::nearest : d.mip == 1 ? MipFilter::none : MipFilter::linear;
  if (d.magnify_cutoff && sampler.magnify != sampler.minify)
    return fail("magnify cutoff is set", ErrorCode::unsupported);
  sampler.compare_op = turned(d.compare);
  sampler.compare = d.compare != 0;
  sampler.decode_srgb = !d.keep_srgb;
  sampler.seamless = d.seamless;
  sampler.lod_bias = d.bias;
  sampler.min_lod = d.minimum_lod;
  sampler.max_lod = d.maximum_lod;
  sampler.border = d.border;
  return sampler;
}

}  // namespace warpjit::valhall
