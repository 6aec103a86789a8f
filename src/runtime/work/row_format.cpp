#include "runtime/work/row_format.h"

#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace warpjit {
namespace {

struct TypeName {
  ComponentType type;
  std::string_view name;
  std::size_t size;
};
constexpr TypeName kTypes[] = {
    {ComponentType::f32, "f32", 4},         {ComponentType::u8, "u8", 1},
    {ComponentType::s8, "s8", 1},           {ComponentType::u16, "u16", 2},
    {ComponentType::s16, "s16", 2},         {ComponentType::unorm8, "unorm8", 1},
    {ComponentType::snorm8, "snorm8", 1},   {ComponentType::unorm16, "unorm16", 2},
    {ComponentType::snorm16, "snorm16", 2}, {ComponentType::u32, "u32", 4},
    {ComponentType::s32, "s32", 4},
};
constexpr std::size_t kTypeCount = std::size(kTypes);

}  // namespace

std::size_t component_size(ComponentType type) {
  const auto index = static_cast<std::size_t>(type);
  return index < kTypeCount ? kTypes[index].size : 0;
}

std::string name(Format format) {
  const auto index = static_cast<std::size_t>(format.type);
  std::string text(index < kTypeCount ? kTypes[index].name : "?");
  if (format.components != 1) text.append("x").append(std::to_string(format.components));
  return text;
}

std::optional<Format> parse_format(std::string_view text) {
  for (const TypeName& type : kTypes) {
    if (text == type.name) return Format{type.type, 1};
    if (text.size() == type.name.size() + 2 && text.starts_with(type.name) && text[type.name.size()] == 'x' &&
        text.back() >= '1' && text.back() <= '4')
      return Format{type.type, static_cast<std::uint8_t>(text.back() - '0')};
  }
  return std::nullopt;
}

namespace runtime {
namespace {

struct Plain {};
struct Normalized {};

template <class Component, class Meaning>
float convert(Component component) {
  const float value = static_cast<float>(component);
  if constexpr (std::is_same_v<Meaning, Plain>) {
    return value;
  } else {
    constexpr float kMaximum = static_cast<float>(std::numeric_limits<Component>::max());
    const float ratio = value / kMaximum;
    return ratio < -1.0f ? -1.0f : ratio;
  }
}

template <class Component, class Meaning, std::size_t kComponents>
void load(const std::byte* data, std::ptrdiff_t stride, std::size_t count, std::byte* rows) {
  for (std::size_t n = 0; n < count; ++n, data += stride, rows += kRowBytes) {
    std::array<Component, kComponents> in;
    std::memcpy(in.data(), data, sizeof in);
    float out[4] = {0, 0, 0, 1};
    for (std::size_t k = 0; k < kComponents; ++k) out[k] = convert<Component, Meaning>(in[k]);
    std::memcpy(rows, out, sizeof out);
  }
}

// f32 keeps its bits (NaN payloads), so it is never handled as a float.
template <std::size_t kComponents>
void copy(const std::byte* data, std::ptrdiff_t stride, std::size_t count, std::byte* rows) {
  // Straight to the row: through a local one, its load would wait for the narrower stores.
  constexpr std::uint32_t kMissing[4] = {0, 0, 0, 0x3F800000};
  for (std::size_t n = 0; n < count; ++n, data += stride, rows += kRowBytes) {
    std::memcpy(rows, data, 4 * kComponents);
    std::memcpy(rows + 4 * kComponents, kMissing + kComponents, kRowBytes - 4 * kComponents);
  }
}

template <std::size_t kComponents>
void store(const std::byte* rows, std::byte* data, std::ptrdiff_t stride, std::size_t count) {
  for (std::size_t n = 0; n < count; ++n, data += stride, rows += kRowBytes)
    std::memcpy(data, rows, 4 * kComponents);
}

template <class Component, class Meaning>
constexpr std::array<LoadRows, 4> loads() {
  return {load<Component, Meaning, 1>, load<Component, Meaning, 2>, load<Component, Meaning, 3>,
          load<Component, Meaning, 4>};
}

}  // namespace

LoadRows load_rows(Format format) {
  static constexpr std::array<LoadRows, 4> kLoads[] = {
      {copy<1>, copy<2>, copy<3>, copy<4>},  // f32
      loads<std::uint8_t, Plain>(),          // u8
      loads<std::int8_t, Plain>(),           // s8
      loads<std::uint16_t, Plain>(),         // u16
      loads<std::int16_t, Plain>(),          // s16
      loads<std::uint8_t, Normalized>(),     // unorm8
      loads<std::int8_t, Normalized>(),      // snorm8
      loads<std::uint16_t, Normalized>(),    // unorm16
      loads<std::int16_t, Normalized>(),     // snorm16
  };
  const auto index = static_cast<std::size_t>(format.type);
  if (index >= std::size(kLoads) || format.components < 1 || format.components > 4) return nullptr;
  return kLoads[index][format.components - 1u];
}

StoreRows store_rows(Format format) {
  static constexpr StoreRows kStores[] = {store<1>, store<2>, store<3>, store<4>};
  const bool words = format.type == ComponentType::f32 || format.type == ComponentType::u32 ||
                     format.type == ComponentType::s32;
  if (!words || format.components < 1 || format.components > 4) return nullptr;
  return kStores[format.components - 1u];
}

}  // namespace runtime
}  // namespace warpjit
