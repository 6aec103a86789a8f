#include "launch/fields.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "guest/guest.h"
#include "launch/numbers.h"

namespace warpjit::tool {

namespace {

constexpr float kMostDetail = 128;

Result<std::uint64_t> read_integer(const JsonField& value, const Field& field) {
  using Limits32 = std::numeric_limits<std::int32_t>;
  const auto integer =
      field.kind == Field::Kind::integer   ? value.integer(Limits32::min(), Limits32::max(), 32)
      : field.kind == Field::Kind::address ? value.integer(0, std::numeric_limits<std::int64_t>::max())
                                           : value.integer(field.low, field.high);
  if (!integer) return integer.error();
  return static_cast<std::uint64_t>(*integer);
}

Status read_floats(const JsonField& value, const Field& field, std::byte* to) {
  if (field.list) WARPJIT_CHECK(value.expect_size(field.size / sizeof(float), "numbers"));
  for (std::size_t k = 0; k < field.size / sizeof(float); ++k) {
    WARPJIT_TRY(const std::uint32_t bits, field.list ? value.at(k).float_bits() : value.float_bits());
    std::memcpy(to + k * sizeof bits, &bits, sizeof bits);
  }
  return {};
}

Result<std::uint64_t> read_detail(const JsonField& value) {
  WARPJIT_TRY(const std::uint32_t bits, value.float_bits());
  const auto number = std::bit_cast<float>(bits);
  if (!(std::fabs(number) <= kMostDetail)) return value.error("must be a level of detail, -128 to 128");
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::nearbyint(number * 256)));
}

Status read_field(const JsonField& value, const Field& field, std::byte* to) {
  std::uint64_t bits = 0;
  switch (field.kind) {
    case Field::Kind::floats:
      return read_floats(value, field, to);
    case Field::Kind::flag: {
      WARPJIT_TRY(bits, value.boolean());
      break;
    }
    case Field::Kind::word: {
      WARPJIT_TRY(bits, read_word_number(value, field.words));
      break;
    }
    case Field::Kind::detail: {
      WARPJIT_TRY(bits, read_detail(value));
      break;
    }
    default: {
      WARPJIT_TRY(bits, read_integer(value, field));
      break;
    }
  }
  if (field.size == 1) {
    const auto byte = static_cast<std::uint8_t>(bits);
    std::memcpy(to, &byte, sizeof byte);
  } else if (field.size == 4) {
    const auto word = static_cast<std::uint32_t>(bits);
    std::memcpy(to, &word, sizeof word);
  } else {
    std::memcpy(to, &bits, sizeof bits);
  }
  return {};
}

template <class Number>
Number load(const std::byte* from) {
  Number number;
  std::memcpy(&number, from, sizeof number);
  return number;
}

Json field_json(const Field& field, const std::byte* from) {
  const std::uint64_t number = field.size == 1                     ? load<std::uint8_t>(from)
                               : field.size == 4                   ? load<std::uint32_t>(from)
                               : field.kind == Field::Kind::floats ? 0
                                                                   : load<std::uint64_t>(from);
  switch (field.kind) {
    case Field::Kind::flag:
      return number != 0;
    case Field::Kind::integer:
      return static_cast<std::int32_t>(number);
    case Field::Kind::address:
      return address_text(number);
    case Field::Kind::word:
      return field.words[static_cast<std::size_t>(number)];
    case Field::Kind::detail:
      return static_cast<std::int32_t>(number) / 256.0;
    case Field::Kind::number:
      return number;
    case Field::Kind::floats:
      break;
  }
  if (!field.list) return bits_json(static_cast<std::uint32_t>(number));
  Json list = Json::array();
  for (std::size_t at = 0; at < field.size; at += sizeof(float))
    list.push_back(bits_json(load<std::uint32_t>(from + at)));
  return list;
}

}  // namespace

Status read_fields(const JsonField& object, std::span<const Field> fields, void* state) {
  for (const Field& field : fields) {
    const auto value = object.find(field.key);
    if (value) {
      WARPJIT_CHECK(read_field(*value, field, static_cast<std::byte*>(state) + field.offset));
    } else if (field.required) {
      return object.require(field.key).error();
    }
  }
  return {};
}

void write_fields(std::span<const Field> fields, const void* state, const void* usual, Json& json) {
  for (const Field& field : fields) {
    const auto* const from = static_cast<const std::byte*>(state) + field.offset;
    const auto* const as_usual = static_cast<const std::byte*>(usual) + field.offset;
    if (field.always || std::memcmp(from, as_usual, field.size) != 0)
      json[field.key] = field_json(field, from);
  }
}

Status expect_fields(const JsonField& object, std::span<const Field> fields,
                     std::initializer_list<std::string_view> others) {
  std::vector<std::string_view> known;
  for (const Field& field : fields) known.push_back(field.key);
  known.insert(known.end(), others.begin(), others.end());
  return object.expect_keys(known);
}

Json bits_json(std::uint32_t bits) {
  const auto value = std::bit_cast<float>(bits);
  const bool plain = std::isfinite(value) && std::fabs(value) < 1e6F && std::fabs(value) > 1e-6F;
  if (plain || bits == 0) return static_cast<double>(value);
  return hex(bits);
}

}  // namespace warpjit::tool
