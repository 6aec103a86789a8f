#include "frontend/valhall/interpret/attribute.h"

#include <algorithm>
#include <string>

#include "frontend/valhall/container/format_names.h"
#include "frontend/valhall/interpret/numbers.h"

namespace warpjit::valhall {
namespace {

using Kind = VertexFormat::Kind;

// Formats that are no family: their components, the lowest bits first.
struct Packed {
  std::uint8_t code;
  Kind kind;
  std::array<std::uint8_t, 4> bits;
};
constexpr Packed kPacked[] = {
    {64, Kind::unorm, {5, 6, 5}},
    {65, Kind::unorm, {5, 5, 5, 1}},
    {66, Kind::unorm, {1, 5, 5, 5}},
    {67, Kind::unorm, {10, 10, 10, 2}},
    {68, Kind::unorm, {2, 10, 10, 10}},
    {69, Kind::snorm, {10, 10, 10, 2}},
    {70, Kind::snorm, {2, 10, 10, 10}},
    {71, Kind::unsigned_, {10, 10, 10, 2}},
    {72, Kind::unsigned_, {2, 10, 10, 10}},
    {73, Kind::signed_, {10, 10, 10, 2}},
    {74, Kind::signed_, {2, 10, 10, 10}},
    {81, Kind::fixed, {32}},
    {82, Kind::fixed, {32, 32}},
    {83, Kind::fixed, {32, 32, 32}},
    {84, Kind::fixed, {32, 32, 32, 32}},
    {89, Kind::small_float, {11, 11, 10}},
};

// Which component in memory feeds r, g, b and a. The last one is that of the format.
constexpr std::uint8_t kZero = VertexFormat::kZero, kOne = VertexFormat::kOne, kLast = 6;
struct Order {
  std::uint16_t code;
  std::array<std::uint8_t, 4> channel;
};
constexpr Order kOrders[] = {
    {0, {0, 1, 2, 3}},                    // RGBA
    {2, {1, 0, 2, 3}},                    // GRBA
    {4, {2, 1, 0, 3}},                    // BGRA
    {8, {1, 2, 3, 0}},                    // ARGB
    {10, {2, 1, 3, 0}},                   // AGRB
    {12, {3, 2, 1, 0}},                   // ABGR
    {16, {0, 1, 2, kOne}},                // RGB1
    {18, {1, 0, 2, kOne}},                // GRB1
    {20, {2, 1, 0, kOne}},                // BGR1
    {24, {1, 2, 3, kOne}},                // 1RGB
    {26, {2, 1, 3, kOne}},                // 1GRB
    {28, {3, 2, 1, kOne}},                // 1BGR
    {226, {0, 0, 0, 0}},                  // RRRR
    {227, {0, 0, 0, kOne}},               // RRR1
    {228, {0, 0, 0, kLast}},              // RRRA
    {229, {kZero, kZero, kZero, kLast}},  // 000A
    {230, {kZero, kZero, kZero, kOne}},   // 0001
    {231, {kZero, kZero, kZero, kZero}},  // 0000
    {240, {0, kZero, kZero, kZero}},      // R000
    {242, {0, 2, 1, 3}},                  // RBGA
};

// The families: bits 0 to 2 of the code are the size, 3 and 4 the number of components less one, 5 to 7 the
// kind.
bool find_family(std::uint32_t code, VertexFormat& found) {
  constexpr Kind kKinds[] = {Kind::snorm, Kind::unsigned_, Kind::unorm, Kind::signed_};
  const std::uint32_t size = code & 7, kind = code >> 5;
  if (kind < 3 || kind > 6 || size < 3) return false;
  unsigned bits = 1U << size;
  found.kind = kKinds[kind - 3];
  if (size > 5) {
    if (size == 6 || (kind != 5 && kind != 6)) return false;
    found.kind = kind == 5 ? Kind::single : Kind::half;
    bits = kind == 5 ? 32 : 16;
  }
  std::fill_n(found.bits.begin(), (code >> 3 & 3) + 1, static_cast<std::uint8_t>(bits));
  return true;
}

std::uint32_t read_component(const ElementBytes& bytes, unsigned first, unsigned count) {
  std::uint32_t value = 0;
  for (unsigned n = 0; n < count; ++n) {
    const unsigned bit = first + n;
    value |= (static_cast<std::uint32_t>(bytes[bit / 8]) >> bit % 8 & 1) << n;
  }
  return value;
}

std::uint32_t clamp_to(double value, double least, double most) {
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::clamp(value, least, most)));
}

// A number that is no NaN, as an integer.
std::uint32_t to_integer(double value, RegisterFormat to) {
  switch (to) {
    case RegisterFormat::s32:
      return clamp_to(value, -0x1p31, 0x1p31 - 1);
    case RegisterFormat::u32:
      return clamp_to(value, 0, 0x1p32 - 1);
    case RegisterFormat::s16:
      return clamp_to(value, -0x1p15, 0x1p15 - 1) & 0xffff;
    default:
      return clamp_to(value, 0, 0x1p16 - 1);
  }
}

