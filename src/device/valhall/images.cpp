#include "device/valhall/images.h"

#include <algorithm>

#include "device/valhall/pixel_format.h"
#include "frontend/valhall/container/format_names.h"
#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/interpret/attribute.h"

namespace warpjit::valhall {
namespace {

constexpr std::uint8_t kFirstPacked = 16;  // of clumps: texels that are part of what lies in memory

class ImageReader {
 public:
  ImageReader(const Image& image, const TextureDescriptor& descriptor, const TargetMemory& memory)
      : image_(image), d_(descriptor), memory_(memory) {}

  Result<frontend::ImageSource> read() {
    if (d_.samples != 1) return fail("sample count is " + std::to_string(d_.samples));
    if (d_.minimum_level != 0) return fail("minimum level is " + std::to_string(d_.minimum_level));
    const bool deep = d_.kind == TextureKind::three;
    if (deep && d_.layers != 1) return fail("array size of a 3D image is " + std::to_string(d_.layers));
    const auto format = find_vertex_format(d_.format);
    if (!format) return fail("format: " + format.error().message);
    WARPJIT_TRY(const std::vector<PlaneDescriptor> planes, read_planes(image_, d_));
    const PlaneDescriptor& first = planes.front();
    source_ = {.address = first.memory,
               .format = d_.format,
               .width = d_.width,
               .height = d_.kind == TextureKind::one ? 1 : d_.height,
               .depth = deep ? d_.depth : d_.layers * d_.faces(),
               .row_stride = first.row_stride,
               .slice_stride = deep ? first.slice_stride : 0,
               .interleaved = first.ordering == PlaneDescriptor::kUInterleaved,
               .is_3d = deep};
    if (!deep && source_.depth > 1) {
      const std::uint64_t distance = planes[d_.levels].memory - first.memory;
      if (distance > ~std::uint32_t{0})
        return plane_error(d_.levels, "address: it is not up to 4 GiB after that of the first layer");
      source_.slice_stride = static_cast<std::uint32_t>(distance);
    }
    // The stride of a single row or slice does not count.
    if ((source_.interleaved ? (source_.height + 15) / 16 : source_.height) == 1) source_.row_stride = 0;
    if (source_.depth == 1) source_.slice_stride = 0;
    for (std::size_t n = 0; n < planes.size(); n += d_.levels)
      WARPJIT_CHECK(check_plane(planes[n], n, first, format->bytes(), deep ? source_.depth : 1));
    return source_;
  }

 private:
  Error fail(const std::string& what, ErrorCode code = ErrorCode::unsupported) const {
    return {code, d_.place + ": " + what, image_.name()};
  }
  Error plane_error(std::size_t n, const std::string& what, ErrorCode code = ErrorCode::unsupported) const {
    return fail("plane " + std::to_string(n) + ": " + what, code);
  }

  // Level 0 of layer n / levels.
  Status check_plane(const PlaneDescriptor& plane, std::size_t n, const PlaneDescriptor& first,
                     std::uint64_t bytes, std::uint64_t slices) const {
    if (plane.kind != PlaneDescriptor::kGeneric)
      return plane_error(n, "plane type is " + plane_kind_text(plane.kind) + ", not 1");
    if (plane.ordering != PlaneDescriptor::kUInterleaved && plane.ordering != PlaneDescriptor::kLinear)
      return plane_error(n, "clump ordering: there is no " + std::to_string(plane.ordering),
                         ErrorCode::bad_input);
    const auto texel = find_texel_layout(d_.format, plane.clump);
    if (plane.clump >= kFirstPacked || !texel || texel->format.compression != BlockCompression::none ||
        texel->format.bytes != bytes)
      return plane_error(
          n, "clump format " + clump_text(plane.clump) + " with format " + pixel_format_text(d_.format));
    if (plane.ordering != first.ordering || plane.row_stride != first.row_stride ||
        plane.slice_stride != first.slice_stride ||
        plane.memory != first.memory + n / d_.levels * source_.slice_stride)
      return plane_error(n, "strides, ordering or distance are not those of the first layers");
    const std::uint64_t width = source_.width, height = source_.height;
    const std::uint64_t row = source_.interleaved ? (width + 15) / 16 * 256 * bytes : width * bytes;
    const std::uint64_t rows = source_.interleaved ? (height + 15) / 16 : height;
    const std::uint64_t size = (slices - 1) * source_.slice_stride + (rows - 1) * source_.row_stride + row;
    if (!image_.find(plane.memory, size))
      return plane_error(
          n, std::to_string(size) + " bytes at " + hex_text(plane.memory) + " are not all in the image",
          ErrorCode::bad_input);
    if (const std::string place = memory_.place_of(plane.memory, size); !place.empty())
      return plane_error(n, "its memory is that of " + place);
    return {};
  }

  const Image& image_;
  const TextureDescriptor& d_;
  const TargetMemory& memory_;
  frontend::ImageSource source_;
};

}  // namespace

Result<std::vector<frontend::ImageSource>> read_images(const Image& image, const Environment& environment,
                                                       std::span<const std::uint32_t> numbers,
                                                       const TargetMemory& memory) {
  std::vector<frontend::ImageSource> images;
  for (const std::uint32_t n : numbers) {
    WARPJIT_TRY(const auto descriptor, read_texture(image, environment, kImageTable, n));
    if (!descriptor) continue;
    const auto read = ImageReader(image, *descriptor, memory).read();
    if (!read)
      return Error{read.error().code,
                   environment.place + ", image " + std::to_string(n) + ": " + read.error().message,
                   image.name()};
    if (images.size() <= n) images.resize(n + 1);
    images[n] = *read;
  }
  return images;
}

}  // namespace warpjit::valhall
