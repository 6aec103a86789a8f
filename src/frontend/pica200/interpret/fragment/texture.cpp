#include "frontend/pica200/interpret/fragment/texture.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/bits.h"
#include "frontend/interpret/pixels/arithmetic.h"
#include "frontend/pica200/interpret/fragment/number.h"

namespace warpjit::pica200::fragment {

namespace f32 = interpret::f32;

namespace {

std::uint8_t byte(std::uint32_t value) { return static_cast<std::uint8_t>(value); }
std::uint8_t widen4(std::uint32_t v) { return byte((v & 15) * 17); }
std::uint8_t widen5(std::uint32_t v) { return byte((v & 31) << 3 | (v & 31) >> 2); }
std::uint8_t widen6(std::uint32_t v) { return byte((v & 63) << 2 | (v & 63) >> 4); }

// Bits of column and row in turns, of the lowest three.
std::uint32_t morton(std::uint32_t x, std::uint32_t y) {
  return (x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2 | (x & 4) << 2 | (y & 4) << 3;
}

std::uint64_t word_at(const std::byte* data) {
  std::uint64_t word = 0;
  for (std::size_t n = 0; n < 8; ++n) word |= std::to_integer<std::uint64_t>(data[n]) << 8 * n;
  return word;
}

// A texel of a block of 4 x 4.
Bytes4 etc1_texel(std::uint64_t block, unsigned x, unsigned y) {
  constexpr std::array<std::array<int, 2>, 8> kModifiers = {
      {{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}}};
  const bool flipped = (block >> 32 & 1) != 0, differential = (block >> 33 & 1) != 0;
  const bool first = (flipped ? y : x) < 2;
  const unsigned texel = 4 * x + y;
  const std::size_t table = block >> (first ? 37 : 34) & 7;
  int modifier = kModifiers[table][block >> texel & 1];
  if ((block >> (16 + texel) & 1) != 0) modifier = -modifier;
  Bytes4 result{0, 0, 0, 255};
  for (unsigned n = 0; n < 3; ++n) {
    const unsigned low = 56 - 8 * n;  // of the component's eight bits
    int base = 0;
    if (differential) {
      auto value = static_cast<std::uint32_t>(block >> (low + 3) & 31);
      if (!first)
        value += static_cast<std::uint32_t>(sign_extend(static_cast<std::uint32_t>(block >> low & 7), 3));
      base = widen5(value);
    } else {
      base = widen4(static_cast<std::uint32_t>(block >> (first ? low + 4 : low)));
    }
    result[n] = byte(static_cast<std::uint32_t>(std::clamp(base + modifier, 0, 255)));
  }
  return result;
}

Bytes4 read_block_texel(TexelFormat format, const std::byte* tile, std::uint32_t x, std::uint32_t y) {
  const bool alpha = format == TexelFormat::etc1a4;
  const std::byte* block = tile + std::size_t{y / 4 * 2 + x / 4} * (alpha ? 16 : 8);
  Bytes4 texel = etc1_texel(word_at(alpha ? block + 8 : block), x & 3, y & 3);
  if (alpha) texel[3] = widen4(static_cast<std::uint32_t>(word_at(block) >> 4 * (4 * (x & 3) + (y & 3))));
  return texel;
}

// The place in texels, before it becomes an index. A NaN counts as 0.
float position(std::uint8_t mode, float u, std::uint32_t size) {
  constexpr std::uint8_t kRepeat = 2, kMirror = 3, kRepeats = 6;
  constexpr float kFar = 0x1p24f, kMost = 65536.0f;
  Number x = std::isnan(u) ? Number() : Number(u);
  if (mode == kRepeat || mode >= kRepeats)
    x = abs(x) < kFar ? x - floor(x) : Number();
  else if (mode == kMirror)
    x = abs(x) < kFar ? x - 2.0f * floor(x * 0.5f) : Number();
  return std::clamp<Number>(x * static_cast<float>(size), -kMost, kMost).value;
}

struct Footprint {
  std::int64_t first = 0;
  std::uint32_t weight = 0;  // of the next texel, of 256
};
Footprint footprint(float place, bool linear) {
  if (!linear) return {static_cast<std::int64_t>(std::floor(place)), 0};
  const auto t = static_cast<std::int64_t>(f32::nearest_integer(256.0 * place)) - 128;
  return {t >> 8, static_cast<std::uint32_t>(t & 255)};
}

}  // namespace

namespace {

const std::byte* tile_of(TexelFormat format, const std::byte* data, std::uint32_t width, std::uint32_t column,
                         std::uint32_t row) {
  const std::size_t tile_bytes = std::size_t{8} * texel_bits(format);
  return data + (std::size_t{row / 8} * (width / 8) + column / 8) * tile_bytes;
}

// Of formats with blocks, the texel's block.
void show_texel(interpret::SeenTexels& seen, TexelFormat format, const TexturePlace& place,
                const std::byte* data, std::uint32_t width, unsigned level, std::uint32_t column,
                std::uint32_t row, float weight) {
  const std::byte* const tile = tile_of(format, data, width, column, row);
  const bool alpha = format == TexelFormat::etc1a4, blocks = alpha || format == TexelFormat::etc1;
  const unsigned bytes = blocks ? (alpha ? 16U : 8U) : std::max(1U, texel_bits(format) / 8U);
  const std::size_t offset = blocks ? std::size_t{(row & 7) / 4 * 2 + (column & 7) / 4} * bytes
                                    : std::size_t{morton(column, row)} * texel_bits(format) / 8;
  seen.see(tile + offset, bytes, level, place.face, column, row, weight);
}

}  // namespace

Bytes4 read_texel(TexelFormat format, const std::byte* data, std::uint32_t width, std::uint32_t column,
                  std::uint32_t row) {
  const std::byte* tile = tile_of(format, data, width, column, row);
  if (format == TexelFormat::etc1 || format == TexelFormat::etc1a4)
    return read_block_texel(format, tile, column & 7, row & 7);
  const std::uint32_t index = morton(column, row);
  const std::byte* texel = tile + std::size_t{index} * texel_bits(format) / 8;
  const auto half = [&] { return byte_at(texel, 0) | byte_at(texel, 1) << 8; };
  const std::uint32_t first = byte_at(texel, 0);
  switch (format) {
    case TexelFormat::rgba8:
      return {byte(byte_at(texel, 3)), byte(byte_at(texel, 2)), byte(byte_at(texel, 1)), byte(first)};
    case TexelFormat::rgb8:
      return {byte(byte_at(texel, 2)), byte(byte_at(texel, 1)), byte(first), 255};
    case TexelFormat::rgb5a1: {
      const std::uint32_t w = half();
      return {widen5(w >> 11), widen5(w >> 6), widen5(w >> 1), byte((w & 1) * 255)};
    }
    case TexelFormat::rgb565: {
      const std::uint32_t w = half();
      return {widen5(w >> 11), widen6(w >> 5), widen5(w), 255};
    }
    case TexelFormat::rgba4: {
      const std::uint32_t w = half();
      return {widen4(w >> 12), widen4(w >> 8), widen4(w >> 4), widen4(w)};
    }
    case TexelFormat::ia8: {
      const std::uint8_t i = byte(byte_at(texel, 1));
      return {i, i, i, byte(first)};
    }
    case TexelFormat::rg8:
      return {byte(byte_at(texel, 1)), byte(first), 0, 255};
    case TexelFormat::i8:
      return {byte(first), byte(first), byte(first), 255};
    case TexelFormat::a8:
      return {0, 0, 0, byte(first)};
    case TexelFormat::ia4: {
      const std::uint8_t i = widen4(first >> 4);
      return {i, i, i, widen4(first)};
    }
    case TexelFormat::i4: {
      const std::uint8_t i = widen4(first >> 4 * (index & 1));
      return {i, i, i, 255};
    }
    default:
      return {0, 0, 0, widen4(first >> 4 * (index & 1))};
  }
}

TexturePlace TextureUnit::place(float u, float v, float w) const {
  TexturePlace place;
  if (state_.type == TextureType::cube || state_.type == TextureType::shadow_cube) {
    const float x = u, y = v, z = w, ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    float s = 0, t = 0, a = 0;
    if (ax > ay && ax > az) {
      place.face = x > 0 ? 0 : 1;
      s = x > 0 ? -z : z;
      t = -y;
      a = ax;
    } else if (ay > az) {
      place.face = y > 0 ? 2 : 3;
      s = x;
      t = y > 0 ? z : -z;
      a = ay;
    } else {
      place.face = z > 0 ? 4 : 5;
      s = z > 0 ? x : -x;
      t = -y;
      a = az;
    }
    place.u = ((Number(s) / a) * 0.5f + 0.5f).value;
    place.v = ((Number(t) / a) * 0.5f + 0.5f).value;
    place.reference = a;
    return place;
  }
  place.reference = std::fabs(w);
  if (!state_.divides) {
    place.u = u;
    place.v = v;
  } else if (w != 0) {
    place.u = (Number(u) / w).value;
    place.v = (Number(v) / w).value;
  }
  return place;
}

std::int32_t TextureUnit::level_of_detail(const std::array<TexturePlace, 3>& quad) const {
  const auto width = to_bits(static_cast<float>(values_.width)),
             height = to_bits(static_cast<float>(values_.height));
  const auto squared = [](float from, float to, std::uint32_t size) {
    const std::uint32_t d = f32::mul(f32::sub(to_bits(to), to_bits(from)), size);
    const std::uint32_t r = f32::mul(d, d);
    return f32::is_nan(r) ? f32::kInfinity : r;
  };
  // Squares are positive: their words are in the order of their values.
  std::uint32_t most = 0;
  for (const unsigned n : {1u, 2u})
    most = std::max({most, squared(quad[0].u, quad[n].u, width), squared(quad[0].v, quad[n].v, height)});
  const std::uint32_t exponent = most >> 23;
  constexpr std::int32_t kFar = 1 << 20;
  if (exponent == 0) return values_.bias - kFar;
  if (exponent == 255) return values_.bias + kFar;
  const double mid = 1 + ((most >> 15 & 255) + 0.5) / 256;
  const auto fraction = static_cast<std::int32_t>(f32::nearest_integer(128 * std::log2(mid)));
  return 128 * (static_cast<std::int32_t>(exponent) - 127) + fraction + values_.bias;
}

Result<TextureUnit::Level> TextureUnit::find_level(unsigned face, std::int32_t level) const {
  constexpr std::uint32_t kLeastSide = 8;
  Level found;
  found.number = static_cast<unsigned>(level);
  std::uint64_t offset = 0;
  for (std::int32_t n = 0; n <= level; ++n) {
    found.width = values_.width >> n;
    found.height = values_.height >> n;
    if (n < level) offset += std::uint64_t{found.width} * found.height * texel_bits(state_.format) / 8;
  }
  const std::uint32_t id = values_.address_ids[face];
  if (found.width < kLeastSide || found.height < kLeastSide)
    return Error{ErrorCode::bad_input,
                 "level " + std::to_string(level) + " of the texture, " + std::to_string(found.width) +
                     " x " + std::to_string(found.height) + " texels, is smaller than 8 x 8",
                 register_name(id)};
  const std::uint64_t address = values_.addresses[face] + offset;
  const std::uint64_t size = std::uint64_t{found.width} * found.height * texel_bits(state_.format) / 8;
  found.data = memory_.find(address, size);
  if (found.data == nullptr) {
    char text[96];
    std::snprintf(text, sizeof text, "%llu bytes of a texture at 0x%08llX do not lie in memory",
                  static_cast<unsigned long long>(size), static_cast<unsigned long long>(address));
    return Error{ErrorCode::bad_input, text, register_name(id)};
  }
  return found;
}

std::optional<std::int64_t> TextureUnit::wrap(std::uint8_t mode, std::int64_t i, std::int64_t size) const {
  const auto repeated = [](std::int64_t index, std::int64_t period) {
    return ((index % period) + period) % period;
  };
  switch (mode) {
    case 0:
      return std::clamp<std::int64_t>(i, 0, size - 1);
    case 1:
      return i < 0 || i >= size ? std::nullopt : std::optional(i);
    case 3: {
      const std::int64_t m = repeated(i, 2 * size);
      return m < size ? m : 2 * size - 1 - m;
    }
    case 4:
      return i < 0 ? repeated(i, size) : std::min(i, size - 1);
    case 5:
      return i < 0 ? std::optional(repeated(i, size)) : i >= size ? std::nullopt : std::optional(i);
    default:
      return repeated(i, size);
  }
}

TextureUnit::Sums TextureUnit::sample_level(const Level& level, const TexturePlace& place, bool linear,
                                            interpret::SeenTexels* seen, float share) const {
  const Footprint s = footprint(position(state_.wrap_s, place.u, level.width), linear);
  const Footprint t = footprint(position(state_.wrap_t, place.v, level.height), linear);
  Sums sums{};
  for (unsigned n = 0; n < (linear ? 4u : 1u); ++n) {
    const unsigned dx = n & 1, dy = n >> 1;
    const std::uint32_t weight =
        (dx != 0 ? s.weight : 256 - s.weight) * (dy != 0 ? t.weight : 256 - t.weight);
    const auto column = wrap(state_.wrap_s, s.first + dx, level.width);
    const auto row = wrap(state_.wrap_t, t.first + dy, level.height);
    const Bytes4 texel = column && row ? read_texel(state_.format, level.data, level.width,
                                                    static_cast<std::uint32_t>(*column),
                                                    level.height - 1 - static_cast<std::uint32_t>(*row))
                                       : values_.border;
    if (seen != nullptr && column && row && weight != 0) [[unlikely]]
      show_texel(*seen, state_.format, place, level.data, level.width, level.number,
                 static_cast<std::uint32_t>(*column), level.height - 1 - static_cast<std::uint32_t>(*row),
                 share * static_cast<float>(weight) / 65536);
    for (std::size_t k = 0; k < 4; ++k) sums[k] += weight * texel[k];
  }
  return sums;
}

// Four taps with each filter.
Result<Bytes4> TextureUnit::compare(const TexturePlace& place, interpret::SeenTexels* seen) const {
  WARPJIT_TRY(const Level level, find_level(place.face, 0));
  const bool cube = state_.type == TextureType::shadow_cube;
  const float limited = place.reference < 1.0f ? place.reference : place.reference >= 1.0f ? 1.0f : 0.0f;
  const auto whole = static_cast<std::int64_t>((Number(limited) * 16777215.0f).value);
  const std::int64_t reference = std::max<std::int64_t>(0, whole - values_.shadow_bias);
  const std::uint8_t mode = cube ? 0 : 1;
  const Footprint s = footprint(position(mode, place.u, level.width), true);
  const Footprint t = footprint(position(mode, place.v, level.height), true);
  std::uint32_t sum = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const unsigned dx = n & 1, dy = n >> 1;
    const std::uint32_t weight =
        (dx != 0 ? s.weight : 256 - s.weight) * (dy != 0 ? t.weight : 256 - t.weight);
    const auto column = wrap(mode, s.first + dx, level.width), row = wrap(mode, t.first + dy, level.height);
    std::uint32_t lit = 255;
    if (column && row) {
      // Alpha, blue and green are the depth, from its highest byte down; red is the intensity.
      const Bytes4 texel =
          read_texel(TexelFormat::rgba8, level.data, level.width, static_cast<std::uint32_t>(*column),
                     level.height - 1 - static_cast<std::uint32_t>(*row));
      if (seen != nullptr && weight != 0) [[unlikely]]
        show_texel(*seen, TexelFormat::rgba8, place, level.data, level.width, level.number,
                   static_cast<std::uint32_t>(*column), level.height - 1 - static_cast<std::uint32_t>(*row),
                   static_cast<float>(weight) / 65536);
      const std::int64_t depth = std::int64_t{texel[3]} << 16 | std::int64_t{texel[2]} << 8 | texel[1];
      lit = depth >= reference ? texel[0] : 0;
    }
    sum += weight * lit;
  }
  const std::uint8_t result = byte((sum + 32768) >> 16);
  return Bytes4{result, result, result, result};
}

Result<Bytes4> TextureUnit::sample(const TexturePlace& place, std::int32_t lod,
                                   interpret::SeenTexels* seen) const {
  if (!on()) return Bytes4{0, 0, 0, 0};
  if (values_.addresses[place.face] == 0) return Bytes4{0, 0, 0, 255};
  if (state_.type == TextureType::shadow || state_.type == TextureType::shadow_cube)
    return compare(place, seen);
  const bool magnified = lod <= 0;
  lod = std::min(std::max(lod, values_.least * 256), values_.greatest * 256);
  const bool linear = magnified ? state_.magnify_linear : state_.minify_linear;
  const bool between = !magnified && state_.mip_linear;
  const std::int32_t first = magnified || between ? lod >> 8 : (lod + 127) >> 8;
  const auto weight = static_cast<std::uint64_t>(between ? lod & 255 : 0);
  WARPJIT_TRY(const Level level, find_level(place.face, first));
  const float share = static_cast<float>(weight) / 256;
  const Sums a = sample_level(level, place, linear, seen, 1 - share);
  Sums b{};
  if (weight != 0) {
    WARPJIT_TRY(const Level next, find_level(place.face, first + 1));
    b = sample_level(next, place, linear, seen, share);
  }
  Bytes4 result{};
  for (std::size_t k = 0; k < 4; ++k)
    result[k] = byte(static_cast<std::uint32_t>((a[k] * (256 - weight) + b[k] * weight + (1 << 23)) >> 24));
  return result;
}

}  // namespace warpjit::pica200::fragment
