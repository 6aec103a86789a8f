// Blending, and colours as formats store them (docs/pixels.md 9 and 10).
#include <bit>
#include <cmath>

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

// Bits of each component of a packed unorm format; 0: it has none.
struct Packed {
  std::array<std::uint8_t, 4> bits{};
  bool holds() const { return bits[0] != 0; }
};
Packed packed(PixelFormat format) {
  switch (format) {
    case PixelFormat::rgba8:
    case PixelFormat::srgb8:
      return {{8, 8, 8, 8}};
    case PixelFormat::rgb565:
      return {{5, 6, 5, 0}};
    case PixelFormat::rgba4:
      return {{4, 4, 4, 4}};
    case PixelFormat::rgb5a1:
      return {{5, 5, 5, 1}};
    case PixelFormat::rgb10a2:
      return {{10, 10, 10, 2}};
    default:
      return {};
  }
}

bool is_float(PixelFormat format) {
  return format == PixelFormat::rgba16f || format == PixelFormat::rgba32f || format == PixelFormat::r32f;
}
// Is the component a byte that stands for 0 to 1 evenly?
bool holds_byte(PixelFormat format, unsigned component) {
  return format == PixelFormat::rgba8 || (format == PixelFormat::srgb8 && component == 3);
}
bool is_one(BlendFactor factor, unsigned component) {
  const bool saturates =
      factor == BlendFactor::source_alpha_saturate || factor == BlendFactor::target_alpha_saturate;
  return factor == BlendFactor::one || (saturates && component == 3);
}
// Floats near it are whole numbers one apart.
constexpr float kWhole = 0x1.8p23F, kOverByte = 1.0F / 255;

unsigned components_of(PixelFormat format) {
  return format == PixelFormat::r32f || format == PixelFormat::r32i || format == PixelFormat::r32ui ? 1 : 4;
}

}  // namespace

F32 FragmentFrame::blend_constant(unsigned component) {
  return b_.FFlush32(b_.LoadUniformF32(kBlendConstantOffset + 4 * component));
}

