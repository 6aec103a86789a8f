#include "frontend/pica200/translate/fragment/texture.h"

#include "base/stop_reason.h"
#include "ir/look_up.h"

namespace warpjit::pica200 {

namespace {

constexpr std::uint8_t kEdge = 0, kBorder = 1, kRepeat = 2, kMirror = 3, kRepeatThenEdge = 4,
                       kRepeatThenBorder = 5, kRepeats = 6;

}  // namespace

TextureSteps::TextureSteps(ir::Builder& b, const TextureState& state, unsigned unit, std::uint32_t memory)
    : FragmentSteps(b),
      state_(state),
      unit_(unit),
      base_(WARPJIT_FRAGMENT_WORD(textures) + unit * static_cast<std::uint32_t>(sizeof(TextureWords))),
      memory_(memory) {}

Color TextureSteps::sample(F32 u, F32 v, F32 w, I1 live) {
  const Color nothing = {word(0), word(0), word(0), word(255)};
  if (state_.absent) return nothing;
  const Place at = place(u, v, w);
  Color color = state_.compares() ? compared(at) : filtered(at, live);
  if (!state_.is_cube()) return color;
  const I1 there = b_.INe32(
      both(b_.IShrU32(texture_word(offsetof(TextureWords, faces_there)), at.face), word(1)), word(0));
  for (std::size_t n = 0; n < 4; ++n) color[n] = b_.select(there, color[n], nothing[n]);
  return color;
}

// ---- Places

TextureSteps::Place TextureSteps::place(F32 u, F32 v, F32 w) {
  if (state_.is_cube()) return cube_place(u, v, w);
  Place at{u, v, real(0), word(0)};
  if (state_.compares()) at.reference = abs(w);
  if (!state_.divides) return at;
  const I1 divides = b_.FNe32(w, real(0));
  at.u = b_.select(divides, div(u, w), real(0));
  at.v = b_.select(divides, div(v, w), real(0));
  return at;
}

TextureSteps::Place TextureSteps::cube_place(F32 x, F32 y, F32 z) {
  const F32 ax = abs(x), ay = abs(y), az = abs(z);
  const I1 along_x = b_.And1(b_.FGt32(ax, ay), b_.FGt32(ax, az)), along_y = b_.FGt32(ay, az);
  const auto chosen = [&](auto of_x, auto of_y, auto of_z) {
    return b_.select(along_x, of_x, b_.select(along_y, of_y, of_z));
  };
  const auto positive = [&](F32 value) { return b_.FGt32(value, real(0)); };
  const auto minus = [&](F32 value) { return b_.FNeg32(value); };
  const F32 s = chosen(b_.select(positive(x), minus(z), z), x, b_.select(positive(z), x, minus(x)));
  const F32 t = chosen(minus(y), b_.select(positive(y), z, minus(z)), minus(y));
  const F32 a = chosen(ax, ay, az);
  const auto face = [&](F32 value, std::uint32_t first) {
    return b_.select(positive(value), word(first), word(first + 1));
  };
  const auto coordinate = [&](F32 value) { return add(mul(div(value, a), real(0.5f)), real(0.5f)); };
  return {coordinate(s), coordinate(t), a, chosen(face(x, 0), face(y, 2), face(z, 4))};
}

// ---- Levels of detail

// What pixel `lane` of the quad has.
I32 TextureSteps::quad_neighbour(I32 x, unsigned lane) { return b_.QuadSwizzle32(x, lane * 0b01'01'01'01u); }

I32 TextureSteps::detail(const Place& place) {
  constexpr std::uint32_t kInfinity = 0x7f800000, kNever = 1u << 20;
  I32 most = word(0);
  const auto measure = [&](F32 coordinate, std::size_t log_size) {
    const F32 size = number(b_.IShl32(word(1), texture_word(log_size)));
    const I32 bits = as_word(coordinate);
    const F32 first = as_real(quad_neighbour(bits, 0));
    for (const unsigned lane : {1u, 2u}) {
      const F32 d = mul(sub(as_real(quad_neighbour(bits, lane)), first), size);
      const F32 square = mul(d, d);
      most = b_.IMaxU32(most, b_.select(b_.FUnordered32(square, square), word(kInfinity), as_word(square)));
    }
  };
  measure(place.u, offsetof(TextureWords, log_width));
  measure(place.v, offsetof(TextureWords, log_height));
  const I32 exponent = right(most, 23), step = field(most, 15, 8);
  const I32 eight = b_.LookUp32(right(step, 3), ir::kLogarithmTable);
  const I32 more = both(b_.IShrU32(eight, left(both(step, word(7)), 2)), word(15));
  I32 detail = plus(plus(left(minus(exponent, word(127)), 7), right(step, 1)), more);
  detail = b_.select(b_.IEq32(exponent, word(0)), word(0u - kNever), detail);
  detail = b_.select(b_.IEq32(exponent, word(255)), word(kNever), detail);
  return plus(detail, texture_word(offsetof(TextureWords, bias)));
}

TextureSteps::Level TextureSteps::level(I32 number, I32 face) {
  Level result;
  result.log_width = minus(texture_word(offsetof(TextureWords, log_width)), number);
  result.width = b_.IShl32(word(1), result.log_width);
  result.height = b_.IShl32(word(1), minus(texture_word(offsetof(TextureWords, log_height)), number));
  result.offset = plus(texture_word_at(offsetof(TextureWords, levels), number),
                       texture_word_at(offsetof(TextureWords, faces), face));
  return result;
}

// ---- Filters

F32 TextureSteps::position(std::uint8_t mode, F32 u, I32 size) {
  F32 x = number_or_zero(u);
  const bool repeats = mode == kRepeat || mode >= kRepeats;
  if (repeats || mode == kMirror) {
    const F32 whole = repeats ? floor(x) : mul(real(2), floor(mul(x, real(0.5f))));
    x = b_.select(b_.FLt32(abs(x), real(0x1p24f)), sub(x, whole), real(0));
  }
  return clamped(mul(x, number(size)), -65536.0f, 65536.0f);
}

TextureSteps::Axis TextureSteps::axis(F32 position, bool linear) {
  if (!linear) return {integer(floor(position)), word(0)};
  const I32 fine = minus(integer(b_.FRoundEven32(mul(position, real(256)))), word(128));
  return {b_.IShrS32(fine, word(8)), both(fine, word(255))};
}

I32 TextureSteps::wrap(std::uint8_t mode, I32 index, I32 size, std::optional<I1>& outside) {
  const I32 last = minus(size, word(1)), repeated = both(index, last);
  const I1 negative = b_.ILtS32(index, word(0)), beyond = b_.ILtS32(last, index);
  switch (mode) {
    case kEdge:
      return b_.IMinS32(b_.IMaxS32(index, word(0)), last);
    case kBorder:
      outside = b_.Or1(negative, beyond);
      return repeated;
    case kMirror:
      return b_.select(b_.IEq32(both(index, size), word(0)), repeated,
                       both(b_.IXor32(index, word(~0u)), last));
    case kRepeatThenEdge:
      return b_.select(negative, repeated, b_.IMinS32(index, last));
    case kRepeatThenBorder:
      outside = beyond;
      return repeated;
    default:
      return repeated;
  }
}

// Numbers of texels: tiles of 8 x 8 row by row, in them bits of column and row in turns.
I32 TextureSteps::column_part(I32 column) {
  const I32 in_tile = b_.LookUp32(both(column, word(7)), ir::kTileColumnTable);
  return either(left(b_.IAnd32(column, word(~7u)), 3), in_tile);
}
I32 TextureSteps::row_part(I32 row, const Level& level) {
  const I32 down = minus(minus(level.height, word(1)), row);
  const I32 in_tile = left(b_.LookUp32(both(down, word(7)), ir::kTileColumnTable), 1);
  return plus(b_.IShl32(both(down, word(~7u)), level.log_width), in_tile);
}

// Times 65536. `linear`: whether the filter is; none: it is, or is not, in all lanes.
Color TextureSteps::sums(const Place& place, const Level& level, std::optional<I1> linear) {
  const bool both_linear = state_.magnify_linear && state_.minify_linear;
  const bool any_linear = state_.magnify_linear || state_.minify_linear;
  std::array<Line, 2> lines;
  std::array<I32, 2> weights;
  const auto make_line = [&](std::uint8_t mode, F32 coordinate, I32 size, bool is_row) {
    Line line;
    const F32 at = position(mode, coordinate, size);
    Axis taken = axis(at, any_linear);
    if (any_linear && !both_linear) {
      const Axis nearest = axis(at, false);
      taken = {b_.select(*linear, taken.first, nearest.first), b_.select(*linear, taken.weight, word(0))};
    }
    for (std::size_t k = 0; k < (any_linear ? 2 : 1); ++k) {
      const I32 index = k == 0 ? taken.first : plus(taken.first, word(1));
      const I32 wrapped = wrap(mode, index, size, line.outside[k]);
      line.part[k] = is_row ? row_part(wrapped, level) : column_part(wrapped);
    }
    weights[is_row ? 1 : 0] = taken.weight;
    lines[is_row ? 1 : 0] = line;
  };
  make_line(state_.wrap_s, place.u, level.width, false);
  make_line(state_.wrap_t, place.v, level.height, true);

  const auto tap = [&](std::size_t dx, std::size_t dy) {
    Color color = texel(plus(lines[0].part[dx], lines[1].part[dy]), level);
    std::optional<I1> outside = lines[0].outside[dx];
    if (lines[1].outside[dy])
      outside = outside ? b_.Or1(*outside, *lines[1].outside[dy]) : lines[1].outside[dy];
    if (!outside) return color;
    const Color border = bytes_of(texture_word(offsetof(TextureWords, border)));
    for (std::size_t n = 0; n < 4; ++n) color[n] = b_.select(*outside, border[n], color[n]);
    return color;
  };
  Color result;
  if (!any_linear) {
    const Color only = tap(0, 0);
    for (std::size_t n = 0; n < 4; ++n) result[n] = left(only[n], 16);
    return result;
  }
  const std::array<Color, 4> taps = {tap(0, 0), tap(1, 0), tap(0, 1), tap(1, 1)};
  for (std::size_t n = 0; n < 4; ++n) {
    // 256 a + (b - a) w, along both axes.
    const auto mixed = [&](I32 a, I32 b, I32 weight) { return plus(left(a, 8), times(minus(b, a), weight)); };
    const I32 upper = mixed(taps[0][n], taps[1][n], weights[0]),
              lower = mixed(taps[2][n], taps[3][n], weights[0]);
    result[n] = mixed(upper, lower, weights[1]);
  }
  return result;
}

// The run stops where a live lane samples a level that is too small.
I32 TextureSteps::existing_level(I32 number, I1 live) {
  if (!state_.lacks_levels) return number;
  constexpr std::array<std::uint32_t, 3> kAddressIds = {0x085, 0x095, 0x09D};
  const I32 last = texture_word(offsetof(TextureWords, last_level));
  const std::uint32_t before = b_.guest_address();
  b_.set_guest_address(kAddressIds[unit_]);
  b_.Stop(b_.And1(live, b_.ILtS32(last, number)), static_cast<std::uint64_t>(StopReason::missing_level));
  b_.set_guest_address(before);
  return b_.IMinS32(number, last);
}

Color TextureSteps::filtered(const Place& place, I1 live) {
  const I32 greatest = texture_word(offsetof(TextureWords, greatest));
  std::optional<I1> linear, magnified;
  I32 lod = word(0);
  if (state_.needs_detail()) {
    lod = detail(place);
    magnified = b_.ILeS32(lod, word(0));
    if (state_.magnify_linear != state_.minify_linear)
      linear = state_.magnify_linear ? *magnified : b_.Not1(*magnified);
  }
  Color result;
  if (state_.one_level) {
    const Color only = sums(place, level(b_.IShrS32(greatest, word(8)), place.face), linear);
    for (std::size_t n = 0; n < 4; ++n) result[n] = right(plus(only[n], word(32768)), 16);
    return result;
  }
  lod = b_.IMinS32(b_.IMaxS32(lod, texture_word(offsetof(TextureWords, least))), greatest);
  const I32 down = b_.IShrS32(lod, word(8));
  if (!state_.mip_linear) {
    const I32 rounded = b_.IShrS32(plus(lod, word(127)), word(8));
    const Color only =
        sums(place, level(existing_level(b_.select(*magnified, down, rounded), live), place.face), linear);
    for (std::size_t n = 0; n < 4; ++n) result[n] = right(plus(only[n], word(32768)), 16);
    return result;
  }
  const I32 weight = b_.select(*magnified, word(0), both(lod, word(255)));
  // The next level does not count where it has no weight.
  const I32 next = b_.select(b_.IEq32(weight, word(0)), down, plus(down, word(1)));
  const Color first = sums(place, level(existing_level(down, live), place.face), linear),
              second = sums(place, level(existing_level(next, live), place.face), linear);
  for (std::size_t n = 0; n < 4; ++n) {
    const I32 mixed = plus(times(first[n], minus(word(256), weight)), times(second[n], weight));
    result[n] = right(plus(mixed, word(1u << 23)), 24);
  }
  return result;
}

// ---- Shadow maps

Color TextureSteps::compared(const Place& place) {
  const Level only = level(word(0), place.face);
  const F32 reference = limited(place.reference, 0.0f, 1.0f);
  const I32 whole = integer(mul(reference, real(16777215.0f)));
  const I32 bound = b_.IMaxS32(minus(whole, texture_word(offsetof(TextureWords, shadow_bias))), word(0));
  const std::uint8_t mode = state_.is_cube() ? kEdge : kBorder;
  const Axis s = axis(position(mode, place.u, only.width), true),
             t = axis(position(mode, place.v, only.height), true);
  I32 sum = word(0);
  for (unsigned n = 0; n < 4; ++n) {
    const bool second_x = (n & 1) != 0, second_y = n >> 1 != 0;
    const auto index = [&](const Axis& axis, bool second) {
      return second ? plus(axis.first, word(1)) : axis.first;
    };
    const auto share = [&](const Axis& axis, bool second) {
      return second ? axis.weight : minus(word(256), axis.weight);
    };
    std::optional<I1> out_x, out_y;
    const I32 column = wrap(mode, index(s, second_x), only.width, out_x);
    const I32 row = wrap(mode, index(t, second_y), only.height, out_y);
    const I32 at = plus(column_part(column), row_part(row, only));
    const I32 packed = load(plus(left(at, 2), only.offset));
    // Bytes from the lowest on: the depth, its highest byte first, and the intensity.
    const I32 depth =
        either(either(left(both(packed, word(255)), 16), both(packed, word(0xff00))), field(packed, 16, 8));
    I32 lit = b_.select(b_.ILeS32(bound, depth), right(packed, 24), word(0));
    if (out_x) lit = b_.select(b_.Or1(*out_x, *out_y), word(255), lit);
    sum = plus(sum, times(times(share(s, second_x), share(t, second_y)), lit));
  }
  const I32 result = right(plus(sum, word(32768)), 16);
  return {result, result, result, result};
}

// ---- Texels

Color TextureSteps::texel(I32 number, const Level& level) {
  const auto at = [&](I32 offset) { return plus(offset, level.offset); };
  const auto widened = [&](I32 value, unsigned bits) {
    return bits == 4 ? either(left(value, 4), value)
                     : either(left(value, 8 - bits), right(value, 2 * bits - 8));
  };
  const auto part = [&](I32 packed, unsigned low, unsigned bits) {
    return widened(field(packed, low, bits), bits);
  };
  const I32 zero = word(0), full = word(255);
  switch (state_.format) {
    case TexelFormat::rgba8: {
      const I32 packed = load(at(left(number, 2)));
      return {right(packed, 24), field(packed, 16, 8), field(packed, 8, 8), both(packed, full)};
    }
    case TexelFormat::rgb8: {
      const I32 packed = load(at(plus(left(number, 1), number)));
      return {field(packed, 16, 8), field(packed, 8, 8), both(packed, full), full};
    }
    case TexelFormat::etc1:
    case TexelFormat::etc1a4:
      return block_texel(number, level);
    default:
      break;
  }
  const unsigned bits = texel_bits(state_.format);
  const I32 packed = load(at(bits == 16 ? left(number, 1) : bits == 8 ? number : right(number, 1)));
  switch (state_.format) {
    case TexelFormat::rgb5a1:
      return {part(packed, 11, 5), part(packed, 6, 5), part(packed, 1, 5),
              both(minus(zero, both(packed, word(1))), full)};
    case TexelFormat::rgb565:
      return {part(packed, 11, 5), part(packed, 5, 6), part(packed, 0, 5), full};
    case TexelFormat::rgba4:
      return {part(packed, 12, 4), part(packed, 8, 4), part(packed, 4, 4), part(packed, 0, 4)};
    case TexelFormat::ia8: {
      const I32 grey = field(packed, 8, 8);
      return {grey, grey, grey, both(packed, full)};
    }
    case TexelFormat::rg8:
      return {field(packed, 8, 8), both(packed, full), zero, full};
    case TexelFormat::i8: {
      const I32 grey = both(packed, full);
      return {grey, grey, grey, full};
    }
    case TexelFormat::a8:
      return {zero, zero, zero, both(packed, full)};
    case TexelFormat::ia4: {
      const I32 grey = part(packed, 4, 4);
      return {grey, grey, grey, part(packed, 0, 4)};
    }
    default:
      break;
  }
  // Texels of four bits, the first one of two in the lower ones.
  const I32 value = widened(both(b_.IShrU32(packed, left(both(number, word(1)), 2)), word(15)), 4);
  if (state_.format == TexelFormat::i4) return {value, value, value, full};
  return {zero, zero, zero, value};
}

// ETC1: blocks of 4 x 4 texels, four of them in a tile, whose bits of column and row stand in turns, too.
Color TextureSteps::block_texel(I32 number, const Level& level) {
  const bool alpha = state_.format == TexelFormat::etc1a4;
  const I32 block = right(number, 4);
  const auto bit = [&](I32 from, unsigned place) { return field(from, place, 1); };
  const I32 x = either(bit(number, 0), left(bit(number, 2), 1)),
            y = either(bit(number, 1), left(bit(number, 3), 1));
  const I32 begin = plus(left(block, alpha ? 4 : 3), level.offset);
  const auto [low, high] = b_.LoadTexelPair(alpha ? plus(begin, word(8)) : begin, memory_);
  const I32 texel = either(left(x, 2), y);
  const I1 flipped = b_.INe32(bit(high, 0), word(0)), differential = b_.INe32(bit(high, 1), word(0));
  const I1 second = b_.INe32(right(b_.select(flipped, y, x), 1), word(0));
  const I32 table = b_.select(second, field(high, 2, 3), field(high, 5, 3));
  const I32 index = either(left(table, 1), both(b_.IShrU32(low, texel), word(1)));
  const I32 magnitude = b_.LookUpUniform32(index, WARPJIT_FRAGMENT_WORD(etc_modifiers));
  const I1 negative = b_.INe32(both(b_.IShrU32(low, plus(texel, word(16))), word(1)), word(0));
  const I32 modifier = b_.select(negative, minus(word(0), magnitude), magnitude);
  Color color;
  for (unsigned n = 0; n < 3; ++n) {
    const unsigned place = 24 - 8 * n;
    const I32 difference = b_.IShrS32(left(high, 29 - place), word(29));
    I32 five = plus(field(high, place + 3, 5), b_.select(second, difference, word(0)));
    five = both(five, word(31));
    const I32 four = b_.select(second, field(high, place, 4), field(high, place + 4, 4));
    const I32 base =
        b_.select(differential, either(left(five, 3), right(five, 2)), either(left(four, 4), four));
    color[n] = byte(plus(base, modifier));
  }
  color[3] = word(255);
  if (!alpha) return color;
  const auto [first, last] = b_.LoadTexelPair(begin, memory_);
  const I32 half = b_.select(b_.INe32(right(x, 1), word(0)), last, first);
  const I32 four = both(b_.IShrU32(half, left(either(left(both(x, word(1)), 2), y), 2)), word(15));
  color[3] = either(left(four, 4), four);
  return color;
}

}  // namespace warpjit::pica200
