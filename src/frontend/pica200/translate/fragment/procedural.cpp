#include "frontend/pica200/translate/fragment/procedural.h"

namespace warpjit::pica200 {

namespace {

constexpr std::array<std::uint8_t, 16> kOfOne = {0, 4, 10, 8, 4, 9, 7, 12, 5, 15, 13, 14, 11, 15, 2, 11};
constexpr std::array<std::uint8_t, 16> kOfTwo = {10, 2, 15, 8, 0, 7, 4, 5, 5, 13, 2, 6, 13, 9, 3, 14};

}  // namespace

// A NaN, what is negative or too large counts as 0.
F32 ProceduralSteps::bounded(F32 x) {
  return b_.select(b_.And1(b_.FGe32(x, real(0)), b_.FLt32(x, real(0x1p30f))), x, real(0));
}

F32 ProceduralSteps::look_up(std::size_t map, F32 f) {
  const F32 t = mul(f, real(128));
  const I32 i = b_.IMinS32(integer(t), word(127));
  const auto [value, difference] =
      b_.LoadTexelPair(plus(left(i, 3), word(static_cast<std::uint32_t>(map))), memory_);
  return add(as_real(value), mul(sub(t, number(i)), as_real(difference)));
}

F32 ProceduralSteps::shift(std::uint8_t code, std::uint8_t clamp, F32 other) {
  constexpr std::uint8_t kMirrored = 3;
  if (code == 0) return real(0);
  const I32 whole = plus(integer(other), word(code == 2 ? 1 : 0));
  return mul(real(clamp == kMirrored ? 1.0f : 0.5f), number(field(whole, 1, 1)));
}

F32 ProceduralSteps::clamped_to(std::uint8_t code, F32 x) {
  switch (code) {
    case 0:
      return b_.select(b_.FGt32(x, real(1)), real(0), x);
    case 1:
      return least(x, real(1));
    case 2:
      return sub(x, floor(x));
    case 3: {
      const F32 whole = floor(x), fraction = sub(x, whole);
      const I1 even = b_.IEq32(both(integer(whole), word(1)), word(0));
      return b_.select(even, fraction, sub(real(1), fraction));
    }
    default:
      return b_.select(b_.FGt32(x, real(0.5f)), real(1), real(0));
  }
}

F32 ProceduralSteps::function(std::uint8_t code, F32 u, F32 v) {
  const auto squares = [&] { return add(mul(u, u), mul(v, v)); };
  switch (code) {
    case 0:
      return u;
    case 1:
      return mul(u, u);
    case 2:
      return v;
    case 3:
      return mul(v, v);
    case 4:
      return mul(add(u, v), real(0.5f));
    case 5:
      return mul(squares(), real(0.5f));
    case 6:
      return least(root(squares()), real(1));
    case 7:
      return least(u, v);
    case 8:
      return greatest(u, v);
    default:
      return least(mul(add(mul(add(u, v), real(0.5f)), root(squares())), real(0.5f)), real(1));
  }
}

// ---- Noise

// Entry index & 15 of a table of numbers of 4 bits.
I32 ProceduralSteps::nibble(const std::array<std::uint8_t, 16>& table, I32 index) {
  const auto half_of = [&](unsigned first) {
    std::uint32_t packed = 0;
    for (unsigned n = 0; n < 8; ++n) packed |= std::uint32_t{table[first + n]} << 4 * n;
    return word(packed);
  };
  const I32 half = b_.select(b_.INe32(both(index, word(8)), word(0)), half_of(8), half_of(0));
  return both(b_.IShrU32(half, left(both(index, word(7)), 2)), word(15));
}

// Of 0 to 2^30 + 1.
I32 ProceduralSteps::random(I32 v) {
  // 64 leaves 1 when it is divided by 9: digits of six bits leave together what v does.
  I32 digits = both(v, word(63));
  for (unsigned n = 1; n < 6; ++n) digits = plus(digits, n == 5 ? right(v, 30) : field(v, 6 * n, 6));
  digits = plus(right(digits, 6), both(digits, word(63)));  // at most 68
  const I32 rest = minus(digits, times(right(times(digits, word(57)), 9), word(9)));
  constexpr std::uint32_t kInverseOf9 = 0x38e38e39;  // modulo 2^32: of what 9 divides
  const I32 ninth = times(minus(v, rest), word(kInverseOf9));
  const I32 mixed = both(times(plus(rest, word(2)), word(3)), word(15));
  return b_.IXor32(mixed, nibble(kOfOne, ninth));
}

F32 ProceduralSteps::random(I32 x, I32 y) {
  const I32 a = random(x);
  I32 b = random(y);
  b = plus(b, b_.select(b_.IEq32(both(a, word(3)), word(1)), word(4), word(0)));
  b = b_.IXor32(b, times(both(a, word(1)), word(6)));
  b = both(plus(plus(b, word(10)), a), word(15));
  b = b_.IXor32(b, nibble(kOfTwo, a));
  return add(real(-1), div(mul(number(b), real(2)), real(15)));
}

F32 ProceduralSteps::noise(F32 u, F32 v) {
  const auto place = [&](F32 coordinate, std::size_t axis) {
    const F32 frequency = procedural_real(offsetof(ProceduralWords, frequencies) + 4 * axis);
    const F32 phase = procedural_real(offsetof(ProceduralWords, phases) + 4 * axis);
    return bounded(mul(mul(real(9), frequency), abs(add(coordinate, phase))));
  };
  const F32 x = place(u, 0), y = place(v, 1);
  const I32 xi = integer(x), yi = integer(y), next_x = plus(xi, word(1)), next_y = plus(yi, word(1));
  const F32 fx = sub(x, number(xi)), fy = sub(y, number(yi)), both_f = add(fx, fy);
  const F32 g00 = mul(random(xi, yi), both_f);
  const F32 g10 = mul(random(next_x, yi), sub(both_f, real(1)));
  const F32 g01 = mul(random(xi, next_y), sub(both_f, real(1)));
  const F32 g11 = mul(random(next_x, next_y), sub(both_f, real(2)));
  const F32 wx = look_up(offsetof(TableMemory, noise), fx), wy = look_up(offsetof(TableMemory, noise), fy);
  const F32 low = add(g00, mul(sub(g10, g00), wx)), high = add(g01, mul(sub(g11, g01), wx));
  return add(low, mul(sub(high, low), wy));
}

// ---- The colour table

ProceduralSteps::Levels ProceduralSteps::levels(F32 u, F32 v) {
  if (state_.filter < 2) return {word(0), real(0)};
  F32 lod = real(0);
  if (state_.biased) {
    const auto step = [&](F32 coordinate) {
      const auto lane = [&](std::uint64_t n) {
        return as_real(b_.QuadSwizzle32(as_word(coordinate), n * 0b01'01'01'01u));
      };
      return greatest(abs(sub(lane(1), lane(0))), abs(sub(lane(2), lane(0))));
    };
    const F32 scale = procedural_real(offsetof(ProceduralWords, scale));
    lod = b_.Log2F32(mul(scale, add(step(u), step(v))));
  }
  const F32 low = procedural_real(offsetof(ProceduralWords, least));
  lod = b_.FMaxSelect32(lod, low);
  lod = least(lod, procedural_real(offsetof(ProceduralWords, greatest)));
  if (state_.filter < 4) return {integer(floor(add(lod, real(0.5f)))), real(0)};
  const I32 whole = integer(lod);
  return {whole, sub(lod, number(whole))};
}

Color ProceduralSteps::color_at(I32 level, F32 mapped) {
  const I32 offset = b_.LookUpUniform32(level, WARPJIT_FRAGMENT_WORD(procedural.offsets));
  const I32 width = b_.IShrU32(uniform_word(WARPJIT_FRAGMENT_WORD(procedural.width)), level);
  const F32 x = add(number(offset), mul(mapped, number(minus(width, word(1)))));
  const bool linear = (state_.filter & 1) != 0;
  const I32 i = integer(linear ? x : floor(add(x, real(0.5f))));
  const I32 place = plus(left(both(i, word(255)), 3), word(offsetof(TableMemory, colors)));
  const auto [color, difference] = b_.LoadTexelPair(place, memory_);
  Color result = bytes_of(color);
  if (!linear) return result;
  const F32 fraction = sub(x, number(i));
  for (unsigned n = 0; n < 4; ++n) {
    const I32 change = b_.IShrS32(left(difference, 24 - 8 * n), word(24));
    result[n] = integer(add(number(result[n]), mul(fraction, number(left(change, 1)))));
  }
  return result;
}

Color ProceduralSteps::sample(F32 given_u, F32 given_v) {
  F32 u = bounded(abs(given_u)), v = bounded(abs(given_v));
  const F32 shift_u = shift(state_.shift_u, state_.clamp_u, v),
            shift_v = shift(state_.shift_v, state_.clamp_v, u);
  if (state_.noise) {
    const F32 n = noise(u, v);
    const auto moved = [&](F32 coordinate, std::size_t axis) {
      const F32 amplitude = procedural_real(offsetof(ProceduralWords, amplitudes) + 4 * axis);
      return abs(add(coordinate, div(mul(n, amplitude), real(4095))));
    };
    u = moved(u, 0);
    v = moved(v, 1);
  }
  u = clamped_to(state_.clamp_u, bounded(add(u, shift_u)));
  v = clamped_to(state_.clamp_v, bounded(add(v, shift_v)));
  const F32 mapped = look_up(offsetof(TableMemory, color_map), function(state_.color_function, u, v));
  const Levels level = levels(given_u, given_v);
  Color color = color_at(level.first, mapped);
  if (state_.filter >= 4) {
    const Color next = color_at(b_.IMinS32(plus(level.first, word(1)), word(7)), mapped);
    for (std::size_t n = 0; n < 4; ++n)
      color[n] = integer(add(number(color[n]), mul(number(minus(next[n], color[n])), level.weight)));
  }
  if (state_.separate_alpha) {
    const F32 f = look_up(offsetof(TableMemory, alpha_map), function(state_.alpha_function, u, v));
    color[3] = integer(mul(real(255), f));
  }
  for (I32& component : color) component = byte(component);
  return color;
}

}  // namespace warpjit::pica200
