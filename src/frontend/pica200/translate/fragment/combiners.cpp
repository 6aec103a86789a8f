#include "frontend/pica200/translate/fragment/combiners.h"

#include <algorithm>

namespace warpjit::pica200 {

I32 CombinerSteps::color_operand(std::uint8_t code, const Color& from, std::size_t n) {
  const auto component = [&]() -> std::size_t {
    switch (code & ~1) {
      case 2:
        return 3;
      case 4:
        return 0;
      case 8:
        return 1;
      case 12:
        return 2;
      default:
        return n;
    }
  };
  return inverted_if((code & 1) != 0, from[component()]);
}
I32 CombinerSteps::alpha_operand(std::uint8_t code, const Color& from) {
  constexpr std::array<std::size_t, 4> kComponents = {3, 0, 1, 2};
  return inverted_if((code & 1) != 0, from[kComponents[code >> 1 & 3]]);
}

I32 CombinerSteps::apply(CombinerOp op, const std::array<I32, 3>& arguments) {
  const auto& [a, b, c] = arguments;
  const auto most = [&](I32 x) { return b_.IMinS32(x, word(255)); };
  switch (op) {
    case CombinerOp::replace:
      return a;
    case CombinerOp::modulate:
      return quotient(times(a, b));
    case CombinerOp::add:
      return most(plus(a, b));
    case CombinerOp::add_signed:
      return byte(minus(plus(a, b), word(128)));
    case CombinerOp::interpolate:
      return quotient(plus(times(a, c), times(b, minus(word(255), c))));
    case CombinerOp::subtract:
      return b_.IMaxS32(minus(a, b), word(0));
    case CombinerOp::multiply_add:
      return most(plus(quotient(times(a, b)), c));
    case CombinerOp::add_multiply:
      return quotient(times(most(plus(a, b)), c));
    default:
      return word(0);  // dot products have no components
  }
}

// One's complement of 2x - 255: magnitudes multiply, (2 m n + 255) / 510 being m n / 255 to nearest.
I32 CombinerSteps::dot_term(I32 a, I32 b) {
  const auto magnitude = [&](I32 x) {
    const I32 v = minus(left(x, 1), word(255));
    return b_.IXor32(v, b_.IShrS32(v, word(31)));
  };
  const I32 product = quotient(times(magnitude(a), magnitude(b)));
  // All ones where one of the two is negative: that complements the product.
  const I32 signs =
      b_.IShrS32(b_.IXor32(minus(left(a, 1), word(255)), minus(left(b, 1), word(255))), word(31));
  return b_.IXor32(product, signs);
}

Color CombinerSteps::combine(const CombinerColors& inputs) {
  CombinerColors from = inputs;
  const auto slot = [&](CombinerSource source) -> Color& { return from[static_cast<std::size_t>(source)]; };
  const Color nothing = {word(0), word(0), word(0), word(0)};
  slot(CombinerSource::zero) = slot(CombinerSource::buffer) = nothing;
  Color result = nothing, next_buffer = bytes_of(uniform_word(WARPJIT_FRAGMENT_WORD(buffer)));
  for (unsigned n = 0; n < kCombinerStages; ++n) {
    const CombinerHalf &color = state_.stages[n].color, &alpha = state_.stages[n].alpha;
    slot(CombinerSource::previous) = result;
    slot(CombinerSource::constant) = bytes_of(uniform_word(WARPJIT_FRAGMENT_WORD(constants) + 4 * n));
    const auto component = [&](std::size_t k, std::size_t c) {
      return color_operand(color.arguments[k].operand, slot(color.arguments[k].source), c);
    };
    Color out;
    I32 dot = word(0);
    const bool is_dot = color.op == CombinerOp::dot3 || color.op == CombinerOp::dot3_all;
    if (is_dot) {
      I32 sum = dot_term(component(0, 0), component(1, 0));
      for (std::size_t c = 1; c < 3; ++c) sum = plus(sum, dot_term(component(0, c), component(1, c)));
      dot = byte(sum);
    }
    for (std::size_t c = 0; c < 3; ++c)
      out[c] = scaled(is_dot ? dot : apply(color.op, {component(0, c), component(1, c), component(2, c)}),
                      color.shift);
    const auto operand = [&](std::size_t k) {
      return alpha_operand(alpha.arguments[k].operand, slot(alpha.arguments[k].source));
    };
    const I32 whole =
        color.op == CombinerOp::dot3_all ? dot : apply(alpha.op, {operand(0), operand(1), operand(2)});
    out[3] = scaled(whole, alpha.shift);
    result = out;
    slot(CombinerSource::buffer) = next_buffer;
    if (color.updates) std::copy_n(result.begin(), 3, next_buffer.begin());
    if (alpha.updates) next_buffer[3] = result[3];
  }
  return result;
}

Color CombinerSteps::fogged(const Color& color, F32 depth, std::uint32_t memory) {
  const F32 x = mul(state_.fog_flipped ? sub(real(1), depth) : depth, real(128));
  const F32 whole = clamped(floor(x), 0, 127);
  const auto [value, difference] =
      b_.LoadTexelPair(plus(left(integer(whole), 3), word(offsetof(TableMemory, fog))), memory);
  const F32 f = clamped(add(as_real(value), mul(as_real(difference), sub(x, whole))), 0, 1);
  const F32 rest = sub(real(1), f);
  const Color fog = bytes_of(uniform_word(WARPJIT_FRAGMENT_WORD(fog_color)));
  Color result = color;
  for (std::size_t n = 0; n < 3; ++n) {
    const F32 mixed = add(mul(f, number(color[n])), mul(rest, number(fog[n])));
    result[n] = integer(floor(add(mixed, real(0.5f))));
  }
  return result;
}

}  // namespace warpjit::pica200
