#include "device/valhall/tile_format.h"

#include <algorithm>
#include <cstring>

#include "frontend/valhall/container/format_names.h"

namespace warpjit::valhall {
namespace {

constexpr TileRow kTiles[] = {
    {1, 4, PixelFormat::rgba8, {8, 8, 8, 8}, {}},
    {2, 4, PixelFormat::rgb10a2, {10, 10, 10, 2}, {}},
    {4, 2, PixelFormat::rgba4, {4, 4, 4, 4}, {4, 4, 4, 4}},
    {5, 2, PixelFormat::rgb565, {5, 6, 5, 0}, {5, 4, 5, 2}},
    {6, 2, PixelFormat::rgb5a1, {5, 5, 5, 1}, {5, 5, 5, 1}},
};
constexpr std::uint8_t kRaw = 32, kLastRaw = 36;  // 1, 2, 4, 8, 16 bytes

// Formats in memory: raw ones alone by their bytes.
struct StoredRow {
  std::uint8_t code, bytes;
  std::array<std::uint8_t, 4> bits{};  // of r, g, b, a
  bool reversed = false;               // a lowest
};
constexpr StoredRow kStored[] = {{0, 1},
                                 {1, 2},
                                 {2, 3},
                                 {3, 4},
                                 {4, 6},
                                 {5, 8},
                                 {6, 12},
                                 {7, 16},
                                 {16, 1, {8, 0, 0, 0}},
                                 {17, 2, {8, 8, 0, 0}},
                                 {18, 3, {8, 8, 8, 0}},
                                 {19, 4, {8, 8, 8, 8}},
                                 {20, 2, {4, 4, 4, 4}},
                                 {21, 2, {5, 6, 5, 0}},
                                 {24, 4, {10, 10, 10, 2}},
                                 {25, 4, {10, 10, 10, 2}, true},
                                 {28, 2, {5, 5, 5, 1}},
                                 {29, 2, {5, 5, 5, 1}, true}};

}  // namespace

const TileRow* find_tile(std::uint8_t code) {
  const auto* row = std::ranges::find(kTiles, code, &TileRow::code);
  return row == std::end(kTiles) ? nullptr : row;
}

std::uint32_t tile_pixel_bytes(std::uint8_t tile_format) {
  if (const TileRow* row = find_tile(tile_format)) return row->bytes;
  return tile_format >= kRaw && tile_format <= kLastRaw ? 1U << (tile_format - kRaw) : 0;
}

bool tile_has(std::uint8_t tile_format, const TargetFormat& target) {
  const auto& [format, raw] = target;
  if (const TileRow* row = find_tile(tile_format))
    return !raw &&
           (format == row->format || (format == PixelFormat::srgb8 && row->format == PixelFormat::rgba8));
  return raw && pixel_size(format) == tile_pixel_bytes(tile_format);
}

std::array<std::uint8_t, 4> channel_bits(PixelFormat format) {
  if (format == PixelFormat::srgb8) format = PixelFormat::rgba8;
  const auto* row = std::ranges::find(kTiles, format, &TileRow::format);
  return row == std::end(kTiles) ? std::array<std::uint8_t, 4>{} : row->bits;
}

std::optional<PixelStore> PixelStore::make(const RenderTarget& target, std::string& what) {
  const auto* row = std::ranges::find(kStored, target.stored_format, &StoredRow::code);
  if (row == std::end(kStored)) {
    what = "writeback format is " + stored_format_text(target.stored_format);
    return std::nullopt;
  }
  PixelStore store;
  store.bytes_ = row->bytes;
  store.tile_bytes_ = tile_pixel_bytes(target.tile_format);
  const TileRow* tile = find_tile(target.tile_format);
  const std::string pair = "writeback format " + stored_format_text(target.stored_format) +
                           " of internal format " + tile_format_text(target.tile_format);
  if ((row->bits[0] == 0) != (tile == nullptr) || (tile == nullptr && row->bytes > store.tile_bytes_)) {
    what = pair;
    return std::nullopt;
  }
  if (tile == nullptr) return store;
  unsigned to = 0;
  std::size_t count = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned channel = row->reversed ? 3 - k : k, bits = row->bits[channel];
    if (bits == 0) continue;
    const unsigned selector = target.swizzle >> 3 * channel & 7;
    if (selector > 5) {
      what = "swizzle: there is no " + std::to_string(selector);
      return std::nullopt;
    }
    store.bits_[count++] = static_cast<std::uint8_t>(bits);
    Part part{.from = 0, .to = static_cast<std::uint8_t>(to), .bits = static_cast<std::uint8_t>(bits)};
    to += bits;
    if (selector >= 4) {
      if (selector == 5) store.constant_ |= most(bits) << part.to;
      continue;
    }
    if (tile->bits[selector] != bits) {
      what = pair;
      return std::nullopt;
    }
    for (unsigned n = 0; n < selector; ++n) part.from = static_cast<std::uint8_t>(part.from + tile->bits[n]);
    store.parts_.push_back(part);
  }
  store.channels_ = true;
  unsigned same = 0;  // bits
  for (const Part& part : store.parts_) same += part.from == part.to ? part.bits : 0U;
  store.same_ = same == 8 * store.bytes_ && same == 8 * store.tile_bytes_;
  return store;
}

void PixelStore::load(const std::byte* from, std::byte* to) const {
  if (!channels_) {
    std::memcpy(to, from, bytes_);
    return;
  }
  const std::uint32_t stored = read_pixel(from, bytes_);
  std::uint32_t value = read_pixel(to, tile_bytes_);
  for (const Part& part : parts_) {
    value &= ~(most(part.bits) << part.from);
    value |= (stored >> part.to & most(part.bits)) << part.from;
  }
  write_pixel(to, tile_bytes_, value);
}

}  // namespace warpjit::valhall
