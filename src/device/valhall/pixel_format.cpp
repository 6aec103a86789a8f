#include "device/valhall/pixel_format.h"

#include <algorithm>
#include <string>

namespace warpjit::valhall {
namespace {

constexpr std::uint32_t kSrgbBit = 1U << 20, kReservedBit = 1U << 21;

// Components of pixel formats that have a name of their own, from the lowest bit up.
struct PackedRow {
  std::uint8_t code, bytes;
  TexelType type;
  std::array<std::uint8_t, 4> bits;
};
constexpr PackedRow kPacked[] = {
    {170, 1, TexelType::unorm, {4, 4, 0, 0}},        {186, 2, TexelType::unorm, {4, 4, 4, 4}},
    {106, 1, TexelType::snorm, {4, 4, 0, 0}},        {122, 2, TexelType::snorm, {4, 4, 4, 4}},
    {138, 1, TexelType::uint, {4, 4, 0, 0}},         {154, 2, TexelType::uint, {4, 4, 4, 4}},
    {202, 1, TexelType::sint, {4, 4, 0, 0}},         {218, 2, TexelType::sint, {4, 4, 4, 4}},
    {185, 1, TexelType::unorm, {2, 2, 2, 2}},        {121, 1, TexelType::snorm, {2, 2, 2, 2}},
    {153, 1, TexelType::uint, {2, 2, 2, 2}},         {217, 1, TexelType::sint, {2, 2, 2, 2}},
    {64, 2, TexelType::unorm, {5, 6, 5, 0}},         {65, 2, TexelType::unorm, {5, 5, 5, 1}},
    {66, 2, TexelType::unorm, {1, 5, 5, 5}},         {67, 4, TexelType::unorm, {10, 10, 10, 2}},
    {69, 4, TexelType::snorm, {10, 10, 10, 2}},      {71, 4, TexelType::uint, {10, 10, 10, 2}},
    {73, 4, TexelType::sint, {10, 10, 10, 2}},       {68, 4, TexelType::unorm, {2, 10, 10, 10}},
    {70, 4, TexelType::snorm, {2, 10, 10, 10}},      {72, 4, TexelType::uint, {2, 10, 10, 10}},
    {74, 4, TexelType::sint, {2, 10, 10, 10}},       {89, 4, TexelType::float_bits, {11, 11, 10, 0}},
    {90, 4, TexelType::float_bits, {10, 11, 11, 0}}, {91, 4, TexelType::shared_exponent, {9, 9, 9, 0}},
    {75, 2, TexelType::unorm, {16, 0, 0, 0}},        {77, 4, TexelType::unorm, {24, 0, 0, 0}},
};

struct StoredFormat {
  TextureFormat format;
  unsigned count = 0;  // components
};

// Codes 32 A + 8 B + C: kind A of B + 1 components, of 8, 16 or 32 bits.
std::optional<StoredFormat> regular_format(std::uint32_t code) {
  const std::uint32_t kind = code >> 5, size = code & 7, count = (code >> 3 & 3) + 1;
  TexelType type = TexelType::none;
  unsigned bits = 0;
  if (size == 7 && (kind == 5 || kind == 6)) {
    type = TexelType::float_bits;
    bits = kind == 5 ? 32 : 16;
  } else if (size >= 3 && size <= 5 && kind >= 3 && kind <= 6) {
    constexpr TexelType kTypes[] = {TexelType::snorm, TexelType::uint, TexelType::unorm, TexelType::sint};
    type = kTypes[kind - 3];
    bits = 1U << size;
    if (bits == 32 && (kind == 3 || kind == 5)) return std::nullopt;
  } else {
    return std::nullopt;
  }
  StoredFormat stored{.format = {}, .count = count};
  stored.format.bytes = static_cast<std::uint8_t>(count * bits / 8);
  for (unsigned k = 0; k < count; ++k)
    stored.format.components[k] = {type, static_cast<std::uint8_t>(k * bits),
                                   static_cast<std::uint8_t>(bits)};
  return stored;
}

std::optional<StoredFormat> stored_format(std::uint32_t code) {
  const auto* row = std::ranges::find(kPacked, code, &PackedRow::code);
  if (row == std::end(kPacked)) {
    if (code == 78)  // depth in the high 24 bits
      return StoredFormat{{.bytes = 4, .components = {{{TexelType::unorm, 8, 24}}}}, 1};
    if (code == 93)  // stencil is the second component
      return StoredFormat{{.bytes = 1, .components = {{{}, {TexelType::uint, 0, 8}}}}, 2};
    return regular_format(code);
  }
  StoredFormat stored{.format = {.bytes = row->bytes}, .count = 0};
  std::uint8_t first = 0;
  for (const std::uint8_t bits : row->bits) {
    if (bits == 0) break;
    stored.format.components[stored.count++] = {row->type, first, bits};
    first = static_cast<std::uint8_t>(first + bits);
  }
  return stored;
}

// Names of orders: for each component in memory the channel that it feeds, or 1 for one that none reads.
struct OrderRow {
  std::uint16_t code;
  char text[5];
};
constexpr OrderRow kOrders[] = {{0, "RGBA"},  {2, "GRBA"},  {4, "BGRA"},  {8, "ARGB"},  {10, "AGRB"},
                                {12, "ABGR"}, {16, "RGB1"}, {18, "GRB1"}, {20, "BGR1"}, {24, "1RGB"},
                                {26, "1GRB"}, {28, "1BGR"}, {242, "RBGA"}};
// Others name for each channel the first component (R), the last one (A), 0 or 1.
constexpr OrderRow kSelections[] = {{226, "RRRR"}, {227, "RRR1"}, {228, "RRRA"}, {229, "000A"},
                                    {230, "0001"}, {231, "0000"}, {240, "R000"}};

TexelSource component(std::size_t n) { return static_cast<TexelSource>(n); }

std::optional<std::array<TexelSource, 4>> find_channels(std::uint32_t order, const StoredFormat& stored) {
  const bool integer = std::ranges::any_of(stored.format.components, [](const TexelComponent& c) {
    return c.type == TexelType::uint || c.type == TexelType::sint;
  });
  const TexelSource one = integer ? TexelSource::integer_one : TexelSource::one;
  std::array<TexelSource, 4> channels{TexelSource::zero, TexelSource::zero, TexelSource::zero, one};
  if (const auto* row = std::ranges::find(kOrders, order, &OrderRow::code); row != std::end(kOrders)) {
    for (std::size_t k = 0; k < stored.count; ++k)
      if (const std::size_t channel = std::string_view("RGBA").find(row->text[k]);
          channel != std::string_view::npos && stored.format.components[k].type != TexelType::none)
        channels[channel] = component(k);
    return channels;
  }
  const auto* row = std::ranges::find(kSelections, order, &OrderRow::code);
  if (row == std::end(kSelections)) return std::nullopt;
  for (std::size_t channel = 0; channel < 4; ++channel) {
    const char which = row->text[channel];
    channels[channel] = which == 'R'   ? component(0)
                        : which == 'A' ? component(stored.count - 1)
                        : which == '1' ? one
                                       : TexelSource::zero;
  }
  return channels;
}

// The curve is of red, green and blue, which must be the first three components.
bool place_colors(StoredFormat& stored, std::array<TexelSource, 4>& channels) {
  if (stored.format.compression != BlockCompression::none) return true;
  TextureFormat format{.bytes = stored.format.bytes, .srgb = true};
  for (std::size_t channel = 0; channel < 4; ++channel) {
    if (channels[channel] > TexelSource::alpha) continue;
    const auto from = static_cast<std::size_t>(channels[channel]);
    format.components[channel] = stored.format.components[from];
    channels[channel] = component(channel);
    const TexelComponent& c = format.components[channel];
    if (c.type != TexelType::unorm || c.bits != 8) return false;
  }
  stored.format = format;
  return true;
}

std::optional<TexelLayout> with_channels(StoredFormat stored, std::uint32_t format) {
  auto channels = find_channels(format & 0xfff, stored);
  if (!channels) return std::nullopt;
  if ((format & kSrgbBit) != 0 && !place_colors(stored, *channels)) return std::nullopt;
  return TexelLayout{stored.format, *channels};
}

// What of a texel's memory a depth or stencil clump holds.
struct ClumpRow {
  std::uint8_t clump, bytes, shift;  // bits below
};
constexpr ClumpRow kClumps[] = {{0, 1, 0},   {1, 2, 0},   {2, 4, 0},   {3, 8, 0},  {4, 16, 0},
                                {8, 3, 0},   {9, 6, 0},   {10, 12, 0}, {16, 8, 0}, {17, 8, 32},
                                {18, 8, 32}, {19, 8, 24}, {20, 4, 24}, {21, 4, 0}, {22, 1, 0}};

struct CompressedRow {
  std::uint8_t clump;
  const char* name;
};
constexpr CompressedRow kCompressed[] = {
    {32, "etc2"},    {33, "eac-r11"},   {34, "eac-r11-snorm"}, {35, "eac-rg11"}, {36, "eac-rg11-snorm"},
    {37, "etc2-a8"}, {38, "etc2-a1"},   {48, "bc1"},           {49, "bc2"},      {50, "bc3"},
    {51, "bc4"},     {52, "bc4-snorm"}, {53, "bc5"},           {54, "bc5-snorm"}};

std::optional<TexelLayout> compressed_layout(std::uint32_t format, std::string name) {
  if ((format & kSrgbBit) != 0) name += "-srgb";
  const auto blocks = parse_texture_format(name);
  if (!blocks) return std::nullopt;
  StoredFormat stored{.format = *blocks, .count = 0};
  while (stored.count < 4 && blocks->components[stored.count].type != TexelType::none) ++stored.count;
  const auto channels = find_channels(format & 0xfff, stored);
  // The curve is that of the first three components.
  if (!channels || ((format & kSrgbBit) != 0 && (format & 0xfff) != 0 && (format & 0xfff) != 16))
    return std::nullopt;
  return TexelLayout{stored.format, *channels};
}

}  // namespace

std::optional<TexelLayout> find_texel_layout(std::uint32_t format, std::uint8_t clump) {
  if ((format & kReservedBit) != 0) return std::nullopt;
  if (const auto* row = std::ranges::find(kCompressed, clump, &CompressedRow::clump);
      row != std::end(kCompressed))
    return compressed_layout(format, row->name);
  auto stored = stored_format(format >> 12 & 0xff);
  const auto* row = std::ranges::find(kClumps, clump, &ClumpRow::clump);
  if (!stored || row == std::end(kClumps)) return std::nullopt;
  if (clump < 16 ? row->bytes != stored->format.bytes : row->bytes < stored->format.bytes)
    return std::nullopt;
  stored->format.bytes = row->bytes;
  for (TexelComponent& c : stored->format.components)
    if (c.type != TexelType::none) c.first_bit = static_cast<std::uint8_t>(c.first_bit + row->shift);
  return with_channels(*stored, format);
}

std::optional<TexelLayout> find_astc_layout(std::uint32_t format, unsigned width, unsigned height) {
  if ((format & kReservedBit) != 0) return std::nullopt;
  return compressed_layout(format, "astc-" + std::to_string(width) + "x" + std::to_string(height));
}

namespace {

struct TargetRow {
  std::uint8_t code;
  TargetFormat target;
};
using F = PixelFormat;
constexpr TargetRow kTargets[] = {{237, {F::rgba8}},
                                  {238, {F::rgb10a2}},
                                  {224, {F::rgb5a1}},
                                  {225, {F::rgb5a1}},
                                  {226, {F::rgb565}},
                                  {227, {F::rgb565}},
                                  {232, {F::rgba4}},
                                  {233, {F::rgba4}},
                                  {163, {F::r8, true}},
                                  {171, {F::rg8, true}},
                                  {187, {F::rgba8, true}},
                                  {164, {F::r16, true}},
                                  {172, {F::rg16, true}},
                                  {188, {F::rgba16, true}},
                                  {99, {F::r8_snorm, true}},
                                  {107, {F::rg8_snorm, true}},
                                  {123, {F::rgba8_snorm, true}},
                                  {100, {F::r16_snorm, true}},
                                  {108, {F::rg16_snorm, true}},
                                  {124, {F::rgba16_snorm, true}},
                                  {131, {F::r8ui, true}},
                                  {139, {F::rg8ui, true}},
                                  {155, {F::rgba8ui, true}},
                                  {195, {F::r8i, true}},
                                  {203, {F::rg8i, true}},
                                  {219, {F::rgba8i, true}},
                                  {132, {F::r16ui, true}},
                                  {140, {F::rg16ui, true}},
                                  {156, {F::rgba16ui, true}},
                                  {196, {F::r16i, true}},
                                  {204, {F::rg16i, true}},
                                  {220, {F::rgba16i, true}},
                                  {133, {F::r32ui, true}},
                                  {141, {F::rg32ui, true}},
                                  {157, {F::rgba32ui, true}},
                                  {197, {F::r32i, true}},
                                  {205, {F::rg32i, true}},
                                  {221, {F::rgba32i, true}},
                                  {199, {F::r16f, true}},
                                  {207, {F::rg16f, true}},
                                  {223, {F::rgba16f, true}},
                                  {167, {F::r32f, true}},
                                  {175, {F::rg32f, true}},
                                  {191, {F::rgba32f, true}},
                                  {64, {F::rgb565, true}},
                                  {65, {F::rgb5a1, true}},
                                  {186, {F::rgba4, true}},
                                  {67, {F::rgb10a2, true}},
                                  {71, {F::rgb10a2ui, true}},
                                  {89, {F::r11g11b10f, true}}};
constexpr std::uint32_t kOrderRgba = 0, kOrderRgb1 = 16;

}  // namespace

TargetFormat find_target_format(std::uint32_t format, bool srgb) {
  const std::uint32_t code = format >> 12 & 0xff, order = format & 0xfff;
  const auto* row = std::ranges::find(kTargets, code, &TargetRow::code);
  if (row == std::end(kTargets) || (format & kReservedBit) != 0) return {};
  // Where there is no alpha, RGB1 is the same as RGBA.
  const bool alpha = row->target.raw ? stored_format(code)->count == 4 : row->target.format != F::rgb565;
  if (order != kOrderRgba && (order != kOrderRgb1 || alpha)) return {};
  if (!srgb) return row->target;
  return row->target.format == F::rgba8 ? TargetFormat{F::srgb8, row->target.raw} : TargetFormat{};
}

}  // namespace warpjit::valhall
