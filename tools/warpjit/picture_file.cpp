#include "picture_file.h"

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace warpjit::tool {
namespace {

png_image header(const Image& image) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = image.width;
  png.height = image.height;
  png.format = PNG_FORMAT_RGBA;
  return png;
}

void append_word(std::vector<std::byte>& bytes, std::uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::byte>(word >> shift));
}
void append_chunk(std::vector<std::byte>& png, const char (&type)[5], std::span<const std::byte> data) {
  append_word(png, static_cast<std::uint32_t>(data.size()));
  const std::size_t begin = png.size();
  const auto* letters = reinterpret_cast<const std::byte*>(type);
  png.insert(png.end(), letters, letters + 4);
  png.insert(png.end(), data.begin(), data.end());
  const uLong sum =
      crc32(0, reinterpret_cast<const Bytef*>(png.data() + begin), static_cast<uInt>(png.size() - begin));
  append_word(png, static_cast<std::uint32_t>(sum));
}

// The chunks of a PNG file that libpng wrote.
struct Chunk {
  std::string_view type;
  std::span<const std::byte> whole, data;
};
constexpr std::size_t kSignature = 8;
std::vector<Chunk> chunks_of(std::span<const std::byte> png) {
  std::vector<Chunk> chunks;
  for (std::size_t at = kSignature; at + 12 <= png.size();) {
    std::uint32_t size = 0;
    for (std::size_t k = 0; k < 4; ++k) size = size << 8 | static_cast<std::uint32_t>(png[at + k]);
    const auto* type = reinterpret_cast<const char*>(png.data() + at + 4);
    chunks.push_back({{type, 4}, png.subspan(at, 12 + std::size_t{size}), png.subspan(at + 8, size)});
    at += 12 + std::size_t{size};
  }
  return chunks;
}

}  // namespace

std::vector<std::byte> write_png(const Image& image) {
  png_image png = header(image);
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::vector<std::byte> bytes(size);
  if (png_image_write_to_memory(&png, bytes.data(), &size, 0, image.rgba.data(), 0, nullptr) == 0) size = 0;
  bytes.resize(size);
  return bytes;
}

// The first image's file with the chunks of an animation: acTL, and before each image fcTL; the data of later
// images are in fdAT, which have a number before.
std::vector<std::byte> write_apng(std::span<const Image> images, unsigned milliseconds) {
  std::vector<std::byte> out;
  std::uint32_t number = 0;
  for (std::size_t k = 0; k < images.size(); ++k) {
    const std::vector<std::byte> file = write_png(images[k]);
    if (file.empty()) return {};
    if (k == 0) out.assign(file.begin(), file.begin() + kSignature);
    bool begun = false;
    for (const Chunk& chunk : chunks_of(file)) {
      const bool is_data = chunk.type == "IDAT";
      if (is_data && !begun) {
        begun = true;
        if (k == 0) {
          std::vector<std::byte> control;
          append_word(control, static_cast<std::uint32_t>(images.size()));
          append_word(control, 0);
          append_chunk(out, "acTL", control);
        }
        std::vector<std::byte> frame;
        for (const std::uint32_t word : {number++, images[k].width, images[k].height, 0U, 0U})
          append_word(frame, word);
        append_word(frame, milliseconds << 16 | 1000);
        frame.resize(frame.size() + 2);
        append_chunk(out, "fcTL", frame);
      }
      if (is_data && k != 0) {
        std::vector<std::byte> data;
        append_word(data, number++);
        data.insert(data.end(), chunk.data.begin(), chunk.data.end());
        append_chunk(out, "fdAT", data);
      } else if (is_data || (k == 0 && chunk.type != "IEND")) {
        out.insert(out.end(), chunk.whole.begin(), chunk.whole.end());
      }
    }
  }
  append_chunk(out, "IEND", {});
  return out;
}

Result<Image> read_png(std::span<const std::byte> bytes, const std::string& name, std::uint64_t most,
                       std::uint32_t extent) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0)
    return Error{ErrorCode::bad_input, std::string("not a PNG picture: ") + png.message, name};
  if (std::uint64_t{png.width} * png.height > most || std::max(png.width, png.height) > extent) {
    const std::string size = std::to_string(png.width) + " x " + std::to_string(png.height);
    png_image_free(&png);
    return Error{ErrorCode::resource_limit, "the picture has " + size + " pixels: too many", name};
  }
  png.format = PNG_FORMAT_RGBA;
  Image image{png.width, png.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(png))};
  if (png_image_finish_read(&png, nullptr, image.rgba.data(), 0, nullptr) == 0)
    return Error{ErrorCode::bad_input, std::string("not a PNG picture: ") + png.message, name};
  return image;
}

}  // namespace warpjit::tool
