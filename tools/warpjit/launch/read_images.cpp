// Images that programs read and write by coordinates.
#include <limits>

#include "launch/reading.h"

namespace warpjit::tool {

namespace {

constexpr std::size_t kMostImages = 16;
constexpr std::int64_t kMostTexels = 65536;  // along an axis

Result<ImageSource> read_image(const Reading& reading, const JsonField& field) {
  constexpr std::int64_t kMost = 0xffffffff;
  WARPJIT_CHECK(field.expect_object());
  WARPJIT_CHECK(field.expect_keys({"format", "address", "width", "height", "depth", "row_stride",
                                   "slice_stride", "interleaved", "is_3d"}));
  ImageSource image;
  WARPJIT_TRY(const JsonField format, field.require("format"));
  WARPJIT_TRY(image.format, reading.guest->attributes()->read_format(format));
  WARPJIT_TRY(const JsonField address, field.require("address"));
  WARPJIT_TRY(const std::int64_t place, address.integer(0, std::numeric_limits<std::int64_t>::max()));
  image.address = static_cast<std::uint64_t>(place);
  WARPJIT_TRY(const JsonField width, field.require("width"));
  WARPJIT_TRY(const std::int64_t columns, width.integer(1, kMostTexels));
  image.width = static_cast<std::uint32_t>(columns);
  WARPJIT_TRY(image.height, number_at(field, "height", 1, kMostTexels, 1));
  WARPJIT_TRY(image.depth, number_at(field, "depth", 1, kMostTexels, 1));
  WARPJIT_TRY(image.row_stride, number_at(field, "row_stride", 0, kMost, 0));
  WARPJIT_TRY(image.slice_stride, number_at(field, "slice_stride", 0, kMost, 0));
  if (const auto interleaved = field.find("interleaved")) {
    WARPJIT_TRY(image.interleaved, interleaved->boolean());
  }
  if (const auto is_3d = field.find("is_3d")) {
    WARPJIT_TRY(image.is_3d, is_3d->boolean());
  }
  return image;
}

}  // namespace

Status read_images(Reading& reading) {
  const auto field = reading.root.find("images");
  if (!field) return {};
  if (!reading.launch.program->takes_images()) return field->error("programs of this guest have no images");
  WARPJIT_CHECK(field->expect_array());
  if (field->size() > kMostImages) return field->error("at most " + std::to_string(kMostImages) + " images");
  for (std::size_t k = 0; k < field->size(); ++k) {
    ImageSource& image = reading.launch.grid.images.emplace_back();
    if (field->at(k).json().is_null()) continue;  // a number without image
    WARPJIT_TRY(image, read_image(reading, field->at(k)));
  }
  return {};
}

}  // namespace warpjit::tool
