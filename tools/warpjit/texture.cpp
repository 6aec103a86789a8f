// warpjit texture: a raw texture as a picture.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "command.h"
#include "files.h"
#include "launch/texture_fields.h"
#include "output.h"
#include "picture_file.h"
#include "textures/view.h"

namespace warpjit::tool {

namespace {

struct TextureOptions {
  std::string file, format = "rgba8", layout = "linear", dimension = "2d", size, swizzle = "rgba", output;
  std::uint64_t offset = 0, row_bytes = 0, slice_bytes = 0, layer_bytes = 0;
  std::uint32_t layers = 1, levels = 0, level = 0, layer = 0, slice = 0;
  unsigned block_height = 0, block_depth = 0;
  bool flip = false;
};

Error wrong(const char* option, std::string message) {
  return {ErrorCode::bad_input, std::move(message), option};
}

template <class Enum>
Status take_word(const char* option, const std::string& text, std::span<const std::string_view> words,
                 Enum& out) {
  const auto found = std::ranges::find(words, text);
  if (found == words.end()) {
    std::string known;
    for (const std::string_view word : words) known += (known.empty() ? "" : ", ") + std::string(word);
    return wrong(option, "'" + text + "' is none of " + known);
  }
  out = static_cast<Enum>(found - words.begin());
  return {};
}

// "64x32" or "64x32x4".
Status take_size(const std::string& text, Texture& texture) {
  std::uint32_t* const extents[] = {&texture.width, &texture.height, &texture.depth_extent};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t k = 0; k < 3; ++k) {
    const auto [stop, error] = std::from_chars(at, end, *extents[k]);
    if (error != std::errc()) break;
    if (stop == end) return {};
    if (*stop != 'x') break;
    at = stop + 1;
  }
  return wrong("--size", "'" + text + "' is no size like 64x32 or 64x32x4");
}

Result<Texture> describe(const TextureOptions& options, std::span<const std::byte> bytes) {
  Texture texture;
  const auto format = parse_texture_format(options.format);
  if (!format) {
    std::string known;
    for (const std::string_view name : list_texture_formats())
      known += (known.empty() ? "" : ", ") + std::string(name);
    return wrong("--format", "'" + options.format + "' is none of " + known);
  }
  texture.format = *format;
  WARPJIT_CHECK(take_word("--layout", options.layout, kLayouts, texture.layout));
  WARPJIT_CHECK(take_word("--dimension", options.dimension, kDimensions, texture.dimension));
  if (options.size.empty()) return wrong("--size", "is missing");
  WARPJIT_CHECK(take_size(options.size, texture));
  if (options.swizzle.size() != 4) return wrong("--swizzle", "has four letters of " + std::string(kSources));
  for (std::size_t n = 0; n < 4; ++n) {
    const std::size_t found = kSources.find(options.swizzle[n]);
    if (found == std::string_view::npos)
      return wrong("--swizzle", "has four letters of " + std::string(kSources));
    texture.swizzle[n] = static_cast<TexelSource>(found);
  }
  texture.array = options.layers > 1;
  texture.layers = options.layers;
  texture.levels = options.levels != 0 ? options.levels : options.level + 1;
  texture.row_bytes = options.row_bytes;
  texture.slice_bytes = options.slice_bytes;
  texture.layer_bytes = options.layer_bytes;
  texture.block_height = static_cast<std::uint8_t>(std::min(options.block_height, 255U));
  texture.block_depth = static_cast<std::uint8_t>(std::min(options.block_depth, 255U));
  if (options.offset > bytes.size())
    return wrong("--offset", fmt::format("{} lies after the file's {} bytes", options.offset, bytes.size()));
  texture.data = bytes.data() + options.offset;
  texture.size = bytes.size() - static_cast<std::size_t>(options.offset);
  return texture;
}

// 8 bits of a component's word: integers show their low bits, floats are limited to 0 to 1.
std::uint8_t shown(std::uint32_t word, bool integer) {
  if (integer) return static_cast<std::uint8_t>(word);
  const float value = std::bit_cast<float>(word);
  if (!(value > 0)) return 0;
  return static_cast<std::uint8_t>(std::lround(std::min(value, 1.0F) * 255));
}

Result<Image> draw(const textures::TextureView& view, const TextureOptions& options) {
  if (options.level >= view.level_count) return wrong("--level", "is a level that the texture does not have");
  if (options.layer >= view.layers) return wrong("--layer", "is a layer that the texture does not have");
  const textures::Level& level = view.levels[options.level];
  if (options.slice >= level.depth) return wrong("--slice", "is a slice that the level does not have");
  Image image{level.width, level.height, {}};
  if (std::uint64_t{image.width} * image.height > kMaxPicturePixels)
    return Error{ErrorCode::resource_limit, "the picture has more than 2^28 pixels", "--size"};
  image.rgba.resize(std::size_t{4} * image.width * image.height);
  // Bytes as they are: pictures are encoded by the sRGB curve, or not, as textures are.
  TextureFormat format = view.format;
  format.srgb = false;
  const bool grey =
      format.components[1].type == TexelType::none && format.components[2].type == TexelType::none;
  for (std::uint32_t y = 0; y < image.height; ++y)
    for (std::uint32_t x = 0; x < image.width; ++x) {
      const std::byte* texel =
          view.base + view.texel_offset(options.level, options.layer, x, y, options.slice);
      const textures::Texel components = textures::decode_texel(format, texel);
      const std::uint32_t row = options.flip ? image.height - 1 - y : y;
      std::uint8_t* pixel = image.rgba.data() + std::size_t{4} * (std::size_t{row} * image.width + x);
      for (std::size_t n = 0; n < 4; ++n) {
        std::size_t from = static_cast<std::size_t>(view.swizzle[n]);
        if (from > 3) {
          pixel[n] = view.swizzle[n] == TexelSource::zero ? 0 : 255;
          continue;
        }
        if (grey && n < 3 && from < 3) from = 0;
        const TexelType type = format.components[from].type;
        pixel[n] = type == TexelType::none ? (from == 3 ? 255 : 0)
                                           : shown(components[from], textures::is_integer(type));
      }
    }
  return image;
}

void print_levels(const textures::TextureView& view) {
  print_out("{} layer{}, {} bytes to the last texel\n", view.layers, view.layers == 1 ? "" : "s",
            view.bound_size);
  for (std::uint32_t n = 0; n < view.level_count; ++n) {
    const textures::Level& level = view.levels[n];
    print_out("level {:2}: {} x {} x {}{}\n", n, level.width, level.height, level.depth,
              view.copy ? std::string() : fmt::format(", from byte {}", level.offset));
  }
}

Status show_texture(const TextureOptions& options) {
  WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(options.file));
  Image image;
  if (bytes.size() >= 8 && as_text(std::span(bytes).first(8)) == "\x89PNG\r\n\x1a\n") {
    WARPJIT_TRY(image, read_png(bytes, options.file));
    print_out("{}: a picture of {} x {} pixels\n", options.file, image.width, image.height);
  } else {
    WARPJIT_TRY(const Texture texture, describe(options, bytes));
    WARPJIT_TRY(const textures::TextureView view, textures::make_view(texture, options.file));
    print_levels(view);
    if (options.output.empty()) return {};
    WARPJIT_TRY(image, draw(view, options));
  }
  if (options.output.empty()) return {};
  return write_picture(options.output, write_png(image));
}

}  // namespace

