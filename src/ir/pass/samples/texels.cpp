// Where texels are, and what their bits say.
#include "ir/look_up.h"
#include "ir/pass/samples/expansion.h"

namespace warpjit::ir::samples {
namespace {

constexpr std::uint32_t kTileBits = 4;  // log2 of the side of a tile of u_interleaved

// 2^n.
float power(int n) { return std::bit_cast<float>(static_cast<std::uint32_t>(127 + n) << 23); }

}  // namespace

// ---- addresses

// The bits of x, of which there are `count` at most, with room for one between each two.
I32 Texels::spread_bits(I32 x, unsigned count) {
  constexpr std::uint32_t kMasks[] = {0x00ff00ff, 0x0f0f0f0f, 0x33333333, 0x55555555};
  for (unsigned k = 0; k < 4; ++k) {
    const std::uint32_t step = 8U >> k;
    if (count > step) x = b_.IAnd32(b_.IOr32(x, b_.IShl32(x, word(step))), word(kMasks[k]));
  }
  return x;
}

Texels::Part Texels::part(unsigned axis, const Level& level, I32 index) {
  const std::uint32_t bytes = key_.format.bytes;
  const auto shift_at = [&](std::uint32_t bit) {
    return b_.IAnd32(b_.IShrU32(level.shifts, word(bit)), word(255));
  };
  const auto low_bits = [&](I32 x, I32 count) {
    return b_.IAnd32(x, b_.ISub32(b_.IShl32(word(1), count), word(1)));
  };
  if (axis == 2 && key_.layout != TextureLayout::block_linear)
    return {b_.IMul32(index, level.slice_bytes), {}};
  switch (key_.layout) {
    case TextureLayout::linear:
      return {axis == 0 ? times(index, bytes) : b_.IMul32(index, level.row_bytes), {}};
    case TextureLayout::block_linear: {
      const I32 height = shift_at(0);
      const bool deep = key_.dimension == TextureDimension::d3;
      const I32 depth = deep ? shift_at(8) : word(0);
      if (axis == 0) {
        const I32 at = times(index, bytes);
        const I32 block = b_.IAdd32(b_.IAdd32(height, depth), word(8));
        return {b_.IAdd32(b_.IShl32(b_.IShrU32(at, word(6)), block), b_.IAnd32(at, word(63))), {}};
      }
      if (axis == 1) {
        const I32 rows = b_.IAdd32(height, word(2));
        const I32 block = b_.IMul32(b_.IShrU32(index, rows), level.row_bytes);
        return {b_.IAdd32(block, b_.IShl32(low_bits(index, rows), word(6))), {}};
      }
      const I32 block = b_.IMul32(b_.IShrU32(index, depth), level.slice_bytes);
      const I32 inside = b_.IShl32(low_bits(index, depth), b_.IAdd32(height, word(8)));
      return {b_.IAdd32(block, inside), {}};
    }
    case TextureLayout::u_interleaved: {
      const I32 tile = b_.IShrU32(index, word(kTileBits));
      if (axis == 0)
        return {times(b_.IShl32(tile, word(2 * kTileBits)), bytes), b_.LookUp32(index, kTileColumnTable)};
      return {b_.IMul32(tile, level.row_bytes), b_.LookUp32(index, kTileRowTable)};
    }
    case TextureLayout::morton: {
      const I32 square = shift_at(16);
      const I32 inside = spread_bits(low_bits(index, square), 14);
      const I32 beyond = b_.IShl32(b_.IShrU32(index, square), b_.IShl32(square, word(1)));
      return {times(b_.IAdd32(axis == 0 ? b_.IShl32(inside, word(1)) : inside, beyond), bytes), {}};
    }
  }
  return {};
}

I32 Texels::offset(const Part& x, const Part& y) {
  const I32 sum = b_.IAdd32(x.sum, y.sum);
  return x.mixed && y.mixed ? b_.IAdd32(sum, times(b_.IXor32(*x.mixed, *y.mixed), key_.format.bytes)) : sum;
}

// ---- bits

// An element of 1 or 2 bytes: it is cut out of the aligned word it is in.
I32 Texels::element(const Texel& texel, std::uint32_t byte) {
  const I32 at = byte == 0 ? texel.offset : b_.IAdd32(texel.offset, word(byte));
  const I32 loaded = b_.LoadTexel(b_.IAnd32(at, word(~3U)), number_);
  return b_.IShrU32(loaded, b_.IShl32(b_.IAnd32(at, word(3)), word(3)));
}

// A word of a texel of whole words. Two that are wanted are loaded together.
I32 Texels::load(Texel& texel, unsigned number) {
  if (texel.words[number].valid()) return texel.words[number];
  const unsigned other = number ^ 1;
  const unsigned first = number & ~1U;
  const auto wanted = [&](unsigned n) {
    for (unsigned c = 0; c < 4; ++c)
      if ((wanted_ >> c & 1) != 0 && key_.format.components[c].type != TexelType::none) {
        if (key_.format.components[c].first_bit / 32 == n) return true;
        if (key_.format.components[c].type == TexelType::shared_exponent && n == 0) return true;
      }
    return false;
  };
  const auto at = [&](unsigned n) { return n == 0 ? texel.offset : b_.IAdd32(texel.offset, word(4 * n)); };
  if (other * 4 < key_.format.bytes && wanted(other)) {
    const auto pair = b_.LoadTexelPair(at(first), number_);
    texel.words[first] = pair[0];
    texel.words[first + 1] = pair[1];
  } else {
    texel.words[number] = b_.LoadTexel(at(number), number_);
  }
  return texel.words[number];
}

I32 Texels::field(Texel& texel, unsigned first_bit, unsigned bits, bool is_signed) {
  const std::uint32_t bytes = key_.format.bytes;
  I32 raw;
  unsigned from = 0, most = 32;  // bits of `raw`
  if (bytes % 4 == 0) {
    raw = load(texel, first_bit / 32);
    from = first_bit % 32;
  } else {
    // Elements of 2 bytes where the size allows.
    const std::uint32_t size = bytes % 2 == 0 ? 2 : 1, byte = first_bit / 8 / size * size;
    I32& word_there = texel.words[byte / size % 4];
    if (!word_there.valid()) word_there = element(texel, byte);
    raw = word_there;
    from = first_bit - 8 * byte;
  }
  if (is_signed) {
    if (from + bits < most) raw = b_.IShl32(raw, word(32 - from - bits));
    return bits < 32 ? b_.IShrS32(raw, word(32 - bits)) : raw;
  }
  if (from != 0) raw = b_.IShrU32(raw, word(from));
  return from + bits < 32 || bytes % 4 != 0 ? b_.IAnd32(raw, word((1U << bits) - 1)) : raw;
}

I32 Texels::bits(Texel& texel, unsigned component) {
  const TexelComponent& c = key_.format.components[component];
  const bool is_signed =
      c.type == TexelType::sint || c.type == TexelType::snorm || c.type == TexelType::sscaled;
  const I32 value = field(texel, c.first_bit, c.bits, is_signed);
  if (c.type != TexelType::snorm) return value;
  return b_.IMaxS32(value, word(0U - ((1U << (c.bits - 1)) - 1)));  // the lowest counts as the next one
}

bool Texels::is_packed() const {
  if (key_.format.bytes != 4) return false;
  for (const TexelComponent& c : key_.format.components)
    if (c.type != TexelType::unorm || c.bits != 8 || c.first_bit % 8 != 0) return false;
  return true;
}

I32 Texels::missing(unsigned component) {
  if (component != 3) return word(0);
  return is_integer(0) ? word(1) : as_word(real(1));
}

// x / divisor, rounded to nearest: from a product that is near enough, by its error.
F32 Texels::quotient(F32 x, std::uint32_t divisor) {
  const float by = 1.0F / static_cast<float>(divisor);
  if (divisor == (1U << 24) - 1) {
    // x 2^-24 (1 + 2^-24 + ...) is nearest to what follows x 2^-24.
    const I32 next = b_.ISub32(as_word(x), word((24U << 23) - 1));
    return b_.select(b_.IEq32(as_word(x), word(0)), real(0), as_float(next));
  }
  const F32 near = mul(x, real(by));
  const F32 error = fma(near, real(-static_cast<float>(divisor)), x);
  return fma(error, real(by), near);
}

// Exponents of 5 bits; exact. NaN is 0x7fffffff.
I32 Texels::small_float(I32 value, unsigned fraction_bits, bool is_signed) {
  const std::uint32_t up = 23 - fraction_bits, greatest = 31U << fraction_bits;
  const I32 magnitude = is_signed ? b_.IAnd32(value, word(0x7fff)) : value;
  const I32 shifted = b_.IShl32(magnitude, word(up));
  I32 made = b_.IAdd32(shifted, word(112U << 23));
  made = b_.select(b_.ILeU32(word(greatest), magnitude), word(0x7f800000), made);
  const F32 tiny = mul(b_.I32ToF32(magnitude), real(power(-14 - static_cast<int>(fraction_bits))));
  made = b_.select(b_.ILtU32(magnitude, word(1U << fraction_bits)), as_word(tiny), made);
  if (is_signed) made = b_.IOr32(made, b_.IShl32(b_.ISub32(value, magnitude), word(16)));
  return b_.select(b_.ILtU32(word(greatest), magnitude), word(0x7fffffff), made);
}

I32 Texels::decoded(Texel& texel, unsigned component) {
  const TexelComponent& c = key_.format.components[component];
  switch (c.type) {
    case TexelType::none:
      return missing(component);
    case TexelType::uint:
    case TexelType::sint:
      return bits(texel, component);
    case TexelType::uscaled:
    case TexelType::sscaled:
      return as_word(b_.I32ToF32(bits(texel, component)));
    case TexelType::unorm:
    case TexelType::snorm: {
      // Few bits in the middle of a word: where they stand is part of the factor.
      const unsigned from = c.first_bit % 32U;
      if (c.type == TexelType::unorm && c.bits <= 8 && !(is_srgb_ && component != 3) &&
          key_.format.bytes % 4 == 0 && from != 0 && from + c.bits < 32) {
        const I32 there = b_.IAnd32(load(texel, c.first_bit / 32U), word(((1U << c.bits) - 1) << from));
        const float factor = 1.0F / static_cast<float>(greatest(component));
        return as_word(mul(b_.I32ToF32(there), real(factor * power(-static_cast<int>(from)))));
      }
      const I32 value = bits(texel, component);
      if (is_srgb_ && component != 3) return b_.LookUp32(value, kSrgbDecodedTable);
      const std::uint32_t divisor = greatest(component);
      const F32 number = b_.I32ToF32(value);
      if (c.bits <= 8) return as_word(mul(number, real(1.0F / static_cast<float>(divisor))));
      return as_word(quotient(number, divisor));
    }
    case TexelType::float_bits:
      if (c.bits == 32) return bits(texel, component);
      return small_float(bits(texel, component), c.bits == 16 ? 10 : c.bits - 5U, c.bits == 16);
    case TexelType::shared_exponent: {
      const I32 exponent = field(texel, 27, 5, false);
      const F32 scale = as_float(b_.IShl32(b_.IAdd32(exponent, word(103)), word(23)));
      return as_word(mul(b_.I32ToF32(field(texel, c.first_bit, c.bits, false)), scale));
    }
  }
  return word(0);
}

}  // namespace warpjit::ir::samples