std::uint32_t from_integer(std::int64_t value, RegisterFormat to) {
  if (to == RegisterFormat::automatic) return static_cast<std::uint32_t>(value);
  if (to == RegisterFormat::f32) return to_bits(static_cast<float>(value));
  if (to == RegisterFormat::f16) return round_to(kHalf, static_cast<double>(value));
  return to_integer(static_cast<double>(value), to);
}

// Floats, also those that a format does not hold as such.
std::uint32_t from_single(std::uint32_t word, RegisterFormat to) {
  if (to == RegisterFormat::automatic || to == RegisterFormat::f32) return word;
  const auto value = static_cast<double>(to_float(word));
  if (to == RegisterFormat::f16) return round_to(kHalf, value);
  return std::isnan(value) ? 0 : to_integer(std::trunc(value), to);
}

std::uint32_t convert_component(Kind kind, std::uint32_t raw, unsigned bits, RegisterFormat to) {
  const std::int32_t extended = sign_extend(raw, bits);
  const auto ones = [](unsigned count) { return static_cast<float>(low_mask<std::uint32_t>(count)); };
  switch (kind) {
    case Kind::unorm:
      return from_single(to_bits(static_cast<float>(raw) / ones(bits)), to);
    case Kind::snorm:
      return from_single(to_bits(std::max(static_cast<float>(extended) / ones(bits - 1), -1.0F)), to);
    case Kind::unsigned_:
      return from_integer(raw, to);
    case Kind::signed_:
      return from_integer(extended, to);
    case Kind::half:
      return from_single(widen_half(raw), to);
    case Kind::single:
      return from_single(raw, to);
    case Kind::fixed:
      return from_single(to_bits(static_cast<float>(extended) * 0x1p-16F), to);
    case Kind::small_float:  // an f16 without the sign and the lowest bits
      return from_single(widen_half(raw << (15 - bits)), to);
  }
  return 0;
}

}  // namespace

Result<VertexFormat> find_vertex_format(std::uint32_t format) {
  const auto unsupported = [&](const std::string& why) {
    return Error{ErrorCode::unsupported, why + ": " + pixel_format_text(format), {}};
  };
  if (format >> 22 != 0) return Error{ErrorCode::unsupported, "a pixel format has 22 bits", {}};
  if ((format >> 20 & 1) != 0) return unsupported("sRGB components are not supported");
  if ((format >> 21 & 1) != 0) return unsupported("bit 21 of a pixel format is not supported");
  const std::uint32_t code = format >> 12 & 0xff, order_code = format & 0xfff;
  VertexFormat found;
  if (const auto packed = std::ranges::find(kPacked, code, &Packed::code); packed != std::end(kPacked)) {
    found.kind = packed->kind;
    found.bits = packed->bits;
  } else if (!find_family(code, found)) {
    return unsupported("components of the pixel format " + std::to_string(code) + " are not supported");
  }
  const auto order = std::ranges::find(kOrders, order_code, &Order::code);
  if (order == std::end(kOrders))
    return unsupported("the component order " + std::to_string(order_code) + " is not known");
  const auto count = static_cast<std::uint8_t>(4 - std::ranges::count(found.bits, 0));
  for (unsigned c = 0; c < 4; ++c) {
    std::uint8_t from = order->channel[c];
    if (from == kLast) from = count - 1U;
    if (from < 4 && from >= count) from = c == 3 ? kOne : kZero;
    found.channel[c] = from;
  }
  return found;
}

std::array<std::uint32_t, 4> convert_element(const VertexFormat& format, const ElementBytes& bytes,
                                             RegisterFormat to) {
  const bool integers = format.kind == Kind::unsigned_ || format.kind == Kind::signed_;
  std::array<std::uint32_t, 6> values{};
  for (unsigned n = 0, first = 0; n < 4 && format.bits[n] != 0; first += format.bits[n++])
    values[n] =
        convert_component(format.kind, read_component(bytes, first, format.bits[n]), format.bits[n], to);
  values[kOne] = integers ? from_integer(1, to) : from_single(to_bits(1.0F), to);
  std::array<std::uint32_t, 4> channels{};
  for (unsigned c = 0; c < 4; ++c) channels[c] = values[format.channel[c]];
  return channels;
}

std::uint64_t byte_of_element(const frontend::AttributeSource& attribute, std::uint32_t attribute_offset,
                              std::uint32_t vertex, std::uint32_t instance) {
  using Division = frontend::AttributeSource::Division;
  const std::uint32_t number =
      (attribute.per_instance ? instance : vertex) + (attribute.from_first ? attribute_offset : 0);
  std::uint64_t element = number;
  if (attribute.division == Division::shift) element >>= attribute.shift;
  if (attribute.division == Division::multiply)
    element = (element + (attribute.add ? 1 : 0)) * attribute.multiplier >> (32 + attribute.shift);
  return static_cast<std::uint64_t>(std::int64_t{attribute.offset}) + element * attribute.stride;
}

}  // namespace warpjit::valhall
