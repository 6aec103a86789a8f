#include "frontend/usse/container/texel_format.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>

namespace warpjit::usse {

std::string hex_number(std::uint32_t value) {
  char number[16];
  std::snprintf(number, sizeof number, "0x%x", value);
  return number;
}
Error refused_texture(const std::string& what, const std::string& why) {
  return {ErrorCode::unsupported, "texture " + what + " " + why, {}};
}
std::string numbered(const char* field, std::uint32_t value, std::string_view name) {
  return std::string(field) + " " + hex_number(value) + " (" + std::string(name) + ")";
}

namespace {

using Special = TexelFormat::Special;

constexpr TexelComponent component(TexelType type, unsigned first, unsigned bits) {
  return {type, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(bits)};
}
// Channels of these bits, the first one lowest.
TexelFormat packed(std::string_view name, TexelType type, const std::array<std::uint8_t, 4>& bits) {
  TexelFormat format{.name = name};
  unsigned first = 0;
  for (const unsigned count : bits) {
    if (count == 0) break;
    format.format.components[format.channels++] = component(type, first, count);
    first += count;
  }
  format.bits = static_cast<std::uint8_t>(first);
  format.format.bytes = static_cast<std::uint8_t>(first / 8);
  return format;
}
TexelFormat blocks(std::string_view name, BlockCompression compression, unsigned bytes) {
  TexelFormat format = packed(name, TexelType::unorm, {8, 8, 8, 8});
  format.format.compression = compression;
  format.format.bytes = static_cast<std::uint8_t>(bytes);
  format.format.block_width = format.format.block_height = 4;
  format.bits = static_cast<std::uint8_t>(bytes / 2);
  return format;
}
TexelFormat palette(std::string_view name, Special special, unsigned bits) {
  TexelFormat format = packed(name, TexelType::unorm, {8, 8, 8, 8});
  format.special = special;
  format.bits = static_cast<std::uint8_t>(bits);
  return format;
}

// One or two channels of 8 bits.
TexelFormat channel_blocks(std::string_view name, TexelType type, unsigned channels) {
  TexelFormat format = packed(name, type, {8, static_cast<std::uint8_t>(channels == 2 ? 8 : 0)});
  format.special = Special::channel_blocks;
  format.bits = static_cast<std::uint8_t>(4 * channels);
  return format;
}

// True if alpha has the lowest bits in a swizzle of four channels.
bool alpha_is_lowest(std::uint32_t swizzle) {
  return swizzle == 2 || swizzle == 3 || swizzle == 6 || swizzle == 7;
}

struct PackedFormat {
  std::uint32_t code;
  std::string_view name;
  TexelType type;
  std::array<std::uint8_t, 4> bits;  // 0: there is no such channel
};
constexpr PackedFormat kPackedFormats[] = {
    {0x00, "U8", TexelType::unorm, {8}},
    {0x01, "S8", TexelType::snorm, {8}},
    {0x02, "U4U4U4U4", TexelType::unorm, {4, 4, 4, 4}},
    {0x03, "U8U3U3U2", TexelType::unorm, {2, 3, 3, 8}},
    {0x04, "U1U5U5U5", TexelType::unorm, {5, 5, 5, 1}},
    {0x05, "U5U6U5", TexelType::unorm, {5, 6, 5}},
    {0x06, "S5S5U6", TexelType::snorm, {5, 5, 6}},
    {0x07, "U8U8", TexelType::unorm, {8, 8}},
    {0x08, "S8S8", TexelType::snorm, {8, 8}},
    {0x09, "U16", TexelType::unorm, {16}},
    {0x0a, "S16", TexelType::snorm, {16}},
    {0x0b, "F16", TexelType::float_bits, {16}},
    {0x0c, "U8U8U8U8", TexelType::unorm, {8, 8, 8, 8}},
    {0x0d, "S8S8S8S8", TexelType::snorm, {8, 8, 8, 8}},
    {0x0e, "U2U10U10U10", TexelType::unorm, {10, 10, 10, 2}},
    {0x0f, "U16U16", TexelType::unorm, {16, 16}},
    {0x10, "S16S16", TexelType::snorm, {16, 16}},
    {0x11, "F16F16", TexelType::float_bits, {16, 16}},
    {0x12, "F32", TexelType::float_bits, {32}},
    {0x13, "F32M", TexelType::float_bits, {32}},
    {0x14, "X8S8S8U8", TexelType::snorm, {8, 8, 8}},
    {0x15, "X8U24", TexelType::unorm, {24}},
    {0x19, "SE5M9M9M9", TexelType::shared_exponent, {9, 9, 9}},
    {0x1a, "F11F11F10", TexelType::float_bits, {11, 11, 10}},
    {0x1b, "F16F16F16F16", TexelType::float_bits, {16, 16, 16, 16}},
    {0x1c, "U16U16U16U16", TexelType::unorm, {16, 16, 16, 16}},
    {0x1d, "S16S16S16S16", TexelType::snorm, {16, 16, 16, 16}},
    {0x1e, "F32F32", TexelType::float_bits, {32, 32}},
    {0x98, "U8U8U8", TexelType::unorm, {8, 8, 8}},
    {0x99, "S8S8S8", TexelType::snorm, {8, 8, 8}},
    {0x9a, "U2F10F10F10", TexelType::float_bits, {10, 10, 10, 2}},
};
// Where the swizzle puts alpha lowest.
constexpr PackedFormat kAlphaFirst[] = {{0x04, "U5U5U5U1", TexelType::unorm, {1, 5, 5, 5}},
                                        {0x0e, "U10U10U10U2", TexelType::unorm, {2, 10, 10, 10}},
                                        {0x9a, "F10F10F10U2", TexelType::float_bits, {2, 10, 10, 10}}};

std::optional<TexelFormat> find_packed(std::span<const PackedFormat> rows, std::uint32_t code) {
  const auto row = std::ranges::find(rows, code, &PackedFormat::code);
  return row == rows.end() ? std::nullopt : std::optional(packed(row->name, row->type, row->bits));
}

std::optional<TexelFormat> find_format(std::uint32_t code, std::uint32_t swizzle) {
  using enum TexelType;
  const bool alpha_first = alpha_is_lowest(swizzle);
  auto format = alpha_first ? find_packed(kAlphaFirst, code) : std::nullopt;
  if (!format) format = find_packed(kPackedFormats, code);
  switch (code) {
    case 0x06:
      format->format.components[2].type = unorm;
      break;
    case 0x13:
      format->special = Special::unsigned_float;
      break;
    case 0x14:
      format->format.components[0].type = unorm;
      break;
    case 0x15:
      if (swizzle > 1) return std::nullopt;
      if (swizzle == 1) format->format.components[0].first_bit = 8;
      break;
    case 0x85:
      return blocks("UBC1", BlockCompression::bc1, 8);
    case 0x86:
      return blocks("UBC2", BlockCompression::bc2, 16);
    case 0x87:
      return blocks("UBC3", BlockCompression::bc3, 16);
    case 0x88:
      return channel_blocks("UBC4", unorm, 1);
    case 0x89:
      return channel_blocks("SBC4", snorm, 1);
    case 0x8a:
      return channel_blocks("UBC5", unorm, 2);
    case 0x8b:
      return channel_blocks("SBC5", snorm, 2);
    case 0x94:
      return palette("P4", Special::palette4, 4);
    case 0x95:
      return palette("P8", Special::palette8, 8);
    case 0x9a:
      format->format.components[alpha_first ? 0 : 3].type = unorm;
      break;
    default:
      break;
  }
  // The rest of these words has no channel.
  if (code == 0x14 || code == 0x15 || code == 0x19) {
    format->format.bytes = 4;
    format->bits = 32;
  }
  return format;
}

constexpr TexelSource k0 = TexelSource::red, k1 = TexelSource::green, k2 = TexelSource::blue,
                      k3 = TexelSource::alpha, kZero = TexelSource::zero, kOne = TexelSource::one;
using Sources = std::array<TexelSource, 4>;
constexpr std::array<Sources, 8> kFour{{{k0, k1, k2, k3},
                                        {k2, k1, k0, k3},
                                        {k3, k2, k1, k0},
                                        {k1, k2, k3, k0},
                                        {k0, k1, k2, kOne},
                                        {k2, k1, k0, kOne},
                                        {k3, k2, k1, kOne},
                                        {k1, k2, k3, kOne}}};
constexpr std::array<Sources, 2> kThree{{{k0, k1, k2, kOne}, {k2, k1, k0, kOne}}};
constexpr std::array<Sources, 6> kTwo{{{k0, k1, kZero, kOne},
                                       {k0, k1, kZero, kZero},
                                       {k0, k0, k0, k1},
                                       {k1, k1, k1, k0},
                                       {k0, k1, k0, k1},
                                       {k1, k0, kZero, kZero}}};
constexpr std::array<Sources, 8> kSingle{{{k0, kZero, kZero, kOne},
                                          {k0, kZero, kZero, kZero},
                                          {k0, kOne, kOne, kOne},
                                          {k0, k0, k0, k0},
                                          {k0, k0, k0, kZero},
                                          {k0, k0, k0, kOne},
                                          {kZero, kZero, kZero, k0},
                                          {kOne, kOne, kOne, k0}}};
std::span<const Sources> swizzles_of(unsigned channels) {
  switch (channels) {
    case 1:
      return kSingle;
    case 2:
      return kTwo;
    case 3:
      return kThree;
    default:
      return kFour;
  }
}

constexpr std::uint32_t kFormatPacked332 = 0x03, kFormatDepth24 = 0x15;

// Formats that are known by their names alone.
struct NamedFormat {
  std::uint32_t code;
  std::string_view name;
};
constexpr NamedFormat kNamedFormats[] = {
    {0x17, "U32"},        {0x18, "S32"},        {0x1f, "U32U32"},   {0x80, "PVRT2BPP"}, {0x81, "PVRT4BPP"},
    {0x82, "PVRTII2BPP"}, {0x83, "PVRTII4BPP"}, {0x90, "YUV420P2"}, {0x91, "YUV420P3"}, {0x92, "YUV422"},
};
Error refused_format(std::uint32_t code) {
  constexpr const char* kKnown =
      "formats are 0x0 to 0x15, 0x19 to 0x1e, 0x85 to 0x8b, 0x94, 0x95, 0x98 to 0x9a";
  const auto* const known = std::ranges::find(kNamedFormats, code, &NamedFormat::code);
  if (known == std::end(kNamedFormats))
    return refused_texture("format " + hex_number(code), std::string("is none; ") + kKnown);
  return refused_texture(numbered("format", code, known->name), std::string("is not supported; ") + kKnown);
}

// Blocks of colours whose channels are no longer what the shared decoder makes of them.
void decode_when_bound(TexelFormat& format) {
  if (format.format.compression == BlockCompression::none) return;
  format.special = Special::color_blocks;
  format.blocks = format.format.compression;
  format.format.compression = BlockCompression::none;
  format.format.block_width = format.format.block_height = 1;
  format.format.bytes = 4;
}

// Channels are the integers that they have, as floats.
void use_integers(TexelFormat& format) {
  bool any = false;
  for (TexelComponent& channel : format.format.components) {
    const TexelType type = channel.type;
    if (type == TexelType::unorm) channel.type = TexelType::uscaled;
    if (type == TexelType::snorm) channel.type = TexelType::sscaled;
    any |= channel.type != type;
  }
  if (any) decode_when_bound(format);
}

// Colours, but not alpha, are encoded as sRGB. Channels are put in the order in which alpha is the fourth.
Status use_gamma(TextureState& state, std::uint32_t code, std::uint32_t gamma, std::uint32_t swizzle) {
  constexpr std::string_view kNames[] = {"none", "R or BGR", "2", "GR"};
  const std::string field = numbered("gamma", gamma, kNames[gamma]);
  TexelFormat& format = state.format;
  const std::string of = "of format " + hex_number(code) + " (" + std::string(format.name) + ")";
  const std::uint32_t wanted = format.channels == 2 ? 3 : 1;
  if (gamma != wanted)
    return refused_texture(field, of + " is not known; " +
                                      (wanted == 3 ? "two channels have 0 (none) or 3 (GR)"
                                                   : "one, three and four have 0 (none) or 1"));
  for (unsigned n = 0; n < format.channels; ++n)
    if (format.format.components[n].type != TexelType::unorm || format.format.components[n].bits != 8)
      return refused_texture(field, of + " is not supported; channels of 8 bits without sign have it");
  format.format.srgb = true;
  if (format.channels == 4 && alpha_is_lowest(swizzle)) {
    decode_when_bound(format);
    auto& channels = format.format.components;
    std::rotate(channels.begin(), channels.begin() + 1, channels.end());
    for (TexelSource& source : state.swizzle)
      if (source <= TexelSource::alpha)
        source = static_cast<TexelSource>((static_cast<unsigned>(source) + 3) % 4);
  }
  return {};
}

}  // namespace

Status read_format(TextureState& state, std::uint32_t code, const ControlWords& words) {
  const std::uint32_t swizzle = field_of(words[3], 28, 3), gamma = field_of(words[0], 27, 2);
  if (code == kFormatDepth24 && swizzle > 1)
    return refused_texture("swizzle " + std::to_string(swizzle),
                           "of format 0x15 (X8U24) is none; it has 0 and 1");
  const auto format = find_format(code, swizzle);
  if (!format) return refused_format(code);
  state.format = *format;
  // There the swizzle says other things, or nothing.
  const bool only_one = code == kFormatPacked332 || code == kFormatDepth24;
  const std::uint32_t mode = code == kFormatPacked332 ? 1 : only_one ? 0 : swizzle;
  const auto swizzles = swizzles_of(format->channels);
  if (mode >= swizzles.size())
    return refused_texture("swizzle " + std::to_string(swizzle),
                           "of format " + hex_number(code) + " (" + std::string(format->name) +
                               ") is none; it has 0 to " + std::to_string(swizzles.size() - 1));
  state.swizzle = swizzles[mode];
  state.normalized = words[3] >> 31 != 0;
  if (gamma != 0 && !state.normalized)
    return refused_texture("gamma " + std::to_string(gamma),
                           "of integer values (bit 31 of word 3 is 0) is not known; consoles set the bit");
  if (gamma != 0) WARPJIT_CHECK(use_gamma(state, code, gamma, swizzle));
  if (!state.normalized) use_integers(state.format);
  return {};
}

}  // namespace warpjit::usse
