#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "frontend/pica200/interpret/fragment/number.h"
#include "frontend/pica200/interpret/fragment/steps.h"
#include "frontend/pica200/interpret/fragment/units.h"

namespace warpjit::pica200::fragment {

namespace {

std::uint8_t byte(std::int32_t v) { return static_cast<std::uint8_t>(std::clamp(v, 0, 255)); }

// Operand `code` of a colour; component n of red, green and blue.
std::int32_t color_operand(std::uint8_t code, const Bytes4& from, std::size_t n) {
  const std::int32_t value = from[color_component(code, n)];
  return (code & 1) != 0 ? 255 - value : value;
}
std::int32_t alpha_operand(std::uint8_t code, const Bytes4& from) {
  const std::int32_t value = from[alpha_component(code)];
  return (code & 1) != 0 ? 255 - value : value;
}

std::uint8_t apply(CombinerOp op, std::int32_t a, std::int32_t b, std::int32_t c) {
  switch (op) {
    case CombinerOp::replace:
      return byte(a);
    case CombinerOp::modulate:
      return quotient(a * b);
    case CombinerOp::add:
      return byte(a + b);
    case CombinerOp::add_signed:
      return byte(a + b - 128);
    case CombinerOp::interpolate:
      return quotient(a * c + b * (255 - c));
    case CombinerOp::subtract:
      return byte(a - b);
    case CombinerOp::multiply_add:
      return byte(quotient(a * b) + c);
    case CombinerOp::add_multiply:
      return quotient(std::min(a + b, 255) * c);
    default:
      return 0;  // dot products have no components
  }
}

// One's complement of 2x - 255: sign and magnitude.
std::int32_t dot_term(std::int32_t a, std::int32_t b) {
  const std::int32_t va = 2 * a - 255, vb = 2 * b - 255;
  const std::int32_t ma = va < 0 ? -va - 1 : va, mb = vb < 0 ? -vb - 1 : vb;
  const std::int32_t product = (ma * mb * 2 + 255) / 510;
  return (va < 0) == (vb < 0) ? product : -product - 1;
}

std::uint8_t scaled(std::uint8_t value, std::uint8_t shift) { return byte(std::int32_t{value} << shift); }

// The stage's result, and the buffer that the next stage reads and the one after it.
void show_stage(FragmentSteps& steps, const CombinerStage& stage, unsigned number, const Bytes4& result,
                const Bytes4& buffer, const Bytes4& next_buffer) {
  using F = FragmentFile;
  steps.begin(FragmentStep::kStage + number);
  steps.read_stage(stage, number);
  steps.write(F::kStage + 4 * number, result);
  steps.read(F::kNextBuffer, 4);
  steps.write(F::kBuffer, buffer);
  if (stage.color.updates) steps.write(F::kNextBuffer, next_buffer, 3);
  if (stage.alpha.updates) steps.write(F::kNextBuffer + 3, std::uint32_t{next_buffer[3]});
  if (number + 1 == kCombinerStages) steps.write(F::kCombined, result);
}

}  // namespace

std::size_t color_component(std::uint8_t code, std::size_t n) {
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
}
std::size_t alpha_component(std::uint8_t code) {
  constexpr std::array<std::size_t, 4> kComponents = {3, 0, 1, 2};
  return kComponents[code >> 1 & 3];
}

std::uint8_t quotient(std::int32_t v) { return v < 0 ? std::uint8_t{0} : byte((v + 127) / 255); }

Bytes4 combine(const FragmentState& state, const FragmentValues& values, const CombinerInputs& inputs,
               FragmentSteps* steps) {
  CombinerInputs from = inputs;
  const auto slot = [&](CombinerSource source) -> Bytes4& { return from[static_cast<std::size_t>(source)]; };
  slot(CombinerSource::zero) = {};
  Bytes4 result{}, next_buffer = values.buffer;
  slot(CombinerSource::buffer) = {};
  for (unsigned n = 0; n < kCombinerStages; ++n) {
    const CombinerStage& stage = state.stages[n];
    slot(CombinerSource::previous) = result;
    slot(CombinerSource::constant) = values.constants[n];
    const auto argument = [&](const CombinerHalf& half, std::size_t k) -> const Bytes4& {
      return slot(half.arguments[k].source);
    };
    Bytes4 out{};
    const CombinerHalf& color = stage.color;
    const auto component = [&](std::size_t k, std::size_t c) {
      return color_operand(color.arguments[k].operand, argument(color, k), c);
    };
    std::uint8_t dot = 0;
    const bool is_dot = color.op == CombinerOp::dot3 || color.op == CombinerOp::dot3_all;
    if (is_dot) {
      std::int32_t sum = 0;
      for (std::size_t c = 0; c < 3; ++c) sum += dot_term(component(0, c), component(1, c));
      dot = byte(sum);
    }
    for (std::size_t c = 0; c < 3; ++c)
      out[c] = scaled(is_dot ? dot : apply(color.op, component(0, c), component(1, c), component(2, c)),
                      color.shift);
    const CombinerHalf& alpha = stage.alpha;
    const auto operand = [&](std::size_t k) {
      return alpha_operand(alpha.arguments[k].operand, argument(alpha, k));
    };
    const std::uint8_t whole =
        color.op == CombinerOp::dot3_all ? dot : apply(alpha.op, operand(0), operand(1), operand(2));
    out[3] = scaled(whole, alpha.shift);
    result = out;
    slot(CombinerSource::buffer) = next_buffer;
    if (color.updates) std::copy_n(result.begin(), 3, next_buffer.begin());
    if (alpha.updates) next_buffer[3] = result[3];
    if (steps != nullptr) [[unlikely]]
      show_stage(*steps, stage, n, result, slot(CombinerSource::buffer), next_buffer);
  }
  return result;
}

Bytes4 apply_fog(const FragmentState& state, const FragmentValues& values, const Bytes4& color, float depth,
                 float* factor) {
  const Number x = (state.fog_flipped ? 1.0f - Number(depth) : Number(depth)) * 128.0f;
  const Number whole = std::clamp<Number>(floor(x), 0.0f, 127.0f);
  const std::uint32_t word = values.tables->fog[static_cast<std::size_t>(integer(whole))];
  const float value = static_cast<float>(bits(word, 13, 11)) / 2047.0f;
  const float difference = static_cast<float>(sign_extend(word, 13)) / 2047.0f;
  const Number f = std::clamp<Number>(value + difference * (x - whole), 0.0f, 1.0f);
  if (factor != nullptr) *factor = f.value;
  Bytes4 result = color;
  for (std::size_t n = 0; n < 3; ++n) {
    const auto number = [](std::uint8_t byte) { return Number(static_cast<float>(byte)); };
    const Number mixed = f * number(color[n]) + (1.0f - f) * number(values.fog_color[n]);
    result[n] = static_cast<std::uint8_t>(integer(floor(mixed + 0.5f)));
  }
  return result;
}

}  // namespace warpjit::pica200::fragment
