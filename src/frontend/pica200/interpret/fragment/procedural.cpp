#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "base/math.h"
#include "frontend/pica200/interpret/fragment/number.h"
#include "frontend/pica200/interpret/fragment/units.h"

namespace warpjit::pica200::fragment {

namespace {

using Map = std::array<std::uint32_t, 128>;

// A coordinate that is NaN, negative or too large counts as 0.
Number bounded(Number x) { return x.value >= 0 && x < 0x1p30f ? x : Number(); }

Number look_up(const Map& map, Number f) {
  const Number t = f * 128.0f;
  const std::int32_t i = std::min(integer(t), 127);
  const std::uint32_t word = map[static_cast<std::size_t>(i)];
  const float value = static_cast<float>(bits(word, 0, 12)) / 4095.0f;
  const float difference = static_cast<float>(sign_extend(word >> 12, 12)) / 4095.0f;
  return value + (t - static_cast<float>(i)) * difference;
}

// A half or a whole texture for every second unit of the other coordinate.
Number shift(std::uint8_t code, std::uint8_t clamp, Number other) {
  constexpr std::uint8_t kMirrored = 3;
  if (code == 0) return 0;
  const std::int32_t whole = integer(other) + (code == 2 ? 1 : 0);
  return (clamp == kMirrored ? 1.0f : 0.5f) * static_cast<float>((whole / 2) % 2);
}

Number clamped(std::uint8_t code, Number x) {
  switch (code) {
    case 0:
      return x > 1.0f ? Number() : x;
    case 1:
      return std::min<Number>(x, 1.0f);
    case 2:
      return x - floor(x);
    case 3: {
      const Number whole = floor(x), fraction = x - whole;
      return (integer(whole) & 1) == 0 ? fraction : 1.0f - fraction;
    }
    default:
      return x > 0.5f ? 1.0f : 0.0f;
  }
}

Number function(std::uint8_t code, Number u, Number v) {
  switch (code) {
    case 0:
      return u;
    case 1:
      return u * u;
    case 2:
      return v;
    case 3:
      return v * v;
    case 4:
      return (u + v) * 0.5f;
    case 5:
      return (u * u + v * v) * 0.5f;
    case 6:
      return std::min<Number>(sqrt(u * u + v * v), 1.0f);
    case 7:
      return std::min(u, v);
    case 8:
      return std::max(u, v);
    default:
      return std::min<Number>(((u + v) * 0.5f + sqrt(u * u + v * v)) * 0.5f, 1.0f);
  }
}

std::int32_t random(std::int32_t v) {
  constexpr std::array<std::int32_t, 16> kTable = {0, 4, 10, 8, 4, 9, 7, 12, 5, 15, 13, 14, 11, 15, 2, 11};
  return (((v % 9 + 2) * 3) & 15) ^ kTable[static_cast<std::size_t>((v / 9) & 15)];
}
Number random(std::int32_t x, std::int32_t y) {
  constexpr std::array<std::int32_t, 16> kTable = {10, 2, 15, 8, 0, 7, 4, 5, 5, 13, 2, 6, 13, 9, 3, 14};
  const std::int32_t a = random(x);
  std::int32_t b = random(y);
  if ((a & 3) == 1) b += 4;
  b ^= 6 * (a & 1);
  b = (b + 10 + a) & 15;
  b ^= kTable[static_cast<std::size_t>(a)];
  return -1.0f + static_cast<float>(b) * 2.0f / 15.0f;
}

Number noise(const ProceduralValues& values, const Map& map, Number u, Number v) {
  const Number x = bounded(Number(9.0f) * values.frequencies[0] * abs(u + values.phases[0]));
  const Number y = bounded(Number(9.0f) * values.frequencies[1] * abs(v + values.phases[1]));
  const std::int32_t xi = integer(x), yi = integer(y);
  const Number fx = x - static_cast<float>(xi), fy = y - static_cast<float>(yi);
  const Number g00 = random(xi, yi) * (fx + fy);
  const Number g10 = random(xi + 1, yi) * (fx + fy - 1.0f);
  const Number g01 = random(xi, yi + 1) * (fx + fy - 1.0f);
  const Number g11 = random(xi + 1, yi + 1) * (fx + fy - 2.0f);
  const Number wx = look_up(map, fx), wy = look_up(map, fy);
  const Number low = g00 + (g10 - g00) * wx, high = g01 + (g11 - g01) * wx;
  return low + (high - low) * wy;
}

struct Levels {
  std::int32_t first = 0;
  float weight = 0;  // of the next one
};
Levels levels(const ProceduralState& state, const ProceduralValues& values,
              const std::array<std::array<float, 2>, 3>& quad) {
  if (state.filter < 2) return {};
  Number lod;
  if (state.biased) {
    const auto step = [&](std::size_t c) {
      const Number from = quad[0][c];
      return std::max(abs(quad[1][c] - from), abs(quad[2][c] - from));
    };
    const Number scale = std::fabs(static_cast<float>(values.width) * values.bias);
    lod = math::log2((scale * (step(0) + step(1))).value);
  }
  const auto least = static_cast<float>(values.least);
  const auto greatest = static_cast<float>(std::min(values.greatest, 7));
  lod = lod > least ? lod : Number(least);  // so is a NaN
  lod = std::min<Number>(lod, greatest);
  if (state.filter < 4) return {integer(floor(lod + 0.5f)), 0};
  const std::int32_t whole = integer(lod);
  return {whole, (lod - static_cast<float>(whole)).value};
}

// Red, green, blue and alpha of the colour table, as integers.
std::array<std::int32_t, 4> color_at(const ProceduralState& state, const ProceduralValues& values,
                                     const FragmentTables& tables, std::int32_t level, Number mapped) {
  const std::int32_t offset = values.offsets[static_cast<std::size_t>(level)], width = values.width >> level;
  const Number x = static_cast<float>(offset) + mapped * static_cast<float>(width - 1);
  std::array<std::int32_t, 4> result{};
  const bool linear = (state.filter & 1) != 0;
  const std::int32_t i = integer(linear ? x : floor(x + 0.5f));
  const std::uint32_t color = tables.colors[static_cast<std::size_t>(i & 255)];
  const std::uint32_t difference = tables.color_differences[static_cast<std::size_t>(i & 255)];
  for (unsigned n = 0; n < 4; ++n) {
    result[n] = static_cast<std::int32_t>(color >> 8 * n & 255);
    if (!linear) continue;
    const auto twice = static_cast<float>(2 * sign_extend(difference >> 8 * n, 8));
    result[n] = integer(static_cast<float>(result[n]) + (x - static_cast<float>(i)) * twice);
  }
  return result;
}

}  // namespace

Bytes4 sample_procedural(const ProceduralState& state, const ProceduralValues& values,
                         const FragmentTables& tables, float given_u, float given_v,
                         const std::array<std::array<float, 2>, 3>& quad) {
  if (!state.on) return {0, 0, 0, 0};
  Number u = bounded(std::fabs(given_u)), v = bounded(std::fabs(given_v));
  const Number shift_u = shift(state.shift_u, state.clamp_u, v),
               shift_v = shift(state.shift_v, state.clamp_v, u);
  if (state.noise) {
    const Number n = noise(values, tables.noise, u, v);
    u = abs(u + (n * static_cast<float>(values.amplitudes[0])) / 4095.0f);
    v = abs(v + (n * static_cast<float>(values.amplitudes[1])) / 4095.0f);
  }
  u = clamped(state.clamp_u, bounded(u + shift_u));
  v = clamped(state.clamp_v, bounded(v + shift_v));
  const Number mapped = look_up(tables.color_map, function(state.color_function, u, v));
  const Levels level = levels(state, values, quad);
  std::array<std::int32_t, 4> color = color_at(state, values, tables, level.first, mapped);
  if (state.filter >= 4) {
    const auto next = color_at(state, values, tables, std::min(level.first + 1, 7), mapped);
    for (std::size_t n = 0; n < 4; ++n) {
      // Channels are limited at the end.
      color[n] = integer(static_cast<float>(color[n]) +
                         Number(static_cast<float>(next[n] - color[n])) * level.weight);
    }
  }
  if (state.separate_alpha)
    color[3] = integer(255.0f * look_up(tables.alpha_map, function(state.alpha_function, u, v)));
  Bytes4 result{};
  for (std::size_t n = 0; n < 4; ++n) result[n] = static_cast<std::uint8_t>(std::clamp(color[n], 0, 255));
  return result;
}

}  // namespace warpjit::pica200::fragment
