#include "frontend/pica200/translate/fragment/output.h"

namespace warpjit::pica200 {

namespace {

struct Channel {
  unsigned low, width;
};
using Channels = std::array<Channel, 4>;
// Of red, green, blue and alpha in a pixel's word; no alpha has width 0.
const Channels& channels_of(ColorFormat format) {
  static constexpr std::array<Channels, 5> kChannels = {{{{{24, 8}, {16, 8}, {8, 8}, {0, 8}}},
                                                         {{{16, 8}, {8, 8}, {0, 8}, {0, 0}}},
                                                         {{{11, 5}, {6, 5}, {1, 5}, {0, 1}}},
                                                         {{{11, 5}, {5, 6}, {0, 5}, {0, 0}}},
                                                         {{{12, 4}, {8, 4}, {4, 4}, {0, 4}}}}};
  return kChannels[static_cast<std::size_t>(format)];
}
constexpr std::uint32_t ones(Channel channel) { return ((1u << channel.width) - 1) << channel.low; }

constexpr std::uint32_t kDepth24 = 0xffffff;

}  // namespace

I1 OutputSteps::compare(Comparison op, I32 incoming, I32 stored) {
  switch (op) {
    case Comparison::never:
      return b_.constant(false);
    case Comparison::equal:
      return b_.IEq32(incoming, stored);
    case Comparison::not_equal:
      return b_.INe32(incoming, stored);
    case Comparison::less:
      return b_.ILtS32(incoming, stored);
    case Comparison::less_equal:
      return b_.ILeS32(incoming, stored);
    case Comparison::greater:
      return b_.ILtS32(stored, incoming);
    case Comparison::greater_equal:
      return b_.ILeS32(stored, incoming);
    case Comparison::always:
      break;
  }
  return b_.constant(true);
}

I1 OutputSteps::alpha_test(I1 live, const Color& color) {
  const I32 reference = uniform_word(WARPJIT_FRAGMENT_WORD(alpha_reference));
  return b_.And1(live, compare(state_.alpha_test, color[3], reference));
}

// ---- Depth and stencil

I32 OutputSteps::stencil_value(std::uint8_t op, I32 stored, I32 reference) {
  switch (op) {
    case 1:
      return word(0);
    case 2:
      return reference;
    case 3:
      return b_.IMinS32(plus(stored, word(1)), word(255));
    case 4:
      return b_.IMaxS32(minus(stored, word(1)), word(0));
    case 5:
      return b_.IXor32(stored, word(255));
    case 6:
      return both(plus(stored, word(1)), word(255));
    case 7:
      return both(minus(stored, word(1)), word(255));
    default:
      return stored;
  }
}

I1 OutputSteps::test_depth(I1 live, F32 depth) {
  const bool packed = state_.depth_format == DepthFormat::d24s8;
  const float most = state_.depth_format == DepthFormat::d16 ? 65535.0f : 16777215.0f;
  const bool tests = state_.depth_test != Comparison::always;
  const I32 incoming = integer(mul(depth, real(most)));
  const bool loads = tests || state_.stencil || packed;
  const I32 stored = loads ? b_.LoadTile(depth_plane_) : word(0);
  const I32 stored_depth = packed ? both(stored, word(kDepth24)) : stored;
  const I32 stored_stencil = packed ? right(stored, 24) : word(0);
  I1 passes_stencil = b_.constant(true);
  if (state_.stencil) {
    const I32 mask = uniform_word(WARPJIT_FRAGMENT_WORD(stencil_input_mask));
    const I32 reference = both(uniform_word(WARPJIT_FRAGMENT_WORD(stencil_reference)), mask);
    passes_stencil = compare(state_.stencil_test, reference, both(stored_stencil, mask));
  }
  const I1 passes_depth = compare(state_.depth_test, incoming, stored_depth);
  const I1 passes = b_.And1(passes_stencil, passes_depth);
  const I1 passed = b_.And1(live, passes);
  if (state_.stencil_writes) {
    const I32 reference = uniform_word(WARPJIT_FRAGMENT_WORD(stencil_reference));
    const I32 mask = uniform_word(WARPJIT_FRAGMENT_WORD(stencil_write_mask));
    const auto value = [&](std::size_t event) {
      return stencil_value(state_.stencil_ops[event], stored_stencil, reference);
    };
    const I32 fresh = b_.select(passes_stencil, b_.select(passes_depth, value(2), value(1)), value(0));
    const I32 stencil = either(both(fresh, mask), both(stored_stencil, b_.IXor32(mask, word(255))));
    const I32 new_depth = state_.depth_writes ? b_.select(passes, incoming, stored_depth) : stored_depth;
    b_.StoreTile(live, either(new_depth, left(stencil, 24)), depth_plane_);
  } else if (state_.depth_writes) {
    const I32 pixel = packed ? either(incoming, both(stored, word(~kDepth24))) : incoming;
    b_.StoreTile(passed, pixel, depth_plane_);
  }
  return passed;
}

// ---- Colours

Color OutputSteps::unpacked(I32 pixel) {
  Color color;
  for (std::size_t n = 0; n < 4; ++n) {
    const Channel channel = channels_of(state_.color_format)[n];
    if (channel.width == 0) {
      color[n] = word(255);
      continue;
    }
    const I32 value = field(pixel, channel.low, channel.width);
    color[n] = channel.width == 8   ? value
               : channel.width == 1 ? both(minus(word(0), value), word(255))
               : channel.width == 4
                   ? either(left(value, 4), value)
                   : either(left(value, 8 - channel.width), right(value, 2 * channel.width - 8));
  }
  return color;
}

// The channels that are written; others are 0.
I32 OutputSteps::packed(const Color& color) {
  I32 pixel = word(0);
  for (std::size_t n = 0; n < 4; ++n) {
    const Channel channel = channels_of(state_.color_format)[n];
    if (channel.width == 0 || (state_.color_mask >> n & 1) == 0) continue;
    pixel = either(pixel, left(right(color[n], 8 - channel.width), channel.low));
  }
  return pixel;
}

I32 OutputSteps::factor(std::uint8_t code, const Color& source, const Color& target, const Color& constant,
                        std::size_t n) {
  constexpr std::uint8_t kSaturate = 14;
  if (code == 0) return word(0);
  if (code == 1) return word(255);
  if (code == kSaturate) return n == 3 ? word(255) : b_.IMinS32(source[3], minus(word(255), target[3]));
  const std::array<I32, 6> values = {source[n], target[n], source[3], target[3], constant[n], constant[3]};
  const I32 value = values[(code - 2u) / 2];
  return (code & 1) != 0 ? minus(word(255), value) : value;
}

I32 OutputSteps::blended(std::uint8_t equation, I32 s, I32 d) {
  const auto limited_quotient = [&](I32 v) { return quotient(b_.IMinS32(v, word(255 * 255))); };
  switch (equation) {
    case 1:
      return quotient(b_.IMaxS32(minus(s, d), word(0)));
    case 2:
      return quotient(b_.IMaxS32(minus(d, s), word(0)));
    case 3:
      return quotient(b_.IMinS32(s, d));
    case 4:
      return quotient(b_.IMaxS32(s, d));
    default:
      return limited_quotient(plus(s, d));
  }
}

Color OutputSteps::blended(const Color& source, const Color& target) {
  const Color constant = bytes_of(uniform_word(WARPJIT_FRAGMENT_WORD(blend_constant)));
  Color result;
  for (std::size_t n = 0; n < 4; ++n) {
    const std::size_t half = n == 3 ? 1 : 0;
    const auto term = [&](const Color& color, std::size_t side) {
      return times(color[n], factor(state_.factors[2 * half + side], source, target, constant, n));
    };
    result[n] = blended(state_.equations[half], term(source, 0), term(target, 1));
  }
  return result;
}

I32 OutputSteps::logic(I32 s, I32 d) {
  const auto inverted = [&](I32 x) { return b_.IXor32(x, word(255)); };
  switch (state_.logic_op) {
    case 0:
      return word(0);
    case 1:
      return both(s, d);
    case 2:
      return both(s, inverted(d));
    case 3:
      return s;
    case 4:
      return word(255);
    case 5:
      return inverted(s);
    case 6:
      return d;
    case 7:
      return inverted(d);
    case 8:
      return inverted(both(s, d));
    case 9:
      return either(s, d);
    case 10:
      return inverted(either(s, d));
    case 11:
      return b_.IXor32(s, d);
    case 12:
      return inverted(b_.IXor32(s, d));
    case 13:
      return both(inverted(s), d);
    case 14:
      return either(s, inverted(d));
    default:
      return either(inverted(s), d);
  }
}

void OutputSteps::store(I1 live, const Color& color, F32 depth) {
  if (state_.touches_depth()) live = test_depth(live, depth);
  if (state_.color_mask == 0) return;
  std::uint32_t written = 0, all = 0;
  for (std::size_t n = 0; n < 4; ++n) {
    const std::uint32_t own =
        channels_of(state_.color_format)[n].width == 0 ? 0 : ones(channels_of(state_.color_format)[n]);
    all |= own;
    if ((state_.color_mask >> n & 1) != 0) written |= own;
  }
  const I32 stored = b_.LoadTile(0);
  const Color target = unpacked(stored);
  Color result;
  if (state_.blends)
    result = blended(color, target);
  else
    for (std::size_t n = 0; n < 4; ++n) result[n] = logic(color[n], target[n]);
  I32 pixel = packed(result);
  if (written != all) pixel = either(pixel, both(stored, word(all & ~written)));
  b_.StoreTile(live, pixel, 0);
}

// Three bytes of depth, the highest first, then the intensity.
void OutputSteps::store_shadow(I1 live, const Color& color, F32 depth) {
  const I32 incoming = integer(mul(depth, real(16777215.0f)));
  const I32 pixel = b_.LoadTile(0);
  const auto turned = [&](I32 x) {
    return either(either(left(both(x, word(255)), 16), both(x, word(0xff00))), field(x, 16, 8));
  };
  const I32 stored = turned(pixel);
  const I1 nearer = b_.And1(live, b_.ILtS32(incoming, stored));
  const I32 intensity = color[1];
  const I1 solid = b_.IEq32(intensity, word(0));
  const F32 penumbra =
      div(mul(uniform_real(WARPJIT_FRAGMENT_WORD(shadow_linear)), number(incoming)), number(stored));
  const F32 softened =
      div(number(intensity), add(uniform_real(WARPJIT_FRAGMENT_WORD(shadow_constant)), penumbra));
  const I32 lowered = b_.IMinS32(right(pixel, 24), integer(limited(softened, 0, 255)));
  const I32 with_depth = either(both(pixel, word(0xff000000)), turned(incoming));
  const I32 with_intensity = either(both(pixel, word(0xffffff)), left(lowered, 24));
  b_.StoreTile(nearer, b_.select(solid, with_depth, with_intensity), 0);
}

}  // namespace warpjit::pica200
