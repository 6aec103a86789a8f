#include "frontend/usse/stage_values.h"

#include <algorithm>
#include <cmath>

#include "frontend/usse/interpret/numbers.h"

namespace warpjit::usse {
namespace {

// An integer that a float becomes: truncated, saturated; a NaN is 0.
std::uint32_t truncate(float value, unsigned bits, bool is_signed) {
  if (value != value) return 0;
  const double most = std::ldexp(1.0, static_cast<int>(bits - (is_signed ? 1 : 0))) - 1;
  const double whole = std::clamp(std::trunc(static_cast<double>(value)), is_signed ? -most - 1 : 0.0, most);
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(whole)) & low_mask<std::uint32_t>(bits);
}

// The number that a component in memory means.
float number_of(AttributeFormat format, std::uint32_t raw) {
  const IntegerType u8{8, false}, s8{8, true}, u16{16, false}, s16{16, true};
  switch (format) {
    case AttributeFormat::u8:
      return static_cast<float>(integer_value(u8, raw));
    case AttributeFormat::s8:
      return static_cast<float>(integer_value(s8, raw));
    case AttributeFormat::u16:
      return static_cast<float>(integer_value(u16, raw));
    case AttributeFormat::s16:
      return static_cast<float>(integer_value(s16, raw));
    case AttributeFormat::u8n:
      return normalized_value(u8, raw);
    case AttributeFormat::s8n:
      return normalized_value(s8, raw);
    case AttributeFormat::u16n:
      return normalized_value(u16, raw);
    case AttributeFormat::s16n:
      return normalized_value(s16, raw);
    case AttributeFormat::f16:
      return half_value(static_cast<std::uint16_t>(raw));
    default:
      return to_float(raw);
  }
}

// Bits of a component of this type, and what a number is in them.
unsigned field_bits(ParameterType type) { return type == ParameterType::c10 ? 10 : 8 * bytes_of(type); }
std::uint32_t field_of_number(ParameterType type, float number) {
  switch (type) {
    case ParameterType::f16:
      return to_half(number);
    case ParameterType::c10:
      return to_c10(number);
    case ParameterType::u32:
      return truncate(number, 32, false);
    case ParameterType::s32:
      return truncate(number, 32, true);
    case ParameterType::u16:
      return truncate(number, 16, false);
    case ParameterType::s16:
      return truncate(number, 16, true);
    case ParameterType::u8:
      return truncate(number, 8, false);
    case ParameterType::s8:
      return truncate(number, 8, true);
    default:
      return to_bits(number);
  }
}

}  // namespace

void fill_secondary_attributes(const Program& program, const StageValues& values,
                               std::span<std::uint32_t> sa) {
  std::ranges::fill(sa, 0U);
  const auto set = [&](std::size_t word, std::uint32_t value) {
    if (word < sa.size()) sa[word] = value;
  };
  for (const RegisterContainer& container : program.containers) {
    if (container.index >= kUniformBuffers) continue;
    const std::span<const std::uint32_t> words = values.buffers[container.index];
    for (std::size_t k = 0; k < std::min<std::size_t>(container.words, words.size()); ++k)
      set(container.base + k, words[k]);
  }
  const auto base = [&](std::uint16_t index) -> std::size_t {
    const RegisterContainer* const container = program.container(index);
    return container == nullptr ? 0 : container->base;
  };
  const std::size_t data = base(kDataContainer);
  const std::size_t literals =
      program.container(kLiteralContainer) != nullptr ? base(kLiteralContainer) : data;
  for (const Literal& literal : program.literals) set(literals + literal.offset, literal.value);
  for (const UniformBuffer& buffer : program.uniform_buffers)
    set(data + buffer.offset, values.addresses[buffer.buffer] + static_cast<std::uint32_t>(buffer.bias));
  for (const DependentSampler& sampler : program.dependent_samplers)
    set(data + sampler.offset, values.textures[sampler.unit][sampler.word]);
}

std::uint32_t uniform_stride(const Parameter& parameter) {
  const std::uint32_t words = (parameter.components * bytes_of(parameter.type) + 3) / 4;
  const bool is_float = parameter.type == ParameterType::f32 || parameter.type == ParameterType::f16;
  if (parameter.components <= 1 || !is_float) return std::max(words, 1U);
  return (words + 1) / 2 * 2;
}

unsigned bytes_of(AttributeFormat format) {
  constexpr std::array<unsigned, kAttributeFormats> kBytes{1, 1, 2, 2, 1, 1, 2, 2, 2, 4, 4};
  return kBytes[static_cast<std::size_t>(format)];
}

unsigned attribute_words(const Parameter& parameter, AttributeFormat format, unsigned components) {
  const unsigned bits = field_bits(parameter.type);
  if (format != AttributeFormat::untyped) {
    const unsigned count = 32 / bits;
    return (parameter.components + count - 1) / count;
  }
  return bits == 32 ? std::max<unsigned>(components, parameter.components) : components;
}

Status store_attribute(const Parameter& parameter, AttributeFormat format, unsigned components,
                       std::span<const std::byte> memory, std::span<std::uint32_t> pa) {
  if (parameter.type == ParameterType::aggregate)
    return Error{ErrorCode::unsupported, "attribute '" + parameter.name + "' has no type of a number", {}};
  const unsigned size = bytes_of(format);
  const bool raw_words = format == AttributeFormat::untyped;
  const unsigned bits = raw_words ? 32 : field_bits(parameter.type), count = 32 / bits;
  const unsigned stored =
      raw_words ? attribute_words(parameter, format, components) : unsigned{parameter.components};
  for (unsigned k = 0; k < stored; ++k) {
    std::uint32_t raw = 0;
    const bool given = k < components && (k + 1) * size <= memory.size();
    for (unsigned byte = 0; given && byte < size; ++byte)
      raw |= std::to_integer<std::uint32_t>(memory[k * size + byte]) << 8 * byte;
    std::uint32_t field = raw;
    if (!given)
      field = field_of_number(parameter.type, k == 3 ? 1.0F : 0.0F);
    else if (!raw_words)
      field = field_of_number(parameter.type, number_of(format, raw));
    const std::size_t word = parameter.resource + k / count;
    if (word >= pa.size()) break;
    const unsigned shift = k % count * bits;
    pa[word] = (pa[word] & ~(low_mask<std::uint32_t>(bits) << shift)) | field << shift;
  }
  return {};
}

const char* name(AttributeFormat format) {
  constexpr std::array<const char*, kAttributeFormats> kNames{"u8",   "s8",   "u16", "s16", "u8n",    "s8n",
                                                              "u16n", "s16n", "f16", "f32", "untyped"};
  return static_cast<std::size_t>(format) < kNames.size() ? kNames[static_cast<std::size_t>(format)] : "?";
}
std::optional<AttributeFormat> parse_attribute_format(std::string_view text) {
  for (unsigned n = 0; n < kAttributeFormats; ++n)
    if (text == name(static_cast<AttributeFormat>(n))) return static_cast<AttributeFormat>(n);
  return std::nullopt;
}

}  // namespace warpjit::usse
