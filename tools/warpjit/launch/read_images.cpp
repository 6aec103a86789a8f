// Images that programs read and write by coordinates.
#include "launch/grid_fields.h"
#include "launch/reading.h"

namespace warpjit::tool {

namespace {

constexpr std::size_t kMostImages = 16;

Result<ImageSource> read_image(const Reading& reading, const JsonField& field) {
  ImageSource image;
  WARPJIT_CHECK(image_fields().expect(field, {"format"}));
  WARPJIT_TRY(const JsonField format, field.require("format"));
  WARPJIT_TRY(image.format, reading.guest->attributes()->read_format(format));
  WARPJIT_CHECK(image_fields().read(field, image));
  return image;
}

}  // namespace

Status read_images(Reading& reading) {
  const auto field = reading.root.find("images");
  if (!field) return {};
  if (!reading.launch.program->traits().memory.tables)
    return field->error("programs of this guest have no images");
  WARPJIT_CHECK(field->expect_most(kMostImages, "images"));
  for (std::size_t k = 0; k < field->size(); ++k) {
    ImageSource& image = reading.launch.grid.images.emplace_back();
    if (field->at(k).json().is_null()) continue;  // a number without image
    WARPJIT_TRY(image, read_image(reading, field->at(k)));
  }
  return {};
}

}  // namespace warpjit::tool
