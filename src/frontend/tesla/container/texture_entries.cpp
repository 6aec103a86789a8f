// Texture and sampler entries of the hardware (docs/textures.md 9), as this project describes them.
#include <algorithm>
#include <array>
#include <string>

#include "base/bits.h"
#include "base/result.h"
#include "base/srgb.h"
#include "frontend/encoding/names.h"
#include "textures/format.h"
#include "warpjit/tesla.hpp"

namespace warpjit::tesla {

namespace {

// A field of an entry.
struct Field {
  std::uint8_t word, first, width;
  std::uint32_t get(const Entry& entry) const { return bits(entry[word], first, width); }
};

Error wrong(const char* field, const std::string& message, ErrorCode code = ErrorCode::bad_input) {
  return {code, message, field};
}
Error refused(const char* field, const std::string& message) {
  return wrong(field, message, ErrorCode::unsupported);
}

// ---- Formats

struct Place {
  std::uint8_t first = 0, bits = 0;
};
// Places of R, G, B and A in a texel.
struct SizeRow {
  std::uint8_t code;
  const char* hardware_name;  // fields from the highest bits down
  std::uint8_t bytes;
  std::array<Place, 4> places{};
  bool swapped = false;  // G is what this project has as red: the depth
};
constexpr SizeRow kSizes[] = {
    {0x01, "R32G32B32A32", 16, {{{0, 32}, {32, 32}, {64, 32}, {96, 32}}}},
    {0x03, "R16G16B16A16", 8, {{{0, 16}, {16, 16}, {32, 16}, {48, 16}}}},
    {0x04, "R32G32", 8, {{{0, 32}, {32, 32}, {}, {}}}},
    {0x05, "R32_B24G8", 8, {{{0, 32}, {32, 8}, {40, 24}, {}}}},
    {0x07, "X8B8G8R8", 4, {{{0, 8}, {8, 8}, {16, 8}, {}}}},
    {0x08, "A8B8G8R8", 4, {{{0, 8}, {8, 8}, {16, 8}, {24, 8}}}},
    {0x09, "A2B10G10R10", 4, {{{0, 10}, {10, 10}, {20, 10}, {30, 2}}}},
    {0x0c, "R16G16", 4, {{{0, 16}, {16, 16}, {}, {}}}},
    {0x0d, "G8R24", 4, {{{0, 24}, {24, 8}, {}, {}}}},
    {0x0e, "G24R8", 4, {{{0, 8}, {8, 24}, {}, {}}}},
    {0x0f, "R32", 4, {{{0, 32}, {}, {}, {}}}},
    {0x12, "A4B4G4R4", 2, {{{0, 4}, {4, 4}, {8, 4}, {12, 4}}}},
    {0x13, "A5B5G5R1", 2, {{{0, 1}, {1, 5}, {6, 5}, {11, 5}}}},
    {0x14, "A1B5G5R5", 2, {{{0, 5}, {5, 5}, {10, 5}, {15, 1}}}},
    {0x15, "B5G6R5", 2, {{{0, 5}, {5, 6}, {11, 5}, {}}}},
    {0x16, "B6G5R5", 2, {{{0, 5}, {5, 5}, {10, 6}, {}}}},
    {0x18, "G8R8", 2, {{{0, 8}, {8, 8}, {}, {}}}},
    {0x1b, "R16", 2, {{{0, 16}, {}, {}, {}}}},
    {0x1d, "R8", 1, {{{0, 8}, {}, {}, {}}}},
    {0x1e, "G4R4", 1, {{{0, 4}, {4, 4}, {}, {}}}},
    {0x20, "E5B9G9R9", 4, {{{0, 9}, {9, 9}, {18, 9}, {}}}},
    {0x21, "B10G11R11", 4, {{{0, 11}, {11, 11}, {22, 10}, {}}}},
    {0x29, "Z24S8", 4, {{{0, 8}, {8, 24}, {}, {}}}, true},
    {0x2a, "X8Z24", 4, {{{0, 24}, {}, {}, {}}}},
    {0x2b, "S8Z24", 4, {{{0, 24}, {24, 8}, {}, {}}}},
    {0x2f, "Z32F", 4, {{{0, 32}, {}, {}, {}}}},
    {0x30, "Z32F_X24S8", 8, {{{0, 32}, {32, 8}, {}, {}}}},
    {0x3a, "Z16", 2, {{{0, 16}, {}, {}, {}}}},
};
constexpr std::uint8_t kSharedExponent = 0x20;

struct BlockRow {
  std::uint8_t code;
  const char* hardware_name;
  const char* name;
  const char* signed_name;
};
constexpr BlockRow kBlocks[] = {{0x24, "DXT1", "bc1", nullptr},
                                {0x25, "DXT3", "bc2", nullptr},
                                {0x26, "DXT5", "bc3", nullptr},
                                {0x27, "RGTC1", "bc4", "bc4-snorm"},
                                {0x28, "RGTC2", "bc5", "bc5-snorm"}};

// Those that are refused.
struct UnsupportedRow {
  std::uint8_t code;
  const char* hardware_name;
};
constexpr UnsupportedRow kUnsupported[] = {{0x1f, "R1"}, {0x22, "G8B8G8R8"}, {0x23, "B8G8R8G8"}};

// "0x08 (A8B8G8R8)"; without a name: no such format.
std::string format_text(std::uint32_t code) {
  const auto named = [&](const auto& rows) {
    const auto row = std::ranges::find_if(rows, [&](const auto& each) { return each.code == code; });
    return row == std::end(rows) ? std::string() : " (" + std::string(row->hardware_name) + ")";
  };
  constexpr char kDigits[] = "0123456789abcdef";
  return std::string("0x") + kDigits[code >> 4 & 15] + kDigits[code & 15] + named(kSizes) + named(kBlocks) +
         named(kUnsupported);
}

enum DataType : std::uint8_t {
  kSnorm = 1,
  kUnorm = 2,
  kSint = 3,
  kUint = 4,
  kFloat = 7,
};
constexpr const char* kTypeNames[] = {"none", "SNORM",        "UNORM",        "SINT",
                                      "UINT", "SNORM as f16", "UNORM as f16", "FLOAT"};
std::string type_text(std::uint32_t type) { return std::to_string(type) + " (" + kTypeNames[type & 7] + ")"; }
// The type of component n of a format.
Result<TexelType> texel_type(std::uint32_t type, unsigned n, std::uint32_t code) {
  constexpr std::pair<std::uint32_t, TexelType> kTypes[] = {{kSnorm, TexelType::snorm},
                                                            {kUnorm, TexelType::unorm},
                                                            {kSint, TexelType::sint},
                                                            {kUint, TexelType::uint},
                                                            {kFloat, TexelType::float_bits}};
  const TexelType found = encoding::look_up(kTypes, type, TexelType::none);
  if (found != TexelType::none) return found;
  return refused("data type", std::string("of ") + "RGBA"[n] + " is " + type_text(type) +
                                  " in component sizes " + format_text(code) +
                                  "; 1 to 4 and 7 are supported: SNORM, UNORM, SINT, UINT, FLOAT");
}

Result<TextureFormat> read_format(const Entry& entry, bool& swapped) {
  constexpr Field kComponents{0, 0, 6};
  constexpr std::array<Field, 4> kTypes{{{0, 6, 3}, {0, 9, 3}, {0, 12, 3}, {0, 15, 3}}};
  const std::uint32_t code = kComponents.get(entry);
  const bool srgb = bits(entry[2], 10, 1) != 0;
  swapped = false;
  if (const auto* block = std::ranges::find(kBlocks, code, &BlockRow::code); block != std::end(kBlocks)) {
    const std::uint32_t type = kTypes[0].get(entry);
    const char* text = type == kUnorm ? block->name : type == kSnorm ? block->signed_name : nullptr;
    if (text == nullptr)
      return refused("data type", "is " + type_text(type) + " in component sizes " + format_text(code) +
                                      (block->signed_name != nullptr ? ", blocks that are SNORM or UNORM"
                                                                     : ", blocks that are UNORM"));
    TextureFormat format = *parse_texture_format(text);
    format.srgb = srgb && format.bytes != 0 && code <= 0x26;
    return format;
  }
  const auto* size = std::ranges::find(kSizes, code, &SizeRow::code);
  if (size == std::end(kSizes)) {
    const bool is_known =
        std::ranges::find(kUnsupported, code, &UnsupportedRow::code) != std::end(kUnsupported);
    return refused("component sizes", "are " + format_text(code) +
                                          (is_known ? ", which is not supported" : ", which is no format"));
  }
  TextureFormat format;
  format.bytes = size->bytes;
  for (unsigned n = 0; n < 4; ++n) {
    const Place& place = size->places[n];
    if (place.bits == 0) continue;
    TexelType type = TexelType::shared_exponent;
    if (code != kSharedExponent) {
      WARPJIT_TRY(type, texel_type(kTypes[n].get(entry), n, code));
    }
    format.components[n] = {type, place.first, place.bits};
  }
  // The curve is for bytes of colours.
  format.srgb = srgb;
  for (unsigned n = 0; n < 3; ++n)
    format.srgb =
        format.srgb && (format.components[n].type == TexelType::none ||
                        (format.components[n].type == TexelType::unorm && format.components[n].bits == 8));
  if (const Status good = textures::check_format(format); !good)
    return refused("component sizes", "are " + format_text(code) + ": the format " + good.error().message);
  swapped = size->swapped;
  if (swapped) std::swap(format.components[0], format.components[1]);
  return format;
}

Result<TexelSource> texel_source(std::uint32_t source, bool swapped) {
  using enum TexelSource;
  constexpr TexelSource kSources[] = {zero, zero, red, green, blue, alpha, integer_one, TexelSource::one};
  if (source == 1 || source >= std::size(kSources))
    return wrong("source", "of a result is " + std::to_string(source) +
                               "; 0 is zero, 2 to 5 are R, G, B, A, 6 is integer 1, 7 is 1.0");
  const TexelSource found = kSources[source];
  if (!swapped || (found != red && found != green)) return found;
  return found == red ? green : red;
}

// ---- Kinds of textures

struct KindRow {
  TextureDimension dimension;
  bool array = false;
  bool levels = true;
};
constexpr KindRow kKinds[] = {
    {TextureDimension::d1},
    {TextureDimension::d2},
    {TextureDimension::d3},
    {TextureDimension::cube},
    {TextureDimension::d1, true},
    {TextureDimension::d2, true},
    {TextureDimension::buffer, false, false},
    {TextureDimension::d2, false, false},
    {TextureDimension::cube, true},
};

Status read_layout(const Entry& entry, Texture& texture) {
  const bool pitch = bits(entry[2], 18, 1) != 0;
  if (!pitch) {
    if (texture.dimension == TextureDimension::buffer) return {};
    texture.layout = TextureLayout::block_linear;
    texture.block_height = static_cast<std::uint8_t>(bits(entry[2], 22, 3));
    texture.block_depth =
        texture.dimension == TextureDimension::d3 ? static_cast<std::uint8_t>(bits(entry[2], 25, 3)) : 0;
    return {};
  }
  texture.layout = TextureLayout::linear;
  if (texture.dimension == TextureDimension::buffer || texture.dimension == TextureDimension::d1) return {};
  if (texture.dimension != TextureDimension::d2 || texture.array)
    return refused("layout", "of this type of texture is pitch");
  texture.row_bytes = bits(entry[3], 0, 20);
  if (texture.row_bytes == 0) return wrong("pitch", "is 0");
  return {};
}

void read_levels(const Entry& entry, const TextureMemory& memory, bool has_levels, Texture& texture) {
  texture.levels = has_levels ? bits(entry[5], 28, 4) + 1 : 1;
  texture.first_level = memory.level_views ? bits(entry[7], 0, 4) : 0;
  texture.last_level = memory.level_views ? bits(entry[7], 4, 4) : texture.levels - 1;
}

}  // namespace

Result<Texture> read_texture_entry(const Entry& entry, const TextureMemory& memory) try {
  if (bits(entry[0], 30, 1) != 0) return refused("packed components", "are set");
  if (bits(entry[2], 13, 1) != 0) return refused("colour key", "is set");
  if (bits(entry[2], 30, 1) == 0) return refused("border", "is the texture's own");
  if (bits(entry[3], 29, 1) != 0) return refused("header options", "control the level of detail");
  if (bits(entry[7], 12, 4) != 0) return refused("multisample count", "is not 0");
  const std::uint32_t kind = bits(entry[2], 14, 4);
  if (kind >= std::size(kKinds))
    return wrong("type", "is " + std::to_string(kind) +
                             "; 0 to 8 are 1D, 2D, 3D, cube, 1D array, 2D array, buffer, 2D without levels, "
                             "cube array");

  Texture texture;
  texture.dimension = kKinds[kind].dimension;
  texture.array = kKinds[kind].array;
  bool swapped = false;
  WARPJIT_TRY(texture.format, read_format(entry, swapped));
  for (unsigned n = 0; n < 4; ++n) {
    WARPJIT_TRY(texture.swizzle[n], texel_source(bits(entry[0], 18 + 3 * n, 3), swapped));
  }
  texture.normalized = bits(entry[2], 31, 1) != 0;
  texture.four_pairs = bits(entry[3], 21, 1) != 0;
  texture.depth = bits(entry[4], 30, 1) != 0;

  const std::uint32_t height = bits(entry[5], 0, 16) | bits(entry[7], 8, 1) << 16;
  const std::uint32_t depth = bits(entry[5], 16, 12) | bits(entry[7], 28, 3) << 12;
  const bool flat =
      texture.dimension == TextureDimension::d1 || texture.dimension == TextureDimension::buffer;
  texture.width = bits(entry[4], 0, 30);
  texture.height = flat ? 1 : height == 0 ? 65536 : height;
  texture.depth_extent = texture.dimension == TextureDimension::d3 ? depth : 1;
  texture.layers = texture.array ? depth : 1;
  read_levels(entry, memory, kKinds[kind].levels, texture);
  texture.min_lod = static_cast<std::int32_t>(bits(entry[7], 16, 12));
  if (!memory.level_views) texture.min_lod = 0;  // the word is not used
  WARPJIT_CHECK(read_layout(entry, texture));

  const std::uint64_t address = entry[1] | std::uint64_t{bits(entry[2], 0, 8)} << 32;
  if (address < memory.address || address - memory.address > memory.size)
    return wrong("address", "is outside of the memory");
  texture.data = static_cast<const std::byte*>(memory.data) + (address - memory.address);
  texture.size = static_cast<std::size_t>(memory.size - (address - memory.address));
  return texture;
} catch (...) {
  return caught();
}

Result<Sampler> read_sampler_entry(const Entry& entry, bool seamless_cubes) try {
  Sampler sampler;
  for (unsigned n = 0; n < 3; ++n) sampler.wrap[n] = static_cast<Wrap>(bits(entry[0], 3 * n, 3));
  sampler.compare = bits(entry[0], 9, 1) != 0;
  sampler.compare_op = static_cast<Compare>(bits(entry[0], 10, 3));
  sampler.decode_srgb = bits(entry[0], 13, 1) != 0;
  sampler.seamless = seamless_cubes;
  const auto filter = [&](const char* field, unsigned first, Filter& into) -> Status {
    const std::uint32_t value = bits(entry[1], first, 2);
    into = value == 2 ? Filter::linear : Filter::nearest;
    if (value == 1 || value == 2) return {};
    return wrong(field, "is " + std::to_string(value) + "; 1 is nearest, 2 linear");
  };
  WARPJIT_CHECK(filter("magnification filter", 0, sampler.magnify));
  WARPJIT_CHECK(filter("minification filter", 4, sampler.minify));
  const std::uint32_t mip = bits(entry[1], 6, 2);
  if (mip == 0) return wrong("mip filter", "is 0; 1 is no mip filter, 2 nearest, 3 linear");
  sampler.mip = static_cast<MipFilter>(mip - 1);
  sampler.lod_bias = sign_extend(bits(entry[1], 12, 13), 13);
  sampler.min_lod = static_cast<std::int32_t>(bits(entry[2], 0, 12));
  sampler.max_lod = static_cast<std::int32_t>(bits(entry[2], 12, 12));
  sampler.srgb_border = {kSrgbDecoded[bits(entry[2], 24, 8)], kSrgbDecoded[bits(entry[3], 12, 8)],
                         kSrgbDecoded[bits(entry[3], 20, 8)]};
  std::copy(entry.begin() + 4, entry.end(), sampler.border.begin());
  return sampler;
} catch (...) {
  return caught();
}

}  // namespace warpjit::tesla
