#include "launch/numbers.h"

#include <fmt/core.h>

#include <bit>

namespace warpjit::tool {

Result<Format> read_format(const JsonField& field) {
  WARPJIT_TRY(const std::string text, field.string());
  if (const std::optional<Format> format = parse_format(text)) return *format;
  return field.error(
      "'" + text +
      "' is not a format: one of f32, u8, s8, u16, s16, u32, s32, unorm8, snorm8, unorm16, snorm16, "
      "then nothing or x1 to x4");
}

Status append_components(const JsonField& array, ComponentType type, std::vector<std::byte>& bytes) {
  const unsigned size = static_cast<unsigned>(component_size(type));
  const bool is_signed = type == ComponentType::s8 || type == ComponentType::s16 ||
                         type == ComponentType::s32 || type == ComponentType::snorm8 ||
                         type == ComponentType::snorm16;
  const std::int64_t span = std::int64_t{1} << (8 * size);
  const std::int64_t low = is_signed ? -span / 2 : 0;
  bytes.reserve(bytes.size() + array.size() * size);
  for (std::size_t k = 0; k < array.size(); ++k) {
    std::uint64_t word = 0;
    if (type == ComponentType::f32) {
      WARPJIT_TRY(word, array.at(k).float_bits());
    } else {
      WARPJIT_TRY(const std::int64_t number, array.at(k).integer(low, low + span - 1, 8 * size));
      word = static_cast<std::uint64_t>(number);
    }
    for (unsigned byte = 0; byte < size; ++byte) bytes.push_back(static_cast<std::byte>(word >> (8 * byte)));
  }
  return {};
}

std::string number_text(ComponentType type, std::uint32_t word) {
  if (type == ComponentType::f32) return fmt::format("{} ({:#010x})", std::bit_cast<float>(word), word);
  if (type == ComponentType::s32) return std::to_string(static_cast<std::int32_t>(word));
  return std::to_string(word);
}

Json number_json(ComponentType type, std::uint32_t word) {
  if (type == ComponentType::f32) return fmt::format("{:#010x}", word);
  if (type == ComponentType::s32) return static_cast<std::int32_t>(word);
  return word;
}

std::string address_text(std::uint64_t address) { return fmt::format("{:#x}", address); }

}  // namespace warpjit::tool
