#include "frontend/valhall/interpret/attribute.h"

#include <algorithm>

#include "frontend/valhall/interpret/numbers.h"

namespace warpjit::valhall {
namespace {

using Kind = VertexFormat::Kind;

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

std::array<std::uint32_t, 4> convert_element(const VertexFormat& format, const ElementBytes& bytes,
                                             RegisterFormat to) {
  const bool integers = format.kind == Kind::unsigned_ || format.kind == Kind::signed_;
  std::array<std::uint32_t, 6> values{};
  for (unsigned n = 0, first = 0; n < 4 && format.bits[n] != 0; first += format.bits[n++])
    values[n] =
        convert_component(format.kind, read_component(bytes, first, format.bits[n]), format.bits[n], to);
  values[VertexFormat::kOne] = integers ? from_integer(1, to) : from_single(to_bits(1.0F), to);
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
