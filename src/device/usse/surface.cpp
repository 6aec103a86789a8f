#include "device/usse/surface.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/bits.h"
#include "base/result.h"
#include "frontend/usse/interpret/numbers.h"

namespace warpjit::usse {
namespace {

constexpr std::uint32_t kLinear = 0, kTiled = 0x04000000, kSwizzled = 0x08000000;
constexpr std::uint32_t kMaxExtent = 4096;

Error refused(const char* field, std::uint32_t value, const std::string& why, ErrorCode code) {
  char text[64];
  std::snprintf(text, sizeof text, "color surface %s 0x%x ", field, value);
  return {code, text + why, {}};
}

struct Base {
  std::uint32_t number;
  std::string_view name;
  std::array<std::uint8_t, 4> bits;  // from the lowest up
  PixelFormat target;
};
constexpr Base kBases[] = {
    {0x00000000, "U8U8U8U8", {8, 8, 8, 8}, PixelFormat::rgba8},
    {0x10000000, "U8U8U8", {8, 8, 8, 0}, PixelFormat::rgba8},
    {0x30000000, "U5U6U5", {5, 6, 5, 0}, PixelFormat::rgb565},
    {0x40000000, "U1U5U5U5", {5, 5, 5, 1}, PixelFormat::rgb5a1},
    {0x50000000, "U4U4U4U4", {4, 4, 4, 4}, PixelFormat::rgba4},
    {0x60800000, "U2U10U10U10", {10, 10, 10, 2}, PixelFormat::rgb10a2},
    {0x80800000, "U8", {8, 0, 0, 0}, PixelFormat::rgba8},
    {0xb0800000, "U8U8", {8, 8, 0, 0}, PixelFormat::rgba8},
    {0xf0000000, "F16", {16, 0, 0, 0}, PixelFormat::rgba16f},
    {0x00800000, "F16F16", {16, 16, 0, 0}, PixelFormat::rgba16f},
    {0x01000000, "F16F16F16F16", {16, 16, 16, 16}, PixelFormat::rgba16f},
    {0x10800000, "F32", {32, 0, 0, 0}, PixelFormat::r32f},
    {0x11000000, "F32F32", {32, 32, 0, 0}, PixelFormat::rgba32f},
};

// Formats of which only the names are known.
struct NamedBase {
  std::uint32_t number;
  std::string_view name;
};
constexpr NamedBase kNamedBases[] = {
    {0x60000000, "U8U3U3U2"},   {0x20800000, "S16"},       {0x30800000, "S16S16"},
    {0x40800000, "U16"},        {0x50800000, "U16U16"},    {0x90800000, "S8"},
    {0xa0800000, "S5S5U6"},     {0xc0800000, "S8S8"},      {0xd0800000, "U8S8S8U8"},
    {0xe0800000, "S8S8S8S8"},   {0x21000000, "F11F11F10"}, {0x31000000, "SE5M9M9M9"},
    {0x41000000, "U2F10F10F10"}};

Error refused_format(std::uint32_t number, std::uint32_t base) {
  const auto* const known = std::ranges::find(kNamedBases, base, &NamedBase::number);
  std::string why = known == std::end(kNamedBases) ? "is not one of the console's"
                                                   : "(" + std::string(known->name) + ") is not supported";
  why += "; formats are";
  for (const Base& one : kBases) {
    char text[48];
    std::snprintf(text, sizeof text, "%s 0x%08x (%.*s)", &one == kBases ? "" : ",", one.number,
                  static_cast<int>(one.name.size()), one.name.data());
    why += text;
  }
  return refused("format", number, why, ErrorCode::unsupported);
}

// Bits of a target's channels, and what stands for a channel that the surface does not have.
std::array<std::uint8_t, 4> target_bits(PixelFormat target) {
  switch (target) {
    case PixelFormat::rgba8:
      return {8, 8, 8, 8};
    case PixelFormat::rgb565:
      return {5, 6, 5, 0};
    case PixelFormat::rgb5a1:
      return {5, 5, 5, 1};
    case PixelFormat::rgba4:
      return {4, 4, 4, 4};
    case PixelFormat::rgb10a2:
      return {10, 10, 10, 2};
    case PixelFormat::rgba16f:
      return {16, 16, 16, 16};
    case PixelFormat::r32f:
      return {32, 0, 0, 0};
    default:
      return {32, 32, 32, 32};
  }
}
std::uint32_t full_alpha(PixelFormat target) {
  return target == PixelFormat::rgba16f ? 0x3c00 : target == PixelFormat::rgba32f ? 0x3f800000 : 0xff;
}

// A field of a pixel. Fields follow each other; none crosses a word of 64 bits.
std::uint32_t get(const std::byte* pixel, unsigned first, unsigned bits) {
  std::uint64_t raw = 0;
  for (unsigned byte = first / 8; byte < (first + bits + 7) / 8; ++byte)
    raw |= std::to_integer<std::uint64_t>(pixel[byte]) << 8 * (byte - first / 8);
  return static_cast<std::uint32_t>(raw >> first % 8) & low_mask<std::uint32_t>(bits);
}
// Into bits that are 0.
void put(std::byte* pixel, unsigned first, unsigned bits, std::uint32_t value) {
  const std::uint64_t raw = std::uint64_t{value} << first % 8;
  for (unsigned byte = first / 8; byte < (first + bits + 7) / 8; ++byte)
    pixel[byte] |= static_cast<std::byte>(raw >> 8 * (byte - first / 8));
}

unsigned first_bit(const std::array<std::uint8_t, 4>& bits, unsigned field) {
  unsigned first = 0;
  for (unsigned n = 0; n < field; ++n) first += bits[n];
  return first;
}

}  // namespace

namespace {

// The swizzles of formats with one to four fields, by their numbers.
std::span<const std::string_view> swizzle_names(std::size_t fields) {
  static constexpr std::string_view kOne[] = {"R"}, kTwo[] = {"GR", "RG", "RA", "AR"},
                                    kThree[] = {"BGR", "RGB"}, kFour[] = {"ABGR", "ARGB", "RGBA", "BGRA"};
  constexpr std::array<std::span<const std::string_view>, 5> kNames{std::span<const std::string_view>(), kOne,
                                                                    kTwo, kThree, kFour};
  return kNames[fields];
}

}  // namespace

Result<std::uint32_t> parse_surface_format(std::string_view name) {
  std::string known;
  for (const Base& base : kBases) {
    const auto fields =
        static_cast<std::size_t>(std::ranges::count_if(base.bits, [](auto bits) { return bits != 0; }));
    const auto swizzles = swizzle_names(fields);
    for (std::uint32_t n = 0; n < swizzles.size(); ++n) {
      const std::string one = std::string(base.name) + "_" + std::string(swizzles[n]);
      if (one == name) return base.number | n << 20;
      known += (known.empty() ? "" : ", ") + one;
    }
  }
  for (const NamedBase& base : kNamedBases)
    if (name.starts_with(std::string(base.name) + "_"))
      return Error{
          ErrorCode::unsupported, std::string(base.name) + " is not supported; formats are " + known, {}};
  return Error{ErrorCode::unsupported, "is no colour format; formats are " + known, {}};
}

Result<SurfaceFormat> find_surface_format(std::uint32_t number) {
  const std::uint32_t code = number & ~0x00300000U;
  const auto* const base = std::ranges::find(kBases, code, &Base::number);
  if (base == std::end(kBases)) return refused_format(number, code);
  SurfaceFormat format{.name = base->name, .bits = base->bits, .target = base->target};
  unsigned bits = 0;
  for (const std::uint8_t count : base->bits) {
    format.fields += count != 0 ? 1 : 0;
    bits += count;
  }
  format.bytes = bits / 8;
  const unsigned swizzle = number >> 20 & 3;
  constexpr std::array<std::array<std::uint8_t, 4>, 4> kFour{
      {{0, 1, 2, 3}, {2, 1, 0, 3}, {3, 2, 1, 0}, {3, 0, 1, 2}}};
  constexpr std::array<std::array<std::uint8_t, 4>, 2> kThree{{{0, 1, 2, 3}, {2, 1, 0, 3}}};
  constexpr std::array<std::array<std::uint8_t, 4>, 4> kTwo{
      {{0, 1, 2, 3}, {1, 0, 2, 3}, {3, 0, 1, 2}, {0, 3, 1, 2}}};
  const bool known =
      format.fields == 4 || format.fields == 2 || (format.fields == 3 && swizzle < 2) || swizzle == 0;
  if (!known)
    return refused("swizzle", swizzle,
                   "of " + std::string(base->name) + " is not supported; it has 0" +
                       (format.fields == 3 ? " (BGR) and 1 (RGB)" : " (R)"),
                   ErrorCode::unsupported);
  format.channels = format.fields == 4   ? kFour[swizzle]
                    : format.fields == 3 ? kThree[swizzle]
                    : format.fields == 2 ? kTwo[swizzle]
                                         : kFour[0];
  // Where alpha is lowest, the narrow field is, too.
  if (format.fields == 4 && swizzle >= 2) std::ranges::reverse(format.bits);
  return format;
}

std::uint64_t Surface::extent() const {
  const std::uint64_t width = surface_.width, height = surface_.height;
  std::uint64_t pixels = 0;
  if (surface_.type == kLinear)
    pixels = (height - 1) * surface_.stride + width;
  else if (surface_.type == kTiled)
    pixels = (width + 31) / 32 * ((height + 31) / 32) * 1024;
  else
    pixels = width * height;
  return pixels * format_.bytes;
}

std::size_t Surface::offset(std::uint32_t x, std::uint32_t y) const {
  std::size_t index = 0;
  if (surface_.type == kLinear) {
    index = std::size_t{y} * surface_.stride + x;
  } else if (surface_.type == kTiled) {
    const std::size_t tile = std::size_t{y >> 5} * ((surface_.width + 31) / 32) + (x >> 5);
    index = tile * 1024 + ((y & 31) << 5) + (x & 31);
  } else {
    const unsigned side = square_bits();
    for (unsigned bit = 0; bit < side; ++bit)
      index |= std::size_t{(y >> bit & 1) | (x >> bit & 1) << 1} << 2 * bit;
    index += std::size_t{(x >> side) | (y >> side)} << 2 * side;
  }
  return index * format_.bytes;
}

std::optional<std::size_t> Surface::pixel_of(std::size_t byte) const {
  const std::size_t index = byte / format_.bytes;
  std::size_t x = 0, y = 0;
  if (surface_.type == kLinear) {
    x = index % surface_.stride;
    y = index / surface_.stride;
  } else if (surface_.type == kTiled) {
    const std::size_t tiles = (surface_.width + 31) / 32, tile = index / 1024;
    x = tile % tiles * 32 + index % 32;
    y = tile / tiles * 32 + index / 32 % 32;
  } else {
    const unsigned side = square_bits();
    for (unsigned bit = 0; bit < side; ++bit) {
      y |= (index >> 2 * bit & 1) << bit;
      x |= (index >> (2 * bit + 1) & 1) << bit;
    }
    (surface_.width > surface_.height ? x : y) |= index >> 2 * side << side;
  }
  if (x >= surface_.width || y >= surface_.height) return std::nullopt;
  return y * pitch() + x * pixel_size(format_.target);
}

Result<Surface> Surface::open(const ColorSurface& where) {
  WARPJIT_TRY(const SurfaceFormat format, find_surface_format(where.format));
  const auto bad = [](const char* field, std::uint32_t value, const char* why) {
    return refused(field, value, why, ErrorCode::bad_input);
  };
  if (where.type != kLinear && where.type != kTiled && where.type != kSwizzled)
    return refused("type", where.type,
                   "is not one of 0 (linear), 0x04000000 (tiled) and 0x08000000 (swizzled)",
                   ErrorCode::unsupported);
  for (const auto& [name, value] : {std::pair{"width", where.width}, std::pair{"height", where.height}}) {
    if (value == 0) return bad(name, value, "has no pixels");
    if (value > kMaxExtent) return bad(name, value, "is above 4096 pixels");
    if (where.type == kSwizzled && !std::has_single_bit(value))
      return bad(name, value, "of a swizzled surface is no power of two");
  }
  if (where.type == kLinear && where.stride < where.width)
    return bad("stride", where.stride, "is less than the width");
  if (where.stride > 1 << 16) return bad("stride", where.stride, "is above 65536 pixels");
  if (where.data == nullptr) return Error{ErrorCode::bad_input, "color surface data are null", {}};
  const Surface surface(where, format);
  if (surface.extent() > where.size)
    return Error{ErrorCode::bad_input,
                 "color surface size is " + std::to_string(where.size) + " bytes; its pixels take " +
                     std::to_string(surface.extent()),
                 {}};
  return surface;
}

std::array<std::uint32_t, 4> Surface::fields_at(std::span<const std::byte> memory, std::uint32_t x,
                                                std::uint32_t y) const {
  std::array<std::uint32_t, 4> fields{};
  for (unsigned n = 0; n < format_.fields; ++n)
    fields[n] = get(memory.data() + offset(x, y), first_bit(format_.bits, n), format_.bits[n]);
  return fields;
}

void Surface::put_color(std::uint32_t x, std::uint32_t y, const std::array<float, 4>& color) const {
  std::byte* const pixel = static_cast<std::byte*>(surface_.data) + offset(x, y);
  std::memset(pixel, 0, format_.bytes);
  for (unsigned n = 0; n < format_.fields; ++n) {
    const unsigned bits = format_.bits[n];
    const float value = color[format_.channels[n]];
    std::uint32_t field = 0;
    if (bits == 32)
      field = std::bit_cast<std::uint32_t>(value);
    else if (bits == 16)
      field = to_half(value);
    else
      field = static_cast<std::uint32_t>(
          std::lround(std::clamp(value, 0.0F, 1.0F) * static_cast<float>(low_mask<std::uint32_t>(bits))));
    put(pixel, first_bit(format_.bits, n), bits, field);
  }
}

Surface::Surface(const ColorSurface& surface, const SurfaceFormat& format)
    : surface_(surface), format_(format) {
  loads_.from_bytes = stores_.to_bytes = format.bytes;
  loads_.to_bytes = stores_.from_bytes = pixel_size(format.target);
  loads_.same = format.bytes == pixel_size(format.target);
  loads_.field_count = stores_.field_count = format.fields;
  const auto bits = target_bits(format.target);
  bool has_alpha = false;
  for (unsigned n = 0; n < format.fields; ++n) {
    const unsigned channel = format.channels[n];
    const auto in_memory = static_cast<std::uint8_t>(first_bit(format.bits, n)),
               in_target = static_cast<std::uint8_t>(first_bit(bits, channel));
    loads_.fields[n] = {in_memory, in_target, format.bits[n]};
    stores_.fields[n] = {in_target, in_memory, format.bits[n]};
    loads_.same = loads_.same && in_memory == in_target;
    has_alpha = has_alpha || channel == 3;
  }
  stores_.same = loads_.same;
  if (!has_alpha && bits[3] != 0) {
    const unsigned first = first_bit(bits, 3);
    loads_.others[first / 64] = std::uint64_t{full_alpha(format.target)} << first % 64;
  }
}

// Calls with pixels that follow each other both in memory and in the target: where the first one is in both, and their
// number.
template <class Call>
void Surface::each_run(const Call& call) const {
  const std::uint32_t longest = surface_.type == kLinear ? surface_.width : surface_.type == kTiled ? 32 : 1;
  const std::size_t bytes = pixel_size(format_.target);
  for (std::uint32_t y = 0; y < surface_.height; ++y)
    for (std::uint32_t x = 0; x < surface_.width; x += longest)
      call(offset(x, y), y * pitch() + x * bytes, std::min(longest, surface_.width - x));
}

namespace {

// Calls with the size of a pixel, 1 to 16 bytes, as a constant.
template <class Call>
void with_size(std::size_t bytes, const Call& call) {
  switch (bytes) {
    case 1:
      return call(std::integral_constant<std::size_t, 1>());
    case 2:
      return call(std::integral_constant<std::size_t, 2>());
    case 3:
      return call(std::integral_constant<std::size_t, 3>());
    case 4:
      return call(std::integral_constant<std::size_t, 4>());
    case 8:
      return call(std::integral_constant<std::size_t, 8>());
    default:
      return call(std::integral_constant<std::size_t, 16>());
  }
}

}  // namespace

void PixelCopy::copy(const std::byte* from, std::byte* to, std::size_t pixels) const {
  if (same) {
    std::memcpy(to, from, pixels * to_bytes);
    return;
  }
  with_size(from_bytes, [&](auto from_size) {
    with_size(to_bytes, [&](auto to_size) {
      for (std::size_t n = 0; n < pixels; ++n, from += from_size, to += to_size) {
        std::array<std::uint64_t, 2> pixel{}, made = others;
        std::memcpy(pixel.data(), from, from_size);
        for (const Field& field : std::span(fields).first(field_count))
          made[field.to / 64] |=
              (pixel[field.from / 64] >> field.from % 64 & low_mask<std::uint64_t>(field.bits))
              << field.to % 64;
        std::memcpy(to, made.data(), to_size);
      }
    });
  });
}

void Surface::load(std::vector<std::byte>& pixels) const {
  pixels.resize(pitch() * surface_.height);
  const auto* const memory = static_cast<const std::byte*>(surface_.data);
  each_run([&](std::size_t place, std::size_t target, std::size_t count) {
    loads_.copy(memory + place, pixels.data() + target, count);
  });
}

void Surface::store(const std::vector<std::byte>& pixels) const {
  auto* const memory = static_cast<std::byte*>(surface_.data);
  each_run([&](std::size_t place, std::size_t target, std::size_t count) {
    stores_.copy(pixels.data() + target, memory + place, count);
  });
}

}  // namespace warpjit::usse
