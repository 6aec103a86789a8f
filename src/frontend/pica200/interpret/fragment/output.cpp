#include "frontend/pica200/interpret/fragment/output.h"

#include <algorithm>

#include "frontend/pica200/interpret/fragment/number.h"
#include "frontend/pica200/interpret/fragment/steps.h"
#include "frontend/pica200/interpret/fragment/units.h"

namespace warpjit::pica200::fragment {

namespace {

// Factor `code` of component n; alpha is component 3.
std::int32_t factor(std::uint8_t code, const Bytes4& source, const Bytes4& target, const Bytes4& constant,
                    std::size_t n) {
  constexpr std::uint8_t kSaturate = 14;
  if (code == 0) return 0;
  if (code == 1) return 255;
  if (code == kSaturate) return n == 3 ? 255 : std::min<std::int32_t>(source[3], 255 - target[3]);
  const std::array<std::int32_t, 6> values = {source[n], target[n],   source[3],
                                              target[3], constant[n], constant[3]};
  const std::int32_t value = values[(code - 2u) / 2];
  return (code & 1) != 0 ? 255 - value : value;
}

std::uint8_t blended(std::uint8_t equation, std::int32_t s, std::int32_t d) {
  switch (equation) {
    case 1:
      return quotient(s - d);
    case 2:
      return quotient(d - s);
    case 3:
      return quotient(std::min(s, d));
    case 4:
      return quotient(std::max(s, d));
    default:
      return quotient(s + d);
  }
}

void write_depth(DepthFormat format, std::byte* pixel, std::uint32_t depth) {
  pixel[0] = low_byte(depth);
  pixel[1] = low_byte(depth >> 8);
  if (format != DepthFormat::d16) pixel[2] = low_byte(depth >> 16);
}

TestResult test_depth(const OutputState& state, const FragmentValues& values, std::byte* pixel, float depth) {
  const std::uint32_t incoming = depth_number(state.depth_format, depth);
  const auto update_stencil = [&](std::size_t event) {
    if (!state.stencil_writes) return;
    const auto old = static_cast<std::uint8_t>(pixel[3]);
    const std::uint8_t fresh = apply_stencil(state.stencil_ops[event], old, values.stencil_reference);
    const std::uint8_t mask = values.stencil_write_mask;
    pixel[3] = low_byte((fresh & mask) | (old & ~mask));
  };
  if (state.stencil) {
    const auto stored = byte_at(pixel, 3);
    const std::uint32_t mask = values.stencil_input_mask;
    if (!compare(state.stencil_test, values.stencil_reference & mask, stored & mask)) {
      update_stencil(0);
      return TestResult::fails_stencil;
    }
  }
  if (!compare(state.depth_test, incoming, read_depth(state.depth_format, pixel))) {
    update_stencil(1);
    return TestResult::fails_depth;
  }
  update_stencil(2);
  if (state.depth_writes) write_depth(state.depth_format, pixel, incoming);
  return TestResult::passes;
}

void show_depth_test(FragmentSteps& steps, const OutputState& state, std::size_t number,
                     const std::byte* pixel, float depth) {
  using F = FragmentFile;
  steps.begin(FragmentStep::kDepthTest);
  steps.load(true, number, pixel);
  steps.read(F::kDepth);
  steps.write(F::kDepthWord, depth_number(state.depth_format, depth));
  steps.write(F::kStoredDepth, read_depth(state.depth_format, pixel));
  if (state.depth_format != DepthFormat::d24s8) return;
  steps.write(F::kStoredStencil, byte_at(pixel, 3));
  if (state.stencil) steps.read(F::kStencilReference);
}

}  // namespace

std::uint32_t read_depth(DepthFormat format, const std::byte* pixel) {
  std::uint32_t depth = byte_at(pixel, 0) | byte_at(pixel, 1) << 8;
  if (format != DepthFormat::d16) depth |= byte_at(pixel, 2) << 16;
  return depth;
}

std::uint32_t depth_number(DepthFormat format, float depth) {
  return static_cast<std::uint32_t>(depth * (format == DepthFormat::d16 ? 65535.0f : 16777215.0f));
}

std::size_t pixel_number(const TargetSetup& target, std::uint32_t column, std::uint32_t row) {
  const std::uint32_t y = target.mirrored ? row : target.height - 1 - row, x = column;
  const std::uint32_t morton =
      (x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2 | (x & 4) << 2 | (y & 4) << 3;
  return (std::size_t{y / 8} * (target.width / 8) + x / 8) * 64 + morton;
}

bool compare(Comparison op, std::uint32_t incoming, std::uint32_t stored) {
  switch (op) {
    case Comparison::never:
      return false;
    case Comparison::always:
      return true;
    case Comparison::equal:
      return incoming == stored;
    case Comparison::not_equal:
      return incoming != stored;
    case Comparison::less:
      return incoming < stored;
    case Comparison::less_equal:
      return incoming <= stored;
    case Comparison::greater:
      return incoming > stored;
    default:
      return incoming >= stored;
  }
}

std::uint8_t apply_stencil(std::uint8_t op, std::uint8_t stored, std::uint8_t reference) {
  switch (op) {
    case 1:
      return 0;
    case 2:
      return reference;
    case 3:
      return stored == 255 ? stored : static_cast<std::uint8_t>(stored + 1);
    case 4:
      return stored == 0 ? stored : static_cast<std::uint8_t>(stored - 1);
    case 5:
      return static_cast<std::uint8_t>(~stored);
    case 6:
      return static_cast<std::uint8_t>(stored + 1);
    case 7:
      return static_cast<std::uint8_t>(stored - 1);
    default:
      return stored;
  }
}

Bytes4 blend(const OutputState& state, const Bytes4& source, const Bytes4& target, const Bytes4& constant) {
  Bytes4 result{};
  for (std::size_t n = 0; n < 4; ++n) {
    const std::size_t half = n == 3 ? 1 : 0;
    const std::int32_t s = source[n] * factor(state.factors[2 * half], source, target, constant, n);
    const std::int32_t d = target[n] * factor(state.factors[2 * half + 1], source, target, constant, n);
    result[n] = blended(state.equations[half], s, d);
  }
  return result;
}

std::uint8_t apply_logic(std::uint8_t op, std::uint8_t s, std::uint8_t d) {
  int result = 0;
  switch (op) {
    case 0:
      result = 0;
      break;
    case 1:
      result = s & d;
      break;
    case 2:
      result = s & ~d;
      break;
    case 3:
      result = s;
      break;
    case 4:
      result = 255;
      break;
    case 5:
      result = ~s;
      break;
    case 6:
      result = d;
      break;
    case 7:
      result = ~d;
      break;
    case 8:
      result = ~(s & d);
      break;
    case 9:
      result = s | d;
      break;
    case 10:
      result = ~(s | d);
      break;
    case 11:
      result = s ^ d;
      break;
    case 12:
      result = ~(s ^ d);
      break;
    case 13:
      result = ~s & d;
      break;
    case 14:
      result = s | ~d;
      break;
    default:
      result = ~s | d;
      break;
  }
  return static_cast<std::uint8_t>(result);
}

TestResult output(const OutputState& state, const FragmentValues& values, const Targets& targets,
                  std::size_t pixel, const Bytes4& color, float depth, FragmentSteps* steps) {
  using F = FragmentFile;
  if (state.touches_depth()) {
    std::byte* const place = targets.depth + pixel * pixel_bytes(state.depth_format);
    if (steps != nullptr) [[unlikely]]
      show_depth_test(*steps, state, pixel, place, depth);
    const TestResult tested = test_depth(state, values, place, depth);
    const bool passes = tested == TestResult::passes;
    if (steps != nullptr) [[unlikely]] {
      if ((passes && state.depth_writes) || state.stencil_writes) steps->store(true, pixel, place);
      if (!passes) steps->happened(interpret::kDiscarded | interpret::kEnded);
    }
    if (!passes) return tested;
  }
  if (state.color_mask == 0) return TestResult::passes;
  std::byte* place = targets.color + pixel * pixel_bytes(state.color_format);
  const Bytes4 stored = read_pixel(state.color_format, place);
  Bytes4 result{};
  if (state.blends)
    result = blend(state, color, stored, values.blend_constant);
  else
    for (std::size_t n = 0; n < 4; ++n) result[n] = apply_logic(state.logic_op, color[n], stored[n]);
  if (steps != nullptr) [[unlikely]] {
    steps->begin(FragmentStep::kOutput);
    steps->load(false, pixel, place);
    steps->read(F::kCombined, 4);
    steps->write(F::kStored, stored);
    if (state.blends) steps->read(F::kBlendConstant, 4);
    steps->write(F::kOutput, result);
    steps->give(F::kOutput, 4);
  }
  write_pixel(state.color_format, place, result, state.color_mask);
  if (steps != nullptr) [[unlikely]]
    steps->store(false, pixel, place);
  return TestResult::passes;
}

TestResult output_shadow(const FragmentValues& values, const Targets& targets, std::size_t pixel,
                         const Bytes4& color, float depth, FragmentSteps* steps) {
  // Three bytes of depth, the highest first, then the intensity.
  std::byte* place = targets.color + pixel * 4;
  const auto incoming = static_cast<std::uint32_t>(depth * 16777215.0f);
  const std::uint32_t stored = byte_at(place, 0) << 16 | byte_at(place, 1) << 8 | byte_at(place, 2);
  if (steps != nullptr) [[unlikely]] {
    using F = FragmentFile;
    steps->begin(FragmentStep::kShadow);
    steps->load(false, pixel, place);
    steps->read(F::kDepth);
    steps->read(F::kCombined + 1);
    steps->write(F::kDepthWord, incoming);
    steps->write(F::kStoredDepth, stored);
    steps->give(F::kDepthWord, 1);
    if (incoming >= stored) steps->happened(interpret::kDiscarded);
  }
  if (incoming >= stored) return TestResult::fails_depth;
  const std::uint32_t intensity = color[1];
  if (intensity == 0) {
    place[0] = low_byte(incoming >> 16);
    place[1] = low_byte(incoming >> 8);
    place[2] = low_byte(incoming);
    if (steps != nullptr) [[unlikely]]
      steps->store(false, pixel, place);
    return TestResult::passes;
  }
  const auto number = [](std::uint32_t word) { return Number(static_cast<float>(word)); };
  const Number penumbra = (values.shadow_linear * number(incoming)) / number(stored);
  const Number softened = number(intensity) / (values.shadow_constant + penumbra);
  const auto lowered = static_cast<std::uint32_t>(integer(limited(softened, 0.0f, 255.0f)));
  place[3] = low_byte(std::min(byte_at(place, 3), lowered));
  if (steps != nullptr) [[unlikely]]
    steps->store(false, pixel, place);
  return TestResult::passes;
}

}  // namespace warpjit::pica200::fragment
