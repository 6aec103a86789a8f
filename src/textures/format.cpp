#include "textures/format.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/bits.h"
#include "base/srgb.h"

namespace warpjit {

namespace {

using Type = TexelType;

struct NamedFormat {
  std::string_view name;
  TextureFormat format;
};

constexpr TextureFormat plain(unsigned count, unsigned bits, Type type, bool srgb = false) {
  TextureFormat format;
  format.bytes = static_cast<std::uint8_t>(count * bits / 8);
  format.srgb = srgb;
  for (unsigned i = 0; i < count; ++i)
    format.components[i] = {type, static_cast<std::uint8_t>(i * bits), static_cast<std::uint8_t>(bits)};
  return format;
}
constexpr TextureFormat packed(unsigned bytes, std::array<std::uint8_t, 4> sizes, Type type) {
  TextureFormat format;
  format.bytes = static_cast<std::uint8_t>(bytes);
  std::uint8_t first = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if (sizes[i] != 0) format.components[i] = {type, first, sizes[i]};
    first = static_cast<std::uint8_t>(first + sizes[i]);
  }
  return format;
}
constexpr TextureFormat depth_stencil(unsigned bytes, TexelComponent depth, TexelComponent stencil = {}) {
  TextureFormat format;
  format.bytes = static_cast<std::uint8_t>(bytes);
  format.components[0] = depth;
  format.components[1] = stencil;
  return format;
}
constexpr TextureFormat blocks(BlockCompression compression, unsigned bytes, unsigned count, Type type,
                               bool srgb = false, unsigned width = 4, unsigned height = 4) {
  TextureFormat format = plain(count, 8, type, srgb);
  format.bytes = static_cast<std::uint8_t>(bytes);
  format.compression = compression;
  format.block_width = static_cast<std::uint8_t>(width);
  format.block_height = static_cast<std::uint8_t>(height);
  return format;
}
// One or two channels of 11 bits, each in 16 when it is decoded.
constexpr TextureFormat eac(unsigned count, Type type) {
  TextureFormat format =
      blocks(count == 1 ? BlockCompression::eac_r11 : BlockCompression::eac_rg11, 8 * count, 0, type);
  for (unsigned i = 0; i < count; ++i) format.components[i] = {type, static_cast<std::uint8_t>(16 * i), 11};
  return format;
}
constexpr TextureFormat astc(unsigned width, unsigned height, bool srgb) {
  return blocks(BlockCompression::astc, 16, 4, Type::unorm, srgb, width, height);
}

constexpr TexelComponent kStencilLow{Type::uint, 0, 8}, kStencilHigh{Type::uint, 24, 8};
using Compression = BlockCompression;

#define ROWS_OF(bits, suffix, type)                                                                \
  {"r" #bits suffix, plain(1, bits, Type::type)}, {"rg" #bits suffix, plain(2, bits, Type::type)}, \
      {"rgb" #bits suffix, plain(3, bits, Type::type)}, {                                          \
    "rgba" #bits suffix, plain(4, bits, Type::type)                                                \
  }
#define ASTC(width, height)                                       \
  {"astc-" #width "x" #height, astc(width, height, false)}, {     \
    "astc-" #width "x" #height "-srgb", astc(width, height, true) \
  }

constexpr NamedFormat kFormats[] = {
    ROWS_OF(8, "", unorm),
    ROWS_OF(8, "-snorm", snorm),
    ROWS_OF(8, "ui", uint),
    ROWS_OF(8, "i", sint),
    ROWS_OF(16, "", unorm),
    ROWS_OF(16, "-snorm", snorm),
    ROWS_OF(16, "ui", uint),
    ROWS_OF(16, "i", sint),
    ROWS_OF(16, "f", float_bits),
    ROWS_OF(32, "ui", uint),
    ROWS_OF(32, "i", sint),
    ROWS_OF(32, "f", float_bits),
    {"srgb8", plain(4, 8, Type::unorm, true)},
    {"rg4", packed(1, {4, 4, 0, 0}, Type::unorm)},
    {"rgba4", packed(2, {4, 4, 4, 4}, Type::unorm)},
    {"rgb565", packed(2, {5, 6, 5, 0}, Type::unorm)},
    {"rgb5a1", packed(2, {5, 5, 5, 1}, Type::unorm)},
    {"rgb10a2", packed(4, {10, 10, 10, 2}, Type::unorm)},
    {"rgb10a2-snorm", packed(4, {10, 10, 10, 2}, Type::snorm)},
    {"rgb10a2ui", packed(4, {10, 10, 10, 2}, Type::uint)},
    {"r11g11b10f", packed(4, {11, 11, 10, 0}, Type::float_bits)},
    {"rgb9e5", packed(4, {9, 9, 9, 0}, Type::shared_exponent)},
    {"d16", depth_stencil(2, {Type::unorm, 0, 16})},
    {"d24", depth_stencil(4, {Type::unorm, 0, 24})},
    {"d24s8", depth_stencil(4, {Type::unorm, 0, 24}, kStencilHigh)},
    {"s8d24", depth_stencil(4, {Type::unorm, 8, 24}, kStencilLow)},
    {"d32f", depth_stencil(4, {Type::float_bits, 0, 32})},
    {"d32fs8", depth_stencil(8, {Type::float_bits, 0, 32}, {Type::uint, 32, 8})},
    {"bc1", blocks(Compression::bc1, 8, 4, Type::unorm)},
    {"bc1-srgb", blocks(Compression::bc1, 8, 4, Type::unorm, true)},
    {"bc2", blocks(Compression::bc2, 16, 4, Type::unorm)},
    {"bc2-srgb", blocks(Compression::bc2, 16, 4, Type::unorm, true)},
    {"bc3", blocks(Compression::bc3, 16, 4, Type::unorm)},
    {"bc3-srgb", blocks(Compression::bc3, 16, 4, Type::unorm, true)},
    {"bc4", blocks(Compression::bc4, 8, 1, Type::unorm)},
    {"bc4-snorm", blocks(Compression::bc4, 8, 1, Type::snorm)},
    {"bc5", blocks(Compression::bc5, 16, 2, Type::unorm)},
    {"bc5-snorm", blocks(Compression::bc5, 16, 2, Type::snorm)},
    {"etc1", blocks(Compression::etc1, 8, 4, Type::unorm)},
    {"etc2", blocks(Compression::etc2, 8, 4, Type::unorm)},
    {"etc2-srgb", blocks(Compression::etc2, 8, 4, Type::unorm, true)},
    {"etc2-a1", blocks(Compression::etc2_a1, 8, 4, Type::unorm)},
    {"etc2-a1-srgb", blocks(Compression::etc2_a1, 8, 4, Type::unorm, true)},
    {"etc2-a8", blocks(Compression::etc2_a8, 16, 4, Type::unorm)},
    {"etc2-a8-srgb", blocks(Compression::etc2_a8, 16, 4, Type::unorm, true)},
    {"eac-r11", eac(1, Type::unorm)},
    {"eac-r11-snorm", eac(1, Type::snorm)},
    {"eac-rg11", eac(2, Type::unorm)},
    {"eac-rg11-snorm", eac(2, Type::snorm)},
    ASTC(4, 4),
    ASTC(5, 4),
    ASTC(5, 5),
    ASTC(6, 5),
    ASTC(6, 6),
    ASTC(8, 5),
    ASTC(8, 6),
    ASTC(8, 8),
    ASTC(10, 5),
    ASTC(10, 6),
    ASTC(10, 8),
    ASTC(10, 10),
    ASTC(12, 10),
    ASTC(12, 12),
};
#undef ROWS_OF
#undef ASTC

constexpr auto kNames = [] {
  std::array<std::string_view, std::size(kFormats)> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kFormats[i].name;
  return names;
}();

}  // namespace

std::optional<TextureFormat> parse_texture_format(std::string_view text) {
  const auto* found = std::ranges::find(kFormats, text, &NamedFormat::name);
  return found == std::end(kFormats) ? std::nullopt : std::optional(found->format);
}
std::optional<std::string_view> name(const TextureFormat& format) {
  const auto* found = std::ranges::find(kFormats, format, &NamedFormat::format);
  return found == std::end(kFormats) ? std::nullopt : std::optional(found->name);
}
std::span<const std::string_view> list_texture_formats() { return kNames; }

namespace textures {

namespace {

constexpr std::uint32_t kNan = 0x7fffffff, kOne = 0x3f800000;

// A float of 5 bits of exponent and `fraction_bits` of fraction, without its sign.
std::uint32_t decode_small_float(std::uint32_t raw, unsigned fraction_bits) {
  const std::uint32_t exponent = raw >> fraction_bits,
                      fraction = raw & low_mask<std::uint32_t>(fraction_bits);
  const std::uint32_t high = fraction << (23 - fraction_bits);
  if (exponent == 31) return fraction != 0 ? kNan : 0x7f800000;
  if (exponent != 0) return (exponent + 112) << 23 | high;
  // A multiple of 2^(-14 - fraction bits).
  return to_bits(static_cast<float>(fraction) * to_float((127U - 14U - fraction_bits) << 23));
}

std::uint32_t decode_float(unsigned bits, std::uint32_t raw) {
  if (bits == 32) return raw;
  if (bits != 16) return decode_small_float(raw, bits - 5);
  const std::uint32_t magnitude = decode_small_float(raw & 0x7fff, 10);
  return magnitude == kNan ? kNan : magnitude | (raw & 0x8000) << 16;
}

// value / most: by a product with the rounded reciprocal for few bits, rounded once for many.
std::uint32_t decode_norm(std::int64_t value, std::uint32_t most, unsigned bits) {
  if (bits <= 8) return to_bits(static_cast<float>(value) * (1.0f / static_cast<float>(most)));
  return to_bits(static_cast<float>(value) / static_cast<float>(most));  // of 24 bits: both are exact
}

std::uint64_t read_raw(const std::byte* texel, std::uint32_t bytes, const TexelComponent& component) {
  const std::uint32_t first = component.first_bit / 8U,
                      end = (component.first_bit + component.bits + 7U) / 8U;
  std::uint64_t raw = 0;
  for (std::uint32_t i = first; i < end && i < bytes; ++i)
    raw |= static_cast<std::uint64_t>(texel[i]) << 8 * (i - first);
  return raw >> component.first_bit % 8U & low_mask<std::uint64_t>(component.bits);
}

}  // namespace

bool has_integers(const TextureFormat& format) {
  return std::ranges::any_of(format.components, [](const auto& c) { return is_integer(c.type); });
}

std::uint32_t decode_component(TexelType type, unsigned bits, std::uint32_t raw) {
  switch (type) {
    case TexelType::none:
      return 0;
    case TexelType::unorm:
      return decode_norm(raw, low_mask<std::uint32_t>(bits), bits);
    case TexelType::snorm: {
      const auto most = static_cast<std::int64_t>(low_mask<std::uint32_t>(bits - 1));
      return decode_norm(std::max<std::int64_t>(sign_extend(raw, bits), -most),
                         static_cast<std::uint32_t>(most), bits);
    }
    case TexelType::uint:
      return raw;
    case TexelType::sint:
      return static_cast<std::uint32_t>(sign_extend(raw, bits));
    case TexelType::float_bits:
      return decode_float(bits, raw);
    case TexelType::shared_exponent:
      return to_bits(static_cast<float>(raw & 0x1ff) * to_float((127U - 24U + (raw >> 9)) << 23));
    case TexelType::uscaled:
      return to_bits(static_cast<float>(raw));
    case TexelType::sscaled:
      return to_bits(static_cast<float>(sign_extend(raw, bits)));
  }
  return 0;
}

Texel decode_texel(const TextureFormat& format, const std::byte* texel) {
  Texel result{0, 0, 0, is_integer(format.components[0].type) ? 1 : kOne};
  for (unsigned i = 0; i < 4; ++i) {
    const TexelComponent& component = format.components[i];
    if (component.type == TexelType::none) continue;
    auto raw = static_cast<std::uint32_t>(read_raw(texel, format.bytes, component));
    if (component.type == TexelType::shared_exponent)
      raw |= static_cast<std::uint32_t>(read_raw(texel, format.bytes, {component.type, 27, 5})) << 9;
    result[i] = format.srgb && i < 3 ? kSrgbDecoded[raw & 0xff]
                                     : decode_component(component.type, component.bits, raw);
  }
  return result;
}

std::uint32_t element_alignment(std::uint32_t bytes) {
  return std::min(4U, 1U << std::countr_zero(bytes | 4U));
}

namespace {

bool can_be(const TexelComponent& component) {
  const unsigned bits = component.bits;
  switch (component.type) {
    case TexelType::none:
      return bits == 0;
    case TexelType::unorm:
    case TexelType::uscaled:
      return bits >= 1 && bits <= 24;
    case TexelType::snorm:
    case TexelType::sscaled:
      return bits >= 2 && bits <= 24;
    case TexelType::uint:
    case TexelType::sint:
      return bits >= 1 && bits <= 32;
    case TexelType::float_bits:
      return bits == 32 || bits == 16 || bits == 11 || bits == 10;
    case TexelType::shared_exponent:
      return bits == 9;
  }
  return false;
}

const char* type_name(TexelType type) {
  constexpr const char* kNames[] = {"none",  "unorm",           "snorm",   "uint",   "sint",
                                    "float", "shared exponent", "uscaled", "sscaled"};
  const auto number = static_cast<std::size_t>(type);
  return number < std::size(kNames) ? kNames[number] : "that does not exist";
}

struct BlockRow {
  BlockCompression compression;
  std::uint8_t bytes;
};
constexpr BlockRow kBlocks[] = {
    {BlockCompression::bc1, 8},     {BlockCompression::bc2, 16},      {BlockCompression::bc3, 16},
    {BlockCompression::bc4, 8},     {BlockCompression::bc5, 16},      {BlockCompression::etc1, 8},
    {BlockCompression::etc2, 8},    {BlockCompression::etc2_a1, 8},   {BlockCompression::etc2_a8, 16},
    {BlockCompression::eac_r11, 8}, {BlockCompression::eac_rg11, 16}, {BlockCompression::astc, 16}};

Error wrong(std::string message) { return {ErrorCode::bad_input, std::move(message), ""}; }

// A compressed format is one of the table; its swizzle does the rest.
Status check_compressed(const TextureFormat& format) {
  const auto* block = std::ranges::find(kBlocks, format.compression, &BlockRow::compression);
  if (block == std::end(kBlocks)) return wrong("has no such compression");
  if (block->bytes != format.bytes) return wrong("has another number of bytes in a block");
  if (!std::ranges::any_of(kFormats, [&](const NamedFormat& named) { return named.format == format; }))
    return wrong("has blocks or components that its compression does not have");
  return {};
}

}  // namespace

Status check_format(const TextureFormat& format) {
  if (format.bytes == 0) return wrong("is not set");
  if (format.compression != BlockCompression::none) return check_compressed(format);
  constexpr std::uint8_t kSizes[] = {1, 2, 3, 4, 6, 8, 12, 16};
  if (std::ranges::find(kSizes, format.bytes) == std::end(kSizes))
    return wrong("has texels of " + std::to_string(format.bytes) + " bytes");
  if (format.block_width != 1 || format.block_height != 1) return wrong("has blocks without compression");
  const unsigned element = 8 * element_alignment(format.bytes);
  bool any = false;
  for (unsigned i = 0; i < 4; ++i) {
    const TexelComponent& component = format.components[i];
    const std::string which = std::string("component ") + "rgba"[i];
    if (!can_be(component))
      return wrong("has " + which + " of " + std::to_string(component.bits) + " bits of type " +
                   type_name(component.type) + ", which do not go together");
    if (component.type == TexelType::none) continue;
    any = true;
    const unsigned first = component.first_bit, last = first + component.bits - 1U;
    if (last >= 8U * format.bytes) return wrong("has " + which + " outside of the texel");
    if (first / element != last / element) return wrong("has " + which + " in two words of the texel");
    if (component.type == TexelType::shared_exponent && format.bytes != 4)
      return wrong("has a shared exponent in texels of other than 4 bytes");
    if (format.srgb && i < 3 && (component.type != TexelType::unorm || component.bits != 8))
      return wrong("has " + which + " in sRGB, but not of 8 bits unorm");
  }
  if (!any) return wrong("has no components");
  return {};
}

}  // namespace textures
}  // namespace warpjit
