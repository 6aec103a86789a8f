// Textures and samplers of a launch.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "launch/reading.h"
#include "launch/texture_fields.h"
#include "launch/words.h"

namespace warpjit::tool {

namespace {

constexpr std::uint64_t kMaxTexturePixels = std::uint64_t{1} << 26;  // of a PNG

Status read_u64(const JsonField& object, std::string_view key, std::uint64_t& out) {
  const auto field = object.find(key);
  if (!field) return {};
  WARPJIT_TRY(const std::int64_t number, field->integer(0, std::int64_t{1} << 40));
  out = static_cast<std::uint64_t>(number);
  return {};
}
Status read_swizzle(const JsonField& object, std::array<TexelSource, 4>& out) {
  const auto field = object.find("swizzle");
  if (!field) return {};
  WARPJIT_TRY(const std::string text, field->string());
  if (text.size() != 4)
    return field->error("'" + text + "' must have four letters, each one of " + std::string(kSources));
  for (std::size_t n = 0; n < 4; ++n) {
    const std::size_t found = kSources.find(text[n]);
    if (found == std::string_view::npos)
      return field->error("'" + text + "' must have four letters, each one of " + std::string(kSources));
    out[n] = static_cast<TexelSource>(found);
  }
  return {};
}

// What lies at `file` from `offset` on.
Status read_bytes(Reading& reading, const JsonField& object, std::string_view key, LaunchTexture& texture) {
  WARPJIT_TRY(const JsonField file, object.require(key));
  WARPJIT_TRY(texture.bytes, reading.shared_file(file));
  return {};
}

Status read_data(Reading& reading, const JsonField& field, LaunchTexture& texture) {
  if (field.has("file") == field.has("data")) return field.error("must have either 'file' or 'data'");
  if (field.has("file")) return read_bytes(reading, field, "file", texture);
  const JsonField data = field.at("data");
  WARPJIT_CHECK(data.expect_array());
  auto bytes = std::make_shared<std::vector<std::byte>>(4 * data.size());
  for (std::size_t k = 0; k < data.size(); ++k) {
    WARPJIT_TRY(const std::int64_t word, data.at(k).integer(0, 0xffffffff, 32));
    const auto small = static_cast<std::uint32_t>(word);
    for (unsigned byte = 0; byte < 4; ++byte)
      (*bytes)[4 * k + byte] = static_cast<std::byte>(small >> 8 * byte);
  }
  texture.bytes = std::move(bytes);
  return {};
}

// What programs see of it.
Status read_view(const JsonField& field, Texture& texture) {
  WARPJIT_CHECK(read_swizzle(field, texture.swizzle));
  return texture_view_fields().read(field, texture);
}

Status read_sizes(const JsonField& field, Texture& texture) {
  WARPJIT_TRY(const JsonField size, field.require("size"));
  WARPJIT_CHECK(size.expect_array());
  if (size.size() < 1 || size.size() > 3) return size.error("one to three numbers: width, height, depth");
  std::uint32_t* const extents[] = {&texture.width, &texture.height, &texture.depth_extent};
  for (std::size_t k = 0; k < size.size(); ++k) {
    WARPJIT_TRY(const std::int64_t extent, size.at(k).integer(0, 0xffffffff, 32));
    *extents[k] = static_cast<std::uint32_t>(extent);
  }
  texture.array = field.has("layers");
  WARPJIT_TRY(texture.layers, number_at(field, "layers", 0, 0xffffffff, texture.layers));
  return {};
}

// A format by its name, or by its components.
Status read_texel_format(const JsonField& field, TextureFormat& format) {
  if (field.json().is_object()) {
    WARPJIT_CHECK(field.expect_keys({"bytes", "srgb", "components"}));
    WARPJIT_CHECK(read_byte(field, "bytes", format.bytes, 16));
    WARPJIT_CHECK(read_flag(field, "srgb", format.srgb));
    WARPJIT_TRY(const JsonField components, field.require("components"));
    WARPJIT_CHECK(components.expect_size(4, "components (red, green, blue, alpha)"));
    for (std::size_t k = 0; k < 4; ++k) {
      const JsonField component = components.at(k);
      if (component.json().is_null()) continue;
      WARPJIT_CHECK(component.expect_object());
      WARPJIT_CHECK(component.expect_keys({"type", "first", "bits"}));
      WARPJIT_CHECK(read_word(component, "type", kTexelTypes, format.components[k].type));
      WARPJIT_CHECK(read_byte(component, "first", format.components[k].first_bit));
      WARPJIT_CHECK(read_byte(component, "bits", format.components[k].bits));
    }
    return {};
  }
  WARPJIT_TRY(const std::string text, field.string());
  const auto parsed = parse_texture_format(text);
  if (!parsed) {
    std::string known;
    for (const std::string_view each : list_texture_formats())
      known += (known.empty() ? "" : ", ") + std::string(each);
    return field.error("'" + text + "' is no format of textures: one of " + known);
  }
  format = *parsed;
  return {};
}

// Where each level is: [offset, bytes of a row, bytes of a slice].
Status read_places(const JsonField& field, LaunchTexture& out) {
  const auto list = field.find("level-places");
  if (!list) return {};
  WARPJIT_CHECK(list->expect_most(kMaxTextureLevels, "places of levels"));
  const auto places = std::make_shared<std::vector<TextureLevelPlace>>(list->size());
  for (std::size_t k = 0; k < places->size(); ++k) {
    WARPJIT_CHECK(list->at(k).expect_size(3, "numbers (offset, bytes of a row, of a slice)"));
    std::uint64_t* const numbers[] = {&(*places)[k].offset, &(*places)[k].row_bytes,
                                      &(*places)[k].slice_bytes};
    for (std::size_t n = 0; n < 3; ++n) {
      WARPJIT_TRY(const std::int64_t number, list->at(k).at(n).integer(0, std::int64_t{1} << 40));
      *numbers[n] = static_cast<std::uint64_t>(number);
    }
  }
  out.texture.level_places = *places;
  out.keep = places;
  return {};
}

#define VIEW_KEYS \
  "first-level", "last-level", "swizzle", "normalized", "four-pairs", "depth-border", "min-lod", "lod-bias"

// Memory in a layout.
Status read_raw(Reading& reading, const JsonField& field, LaunchTexture& out) {
  constexpr std::string_view kKeys[] = {"file",         "data",        "offset",       "format",
                                        "layout",       "dimension",   "size",         "layers",
                                        "levels",       "row-bytes",   "slice-bytes",  "layer-bytes",
                                        "block-height", "block-depth", "level-places", VIEW_KEYS};
  WARPJIT_CHECK(field.expect_keys(kKeys));
  Texture& texture = out.texture;
  WARPJIT_CHECK(read_data(reading, field, out));
  WARPJIT_TRY(const JsonField format, field.require("format"));
  WARPJIT_CHECK(read_texel_format(format, texture.format));
  WARPJIT_CHECK(texture_memory_fields().read(field, texture));
  WARPJIT_CHECK(read_sizes(field, texture));
  WARPJIT_CHECK(read_places(field, out));
  WARPJIT_CHECK(read_view(field, texture));
  std::uint64_t offset = 0;
  WARPJIT_CHECK(read_u64(field, "offset", offset));
  if (offset > out.bytes->size())
    return field.at("offset").error("is " + std::to_string(offset) + ", but the data have only " +
                                    std::to_string(out.bytes->size()) + " bytes");
  texture.data = out.bytes->data() + offset;
  texture.size = out.bytes->size() - static_cast<std::size_t>(offset);
  return {};
}

// A PNG file, with all levels if `mips` says so.
Status read_picture(Reading& reading, const JsonField& field, LaunchTexture& out) {
  WARPJIT_CHECK(field.expect_keys({"png", "mips", "srgb", "flip", VIEW_KEYS}));
  const JsonField file = field.at("png");
  WARPJIT_TRY(const std::string name, file.string());
  const auto bytes = reading.files(name);
  if (!bytes) return file.wrap(bytes.error());
  auto image = read_png(*bytes, name, kMaxTexturePixels, kMaxTextureExtent);
  if (!image) return file.wrap(image.error());
  bool srgb = false, flip = false;
  WARPJIT_CHECK(read_flag(field, "srgb", srgb));
  WARPJIT_CHECK(read_flag(field, "flip", flip));
  if (flip)
    for (std::uint32_t y = 0; y < image->height / 2; ++y) {
      const auto row = image->rgba.begin() + static_cast<std::ptrdiff_t>(std::size_t{4} * image->width * y);
      const auto other = image->rgba.begin() +
                         static_cast<std::ptrdiff_t>(std::size_t{4} * image->width * (image->height - 1 - y));
      std::swap_ranges(row, row + static_cast<std::ptrdiff_t>(std::size_t{4} * image->width), other);
    }
  constexpr std::string_view kMips[] = {"none", "generate"};
  bool generate = false;
  WARPJIT_CHECK(read_word(field, "mips", kMips, generate));
  Texture& texture = out.texture;
  texture.format = *parse_texture_format(srgb ? "srgb8" : "rgba8");
  texture.width = image->width;
  texture.height = image->height;
  texture.levels = generate ? full_levels(image->width, image->height) : 1;
  WARPJIT_CHECK(read_view(field, texture));
  out.bytes = std::make_shared<const std::vector<std::byte>>(picture_levels(*image, srgb, texture.levels));
  texture.data = out.bytes->data();
  texture.size = out.bytes->size();
  return {};
}

Result<EntryWords> read_entry_words(const JsonField& field) {
  EntryWords words{};
  WARPJIT_CHECK(field.expect_size(words.size(), "words"));
  for (std::size_t k = 0; k < words.size(); ++k) {
    WARPJIT_TRY(const std::int64_t word, field.at(k).integer(0, 0xffffffff, 32));
    words[k] = static_cast<std::uint32_t>(word);
  }
  return words;
}

// An entry as the guest has it.
Status read_entry(Reading& reading, const JsonField& field, LaunchTexture& out) {
  WARPJIT_CHECK(field.expect_keys({"tic", "file", "address", "level-views"}));
  WARPJIT_CHECK(read_bytes(reading, field, "file", out));
  EntryMemory memory;
  memory.data = out.bytes->data();
  memory.size = out.bytes->size();
  WARPJIT_CHECK(read_u64(field, "address", memory.address));
  WARPJIT_CHECK(read_flag(field, "level-views", memory.level_views));
  const JsonField tic = field.at("tic");
  WARPJIT_TRY(const EntryWords words, read_entry_words(tic));
  auto texture = reading.guest->driver()->read_texture(words, memory);
  if (!texture) return tic.wrap(texture.error());
  out.texture = *texture;
  return {};
}

// Control words as the guest has them: a texture and its sampler. Registers get them where the program has
// them in registers.
Status read_control(Reading& reading, const JsonField& field, LaunchTexture& out) {
  WARPJIT_CHECK(field.expect_keys({"control", "file", "data", "address"}));
  const JsonField control = field.at("control");
  WARPJIT_CHECK(control.expect_size(4, "words"));
  std::vector<std::uint32_t> words;
  for (std::size_t k = 0; k < control.size(); ++k) {
    WARPJIT_TRY(const std::int64_t word, control.at(k).integer(0, 0xffffffff, 32));
    words.push_back(static_cast<std::uint32_t>(word));
  }
  WARPJIT_CHECK(read_data(reading, field, out));
  EntryMemory memory;
  memory.data = out.bytes->data();
  memory.size = out.bytes->size();
  WARPJIT_CHECK(read_u64(field, "address", memory.address));
  auto read = reading.guest->console()->read_texture(*reading.launch.program, out.slot, words, memory);
  if (!read) return control.wrap(read.error());
  out.texture = read->texture;
  out.keep = std::move(read->keep);
  reading.launch.samplers.push_back({out.slot, read->sampler});
  for (const auto& [location, word] : read->registers) {
    WARPJIT_CHECK(reading.claim(field, location));
    reading.launch.uniforms.push_back({location, {word}});
  }
  return {};
}

Status read_texture(Reading& reading, const JsonField& field, LaunchTexture& texture) {
  WARPJIT_CHECK(field.expect_object());
  if (field.has("control")) {
    if (reading.guest->console() == nullptr)
      return field.at("control").error("textures of this guest have no control words");
    return read_control(reading, field, texture);
  }
  if (field.has("tic")) {
    if (reading.guest->driver() == nullptr) return field.at("tic").error("this guest has no such entries");
    return read_entry(reading, field, texture);
  }
  return field.has("png") ? read_picture(reading, field, texture) : read_raw(reading, field, texture);
}

Status read_sampler(Reading& reading, const JsonField& field, Sampler& sampler) {
  WARPJIT_CHECK(field.expect_object());
  if (field.has("tsc")) {
    WARPJIT_CHECK(field.expect_keys({"tsc", "seamless"}));
    bool seamless = false;
    WARPJIT_CHECK(read_flag(field, "seamless", seamless));
    const JsonField tsc = field.at("tsc");
    if (reading.guest->driver() == nullptr) return tsc.error("this guest has no such entries");
    WARPJIT_TRY(const EntryWords words, read_entry_words(tsc));
    auto read = reading.guest->driver()->read_sampler(words, seamless);
    if (!read) return tsc.wrap(read.error());
    sampler = *read;
    return {};
  }
  WARPJIT_CHECK(sampler_fields().read_all(field, sampler, {"wrap", "compare", "border", "srgb-border"}));
  if (const auto wrap = field.find("wrap"); wrap && wrap->json().is_array()) {
    WARPJIT_CHECK(wrap->expect_most(3, "words (x, y, z)"));
    for (std::size_t k = 0; k < wrap->size(); ++k)
      WARPJIT_CHECK(read_word(wrap->at(k), kWraps, sampler.wrap[k]));
  } else if (wrap) {
    WARPJIT_CHECK(read_word(*wrap, kWraps, sampler.wrap[0]));
    sampler.wrap.fill(sampler.wrap[0]);
  }
  sampler.compare = field.has("compare");
  WARPJIT_CHECK(read_word(field, "compare", kCompares, sampler.compare_op));
  const auto read_border = [&](std::string_view key, auto& border) -> Status {
    const auto list = field.find(key);
    if (!list) return {};
    WARPJIT_CHECK(list->expect_size(border.size(), "numbers"));
    for (std::size_t k = 0; k < border.size(); ++k) {
      WARPJIT_TRY(border[k], list->at(k).float_bits());
    }
    return {};
  };
  WARPJIT_CHECK(read_border("border", sampler.border));
  if (!field.has("srgb-border")) return {};
  return read_border("srgb-border", sampler.srgb_border.emplace());
}

// Calls read(field, slot) for each member, whose key is a number.
template <class Read>
Status read_slots(const JsonField& root, std::string_view key, unsigned count, Read read) {
  const auto slots = root.find(key);
  if (!slots) return {};
  WARPJIT_CHECK(slots->expect_object());
  for (const auto& [name, value] : slots->json().members()) {
    unsigned slot = 0;
    for (const char c : name)
      slot = c >= '0' && c <= '9' ? std::min(slot * 10 + static_cast<unsigned>(c - '0'), count) : count;
    if (name.empty() || slot >= count || std::to_string(slot) != name)
      return slots->at(name).error("is no number from 0 to " + std::to_string(count - 1));
    WARPJIT_CHECK(read(slots->at(name), slot));
  }
  return {};
}

}  // namespace

Status read_textures(Reading& reading) {
  WARPJIT_CHECK(
      read_slots(reading.root, "textures", kMaxTextures, [&](const JsonField& field, unsigned slot) {
        LaunchTexture& texture = reading.launch.textures.emplace_back();
        texture.slot = slot;
        texture.where = field.path();
        return read_texture(reading, field, texture);
      }));
  const auto read_slot = [&](const JsonField& field, unsigned slot) -> Status {
    for (const LaunchSampler& other : reading.launch.samplers)
      if (other.slot == slot) return field.error("the control words of its texture say this");
    LaunchSampler& sampler = reading.launch.samplers.emplace_back();
    sampler.slot = slot;
    return read_sampler(reading, field, sampler.sampler);
  };
  return read_slots(reading.root, "samplers", kMaxSamplers, read_slot);
}

}  // namespace warpjit::tool
