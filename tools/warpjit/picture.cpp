#include "picture.h"

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "frontend/interpret/pixels/format.h"

namespace warpjit::tool {
namespace {

constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28;

std::uint8_t channel(const interpret::Component& component, interpret::Kind kind, std::uint32_t word) {
  if (kind == interpret::Kind::integer) return static_cast<std::uint8_t>(word);
  float value = std::bit_cast<float>(word);
  if (!(value > 0)) return 0;
  value = std::min(value, 1.0F);
  // Pictures are encoded by the sRGB curve or not, as their targets are.
  if (component.encoding == interpret::Encoding::srgb)
    value = value <= 0.0031308F ? 12.92F * value : 1.055F * std::pow(value, 1 / 2.4F) - 0.055F;
  return static_cast<std::uint8_t>(std::lround(value * 255));
}

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

Image to_image(const BoundLaunch::Picture& picture, std::uint32_t width, std::uint32_t height) {
  const interpret::FormatInfo& format = interpret::format_info(picture.format);
  const bool depth = is_depth(picture.format);
  Image image{width, height, std::vector<std::uint8_t>(std::size_t{4} * width * height, 255)};
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::size_t from = (std::size_t{y} * width + x) * format.bytes;
      const interpret::PixelWords pixel = interpret::load_pixel(picture.bytes.data() + from, format.bytes);
      std::uint8_t* to = image.rgba.data() + 4 * (std::size_t{height - 1 - y} * width + x);
      const auto shown = [&](std::size_t k) {
        const interpret::Component& component = format.components[k];
        return channel(component, format.kind,
                       interpret::decode(component, interpret::extract(component, pixel)));
      };
      if (depth) {
        to[0] = to[1] = to[2] = shown(0);
        continue;
      }
      for (std::size_t k = 0; k < 4; ++k)
        if (format.components[k].encoding != interpret::Encoding::none)
          to[k] = shown(k);
        else if (k < 3)
          to[k] = to[0];
    }
  return image;
}

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

Result<Image> read_png(std::span<const std::byte> bytes, const std::string& name) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0)
    return Error{ErrorCode::bad_input, std::string("not a PNG picture: ") + png.message, name};
  if (std::uint64_t{png.width} * png.height > kMaxPixels) {
    png_image_free(&png);
    return Error{ErrorCode::resource_limit, "the picture has more than 2^28 pixels", name};
  }
  png.format = PNG_FORMAT_RGBA;
  Image image{png.width, png.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(png))};
  if (png_image_finish_read(&png, nullptr, image.rgba.data(), 0, nullptr) == 0)
    return Error{ErrorCode::bad_input, std::string("not a PNG picture: ") + png.message, name};
  return image;
}

Difference compare_images(const Image& a, const Image& b) {
  Difference difference;
  difference.image = {a.width, a.height, std::vector<std::uint8_t>(a.rgba.size(), 255)};
  for (std::size_t at = 0; at < a.rgba.size(); at += 4) {
    int largest = 0;
    for (std::size_t k = 0; k < 4; ++k)
      largest = std::max(largest, std::abs(a.rgba[at + k] - b.rgba[at + k]));
    if (largest == 0) continue;
    ++difference.pixels;
    difference.largest = std::max(difference.largest, static_cast<unsigned>(largest));
    const auto rest = static_cast<std::uint8_t>(191 - largest * 191 / 255);
    difference.image.rgba[at + 1] = difference.image.rgba[at + 2] = rest;
  }
  return difference;
}

}  // namespace warpjit::tool
