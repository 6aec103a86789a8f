// Blending, and colours as formats store them (docs/pixels.md 9 and 10).
#include <bit>
#include <cmath>
#include <utility>

#include "base/srgb.h"
#include "frontend/pixels/fragment_frame.h"
#include "ir/callout.h"
#include "ir/look_up.h"

namespace warpjit::frontend {

using ir::F32;
using ir::I1;
using ir::I32;
using Colors = std::array<F32, 4>;

namespace {

// What the components of a format are, from the lowest bit up. None crosses a word.
enum class Coding : std::uint8_t { unorm, snorm, number, sint, uint };
struct Shape {
  Coding coding = Coding::number;
  std::array<std::uint8_t, 4> bits{};  // 0: it has no such component
};
Shape shape_of(PixelFormat format) {
  using F = PixelFormat;
  using enum Coding;
  // clang-format off
  static constexpr std::pair<F, Shape> kShapes[] = {
      {F::rgba8, {unorm, {8, 8, 8, 8}}}, {F::srgb8, {unorm, {8, 8, 8, 8}}}, {F::rgb565, {unorm, {5, 6, 5}}},
      {F::rgba4, {unorm, {4, 4, 4, 4}}}, {F::rgb5a1, {unorm, {5, 5, 5, 1}}},
      {F::rgb10a2, {unorm, {10, 10, 10, 2}}}, {F::r8, {unorm, {8}}}, {F::rg8, {unorm, {8, 8}}},
      {F::r16, {unorm, {16}}}, {F::rg16, {unorm, {16, 16}}}, {F::rgba16, {unorm, {16, 16, 16, 16}}},
      {F::r8_snorm, {snorm, {8}}}, {F::rg8_snorm, {snorm, {8, 8}}}, {F::rgba8_snorm, {snorm, {8, 8, 8, 8}}},
      {F::r16_snorm, {snorm, {16}}}, {F::rg16_snorm, {snorm, {16, 16}}},
      {F::rgba16_snorm, {snorm, {16, 16, 16, 16}}}, {F::r16f, {number, {16}}},
      {F::rg16f, {number, {16, 16}}}, {F::rgba16f, {number, {16, 16, 16, 16}}},
      {F::r11g11b10f, {number, {11, 11, 10}}}, {F::r32f, {number, {32}}}, {F::rg32f, {number, {32, 32}}},
      {F::rgba32f, {number, {32, 32, 32, 32}}}, {F::r8i, {sint, {8}}}, {F::rg8i, {sint, {8, 8}}},
      {F::rgba8i, {sint, {8, 8, 8, 8}}}, {F::r16i, {sint, {16}}}, {F::rg16i, {sint, {16, 16}}},
      {F::rgba16i, {sint, {16, 16, 16, 16}}}, {F::r32i, {sint, {32}}}, {F::rg32i, {sint, {32, 32}}},
      {F::rgba32i, {sint, {32, 32, 32, 32}}}, {F::r8ui, {uint, {8}}}, {F::rg8ui, {uint, {8, 8}}},
      {F::rgba8ui, {uint, {8, 8, 8, 8}}}, {F::r16ui, {uint, {16}}}, {F::rg16ui, {uint, {16, 16}}},
      {F::rgba16ui, {uint, {16, 16, 16, 16}}}, {F::r32ui, {uint, {32}}}, {F::rg32ui, {uint, {32, 32}}},
      {F::rgba32ui, {uint, {32, 32, 32, 32}}}, {F::rgb10a2ui, {uint, {10, 10, 10, 2}}}};
  // clang-format on
  for (const auto& [known, shape] : kShapes)
    if (known == format) return shape;
  return {};
}
bool is_normalized(PixelFormat format) { return shape_of(format).coding <= Coding::snorm; }
std::uint32_t mask_of(unsigned bits) { return bits == 32 ? ~0U : (1U << bits) - 1; }

// Where a component of a pixel is.
struct Field {
  unsigned plane, shift, bits;
};
Field field_of(PixelFormat format, unsigned component) {
  const std::array<std::uint8_t, 4> bits = shape_of(format).bits;
  unsigned first = 0;
  for (unsigned k = 0; k < component; ++k) first += bits[k];
  return {first / 32, first % 32, bits[component]};
}

constexpr std::uint32_t kInfinity = 0x7f800000, kMagnitude = 0x7fffffff;

// True if the component is a byte that stands for 0 to 1 evenly.
bool holds_byte(PixelFormat format, unsigned component) {
  const Shape shape = shape_of(format);
  return shape.coding == Coding::unorm && shape.bits[component] == 8 &&
         (format != PixelFormat::srgb8 || component == 3);
}
bool is_one(BlendFactor factor, unsigned component) {
  const bool saturates =
      factor == BlendFactor::source_alpha_saturate || factor == BlendFactor::target_alpha_saturate;
  return factor == BlendFactor::one || (saturates && component == 3);
}
// Floats near it are whole numbers one apart.
constexpr float kWhole = 0x1.8p23F, kOverByte = 1.0F / 255;

}  // namespace

F32 FragmentFrame::blend_constant(unsigned component) {
  return b_.FFlush32(b_.LoadUniformF32(kBlendConstantOffset + 4 * component));
}

F32 FragmentFrame::factor(BlendFactor factor, unsigned component, const BlendInput& in) {
  const auto& [source, stored, constant, one] = in;
  const auto rest = [&, one = one](F32 value) { return b_.FSubFlush32(b_.constant(one), value); };
  if (factor >= BlendFactor::source_color && factor <= BlendFactor::one_minus_constant_alpha) {
    // Each colour has four: the component, one less it, alpha, and one less that.
    const unsigned k = static_cast<unsigned>(factor) - static_cast<unsigned>(BlendFactor::source_color);
    const Colors& color = k < 4 ? source : k < 8 ? stored : constant;
    const F32 value = color[k % 4 < 2 ? component : 3];
    return k % 2 != 0 ? rest(value) : value;
  }
  if (factor == BlendFactor::zero) return b_.constant(0.0F);
  if (is_one(factor, component)) return b_.constant(one);
  return factor == BlendFactor::source_alpha_saturate ? b_.FMinSelect32(source[3], rest(stored[3]))
                                                      : b_.FMinSelect32(stored[3], rest(source[3]));
}

// The value times its factor; factors one and zero do not multiply.
F32 FragmentFrame::term(BlendFactor by, F32 value, unsigned component, const BlendInput& in) {
  if (by == BlendFactor::zero) return b_.constant(0.0F);
  if (is_one(by, component)) return value;
  return b_.FMulFlush32(value, factor(by, component, in));
}

F32 FragmentFrame::mixed(const BlendMix& mix, unsigned component, const BlendInput& in) {
  using Add = BlendMix::Add;
  using Multiply = BlendMix::Multiply;
  using By = BlendMix::By;
  const F32 s = in.source[component], t = in.stored[component];
  const auto signed_ = [&](F32 value, bool negated) { return negated ? b_.FNeg32(value) : value; };
  F32 product;
  switch (mix.multiply) {
    case Multiply::source_minus_target:
      product = b_.FSubFlush32(s, t);
      break;
    case Multiply::source_plus_target:
      product = b_.FAddFlush32(s, t);
      break;
    case Multiply::source:
      product = s;
      break;
    case Multiply::target:
      product = t;
      break;
  }
  product = signed_(product, mix.negate_multiply);
  F32 by;
  switch (mix.by) {
    case By::zero:
      break;
    case By::source:
      by = s;
      break;
    case By::target:
      by = t;
      break;
    case By::twice_source:
      by = b_.FAddFlush32(s, s);
      break;
    case By::source_alpha:
      by = in.source[3];
      break;
    case By::target_alpha:
      by = in.stored[3];
      break;
    case By::constant:
      by = in.constant[component];
      break;
  }
  // By one and by zero nothing is multiplied.
  if (by.valid())
    product = b_.FMulFlush32(product, mix.invert_by ? b_.FSubFlush32(b_.constant(1.0F), by) : by);
  else if (!mix.invert_by)
    product = b_.constant(0.0F);
  const F32 add = mix.add == Add::source ? s : mix.add == Add::target ? t : b_.constant(0.0F);
  return b_.FAddFlush32(signed_(add, mix.negate_add), product);
}

Colors FragmentFrame::blended(unsigned target, const BlendState& blend, const Colors& source,
                              const Colors& stored) {
  const PixelFormat format = facts_.output.colors[target];
  BlendInput in{source, stored, {}};
  for (unsigned k = 0; k < 4; ++k) in.constant[k] = in_range(format, blend_constant(k));
  Colors result;
  if (blend.mixed) {
    for (unsigned k = 0; k < 4; ++k) result[k] = mixed(k == 3 ? blend.mix_alpha : blend.mix, k, in);
    return result;
  }
  for (unsigned k = 0; k < 4; ++k) {
    const BlendOp op = k == 3 ? blend.op_alpha : blend.op;
    if (op == BlendOp::min || op == BlendOp::max) {
      result[k] =
          op == BlendOp::min ? b_.FMinSelect32(source[k], stored[k]) : b_.FMaxSelect32(source[k], stored[k]);
      continue;
    }
    const F32 s = term(k == 3 ? blend.source_alpha : blend.source, source[k], k, in);
    const F32 d = term(k == 3 ? blend.target_alpha : blend.target, stored[k], k, in);
    result[k] = op == BlendOp::add        ? b_.FAddFlush32(s, d)
                : op == BlendOp::subtract ? b_.FSubFlush32(s, d)
                                          : b_.FSubFlush32(d, s);
  }
  return result;
}

F32 FragmentFrame::byte_of(F32 value) {
  const F32 scaled = b_.FMulFlush32(value, b_.constant(255.0F));
  return b_.I32ToF32(b_.F32ToI32Lowest(b_.FAddFlush32(scaled, b_.constant(0.5F))));
}

F32 FragmentFrame::read_byte(StoredPixel& stored, unsigned component, F32 value) {
  if (!holds_byte(stored.format, component)) return byte_of(value);
  return b_.I32ToF32(b_.IAnd32(b_.IShrU32(stored_word(stored, 0), word(8 * component)), word(0xff)));
}

// A product of bytes is a whole number p below 2^16. p / 255 is at least 1 / 510 away from the middle between
// two whole numbers, so (p + 127) / 255 rounded down is p / 255 rounded to the nearest, and the product with
// the nearest float of 1 / 255 rounds alike. Added to kWhole, it is rounded by the addition.
F32 FragmentFrame::add_byte_term(F32 sum, BlendFactor by, F32 byte, bool subtract, unsigned component,
                                 const BlendInput& in) {
  if (by == BlendFactor::zero) return sum;
  if (is_one(by, component)) return subtract ? b_.FSubFlush32(sum, byte) : b_.FAddFlush32(sum, byte);
  const F32 product = b_.FMulFlush32(byte, factor(by, component, in));
  return b_.FFmaFlush32(product, b_.constant(subtract ? -kOverByte : kOverByte), sum);
}

// Plus kWhole, so that the low bits of its word are the byte.
F32 FragmentFrame::blended_byte(const BlendState& blend, unsigned component, const BlendInput& in) {
  const bool alpha = component == 3;
  const F32 source = in.source[component], stored = in.stored[component], whole = b_.constant(kWhole);
  const BlendOp op = alpha ? blend.op_alpha : blend.op;
  const BlendFactor by_source = alpha ? blend.source_alpha : blend.source,
                    by_target = alpha ? blend.target_alpha : blend.target;
  F32 sum;
  switch (op) {
    case BlendOp::min:
      return b_.FAddFlush32(whole, b_.FMinSelect32(source, stored));
    case BlendOp::max:
      return b_.FAddFlush32(whole, b_.FMaxSelect32(source, stored));
    case BlendOp::add:
      sum = add_byte_term(whole, by_source, source, false, component, in);
      sum = add_byte_term(sum, by_target, stored, false, component, in);
      return b_.FMinSelect32(sum, b_.constant(kWhole + 255));
    case BlendOp::subtract:
      sum = add_byte_term(whole, by_source, source, false, component, in);
      sum = add_byte_term(sum, by_target, stored, true, component, in);
      break;
    case BlendOp::reverse_subtract:
      sum = add_byte_term(whole, by_target, stored, false, component, in);
      sum = add_byte_term(sum, by_source, source, true, component, in);
      break;
  }
  return b_.FMaxSelect32(sum, whole);
}

F32 FragmentFrame::in_range(PixelFormat format, F32 value) {
  switch (shape_of(format).coding) {
    case Coding::unorm:
      return limited(value);
    case Coding::snorm: {
      const I1 is_nan = b_.ILtU32(word(kInfinity), b_.IAnd32(as_word(value), word(kMagnitude)));
      const F32 number = b_.select(is_nan, b_.constant(0.0F), value);
      return b_.FMinSelect32(b_.FMaxSelect32(number, b_.constant(-1.0F)), b_.constant(1.0F));
    }
    default:
      return value;
  }
}

I32 FragmentFrame::stored_unorm(F32 value, unsigned bits) {
  const auto most = static_cast<float>((1U << bits) - 1);
  return b_.F32ToI32Lowest(b_.FRoundEven32(b_.FMulFlush32(value, b_.constant(most))));
}
I32 FragmentFrame::stored_snorm(F32 value, unsigned bits) {
  return b_.IAnd32(stored_unorm(value, bits - 1), word(mask_of(bits)));
}

// A float without a sign of `bits` bits. From 2^-14 on the exponent is another one and the fraction is
// rounded by a carry, below it the fraction is a whole number of the smallest steps.
I32 FragmentFrame::stored_small(F32 value, unsigned bits) {
  constexpr std::uint32_t kFirstNormal = 0x38800000, kExponents = 112U << 23;
  const unsigned fraction = bits - 5, dropped = 23 - fraction;
  const std::uint32_t infinity = 31U << fraction, least_odd = (1U << (dropped - 1)) - 1;
  const float largest = std::bit_cast<float>(((infinity - 1) << dropped) + kExponents);
  const I32 given = as_word(value);
  const F32 number = b_.FMinSelect32(b_.FMaxSelect32(value, b_.constant(0.0F)), b_.constant(largest));
  const I32 pattern = as_word(number);
  const I32 odd = b_.IAnd32(b_.IShrU32(pattern, word(dropped)), word(1));
  const I32 normal =
      b_.IShrU32(b_.IAdd32(b_.IAdd32(pattern, word(least_odd - kExponents)), odd), word(dropped));
  const F32 steps = b_.FMulFlush32(number, b_.constant(std::ldexp(1.0F, static_cast<int>(14 + fraction))));
  const I32 denormal = b_.F32ToI32Lowest(b_.FRoundEven32(steps));
  const I32 finite = b_.select(b_.ILtU32(pattern, word(kFirstNormal)), denormal, normal);
  const I32 limit = b_.select(b_.IEq32(given, word(kInfinity)), word(infinity), finite);
  return b_.select(b_.ILtU32(word(kInfinity), b_.IAnd32(given, word(kMagnitude))), word(mask_of(bits)),
                   limit);
}

// The bits of a number in a format's range, or of an integer.
I32 FragmentFrame::stored_component(PixelFormat format, unsigned component, I32 bits) {
  const Shape shape = shape_of(format);
  const unsigned width = shape.bits[component];
  switch (shape.coding) {
    case Coding::unorm:
      if (format == PixelFormat::srgb8 && component < 3) return stored_srgb(as_float(bits));
      return stored_unorm(as_float(bits), width);
    case Coding::snorm:
      return stored_snorm(as_float(bits), width);
    case Coding::number:
      if (width == 32) return bits;
      if (width == 16)
        return b_.TeslaF32ToF16(as_float(bits), static_cast<unsigned>(ir::RoundingMode::nearest));
      return stored_small(as_float(bits), width);
    case Coding::sint: {
      if (width == 32) return bits;
      const auto most = static_cast<std::int32_t>(mask_of(width - 1));
      return b_.IAnd32(b_.IMinS32(b_.IMaxS32(bits, b_.constant(-most - 1)), b_.constant(most)),
                       word(mask_of(width)));
    }
    case Coding::uint:
      break;
  }
  return width == 32 ? bits : b_.IMinU32(bits, word(mask_of(width)));
}

// The word of two halves that two f32 are, if the lower one is the lower half of a word and the other one the
// upper half of one, 0 or 1.
std::optional<I32> FragmentFrame::halves_of(I32 low, I32 high) {
  const ir::Function& f = b_.function();
  const auto half = [&](I32 single) {
    ir::Value v = single;
    if (f.definition_of(v).opcode == ir::Opcode::BitcastF32ToI32) v = f.operand(f.definition(v), 0);
    return f.definition_of(v).opcode == ir::Opcode::HalfToF32 ? f.operand(f.definition(v), 0) : ir::Value();
  };
  const ir::Value lower = half(low), shifted = half(high);
  if (!lower.valid()) return std::nullopt;
  const auto beside = [&](I32 upper) { return b_.IOr32(b_.IAnd32(I32{lower}, word(0xffff)), upper); };
  if (f.is_constant(high)) {
    constexpr std::uint32_t kOne = 0x3f800000, kHalfOne = 0x3c00;
    if (f.constant(high) != 0 && f.constant(high) != kOne) return std::nullopt;
    return beside(word(f.constant(high) == 0 ? 0 : kHalfOne << 16));
  }
  if (!shifted.valid()) return std::nullopt;
  const ir::Inst shift = f.definition(shifted);
  if (f.inst(shift).opcode != ir::Opcode::IShrU32) return std::nullopt;
  const ir::Value by = f.operand(shift, 1), upper = f.operand(shift, 0);
  if (!f.is_constant(by) || f.constant(by) != 16) return std::nullopt;
  return upper == lower ? I32{lower} : beside(b_.IAnd32(I32{upper}, word(0xffff0000)));
}

// n + 1024 is a half for each byte n, and the sum is rounded once, to a whole number.
std::optional<I32> FragmentFrame::bytes_of_halves(const Words& words) {
  constexpr std::uint32_t kHalfOne = 0x3c003c00, kHalf255 = 0x5bf85bf8, kHalf1024 = 0x64006400;
  const std::optional<I32> first = halves_of(words[0], words[1]), second = halves_of(words[2], words[3]);
  if (!first || !second) return std::nullopt;
  const auto numbers = [&](I32 halves) {
    const I32 limited = b_.HalvesMinNum(b_.HalvesMaxNum(halves, word(0)), word(kHalfOne));
    return b_.HalvesFma(limited, word(kHalf255), word(kHalf1024));
  };
  const I32 lower = numbers(*first);
  return b_.HalvesLowBytes(lower, numbers(*second));
}

// The quotient of an integer and the greatest one, correctly rounded: of more than 8 bits and of signed ones
// by one step of refinement.
F32 FragmentFrame::quotient_of(I32 integer, std::uint32_t most, bool refined) {
  const F32 value = b_.I32ToF32(integer);
  const F32 inverse = b_.constant(1.0F / static_cast<float>(most));
  const F32 quotient = b_.FMulFlush32(value, inverse);
  if (!refined) return quotient;
  const F32 error = b_.FFmaFlush32(quotient, b_.constant(-static_cast<float>(most)), value);
  return b_.FFmaFlush32(error, inverse, quotient);
}

// A byte of the sRGB curve, of a number in [0, 1], and the number of a byte.
I32 FragmentFrame::stored_srgb(F32 value) {
  const I32 bits = as_word(value), first = word(kSrgbFirstStep);
  const I32 step = b_.LookUp32(b_.IShrU32(b_.ISub32(bits, first), word(16)), ir::kSrgbStepsTable);
  const I32 byte = b_.IShrU32(b_.IAdd32(step, b_.IAnd32(bits, word(0xffff))), word(16));
  return b_.select(b_.ILtU32(bits, first), word(0), byte);
}

F32 FragmentFrame::read_srgb(I32 byte) { return as_float(b_.LookUp32(byte, ir::kSrgbDecodedTable)); }

I32 FragmentFrame::stored_word(StoredPixel& stored, unsigned plane) {
  I32& known = stored.words[plane];
  if (!known.valid()) known = b_.LoadTile(stored.plane + plane);
  return known;
}

I32 FragmentFrame::stored_field(StoredPixel& stored, unsigned component, bool is_signed) {
  const auto [plane, shift, bits] = field_of(stored.format, component);
  I32 field = stored_word(stored, plane);
  if (bits == 32) return field;
  if (is_signed) {
    const unsigned above = 32 - bits - shift;
    return b_.IShrS32(above != 0 ? b_.IShl32(field, word(above)) : field, word(32 - bits));
  }
  if (shift != 0) field = b_.IShrU32(field, word(shift));
  return shift + bits < 32 ? b_.IAnd32(field, word(mask_of(bits))) : field;
}

// A component as it is read back: bits of a float, or an integer.
I32 FragmentFrame::read_component(StoredPixel& stored, unsigned component) {
  const Shape shape = shape_of(stored.format);
  const unsigned bits = shape.bits[component];
  if (bits == 0) {
    const bool integer = shape.coding == Coding::sint || shape.coding == Coding::uint;
    return component < 3 ? word(0) : integer ? word(1) : as_word(b_.constant(1.0F));
  }
  const I32 field =
      stored_field(stored, component, shape.coding == Coding::snorm || shape.coding == Coding::sint);
  switch (shape.coding) {
    case Coding::unorm:
      if (stored.format == PixelFormat::srgb8 && component < 3) return as_word(read_srgb(field));
      return as_word(quotient_of(field, mask_of(bits), bits > 8));
    case Coding::snorm:
      return as_word(b_.FMaxSelect32(quotient_of(field, mask_of(bits - 1), true), b_.constant(-1.0F)));
    case Coding::number:
      if (bits == 32) return field;
      // A float without a sign is a half with fewer bits of its fraction.
      return as_word(b_.TeslaF16ToF32(bits == 16 ? field : b_.IShl32(field, word(15 - bits))));
    case Coding::sint:
    case Coding::uint:
      break;
  }
  return field;
}
Colors FragmentFrame::read_colors(StoredPixel& stored) {
  Colors colors;
  for (unsigned k = 0; k < 4; ++k) colors[k] = as_float(read_component(stored, k));
  return colors;
}

FragmentFrame::Words FragmentFrame::stored_color(unsigned target) {
  Words words{word(0), word(0), word(0), word(0)};
  StoredPixel stored = stored_pixel(target);
  if (stored.plane == TileLayout::kNone) return words;
  for (unsigned k = 0; k < 4; ++k) words[k] = read_component(stored, k);
  return words;
}

// Components that are not written keep what is stored.
void FragmentFrame::store_components(StoredPixel& stored, std::uint8_t mask, I1 live, const Words& numbers) {
  std::array<I32, 4> pixel{};
  std::array<std::uint32_t, 4> kept{};
  for (unsigned k = 0; k < 4; ++k) {
    const auto [plane, shift, bits] = field_of(stored.format, k);
    if (bits == 0) continue;
    if ((mask >> k & 1) == 0) {
      kept[plane] |= mask_of(bits) << shift;
      continue;
    }
    const I32 field = shift != 0 ? b_.IShl32(numbers[k], word(shift)) : numbers[k];
    pixel[plane] = pixel[plane].valid() ? b_.IOr32(pixel[plane], field) : field;
  }
  for (unsigned plane = 0; plane < 4; ++plane) {
    if (!pixel[plane].valid()) continue;
    if (kept[plane] != 0)
      pixel[plane] = b_.IOr32(pixel[plane], b_.IAnd32(stored_word(stored, plane), word(kept[plane])));
    b_.StoreTile(live, pixel[plane], stored.plane + plane);
  }
}

void FragmentFrame::store_normalized(StoredPixel& stored, unsigned target, const BlendState& blend, I1 live,
                                     const Words& words) {
  const PixelFormat format = stored.format;
  const Shape shape = shape_of(format);
  const bool plain_bytes = shape.coding == Coding::unorm &&
                           shape.bits == std::array<std::uint8_t, 4>{8, 8, 8, 8} &&
                           format != PixelFormat::srgb8;
  if (half_arithmetic_ && plain_bytes && !blend.enabled && (blend.write_mask & 15) == 15)
    if (const std::optional<I32> pixel = bytes_of_halves(words))
      return b_.StoreTile(live, *pixel, stored.plane);
  Colors colors;
  for (unsigned k = 0; k < 4; ++k) colors[k] = in_range(format, b_.FFlush32(as_float(words[k])));
  Words numbers{};  // of components that are blended to bytes
  if (blend.enabled && blend.bytes && !blend.mixed && shape.coding == Coding::unorm) {
    BlendInput in;
    in.one = 255;
    const Colors old = read_colors(stored);
    for (unsigned k = 0; k < 4; ++k) {
      in.source[k] = byte_of(limited(as_float(words[k])));  // flushes
      in.stored[k] = read_byte(stored, k, old[k]);
      in.constant[k] = byte_of(limited(blend_constant(k)));
    }
    for (unsigned k = 0; k < 4; ++k) {
      const F32 sum = blended_byte(blend, k, in);
      if (holds_byte(format, k))
        numbers[k] = b_.IAnd32(as_word(sum), word(0xff));
      else
        colors[k] = b_.FMulFlush32(b_.FSubFlush32(sum, b_.constant(kWhole)), b_.constant(kOverByte));
    }
  } else if (blend.enabled) {
    colors = blended(target, blend, colors, read_colors(stored));
    for (F32& color : colors) color = in_range(format, color);
  }
  for (unsigned k = 0; k < 4; ++k)
    if (shape.bits[k] != 0 && !numbers[k].valid() && (blend.write_mask >> k & 1) != 0)
      numbers[k] = stored_component(format, k, as_word(colors[k]));
  store_components(stored, blend.write_mask, live, numbers);
}

void FragmentFrame::store_color(unsigned target, const BlendState& blend, I1 live, const Words& words) {
  StoredPixel stored = stored_pixel(target);
  if (is_normalized(stored.format)) return store_normalized(stored, target, blend, live, words);
  const Shape shape = shape_of(stored.format);
  Words numbers = words;
  if (blend.enabled && shape.coding == Coding::number) {
    Colors source, old = read_colors(stored);
    for (unsigned k = 0; k < 4; ++k) {
      source[k] = b_.FFlush32(as_float(words[k]));
      old[k] = b_.FFlush32(old[k]);
    }
    const Colors result = blended(target, blend, source, old);
    for (unsigned k = 0; k < 4; ++k) numbers[k] = as_word(b_.CanonicalizeNaNOnes32(result[k]));
  }
  for (unsigned k = 0; k < 4; ++k)
    if (shape.bits[k] != 0 && (blend.write_mask >> k & 1) != 0)
      numbers[k] = stored_component(stored.format, k, numbers[k]);
  store_components(stored, blend.write_mask, live, numbers);
}

}  // namespace warpjit::frontend
