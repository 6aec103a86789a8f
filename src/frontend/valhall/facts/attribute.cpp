#include "frontend/valhall/facts/attribute.h"

#include <algorithm>
#include <string>

#include "frontend/valhall/container/format_names.h"

namespace warpjit::valhall {
namespace {

// What a register form names, in its third source.
std::optional<AttributeEntry> constant_entry(const Instruction& i) {
  if (i.source[2].kind != Source::Kind::constant) return std::nullopt;
  const std::uint32_t entry = kConstants[i.source[2].value];
  return AttributeEntry{entry >> 24, entry & 0xffffff};
}

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

// The families: bits 0 to 2 of the code are the size, 3 and 4 the number of components less
// one, 5 to 7 the kind.
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

}  // namespace

std::optional<AttributeEntry> image_entry(const Instruction& i) {
  if (i.opcode == Opcode::ld_tex_imm || i.opcode == Opcode::lea_tex_imm)
    return AttributeEntry{i.table, i.index};
  if (i.opcode == Opcode::ld_tex || i.opcode == Opcode::lea_tex) return constant_entry(i);
  return std::nullopt;
}

std::optional<AttributeEntry> attribute_entry(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::ld_attr_imm:
    case Opcode::lea_attr_imm:
      return AttributeEntry{i.table, i.index};
    case Opcode::ld_attr:
    case Opcode::lea_attr:
      return constant_entry(i);
    default:
      return std::nullopt;
  }
}

bool is_component_order(std::uint32_t order) {
  return std::ranges::find(kOrders, order, &Order::code) != std::end(kOrders);
}

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
  const auto count = static_cast<std::uint8_t>(found.count());
  for (unsigned c = 0; c < 4; ++c) {
    std::uint8_t from = order->channel[c];
    if (from == kLast) from = count - 1U;
    if (from < 4 && from >= count) from = c == 3 ? kOne : kZero;
    found.channel[c] = from;
  }
  return found;
}

}  // namespace warpjit::valhall