void add_texture(Command& app) {
  const auto options = std::make_shared<TextureOptions>();
  Command command = app.add_command("texture", "A raw texture as a PNG picture");
  command.option("file", options->file, "texture memory as a dump has it; or a PNG, to check it").required();
  command.option("--format", options->format, "the format of texels: rgba8, rgb565, bc1, astc-6x6, ...");
  command.option("--layout", options->layout,
                 "how memory holds texels: linear, block-linear, u-interleaved or morton");
  command.option("--dimension", options->dimension, "1d, 2d, 3d or cube");
  command.option("--size", options->size, "columns, rows and slices of level 0, such as 64x32 or 64x32x4");
  command.option("--offset", options->offset, "bytes of the file before the texture");
  command.option("--layers", options->layers, "layers of an array");
  command.option("--levels", options->levels, "levels in memory; without it as many as --level needs");
  command.option("--level", options->level, "the level to show");
  command.option("--layer", options->layer, "the layer to show; of a cube the face");
  command.option("--slice", options->slice, "the slice of a 3D texture to show");
  command.option("--row-bytes", options->row_bytes, "bytes from a row to the next, if there is padding");
  command.option("--slice-bytes", options->slice_bytes,
                 "bytes from a slice to the next, if there is padding");
  command.option("--layer-bytes", options->layer_bytes,
                 "bytes from a layer to the next, if there is padding");
  command.option("--block-height", options->block_height, "log2 of the height of blocks, of block-linear");
  command.option("--block-depth", options->block_depth, "log2 of the depth of blocks, of block-linear");
  command.option("--swizzle", options->swizzle,
                 "what becomes red, green, blue and alpha: four letters of rgba01");
  command.flag("--flip", options->flip, "put the last row on top");
  command.option("-o,--output", options->output, "PNG to write; without it the levels are listed");
  command.footer(
      "Example:\n"
      "  warpjit texture dump.bin --format bc3 --layout block-linear --block-height 4 --size 256x256 -o "
      "texture.png");
  command.action([options]() -> int {
    const Status status = show_texture(*options);
    return status ? kOk : fail(status.error());
  });
}

}  // namespace warpjit::tool