F32 FragmentFrame::factor(BlendFactor factor, unsigned component, const BlendInput& in) {
  const auto& [source, stored, constant, one] = in;
  const auto rest = [&, one = one](F32 value) { return b_.FSubFlush32(b_.constant(one), value); };
  switch (factor) {
    case BlendFactor::zero:
      return b_.constant(0.0F);
    case BlendFactor::one:
      return b_.constant(one);
    case BlendFactor::source_color:
      return source[component];
    case BlendFactor::one_minus_source_color:
      return rest(source[component]);
    case BlendFactor::source_alpha:
      return source[3];
    case BlendFactor::one_minus_source_alpha:
      return rest(source[3]);
    case BlendFactor::target_color:
      return stored[component];
    case BlendFactor::one_minus_target_color:
      return rest(stored[component]);
    case BlendFactor::target_alpha:
      return stored[3];
    case BlendFactor::one_minus_target_alpha:
      return rest(stored[3]);
    case BlendFactor::constant_color:
      return constant[component];
    case BlendFactor::one_minus_constant_color:
      return rest(constant[component]);
    case BlendFactor::constant_alpha:
      return constant[3];
    case BlendFactor::one_minus_constant_alpha:
      return rest(constant[3]);
    case BlendFactor::source_alpha_saturate:
      return component == 3 ? b_.constant(one) : b_.FMinSelect32(source[3], rest(stored[3]));
    case BlendFactor::target_alpha_saturate:
      break;
  }
  return component == 3 ? b_.constant(one) : b_.FMinSelect32(stored[3], rest(source[3]));
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
  const bool unorm = packed(facts_.output.colors[target]).holds();
  BlendInput in{source, stored, {}};
  for (unsigned k = 0; k < 4; ++k) in.constant[k] = unorm ? limited(blend_constant(k)) : blend_constant(k);
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

F32 FragmentFrame::read_byte(PixelFormat format, I32 stored, unsigned component, F32 value) {
  if (!holds_byte(format, component)) return byte_of(value);
  return b_.I32ToF32(b_.IAnd32(b_.IShrU32(stored, word(8 * component)), word(0xff)));
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

I32 FragmentFrame::stored_unorm(F32 value, unsigned bits) {
  const auto most = static_cast<float>((1U << bits) - 1);
  return b_.F32ToI32Lowest(b_.FRoundEven32(b_.FMulFlush32(value, b_.constant(most))));
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

F32 FragmentFrame::read_unorm(I32 stored, unsigned shift, unsigned bits) {
  const std::uint32_t most = (1U << bits) - 1;
  I32 field = shift != 0 ? b_.IShrU32(stored, word(shift)) : stored;
  if (shift + bits < 32) field = b_.IAnd32(field, word(most));
  const F32 value = b_.I32ToF32(field);
  const F32 inverse = b_.constant(1.0F / static_cast<float>(most));
  const F32 quotient = b_.FMulFlush32(value, inverse);
  if (bits <= 8) return quotient;
  // The quotient of 10 bits correctly rounded: one step of refinement.
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

F32 FragmentFrame::read_srgb(I32 stored, unsigned shift) {
  const I32 byte = b_.IAnd32(shift != 0 ? b_.IShrU32(stored, word(shift)) : stored, word(0xff));
  return as_float(b_.LookUp32(byte, ir::kSrgbDecodedTable));
}

Colors FragmentFrame::read_packed(PixelFormat format, I32 stored) {
  const std::array<std::uint8_t, 4> bits = packed(format).bits;
  Colors colors;
  for (unsigned k = 0, shift = 0; k < 4; shift += bits[k], ++k)
    colors[k] = bits[k] == 0                            ? b_.constant(k == 3 ? 1.0F : 0.0F)
                : format == PixelFormat::srgb8 && k < 3 ? read_srgb(stored, shift)
                                                        : read_unorm(stored, shift, bits[k]);
  return colors;
}

I32 FragmentFrame::stored_half(unsigned target, unsigned component) {
  const I32 both = b_.LoadTile(layout_.color[target] + component / 2);
  return component % 2 == 0 ? b_.IAnd32(both, word(0xffff)) : b_.IShrU32(both, word(16));
}

FragmentFrame::Words FragmentFrame::stored_color(unsigned target) {
  const PixelFormat format = facts_.output.colors[target];
  const std::uint8_t plane = layout_.color[target];
  Words words{word(0), word(0), word(0), word(0)};
  if (plane == TileLayout::kNone) return words;
  if (packed(format).holds()) {
    const Colors colors = read_packed(format, b_.LoadTile(plane));
    for (unsigned k = 0; k < 4; ++k) words[k] = as_word(colors[k]);
    return words;
  }
  const bool bytes = format == PixelFormat::rgba8i || format == PixelFormat::rgba8ui;
  if (bytes) {
    const I32 stored = b_.LoadTile(plane);
    for (unsigned k = 0; k < 4; ++k) {
      const I32 upper = b_.IShl32(stored, word(24 - 8 * k));
      words[k] = format == PixelFormat::rgba8i ? b_.IShrS32(upper, word(24)) : b_.IShrU32(upper, word(24));
    }
    return words;
  }
  const unsigned count = components_of(format);
  for (unsigned k = 0; k < count; ++k)
    words[k] = format == PixelFormat::rgba16f ? as_word(b_.TeslaF16ToF32(stored_half(target, k)))
                                              : b_.LoadTile(plane + k);
  if (count < 4) words[3] = is_float(format) ? as_word(b_.constant(1.0F)) : word(1);
  return words;
}

void FragmentFrame::store_packed(unsigned target, const BlendState& blend, I1 live, const Words& words) {
  const PixelFormat format = facts_.output.colors[target];
  const std::array<std::uint8_t, 4> bits = packed(format).bits;
  const std::uint8_t plane = layout_.color[target];
  std::uint32_t kept = 0;  // bits of components that are not written
  for (unsigned k = 0, shift = 0; k < 4; shift += bits[k], ++k)
    if ((blend.write_mask >> k & 1) == 0) kept |= ((1U << bits[k]) - 1) << shift;
  const bool plain_bytes = bits == std::array<std::uint8_t, 4>{8, 8, 8, 8} && format != PixelFormat::srgb8;
  if (half_arithmetic_ && plain_bytes && !blend.enabled && kept == 0)
    if (const std::optional<I32> pixel = bytes_of_halves(words)) return b_.StoreTile(live, *pixel, plane);
  const I32 stored = blend.enabled || kept != 0 ? b_.LoadTile(plane) : word(0);
  Colors colors;
  for (unsigned k = 0; k < 4; ++k) colors[k] = limited(b_.FFlush32(as_float(words[k])));
  const auto is_curved = [&](unsigned k) { return format == PixelFormat::srgb8 && k < 3; };
  Words bytes{};  // of components that are blended to such
  if (blend.enabled && blend.bytes && !blend.mixed) {
    BlendInput in;
    in.one = 255;
    const Colors old = read_packed(format, stored);
    for (unsigned k = 0; k < 4; ++k) {
      in.source[k] = byte_of(limited(as_float(words[k])));  // flushes
      in.stored[k] = read_byte(format, stored, k, old[k]);
      in.constant[k] = byte_of(limited(blend_constant(k)));
    }
    for (unsigned k = 0; k < 4; ++k) {
      const F32 sum = blended_byte(blend, k, in);
      if (holds_byte(format, k))
        bytes[k] = b_.IAnd32(as_word(sum), word(0xff));
      else
        colors[k] = b_.FMulFlush32(b_.FSubFlush32(sum, b_.constant(kWhole)), b_.constant(kOverByte));
    }
  } else if (blend.enabled) {
    colors = blended(target, blend, colors, read_packed(format, stored));
    for (F32& color : colors) color = limited(color);
  }
  I32 pixel;
  for (unsigned k = 0, shift = 0; k < 4; shift += bits[k], ++k) {
    if (bits[k] == 0 || (blend.write_mask >> k & 1) == 0) continue;
    const I32 number = bytes[k].valid() ? bytes[k]
                       : is_curved(k)   ? stored_srgb(colors[k])
                                        : stored_unorm(colors[k], bits[k]);
    const I32 field = b_.IShl32(number, word(shift));
    pixel = pixel.valid() ? b_.IOr32(pixel, field) : field;
  }
  if (!pixel.valid()) return;
  if (kept != 0) pixel = b_.IOr32(pixel, b_.IAnd32(stored, word(kept)));
  b_.StoreTile(live, pixel, plane);
}

void FragmentFrame::store_floats(unsigned target, const BlendState& blend, I1 live, Words words) {
  const PixelFormat format = facts_.output.colors[target];
  const std::uint8_t plane = layout_.color[target];
  const bool halves = format == PixelFormat::rgba16f;
  const unsigned count = components_of(format);
  if (blend.enabled) {
    Colors source, old;
    for (unsigned k = 0; k < 4; ++k) {
      source[k] = b_.FFlush32(as_float(words[k]));
      old[k] = k >= count ? b_.constant(k == 3 ? 1.0F : 0.0F)
               : halves   ? b_.FFlush32(b_.TeslaF16ToF32(stored_half(target, k)))
                          : b_.FFlush32(as_float(b_.LoadTile(plane + k)));
    }
    const Colors result = blended(target, blend, source, old);
    for (unsigned k = 0; k < 4; ++k) words[k] = as_word(b_.CanonicalizeNaNOnes32(result[k]));
  }
  if (!halves) {
    for (unsigned k = 0; k < count; ++k)
      if ((blend.write_mask >> k & 1) != 0) b_.StoreTile(live, words[k], plane + k);
    return;
  }
  for (unsigned pair = 0; pair < 2; ++pair) {
    const unsigned mask = blend.write_mask >> (2 * pair) & 3;
    if (mask == 0) continue;
    const auto field = [&](unsigned k) {
      return (blend.write_mask >> k & 1) != 0
                 ? b_.TeslaF32ToF16(as_float(words[k]), static_cast<unsigned>(ir::RoundingMode::nearest))
                 : stored_half(target, k);
    };
    b_.StoreTile(live, b_.IOr32(field(2 * pair), b_.IShl32(field(2 * pair + 1), word(16))), plane + pair);
  }
}

void FragmentFrame::store_integers(unsigned target, const BlendState& blend, I1 live, const Words& words) {
  const PixelFormat format = facts_.output.colors[target];
  const std::uint8_t plane = layout_.color[target];
  if (format != PixelFormat::rgba8i && format != PixelFormat::rgba8ui) {
    for (unsigned k = 0; k < components_of(format); ++k)
      if ((blend.write_mask >> k & 1) != 0) b_.StoreTile(live, words[k], plane + k);
    return;
  }
  std::uint32_t kept = 0;
  I32 pixel = word(0);
  for (unsigned k = 0; k < 4; ++k) {
    if ((blend.write_mask >> k & 1) == 0) {
      kept |= 0xffU << (8 * k);
      continue;
    }
    const I32 limited_word =
        format == PixelFormat::rgba8ui
            ? b_.IMinU32(words[k], word(0xff))
            : b_.IAnd32(b_.IMinS32(b_.IMaxS32(words[k], b_.constant(-128)), b_.constant(127)), word(0xff));
    pixel = b_.IOr32(pixel, b_.IShl32(limited_word, word(8 * k)));
  }
  if (kept == ~0U) return;
  if (kept != 0) pixel = b_.IOr32(pixel, b_.IAnd32(b_.LoadTile(plane), word(kept)));
  b_.StoreTile(live, pixel, plane);
}

void FragmentFrame::store_color(unsigned target, const BlendState& blend, I1 live, const Words& words) {
  const PixelFormat format = facts_.output.colors[target];
  if (packed(format).holds()) return store_packed(target, blend, live, words);
  if (is_float(format)) return store_floats(target, blend, live, words);
  store_integers(target, blend, live, words);
}

}  // namespace warpjit::frontend
